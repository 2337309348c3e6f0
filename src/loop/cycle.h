/* SPDX-License-Identifier: MIT
 * The real-time loop: one cycle after the other, on an absolute schedule or as it is told, everything it needs laid out
 * before it starts.
 *
 * Set-up (cycle_setup.c) allocates and may fail; the loop (cycle.c, cycle_wait.c, cycle_account.c) does neither. Order
 * of use:
 *   cycle_setup  ->  cycle_freeze  ->  cycle_run, in the loop's own thread  ->  cycle_free
 * While it runs the outside meets it only in its ports, its telemetry, and the functions at the end of this file. */
#ifndef LOOP_CYCLE_H
#define LOOP_CYCLE_H

#include "base/ring.h"
#include "base/snapshot.h"
#include "inputs/inputs.h"
#include "loop/machine.h"
#include "loop/platform_drive.h"
#include "loop/schedule.h"
#include "loop/step_times.h"
#include "rt/pool.h"
#include "signals/bell.h"
#include "signals/exchange.h"
#include "signals/signals.h"
#include "telemetry/telemetry.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  CYCLE_COMMANDS = 16,     /* taken from one port in one cycle; the rest waits, but for an e-stop */
  CYCLE_EVENTS = 256,      /* room for events nobody has fetched yet */
  CYCLE_MISSES = 256,      /* likewise, of misses */
  CYCLE_BUSY_NS = 4000000, /* in lockstep: of steps without a pause, */
  CYCLE_REST_NS = 1000000, /* and of the pause that follows, for threads of lower priority */
  CYCLE_LOADS = 3,         /* horizons */
};

/* What the last run left behind: see machine_keep(). */
struct kept {
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
  int warmup;       /* cycles before figures count and the state leaves INIT */
  int grace;        /* cycles after each start of the motion in which misses are no matter */
  int max_misses;   /* see struct machine */
  bool autostart;   /* from INIT on to RUNNING, unless the last run left something behind: */
  struct kept kept;
  bool publish_next; /* frames go out at the start of the next cycle, in place of as soon as they are there */
  enum clocking clocking;
  enum overrun overrun;
  int catch_up;                     /* see struct schedule */
  uint64_t pull_ns, beat_offset_ns; /* likewise */
  uint64_t spin_ns; /* timer: so long before a start the loop wakes, and waits the rest awake */
  const struct injection *injection; /* (injections) faults that may be put into the inputs */
  int injections;
  const struct platform_setup *platform; /* NULL: there is no motion platform; else clocking is the timer */
};

/* What may change while the loop runs. */
struct tuning {
  enum overrun overrun;
  int catch_up, max_misses, grace; /* as in struct cycle_config */
  bool platform;                   /* the next two hold, too */
  enum platform_mode mode;
  struct platform_params params;
  int inputs;                /* signals->inputs, or 0: they stay as they are */
  struct input_spec input[]; /* (inputs) what inputs_tune() takes of it counts */
};

/* A change of state, a model put back, a fault injection, or something about the platform, as the log wants it: text is made
 * outside the loop. */
enum cycle_cause {
  CAUSE_WARM,
  CAUSE_COMMAND,
  CAUSE_FAULT,
  CAUSE_EXIT,
  CAUSE_INJECT_SWITCHED, /* by a command */
  CAUSE_INJECT_ACTS,     /* or no longer does */
  CAUSE_PLATFORM_STATE,  /* of the platform, from and to: enum platform_state */
  CAUSE_PLATFORM_SET,    /* one of its parameters, by a command */
  CAUSE_VIOLATED,        /* a step ended ALI3_VIOLATED, the one before did not */
};
enum { WARM_DISARMED = 1 }; /* no autostart, since motion needs an arm */
struct cycle_event {
  uint64_t cycle;
  uint32_t from, to; /* enum run_state; equal where it stays the same */
  uint32_t cause;    /* enum cycle_cause */
  uint32_t
      code; /* the command, the enum fault_code, injection_argument(), a place in params_table; CAUSE_WARM: fault left
                        by the last run if it leads to SAFE, else WARM_DISARMED or 0 */
  int32_t port;             /* whose doing, index into config.port; -1: the loop's own */
  uint32_t client;          /* of that port */
  int32_t body, joint;      /* the worst of the step that failed; -1 none */
  int32_t input;            /* that is lost, or that the start waits for; -1 none */
  double value;             /* that the parameter was set to */
  ali3_violation violation; /* what was open, if the step failed or was violated */
};

struct cycle {
  struct cycle_config config; /* constant, but for what is in tuning: the loop's own */
  bool realtime;              /* constant from cycle_freeze() on, as is pool */
  struct pool *pool;          /* NULL: none */
  atomic_bool stop;           /* set by anybody */
  atomic_bool at_once;        /* likewise: and the platform is not waited for */
  atomic_bool stuck;          /* set by whoever watches the loop: it stood still */
  atomic_bool clear;          /* set by anybody: the book begins anew */
  struct ring events;         /* loop -> one reader */
  struct ring misses;         /* likewise: struct miss */
  struct snapshot tuning;     /* one writer -> loop */

  /* The model and its way back. */
  ali3_data *data;
  void *block, *image; /* the data's memory, and a copy of it in the initial state  (size bytes) */
  size_t size;

