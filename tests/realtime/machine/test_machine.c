/* SPDX-License-Identifier: MIT
 * The complete table of the state machine in a readable form, and the rules about faults. */
#include "check.h"
#include "machine/machine.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { STATES = STATE_EXIT + 1, COMMANDS = COMMAND_LOAD };
#define SECOND UINT64_C(1000000000)
#define LATER  (100 * SECOND)

/* One row per state, one column per command: the new state, with '*' if the model returns to its initial state, or "-"
 * if the command is refused. PAUSED+: the model takes the state that was handed over. */
/* clang-format off */
static const char *const EXPECTED[STATES][COMMANDS] = {
  /*                   init        arm       run         pause     stop       reset       park       estop   step clear      inject     platform   save, load */
  [STATE_INIT]    = { "-",        "-",      "-",        "-",      "-",       "-",        "-",       "SAFE", "-", "INIT", "INIT", "INIT", NULL, "INIT", "-" },
  [STATE_STOPPED] = { "STOPPED*", "READY*", "RUNNING*", "-",      "-",       "STOPPED*", "STOPPED", "SAFE", "-", "STOPPED", "STOPPED", "STOPPED", NULL, "STOPPED", "PAUSED+" },
  [STATE_READY]   = { "-",        "-",      "RUNNING",  "-",      "STOPPED", "-",        "STOPPED", "SAFE", "-", "READY", "READY", "READY", NULL, "READY", "-" },
  [STATE_RUNNING] = { "-",        "-",      "-",        "PAUSED", "STOPPED", "RUNNING*", "STOPPED", "SAFE", "-", "RUNNING", "RUNNING", "RUNNING", NULL, "RUNNING", "-" },
  [STATE_PAUSED]  = { "-",        "-",      "RUNNING",  "-",      "STOPPED", "PAUSED*",  "STOPPED", "SAFE", "-", "PAUSED", "PAUSED", "PAUSED", NULL, "PAUSED", "PAUSED+" },
  [STATE_FAULT]   = { "-",        "-",      "-",        "-",      "-",       "STOPPED*", "-",       "SAFE", "-", "FAULT", "FAULT", "FAULT", NULL, "FAULT", "-" },
  [STATE_SAFE]    = { "-",        "-",      "-",        "-",      "-",       "STOPPED*", "-",       "SAFE", "-", "SAFE", "SAFE", "SAFE", NULL, "SAFE", "-" },
  [STATE_EXIT]    = { "-",        "-",      "-",        "-",      "-",       "-",        "-",       "EXIT", "-", "-", "-", "-", NULL, "EXIT", "-" },
};
/* clang-format on */

static struct machine in_state(enum run_state state)
{
  struct machine m;
  machine_init(&m, false);
  m.state = state;
  if (state == STATE_FAULT) m.fault = FAULT_DIVERGED;
  if (state == STATE_SAFE) m.fault = FAULT_MISSES;
  m.stop_shown = state == STATE_FAULT || state == STATE_SAFE;
  return m;
}

/* A frame shows the machine. */
static void show(struct machine *m, uint64_t t_ns)
{
  machine_shown(m, m->state, m->fault, t_ns);
}

static void every_command_in_every_state(void **unused)
{
  (void)unused;
  for (int s = 0; s < STATES; s++) {
    for (int code = 1; code <= COMMANDS; code++) {
      if (!EXPECTED[s][code - 1]) continue; /* no command has this code */
      struct machine m = in_state((enum run_state)s);
      enum machine_action action;
      const enum command_result result = machine_command(&m, (uint32_t)code, true, LATER, &action);
      char found[32] = "-";
      if (result == RESULT_OK) {
        snprintf(found, sizeof found, "%s%s", run_state_name(m.state),
                 action == ACTION_RESTORE ? "*"
                 : action == ACTION_LOAD  ? "+"
                                          : "");
      } else {
        assert_int_equal(result, RESULT_WRONG_STATE);
        assert_int_equal(m.state, s);
        assert_int_equal(action, ACTION_NONE);
      }
      if (strcmp(found, EXPECTED[s][code - 1]) != 0)
        fail_msg("%s in %s: expected %s, found %s", command_name((unsigned)code), run_state_name((unsigned)s),
                 EXPECTED[s][code - 1], found);
      const bool latched = m.state == STATE_FAULT || m.state == STATE_SAFE;
      assert_int_equal(m.fault != FAULT_NONE, latched);
    }
  }
}

