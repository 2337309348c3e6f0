/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "daemon/options.h"

#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { ARGUMENTS = 8 };

/* Parses arguments up to a NULL; discards the output and the texts of --set. */
static int parse(struct options *o, char *const arguments[ARGUMENTS])
{
  char *argv[ARGUMENTS + 2] = {"ali3d"};
  int argc = 1;
  while (argc <= ARGUMENTS && arguments[argc - 1]) {
    argv[argc] = arguments[argc - 1];
    argc++;
  }
  fflush(stdout);
  const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), null = open("/dev/null", O_WRONLY);
  dup2(null, STDOUT_FILENO);
  dup2(null, STDERR_FILENO);
  const int status = options_parse(o, argc, argv);
  fflush(stdout);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  close(out);
  close(err);
  close(null);
  free(o->set.text);
  o->set.text = NULL;
  return status;
}

static void a_file_alone_is_enough(void **unused)
{
  (void)unused;
  struct options o;
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"a.yaml"}), -1);
  assert_string_equal(o.file, "a.yaml");
  assert_true(o.duration == 0.0);
  assert_null(o.report);
  assert_null(o.miss_log);
  assert_int_equal(o.miss_log_mb, 64);
  assert_null(o.state_dir);
  assert_false(o.check || o.require_realtime);
  assert_null(o.isa);
}

static void options_come_in_any_order(void **unused)
{
  (void)unused;
  struct options o;
  assert_int_equal(
      parse(&o, (char *[ARGUMENTS]){"--duration", "2.5", "a.yaml", "--report=-", "--require-realtime"}), -1);
  assert_string_equal(o.file, "a.yaml");
  assert_true(o.duration == 2.5);
  assert_string_equal(o.report, "-");
  assert_true(o.require_realtime);
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"a.yaml", "--miss-log", "m.jsonl"}), -1);
  assert_string_equal(o.miss_log, "m.jsonl");
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"a.yaml", "--miss-log-size", "7"}), -1);
  assert_int_equal(o.miss_log_mb, 7);
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"a.yaml", "--state-dir", "/var/lib/x"}), -1);
  assert_string_equal(o.state_dir, "/var/lib/x");
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"--check", "a.yaml"}), -1);
  assert_int_equal(o.check, CHECK_TEXT);
  assert_false(o.strict);
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"--check=json", "--strict", "a.yaml"}), -1);
  assert_int_equal(o.check, CHECK_JSON);
  assert_true(o.strict);
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"--isa", "baseline", "a.yaml"}), -1);
  assert_string_equal(o.isa, "baseline");
  assert_int_equal(
      parse(&o, (char *[ARGUMENTS]){"--set", "model.gravity=[0,0,0]", "a.yaml", "--set=solver.gamma=0.6"}),
      -1);
  assert_int_equal(o.set.count, 2);
}

static void help_and_version_are_no_mistakes(void **unused)
{
  (void)unused;
  struct options o;
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"--help"}), STATUS_OK);
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"--help", "solver.gamma"}), STATUS_OK);
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"--help=cycle"}), STATUS_OK);
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"--help", "solver.gama"}), STATUS_USAGE);
  assert_int_equal(parse(&o, (char *[ARGUMENTS]){"a.yaml", "--version"}), STATUS_OK);
}

static void mistakes_are_refused(void **unused)
{
  (void)unused;
  static char *const wrong[][ARGUMENTS] = {
      {NULL},
      {"a.yaml", "b.yaml"},
      {"a.yaml", "--nonsense"},
      {"a.yaml", "--duration"},
      {"a.yaml", "--duration", "0"},
      {"a.yaml", "--duration", "-1"},
      {"a.yaml", "--duration", "1x"},
      {"a.yaml", "--duration", ""},
      {"a.yaml", "--duration", "nan"},
      {"a.yaml", "--duration", "inf"},
      {"a.yaml", "--duration", "1e10"},
      {"--check"},
      {"a.yaml", "--check=yaml"},
      {"a.yaml", "--strict"},
      {"a.yaml", "--miss-log"},
      {"a.yaml", "--miss-log-size", "0"},
      {"a.yaml", "--miss-log-size", "1.5"},
      {"a.yaml", "--miss-log-size", "1000001"},
      {"a.yaml", "--isa"},
      {"a.yaml", "--isa", "sse2"},
      {"a.yaml", "--isa", ""},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    struct options o;
    assert_int_equal(parse(&o, wrong[k]), STATUS_USAGE);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_file_alone_is_enough),
      cmocka_unit_test(options_come_in_any_order),
      cmocka_unit_test(help_and_version_are_no_mistakes),
      cmocka_unit_test(mistakes_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
