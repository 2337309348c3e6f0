/* SPDX-License-Identifier: MIT
 * The real-time loop: cycles on an absolute schedule, by input frames or by command. Everything it needs is laid out
 * before it starts.
 *
 * The set-up (cycle_setup.c) allocates and may fail; the loop (all other files) does neither. The header of each file
 * has its part of struct cycle; functions take only the part that they need. Order of use:
 *   cycle_setup  ->  cycle_freeze  ->  cycle_run, in the loop's own thread  ->  cycle_free
 * While it runs, other threads use only its ports, its telemetry, and the functions at the end of this file. */
#ifndef LOOP_CYCLE_H
#define LOOP_CYCLE_H

#include "frames/writer.h"
#include "inputs/inputs.h"
#include "inputs/stimuli.h"
#include "loop/cycle_events.h"
#include "loop/cycle_settings.h"
#include "loop/cycle_times.h"
#include "loop/deadline.h"
#include "loop/figures.h"
#include "loop/inbox.h"
#include "loop/leaving.h"
#include "loop/lockstep.h"
#include "loop/output.h"
#include "loop/plant.h"
#include "loop/schedule.h"
#include "loop/suspension.h"
#include "machine/machine.h"
#include "machine/platform_drive.h"
#include "machine/rig_drive.h"
#include "rt/pool.h"
#include "signals/exchange.h"
#include "signals/handover.h"
#include "signals/signals.h"
#include "signals/wakeup.h"
#include "telemetry/telemetry.h"
#include "workers/step_times.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  CYCLE_COMMANDS = 16,   /* taken from one port in one cycle; further commands wait, except an e-stop */
  CYCLE_STACK_KB = 1024, /* stack of a thread that calls cycle_run() */
};

/* State that the last run left: see machine_keep(). */
struct last_run {
  enum fault_code fault;
  bool disarmed;
  char who[TELEMETRY_LATCHER]; /* who latched that fault, in words; "": the loop */
};

struct cycle_config {
  const ali3_model *model; /* frozen */
  const struct signals *signals;
  struct port *const *port; /* (ports) */
  int ports;
  /* Rung by the ports if the clock does not pace the loop or is pulled towards their beats. */
  struct wakeup *wakeup;
  /* The loop writes the live part, the histograms, its counters and the ages of inputs. */
  struct telemetry *telemetry;
  struct frames_writer *frames; /* NULL: no frame ring */
  uint64_t period_ns;
  uint64_t periods; /* run or skipped after the warm-up, until the loop ends by itself; 0: no limit */
  struct last_run last_run;
  bool resume; /* after the warm-up the model takes the state of `handover`, and nothing moves by itself */
  struct cycle_settings settings;
  const struct injection *injection; /* (injections) faults that may be put into the inputs */
  int injections;
  const struct stimulus *stimulus; /* (stimuli) */
  int stimuli;
  struct port *port_of_stimuli; /* one of `port`, to which nobody else sends inputs; NULL: no stimuli */
  const struct platform_setup *platform; /* NULL: no motion platform; else the clock must be the timer */
  const struct rig_setup *rig;           /* NULL: nothing comes back from the rig */
};

/* Settings that may change while the loop runs. */
struct cycle_tuning {
  struct cycle_live live;
  bool platform; /* the next two members are valid */
  enum platform_mode mode;
  struct platform_params params;
  int inputs;                /* signals->inputs, or 0: the inputs stay unchanged */
  struct input_spec input[]; /* (inputs) only the members that inputs_tune() takes */
};

/* The workers that share the steps. */
struct workers {
  struct pool *pool; /* NULL: none; constant after cycle_freeze() */
  int lost;          /* number lost so far */
  bool lost_now;     /* one was lost in this cycle */
};

/* The client that latched the stop. */
struct latch {
  const char *by; /* see struct telemetry_live */
  uint32_t client;
};

struct cycle {
  struct cycle_config config; /* constant except settings.live */
  bool realtime;              /* constant after cycle_freeze() */
  bool over;                  /* the loop has ended */
  struct inbox inbox;
  struct outbox outbox;
  uint32_t *commands; /* (ports) number of commands for this cycle */
  struct machine machine;
  struct latch latch;
  struct inputs inputs;
  struct stimuli stimuli;
  struct plant plant;
  struct workers workers;
  struct platform_drive drive;
  enum jog_answer jog_answer; /* to the last command jog */
  struct rig_drive rig;
  struct schedule schedule;
  struct deadline deadline;
  struct handover handover;
  struct lockstep lockstep;
  struct leaving leaving;
  struct suspension suspension;
  uint64_t asleep_ns; /* how long the machine was suspended before this cycle; 0: it was not */
  struct cycle_times times;
  struct step_times step_times;
  struct figures figures;
  struct output output;
  uint64_t state_due; /* cycle after which the frame ring gets a state */
};

/* Set-up. Allocates everything and brings the model into its initial state (ali3_reset; its results are in
 * ali3_data_report and ali3_data_initial of c->plant.data). The objects in config must outlive the cycle. Returns the
 * status of ali3_reset, ALI3_E_MEMORY, or ALI3_E_ARGUMENT for an inconsistent platform. After a negative status only
 * cycle_free() may be called. */
int cycle_setup(struct cycle *c, const struct cycle_config *config);
/* Set-up, last step: sets the workers that share the steps (NULL: none) and the label that every frame carries. Saves
 * the initial state, to which a reset returns. */
void cycle_freeze(struct cycle *c, struct pool *pool, bool realtime);
void cycle_free(struct cycle *c);

/* RT. Runs cycles by config.settings.clock until told to stop or until config.periods have passed. */
void cycle_run(struct cycle *c);

/* RT. cycle_run() in parts, for a caller with its own clock: cycle_begin() once, cycle_once() per cycle, cycle_end()
 * once. */
void cycle_begin(struct cycle *c, uint64_t first_start_ns);
void cycle_once(struct cycle *c);
bool cycle_over(const struct cycle *c); /* true: the loop must end and waits for no platform */
void cycle_end(struct cycle *c);

/* Any thread, or a signal handler. Without a platform, or with a parked one, the loop ends after this cycle. Otherwise
 * it goes to the state EXIT, in which only the platform moves, to its park pose. It ends when the platform is parked,
 * or when it has stood still on its way for 5 s, or after CYCLE_PARKS_S. */
enum { CYCLE_PARKS_S = 600 };
static inline void cycle_stop(struct cycle *c)
{
  atomic_store_explicit(&c->inbox.stop, true, memory_order_release);
  if (c->config.wakeup) wakeup_send(c->config.wakeup);
}
/* Any thread: the loop ends after this cycle, wherever the platform is. */
static inline void cycle_stop_at_once(struct cycle *c)
{
  atomic_store_explicit(&c->inbox.at_once, true, memory_order_release);
  cycle_stop(c);
}

/* Any thread: declares the loop stuck. If it continues, it does so in SAFE. */
static inline void cycle_declare_stuck(struct cycle *c)
{
  atomic_store_explicit(&c->inbox.stuck, true, memory_order_release);
}

/* Any thread: clears maxima and distributions in the next cycle. */
static inline void cycle_clear_book(struct cycle *c)
{
  atomic_store_explicit(&c->inbox.clear, true, memory_order_release);
  if (c->config.wakeup) wakeup_send(c->config.wakeup);
}

/* One thread: the tuning is valid from the next cycle on, which shows it in the telemetry. */
void cycle_tune(struct cycle *c, const struct cycle_tuning *tuning);

#endif
