/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "journal/events.h"

#include <ali3/model.h>
#include <stddef.h>
#include <string.h>

#define NOTHING {.joint = -1, .force = -1, .drive = -1, .other = -1}, {.cause = RIG_FINE}, 0, 0, 0, 0

static void every_cause_in_words(void **unused)
{
  (void)unused;
  ali3_model *m = ali3_model_new();
  const ali3_body_spec bar = {
      .name = "bar", .mass = 1.0, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1, 0, 0, 0}};
  const ali3_joint_spec pin = {
      .name = "pin", .type = ALI3_JOINT_SPHERICAL, .body_a = ALI3_GROUND, .body_b = 0};
  assert_int_equal(ali3_model_add_body(m, &bar), 0);
  assert_int_equal(ali3_model_add_joint(m, &pin), 0);
  const ali3_options options = ali3_options_default();
  assert_int_equal(ali3_model_freeze(m, &options), ALI3_OK); /* size 1 m, because there are no lever arms */
  struct port osc = {.name = "osc"}, modbus = {.name = "modbus"};
  struct port *const ports[] = {&osc, &modbus};
  struct input_spec input[] = {{.name = "push"}, {.name = "pull"}};
  const struct signals signals = {.inputs = 2, .input = input};
  const struct injection injection[] = {{.name = "stuck", .input = 0, .kind = INJECT_FREEZE},
                                        {.name = "lossy", .input = 1, .kind = INJECT_DROP}};
  struct cycle_config config = {
      .model = m, .signals = &signals, .port = ports, .ports = 2, .injection = injection, .injections = 2};
  clients_name(&modbus.clients, 4, "10.0.0.7:4711");
  const struct platform_setup platform = {.enabled = true};
  config.platform = &platform;
  static const struct {
    struct cycle_event e;
    const char *text;
  } cases[] = {
      {{.cycle = 101,
        .from = STATE_INIT,
        .to = STATE_RUNNING,
        .cause = CAUSE_WARM,
        .port = -1,
        .body = -1,
        .joint = -1,
        .input = -1},
       "cycle 101: INIT -> RUNNING: warm-up over"},
      {{101, STATE_INIT, STATE_STOPPED, CAUSE_WARM, 0, -1, 0, -1, -1, 1, 0, NOTHING},
       "cycle 101: INIT -> STOPPED: warm-up over; no autostart: input pull is required and not fresh"},
      {{101, STATE_INIT, STATE_STOPPED, CAUSE_WARM, WARM_DISARMED, -1, 0, -1, -1, 1, 0, NOTHING},
       "cycle 101: INIT -> STOPPED: warm-up over; no autostart: the last run ended without an order, or "
       "before an arm"},
      {{101, STATE_INIT, STATE_SAFE, CAUSE_WARM, FAULT_ESTOP, -1, 0, -1, -1, -1, 0, NOTHING},
       "cycle 101: INIT -> SAFE: warm-up over; the last run left a stop latched: e-stop requested"},
      {{4711, STATE_RUNNING, STATE_PAUSED, CAUSE_COMMAND, COMMAND_PAUSE, 0, 2, -1, -1, -1, 0, NOTHING},
       "cycle 4711: RUNNING -> PAUSED: pause by osc client 2"},
      {{202, STATE_STOPPED, STATE_STOPPED, CAUSE_REFUSED, COMMAND_ARM, 0, 2, -1, -1, -1, RESULT_TOO_SOON,
        NOTHING},
       "cycle 202: STOPPED: arm by osc client 2 refused: too soon after a stop: send it 0.5 s or more after "
       "STOPPED is shown"},
      {{203, STATE_STOPPED, STATE_STOPPED, CAUSE_REFUSED, COMMAND_RUN, 0, 2, -1, -1, -1, RESULT_WRONG_STATE,
        NOTHING},
       "cycle 203: STOPPED: run by osc client 2 refused: motion needs an arm: send arm first"},
      {{204, STATE_SAFE, STATE_SAFE, CAUSE_REFUSED, COMMAND_RUN, 1, 4, -1, -1, -1, RESULT_WRONG_STATE,
        NOTHING},
       "cycle 204: SAFE: run by modbus 10.0.0.7:4711 refused: a stop is latched: send reset first"},
      {{205, STATE_STOPPED, STATE_STOPPED, CAUSE_REFUSED, COMMAND_ARM, 0, 2, -1, -1, -1, RESULT_NOT_READY,
        NOTHING},
       "cycle 205: STOPPED: arm by osc client 2 refused: a required input is not fresh: send its values "
       "first"},
      {{206, STATE_RUNNING, STATE_RUNNING, CAUSE_REFUSED, COMMAND_STEP, 0, 2, -1, -1, -1, RESULT_WRONG_STATE,
        NOTHING},
       "cycle 206: RUNNING: step by osc client 2 refused: not possible in this state"},
      {{12, STATE_PAUSED, STATE_PAUSED, CAUSE_COMMAND, COMMAND_RESET, 1, 3, -1, -1, -1, 0, NOTHING},
       "cycle 12: PAUSED: reset by modbus client 3, model at its initial state"},
      {{13, STATE_RUNNING, STATE_SAFE, CAUSE_FAULT, FAULT_ESTOP, 1, 4, -1, -1, -1, 0, NOTHING},
       "cycle 13: RUNNING -> SAFE: e-stop requested by modbus 10.0.0.7:4711"},
      {{13, STATE_RUNNING, STATE_SAFE, CAUSE_FAULT, FAULT_STALE, -1, 0, -1, -1, 0, 0, NOTHING},
       "cycle 13: RUNNING -> SAFE: an input has not come for too long: push"},
      {{13, STATE_PAUSED, STATE_PAUSED, CAUSE_INJECT_SWITCHED, 3, 1, 4, -1, -1, -1, 0, NOTHING},
       "cycle 13: FAULT INJECTION lossy, drop of input pull: switched on by modbus 10.0.0.7:4711"},
      {{13, STATE_RUNNING, STATE_RUNNING, CAUSE_INJECT_SWITCHED, 0, 0, 2, -1, -1, -1, 0, NOTHING},
       "cycle 13: FAULT INJECTION stuck, freeze of input push: switched off by osc client 2"},
      {{13, STATE_RUNNING, STATE_RUNNING, CAUSE_INJECT_ACTS, 1, -1, 0, -1, -1, -1, 0, NOTHING},
       "cycle 13: FAULT INJECTION stuck, freeze of input push: starts acting"},
      {{13, STATE_RUNNING, STATE_RUNNING, CAUSE_INJECT_ACTS, 0, -1, 0, -1, -1, -1, 0, NOTHING},
       "cycle 13: FAULT INJECTION stuck, freeze of input push: stops acting"},
      {{14, STATE_RUNNING, STATE_FAULT, CAUSE_FAULT, FAULT_DIVERGED, -1, 0, 0, 0, -1, 0, NOTHING},
       "cycle 14: RUNNING -> FAULT: the step diverged, worst at joint pin, body bar"},
      {{14, STATE_RUNNING, STATE_FAULT, CAUSE_FAULT, FAULT_DIVERGED, -1, 0, 0, -1, -1, 0, NOTHING},
       "cycle 14: RUNNING -> FAULT: the step diverged, worst at body bar"},
      {{14,
        STATE_RUNNING,
        STATE_FAULT,
        CAUSE_FAULT,
        FAULT_VIOLATED,
        -1,
        0,
        0,
        0,
        -1,
        0,
        {.joint = 0, .force = -1, .drive = -1, .other = -1, .relative = 0.2, .length = 0.2, .limit = 0.1},
        {.cause = RIG_FINE},
        0,
        0,
        0,
        0},
       "cycle 14: RUNNING -> FAULT: the joints, drives and gears cannot all be met: joint \"pin\" is open by "
       "200 mm, the "
       "limit is 100 mm"},
      {{14,
        STATE_RUNNING,
        STATE_RUNNING,
        CAUSE_VIOLATED,
        0,
        -1,
        0,
        -1,
        -1,
        -1,
        0,
        {.joint = 0,
         .force = -1,
         .drive = -1,
         .other = -1,
         .relative = 2.0,
         .length = 2.0,
         .limit = 0.1,
         .rates = true},
        {.cause = RIG_FINE},
        0,
        0,
        0,
        0},
       "cycle 14: violated: joint \"pin\" opens at 2 m/s, the limit is 100 mm/s"},
      {{14, STATE_RUNNING, STATE_RUNNING, CAUSE_UNRESOLVED, 0, -1, 0, 0, -1, -1, 2.5, NOTHING},
       "cycle 14: degraded: body \"bar\" turns by 2.5 rad in an inner step, which resolves only steady "
       "rotations about an axis "
       "through the centre of mass: raise solver.substeps to 5"},
      {{15, STATE_FAULT, STATE_EXIT, CAUSE_EXIT, 0, -1, 0, -1, -1, -1, 0, NOTHING},
       "cycle 15: FAULT -> EXIT: loop ended"},
      {{16, PLATFORM_ENGAGE, PLATFORM_NEUTRAL, CAUSE_PLATFORM_STATE, 0, -1, 0, -1, -1, -1, 0, NOTHING},
       "cycle 16: platform: engage -> neutral"},
      {{17, STATE_RUNNING, STATE_RUNNING, CAUSE_PLATFORM_SET, 2, 1, 4, -1, -1, -1, 0.25, NOTHING},
       "cycle 17: platform: gain_lin.z set to 0.25 by modbus 10.0.0.7:4711"},
      {{.cycle = 17,
        .from = STATE_RUNNING,
        .to = STATE_RUNNING,
        .cause = CAUSE_REFUSED,
        .code = COMMAND_PLATFORM,
        .port = 0,
        .client = 2,
        .body = -1,
        .joint = -1,
        .input = -1,
        .value = RESULT_BAD_ARGUMENT,
        .parameter = offsetof(struct platform_params, vel_max[2]) / sizeof(double),
        .asked = 10.0,
        .ceiling = 0.1},
       "cycle 17: RUNNING: platform by osc client 2 refused: vel_max.z: 10 is above 0.1 m/s, its limit in "
       "the file, which "
       "a command may only lower; raise it in the file, and reload"},
      {{.cycle = 17,
        .from = STATE_RUNNING,
        .to = STATE_SAFE,
        .cause = CAUSE_FAULT,
        .code = FAULT_STUCK,
        .port = -1,
        .body = -1,
        .joint = -1,
        .input = -1,
        .value = 600.04},
       "cycle 17: RUNNING -> SAFE: the loop was stuck: the machine was suspended for 600.0 s"},
      {{.cycle = 17,
        .from = STATE_STOPPED,
        .to = STATE_STOPPED,
        .cause = CAUSE_REFUSED,
        .code = COMMAND_JOG,
        .port = 0,
        .client = 2,
        .body = -1,
        .joint = -1,
        .input = -1,
        .value = RESULT_NOT_READY,
        .jog = JOG_LATE},
       "cycle 17: STOPPED: jog by osc client 2 refused: its number does not rise: the command is late or "
       "repeated"},
      {{18, STATE_STOPPED, STATE_STOPPED, CAUSE_JOG_BEGINS, 8, 1, 4, -1, -1, -1, 0, NOTHING},
       "cycle 18: jog of leg3 by modbus 10.0.0.7:4711"},
      {{.cycle = 19,
        .cause = CAUSE_JOG_RESTS,
        .code = 8,
        .port = -1,
        .input = -1,
        .value = -0.0125,
        .jog = JOG_SILENT},
       "cycle 19: jog of leg3 over, -12.50 mm: its command was not repeated in time"},
      {{.cycle = 20, .cause = CAUSE_JOG_RESTS, .code = 5, .port = -1, .input = -1, .value = 0.0349066},
       "cycle 20: jog of yaw over, +2.00 deg: released"},
      {{.cycle = 21,
        .from = STATE_READY,
        .to = STATE_READY,
        .cause = CAUSE_REFUSED,
        .code = COMMAND_JOG,
        .port = 1,
        .client = 4,
        .input = -1,
        .value = RESULT_NOT_READY,
        .jog = JOG_PRESSED},
       "cycle 21: READY: jog by modbus 10.0.0.7:4711 refused: a press begins after a release: send speed 0 "
       "first, from every hand that presses"},
      {{.cycle = 22,
        .from = STATE_RUNNING,
        .to = STATE_RUNNING,
        .cause = CAUSE_REFUSED,
        .code = COMMAND_JOG,
        .port = 1,
        .client = 4,
        .input = -1,
        .value = RESULT_WRONG_STATE},
       "cycle 22: RUNNING: jog by modbus 10.0.0.7:4711 refused: expected STOPPED or READY"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[700];
    event_text(&cases[k].e, &config, text, sizeof text);
    assert_string_equal(text, cases[k].text);
    char little[20]; /* cut, never overrun */
    event_text(&cases[k].e, &config, little, sizeof little);
    assert_int_equal(strlen(little), sizeof little - 1);
    assert_memory_equal(little, text, sizeof little - 1);
  }
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_cause_in_words)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
