/* SPDX-License-Identifier: MIT
 * Inside the loop: what its files need of each other. RT throughout. */
#ifndef LOOP_CYCLE_PARTS_H
#define LOOP_CYCLE_PARTS_H

#include "loop/cycle.h"

/* The model is to move in this cycle. */
static inline bool cycle_steps(const struct cycle *c)
{
  switch (c->config.settings.clock) {
  case CLOCKING_INPUT:
    return machine_steps(&c->machine) && c->schedule.beaten;
  case CLOCKING_LOCKSTEP:
    return machine_steps(&c->machine) && c->lockstep.owed > 0;
  case CLOCKING_TIMER:
    break;
  }
  return machine_steps(&c->machine);
}

/* The time by which inputs age: without a clock it advances with the steps. */
static inline uint64_t cycle_input_time(const struct cycle *c)
{
  return c->config.settings.clock == CLOCKING_LOCKSTEP ? c->lockstep.virtual_ns : c->times.wake_ns;
}

/* Every input that is required is fresh. */
static inline bool cycle_is_ready(const struct cycle *c)
{
  return inputs_missing(&c->inputs, cycle_input_time(c)) < 0;
}

/* The platform's part of a cycle, after observe. */
void cycle_move_platform(struct cycle *c);
/* One of its parameters is set by a command. */
enum command_result cycle_set_platform(struct cycle *c, const struct command *command, int port);
/* With a platform that is not parked: to SAFE after a loop that stood still for ten periods, 0.1 s at least, in this cycle or
 * the last one. */
void cycle_mind_gap(struct cycle *c);
/* cycle_leave.c. Told to end, with a platform to be parked before: to the state EXIT, once; then waits for the platform while it
 * moves. */
void cycle_leave(struct cycle *c);

/* cycle_events.c. note: the event of a change from state `from`. trip: a fault, and its event if it changes anything. */
void cycle_note(struct cycle *c, enum run_state from, enum cycle_cause cause, uint32_t code, int port,
                uint32_t client);
void cycle_note_refusal(struct cycle *c, const struct command *command, enum command_result result, int port);
void cycle_trip(struct cycle *c, enum fault_code fault, int port, uint32_t client);

/* cycle_commands.c. The commands that c->commands counts, port by port. stopped: an e-stop, or a loop that was stuck, overtakes
 * them. */
void cycle_take_commands(struct cycle *c, bool stopped);

/* cycle_publish.c. observe: the values. compose: the frame; the time of publication is missing. publish: it goes to all ports. */
void cycle_observe(struct cycle *c);
void cycle_compose(struct cycle *c);
void cycle_publish(struct cycle *c);

/* Sleeps until the next cycle is to start. */
void cycle_wait(struct cycle *c);
/* The cycle is over: was it in time, and when does the next one start? */
void cycle_schedule(struct cycle *c);

/* Books what is known by now, and shows it. The length of this cycle is not: cycle_schedule() adds it, and live shows it a
 * cycle later. */
void cycle_account(struct cycle *c);
/* Books what a step said, outside of the warm-up. */
void cycle_account_step(struct cycle *c, int status);
void cycle_write_live(struct cycle *c);
void cycle_clear(struct cycle *c);
void cycle_show_tuning(struct cycle *c);
/* The end of a cycle that missed its deadline. */
struct miss_end {
  uint64_t start_ns, end_ns, skipped;
  bool grace;
  struct usage own; /* of the loop's thread, in this cycle */
  struct pool_cycle pool;
};
/* The record of a miss, from what this cycle left behind. */
void cycle_record_miss(struct cycle *c, const struct miss_end *end);

uint32_t cycle_flags(const struct cycle *c);

#endif