static void steps_are_asked_for_in_lockstep_only(void **unused)
{
  (void)unused;
  for (int s = 0; s < STATES; s++) {
    struct machine m = in_state((enum run_state)s), before = m;
    enum machine_action action;
    m.lockstep = before.lockstep = true;
    assert_int_equal(machine_command(&m, COMMAND_STEP, true, LATER, &action),
                     s == STATE_RUNNING ? RESULT_OK : RESULT_WRONG_STATE);
    assert_memory_equal(&m, &before, sizeof m);
    assert_int_equal(action, ACTION_NONE);
  }
}

static void order(struct machine *m, uint32_t code, bool ready, enum command_result result,
                  enum run_state state, enum machine_action expected)
{
  enum machine_action action;
  assert_int_equal(machine_command(m, code, ready, LATER, &action), result);
  assert_int_equal(m->state, state);
  assert_int_equal(action, expected);
}

/* The motion begins with the state that was loaded, and with the initial state the next time. */
static void a_loaded_state_is_used_once(void **unused)
{
  (void)unused;
  struct machine m = in_state(STATE_STOPPED);
  order(&m, COMMAND_LOAD, true, RESULT_OK, STATE_PAUSED, ACTION_LOAD);
  order(&m, COMMAND_RUN, false, RESULT_NOT_READY, STATE_PAUSED,
        ACTION_NONE); /* a required input has to come */
  order(&m, COMMAND_RUN, true, RESULT_OK, STATE_RUNNING, ACTION_NONE);
  order(&m, COMMAND_PAUSE, true, RESULT_OK, STATE_PAUSED, ACTION_NONE);
  order(&m, COMMAND_RUN, false, RESULT_OK, STATE_RUNNING, ACTION_NONE);
  order(&m, COMMAND_STOP, true, RESULT_OK, STATE_STOPPED, ACTION_NONE);
  order(&m, COMMAND_RUN, true, RESULT_OK, STATE_RUNNING, ACTION_RESTORE);
  /* By way of STOPPED and READY. */
  order(&m, COMMAND_PAUSE, true, RESULT_OK, STATE_PAUSED, ACTION_NONE);
  order(&m, COMMAND_LOAD, true, RESULT_OK, STATE_PAUSED, ACTION_LOAD);
  order(&m, COMMAND_STOP, true, RESULT_OK, STATE_STOPPED, ACTION_NONE);
  order(&m, COMMAND_ARM, true, RESULT_OK, STATE_READY, ACTION_NONE);
  order(&m, COMMAND_RUN, true, RESULT_OK, STATE_RUNNING, ACTION_NONE);
  /* A reset forgets it. */
  order(&m, COMMAND_PAUSE, true, RESULT_OK, STATE_PAUSED, ACTION_NONE);
  order(&m, COMMAND_LOAD, true, RESULT_OK, STATE_PAUSED, ACTION_LOAD);
  order(&m, COMMAND_RESET, true, RESULT_OK, STATE_PAUSED, ACTION_RESTORE);
  order(&m, COMMAND_STOP, true, RESULT_OK, STATE_STOPPED, ACTION_NONE);
  order(&m, COMMAND_ARM, true, RESULT_OK, STATE_READY, ACTION_RESTORE);
}

/* After a stop, or a run that ended without an order, a load does not lead around the arm. */
static void a_load_does_not_arm(void **unused)
{
  (void)unused;
  struct machine m = in_state(STATE_STOPPED);
  m.disarmed = true;
  order(&m, COMMAND_LOAD, true, RESULT_OK, STATE_STOPPED, ACTION_LOAD);
  order(&m, COMMAND_RUN, true, RESULT_WRONG_STATE, STATE_STOPPED, ACTION_NONE);
  machine_trip(&m, FAULT_ESTOP);
  assert_false(m.loaded);
  /* A start that resumes waits in STOPPED, unless a stop is latched. */
  machine_init(&m, false);
  machine_warm(&m, true);
  assert_true(machine_resume(&m));
  assert_int_equal(m.state, STATE_STOPPED);
  order(&m, COMMAND_RUN, true, RESULT_OK, STATE_RUNNING, ACTION_NONE);
  machine_init(&m, false);
  machine_keep(&m, FAULT_ESTOP, true);
  machine_warm(&m, true);
  assert_false(machine_resume(&m));
  assert_int_equal(m.state, STATE_SAFE);
}

