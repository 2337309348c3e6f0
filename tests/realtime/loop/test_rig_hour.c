/* SPDX-License-Identifier: MIT
 * One hour of a random ride with a simulated rig that is late, sticks, falls silent, freezes, loses its power, opens its chain
 * and its belt, and comes back: a thousand faults, every fourth one while a person jogs. The whole loop runs in virtual time. Every trip comes in time and names its
 * cause, no limit is exceeded, and nothing moves without its permissives. */
#include "check.h"
#include "common/random.h"

#include "base/arena.h"
#include "config/setup.h"
#include "cueing/params.h"
#include "loop/cycle_parts.h"
#include "rt/clock.h"

#include <stdlib.h>
#include <string.h>

enum {
  FAULTS_WANTED = 1000,
  CYCLES_MAX = 4000000,
  SEED = 20261123,
  STOP_CYCLES = 80, /* a platform at its limits of velocity and acceleration is at rest after this time */
  DELAY = 3,        /* cycles from a command to the report of the rig: rig.delay of the file */
  HOLD = 10,        /* cycles: hold of the inputs */
};

#define LEG_TRIP 0.02 /* m: rig.leg_trip of the file */

/* Bits of the status word, as in the file. */
enum { ENABLED = 1, CHAIN_CLOSED = 2, BELT_CLOSED = 8, KEY_RELEASED = 16 };

/* Faults of the rig, and the cause that each has in the log. */
enum trouble { SILENT, FROZEN, STUCK, SLOW, NO_POWER, CHAIN_OPEN, BELT_OPEN, LATE, LOSSY, PRESSED, TROUBLES };
static const char *const trouble_name[TROUBLES] = {"silent", "frozen", "stuck", "slow",  "no power",
                                                   "chain",  "belt",   "late",  "lossy", "e-stop"};

static uint64_t virtual_ns;
uint64_t __wrap_clock_now_ns(void);
uint64_t __wrap_clock_now_ns(void)
{
  return virtual_ns;
}
uint64_t __wrap_clock_boot_ns(void);
uint64_t __wrap_clock_boot_ns(void)
{
  return virtual_ns;
}

struct hour {
  struct settings *settings;
  struct telemetry *telemetry;
  struct port port[2], *ports[2];
  struct cycle cycle;
  struct random random;
  struct input_sample sample[2][64];
  int lead, legs, status; /* first channels */
  uint32_t id, number;

  /* The rig. */
  double leg[PLATFORM_LEGS], past[DELAY + 1][PLATFORM_LEGS];
  int trouble; /* -1: none */
  int sticks;  /* leg */
  int jogs;    /* part that a person jogs, from 1; 0: none */
  uint32_t jog_number;

  /* Judged. */
  struct platform_output before;
  double excess;     /* largest beyond a limit */
  uint64_t open_for; /* cycles since the chain opened */
  int jogged;
  uint64_t moved; /* cycles of motion with an open chain, after the time of a stop */
  uint64_t count[TROUBLES], tripped[TROUBLES], slowest[TROUBLES], wrong;
  struct cycle_event trip; /* the first one since the fault began */
  bool has_trip;
  uint64_t beyond_for; /* cycles of a ride since a published error passed its level */
};

static void begin_hour(struct hour *h)
{
  memset(h, 0, sizeof *h);
  h->random.state = SEED;
  h->trouble = -1;
  virtual_ns = NS_PER_S;
  h->settings = setup_load(TEST_DATA "/realtime/loop/rig_hour.yaml", NULL, stderr);
  assert_non_null(h->settings);
  struct settings *s = h->settings;
  h->telemetry = aligned_zalloc(sizeof *h->telemetry);
  h->lead = s->signals->input[0].first;
  h->legs = s->signals->input[1].first;
  h->status = s->signals->input[2].first;
  for (int p = 0; p < 2; p++) {
    h->ports[p] = &h->port[p];
    assert_true(
        port_init(h->ports[p], "test", (uint32_t)s->signals->count, (uint32_t)s->signals->channels, false));
    h->port[p].source = p ? SOURCE_PACKETS : SOURCE_OSC;
  }
  const struct cycle_config config = {.model = s->model,
                                      .signals = s->signals,
                                      .port = h->ports,
                                      .ports = 2,
                                      .telemetry = h->telemetry,
                                      .period_ns = NS_PER_S / 100,
                                      .settings = s->cycle,
                                      .platform = &s->platform,
                                      .rig = &s->rig};
  assert_true(cycle_setup(&h->cycle, &config) >= 0);
  cycle_freeze(&h->cycle, NULL, true);
  cycle_begin(&h->cycle, virtual_ns + NS_PER_S / 100);
  memcpy(h->leg, h->cycle.rig.rig.park.leg, sizeof h->leg);
  for (int i = 0; i <= DELAY; i++) memcpy(h->past[i], h->leg, sizeof h->leg);
}

