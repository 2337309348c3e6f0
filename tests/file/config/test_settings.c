/* SPDX-License-Identifier: MIT
 * Whole configurations: the shipped files, and the defaults. test_mistakes.c tests mistakes. */
#include "scratch.h"

#include "base/isa.h"
#include "signals/exchange.h"

#include <ali3/model.h>
#include <stdio.h>

#define SHIPPED TEST_DATA "/../config/"

TEST(shipped_files_load)
{
  static const char *const file[] = {SHIPPED "four-bar.yaml", SHIPPED "models/four_bar.yaml",
                                     SHIPPED "models/slider_crank.yaml",
                                     SHIPPED "models/double_pendulum.yaml"};
  for (size_t i = 0; i < sizeof file / sizeof *file; i++) {
    struct settings *s = load_good_file(file[i], NULL);
    assert_true(ali3_model_bodies(s->model) >= 2);
    settings_free(s);
  }
}

TEST(four_bar_is_read)
{
  struct settings *s = load_good_file(SHIPPED "four-bar.yaml", NULL);
  assert_string_equal(ali3_model_name(s->model), "four_bar");
  assert_int_equal(ali3_model_bodies(s->model), 3);
  assert_int_equal(ali3_model_joints(s->model), 4);
  assert_int_equal(ali3_model_sensors(s->model), 1);
  assert_true(s->duration == 30 && s->options.dt == 0.01);
  assert_int_equal(s->inputs, 1);
  assert_string_equal(s->input[0].name, "push");
  assert_int_equal(s->input[0].body, ali3_model_find_body(s->model, "B"));
  assert_int_equal(s->input[0].policy, INPUT_RAMP);
  assert_true(s->osc.enabled && s->modbus.enabled);
  assert_int_equal(s->osc.port, 9100);
  assert_int_equal(s->modbus.port, 1502);
  assert_int_equal(s->osc.targets, 1);
  assert_string_equal(s->osc.target[0].host, "127.0.0.1");
  assert_int_equal(s->osc.target[0].port, 9101);
  assert_string_equal(s->instance, "four_bar");
  settings_free(s);
}

TEST(defaults)
{
  struct settings *s =
      load_good(ONE_BODY "osc: {targets: [{host: \"::1\", port: 5}]}\ninputs: [{name: p, body: A}]\n");
  ali3_options o = ali3_options_default();
  assert_true(s->options.dt == o.dt && s->options.iterations == o.iterations && s->options.alpha == o.alpha &&
              s->options.compliance == o.compliance && s->options.substeps == o.substeps &&
              s->options.method == o.method && s->options.interpolate == o.interpolate &&
              s->options.extrapolate == o.extrapolate && s->options.gamma == o.gamma &&
              s->options.beta == o.beta);
  assert_true(s->duration == 0);
  assert_true(s->cycle.autostart && s->cycle.warmup == 100 && s->cycle.live.max_misses == 0);
  assert_true(s->realtime.priority == 80 && s->realtime.cpu == -1 && s->realtime.workers == WORKERS_AUTO &&
              s->realtime.lock_memory);
  assert_true(s->osc.enabled && !s->modbus.enabled);
  assert_string_equal(s->osc.bind, "127.0.0.1");
  assert_string_equal(s->osc.prefix, "/ali3");
  assert_true(s->osc.target[0].divisor == 1 && !s->osc.target[0].doubles);
  assert_string_equal(s->osc.target[0].host, "::1");
  assert_true(s->modbus.port == 1502 && s->modbus.max_clients == 8);
  assert_true(s->input[0].policy == INPUT_RAMP && s->input[0].hold == 0.15 && s->input[0].ramp == 0.5 &&
              s->input[0].range[0].upper == 1e4 && s->input[0].range[5].lower == -1e4);
  assert_string_equal(s->instance, "model");
  settings_free(s);
}

