/* SPDX-License-Identifier: MIT
 * The real-time loop: one cycle after the other, on an absolute schedule or as it is told, everything it needs laid out
 * before it starts.
 *
 * Set-up (cycle_setup.c) allocates and may fail; the loop (all other files) does neither. Each part of struct cycle stands in the
 * header of the file that owns it; functions take the part that they need. Order of use:
 *   cycle_setup  ->  cycle_freeze  ->  cycle_run, in the loop's own thread  ->  cycle_free
 * While it runs the outside meets it only in its ports, its telemetry, and the functions at the end of this file. */
#ifndef LOOP_CYCLE_H
#define LOOP_CYCLE_H

#include "inputs/inputs.h"
#include "loop/cycle_events.h"
#include "loop/cycle_settings.h"
#include "loop/cycle_times.h"
#include "loop/deadline.h"
#include "loop/figures.h"
#include "loop/inbox.h"
#include "loop/leaving.h"
#include "loop/lockstep.h"
#include "loop/machine.h"
#include "loop/output.h"
#include "loop/plant.h"
#include "loop/platform_drive.h"
#include "loop/schedule.h"
#include "loop/step_times.h"
#include "rt/pool.h"
#include "signals/bell.h"
#include "signals/exchange.h"
#include "signals/signals.h"
#include "telemetry/telemetry.h"

#include <stdbool.h>
#include <stdint.h>

enum {
  CYCLE_COMMANDS = 16,   /* taken from one port in one cycle; the rest waits, but for an e-stop */
  CYCLE_STACK_KB = 1024, /* of a thread that calls cycle_run() */
};

/* What the last run left behind: see machine_keep(). */
struct last_run {
  enum fault_code fault;
  bool disarmed;
  char who[TELEMETRY_LATCHER]; /* latched that fault, in words; "": the loop did */
};

struct cycle_config {
  const ali3_model *model; /* frozen */
  const struct signals *signals;
  struct port *const *port; /* (ports) */
  int ports;
  struct bell
      *bell; /* rung by the ports where the clock does not pace the loop, or is drawn to their beats */
  struct telemetry
      *telemetry; /* live, book, counters of the loop and ages of inputs are written by the loop */
  uint64_t period_ns;
  uint64_t periods; /* after the warm-up, done or skipped, until the loop ends by itself; 0: never */
  struct last_run last_run;
  struct cycle_settings settings;
  const struct injection *injection; /* (injections) faults that may be put into the inputs */
  int injections;
  const struct platform_setup *platform; /* NULL: there is no motion platform; else clock is the timer */
};

/* What may change while the loop runs. */
struct cycle_tuning {
  struct cycle_live live;
  bool platform; /* the next two hold, too */
  enum platform_mode mode;
  struct platform_params params;
  int inputs;                /* signals->inputs, or 0: they stay as they are */
  struct input_spec input[]; /* (inputs) what inputs_tune() takes of it counts */
};

/* The workers that share the steps. */
struct workers {
  struct pool *pool; /* NULL: none; constant from cycle_freeze() on */
  int lost;          /* so far */
  bool lost_now;     /* one in this cycle */
};

/* Who latched the stop. */
struct latch {
  const char *by; /* as in struct telemetry_live */
  uint32_t client;
};

struct cycle {
  struct cycle_config config; /* constant but for settings.live */
  bool realtime;              /* constant from cycle_freeze() on */
  bool over;                  /* the loop has ended */
  struct inbox inbox;
  struct outbox outbox;
  uint32_t *commands; /* that each port has for this cycle  (ports) */
  struct machine machine;
  struct latch latch;
  struct inputs inputs;
  struct plant plant;
  struct workers workers;
  struct platform_drive drive;
  struct schedule schedule;
  struct deadline deadline;
  struct lockstep lockstep;
  struct leaving leaving;
  struct cycle_times times;
  struct step_times step_times;
  struct figures figures;
  struct output output;
};

/* Set-up. Allocates everything and brings the model into its initial state (ali3_reset; what it found is in
 * ali3_report_get and ali3_initial_get of c->plant.data). What config points to must live as long as the cycle.
 * Returns the status of ali3_reset, ALI3_E_MEMORY, or ALI3_E_ARGUMENT if the platform makes no sense; after a negative one
 * only cycle_free() may follow. */
int cycle_setup(struct cycle *c, const struct cycle_config *config);
/* Set-up, last step: the workers that share the steps (NULL: none), and the label that every frame carries. Keeps
 * the image of the initial state, to which the loop goes back on reset. */
void cycle_freeze(struct cycle *c, struct pool *pool, bool realtime);
void cycle_free(struct cycle *c);

/* RT. Runs cycles as config.settings.clock says until told to stop, or until config.periods have gone by. */
void cycle_run(struct cycle *c);

/* RT. The same in pieces, for a caller that has a clock of its own: begin once, then once per cycle, then
 * end. */
void cycle_begin(struct cycle *c, uint64_t first_start_ns);
void cycle_once(struct cycle *c);
bool cycle_over(const struct cycle *c); /* true: time to end, and no platform to wait for any longer */
void cycle_end(struct cycle *c);

/* Any thread, or a signal handler. The loop ends after the cycle it is in; with a platform that is not parked it goes to the
 * state EXIT, in which nothing moves but the platform, to its park pose, and ends then, or when that has stood still on its
 * way for 5 s: CYCLE_PARKS_S later at most. */
enum { CYCLE_PARKS_S = 600 };
static inline void cycle_stop(struct cycle *c)
{
  atomic_store_explicit(&c->inbox.stop, true, memory_order_release);
  if (c->config.bell) bell_ring(c->config.bell);
}
/* Any thread: the loop ends after the cycle it is in, wherever the platform is. */
static inline void cycle_stop_at_once(struct cycle *c)
{
  atomic_store_explicit(&c->inbox.at_once, true, memory_order_release);
  cycle_stop(c);
}

/* Any thread: the loop has stood still for too long. If it ever goes on, it does so in SAFE. */
static inline void cycle_declare_stuck(struct cycle *c)
{
  atomic_store_explicit(&c->inbox.stuck, true, memory_order_release);
}

/* Any thread: maxima and distributions begin anew with the next cycle. */
static inline void cycle_clear_book(struct cycle *c)
{
  atomic_store_explicit(&c->inbox.clear, true, memory_order_release);
  if (c->config.bell) bell_ring(c->config.bell);
}

/* One thread: the tuning holds from the next cycle on, which shows it in the telemetry. */
void cycle_tune(struct cycle *c, const struct cycle_tuning *tuning);

#endif