static enum run_state state_now(const struct hour *h)
{
  return h->cycle.machine.state;
}

/* --- the rig --- */

static bool moves_itself(const struct hour *h)
{
  return h->trouble != NO_POWER && h->trouble != CHAIN_OPEN;
}

static double status_word(const struct hour *h)
{
  return (h->trouble == NO_POWER || h->trouble == CHAIN_OPEN ? 0 : ENABLED) |
         (h->trouble == CHAIN_OPEN ? 0 : CHAIN_CLOSED) | (h->trouble == BELT_OPEN ? 0 : BELT_CLOSED) |
         KEY_RELEASED;
}

static void set_sample(struct hour *h, int port, int channel, double value)
{
  h->sample[port][channel] = (struct input_sample){
      .value = value, .t_ns = virtual_ns, .sequence = h->number, .counted = port ? 16 : 0};
}

static void send_samples(struct hour *h, int port)
{
  memcpy(snapshot_begin(&h->port[port].inputs), h->sample[port],
         (size_t)h->settings->signals->channels * sizeof h->sample[port][0]);
  snapshot_publish(&h->port[port].inputs);
}

/* A cycle of the rig: it follows the last command, and reports the place of DELAY cycles ago. */
static void live_rig(struct hour *h)
{
  const struct platform_drive *d = &h->cycle.drive;
  const bool known = !platform_drive_withheld(d);
  memmove(h->past + 1, h->past, sizeof h->past - sizeof h->past[0]);
  for (int i = 0; i < PLATFORM_LEGS && known && moves_itself(h); i++) {
    const double way = platform_drive_output(d)->legs[i] - h->leg[i];
    const double most = h->trouble == SLOW && i == h->sticks ? 2e-4 : 0.01;
    if (h->trouble == STUCK && i == h->sticks) continue;
    h->leg[i] += fmax(-most, fmin(most, way));
  }
  memcpy(h->past[0], h->leg, sizeof h->leg);
  /* The report: perhaps none, a repeated one, or one that is later than agreed. */
  const bool lost = h->trouble == LOSSY && random_below(&h->random, 10) < 3;
  if (h->trouble == SILENT || lost) return;
  if (h->trouble != FROZEN) {
    h->number++;
    for (int i = 0; i < PLATFORM_LEGS; i++)
      set_sample(h, 1, h->legs + i, h->past[h->trouble == LATE ? DELAY : DELAY - 1][i]);
    set_sample(h, 1, h->status, status_word(h));
  } else {
    for (int c = 0; c < h->settings->signals->channels; c++)
      if (h->sample[1][c].t_ns) h->sample[1][c].t_ns = virtual_ns;
  }
  send_samples(h, 1);
}

/* --- judges --- */

static void exceed(struct hour *h, double value, double limit)
{
  h->excess = fmax(h->excess, fabs(value) - limit);
}

static void judge_motion(struct hour *h)
{
  const struct platform_output *o = platform_drive_output(&h->cycle.drive);
  struct platform_limits l;
  params_limits(&h->settings->platform.spec.params, &l);
  if (platform_drive_withheld(&h->cycle.drive)) return;
  const bool before = isfinite(h->before.pose[0]) && h->before.legs[0] != 0.0;
  bool still = true;
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const double room = fmax(l.pos[k], fabs(h->cycle.drive.platform.spec.park[k]) * 1.001);
    exceed(h, o->pose[k], room);
    exceed(h, o->velocity[k], l.vel[k]);
    exceed(h, o->acceleration[k], l.acc[k]);
    if (before) exceed(h, (o->acceleration[k] - h->before.acceleration[k]) * 100.0, l.jerk[k]);
    still &= o->velocity[k] == 0.0;
  }
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    exceed(h, o->legs[i] - 0.85, 0.15);
    exceed(h, o->leg_rates[i], 0.5);
  }
  h->before = *o;
  h->open_for = h->trouble == CHAIN_OPEN ? h->open_for + 1 : 0;
  h->moved += h->open_for > STOP_CYCLES && !still;
}

/* The first trip since the fault began. */
static void take_events(struct hour *h)
{
  struct cycle_event e;
  struct answer a;
  struct ride ride;
  while (outbox_next_event(&h->cycle.outbox, &e)) {
    if (e.cause != CAUSE_FAULT || h->has_trip) continue;
    h->trip = e;
    h->has_trip = true;
  }
  while (ring_pop(&h->cycle.outbox.rides, &ride)) continue;
  for (int p = 0; p < 2; p++)
    while (ring_pop(&h->port[p].answers, &a)) continue;
}