/* A jog keeps the platform in STOPPED, and needs an arm after a stop. */
static void a_jog_leads_to_stopped(void **unused)
{
  (void)unused;
  for (int s = 0; s < STATES; s++)
    for (int disarmed = 0; disarmed < 2; disarmed++) {
      struct machine m = in_state((enum run_state)s);
      enum machine_action action;
      m.disarmed = disarmed;
      const bool taken = !disarmed && (s == STATE_STOPPED || s == STATE_READY);
      assert_int_equal(machine_command(&m, COMMAND_JOG, false, LATER, &action),
                       taken ? RESULT_OK : RESULT_WRONG_STATE);
      assert_int_equal(m.state, taken ? STATE_STOPPED : s);
      assert_int_equal(action, ACTION_NONE);
    }
}

static void an_unknown_command_is_a_bad_argument(void **unused)
{
  (void)unused;
  const uint32_t codes[] = {0, COMMAND_JOG + 1, 1000, UINT32_MAX};
  for (int s = 0; s < STATES; s++) {
    for (size_t k = 0; k < sizeof codes / sizeof *codes; k++) {
      struct machine m = in_state((enum run_state)s);
      enum machine_action action = ACTION_RESTORE;
      assert_int_equal(machine_command(&m, codes[k], true, LATER, &action), RESULT_BAD_ARGUMENT);
      assert_int_equal(action, ACTION_NONE);
      assert_int_equal(m.state, s);
    }
  }
}

/* No single command leads from FAULT or SAFE to motion, nor does a client that repeats one. */
static void after_a_fault_it_takes_reset_arm_and_run(void **unused)
{
  (void)unused;
  static const uint32_t way[] = {COMMAND_RUN, COMMAND_RESET, COMMAND_RUN, COMMAND_INIT, COMMAND_RESET,
                                 COMMAND_RUN, COMMAND_ARM,   COMMAND_RUN, COMMAND_STOP, COMMAND_RUN};
  static const enum command_result expected[] = {
      RESULT_WRONG_STATE, RESULT_OK, RESULT_WRONG_STATE, RESULT_OK, RESULT_OK,
      RESULT_WRONG_STATE, RESULT_OK, RESULT_OK,          RESULT_OK, RESULT_OK};
  static const enum fault_code faults[] = {FAULT_ESTOP, FAULT_DIVERGED, FAULT_STALE};
  for (size_t f = 0; f < sizeof faults / sizeof *faults; f++) {
    struct machine m = in_state(STATE_RUNNING);
    machine_trip(&m, faults[f]);
    show(&m, LATER);
    for (size_t k = 0; k < sizeof way / sizeof *way; k++) {
      enum machine_action action;
      assert_int_equal(machine_command(&m, way[k], true, LATER + k * SECOND, &action), expected[k]);
      show(&m, LATER + k * SECOND);
      assert_int_equal(m.state == STATE_RUNNING, k == 7 || k == 9);
    }
  }
}

static void commands_that_start_the_motion_wait_for_inputs(void **unused)
{
  (void)unused;
  for (int s = 0; s < STATES; s++) {
    for (int code = 1; code <= COMMANDS; code++) {
      struct machine m = in_state((enum run_state)s), n = m;
      enum machine_action action, other;
      const enum command_result ready = machine_command(&n, (uint32_t)code, true, LATER, &action);
      const bool waits = (s == STATE_STOPPED && (code == COMMAND_ARM || code == COMMAND_RUN)) ||
                         (s == STATE_READY && code == COMMAND_RUN);
      assert_int_equal(machine_command(&m, (uint32_t)code, false, LATER, &other),
                       waits ? RESULT_NOT_READY : ready);
      assert_int_equal(m.state, waits ? (enum run_state)s : n.state);
      assert_int_equal(other, waits ? ACTION_NONE : action);
    }
  }
  struct machine m = in_state(STATE_STOPPED);
  enum machine_action action;
  m.disarmed = true; /* a permanent problem is reported first */
  assert_int_equal(machine_command(&m, COMMAND_RUN, false, LATER, &action), RESULT_WRONG_STATE);
  assert_int_equal(machine_command(&m, COMMAND_ARM, false, LATER, &action), RESULT_TOO_SOON);
  show(&m, LATER);
  assert_int_equal(machine_command(&m, COMMAND_ARM, false, LATER + REARM_NS, &action), RESULT_NOT_READY);
  assert_true(m.disarmed);
}

