/* SPDX-License-Identifier: MIT
 * The requests that a map needs. */
#include "check.h"
#include "modbus_client/plan.h"

#include <stddef.h>
#include <stdlib.h>

static struct wired item[4000];
static struct wiring map;
static struct modbus_plan plan;

static void put(enum wire_table table, int address, enum wire_type type, bool input)
{
  map.item = item;
  item[map.count++] =
      (struct wired){.table = table, .address = address, .input = input, .wire = {.type = type}};
}

static int start(void **state)
{
  (void)state;
  map.count = 0;
  return 0;
}

static int finish(void **state)
{
  (void)state;
  modbus_plan_free(&plan);
  return 0;
}

static void assert_request(int i, enum wire_table table, int address, int count, int items, bool bridges)
{
  assert_true(i < plan.requests);
  const struct modbus_request *r = &plan.request[i];
  assert_int_equal(r->table, table);
  assert_int_equal(r->address, address);
  assert_int_equal(r->count, count);
  assert_int_equal(r->items, items);
  assert_int_equal(r->bridges, bridges);
}

TEST(neighbours_go_together)
{
  put(TABLE_COIL, 3, WIRE_BIT, true);
  put(TABLE_DISCRETE, 4, WIRE_BIT, true);
  put(TABLE_DISCRETE, 5, WIRE_BIT, true);
  put(TABLE_HOLDING, 10, WIRE_F32, true);
  put(TABLE_HOLDING, 12, WIRE_U16, true);
  put(TABLE_HOLDING, 13, WIRE_F64, true);
  put(TABLE_INPUT, 17, WIRE_I16, true);
  assert_true(modbus_plan_reads(&plan, &map, -1, true));
  assert_int_equal(plan.requests, 4);
  assert_request(0, TABLE_COIL, 3, 1, 1, false);
  assert_request(1, TABLE_DISCRETE, 4, 2, 2, false);
  assert_request(2, TABLE_HOLDING, 10, 7, 3, false);
  assert_request(3, TABLE_INPUT, 17, 1, 1, false);
  for (int i = 0; i < map.count; i++) assert_int_equal(plan.item[i], i);
}

TEST(small_gaps_are_read_along)
{
  put(TABLE_DISCRETE, 0, WIRE_BIT, true);
  put(TABLE_DISCRETE, 65, WIRE_BIT, true);  /* 64 between them */
  put(TABLE_DISCRETE, 131, WIRE_BIT, true); /* 65 */
  put(TABLE_HOLDING, 0, WIRE_F32, true);
  put(TABLE_HOLDING, 10, WIRE_U16, true); /* 8 */
  put(TABLE_HOLDING, 20, WIRE_U16, true); /* 9 */
  assert_true(modbus_plan_reads(&plan, &map, -1, true));
  assert_int_equal(plan.requests, 4);
  assert_request(0, TABLE_DISCRETE, 0, 66, 2, true);
  assert_request(1, TABLE_DISCRETE, 131, 1, 1, false);
  assert_request(2, TABLE_HOLDING, 0, 11, 2, true);
  assert_request(3, TABLE_HOLDING, 20, 1, 1, false);
  modbus_plan_free(&plan);
  assert_true(modbus_plan_reads(&plan, &map, -1, false));
  assert_int_equal(plan.requests, 6);
}

TEST(requests_are_as_long_as_they_may_be)
{
  for (int i = 0; i < 2001; i++) put(TABLE_COIL, i, WIRE_BIT, true);
  put(TABLE_HOLDING, 0, WIRE_U16, true);
  for (int i = 0; i < 63; i++) put(TABLE_HOLDING, 1 + 2 * i, WIRE_F32, true);
  assert_true(modbus_plan_reads(&plan, &map, -1, true));
  assert_int_equal(plan.requests, 4);
  assert_request(0, TABLE_COIL, 0, 2000, 2000, false);
  assert_request(1, TABLE_COIL, 2000, 1, 1, false);
  assert_request(2, TABLE_HOLDING, 0, 125, 63, false);
  assert_request(3, TABLE_HOLDING, 125, 2, 1, false);
}