/* Counts the cycles for which a published error is beyond its level. */
static void judge_error(struct hour *h)
{
  bool beyond = false;
  for (int i = 0; i < PLATFORM_LEGS; i++) beyond |= fabs(h->cycle.rig.rig.out.leg_error[i]) > LEG_TRIP;
  const bool moves = state_now(h) == STATE_RUNNING || platform_drive_jogs(&h->cycle.drive);
  h->beyond_for = beyond && moves ? h->beyond_for + 1 : 0;
}

static void tell_jog(struct hour *h, double speed)
{
  const struct command c = {.code = COMMAND_JOG,
                            .argument = (uint32_t)h->jogs - 1 + COMMAND_HAND,
                            .client = 1,
                            .t_ns = virtual_ns,
                            .value = speed,
                            .number = ++h->jog_number};
  port_command(&h->port[0], &c);
}

/* A person holds a button and changes the speed now and then. */
static void press_button(struct hour *h)
{
  const double speed = random_between(&h->random, -1.0, 1.0);
  if (h->jogs > 0 && random_below(&h->random, 10) == 0) tell_jog(h, speed);
}

static void live(struct hour *h, int cycles)
{
  for (int i = 0; i < cycles; i++) {
    virtual_ns = h->cycle.schedule.start_ns;
    press_button(h);
    live_rig(h);
    cycle_once(&h->cycle);
    judge_motion(h);
    judge_error(h);
    take_events(h);
    if (random_below(&h->random, 120) != 0) continue;
    for (int k = 0; k < PLATFORM_DOF; k++)
      set_sample(h, 0, h->lead + k, random_between(&h->random, -1.0, 1.0) * (k < 3 ? 0.1 : 0.15));
    send_samples(h, 0);
  }
}

static void order(struct hour *h, uint32_t code)
{
  assert_true(port_command(&h->port[0], &(struct command){code, 0, ++h->id, 1, virtual_ns, 0, 0, 0, {0}}));
}

/* --- faults --- */

static bool is_named_right(const struct hour *h)
{
  const struct rig_verdict *v = &h->trip.rig;
  const uint32_t code = h->trip.code;
  switch (h->trouble) {
  case SILENT:
  case FROZEN: /* all reports are missing; a permissive with the reaction hold is the first of them */
    return (code == FAULT_PERMISSIVE && v->cause == RIG_UNMET && v->item == 1) ||
           (code == FAULT_FOLLOW && v->cause == RIG_BLIND);
  case STUCK:
  case SLOW:
    return code == FAULT_FOLLOW && v->cause == RIG_ERRING && v->item == h->sticks;
  case NO_POWER:
    return code == FAULT_PERMISSIVE && v->cause == RIG_UNMET && v->item == 0;
  case CHAIN_OPEN:
    return code == FAULT_PERMISSIVE && v->cause == RIG_UNMET && v->item == 1;
  case BELT_OPEN:
    return code == FAULT_PERMISSIVE && v->cause == RIG_UNMET && v->item == 2;
  case PRESSED:
    return code == FAULT_ESTOP;
  default:
    return false; /* no trip */
  }
}

/* Cycles within which the fault trips; 0: it may trip when the rig leaves its levels; -1: it must not. */
static int trips_within(int trouble)
{
  switch (trouble) {
  case SILENT:
  case FROZEN:
    return HOLD + 2;
  case NO_POWER:
  case CHAIN_OPEN:
  case BELT_OPEN:
  case PRESSED:
    return 2;
  case LATE:
  case LOSSY:
    return -1;
  default:
    return 0;
  }
}

/* From the ride to a jog, at neutral or in the park pose. */
static void begin_jog(struct hour *h)
{
  const bool neutral = random_below(&h->random, 2);
  order(h, COMMAND_PARK);
  live(h, 2);
  if (neutral) order(h, COMMAND_ARM);
  const uint32_t there = neutral ? PLATFORM_NEUTRAL : PLATFORM_PARKED;
  for (int i = 0; i < 100 && platform_drive_state(&h->cycle.drive) != there; i++) live(h, 10);
  h->jogs = 1 + random_below(&h->random, JOG_PARTS);
  tell_jog(h, 0.0);
  for (int i = 0; i < 100 && platform_drive_state(&h->cycle.drive) != PLATFORM_JOG; i++) live(h, 5);
  assert_int_equal(platform_drive_state(&h->cycle.drive), PLATFORM_JOG);
  assert_int_equal(state_now(h), STATE_STOPPED);
  live(h, random_below(&h->random, 300));
  h->jogged++;
}

