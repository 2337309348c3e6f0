/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "math/lanes.h"

enum { W = 8 };

/* Each lane has its given item, tiles come first, and there are at most two sources. */
static void check(const struct lane_at *from, int sources, int tiles)
{
  struct lane_shuffle room;
  const struct lane_shuffle *o = lane_shuffle_find(from, W, &room);
  if (sources == 0) {
    assert_null(o);
    return;
  }
  assert_ptr_equal(o, &room);
  assert_int_equal(o->sources, sources);
  assert_int_equal(o->tiles, tiles);
  for (int l = 0; l < W; l++) {
    int k = (int)(o->lane[l] / W), within = (int)(o->lane[l] % W);
    assert_in_range(k, 0, sources - 1);
    assert_int_equal(from[l].stride, k < tiles ? W : 1);
    assert_int_equal(from[l].at, o->at[k] + (size_t)(k < tiles ? within : 0));
  }
}

TEST(sources_are_found)
{
  struct lane_at turned[W], ground[W], mixed[W], led[W], pair[W], three[W], nothing[W], apart[W];
  for (size_t l = 0; l < W; l++) {
    turned[l] = (struct lane_at){16 + (l + 3) % W, W};
    ground[l] = (struct lane_at){77, 1};
    mixed[l] = l == 5 ? ground[l] : turned[l];
    led[l] = l == 0 ? ground[l] : turned[l];
    pair[l] = (struct lane_at){(l % 2 ? 8 : 40) + (W - 1 - l), W};
    three[l] = l == 7 ? ground[l] : pair[l];
    nothing[l] = l == 2 ? (struct lane_at){99, 0} : turned[l];
    apart[l] = (struct lane_at){l % 2 ? 3 : 5, 1};
  }
  check(turned, 1, 1);
  check(ground, 1, 0);
  check(mixed, 2, 1);
  check(led, 2, 1); /* the number for all lanes comes second, although it is met first */
  check(pair, 2, 2);
  check(apart, 2, 0);
  check(three, 0, 0);
  check(nothing, 0, 0);
}

/* In ordinary sources a num is one double. */
TEST(one_lane_is_loaded)
{
  const double a[] = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  double o[3] = {0, 0, 0};
  struct lane_shuffle room;
  const struct lane_shuffle *shuffle = lane_shuffle_find(&(struct lane_at){2, 1}, 1, &room);
  assert_non_null(shuffle);
  num_shuffle_all(a, shuffle, 2, 1, 2, o);
  assert_true(o[0] == 6 && o[1] == 7 && o[2] == 0);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sources_are_found),
      cmocka_unit_test(one_lane_is_loaded),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
