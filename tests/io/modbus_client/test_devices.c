/* SPDX-License-Identifier: MIT
 * The client with a correct device: values in every form, both ways. */
#include "modbus_client/poll_bench.h"

#include "platform/platform.h"
#include "rt/clock.h"

#include <math.h>
#include <string.h>
#include <unistd.h>

static struct wired *last_read(int channel)
{
  for (int i = 0; i < device[0].map.count; i++)
    if (device[0].map.item[i].signal == INPUT_FIRST + channel) return &device[0].map.item[i];
  return NULL;
}

static void words(uint16_t *table, int address, const uint16_t *word, int n)
{
  pthread_mutex_lock(&fake.lock);
  memcpy(table + address, word, (size_t)n * sizeof *word);
  pthread_mutex_unlock(&fake.lock);
}

/* 123456 as f32 is 47F1 2000; the words are written out here. */
TEST(every_table_type_and_order_is_read)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  static const uint16_t order[][2] = {{0x47f1, 0x2000}, {0x2000, 0x47f1}, {0xf147, 0x0020}, {0x0020, 0xf147}};
  for (int i = 0; i < 4; i++) {
    words(fake.mapping->tab_registers, 10 + 2 * i, order[i], 2);
    reads(0, i, TABLE_HOLDING, 10 + 2 * i, WIRE_F32);
    last_read(i)->wire.order = (enum wire_order)i;
  }
  words(fake.mapping->tab_input_registers, 20, (const uint16_t[]){0x400c, 0, 0, 0}, 4); /* 3.5 */
  words(fake.mapping->tab_input_registers, 24, (const uint16_t[]){0xfffe, 0x8000}, 2);
  words(fake.mapping->tab_input_registers, 26, (const uint16_t[]){0xffff, 0xfffd}, 2);
  pthread_mutex_lock(&fake.lock);
  fake.mapping->tab_input_bits[3] = 1;
  fake.mapping->tab_bits[4] = 1;
  pthread_mutex_unlock(&fake.lock);
  reads(0, 4, TABLE_INPUT, 20, WIRE_F64);
  reads(0, 5, TABLE_INPUT, 24, WIRE_U16);
  reads(0, 6, TABLE_INPUT, 25, WIRE_I16);
  reads(0, 7, TABLE_INPUT, 26, WIRE_I32);
  reads(0, 8, TABLE_DISCRETE, 3, WIRE_BIT);
  reads(0, 9, TABLE_DISCRETE, 2, WIRE_BIT);
  reads(0, 10, TABLE_COIL, 4, WIRE_BIT);
  last_read(6)->wire.scale = 0.5;
  last_read(6)->wire.offset = 100;
  const uint64_t start_ns = clock_now_ns();
  start_client(1);
  EVENTUALLY(counter_get(&view[0].polls) > 3 && device_state(0) == DEVICE_UP);
  for (int i = 0; i < 4; i++) assert_true(sample(0, i).value == 123456.0);
  assert_true(sample(0, 4).value == 3.5);
  assert_true(sample(0, 5).value == 65534.0);
  assert_true(sample(0, 6).value == 0.5 * -32768.0 + 100.0);
  assert_true(sample(0, 7).value == -3.0);
  assert_true(sample(0, 8).value == 1.0 && sample(0, 9).value == 0.0 && sample(0, 10).value == 1.0);
  assert_in_range(sample(0, 8).t_ns, start_ns, clock_now_ns());
  assert_int_equal(sample(0, 8).counted, 0);
  assert_int_equal(sample(0, 11).t_ns, 0); /* nobody reads it */
  assert_int_equal(device_errors(&view[0]), 0);
  assert_string_equal(view[0].name, "plc");
  for (int f = 5; f < FAKE_FUNCTIONS; f++) assert_int_equal(fake.asked[f], 0);
}

TEST(values_follow_the_device)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  start_client(1);
  uint64_t t_ns = 0;
  for (uint16_t i = 1; i <= 5; i++) {
    fake_set(&fake, 0, i);
    EVENTUALLY(sample(0, 0).value == i);
    assert_true(sample(0, 0).t_ns > t_ns);
    t_ns = sample(0, 0).t_ns;
  }
}

