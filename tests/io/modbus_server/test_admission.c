/* SPDX-License-Identifier: MIT
 * Who gets a place and who loses one. */
#include "check.h"
#include "modbus_server/admission.h"

#include <string.h>

#define R ACCESS_READ
#define W ACCESS_WRITE

#define NOW     UINT64_C(100000000000)
#define MS(ago) (NOW - (uint64_t)(ago)*1000000)

static struct admission held[ADMISSION_MAX];

static struct admission someone(int host, enum access access, int silent_ms)
{
  struct admission p = {.taken = true, .access = access, .heard_ns = MS(silent_ms)};
  p.host[15] = (uint8_t)host;
  return p;
}

static void hold(int i, int host, enum access access, int silent_ms)
{
  held[i] = someone(host, access, silent_ms);
}

static int choose(int count, int host, enum access access)
{
  const struct admission newcomer = someone(host, access, 0);
  return admission_choose(held, count, &newcomer);
}

static int setup(void **state)
{
  (void)state;
  memset(held, 0, sizeof held);
  return 0;
}

TEST(no_host_holds_more_than_half)
{
  for (int count = 1; count <= ADMISSION_MAX; count++) {
    setup(NULL);
    int got = 0;
    for (int i; (i = choose(count, 1, W)) >= 0; got++) {
      assert_false(held[i].taken);
      hold(i, 1, W, 0);
    }
    assert_int_equal(got, count > 1 ? count / 2 : 1);
  }
}

/* A PLC restarts without having closed its connections. */
TEST(a_host_gets_the_place_of_its_own_silent_one)
{
  for (int i = 0; i < 4; i++) hold(i, 1, W, 900 + 40 * i);
  assert_int_equal(choose(8, 1, W), 3); /* 1020 ms */
  hold(1, 1, W, 9000);
  assert_int_equal(choose(8, 1, W), 1);
  hold(1, 1, W, 0);
  hold(3, 1, W, 999);
  assert_int_equal(choose(8, 1, W), -1);
  assert_int_equal(choose(8, 2, W), 4);
  hold(0, 1, W, 1000);
  assert_int_equal(choose(1, 1, W), 0);
}

TEST(readers_never_hold_all)
{
  for (int i = 0; i < 7; i++) hold(i, 10 + i, R, 10);
  assert_int_equal(choose(8, 30, R), -1);
  assert_int_equal(choose(8, 30, W), 7);
  hold(2, 12, R, ADMISSION_OTHER_SILENT_MS);
  assert_int_equal(choose(8, 30, R), 2); /* silent for a long time */
  setup(NULL);
  hold(0, 10, R, 0);
  assert_int_equal(choose(2, 11, R), -1);
  assert_int_equal(choose(2, 11, W), 1);
  setup(NULL);
  assert_int_equal(choose(1, 10, R), 0);
}

TEST(a_reader_gives_way_to_a_writer)
{
  for (int i = 0; i < 8; i++) hold(i, 10 + i, i < 5 ? R : W, i == 6 ? 20000 : i == 3 ? 4 : i == 2 ? 5 : 1);
  assert_int_equal(choose(8, 30, W), 2);
  assert_int_equal(choose(8, 15, W), 2); /* although it has a connection already */
  assert_int_equal(choose(8, 30, R), -1);
  hold(0, 10, R, 0);
  assert_int_equal(choose(1, 11, W), 0);
  hold(1, 15, W, 0);
  assert_int_equal(choose(2, 11, W), 0);
}

TEST(among_writers_the_silent_one_gives_way_to_a_new_host)
{
  for (int i = 0; i < 8; i++) hold(i, 10 + i, W, ADMISSION_OTHER_SILENT_MS - 1);
  assert_int_equal(choose(8, 30, W), -1);
  hold(5, 15, W, ADMISSION_OTHER_SILENT_MS);
  assert_int_equal(choose(8, 30, W), 5);
  assert_int_equal(choose(8, 12, W), -1); /* it has a connection */
  assert_int_equal(choose(8, 30, R), -1); /* no writer gives way to a reader */
  hold(5, 15, R, ADMISSION_OTHER_SILENT_MS);
  assert_int_equal(choose(8, 30, R), 5);
}

/* Addresses count in full: two addresses that differ in any bit are two hosts. */
TEST(hosts_differ_by_any_bit)
{
  for (int i = 0; i < 4; i++) hold(i, 1, W, 0);
  struct admission newcomer = someone(1, W, 0);
  assert_int_equal(admission_choose(held, 8, &newcomer), -1);
  newcomer.host[0] = 1;
  assert_int_equal(admission_choose(held, 8, &newcomer), 4);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup(no_host_holds_more_than_half, setup),
      cmocka_unit_test_setup(a_host_gets_the_place_of_its_own_silent_one, setup),
      cmocka_unit_test_setup(readers_never_hold_all, setup),
      cmocka_unit_test_setup(a_reader_gives_way_to_a_writer, setup),
      cmocka_unit_test_setup(among_writers_the_silent_one_gives_way_to_a_new_host, setup),
      cmocka_unit_test_setup(hosts_differ_by_any_bit, setup),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