/* A number on the border goes into the next request. */
TEST(numbers_are_not_split)
{
  for (int i = 0; i < 63; i++) put(TABLE_INPUT, 2 * i, WIRE_F32, true);
  assert_true(modbus_plan_reads(&plan, &map, -1, true));
  assert_int_equal(plan.requests, 2);
  assert_request(0, TABLE_INPUT, 0, 124, 62, false);
  assert_request(1, TABLE_INPUT, 124, 2, 1, false);
}

TEST(writes_never_bridge)
{
  put(TABLE_COIL, 0, WIRE_BIT, false);
  put(TABLE_COIL, 1, WIRE_BIT, false);
  put(TABLE_COIL, 3, WIRE_BIT, false);
  put(TABLE_HOLDING, 100, WIRE_F32, false);
  put(TABLE_HOLDING, 102, WIRE_U16, true); /* read by others: not written */
  put(TABLE_HOLDING, 103, WIRE_F32, false);
  assert_true(modbus_plan_writes(&plan, &map));
  assert_int_equal(plan.requests, 4);
  assert_request(0, TABLE_COIL, 0, 2, 2, false);
  assert_request(1, TABLE_COIL, 3, 1, 1, false);
  assert_request(2, TABLE_HOLDING, 100, 2, 1, false);
  assert_request(3, TABLE_HOLDING, 103, 2, 1, false);
}

TEST(writes_are_as_long_as_they_may_be)
{
  for (int i = 0; i < 1969; i++) put(TABLE_COIL, i, WIRE_BIT, false);
  for (int i = 0; i < 124; i++) put(TABLE_HOLDING, i, WIRE_I16, false);
  assert_true(modbus_plan_writes(&plan, &map));
  assert_int_equal(plan.requests, 4);
  assert_request(0, TABLE_COIL, 0, 1968, 1968, false);
  assert_request(2, TABLE_HOLDING, 0, 123, 123, false);
}

static void assert_alive(int alive, int address, int count, int items, int requests)
{
  modbus_plan_free(&plan);
  assert_true(modbus_plan_reads(&plan, &map, alive, true));
  assert_int_equal(plan.requests, requests);
  assert_int_equal(plan.request[0].table, TABLE_HOLDING);
  assert_int_equal(plan.request[0].address, address);
  assert_int_equal(plan.request[0].count, count);
  assert_int_equal(plan.request[0].items, items);
  bool there = false;
  for (int i = 0; i < items; i++) there |= plan.item[plan.request[0].first + i] == PLAN_ALIVE;
  assert_true(there);
}

/* The alive register is read first, wherever it is. */
TEST(alive_is_read_first)
{
  assert_alive(5, 5, 1, 1, 1); /* of a device that is only written */
  put(TABLE_COIL, 0, WIRE_BIT, true);
  put(TABLE_HOLDING, 10, WIRE_F32, true);
  put(TABLE_HOLDING, 12, WIRE_F32, true);
  put(TABLE_INPUT, 0, WIRE_U16, true);
  assert_alive(5, 5, 9, 3, 3);
  assert_alive(0, 0, 1, 1, 4);
  assert_alive(11, 10, 4, 3, 3); /* inside a range that is read anyway */
  assert_alive(14, 10, 5, 3, 3);
  assert_alive(1000, 1000, 1, 1, 4);
  assert_int_equal(plan.request[1].table, TABLE_COIL);
  assert_int_equal(plan.request[3].table, TABLE_INPUT);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(neighbours_go_together, start, finish),
      cmocka_unit_test_setup_teardown(small_gaps_are_read_along, start, finish),
      cmocka_unit_test_setup_teardown(requests_are_as_long_as_they_may_be, start, finish),
      cmocka_unit_test_setup_teardown(numbers_are_not_split, start, finish),
      cmocka_unit_test_setup_teardown(writes_never_bridge, start, finish),
      cmocka_unit_test_setup_teardown(writes_are_as_long_as_they_may_be, start, finish),
      cmocka_unit_test_setup_teardown(alive_is_read_first, start, finish),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
