/* SPDX-License-Identifier: MIT
 * The client with faulty devices: no value is ever taken for another. */
#include "modbus_client/poll_bench.h"

#include "rt/clock.h"

#include <fcntl.h>
#include <math.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

static const char *told(int d)
{
  static char text[DEVICE_TEXT];
  device_told(&view[d], text);
  return text;
}

TEST(a_refused_request_stops_no_other)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  fake.nothing = 40;
  fake.manner = HAS_NOTHING_AT;
  fake_set(&fake, 100, 5);
  reads(0, 0, TABLE_HOLDING, 40, WIRE_U16);
  reads(0, 1, TABLE_HOLDING, 100, WIRE_U16);
  writes(0, 9, TABLE_HOLDING, 200, WIRE_U16);
  cycle(STATE_RUNNING, 0.0);
  start_client(1);
  EVENTUALLY(errors(0, DEVICE_ERROR_exception) > 3);
  assert_int_equal(device_state(0), DEVICE_FAILING);
  assert_string_equal(told(0), "read holding 40: Illegal data address");
  assert_int_equal(sample(0, 0).t_ns, 0);
  assert_true(sample(0, 1).value == 5.0);
  assert_int_equal(fake_get(&fake, 200), 9);
  assert_int_equal(counter_get(&view[0].reconnects), 0);
  assert_int_equal(counter_get(&view[0].polled_ns), 0);
  fake.manner = ANSWERS;
  EVENTUALLY(device_state(0) == DEVICE_UP && sample(0, 0).t_ns);
}

TEST(a_gap_where_nothing_is_is_asked_around)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  fake.nothing = 45;
  fake.manner = HAS_NOTHING_AT;
  fake_set(&fake, 40, 4);
  fake_set(&fake, 48, 8);
  reads(0, 0, TABLE_HOLDING, 40, WIRE_U16);
  reads(0, 1, TABLE_HOLDING, 48, WIRE_U16);
  start_client(1);
  EVENTUALLY(counter_get(&view[0].polls) > 5 && device_state(0) == DEVICE_UP);
  assert_true(sample(0, 0).value == 4.0 && sample(0, 1).value == 8.0);
  assert_int_equal(errors(0, DEVICE_ERROR_exception), 1);
}

/* The answer to the last poll would also fit this one: its function and length are equal. */
TEST(a_late_answer_is_nobodys)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  fake_set(&fake, 0, 1000);
  fake_set(&fake, 100, 2000);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  reads(0, 1, TABLE_HOLDING, 100, WIRE_U16);
  device[0].timeout = 0.1;
  fake.late_ms = 1500;
  fake.manner = ANSWERS_LATE;
  start_client(1);
  EVENTUALLY(errors(0, DEVICE_ERROR_timeout) >= 3);
  assert_int_equal(device_state(0), DEVICE_FAILING);
  assert_string_equal(told(0), "read holding 0: no answer in 0.1 s");
  assert_int_equal(sample(0, 0).t_ns + sample(0, 1).t_ns, 0);
  fake.manner = ANSWERS;
  EVENTUALLY(device_state(0) == DEVICE_UP);
  for (int i = 0; i < 50; i++) {
    assert_true(sample(0, 0).value == 1000.0 && sample(0, 1).value == 2000.0);
    usleep(1000);
  }
  assert_true(counter_get(&view[0].reconnects) >= 1);
  assert_true(counter_get(&view[0].late) >= 1);
}

TEST(an_answer_to_something_else_is_refused)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  fake.manner = GARBLES;
  start_client(1);
  EVENTUALLY(errors(0, DEVICE_ERROR_wrong) >= 2);
  assert_int_equal(sample(0, 0).t_ns, 0);
  assert_int_equal(device_state(0), DEVICE_FAILING);
  fake.manner = ANSWERS;
  EVENTUALLY(device_state(0) == DEVICE_UP && sample(0, 0).t_ns);
}

TEST(an_unrequested_answer_is_dropped)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  fake_set(&fake, 0, 1);
  fake_set(&fake, 100, 2);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  reads(0, 1, TABLE_HOLDING, 100, WIRE_U16);
  fake.manner = ANSWERS_AHEAD;
  start_client(1);
  EVENTUALLY(device_state(0) == DEVICE_UP);
  assert_true(sample(0, 0).value == 1.0);
  assert_true(sample(0, 1).value == 2.0);
}