/* STOPPED after a reset, which a frame has shown at LATER. */
static struct machine reset_and_shown(void)
{
  struct machine m = in_state(STATE_RUNNING);
  enum machine_action action;
  machine_trip(&m, FAULT_ESTOP);
  show(&m, LATER - 2 * SECOND); /* SAFE: starts no delay */
  assert_int_equal(machine_command(&m, COMMAND_RESET, true, LATER - SECOND, &action), RESULT_OK);
  show(&m, LATER);
  show(&m, LATER + SECOND / 4); /* only the first frame counts */
  return m;
}

static uint32_t ask(struct machine *m, uint32_t code, uint64_t t_ns)
{
  enum machine_action action;
  return machine_command(m, code, true, t_ns, &action);
}

static void an_arm_after_a_stop_waits_for_half_a_second(void **unused)
{
  (void)unused;
  struct machine m = reset_and_shown();
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + REARM_NS), RESULT_OK);
  assert_int_equal(ask(&m, COMMAND_RUN, LATER + REARM_NS), RESULT_OK);
  m = reset_and_shown();
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + REARM_NS - 1), RESULT_TOO_SOON);
  assert_int_equal(m.state, STATE_STOPPED);
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + REARM_NS),
                   RESULT_TOO_SOON); /* refused: the delay starts again */
  /* refused, and the delay starts again */
  assert_int_equal(ask(&m, COMMAND_RUN, LATER + 2 * REARM_NS), RESULT_WRONG_STATE);
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + 3 * REARM_NS - 1), RESULT_TOO_SOON);
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + 4 * REARM_NS), RESULT_OK);
  assert_int_equal(ask(&m, COMMAND_STOP, LATER + 4 * REARM_NS), RESULT_OK); /* one arm is enough */
  assert_int_equal(ask(&m, COMMAND_RUN, LATER + 4 * REARM_NS), RESULT_OK);
}

/* It was received before anybody could have seen STOPPED, and delayed in a network or a queue. */
static void an_arm_from_before_the_frame_is_too_soon_however_late_it_is_judged(void **unused)
{
  (void)unused;
  struct machine m = reset_and_shown();
  assert_int_equal(ask(&m, COMMAND_ARM, LATER - SECOND), RESULT_TOO_SOON);
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + REARM_NS),
                   RESULT_OK); /* an old one does not affect a later one */
}

static void every_reset_restarts_the_half_second(void **unused)
{
  (void)unused;
  struct machine m = reset_and_shown();
  assert_int_equal(ask(&m, COMMAND_RESET, LATER + SECOND), RESULT_OK);
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + 2 * SECOND), RESULT_TOO_SOON); /* nothing was shown since */
  show(&m, LATER + 3 * SECOND);
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + 3 * SECOND + REARM_NS - 1), RESULT_TOO_SOON);
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + 4 * SECOND), RESULT_OK);
}

/* Whatever stopped: it was sent for another stop, or by nobody who could know of this one. */
static void a_reset_from_before_the_frame_lifts_no_stop(void **unused)
{
  (void)unused;
  for (enum fault_code fault = FAULT_NONE + 1; fault <= FAULT_FELT; fault++) {
    struct machine m = in_state(STATE_RUNNING);
    machine_trip(&m, fault);
    const struct machine stopped = m;
    assert_int_equal(ask(&m, COMMAND_RESET, LATER + SECOND), RESULT_TOO_SOON); /* no frame has shown it */
    assert_int_equal(m.state, stopped.state);
    machine_shown(&m, STATE_RUNNING, FAULT_NONE, LATER); /* a frame from before */
    assert_int_equal(ask(&m, COMMAND_RESET, LATER + SECOND), RESULT_TOO_SOON);
    show(&m, LATER);
    assert_int_equal(ask(&m, COMMAND_RESET, LATER - 1),
                     RESULT_TOO_SOON); /* it waited in a network or a queue */
    assert_int_equal(m.state, stopped.state);
    /* An e-stop on top is another stop. */
    if (fault != FAULT_ESTOP) {
      const enum fault_code before = m.fault;
      machine_trip(&m, FAULT_ESTOP);
      machine_shown(&m, STATE_SAFE, before, LATER + SECOND / 2);
      assert_int_equal(ask(&m, COMMAND_RESET, LATER + SECOND / 2), RESULT_TOO_SOON);
      show(&m, LATER + SECOND);
    }
    assert_int_equal(ask(&m, COMMAND_RESET, LATER + SECOND), RESULT_OK);
    assert_int_equal(m.state, STATE_STOPPED);
  }
}

