/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include "yaml/text_file.h"
#include "yaml/yaml.h"

#include <sys/stat.h>

static bool read_text(struct yaml *y, const char *text, char *errors, size_t size)
{
  char file[32];
  write_scratch(file, text, strlen(text));
  FILE *out = fmemopen(errors, size, "w");
  assert_non_null(out);
  struct report r = {.out = out};
  bool good = yaml_read(y, file, &r);
  fclose(out);
  unlink(file);
  return good;
}

static void assert_place(struct place at, int line, int column)
{
  assert_int_equal(at.line, line);
  assert_int_equal(at.column, column);
}

TEST(nodes_know_their_places)
{
  struct yaml y;
  char errors[1000] = "";
  assert_true(
      read_text(&y, "# head\na: 1\nb:\n  c: [x, \"y\"]\n  \"d\": {e: f}\ng:\n", errors, sizeof errors));
  const struct node *b = node_find(y.root, "b"), *c = node_find(b, "c"), *d = node_find(b, "d");
  assert_place(node_find(y.root, "a")->at, 2, 4);
  assert_place(node_find(y.root, "a")->key_at, 2, 1);
  assert_place(b->at, 4, 3);
  assert_place(c->at, 4, 6);
  assert_int_equal(c->count, 2);
  assert_place(c->first->next->at, 4, 10); /* at the quote */
  assert_true(c->first->next->quoted && !c->first->quoted);
  assert_place(d->key_at, 5, 3);
  assert_string_equal(node_find(d, "e")->text, "f");
  assert_int_equal(node_find(y.root, "g")->kind, NODE_NOTHING);
  assert_place(node_find(y.root, "g")->at, 6, 1);
  assert_null(node_find(y.root, "h"));
  assert_null(node_find(NULL, "h"));
  assert_ptr_equal(node_elements(b, "c"), c->first);
  assert_null(node_elements(b, "d"));
  yaml_free(&y);
}

TEST(aliases_stand_for_their_anchor)
{
  struct yaml y;
  char errors[1000] = "";
  assert_true(read_text(&y, "a: &m {k: 1}\nb: *m\nc: &m 2\nd: *m\n", errors, sizeof errors));
  const struct node *b = node_find(y.root, "b");
  assert_int_equal(b->kind, NODE_MAP);
  assert_string_equal(node_find(b, "k")->text, "1");
  assert_place(b->at, 2, 4);
  assert_string_equal(node_find(y.root, "d")->text, "2");
  yaml_free(&y);
  assert_false(read_text(&y, "a: &m [1, *m]\n", errors, sizeof errors));
  assert_non_null(strstr(errors, ":1:11: error: expected an alias of another node"));
  yaml_free(&y);
}

TEST(columns_are_characters)
{
  struct yaml y;
  char errors[1000] = "";
  assert_false(read_text(&y, "\"\xc3\xa9\xc3\xa9\": *x\n", errors, sizeof errors));
  assert_non_null(strstr(errors, ":1:7: error: "));
  assert_non_null(strstr(errors, "\n      ^\n"));
  yaml_free(&y);
}

/* libfyaml would end the document at such a byte without an error. */
TEST(bytes_other_than_text_are_refused)
{
  static const char *const bad[] = {"a: 1\nb: \xff\n", "a: 1\nb: \xc3", "a: 1\nb: \xc0\x80\n",
                                    "a: 1\nb: \x1b[2J\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct yaml y;
    char errors[1000] = "";
    assert_false(read_text(&y, bad[i], errors, sizeof errors));
    assert_non_null(strstr(errors, ":2:4: error: expected "));
    assert_null(strchr(errors, 0x1b));
    yaml_free(&y);
  }
}

TEST(depth_is_bounded)
{
  struct yaml y;
  char text[200] = "", errors[1000] = "";
  memset(text, '[', 60);
  assert_false(read_text(&y, text, errors, sizeof errors));
  assert_non_null(strstr(errors, "expected at most 32 lists and mappings inside each other"));
  yaml_free(&y);
}

TEST(long_lines_are_shown_around_the_place)
{
  struct yaml y;
  char text[3000] = "{", errors[1000] = "";
  for (int i = 0; i < 150; i++) snprintf(text + strlen(text), 32, "k%d: %d, ", i, i);
  strncat(text, "z: *nobody}\n", 20);
  assert_false(read_text(&y, text, errors, sizeof errors));
  assert_non_null(strstr(errors, "z: *nobody}\n"));
  assert_true(strlen(errors) < 400);
  yaml_free(&y);
}

