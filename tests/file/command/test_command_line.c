/* SPDX-License-Identifier: MIT
 * A table with a row of each kind: what it reads, what it refuses, and with which words. */
#include "check.h"
#include "command/command_line.h"

#include <fcntl.h>
#include <float.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { ARGUMENTS = 16, WRONG = 2, ENDED = 5 };

struct toy {
  bool fast;
  const char *name, *colour, *other;
  struct command_texts set;
  int shape, form;
  double length;
  int count;
  long every;
  uint64_t given;
};

static bool take_other(char *word, void *options)
{
  ((struct toy *)options)->other = word ? word : "none";
  return true;
}

static int end_with(char *word)
{
  return word ? -1 : ENDED;
}

static int explain(const char *key)
{
  return strcmp(key, "mass") == 0 ? 0 : WRONG;
}

static const struct command_option list[] = {
    COMMAND_SWITCH(struct toy, fast, "fast", "go fast"),
    COMMAND_TEXT(struct toy, name, "name", "NAME", "a name"),
    COMMAND_TEXTS(struct toy, set, "set", "KEY=VALUE", "any number"),
    COMMAND_WORD(struct toy, shape, "shape", "WORD", "box, rod or ball", "a shape"),
    COMMAND_WORD(struct toy, form, "form", "[=json|csv]", "json or csv", "a form"),
    COMMAND_NAME(struct toy, colour, "colour", "WORD", "red or blue", "a colour"),
    COMMAND_NUMBER(struct toy, length, "length", "M", DBL_MIN, DBL_MAX, "a length"),
    COMMAND_HEADING("numbers:"),
    COMMAND_COUNT(struct toy, count, "count", "N", 1, 9, "a count"),
    COMMAND_LONG(struct toy, every, "every", "N", 1, DBL_MAX, "a long count"),
    COMMAND_OTHER(take_other, "other", "[=X]", "anything"),
    COMMAND_END(end_with, "end", NULL, "ends"),
    {0},
};
static const struct command_line toy_command = {.name = "toy",
                                                .head = "Usage: toy\n",
                                                .tail = "Exit status: 0\n",
                                                .option = list,
                                                .wrong = WRONG,
                                                .given = offsetof(struct toy, given),
                                                .explain = explain,
                                                .explained = "this text"};

static char said[4000];

/* Runs one call with standard output and error in `said`. */
static int read_words(struct toy *t, const char *words)
{
  char copy[200], *argv[ARGUMENTS + 1] = {"toy"}, *rest = NULL;
  char path[] = "/tmp/ali3-command-XXXXXX";
  int argc = 1;
  snprintf(copy, sizeof copy, "%s", words);
  for (char *w = strtok_r(copy, " ", &rest); w && argc < ARGUMENTS; w = strtok_r(NULL, " ", &rest))
    argv[argc++] = w;
  fflush(stdout);
  const int file = mkstemp(path), out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
  assert_true(file >= 0);
  unlink(path);
  dup2(file, STDOUT_FILENO);
  dup2(file, STDERR_FILENO);
  optind = 1;
  *t = (struct toy){0};
  const int status = command_read(&toy_command, argc, argv, t);
  fflush(stdout);
  dup2(out, STDOUT_FILENO);
  dup2(err, STDERR_FILENO);
  const ssize_t n = pread(file, said, sizeof said - 1, 0);
  said[n > 0 ? n : 0] = '\0';
  close(file);
  close(out);
  close(err);
  return status;
}

static void each_kind_is_read(void **unused)
{
  (void)unused;
  struct toy t;
  assert_int_equal(read_words(&t, "--fast --name=a --set x=1 --set y=2 --shape ball"), -1);
  assert_true(t.fast);
  assert_int_equal(t.set.count, 2);
  assert_int_equal(t.shape, 2);
  assert_true(command_given(&toy_command, &t, "fast") && !command_given(&toy_command, &t, "form"));
  free(t.set.text);
  /* A word that may be left out, and numbers. */
  assert_int_equal(read_words(&t, "--form --colour blue --length 0.5 --count 9 --every 4000000000 --other"),
                   -1);
  assert_int_equal(t.form, 1);
  assert_true(t.length == 0.5 && t.count == 9 && t.every == 4000000000);
  assert_int_equal(read_words(&t, "--form=csv --other=x --end"), ENDED);
  assert_int_equal(t.form, 3);
  assert_int_equal(read_words(&t, "--help"), 0);
  assert_non_null(strstr(said, "\n  --form[=json|csv]"));
  assert_int_equal(read_words(&t, "--help mass"), 0);
  assert_int_equal(read_words(&t, "--help weight"), WRONG);
}

static void mistakes_are_named(void **unused)
{
  (void)unused;
  static const struct {
    const char *words, *said;
  } wrong[] = {
      {"--name=", "toy: --name: expected NAME, found nothing\nTry toy --help\n"},
      {"--shape bal", "--shape: expected box, rod or ball, found bal\n"},
      {"--shape or", "--shape: expected box, rod or ball, found or\n"},
      {"--form=xml", "--form: expected json or csv, found xml\n"},
      {"--colour r", "--colour: expected red or blue, found r\n"},
      {"--length 0", "--length: expected a number above 0, found 0\n"},
      {"--length inf", "--length: expected a number above 0, found inf\n"},
      {"--count 10", "--count: expected a whole number from 1 to 9, found 10\n"},
      {"--every 0", "--every: expected a whole number, 1 or above, found 0\n"},
      {"--every 99999999999999999999", "--every: expected a whole number, 1 or above, found 9999"},
      {"--count", "requires an argument"},
      {"--nothing", "unrecognized option"},
  };
  for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    struct toy t;
    assert_int_equal(read_words(&t, wrong[k].words), WRONG);
    if (!strstr(said, wrong[k].said)) fail_msg("%s: %s", wrong[k].words, said);
  }
}

static void options_of_another_command_are_refused(void **unused)
{
  (void)unused;
  struct toy t;
  char word[] = "8", large[] = "80";
  assert_int_equal(read_words(&t, "--fast --count 3"), -1);
  assert_true(command_only(&toy_command, &t, "run", "fast length count"));
  assert_false(command_only(&toy_command, &t, "map", "faster length count"));
  /* The same row reads a word from elsewhere. */
  assert_true(command_take(&toy_command, "count", "count in the file", word, &t));
  assert_int_equal(t.count, 8);
  assert_false(command_take(&toy_command, "count", "count in the file", large, &t));
  assert_false(command_take(&toy_command, "size", "size in the file", word, &t));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_kind_is_read),
      cmocka_unit_test(mistakes_are_named),
      cmocka_unit_test(options_of_another_command_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
