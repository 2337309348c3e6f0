/* SPDX-License-Identifier: MIT
 * The effects of keys in ali3-top. */
#include "check.h"
#include "view.h"

#include <stdio.h>
#include <string.h>

TEST(keys_turn_views)
{
  struct view v = {0};
  assert_int_equal(view_key(&v, 'v'), ACTION_NONE);
  assert_int_equal(v.kind, VIEW_HISTOGRAMS);
  view_key(&v, 'V');
  view_key(&v, 'V');
  assert_int_equal(v.kind, VIEW_RIG);
  view_key(&v, 'V');
  assert_int_equal(v.kind, VIEW_VALUES);
  view_key(&v, 'V');
  assert_int_equal(v.kind, VIEW_FIGURES);
  view_key(&v, '4');
  assert_int_equal(v.kind, VIEW_LEVELS);
  view_key(&v, KEYS_DOWN);
  view_key(&v, KEYS_PAGE_DOWN);
  view_key(&v, KEYS_UP);
  assert_int_equal(v.scroll, 10);
  view_key(&v, KEYS_HOME);
  view_key(&v, KEYS_UP);
  assert_int_equal(v.scroll, 0);
  view_key(&v, '9');
  assert_int_equal(v.kind, VIEW_PLATFORM);
  view_key(&v, '0');
  assert_int_equal(v.kind, VIEW_FIGURES);
  view_key(&v, '4');
  view_key(&v, 'x');
  view_key(&v, 0x1ff);
  assert_int_equal(v.kind, VIEW_LEVELS);
  for (int i = 0; i < SORTS; i++) view_key(&v, 's');
  assert_int_equal(v.sort, SORT_LISTED);
  view_key(&v, ' ');
  assert_true(v.held);
  view_key(&v, 'p');
  assert_false(v.held);
}

static void type_text(struct view *v, const char *text)
{
  for (; *text; text++) assert_int_equal(view_key(v, *text), ACTION_NONE);
}

TEST(signals_are_typed)
{
  struct view v = {.scroll = 3};
  assert_int_equal(view_key(&v, 'w'), ACTION_PROMPT);
  assert_int_equal(v.overlay, OVERLAY_PROMPT);
  /* Keys of the screen are text here. */
  type_text(&v, "q?w, 1*");
  view_key(&v, KEYS_BACKSPACE);
  view_key(&v, KEYS_UP);
  view_key(&v, '\t');
  view_key(&v, 0xfc);
  assert_string_equal(v.typed, "q?w, 1");
  assert_int_equal(view_key(&v, KEYS_ENTER), ACTION_VALUES);
  assert_int_equal(v.overlay, OVERLAY_NONE);
  assert_int_equal(v.kind, VIEW_VALUES);
  assert_int_equal(v.scroll, 0);
  /* Ctrl-U empties the line; Escape chooses nothing; a line has an end. */
  v.kind = VIEW_OVERVIEW;
  view_key(&v, 'w');
  view_key(&v, 0x15);
  assert_string_equal(v.typed, "");
  view_key(&v, KEYS_BACKSPACE);
  for (size_t i = 0; i < 2 * sizeof v.typed; i++) view_key(&v, 'x');
  assert_int_equal(strlen(v.typed), sizeof v.typed - 1);
  assert_int_equal(view_key(&v, KEYS_ESCAPE), ACTION_NONE);
  assert_int_equal(v.overlay, OVERLAY_NONE);
  assert_int_equal(v.kind, VIEW_OVERVIEW);
}

TEST(every_distribution_can_be_chosen)
{
  struct view v = {0};
  int seen[BOOK_ROWS] = {0};
  for (int i = 0; i < HISTOGRAM_CHOICES; i++) {
    int row[HISTOGRAMS_MAX];
    const int n = view_histograms(&v, i % 2, row);
    for (int k = 0; k < n; k++) {
      assert_in_range(row[k], 0, BOOK_ROWS - 1);
      seen[row[k]]++;
    }
    view_key(&v, 'h');
  }
  assert_int_equal(v.histograms, 0);
  for (int i = 0; i < BOOK_ROWS; i++) assert_true(seen[i] > 0);
}

TEST(keys_wish)
{
  struct view v = {0};
  static const struct {
    int key;
    enum key_action action;
  } wishes[] = {{'q', ACTION_QUIT},  {'r', ACTION_RESET},    {'n', ACTION_NEXT},
                {'\t', ACTION_NEXT}, {'N', ACTION_PREVIOUS}, {KEYS_BACK_TAB, ACTION_PREVIOUS}};
  for (size_t i = 0; i < sizeof wishes / sizeof *wishes; i++)
    assert_int_equal(view_key(&v, wishes[i].key), wishes[i].action);

  view_key(&v, '?');
  assert_int_equal(v.overlay, OVERLAY_HELP);
  assert_int_equal(view_key(&v, 'q'), ACTION_NONE); /* closes the help only */
  assert_int_equal(v.overlay, OVERLAY_NONE);

  assert_int_equal(view_key(&v, 'i'), ACTION_LIST);
  assert_int_equal(view_key(&v, KEYS_ENTER), ACTION_NONE); /* there is none */
  view_key(&v, 'i');
  v.instances = 3;
  view_key(&v, KEYS_UP);
  assert_int_equal(v.chosen, 0);
  for (int i = 0; i < 5; i++) view_key(&v, KEYS_DOWN);
  assert_int_equal(v.chosen, 2);
  assert_int_equal(view_key(&v, KEYS_ENTER), ACTION_CHOSEN);
  assert_int_equal(v.overlay, OVERLAY_NONE);
  view_key(&v, 'i');
  assert_int_equal(view_key(&v, 'q'), ACTION_NONE);
  assert_int_equal(v.overlay, OVERLAY_NONE);
}

TEST(neighbours_go_round)
{
  struct view v = {0};
  assert_null(view_neighbour(&v, "a", 1));
  v.instances = 1;
  snprintf(v.instance[0], sizeof v.instance[0], "a");
  assert_null(view_neighbour(&v, "a", 1));
  assert_string_equal(view_neighbour(&v, "gone", 1), "a");
  v.instances = 3;
  snprintf(v.instance[1], sizeof v.instance[1], "b");
  snprintf(v.instance[2], sizeof v.instance[2], "c");
  assert_string_equal(view_neighbour(&v, "c", 1), "a");
  assert_string_equal(view_neighbour(&v, "a", -1), "c");
  assert_string_equal(view_neighbour(&v, "a", 1), "b");
  v.chosen = 1; /* the place of one that is gone */
  assert_string_equal(view_neighbour(&v, "gone", 1), "b");
  assert_string_equal(view_neighbour(&v, "gone", -1), "a");
  v.chosen = 0;
  assert_string_equal(view_neighbour(&v, "gone", -1), "c");
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(keys_turn_views),
      cmocka_unit_test(signals_are_typed),
      cmocka_unit_test(every_distribution_can_be_chosen),
      cmocka_unit_test(keys_wish),
      cmocka_unit_test(neighbours_go_round),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