TEST(a_value_that_is_none_is_refused)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  words(fake.mapping->tab_registers, 0, (const uint16_t[]){0x3f80, 0, 0x3f80, 0}, 4);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_F32);
  reads(0, 1, TABLE_HOLDING, 2, WIRE_F32);
  start_client(1);
  EVENTUALLY(sample(0, 0).value == 1.0);
  fake_set(&fake, 0, 0x7fc0);
  EVENTUALLY(errors(0, DEVICE_ERROR_nonfinite) >= 3);
  assert_true(sample(0, 0).value == 1.0);
  assert_true(sample(0, 0).t_ns < sample(0, 1).t_ns); /* the other device continues */
  assert_int_equal(device_state(0), DEVICE_UP);
  assert_int_equal(device_errors(&view[0]), 0);
}

/* Without a change of the register a value gets no new number, however often it is read. */
TEST(the_sign_of_life_numbers_the_values)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  device[0].alive = 50;
  fake_set(&fake, 50, 65535);
  reads(0, 0, TABLE_HOLDING, 0, WIRE_U16);
  start_client(1);
  EVENTUALLY(sample(0, 0).t_ns && counter_get(&view[0].polls) > 3);
  assert_int_equal(sample(0, 0).counted, 16);
  assert_int_equal(sample(0, 0).sequence, 65535);
  fake_set(&fake, 50, 0);
  EVENTUALLY(sample(0, 0).sequence == 0);
  fake.nothing = 50; /* the register is refused: the values are as old as its last number */
  fake.manner = HAS_NOTHING_AT;
  const uint64_t t_ns = sample(0, 0).t_ns;
  EVENTUALLY(errors(0, DEVICE_ERROR_exception) > 2 && sample(0, 0).t_ns > t_ns);
  assert_int_equal(sample(0, 0).sequence, 0);
  assert_int_equal(sample(0, 0).counted, 16);
}

/* No value counts before the alive register has changed. */
TEST(no_values_before_a_sign_of_life)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  device[0].alive = 50;
  fake.nothing = 50;
  fake.manner = HAS_NOTHING_AT;
  reads(0, 0, TABLE_INPUT, 0, WIRE_U16);
  start_client(1);
  EVENTUALLY(fake.asked[4] > 3);
  assert_int_equal(sample(0, 0).t_ns, 0);
  assert_int_equal(device_state(0), DEVICE_FAILING);
  fake.manner = ANSWERS;
  EVENTUALLY(sample(0, 0).t_ns && device_state(0) == DEVICE_UP);
}

static float float_at(int holding)
{
  const uint32_t bits = (uint32_t)fake_get(&fake, holding) << 16 | fake_get(&fake, holding + 1);
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

TEST(frames_are_written)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  for (int i = 0; i < 70; i++) writes(0, i, TABLE_HOLDING, 100 + 2 * i, WIRE_F32);
  writes(0, 3, TABLE_HOLDING, 300, WIRE_I16)->wire = (struct wire){WIRE_I16, WIRE_ABCD, 0.25, 1.0};
  writes(0, 0, TABLE_COIL, 5, WIRE_BIT);
  writes(0, 1, TABLE_COIL, 6, WIRE_BIT);
  writes(0, 1, TABLE_COIL, 9, WIRE_BIT);
  start_client(1);
  EVENTUALLY(counter_get(&view[0].polls) > 3);
  assert_int_equal(fake_asked(&fake), 0); /* there is nothing to write yet */
  cycle(STATE_RUNNING, 0.0);
  EVENTUALLY(float_at(238) == 69.0F && fake_get(&fake, 300) == 8);
  for (int i = 0; i < 70; i++) assert_true(float_at(100 + 2 * i) == (float)i);
  EVENTUALLY(fake.asked[5] > 1);
  assert_int_equal(fake_coil(&fake, 5), 0);
  assert_int_equal(fake_coil(&fake, 6), 1);
  assert_int_equal(fake_coil(&fake, 9), 1);
  assert_true(fake.asked[16] >=
              3 * (fake.asked[15] - 1)); /* at most 123 registers, then the rest, then the part after a gap */
  cycle(STATE_PAUSED, 1000.0);
  EVENTUALLY(float_at(100) == 1000.0F);
  assert_int_equal(fake_coil(&fake, 5), 1);
}

