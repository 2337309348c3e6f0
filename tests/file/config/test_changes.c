/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include "config/changes.h"

#include <stdio.h>

#define FILE_OF(mass, hold, rest)                                                                            \
  "model:\n"                                                                                                 \
  "  bodies:\n"                                                                                              \
  "    - {name: A, mass: " mass ", inertia: [1, 1, 1], position: [0, 0, 0]}\n"                               \
  "inputs:\n"                                                                                                \
  "  - {name: push, body: A, hold: " hold "}\n" rest

static const char BASE[] = FILE_OF("1", "0.1", "cycle: {grace: 5}\nosc: {port: 9100}\n");

static void assert_changes(const char *text, const char *while_running, const char *restart)
{
  struct settings *a = load_good(BASE), *b = load_good(text);
  char names[200];
  const int running = settings_changes(a, b, true, names, sizeof names);
  assert_string_equal(names, while_running);
  assert_int_equal(running == 0, *while_running == '\0');
  const int others = settings_changes(a, b, false, names, sizeof names);
  assert_string_equal(names, restart);
  assert_int_equal(others == 0, *restart == '\0');
  settings_free(a);
  settings_free(b);
}

TEST(changes_have_the_names_of_their_keys)
{
  static const struct {
    const char *text, *while_running, *restart;
  } cases[] = {
      {FILE_OF("1", "0.1", "cycle: {grace: 5}\nosc: {port: 9100}\n# no more\n"), "", ""},
      {FILE_OF("1", "0.1", "osc: {}\ncycle: {grace: 5, max_misses: 0}\n"), "",
       ""}, /* the defaults, written out */
      {FILE_OF("1", "0.2", "cycle: {grace: 6, overrun: slip, catch_up: 9, max_misses: 2}\nosc: {}\n"),
       "cycle.overrun, cycle.catch_up, cycle.max_misses, cycle.grace, inputs.push.hold", ""},
      {FILE_OF("2", "0.1", "cycle: {grace: 5, period: 0.02}\nosc: {port: 9101}\nsolver: {beta: 0.6}\n"),
       "model.bodies.A.mass", "solver.beta, cycle.period, osc.port"},
      {FILE_OF("1", "0.1", "cycle: {grace: 5}\n"), "", "osc.enabled"},
      {FILE_OF("1", "0.1", "cycle: {grace: 5}\nosc: {prefix: /x, targets: [{host: 127.0.0.1, port: 9}]}\n"),
       "", "osc.prefix, osc.targets"},
      {FILE_OF("1", "0.1", "cycle: {grace: 5}\nosc: {map: [{signal: time, address: /t}]}\n"), "", "osc.map"},
      {FILE_OF("1", "0.1", "cycle: {grace: 5}\nosc: {}\ntelemetry: {name: x}\nsimulation: {duration: 9}\n"),
       "", "telemetry.name"},
      {FILE_OF("1", "0.1, point: [0, 1, 0]", "cycle: {grace: 5}\nosc: {}\n"), "", "inputs.push.point"},
      /* A live key of an input that needs a restart anyhow waits for it, too. */
      {FILE_OF("1", "0.2, point: [0, 1, 0]", "cycle: {grace: 5}\nosc: {}\n"), "",
       "inputs.push.point, inputs.push.hold"},
      {FILE_OF("1", "0.1, policy: safe, ramp: 1, limit_force: 2, limit_torque: 3",
               "cycle: {grace: 5}\nosc: {}\n"),
       "inputs.push.policy, inputs.push.ramp, inputs.push.limit_force, inputs.push.limit_torque", ""},
      {FILE_OF("1", "0.1, fault: 2, recover: 3, blend: 0, rate_force: 5, safe_torque: [0, 1, 0]",
               "cycle: {grace: 5}\nosc: {}\n"),
       "inputs.push.fault, inputs.push.recover, inputs.push.blend, inputs.push.rate_force, "
       "inputs.push.safe_torque",
       ""},
      {FILE_OF("1", "0.1, from: osc", "cycle: {grace: 5}\nosc: {}\n"), "", "inputs.push.from"},
      {FILE_OF("1", "0.1", "cycle: {grace: 5}\nosc: {}\ninjections: [{name: n, input: push, kind: nan}]\n"),
       "", "injections.n"},
      /* The values of parameters count, and not their names. */
      {FILE_OF("m", "h", "parameters: {m: 1, h: 100 ms}\ncycle: {grace: 5}\nosc: {port: 9100}\n"), "", ""},
      {FILE_OF("m", "h", "parameters: {m: 2, h: 200 ms}\ncycle: {grace: 5}\nosc: {port: 9100}\n"),
       "model.bodies.A.mass, inputs.push.hold", ""},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++)
    assert_changes(cases[k].text, cases[k].while_running, cases[k].restart);
}