TEST(values_are_read)
{
  struct settings *s = load_good(
      ONE_BODY
      "solver: {method: ali3, iterations: 5, alpha: 1e7, compliance: 1e-9, substeps: 4, extrapolate: true}\n"
      "cycle: {period: 0.002, autostart: false, warmup: 7, max_misses: 3}\n"
      "realtime: {priority: 42, cpu: 1, workers: 2, lock_memory: false}\n"
      "osc: {enabled: false, prefix: /rig/one, bind: 0.0.0.0, any_interface: true,\n"
      "      targets: [{host: 10.0.0.1, port: 7, divisor: 4, profile: d}]}\n"
      "modbus: {port: 502, bind: \"::1\", max_clients: 16}\n"
      "inputs: [{name: p, body: A, policy: safe, hold: 0, limit_force: 5}]\n"
      "telemetry: {name: rig-1}\n");
  assert_true(s->options.iterations == 5 && s->options.alpha == 1e7 && s->options.compliance == 1e-9 &&
              s->options.substeps == 4 && s->options.extrapolate);
  assert_true(s->options.dt == 0.002 && !s->cycle.autostart && s->cycle.warmup == 7 &&
              s->cycle.live.max_misses == 3);
  assert_true(s->realtime.priority == 42 && s->realtime.cpu == 1 && s->realtime.workers == 2 &&
              !s->realtime.lock_memory);
  assert_true(!s->osc.enabled && s->osc.target[0].divisor == 4 && s->osc.target[0].doubles);
  assert_string_equal(s->osc.prefix, "/rig/one");
  assert_string_equal(s->osc.bind, "0.0.0.0");
  assert_true(s->modbus.enabled && s->modbus.port == 502 && s->modbus.max_clients == 16);
  assert_true(s->input[0].policy == INPUT_SAFE && s->input[0].hold == 0 && s->input[0].range[2].lower == -5);
  assert_string_equal(s->instance, "rig-1");
  settings_free(s);
}

/* 30001 to 49999 are addresses on the wire like all others, but more often PLC notation. */
TEST(addresses_in_plc_notation_get_a_hint)
{
  struct loaded l = load_text(ONE_BODY "modbus:\n"
                                       "  map:\n"
                                       "    - {signal: time, table: input, address: 30000}\n"
                                       "    - {signal: body.A.position.x, table: input, address: 30201}\n"
                                       "    - {signal: body.A.position.y, table: discrete, address: 30201}\n"
                                       "  parameters: [{name: body.A.mass, address: 49999}]\n");
  assert_non_null(l.settings);
  assert_non_null(strstr(l.errors,
                         ":7:58: hint: address: 30201 is an address on the wire, which begins at 0; if it "
                         "is PLC notation for input register 201, write 200\n"));
  assert_non_null(strstr(l.errors, "for holding register 9999, write 9998\n"));
  assert_null(strstr(l.errors, "30000 is"));
  assert_null(strstr(l.errors, ":8:"));
  assert_int_equal(l.settings->modbus.map.item[1].address, 30000); /* sorted by table: the bit comes first */
  settings_free(l.settings);
  free(l.errors);
}

TEST(devices_side_by_side)
{
  struct settings *s = load_good(
      ONE_BODY
      "inputs: [{name: p, body: A}]\n"
      "devices:\n"
      "  - {name: fast, host: 127.0.0.1, unit: 255, period: 0.01, alive: 7,\n"
      "     map: [{signal: time, table: holding, address: 0, type: u16, safe: 0}]}\n"
      "  - {name: slow, host: 127.0.0.1, unit: 255, map: [{signal: time, table: holding, address: 1}]}\n"
      "  - {name: a, serial: /dev/ttyS9, parity: none, baud: 9600,\n"
      "     map: [{signal: time, table: holding, address: 0}]}\n"
      "  - {name: b, serial: /dev/ttyS9, parity: none, baud: 9600, unit: 2,\n"
      "     map: [{signal: input.p.force.x, table: input, address: 0}]}\n"
      "modbus: {serial: /dev/ttyS8}\n");
  assert_int_equal(s->devices, 4);
  assert_int_equal(s->device[0].alive, 7);
  assert_int_equal(s->device[1].alive, -1);
  assert_true(s->device[0].period == 0.01 && s->device[1].period == 0.02 && s->device[1].timeout == 0.1);
  assert_true(s->device[0].map.item[0].safe == 0.0);
  assert_string_equal(s->device[3].remote.serial.path, "/dev/ttyS9");
  assert_int_equal(s->input[0].sources, UINT64_C(1) << (SOURCE_DEVICE + 3));
  settings_free(s);
}

