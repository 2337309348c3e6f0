/* SPDX-License-Identifier: MIT
 * The real-time loop: one absolute schedule, one cycle after the other, everything it needs laid out before
 * it starts.
 *
 * Set-up (cycle_setup.c) allocates and may fail; the loop (cycle.c) does neither. Order of use:
 *   cycle_setup  ->  cycle_freeze  ->  cycle_run, in the loop's own thread  ->  cycle_free
 * While it runs the outside meets it only in its ports, its telemetry, cycle_stop() and cycle_next_event().
 */
#ifndef RT_CYCLE_H
#define RT_CYCLE_H

#include "base/ring.h"
#include "rt/inputs.h"
#include "rt/machine.h"
#include "rt/telemetry.h"
#include "signals/exchange.h"
#include "signals/signals.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum {
  CYCLE_COMMANDS = 16, /* taken from one port in one cycle; the rest waits, but for an e-stop */
  CYCLE_EVENTS = 256,  /* room for events nobody has fetched yet */
};

struct cycle_config {
  const ali3_model *model; /* frozen */
  const struct signals *signals;
  struct port *const *port; /* (ports) */
  int ports;
  struct telemetry *telemetry; /* live and book are written by the loop */
  uint64_t period_ns;
  uint64_t periods; /* after the warm-up, done or skipped, until the loop ends by itself; 0: never */
  int warmup;       /* cycles before figures count and the state leaves INIT */
  int max_misses;   /* see struct machine */
  bool autostart;   /* from INIT on to RUNNING */
};

/* A change of state or a model put back, as the log wants it: text is made outside the loop. */
enum cycle_cause { CAUSE_WARM, CAUSE_COMMAND, CAUSE_FAULT, CAUSE_EXIT };
struct cycle_event {
  uint64_t cycle;
  uint32_t from, to;   /* enum run_state; equal when only the model was put back */
  uint32_t cause;      /* enum cycle_cause */
  uint32_t code;       /* the command, or the enum fault_code */
  int32_t port;        /* whose doing, index into config.port; -1: the loop's own */
  uint32_t client;     /* of that port */
  int32_t body, joint; /* the worst of the step that failed; -1 none */
};

struct cycle {
  struct cycle_config config; /* constant */
  bool realtime;              /* constant from cycle_freeze() on */
  atomic_bool stop;           /* set by anybody */
  struct ring events;         /* loop -> one reader */

  /* The model and its way back. */
  ali3_data *data;
  void *block, *image; /* the data's memory, and a copy of it in the initial state  (size bytes) */
  size_t size;

  /* What the loop carries from cycle to cycle. */
  struct machine machine;
  struct inputs inputs;
  double *values;    /* (signals->count)  filled by the phase observe */
  uint64_t number;   /* of the cycle, from 1 */
  uint64_t start_ns; /* nominal start of the cycle */
  uint64_t wake_ns;  /* when it really began */
  uint64_t counted;  /* periods gone by since the warm-up, done or skipped */
  uint64_t misses, skipped, degraded;
  uint64_t wakeup_ns, prepare_ns, step_ns, cycle_ns, max_cycle_ns;
  bool restore; /* the model is due to go back to its initial state */
  bool stepped; /* the stepper ran in this cycle */
  bool moved;   /* the state of the model changed in this cycle: there is something to observe */
  bool missed;  /* the last cycle ended after the nominal start of the next */
  uint32_t last_command, last_command_id, last_result;
};

/* Set-up. Allocates everything and brings the model into its initial state (ali3_reset; what it found is in
 * ali3_report_get and ali3_initial_get of c->data). What config points to must live as long as the cycle.
 * Returns the status of ali3_reset, or ALI3_E_MEMORY; after a negative one only cycle_free() may follow. */
int cycle_setup(struct cycle *c, const struct cycle_config *config);
/* Set-up, last step: parallel work through exec (NULL: none), and the label that every frame carries. Keeps
 * the image of the initial state, to which the loop goes back on reset. */
void cycle_freeze(struct cycle *c, const ali3_exec *exec, bool realtime);
void cycle_free(struct cycle *c);

/* RT. Runs cycles by the clock until told to stop, or until config.periods have gone by. */
void cycle_run(struct cycle *c);

/* RT. The same in pieces, for a caller that has a clock of its own: begin once, then once per cycle, then
 * end. */
void cycle_begin(struct cycle *c, uint64_t first_start_ns);
void cycle_once(struct cycle *c);
bool cycle_over(const struct cycle *c); /* true: time to end */
void cycle_end(struct cycle *c);

/* Any thread, or a signal handler. The loop ends after the cycle it is in. */
static inline void cycle_stop(struct cycle *c)
{
  atomic_store_explicit(&c->stop, true, memory_order_release);
}

/* One reader thread. False when there is none. Events lost for lack of room: ring_dropped(&c->events). */
static inline bool cycle_next_event(struct cycle *c, struct cycle_event *e)
{
  return ring_pop(&c->events, e);
}

/* RT. The overrun policy "skip to the grid": the next start on the grid of `period_ns` through `start_ns`
 * that work ended at `end_ns` can still keep. *skipped: starts left out for it; above 0 exactly if the
 * deadline was missed. */
uint64_t cycle_next_start(uint64_t start_ns, uint64_t period_ns, uint64_t end_ns, uint64_t *skipped);

#endif