TEST(safe_values_are_written_unless_it_runs)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  writes(0, 10, TABLE_HOLDING, 0, WIRE_U16)->safe = 7.0;
  writes(0, 11, TABLE_HOLDING, 1, WIRE_U16); /* without a safe value: the signal */
  start_client(1);
  static const enum run_state running[] = {STATE_READY, STATE_RUNNING, STATE_PAUSED};
  static const enum run_state other[] = {STATE_INIT, STATE_STOPPED, STATE_FAULT, STATE_SAFE, STATE_EXIT};
  for (int i = 0; i < 5; i++) {
    cycle(running[i % 3], 100.0 + i);
    EVENTUALLY(fake_get(&fake, 0) == 110 + i && fake_get(&fake, 1) == 111 + i);
    cycle(other[i], 200.0 + i);
    EVENTUALLY(fake_get(&fake, 0) == 7 && fake_get(&fake, 1) == 211 + i);
  }
  cycle(STATE_RUNNING, 300.0);
  EVENTUALLY(fake_get(&fake, 0) == 310);
  port_show_stuck(&port[0], 7);
  EVENTUALLY(fake_get(&fake, 0) == 7);
}

TEST(a_signal_that_is_no_number_is_not_written_where_there_is_a_safe_value)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  writes(0, 10, TABLE_HOLDING, 0, WIRE_U16)->safe = 7.0;
  start_client(1);
  cycle(STATE_RUNNING, 100.0);
  EVENTUALLY(fake_get(&fake, 0) == 110);
  cycle(STATE_RUNNING, (double)NAN);
  EVENTUALLY(fake_get(&fake, 0) == 7);
}

/* The value for "no value" would be a number to a device, such as -32768: the register keeps its value. */
TEST(nan_is_not_written)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  writes(0, 10, TABLE_HOLDING, 0, WIRE_I16);
  writes(0, 11, TABLE_HOLDING, 1, WIRE_I16)->safe = 5.0;
  writes(0, 12, TABLE_HOLDING, 2, WIRE_F32);
  writes(0, 13, TABLE_HOLDING, 4, WIRE_F64);
  start_client(1);
  cycle(STATE_RUNNING, 100.0);
  EVENTUALLY(fake_get(&fake, 1) == 111 && float_at(2) == 112.0F);
  const uint16_t high = fake_get(&fake, 4);
  cycle(STATE_RUNNING, (double)NAN);
  EVENTUALLY(fake_get(&fake, 1) == 5 && errors(0, DEVICE_ERROR_withheld) >= 6); /* three in each poll */
  cycle(STATE_RUNNING, -1e300); /* too large for f32, so it has no value */
  EVENTUALLY(errors(0, DEVICE_ERROR_clamped) >= 2 && (int16_t)fake_get(&fake, 0) == -32768);
  EVENTUALLY(fake_get(&fake, 4) == 0xfe37);
  assert_true(high != 0xfe37 && float_at(2) == 112.0F);
  assert_int_equal(device_errors(&view[0]), 0);
  assert_int_equal(device_state(0), DEVICE_UP);
}

TEST(clamped_numbers_are_counted)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  device[0].period = 60; /* one poll */
  writes(0, 1, TABLE_HOLDING, 0, WIRE_I16);
  writes(0, 2, TABLE_HOLDING, 1, WIRE_U16);
  writes(0, 3, TABLE_HOLDING, 2, WIRE_F32);
  cycle(STATE_RUNNING, 40000.0);
  start_client(1);
  EVENTUALLY(float_at(2) == 40003.0F && counter_get(&view[0].polls) == 1 && device_state(0) == DEVICE_UP);
  assert_int_equal(fake_get(&fake, 0), 32767);
  assert_int_equal(fake_get(&fake, 1), 40002);
  assert_int_equal(errors(0, DEVICE_ERROR_clamped), 1);
  assert_int_equal(errors(0, DEVICE_ERROR_withheld), 0);
}