#define MOTOR(input)                                                                                         \
  "model:\n"                                                                                                 \
  "  bodies:\n"                                                                                              \
  "    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                                      \
  "  joints:\n"                                                                                              \
  "    - {name: J, type: revolute, body_a: ground, body_b: A, at: [0, 0, 0], axis: [0, 0, 1]}\n"             \
  "  forces:\n"                                                                                              \
  "    - {name: M, type: motor, joint: J}\n"                                                                 \
  "inputs:\n"                                                                                                \
  "  - {name: turn, force: M" input "}\n"

TEST(changes_of_a_value_have_the_names_of_their_keys)
{
  static const struct {
    const char *text, *names;
  } cases[] = {
      {MOTOR(", limit: 9"), "inputs.turn.limit"},
      {MOTOR(", limit: 10, lower: -2"), "inputs.turn.lower"},
      {MOTOR(", limit: 10, upper: 4, rate: 1, safe: 2"),
       "inputs.turn.upper, inputs.turn.rate, inputs.turn.safe"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    struct settings *a = load_good(MOTOR(", limit: 10")), *b = load_good(cases[k].text);
    char names[200];
    settings_changes(a, b, true, names, sizeof names);
    assert_string_equal(names, cases[k].names);
    settings_free(a);
    settings_free(b);
  }
}

TEST(names_are_cut_and_never_overrun)
{
  struct settings *a = load_good(BASE),
                  *b = load_good(FILE_OF("1", "0.1", "cycle: {grace: 5, period: 0.1}\nosc: {port: 7}\n"));
  char little[12];
  assert_int_equal(settings_changes(a, b, false, little, sizeof little), 2);
  assert_string_equal(little, "2 keys");
  char some[40];
  assert_int_equal(settings_changes(a, b, false, some, sizeof some), 2);
  assert_string_equal(some, "cycle.period, and 1 more");
  assert_int_equal(settings_changes(a, b, false, NULL, 0), 2);
  settings_free(a);
  settings_free(b);
}

#define TWO_INPUTS(first, second)                                                                            \
  "model:\n"                                                                                                 \
  "  bodies:\n"                                                                                              \
  "    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                                      \
  "inputs:\n"                                                                                                \
  "  - {name: " first "}\n"                                                                                  \
  "  - {name: " second "}\n"

static void assert_both(const char *before, const char *after, const char *while_running, const char *restart)
{
  struct settings *a = load_good(before), *b = load_good(after);
  char names[300];
  settings_changes(a, b, true, names, sizeof names);
  assert_string_equal(names, while_running);
  settings_changes(a, b, false, names, sizeof names);
  assert_string_equal(names, restart);
  settings_free(a);
  settings_free(b);
}

TEST(elements_are_matched_by_their_names)
{
  static const char base[] = TWO_INPUTS("p, body: A", "q, body: A, hold: 1");
  assert_both(base, TWO_INPUTS("p, body: A, hold: 15e-2", "q, body: A, hold: 1.0, point: [0, 0, 0.0]"), "",
              "");
  assert_both(base, TWO_INPUTS("q, body: A, hold: 1", "p, body: A"), "", "inputs");
  assert_both(base, TWO_INPUTS("q, body: A, hold: 1", "p, body: A, axes: body"), "", "inputs.p.axes");
  assert_both(base, TWO_INPUTS("p, body: A, hold: 3", "r, body: A"), "inputs.p.hold", "inputs.q, inputs.r");
  assert_both(base, FILE_OF("1", "0.05", ""), "", "inputs.p, inputs.q, inputs.push");
  assert_both(base, TWO_INPUTS("p, body: A", "q, body: A, hold: 2"), "inputs.q.hold", "");
}

#define MECHANISM(forces, sensor)                                                                            \
  "model:\n"                                                                                                 \
  "  gravity: [0, 0, -9.81]\n"                                                                               \
  "  bodies:\n"                                                                                              \
  "    - {name: cab, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"                                    \
  "  joints:\n"                                                                                              \
  "    - {name: J, type: revolute, body_a: ground, body_b: cab, at: [0, 0, 0], axis: [0, 0, 1]}\n"           \
  "  forces:\n" forces "  sensors:\n"                                                                        \
  "    - {name: cab, type: point, body: cab, point: " sensor "}\n"
#define BEARING(damping) "    - {name: bearing, type: joint_spring, joint: J, damping: " damping "}\n"

TEST(every_key_of_the_model_has_its_name)
{
  static const char base[] = MECHANISM(BEARING("0.1"), "[0, 0, 1]");
  assert_both(base, MECHANISM(BEARING("1e-1"), "[0, 0, 1000 mm]"), "", "");
  assert_both(base, MECHANISM(BEARING("0.9"), "[0, 0, 2]"), "model.forces.bearing.damping",
              "model.sensors.cab.point");
  assert_both(base, MECHANISM("    - {name: bearing, type: motor, joint: J}\n", "[0, 0, 1]"), "",
              "model.forces.bearing.type");
  assert_both(
      base,
      MECHANISM(BEARING("0.5") "    - {name: wind, type: force, body: cab, force: [1, 0, 0]}\n", "[0, 0, 1]"),
      "model.forces.bearing.damping", "model.forces.wind");
  assert_both(base,
              MECHANISM(BEARING("0.1"), "[0, 0, 1]") "  visual: [{body: cab, shape: box, size: [1, 1, 1]}]\n",
              "", "model.visual");
}

/* The keys of a section that is off do not count. The change of "enabled" is the only one that is listed. */
TEST(a_section_that_is_off_has_no_changes)
{
  assert_both(FILE_OF("1", "0.1", "modbus: {enabled: false}\n"),
              FILE_OF("1", "0.1", "modbus: {enabled: false, port: 7, peers: [{host: 127.0.0.1}]}\n"), "", "");
  assert_both(FILE_OF("1", "0.1", "modbus: {enabled: false}\n"),
              FILE_OF("1", "0.1", "modbus: {port: 7, unit: 3}\n"), "", "modbus.enabled");
  assert_both(FILE_OF("1", "0.1", "modbus: {}\n"),
              FILE_OF("1", "0.1", "modbus: {unit: 3, peers: [{host: 127.0.0.1}]}\n"), "",
              "modbus.peers, modbus.unit");
}

/* After a reload the live keys of the file apply, unless their elements need a restart. */
TEST(changes_that_apply_are_kept)
{
  struct settings *started = load_good(BASE),
                  *live = load_good(FILE_OF("1", "0.2", "cycle: {grace: 6}\nosc: {port: 9100}\n")),
                  *other = load_good(FILE_OF("1", "0.3, axes: body", "cycle: {grace: 7}\nosc: {}\n"));
  struct settings force = *started;
  char names[200];
  force.fingerprints = fingerprints_copy(started->fingerprints);
  assert_non_null(force.fingerprints);
  settings_keep_changes(&force, live);
  assert_int_equal(settings_changes(&force, live, true, names, sizeof names), 0);
  settings_changes(&force, started, true, names, sizeof names);
  assert_string_equal(names, "cycle.grace, inputs.push.hold");
  settings_keep_changes(&force, other);
  settings_changes(&force, live, true, names, sizeof names);
  assert_string_equal(names, "cycle.grace"); /* the new hold applies already */
  assert_int_equal(settings_changes(&force, started, false, names, sizeof names), 0);
  settings_keep_key(&force, live, "cycle", "grace");
  assert_int_equal(settings_changes(&force, live, true, names, sizeof names), 0);
  fingerprints_free(force.fingerprints);
  settings_free(started);
  settings_free(live);
  settings_free(other);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(changes_have_the_names_of_their_keys),
      cmocka_unit_test(changes_of_a_value_have_the_names_of_their_keys),
      cmocka_unit_test(elements_are_matched_by_their_names),
      cmocka_unit_test(every_key_of_the_model_has_its_name),
      cmocka_unit_test(a_section_that_is_off_has_no_changes),
      cmocka_unit_test(changes_that_apply_are_kept),
      cmocka_unit_test(names_are_cut_and_never_overrun),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
