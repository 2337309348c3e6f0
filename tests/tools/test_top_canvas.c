/* SPDX-License-Identifier: MIT
 * Text on a grid: cut off, wrapped, and of any bytes. */
#include "canvas.h"
#include "check.h"
#include "tools/canvas_text.h"

#include <locale.h>
#include <stdint.h>
#include <string.h>

static struct canvas canvas;

static void start(int columns, int rows, bool utf8)
{
  canvas.utf8 = utf8;
  assert_true(canvas_resize(&canvas, columns, rows));
}

static int finish(void **state)
{
  (void)state;
  canvas_free(&canvas);
  return 0;
}

static void assert_row(int row, const char *expected)
{
  char text[512];
  canvas_text(&canvas, row, text, sizeof text);
  assert_string_equal(text, expected);
}

TEST(drawing_ends_at_the_border)
{
  start(8, 3, false);
  const struct area all = area_of(&canvas), part = area_part(&all, 2, 1, 4, 1);
  assert_int_equal(area_put(&part, 1, 0, STYLE_BAD, "abcdef"), 7);
  assert_int_equal(area_put(&part, -2, 0, STYLE_PLAIN, "xyz"), 1);
  area_put(&part, 0, 1, STYLE_PLAIN, "below");
  area_put(&part, 0, -1, STYLE_PLAIN, "above");
  assert_row(0, "");
  assert_row(1, "  zabc");
  assert_row(2, "");
  assert_int_equal(canvas.cell[8 + 3].style, STYLE_BAD);
  assert_int_equal(canvas.cell[8 + 2].style, STYLE_PLAIN);
}

TEST(parts_stay_within_the_whole)
{
  start(10, 4, false);
  const struct area all = area_of(&canvas);
  static const int wanted[][4] = {
      {-3, -3, 99, 99}, {9, 3, 5, 5}, {20, 20, 5, 5}, {2, 2, -4, -4}, {0, 0, 0, 9}};
  for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
    const struct area a = area_part(&all, wanted[i][0], wanted[i][1], wanted[i][2], wanted[i][3]);
    assert_true(a.columns >= 0 && a.rows >= 0 && a.column >= 0 && a.row >= 0);
    assert_true(a.column + a.columns <= 10 && a.row + a.rows <= 4);
  }
  start(0, 0, false);
  const struct area none = area_of(&canvas);
  area_put(&none, 0, 0, STYLE_PLAIN, "nowhere");
}

TEST(text_is_broken_at_blanks)
{
  start(12, 5, false);
  const struct area all = area_of(&canvas);
  assert_int_equal(area_wrap(&all, 1, 0, 2, STYLE_PLAIN, "one two three on"), 2);
  assert_row(0, " one two");
  assert_row(1, "   three on");
  assert_int_equal(area_wrap(&all, 0, 2, 0, STYLE_PLAIN, "a  wordthatistoolong b"), 3);
  assert_row(2, "a");
  assert_row(3, "wordthatisto"); /* a word that is too long for a row is cut */
  assert_row(4, "b");
  assert_int_equal(area_wrap(&all, 0, 2, 0, STYLE_PLAIN, ""), 1);
}

/* No text from outside moves the cursor or takes two columns. */
TEST(any_bytes_are_one_column_each)
{
  const bool utf8 = setlocale(LC_CTYPE, "C.UTF-8") != NULL;
  start(40, 1, true);
  const struct area all = area_of(&canvas);
  static const char text[] =
      "a\033[2J\t\x7f \xc3\xa4 \xe2\x96\x88 \xff \xe6\x97\xa5 \xcc\x81 \xf0\x9f\x98\x80 \xe2\x96";
  area_put(&all, 0, 0, STYLE_PLAIN, text);
  if (utf8) assert_row(0, "a?[2J?? \xc3\xa4 \xe2\x96\x88 ? ? ? ? ?");
  canvas.utf8 = false;
  area_clear(&all);
  area_put(&all, 0, 0, STYLE_PLAIN, text);
  assert_row(0, "a?[2J?? ? ? ? ? ? ? ?");
  setlocale(LC_CTYPE, "C");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_teardown(drawing_ends_at_the_border, finish),
      cmocka_unit_test_teardown(parts_stay_within_the_whole, finish),
      cmocka_unit_test_teardown(text_is_broken_at_blanks, finish),
      cmocka_unit_test_teardown(any_bytes_are_one_column_each, finish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
