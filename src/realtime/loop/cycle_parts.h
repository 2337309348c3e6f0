/* SPDX-License-Identifier: MIT
 * Inside the loop: functions that its files share. RT throughout. */
#ifndef LOOP_CYCLE_PARTS_H
#define LOOP_CYCLE_PARTS_H

#include "loop/cycle.h"

/* True if the model moves in this cycle. */
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

/* The time by which inputs age; without a clock it advances with the steps. */
static inline uint64_t cycle_input_time(const struct cycle *c)
{
  return c->config.settings.clock == CLOCKING_LOCKSTEP ? c->lockstep.virtual_ns : c->times.wake_ns;
}

/* True if every required input is fresh, and the rig permits the motion. */
static inline bool cycle_is_ready(const struct cycle *c)
{
  const struct rig_drive *d = &c->rig;
  return inputs_missing(&c->inputs, cycle_input_time(c)) < 0 &&
         rig_drive_lacks(d, &c->drive, c->machine.state, COMMAND_ARM).cause == RIG_FINE;
}

/* An event of this cycle that changes no state, by the loop itself, about no element and no input. */
static inline struct cycle_event cycle_event_of(const struct cycle *c, enum cycle_cause cause)
{
  return (struct cycle_event){.cycle = c->times.number,
                              .from = c->machine.state,
                              .to = c->machine.state,
                              .cause = cause,
                              .port = -1,
                              .body = -1,
                              .joint = -1,
                              .input = -1};
}

/* The platform's part of a cycle, after observe. */
void cycle_move_platform(struct cycle *c);
/* Ends a ride, if there is one, and leaves its figures for the log. */
void cycle_end_ride(struct cycle *c, bool parked);
/* Sets a platform parameter by a command. */
enum command_result cycle_set_platform(struct cycle *c, const struct command *command, int port);
/* The changes of a set, which lead to these parameters. */
void cycle_tune_platform(struct cycle *c, const struct plant_set *s, const struct platform_params *params);
/* Leaves an event: a jog begins, by a client, or has come to rest. */
void cycle_note_jog(struct cycle *c, enum cycle_cause cause, int port, uint32_t client);
/* For a platform that is not parked: trips to SAFE if the loop was stuck in this cycle or the last one, for ten periods
 * and 0.1 s at least. */
void cycle_mind_gap(struct cycle *c);
/* For any platform: trips to SAFE if the machine was suspended since the last cycle. All samples are older by that time. */
void cycle_mind_suspension(struct cycle *c);
/* If told to end with a platform to park: enters EXIT once, then waits while the platform moves. */
void cycle_leave(struct cycle *c);

/* cycle_note.c. cycle_note: the event of a change from state `from`. cycle_trip: a fault, and its event if the state
 * changes. */
void cycle_note(struct cycle *c, enum run_state from, enum cycle_cause cause, uint32_t code, int port,
                uint32_t client);
/* cycle_note.c: the changes that a COMMAND_PLATFORM asks for. Returns their number. */
int cycle_platform_changes(const struct command *command, struct platform_change change[3]);
void cycle_note_refusal(struct cycle *c, const struct command *command, enum command_result result, int port);
void cycle_trip(struct cycle *c, enum fault_code fault, int port, uint32_t client);

/* cycle_commands.c. Takes the commands counted in c->commands, port by port. stopped: an e-stop or a stuck loop
 * overtakes them. */
void cycle_take_commands(struct cycle *c, bool stopped);

/* cycle_publish.c. cycle_observe: the values. cycle_compose: the frame without its time of publication. cycle_publish:
 * sends the frame to all ports. */
void cycle_observe(struct cycle *c);
void cycle_compose(struct cycle *c);
void cycle_publish(struct cycle *c);
/* cycle_handover.c. cycle_hand_over: at the end of a cycle, before the next step is prepared. cycle_load_state: the model takes
 * the state that was handed over; the values of inputs begin anew from it. */
void cycle_hand_over(struct cycle *c);
enum command_result cycle_load_state(struct cycle *c);
/* cycle_record.c; both do nothing without a ring. cycle_record: copies the composed frame into the ring. cycle_keep_state: now
 * and then, the state of model and platform, from which a replay goes on; called between a step and the next preparation. */
void cycle_record(struct cycle *c);
void cycle_keep_state(struct cycle *c);

/* Sleeps until the start of the next cycle. */
void cycle_wait(struct cycle *c);
/* Ends the cycle: judges its deadline and sets the next start. */
void cycle_schedule(struct cycle *c);

/* Adds the known times to the histograms and shows the figures. The length of this cycle is not known yet:
 * cycle_schedule() adds it, and the live figures show it one cycle later. */
void cycle_account(struct cycle *c);
/* Counts the result of a step, outside the warm-up. */
void cycle_account_step(struct cycle *c, int status);
void cycle_write_live(struct cycle *c);
void cycle_clear(struct cycle *c);
void cycle_show_tuning(struct cycle *c);
/* The end of a cycle that missed its deadline. */
struct miss_end {
  uint64_t start_ns, end_ns, skipped;
  bool grace;
  struct usage own; /* usage of the loop's thread in this cycle */
  struct pool_cycle pool;
};
/* Makes the record of a miss from the figures of this cycle. */
void cycle_record_miss(struct cycle *c, const struct miss_end *end);

uint32_t cycle_flags(const struct cycle *c);

#endif
