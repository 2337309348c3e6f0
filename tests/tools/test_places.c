/* SPDX-License-Identifier: MIT
 * Places of connections, with artificial time. */
#include "check.h"
#include "http/places.h"

#include "rt/clock.h"

#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ALL = PLACES + PLACES_MORE };

static struct places places;
static int peer[ALL + 1], own[ALL + 1]; /* both ends of connections */
static struct place *place[ALL + 1];

static int open_all(void **state)
{
  (void)state;
  places_init(&places);
  for (int i = 0; i <= ALL; i++) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends) != 0) return -1;
    own[i] = ends[0];
    peer[i] = ends[1];
  }
  return 0;
}

static int close_all(void **state)
{
  (void)state;
  for (int i = 0; i <= ALL; i++) {
    close(own[i]);
    close(peer[i]);
  }
  places_free(&places);
  return 0;
}

static bool ended(int i)
{
  char byte;
  return recv(peer[i], &byte, 1, 0) == 0;
}

TEST(a_head_has_ten_seconds)
{
  const uint64_t s = NS_PER_S;
  place[0] = places_take(&places, own[0], 100 * s);
  place[1] = places_take(&places, own[1], 101 * s);
  places_sweep(&places, 110 * s);
  assert_false(ended(0) || ended(1));
  places_turn(&places, place[1], true, 110 * s);
  places_sweep(&places, 112 * s);
  assert_true(ended(0));
  assert_false(ended(1)); /* its answer is on its way */
  places_turn(&places, place[1], false, 120 * s);
  places_sweep(&places, 130 * s);
  assert_false(ended(1)); /* and the next head has its own time */
  places_turn(&places, place[1], true, 130 * s);
  places_sweep(&places, 160 * s);
  assert_false(ended(1));
  places_sweep(&places, 161 * s);
  assert_true(ended(1)); /* nobody took the answer */
  places_leave(&places, place[0]);
  places_leave(&places, place[1]);
  places_leave(&places, NULL);
  assert_ptr_equal(places_take(&places, own[2], 170 * s), place[0]); /* free again */
}

/* All places are taken: the connection that has waited longest for a head goes, then one that has not taken its answer. */
TEST(a_newcomer_gets_the_place_of_the_one_that_waited_longest)
{
  for (int i = 0; i < PLACES; i++) place[i] = places_take(&places, own[i], (uint64_t)(1000 + i));
  places_turn(&places, place[0], true, 500); /* older, but served */
  for (int i = 0; i < PLACES; i++) assert_false(ended(i));
  assert_non_null(places_take(&places, own[PLACES], 2000));
  for (int i = 0; i < PLACES; i++) assert_int_equal(ended(i), i == 1);
  for (int i = 2; i < PLACES; i++) places_turn(&places, place[i], true, (uint64_t)(3000 + i));
  assert_non_null(places_take(&places, own[PLACES + 1], 4000));
  assert_true(ended(PLACES));
  places_turn(&places, place[PLACES + 1] = &places.place[PLACES + 1], true, 4001);
  assert_non_null(places_take(&places, own[PLACES + 2], 5000));
  assert_true(ended(0));
  assert_false(ended(PLACES + 2));
}

/* More connections than possible, while none of those that were shut down is closed. */
TEST(beyond_all_nobody_is_let_in)
{
  for (int i = 0; i < ALL; i++) assert_non_null(places_take(&places, own[i], (uint64_t)(1000 + i)));
  assert_null(places_take(&places, own[ALL], 2000));
  assert_true(ended(ALL));
  assert_true(ended(PLACES_MORE - 1));
  assert_false(ended(PLACES_MORE));
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_head_has_ten_seconds, open_all, close_all),
      cmocka_unit_test_setup_teardown(a_newcomer_gets_the_place_of_the_one_that_waited_longest, open_all,
                                      close_all),
      cmocka_unit_test_setup_teardown(beyond_all_nobody_is_let_in, open_all, close_all),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
