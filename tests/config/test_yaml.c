/* SPDX-License-Identifier: MIT */
#include "scratch.h"

#include "config/yaml.h"

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

static void nodes_know_their_places(void **state)
{
  (void)state;
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

static void aliases_stand_for_their_anchor(void **state)
{
  (void)state;
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
  assert_non_null(strstr(errors, ":1:11: error: alias within its own anchor"));
  yaml_free(&y);
}

static void columns_are_characters(void **state)
{
  (void)state;
  struct yaml y;
  char errors[1000] = "";
  assert_false(read_text(&y, "\"\xc3\xa9\xc3\xa9\": *x\n", errors, sizeof errors));
  assert_non_null(strstr(errors, ":1:7: error: "));
  assert_non_null(strstr(errors, "\n      ^\n"));
  yaml_free(&y);
}

/* libfyaml would end the document there without a word. */
static void bytes_that_are_no_text_are_refused(void **state)
{
  (void)state;
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

static void depth_is_bounded(void **state)
{
  (void)state;
  struct yaml y;
  char text[200] = "", errors[1000] = "";
  memset(text, '[', 60);
  assert_false(read_text(&y, text, errors, sizeof errors));
  assert_non_null(strstr(errors, "nested too deeply"));
  yaml_free(&y);
}

static void long_lines_are_shown_around_the_place(void **state)
{
  (void)state;
  struct yaml y;
  char text[3000] = "{", errors[1000] = "";
  for (int i = 0; i < 150; i++) snprintf(text + strlen(text), 20, "k%d: %d, ", i, i);
  strncat(text, "z: *nobody}\n", 20);
  assert_false(read_text(&y, text, errors, sizeof errors));
  assert_non_null(strstr(errors, "z: *nobody}\n"));
  assert_true(strlen(errors) < 400);
  yaml_free(&y);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nodes_know_their_places), cmocka_unit_test(aliases_stand_for_their_anchor),
      cmocka_unit_test(columns_are_characters),  cmocka_unit_test(bytes_that_are_no_text_are_refused),
      cmocka_unit_test(depth_is_bounded),        cmocka_unit_test(long_lines_are_shown_around_the_place),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