TEST(workers_in_words_or_numbers)
{
  static const struct {
    const char *text;
    int workers;
  } list[] = {{"auto", WORKERS_AUTO}, {"\"auto\"", WORKERS_AUTO}, {"0", 0}, {"63", 63}};
  char text[300];
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    snprintf(text, sizeof text, ONE_BODY "realtime:\n  workers: %s\n", list[i].text);
    struct settings *s = load_good(text);
    assert_int_equal(s->realtime.workers, list[i].workers);
    settings_free(s);
  }
  static const char *const bad[] = {"-1", "64", "none", "Auto", "\"1\"", "1.5", "[auto]"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    snprintf(text, sizeof text, ONE_BODY "realtime:\n  workers: %s\n", bad[i]);
    assert_refused(text, ":5:12: error: workers: expected auto or a whole number from 0 to 63, found ");
  }
  assert_refused(ONE_BODY "realtime:\n  cpu: auto\n",
                 "cpu: expected none or a whole number from 0 to 1023, found auto");
}

TEST(instruction_set)
{
  static const struct {
    const char *text;
    enum isa isa;
  } list[] = {{"auto", ISA_COUNT},
#define ROW(name) {#name, ISA_##name},
              ISA_LIST(ROW)
#undef ROW
  };
  const struct settings_overrides best = {.isa = "auto"};
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    char text[300], file[32], why[120];
    snprintf(text, sizeof text, ONE_BODY "simulation:\n  isa: %s\n", list[i].text);
    enum isa wanted = list[i].isa == ISA_COUNT ? isa_best() : list[i].isa;
    if (isa_supported(wanted)) {
      struct settings *s = load_good(text);
      assert_string_equal(ali3_model_isa(s->model), isa_name(wanted));
      assert_string_equal(s->options.isa, list[i].isa == ISA_COUNT ? "" : list[i].text);
      settings_free(s);
    } else {
      snprintf(why, sizeof why, ":5:8: error: isa: this %s %s",
               isa_built(wanted) ? "machine does not have the instruction set" : "build has no kernels for",
               list[i].text);
      assert_refused(text, why);
    }
    write_scratch(file, text, strlen(text)); /* an option overrides the file */
    struct settings *s = load_good_file(file, &best);
    unlink(file);
    assert_string_equal(ali3_model_isa(s->model), isa_name(isa_best()));
    settings_free(s);
  }
  assert_refused(ONE_BODY "simulation:\n  isa: sse2\n",
                 ":5:8: error: isa: expected one of auto, baseline, avx2, avx512, found sse2");
}

/* A machine without some instruction sets. */
bool __wrap_isa_supported(enum isa isa);
bool __real_isa_supported(enum isa isa);
static bool poor;

bool __wrap_isa_supported(enum isa isa)
{
  return (!poor || isa == ISA_baseline) && __real_isa_supported(isa);
}

TEST(a_missing_instruction_set_is_refused)
{
  static const char text[] = ONE_BODY "simulation:\n  isa: avx512\n";
  poor = true;
  assert_refused(text, ":5:8: error: isa: ");
  char file[32];
  write_scratch(file, text, strlen(text));
  const struct settings_overrides other = {.isa = "avx2"}, best = {.isa = "baseline"};
  struct loaded l = load_file(file, &other);
  assert_null(l.settings);
  assert_non_null(strstr(l.errors, "avx2"));
  assert_null(strstr(l.errors, ":5:8:")); /* the mistake is on the command line */
  free(l.errors);
  settings_free(load_good_file(file, &best));
  unlink(file);
  poor = false;
}

