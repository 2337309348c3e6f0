/* SPDX-License-Identifier: MIT
 * The state file: written records come back, and any other content is refused. */
#include "restart/state_file.h"

#include "common/folder.h"

#include <errno.h>
#include <fcntl.h>

static const struct state_record stop = {
    .disarmed = true, .state = STATE_SAFE, .fault = FAULT_ESTOP, .who = "osc client 127.0.0.1:4711"};

static void assert_same(const struct state_record *a, const struct state_record *b)
{
  assert_int_equal(a->ended, b->ended);
  assert_int_equal(a->disarmed, b->disarmed);
  assert_int_equal(a->state, b->state);
  assert_int_equal(a->fault, b->fault);
  assert_string_equal(a->who, b->who);
}

TEST(a_written_record_comes_back)
{
  const struct state_record records[] = {
      stop,
      {.ended = true, .state = STATE_RUNNING},
      {.ended = true, .disarmed = true, .state = STATE_STOPPED},
      {.disarmed = true, .state = STATE_INIT, .fault = FAULT_BEAT},
      {.disarmed = true,
       .state = STATE_FAULT,
       .fault = FAULT_SINGULAR,
       .who = "a \"quoted\" \\ name, \xc3\xa4"},
  };
  char error[200];
  for (size_t i = 0; i < sizeof records / sizeof *records; i++) {
    assert_int_equal(state_file_write(in_folder("a.state"), "a", &records[i]), 0);
    const struct state_copy home = state_file_read(in_folder("a.state"), "a", error, sizeof error);
    assert_int_equal(home.found, COPY_READ);
    assert_same(&home.record, &records[i]);
    assert_int_equal(count_files(), 1); /* no other file */
  }
  assert_int_equal(state_file_read(in_folder("b.state"), "b", error, sizeof error).found, COPY_MISSING);
}

static void assert_broken(const char *text, const char *why)
{
  char error[200] = "";
  write_text(in_folder("a.state"), text);
  assert_int_equal(state_file_read(in_folder("a.state"), "a", error, sizeof error).found, COPY_BROKEN);
  if (!strstr(error, why)) fail_msg("%s: expected \"%s\", found \"%s\"", text, why, error);
}

TEST(every_beginning_of_a_file_is_broken)
{
  char text[TEXT], error[200];
  assert_int_equal(state_file_write(in_folder("a.state"), "a", &stop), 0);
  snprintf(text, sizeof text, "%s", read_all(in_folder("a.state")));
  const size_t size = strlen(text) - 1; /* the last newline does not matter */
  for (size_t n = 0; n < size; n++) {
    FILE *f = fopen(in_folder("a.state"), "we");
    fwrite(text, 1, n, f);
    fclose(f);
    assert_int_equal(state_file_read(in_folder("a.state"), "a", error, sizeof error).found, COPY_BROKEN);
  }
}

/* Replaces `old` by `new` in a good file. */
static void assert_broken_by(const char *old, const char *new, const char *why)
{
  char text[TEXT], changed[TEXT + 200];
  assert_int_equal(state_file_write(in_folder("a.state"), "a", &stop), 0);
  snprintf(text, sizeof text, "%s", read_all(in_folder("a.state")));
  char *at = strstr(text, old);
  if (!at) fail_msg("no %s in %s", old, text);
  snprintf(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, new, at + strlen(old));
  assert_broken(changed, why);
}

TEST(every_mistake_is_broken)
{
  static const char keys[] = "a key is missing, unknown, or of another type";
  assert_broken("", "'[' or '{' expected");
  assert_broken("ended", "");
  assert_broken("[]", keys);
  assert_broken("{}", keys);
  assert_broken_by("\"ended\": false,", "", keys);
  assert_broken_by("\"ended\": false,", "\"ended\": 0,", keys);
  assert_broken_by("\"ended\": false,", "\"ended\": false, \"ended\": true,", "duplicate");
  assert_broken_by("\"ended\": false,", "\"ended\": false, \"more\": 1,", keys);
  assert_broken_by("\"format\": 1", "\"format\": 2", "it has another format");
  assert_broken_by("\"instance\": \"a\"", "\"instance\": \"b\"", "it belongs to another instance");
  assert_broken_by("\"state\": \"SAFE\"", "\"state\": \"FAST\"", "its state is unknown");
  assert_broken_by("\"state\": \"SAFE\"", "\"state\": \"EXIT\"", "its state is unknown");
  assert_broken_by("\"fault\": 1,", "\"fault\": 99,", "its fault is unknown");
  assert_broken_by("\"fault\": 1,", "\"fault\": -1,", "its fault is unknown");
  assert_broken_by("\"fault\": 1,", "\"fault\": 0,", "its state and fault contradict each other");
  assert_broken_by("\"disarmed\": true", "\"disarmed\": false", "its state and fault contradict each other");
  assert_broken_by("osc client", "osc\\u001b[2J", "latched_by is no name");
  assert_broken_by("osc client", "osc\\u0000", "");
  assert_broken_by("osc client", "osc\xff", "");
  assert_broken_by(
      "osc client",
      "0123456789012345678901234567890123456789012345678901234567890123456789012345678901234567890",
      "latched_by is no name");
  assert_broken_by("{", "{{", "");
  assert_broken_by("\n}", "\n} {}", "");
  char *large = malloc(8000);
  memset(large, ' ', 7999);
  large[7999] = '\0';
  assert_broken(large, "it is no regular file, or too long");
  free(large);
}