static void a_refused_run_in_safe_delays_the_arm(void **unused)
{
  (void)unused;
  struct machine m = in_state(STATE_RUNNING);
  machine_trip(&m, FAULT_DIVERGED);
  show(&m, LATER);
  assert_int_equal(ask(&m, COMMAND_RESET, LATER), RESULT_OK);
  show(&m, LATER);
  machine_trip(&m, FAULT_ESTOP);
  show(&m, LATER);
  assert_int_equal(ask(&m, COMMAND_RUN, LATER + SECOND), RESULT_WRONG_STATE);
  assert_int_equal(ask(&m, COMMAND_RESET, LATER + SECOND), RESULT_OK);
  show(&m, LATER + SECOND / 2); /* even if it was shown before */
  assert_int_equal(ask(&m, COMMAND_ARM, LATER + SECOND + REARM_NS - 1), RESULT_TOO_SOON);
}

/* A start-up bundle that a client repeats at any rate; and arm and run alone, faster than every half second. */
static void a_client_that_repeats_itself_never_gets_to_motion(void **unused)
{
  (void)unused;
  for (uint64_t every = SECOND / 100; every <= 5 * SECOND; every += SECOND / 100) {
    struct machine m = in_state(STATE_RUNNING), n = m;
    machine_trip(&m, FAULT_ESTOP);
    machine_trip(&n, FAULT_ESTOP);
    show(&m, LATER);
    show(&n, LATER);
    assert_int_equal(ask(&n, COMMAND_RESET, LATER), RESULT_OK);
    show(&n, LATER);
    for (uint64_t t = LATER; t < LATER + 60 * SECOND; t += every) {
      ask(&m, COMMAND_RESET, t);
      ask(&m, COMMAND_ARM, t);
      ask(&m, COMMAND_RUN, t);
      show(&m, t);
      assert_int_equal(m.state, STATE_STOPPED);
      if (every >= REARM_NS) continue;
      ask(&n, COMMAND_ARM, t);
      ask(&n, COMMAND_RUN, t);
      show(&n, t);
      assert_int_equal(n.state, STATE_STOPPED);
    }
  }
}

static void the_record_of_the_last_run_precedes_autostart(void **unused)
{
  (void)unused;
  for (int fault = FAULT_NONE; fault <= FAULT_BEAT; fault++) {
    for (int autostart = 0; autostart < 2; autostart++) {
      struct machine m;
      machine_init(&m, false);
      machine_keep(&m, (enum fault_code)fault, true);
      assert_int_equal(m.state, STATE_INIT);
      assert_int_equal(m.fault, fault); /* for the next start, if this one ends in its warm-up */
      show(&m, LATER - SECOND);
      assert_int_equal(machine_warm(&m, autostart), ACTION_RESTORE);
      assert_int_equal(m.state, fault == FAULT_NONE ? STATE_STOPPED
                                                    : STATE_SAFE); /* also for FAULT: the model is new */
      assert_int_equal(m.fault, fault);
      assert_int_equal(machine_flags(&m) & FLAG_ESTOP, fault == FAULT_ESTOP ? FLAG_ESTOP : 0);
      show(&m, LATER);
      if (fault != FAULT_NONE) assert_int_equal(ask(&m, COMMAND_RESET, LATER), RESULT_OK);
      show(&m, LATER);
      assert_int_equal(ask(&m, COMMAND_ARM, LATER + REARM_NS - 1), RESULT_TOO_SOON);
      assert_int_equal(ask(&m, COMMAND_RUN, LATER + REARM_NS), RESULT_WRONG_STATE);
      assert_int_equal(ask(&m, COMMAND_ARM, LATER + 2 * REARM_NS), RESULT_OK);
    }
  }
  struct machine m;
  machine_init(&m, false);
  machine_keep(&m, FAULT_ESTOP, false); /* a fault disarms */
  assert_true(m.disarmed);
  machine_trip(&m, FAULT_DIVERGED); /* in the warm-up: the newer fault counts */
  machine_warm(&m, true);
  assert_int_equal(m.state, STATE_FAULT);
  assert_int_equal(m.fault, FAULT_DIVERGED);
}

