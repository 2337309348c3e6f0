/* SPDX-License-Identifier: MIT
 * Places of connections, with artificial time. */
#include "check.h"
#include "http/connections.h"

#include "rt/clock.h"

#include <stddef.h>
#include <sys/socket.h>
#include <unistd.h>

enum { ALL = CONNECTIONS + CONNECTIONS_MORE };

static struct http_connections connections;
static int peer[ALL + 1], own[ALL + 1]; /* both ends of connections */
static struct http_connection *connection[ALL + 1];

static int open_all(void **state)
{
  (void)state;
  connections_init(&connections);
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
  connections_free(&connections);
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
  connection[0] = connections_take(&connections, own[0], 100 * s);
  connection[1] = connections_take(&connections, own[1], 101 * s);
  connections_sweep(&connections, 110 * s);
  assert_false(ended(0) || ended(1));
  connections_turn(&connections, connection[1], true, 110 * s);
  connections_sweep(&connections, 112 * s);
  assert_true(ended(0));
  assert_false(ended(1)); /* its answer is on its way */
  connections_turn(&connections, connection[1], false, 120 * s);
  connections_sweep(&connections, 130 * s);
  assert_false(ended(1)); /* and the next head has its own time */
  connections_turn(&connections, connection[1], true, 130 * s);
  connections_sweep(&connections, 160 * s);
  assert_false(ended(1));
  connections_sweep(&connections, 161 * s);
  assert_true(ended(1)); /* nobody took the answer */
  connections_leave(&connections, connection[0]);
  connections_leave(&connections, connection[1]);
  connections_leave(&connections, NULL);
  assert_ptr_equal(connections_take(&connections, own[2], 170 * s), connection[0]); /* free again */
}

/* All places are taken: the connection that has waited longest for a head goes, then one that has not taken its answer. */
TEST(a_newcomer_gets_the_place_of_the_one_that_waited_longest)
{
  for (int i = 0; i < CONNECTIONS; i++)
    connection[i] = connections_take(&connections, own[i], (uint64_t)(1000 + i));
  connections_turn(&connections, connection[0], true, 500); /* older, but served */
  for (int i = 0; i < CONNECTIONS; i++) assert_false(ended(i));
  assert_non_null(connections_take(&connections, own[CONNECTIONS], 2000));
  for (int i = 0; i < CONNECTIONS; i++) assert_int_equal(ended(i), i == 1);
  for (int i = 2; i < CONNECTIONS; i++)
    connections_turn(&connections, connection[i], true, (uint64_t)(3000 + i));
  assert_non_null(connections_take(&connections, own[CONNECTIONS + 1], 4000));
  assert_true(ended(CONNECTIONS));
  connections_turn(&connections, connection[CONNECTIONS + 1] = &connections.connection[CONNECTIONS + 1], true,
                   4001);
  assert_non_null(connections_take(&connections, own[CONNECTIONS + 2], 5000));
  assert_true(ended(0));
  assert_false(ended(CONNECTIONS + 2));
}

/* More connections than possible, while none of those that were shut down is closed. */
TEST(beyond_all_nobody_is_let_in)
{
  for (int i = 0; i < ALL; i++) assert_non_null(connections_take(&connections, own[i], (uint64_t)(1000 + i)));
  assert_null(connections_take(&connections, own[ALL], 2000));
  assert_true(ended(ALL));
  assert_true(ended(CONNECTIONS_MORE - 1));
  assert_false(ended(CONNECTIONS_MORE));
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