/* Reading must neither block nor follow a link that somebody made. */
TEST(an_irregular_file_is_broken)
{
  char error[200];
  const char *target = in_folder("b.state");
  assert_int_equal(mkfifo(in_folder("a.state"), 0600), 0);
  assert_int_equal(state_file_read(in_folder("a.state"), "a", error, sizeof error).found, COPY_BROKEN);
  unlink(in_folder("a.state"));
  assert_int_equal(mkdir(in_folder("a.state"), 0700), 0);
  assert_int_equal(state_file_read(in_folder("a.state"), "a", error, sizeof error).found, COPY_BROKEN);
  assert_int_not_equal(state_file_write(in_folder("a.state"), "a", &stop), 0);
  rmdir(in_folder("a.state"));
  assert_int_equal(state_file_write(target, "a", &stop), 0);
  assert_int_equal(symlink(target, in_folder("a.state")), 0);
  assert_int_equal(state_file_read(in_folder("a.state"), "a", error, sizeof error).found, COPY_BROKEN);
}

TEST(a_failure_leaves_the_old_file)
{
  char error[200];
  assert_int_equal(state_file_write(in_folder("a.state"), "a", &stop), 0);
  assert_int_equal(mkdir(in_folder("a.state.new"), 0700), 0); /* in the way of the new file */
  const struct state_record next = {.ended = true, .state = STATE_RUNNING};
  assert_int_equal(state_file_write(in_folder("a.state"), "a", &next), EISDIR);
  const struct state_copy home = state_file_read(in_folder("a.state"), "a", error, sizeof error);
  assert_int_equal(home.found, COPY_READ);
  assert_same(&home.record, &stop);
  assert_int_equal(state_file_write("/proc/ali3/a.state", "a", &next), ENOENT);
}

TEST(the_place_goes_by_option_service_and_user)
{
  char path[600], error[200], expected[600];
  const char *given = in_folder("deep");
  assert_true(state_file_path(given, "a", path, sizeof path, error, sizeof error));
  snprintf(expected, sizeof expected, "%s/a.state", given);
  assert_string_equal(path, expected);
  struct stat st;
  assert_true(stat(given, &st) == 0 && S_ISDIR(st.st_mode)); /* it did not exist */
  snprintf(expected, sizeof expected, "%s:/elsewhere", given);
  setenv("STATE_DIRECTORY", expected, 1);
  assert_true(state_file_path(NULL, "b", path, sizeof path, error, sizeof error));
  snprintf(expected, sizeof expected, "%s/b.state", given);
  assert_string_equal(path, expected);
  unsetenv("STATE_DIRECTORY");
  write_text(in_folder("file"), "");
  assert_false(state_file_path(in_folder("file/x"), "a", path, sizeof path, error, sizeof error));
  assert_non_null(strstr(error, "file/x: cannot make the folder: Not a directory"));
  if (geteuid() == 0) return;
  setenv("XDG_STATE_HOME", "relative", 1); /* the specification demands that this is ignored */
  setenv("HOME", folder, 1);
  assert_true(state_file_path(NULL, "a", path, sizeof path, error, sizeof error));
  snprintf(expected, sizeof expected, "%s/.local/state/ali3/a.state", folder);
  assert_string_equal(path, expected);
  rmdir(in_folder(".local/state/ali3"));
  rmdir(in_folder(".local/state"));
  rmdir(in_folder(".local"));
  unsetenv("HOME");
  unsetenv("XDG_STATE_HOME");
  assert_false(state_file_path(NULL, "a", path, sizeof path, error, sizeof error));
}

#define ROW(f) cmocka_unit_test_setup_teardown(f, make_folder, remove_folder)

int main(void)
{
  const struct CMUnitTest tests[] = {
      ROW(a_written_record_comes_back),   ROW(every_beginning_of_a_file_is_broken),
      ROW(every_mistake_is_broken),       ROW(an_irregular_file_is_broken),
      ROW(a_failure_leaves_the_old_file), ROW(the_place_goes_by_option_service_and_user),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