/* Texts reach terminals and logs. A quoted text can hold characters that check_text() refuses. */
TEST(control_characters_behind_escapes_are_refused)
{
  static const char *const bad[] = {"a: 1\nb: \"\\x1b[2J\"\n", "a: 1\nb: \"\\r\"\n", "a: 1\nb: \"\\x7f\"\n",
                                    "a: 1\nb: \"\\u009b2J\"\n"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    struct yaml y;
    char errors[1000] = "";
    assert_false(read_text(&y, bad[i], errors, sizeof errors));
    assert_non_null(strstr(errors, ":2:4: error: expected a text without control characters"));
    yaml_free(&y);
  }
}

/* The messages about the file at `path`, which `read` refuses. */
static void refuse(bool (*read)(struct yaml *, const char *, struct report *), const char *path, char *errors,
                   size_t size)
{
  struct yaml y;
  FILE *out = fmemopen(errors, size, "w");
  assert_non_null(out);
  struct report r = {.out = out};
  assert_false(read(&y, path, &r));
  fclose(out);
  yaml_free(&y);
}

TEST(only_files_of_a_bounded_size_are_read)
{
  char file[32], errors[400] = "";
  write_scratch(file, "", 0);
  assert_int_equal(truncate(file, ((off_t)TEXT_FILE_MB << 20) + 1), 0);
  refuse(yaml_read, file, errors, sizeof errors);
  assert_non_null(strstr(errors, "error: expected at most 64 MB, found 64.0 MB"));
  unlink(file);

  assert_int_equal(mkfifo(file, 0600),
                   0); /* a fifo without a writer: an open() that waits would never return */
  refuse(yaml_read, file, errors, sizeof errors);
  assert_non_null(strstr(errors, "error: expected a regular file, found a FIFO"));
  unlink(file);
  refuse(yaml_read_main, "/dev/zero", errors, sizeof errors);
  assert_non_null(strstr(errors, "/dev/zero: error: expected a regular file, found a device"));
  refuse(yaml_read_main, "/", errors, sizeof errors);
  assert_non_null(strstr(errors, "/: error: expected a regular file, found a folder"));
}

TEST(a_pipe_is_read_to_its_end)
{
  int end[2];
  char path[40], errors[400] = "";
  struct yaml y;
  FILE *out = fmemopen(errors, sizeof errors, "w");
  struct report r = {.out = out};
  assert_true(out && pipe(end) == 0);
  assert_int_equal(write(end[1], "a: 1\n", 5), 5);
  close(end[1]);
  snprintf(path, sizeof path, "/proc/self/fd/%d", end[0]);
  assert_true(yaml_read_main(&y, path, &r));
  assert_string_equal(node_find(y.root, "a")->text, "1");
  yaml_free(&y);
  assert_false(yaml_read(&y, path, &r));
  yaml_free(&y);
  fclose(out);
  close(end[0]);
}

/* A configuration may name any file of the machine. No line of it is printed before the file proves to be a configuration. */
TEST(lines_of_another_file_are_not_shown)
{
  static const char secret[] = "root:$6$salt$hash:19000:0\n  x: [unclosed\n";
  char file[32], errors[400] = "";
  write_scratch(file, secret, sizeof secret - 1);
  refuse(yaml_read_part, file, errors, sizeof errors);
  assert_non_null(strstr(errors, ": error: "));
  assert_null(strstr(errors, "hash"));
  refuse(yaml_read, file, errors, sizeof errors);
  assert_non_null(strstr(errors, "\n"));
  unlink(file);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(control_characters_behind_escapes_are_refused),
      cmocka_unit_test(only_files_of_a_bounded_size_are_read),
      cmocka_unit_test(a_pipe_is_read_to_its_end),
      cmocka_unit_test(lines_of_another_file_are_not_shown),
      cmocka_unit_test(nodes_know_their_places),
      cmocka_unit_test(aliases_stand_for_their_anchor),
      cmocka_unit_test(columns_are_characters),
      cmocka_unit_test(bytes_other_than_text_are_refused),
      cmocka_unit_test(depth_is_bounded),
      cmocka_unit_test(long_lines_are_shown_around_the_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