/* The daemon parks and ends; the next start must find the stop. */
static void an_estop_in_exit_is_latched(void **unused)
{
  (void)unused;
  struct machine m = in_state(STATE_RUNNING);
  machine_exit(&m);
  machine_trip(&m, FAULT_MISSES);
  assert_int_equal(m.fault, FAULT_NONE);
  machine_trip(&m, FAULT_ESTOP);
  assert_int_equal(m.state, STATE_EXIT);
  assert_int_equal(m.fault, FAULT_ESTOP);
  assert_true(m.disarmed);
}

static void a_reset_forgets_required_inputs(void **unused)
{
  (void)unused;
  static const enum run_state from[] = {STATE_RUNNING, STATE_PAUSED, STATE_STOPPED, STATE_SAFE};
  for (int waits = 0; waits < 2; waits++)
    for (size_t i = 0; i < sizeof from / sizeof *from; i++) {
      struct machine m = in_state(from[i]);
      enum machine_action action;
      m.waits = waits;
      assert_int_equal(machine_command(&m, COMMAND_RESET, true, LATER, &action), RESULT_OK);
      assert_int_equal(action, ACTION_RESTORE);
      assert_int_equal(m.state, waits || from[i] == STATE_SAFE ? STATE_STOPPED : from[i]);
    }
}

static void warm_up_leads_out_of_init_only(void **unused)
{
  (void)unused;
  for (int s = 0; s < STATES; s++) {
    for (int autostart = 0; autostart < 2; autostart++) {
      struct machine m = in_state((enum run_state)s);
      const enum machine_action action = machine_warm(&m, autostart);
      const int expected = s != STATE_INIT ? s : autostart ? STATE_RUNNING : STATE_STOPPED;
      assert_int_equal(m.state, expected);
      assert_int_equal(action, s == STATE_INIT ? ACTION_RESTORE : ACTION_NONE);
    }
  }
}

static void a_fault_goes_where_the_list_says_and_stays(void **unused)
{
  (void)unused;
  static const struct {
    enum fault_code fault;
    enum run_state to;
  } faults[] = {
#define ROW(id, code, state, text) {id, state},
      FAULT_LIST(ROW)
#undef ROW
  };
  for (int s = 0; s < STATES; s++) {
    for (size_t k = 1; k < sizeof faults / sizeof *faults; k++) {
      struct machine m = in_state((enum run_state)s);
      const enum fault_code before = m.fault;
      machine_trip(&m, faults[k].fault);
      const bool latched = s == STATE_FAULT || s == STATE_SAFE;
      if (s == STATE_EXIT) {
        assert_int_equal(m.state, STATE_EXIT);
      } else if (latched && faults[k].fault != FAULT_ESTOP) { /* the first cause is kept */
        assert_int_equal(m.state, s);
        assert_int_equal(m.fault, before);
      } else {
        assert_int_equal(m.state, faults[k].to);
        assert_int_equal(m.fault, faults[k].fault);
      }
    }
    struct machine m = in_state((enum run_state)s);
    machine_trip(&m, FAULT_NONE);
    assert_int_equal(m.state, s);
  }
}