static void have_trouble(struct hour *h)
{
  const uint64_t begun = h->cycle.times.number;
  h->trouble = random_below(&h->random, TROUBLES);
  h->sticks = random_below(&h->random, PLATFORM_LEGS);
  h->has_trip = false;
  h->count[h->trouble]++;
  if (h->trouble == PRESSED) atomic_store(&h->port[0].estop, PORT_ESTOP | 1);
  live(h, 20 + random_below(&h->random, 150));
  const int within = trips_within(h->trouble);
  if (h->has_trip) {
    const uint64_t took = h->trip.cycle - begun;
    h->tripped[h->trouble]++;
    h->slowest[h->trouble] = took > h->slowest[h->trouble] ? took : h->slowest[h->trouble];
    if (!is_named_right(h)) {
      h->wrong++;
      print_message("%s: named %s, cause %d item %d\n", trouble_name[h->trouble], fault_text(h->trip.code),
                    (int)h->trip.rig.cause, h->trip.rig.item);
    }
  }
  if (within > 0) assert_true(h->has_trip && h->trip.cycle - begun <= (uint64_t)within);
  if (within < 0) assert_false(h->has_trip);
  /* An error beyond its level lasts no second cycle outside SAFE. */
  if (within == 0) assert_true(h->has_trip || h->beyond_for == 0);
}

/* The fault ends, and a person brings the rig back. */
static void come_back(struct hour *h)
{
  if (h->trouble == CHAIN_OPEN) { /* a reset is refused */
    order(h, COMMAND_RESET);
    live(h, 2);
    assert_int_equal(state_now(h), STATE_SAFE);
  }
  /* A stop has ended the jog, although the button is still pressed. */
  assert_true(h->jogs == 0 || (state_now(h) == STATE_SAFE) != platform_drive_jogs(&h->cycle.drive));
  h->trouble = -1;
  h->jogs = 0;
  live(h, 60);
  if (state_now(h) == STATE_RUNNING) return;
  assert_true(state_now(h) == STATE_SAFE || platform_drive_jogs(&h->cycle.drive));
  for (int i = 0; i < 40 && state_now(h) == STATE_SAFE; i++) { /* until it is parked or at rest */
    order(h, COMMAND_RESET);
    live(h, 20);
  }
  assert_int_equal(state_now(h), STATE_STOPPED);
  live(h, 60);
  order(h, COMMAND_ARM);
  order(h, COMMAND_RUN);
  live(h, 2);
  assert_int_equal(state_now(h), STATE_RUNNING);
  for (int i = 0; i < 100 && platform_drive_state(&h->cycle.drive) != PLATFORM_RUN; i++) live(h, 10);
}

TEST(a_thousand_faults_of_a_rig)
{
  struct hour *h = calloc(1, sizeof *h);
  begin_hour(h);
  live(h, 20);
  order(h, COMMAND_ARM);
  live(h, 2);
  order(h, COMMAND_RUN);
  live(h, 400);
  assert_int_equal(state_now(h), STATE_RUNNING);
  int n = 0;
  for (; n < FAULTS_WANTED && h->cycle.times.number < CYCLES_MAX; n++) {
    live(h, 1 + random_below(&h->random, 200));
    if (n % 4 == 3) begin_jog(h);
    have_trouble(h);
    come_back(h);
  }
  print_message("%d faults in %.0f s of virtual time; excess %.1e, motion with an open chain %d cycles, "
                "wrong causes %d, jogs %d\n",
                n, (double)h->cycle.times.number / 100.0, h->excess, (int)h->moved, (int)h->wrong, h->jogged);
  for (int i = 0; i < TROUBLES; i++)
    print_message("%-9s %4d, tripped %4d, slowest after %3d cycles\n", trouble_name[i], (int)h->count[i],
                  (int)h->tripped[i], (int)h->slowest[i]);
  assert_int_equal(n, FAULTS_WANTED);
  assert_true(h->excess <= 1e-9);
  assert_int_equal(h->moved, 0);
  assert_int_equal(h->wrong, 0);
  for (int i = 0; i < TROUBLES; i++) assert_true(h->count[i] > 50);
  cycle_free(&h->cycle);
  for (int p = 0; p < 2; p++) port_free(&h->port[p]);
  settings_free(h->settings);
  free(h->telemetry);
  free(h);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(a_thousand_faults_of_a_rig)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