  /* What the loop carries from cycle to cycle. */
  struct machine machine;
  const char *latched_by; /* as in struct telemetry_live, as is the next */
  uint32_t latch_client;
  struct inputs inputs;
  struct platform_drive drive;
  struct schedule schedule;
  struct step_times step_times;
  struct frame *head;     /* of the values last observed */
  double *values;         /* (signals->count)  filled by the phase observe */
  uint64_t number;        /* of the cycle, from 1 */
  uint64_t wake_ns;       /* when it really began */
  uint64_t mark_ns;       /* when the phase that is on began */
  uint64_t counted;       /* periods gone by since the warm-up, done or skipped */
  uint64_t leave_by;      /* cycle by which the loop ends, parked or not; 0: it was not told to end */
  uint64_t leave_at_last; /* and which that is at most, however long the platform moves */
  uint64_t misses_counted, grace_misses, skipped, degraded, late_starts, beats_lost;
  uint64_t degraded_cycle; /* number of the last cycle whose step did not converge; 0: none did */
  uint64_t violated, violated_first,
      violated_cycle;       /* steps with ALI3_VIOLATED; cycle of the first, of the last */
  ali3_violation violation; /* what was open after the last violated step */
  uint64_t wakeup_ns, step_ns, cycle_ns, max_cycle_ns;
  uint64_t phase_ns[PHASES], usual_ns[PHASES]; /* of this cycle, and as a rule */
  uint64_t usual_held_ns;                      /* likewise, by workers */
  uint64_t late_since_ns; /* start of the first of the cycles that are made up for in one go; 0: none are */
  double load[CYCLE_LOADS];
  struct usage woken, warm; /* of the loop's thread: at the wake-up, and at the end of the warm-up */
  int grace_left;
  int lost_workers;       /* so far */
  bool lost_now;          /* one in this cycle */
  uint64_t virtual_ns;    /* lockstep: time by which inputs age */
  uint64_t busy_since_ns; /* lockstep: end of the last pause */
  uint32_t *commands;     /* that each port has for this cycle  (ports) */
  bool waiting;           /* asleep until something comes */
  bool restore;           /* the model is due to go back to its initial state */
  bool prepared;          /* the last prepare did something */
  bool stepped;           /* the stepper ran in this cycle */
  bool moved;             /* the state of the model changed in this cycle: there is something to observe */
  bool open;              /* the last step left a joint, drive or gear open */
  bool missed;            /* the last cycle ended after the nominal start of the next */
  bool beaten;            /* a beat asks for this cycle, where beats do */
  bool late;              /* this cycle begins late because the one before did not end in time */
  bool over;              /* the loop has ended */
  uint32_t last_command, last_command_id, last_result;
  struct { /* steps asked for in lockstep */
    uint64_t owed;
    struct answer answer;
    int port;  /* whom to answer */
    bool done; /* with the next frame */
  } steps;
};

/* Set-up. Allocates everything and brings the model into its initial state (ali3_reset; what it found is in
 * ali3_report_get and ali3_initial_get of c->data). What config points to must live as long as the cycle.
 * Returns the status of ali3_reset, ALI3_E_MEMORY, or ALI3_E_ARGUMENT if the platform makes no sense; after a negative one
 * only cycle_free() may follow. */
int cycle_setup(struct cycle *c, const struct cycle_config *config);
/* Set-up, last step: the workers that share the steps (NULL: none), and the label that every frame carries. Keeps
 * the image of the initial state, to which the loop goes back on reset. */
void cycle_freeze(struct cycle *c, struct pool *pool, bool realtime);
void cycle_free(struct cycle *c);

/* RT. Runs cycles as config.clocking says until told to stop, or until config.periods have gone by. */
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
  atomic_store_explicit(&c->stop, true, memory_order_release);
  if (c->config.bell) bell_ring(c->config.bell);
}
/* Likewise, wherever the platform is. */
static inline void cycle_stop_at_once(struct cycle *c)
{
  atomic_store_explicit(&c->at_once, true, memory_order_release);
  cycle_stop(c);
}

/* Any thread: the loop has stood still for too long. If it ever goes on, it does so in SAFE. */
static inline void cycle_declare_stuck(struct cycle *c)
{
  atomic_store_explicit(&c->stuck, true, memory_order_release);
}

/* Any thread: maxima and distributions begin anew with the next cycle. */
static inline void cycle_clear_book(struct cycle *c)
{
  atomic_store_explicit(&c->clear, true, memory_order_release);
  if (c->config.bell) bell_ring(c->config.bell);
}

/* One thread: holds from the next cycle on, which shows it in the telemetry. */
void cycle_tune(struct cycle *c, const struct tuning *tuning);

/* One reader thread. False when there is none. Events lost for lack of room: ring_dropped(&c->events). */
static inline bool cycle_next_event(struct cycle *c, struct cycle_event *e)
{
  return ring_pop(&c->events, e);
}
/* One reader thread. Likewise, as far as the loop can fill them in; see miss_judge(). */
static inline bool cycle_next_miss(struct cycle *c, struct miss *m)
{
  return ring_pop(&c->misses, m);
}

#endif