static void consecutive_misses_lead_to_safe(void **unused)
{
  (void)unused;
  struct machine m = in_state(STATE_RUNNING);
  machine_deadline(&m, true, 3);
  machine_deadline(&m, true, 3);
  machine_deadline(&m, false, 3); /* restarts the count */
  machine_deadline(&m, true, 3);
  machine_deadline(&m, true, 3);
  assert_int_equal(m.state, STATE_RUNNING);
  machine_deadline(&m, true, 3);
  assert_int_equal(m.state, STATE_SAFE);
  assert_int_equal(m.fault, FAULT_MISSES);

  for (int s = 0; s < STATES; s++) { /* nothing moves there, so nothing needs to stop */
    if (s == STATE_RUNNING) continue;
    struct machine still = in_state((enum run_state)s);
    for (int k = 0; k < 10; k++) machine_deadline(&still, true, 3);
    assert_int_equal(still.state, s);
  }

  machine_init(&m, false);
  m.state = STATE_RUNNING;
  for (int k = 0; k < 1000; k++) machine_deadline(&m, true, 0); /* never */
  assert_int_equal(m.state, STATE_RUNNING);
}

static void misses_before_a_pause_do_not_count_after_it(void **unused)
{
  (void)unused;
  struct machine m = in_state(STATE_RUNNING);
  enum machine_action action;
  machine_deadline(&m, true, 3);
  machine_deadline(&m, true, 3);
  machine_command(&m, COMMAND_PAUSE, true, LATER, &action);
  machine_command(&m, COMMAND_RUN, true, LATER, &action);
  machine_deadline(&m, true, 3);
  assert_int_equal(m.state, STATE_RUNNING);
}

static void flags_follow_the_state(void **unused)
{
  (void)unused;
  static const uint32_t expected[STATES] = {
      [STATE_READY] = FLAG_READY, [STATE_RUNNING] = FLAG_RUNNING, [STATE_PAUSED] = FLAG_PAUSED,
      [STATE_FAULT] = FLAG_FAULT, [STATE_SAFE] = FLAG_SAFE,
  };
  for (int s = 0; s < STATES; s++) {
    const struct machine m = in_state((enum run_state)s);
    assert_int_equal(machine_flags(&m), expected[s]);
    assert_int_equal(machine_steps(&m), s == STATE_RUNNING);
  }
  struct machine m = in_state(STATE_RUNNING);
  machine_trip(&m, FAULT_ESTOP);
  assert_int_equal(machine_flags(&m), FLAG_SAFE | FLAG_ESTOP);
  enum machine_action action;
  show(&m, LATER);
  machine_command(&m, COMMAND_RESET, true, LATER, &action);
  assert_int_equal(machine_flags(&m), 0);
}

static void every_fault_has_a_text(void **unused)
{
  (void)unused;
#define CHECK(id, code, state, text) assert_string_equal(fault_text(code), text);
  FAULT_LIST(CHECK)
#undef CHECK
  assert_string_equal(fault_text(12345), "unknown fault");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_command_in_every_state),
      cmocka_unit_test(steps_are_asked_for_in_lockstep_only),
      cmocka_unit_test(a_loaded_state_is_used_once),
      cmocka_unit_test(a_load_does_not_arm),
      cmocka_unit_test(a_jog_leads_to_stopped),
      cmocka_unit_test(an_unknown_command_is_a_bad_argument),
      cmocka_unit_test(after_a_fault_it_takes_reset_arm_and_run),
      cmocka_unit_test(commands_that_start_the_motion_wait_for_inputs),
      cmocka_unit_test(an_arm_after_a_stop_waits_for_half_a_second),
      cmocka_unit_test(an_arm_from_before_the_frame_is_too_soon_however_late_it_is_judged),
      cmocka_unit_test(every_reset_restarts_the_half_second),
      cmocka_unit_test(a_reset_from_before_the_frame_lifts_no_stop),
      cmocka_unit_test(a_refused_run_in_safe_delays_the_arm),
      cmocka_unit_test(a_client_that_repeats_itself_never_gets_to_motion),
      cmocka_unit_test(the_record_of_the_last_run_precedes_autostart),
      cmocka_unit_test(an_estop_in_exit_is_latched),
      cmocka_unit_test(a_reset_forgets_required_inputs),
      cmocka_unit_test(warm_up_leads_out_of_init_only),
      cmocka_unit_test(a_fault_goes_where_the_list_says_and_stays),
      cmocka_unit_test(consecutive_misses_lead_to_safe),
      cmocka_unit_test(misses_before_a_pause_do_not_count_after_it),
      cmocka_unit_test(flags_follow_the_state),
      cmocka_unit_test(every_fault_has_a_text),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
