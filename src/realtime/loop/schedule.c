/* SPDX-License-Identifier: MIT
 * The start of the next cycle. Pure; RT. Each kind of clocking has one function for all policies; an arrow has the name
 * of its function. Lockstep has no starts that it could miss.
 *
 *   timer
 *      .------------------------------------ schedule_timer: end <= next start ----------------------------------.
 *      v                                                                                                          |
 *   ON TIME --- schedule_timer: end > next start: missed ---> LATE --- skip, stop: starts up to end skipped ---->-+
 *      ^                                                       | |                                                |
 *      |                                                       | '--- slip: the grid moves to end ------------->--+
 *      |                                                       v
 *      '--- schedule_timer: end <= next start --- CATCHING UP (next start in the past: the cycle begins at once)
 *                                                   | ^
 *                                                   '-' still late; more than catch_up behind: the rest skipped
 *
 *   input
 *   WAITING --- schedule_beat ---> AT WORK --- schedule_input: no beat came meanwhile ---> WAITING
 *                                     | ^
 *                                     '-' schedule_input: beats came, and the next cycle begins at once; missed if more than
 *                                         one came, or if the cycle took longer than a period. skip and stop take the last
 *                                         beat and skip the others, catch_up takes the first of the last catch_up beats,
 *                                         slip takes the first one
 *
 *   both: machine_deadline counts misses in a row in RUNNING after the grace, and leads to SAFE at max_misses
 *
 * Invariants: 1. With skip, stop and catch_up all starts lie on one grid, except for the pull of beats. 2. Except with
 * slip, skipped starts and cycles add up to the periods that have passed (timer) or the beats that came (input). 3. timer:
 * a cycle misses exactly if the next start had come when it ended. A bench that answers at once may send its frame before
 * the next step is prepared: a beat that waits a little is no miss. */
#include "loop/schedule.h"

#include <math.h>

/* Converts seconds of the file to ns. */
static uint64_t ns_of_setting(double seconds)
{
  return (uint64_t)llround(seconds * 1e9);
}

void schedule_init(struct schedule *s, const struct cycle_settings *settings, uint64_t period_ns)
{
  *s = (struct schedule){.live = &settings->live,
                         .period_ns = period_ns,
                         .pull_ns = ns_of_setting(settings->pull),
                         .beat_offset_ns = ns_of_setting(settings->beat_offset),
                         .spin_ns = ns_of_setting(settings->spin)};
}

/* Starts between s->start_ns and the end of the cycle. 0: in time; a cycle that ends exactly at the next start is in
 * time. */
static uint64_t starts_passed(const struct schedule *s, uint64_t end_ns)
{
  return end_ns > s->start_ns + s->period_ns ? (end_ns - s->start_ns - 1) / s->period_ns : 0;
}

/* How many of the passed starts are skipped. */
static uint64_t left_out(const struct schedule *s, uint64_t passed)
{
  const uint64_t most = (uint64_t)s->live->catch_up;
  switch (s->live->overrun) {
  case OVERRUN_CATCH_UP:
    return passed > most ? passed - most : 0;
  case OVERRUN_SLIP:
    return 0;
  case OVERRUN_SKIP:
  case OVERRUN_STOP:
    break;
  }
  return passed;
}

struct schedule_end schedule_timer(struct schedule *s, uint64_t end_ns)
{
  const uint64_t passed = starts_passed(s, end_ns);
  const struct schedule_end end = {.due = passed > 0, .missed = passed > 0, .skipped = left_out(s, passed)};
  s->last_ns = s->start_ns;
  s->start_ns += (end.skipped + 1) * s->period_ns;
  if (s->live->overrun == OVERRUN_SLIP && end.missed) {
    s->slipped_ns += end_ns - s->start_ns;
    s->start_ns = end_ns;
  }
  return end;
}

/* Only the last beat has a time. The earlier ones are assumed a period apart, but after the beat that was taken last. */
uint64_t schedule_beat(struct schedule *s, uint64_t beats, uint64_t beat_ns)
{
  const uint64_t skipped = left_out(s, beats - s->beats - 1);
  s->beats += skipped + 1;
  const uint64_t before = (beats - s->beats) * s->period_ns;
  const uint64_t came_ns = beat_ns > before ? beat_ns - before : 0;
  s->start_ns = came_ns > s->last_ns ? came_ns : s->last_ns;
  s->last_ns = s->start_ns;
  s->beaten = true;
  return skipped;
}

struct schedule_end schedule_input(struct schedule *s, uint64_t end_ns, uint64_t beats, uint64_t beat_ns)
{
  const uint64_t waiting = beats - s->beats;
  const bool long_ago = end_ns > s->start_ns + s->period_ns;
  struct schedule_end end = {.due = waiting > 0, .missed = waiting > 1 || (waiting > 0 && long_ago)};
  s->last_ns = s->start_ns;
  if (end.due)
    end.skipped = schedule_beat(s, beats, beat_ns);
  else
    s->start_ns = end_ns;
  s->beaten = end.due;
  return end;
}

void schedule_pull(struct schedule *s, uint64_t beats, uint64_t beat_ns)
{
  s->beats = beats;
  const int64_t period = (int64_t)s->period_ns, most = (int64_t)s->pull_ns;
  int64_t error = (int64_t)(beat_ns + s->beat_offset_ns - s->start_ns) % period;
  if (error > period / 2) error -= period;
  if (error < -(period / 2)) error += period;
  s->beat_error_ns = error;
  int64_t pull = error / 4; /* settles in a few beats without oscillation and averages their jitter */
  if (pull > most) pull = most;
  if (pull < -most) pull = -most;
  s->start_ns += (uint64_t)pull;
  s->pulled_ns += pull;
}