TEST(options_override_the_file)
{
  char file[32];
  static const char text[] = ONE_BODY "cycle: {period: 0.002}\nsolver: {iterations: 5, alpha: 1e7}\n";
  write_scratch(file, text, strlen(text));
  const struct settings_overrides all = {.dt = 0.5, .iterations = 9, .alpha = 3}, none = {0};

  struct settings *s = load_good_file(file, &all);
  const ali3_options *o = ali3_model_options(s->model);
  assert_true(o->dt == 0.5 && o->iterations == 9 && o->alpha == 3);
  settings_free(s);

  s = load_good_file(file, &none);
  unlink(file);
  o = ali3_model_options(s->model);
  assert_true(o->dt == 0.002 && o->iterations == 5 && o->alpha == 1e7);
  settings_free(s);
}

TEST(model_from_its_own_file)
{
  struct settings *s = load_good_file(TEST_DATA "/file/config/included.yaml", NULL);
  assert_string_equal(ali3_model_name(s->model), "slider_crank");
  assert_true(s->duration == 10); /* from the model file */
  assert_true(s->options.dt == 0.001);
  assert_int_equal(s->input[0].body, ali3_model_find_body(s->model, "rod"));
  settings_free(s);
}

TEST(instance_is_fit_for_a_file_name)
{
  struct settings *s = load_good(
      "model: {name: \"a/b c\", bodies: [{name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}]}\n");
  assert_string_equal(s->instance, "a_b_c");
  settings_free(s);
}

TEST(a_missing_file_is_refused)
{
  struct loaded l = load_file("/nonexistent/model.yaml", NULL);
  assert_null(l.settings);
  assert_string_equal(l.errors,
                      "/nonexistent/model.yaml: error: cannot read the file: No such file or directory\n");
  free(l.errors);
  l = load_file("/", NULL);
  assert_null(l.settings);
  assert_non_null(strstr(l.errors, "/: error: expected a regular file, found a folder"));
  free(l.errors);
}

TEST(no_more_than_twenty_errors_are_shown)
{
  char text[2000] = ONE_BODY;
  for (int i = 0; i < 25; i++) snprintf(text + strlen(text), sizeof text - strlen(text), "zzzzzz%d: 1\n", i);
  struct loaded l = load_text(text);
  assert_null(l.settings);
  int shown = 0;
  for (const char *p = l.errors; (p = strstr(p, ": error: ")); p++) shown++;
  assert_int_equal(shown, 20);
  assert_non_null(strstr(l.errors, "5 more errors are not shown\n"));
  free(l.errors);
}

/* Every prefix of a good file, and files with one changed byte, are refused or read, and never crash the reader. */
TEST(damaged_files_do_no_harm)
{
  static const char good[] =
      ONE_BODY "  joints:\n    - {name: J, type: fixed, body_a: ground, body_b: A, at: [0, 0, 0]}\n"
               "osc: {targets: [{host: 127.0.0.1, port: 5}]}\ninputs:\n  - name: p\n    body: A\n";
  static const char other[] = {0,   '\n', '"',  '{',        ']', ':', '-', '&',
                               '*', '!',  '\t', (char)0xff, '|', '%', '@', '9'};
  char text[sizeof good];
  size_t size = sizeof good - 1;
  for (size_t i = 0; i < size; i++) {
    struct loaded l = load_bytes(good, i);
    settings_free(l.settings);
    free(l.errors);
    memcpy(text, good, size);
    text[i] = other[i % sizeof other];
    l = load_bytes(text, size);
    assert_true(l.settings || *l.errors);
    settings_free(l.settings);
    free(l.errors);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shipped_files_load),
      cmocka_unit_test(four_bar_is_read),
      cmocka_unit_test(defaults),
      cmocka_unit_test(values_are_read),
      cmocka_unit_test(addresses_in_plc_notation_get_a_hint),
      cmocka_unit_test(devices_side_by_side),
      cmocka_unit_test(workers_in_words_or_numbers),
      cmocka_unit_test(instruction_set),
      cmocka_unit_test(a_missing_instruction_set_is_refused),
      cmocka_unit_test(options_override_the_file),
      cmocka_unit_test(model_from_its_own_file),
      cmocka_unit_test(instance_is_fit_for_a_file_name),
      cmocka_unit_test(a_missing_file_is_refused),
      cmocka_unit_test(no_more_than_twenty_errors_are_shown),
      cmocka_unit_test(damaged_files_do_no_harm),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