/* Neither the signal nor the safe value of the platform's motion is written before the platform is armed, also not at
 * the end. Other signals between them are written. */
TEST(a_platform_is_withheld_until_it_is_armed)
{
  enum { FIRST = 20, STATE = FIRST + PLATFORM_MOTION_SIGNALS };
  for (int armed = 0; armed < 2; armed++) {
    poll_teardown(state);
    assert_int_equal(poll_setup(state), 0);
    has_platform(FIRST);
    fake_start_tcp(&fake, 0);
    at_tcp(0);
    for (int i = 0; i < 8; i++) fake_set(&fake, i, 999);
    writes(0, FIRST, TABLE_HOLDING, 0, WIRE_U16);
    writes(0, FIRST - 1, TABLE_HOLDING, 1, WIRE_U16);
    writes(0, FIRST + 1, TABLE_HOLDING, 2, WIRE_U16)->safe = 7.0;
    writes(0, STATE - 1, TABLE_HOLDING, 3, WIRE_U16);
    writes(0, STATE, TABLE_HOLDING, 4, WIRE_U16);
    writes(0, FIRST + 2, TABLE_HOLDING, 6, WIRE_U16); /* a separate request */
    start_client(1);
    static const enum run_state way[] = {STATE_INIT, STATE_STOPPED, STATE_SAFE, STATE_FAULT, STATE_EXIT};
    for (int i = 0; i < 5; i++) {
      cycle_flagged(way[i], FLAG_WITHHELD, 100.0 + i);
      EVENTUALLY(fake_get(&fake, 1) == FIRST - 1 + 100 + i && fake_get(&fake, 4) == STATE + 100 + i);
      assert_true(fake_get(&fake, 0) == 999 && fake_get(&fake, 2) == 999 && fake_get(&fake, 3) == 999 &&
                  fake_get(&fake, 6) == 999);
    }
    if (armed) {
      cycle_flagged(STATE_READY, 0, 300.0);
      EVENTUALLY(fake_get(&fake, 0) == 300 + FIRST && fake_get(&fake, 2) == 301 + FIRST &&
                 fake_get(&fake, 3) == 299 + STATE && fake_get(&fake, 6) == 302 + FIRST);
    }
    endpoint_stop(&client);
    EVENTUALLY(fake_get(&fake, 2) == (armed ? 7 : 999));
    assert_int_equal(errors(0, DEVICE_ERROR_withheld), 0); /* it is no fault */
    assert_int_equal(device_errors(&view[0]), 0);
  }
}

/* The end of the daemon, in any state of the device. */
TEST(safe_values_are_the_last_that_is_written)
{
  fake_start_tcp(&fake, 0);
  at_tcp(0);
  device[0].period = 60; /* the end writes, not a poll */
  writes(0, 10, TABLE_HOLDING, 0, WIRE_U16)->safe = 7.0;
  writes(0, 10, TABLE_HOLDING, 2, WIRE_U16);
  cycle(STATE_RUNNING, 100.0);
  start_client(1);
  EVENTUALLY(fake_get(&fake, 0) == 110 && fake_get(&fake, 2) == 110);
  cycle(STATE_RUNNING, 200.0);
  endpoint_stop(&client);
  EVENTUALLY(fake_get(&fake, 0) == 7);
  assert_int_equal(fake_get(&fake, 2), 110);
  assert_int_equal(device_state(0), DEVICE_OFF);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      POLL_TEST(every_table_type_and_order_is_read),
      POLL_TEST(values_follow_the_device),
      POLL_TEST(a_value_that_is_none_is_refused),
      POLL_TEST(the_sign_of_life_numbers_the_values),
      POLL_TEST(no_values_before_a_sign_of_life),
      POLL_TEST(frames_are_written),
      POLL_TEST(safe_values_are_written_unless_it_runs),
      POLL_TEST(a_signal_that_is_no_number_is_not_written_where_there_is_a_safe_value),
      POLL_TEST(nan_is_not_written),
      POLL_TEST(clamped_numbers_are_counted),
      POLL_TEST(a_platform_is_withheld_until_it_is_armed),
      POLL_TEST(safe_values_are_the_last_that_is_written),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