TEST(a_device_that_comes_back_is_found)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  start_client(1);
  for (uint64_t i = 0; i < 3; i++) {
    EVENTUALLY(device_state(0) == DEVICE_UP);
    assert_int_equal(counter_get(&view[0].reconnects), i);
    fake_stop(&fake);
    EVENTUALLY(device_state(0) == DEVICE_CONNECTING && errors(0, DEVICE_ERROR_unreachable) > i);
    EVENTUALLY(strcmp(told(0), "Connection refused") == 0);
    fake_restart(&fake);
  }
  EVENTUALLY(device_state(0) == DEVICE_UP);
}

TEST(a_device_that_hangs_up_is_not_pestered)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  fake.manner = HANGS_UP;
  const uint64_t start_ns = clock_now_ns();
  start_client(1);
  EVENTUALLY(errors(0, DEVICE_ERROR_lost) >= 4); /* at 0, at the next poll, after 0.1 s and 0.2 s */
  assert_true(ms_since(start_ns) >= 300.0);
  assert_int_equal(device_state(0), DEVICE_CONNECTING);
  fake.manner = ANSWERS;
  EVENTUALLY(device_state(0) == DEVICE_UP);
}

/* Refused at 0, 0.1, 0.3, 0.7, 1.5 s. */
TEST(tries_become_rare)
{
  fake_start_tcp(&fake, 0);
  fake_stop(&fake);
  at_tcp(0);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  const uint64_t start_ns = clock_now_ns();
  start_client(1);
  EVENTUALLY(errors(0, DEVICE_ERROR_unreachable) >= 5);
  assert_true(ms_since(start_ns) >= 1500.0);
  assert_int_equal(counter_get(&view[0].late), 0);
}

/* The pending answer is abandoned. */
TEST(the_end_does_not_wait_for_a_slow_device)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  device[0].timeout = 60;
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  writes(0, 10, TABLE_HOLDING, 2, WIRE_U16)->safe = 7.0;
  cycle(STATE_RUNNING, 0.0);
  start_client(1);
  EVENTUALLY(fake_get(&fake, 2) == 10);
  fake.manner = KEEPS_SILENT;
  EVENTUALLY(fake.ignored > 0);
  fake.manner = ANSWERS;
  endpoint_stop(&client);
  EVENTUALLY(fake_get(&fake, 2) == 7); /* over a new connection */
}

/* Its next poll is half a second away or more: the end does not wait for it. */
TEST(a_device_that_is_back_gets_its_safe_values_at_the_end)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  writes(0, 10, TABLE_HOLDING, 2, WIRE_U16)->safe = 7.0;
  cycle(STATE_RUNNING, 0.0);
  start_client(1);
  EVENTUALLY(fake_get(&fake, 2) == 10);
  fake.manner = HANGS_UP;
  EVENTUALLY(errors(0, DEVICE_ERROR_lost) >= 6);
  fake.manner = ANSWERS;
  endpoint_stop(&client);
  EVENTUALLY(fake_get(&fake, 2) == 7);
}

/* libmodbus keeps descriptors in sets of 1024. */
TEST(descriptors_beyond_its_sets_are_not_given_to_libmodbus)
{
  struct rlimit before;
  getrlimit(RLIMIT_NOFILE, &before);
  struct rlimit more = before;
  more.rlim_cur = 1100;
  if (before.rlim_max < more.rlim_cur || setrlimit(RLIMIT_NOFILE, &more) != 0) {
    print_message("skip: at most %d open files here\n", (int)before.rlim_max);
    skip();
  }
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  int used[1100], n = 0;
  do used[n] = open("/dev/null", O_RDONLY | O_CLOEXEC);
  while (used[n++] < 1030);
  start_client(1);
  EVENTUALLY(errors(0, DEVICE_ERROR_unreachable) >= 1);
  EVENTUALLY(strcmp(told(0), "Too many open files") == 0);
  while (n > 0) close(used[--n]);
  EVENTUALLY(device_state(0) == DEVICE_UP);
  endpoint_stop(&client);
  setrlimit(RLIMIT_NOFILE, &before);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      POLL_TEST(a_refused_request_stops_no_other),
      POLL_TEST(a_gap_where_nothing_is_is_asked_around),
      POLL_TEST(a_late_answer_is_nobodys),
      POLL_TEST(an_answer_to_something_else_is_refused),
      POLL_TEST(an_unrequested_answer_is_dropped),
      POLL_TEST(a_device_that_comes_back_is_found),
      POLL_TEST(a_device_that_hangs_up_is_not_pestered),
      POLL_TEST(tries_become_rare),
      POLL_TEST(the_end_does_not_wait_for_a_slow_device),
      POLL_TEST(a_device_that_is_back_gets_its_safe_values_at_the_end),
      POLL_TEST(descriptors_beyond_its_sets_are_not_given_to_libmodbus),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
