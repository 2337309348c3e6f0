/* SPDX-License-Identifier: MIT
 * Both descriptions of the address space: rows for people, JSON for OSCQuery. */
#include "check.h"
#include "osc_messages/describe.h"

#include <jansson.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { VALUES = 11 };
#define WITHIN(limit)                                                                                        \
  {                                                                                                          \
    .lower = -(limit), .upper = (limit)                                                                      \
  }

static struct signal value[VALUES] = {{(char[]){"energy.total"}, "J"},
                                      {(char[]){"joint.J.position"}, "rad"},
                                      {(char[]){"input.push.force.x"}, "N"},
                                      {(char[]){"input.push.force.y"}, "N"},
                                      {(char[]){"input.push.force.z"}, "N"},
                                      {(char[]){"input.push.torque.x"}, "N m"},
                                      {(char[]){"input.push.torque.y"}, "N m"},
                                      {(char[]){"input.push.torque.z"}, "N m"},
                                      {(char[]){"input.turn.value"}, ""},
                                      {(char[]){"loop.cycle"}, "s"},
                                      {(char[]){"loop.misses"}, ""}};
static struct signal_group group[] = {
    {(char[]){"energy.total"}, 0, 1}, {(char[]){"joint.J.position"}, 1, 1}, {(char[]){"loop.cycle"}, 9, 1}};
static struct input_spec input[] = {
    {.name = (char[]){"push"},
     .first = 0,
     .count = 6,
     .range = {WITHIN(20), WITHIN(20), WITHIN(20), WITHIN(5), WITHIN(5), WITHIN(5)}},
    {.name = (char[]){"turn"}, .kind = INPUT_VALUE, .first = 6, .count = 1, .range = {WITHIN(3)}}};
static const struct signals signals = {.platform_first = -1,
                                       .count = VALUES,
                                       .signal = value,
                                       .groups = 3,
                                       .group = group,
                                       .input_first = 2,
                                       .inputs = 2,
                                       .input = input,
                                       .channels = 7,
                                       .figures = 2,
                                       .figure_first = 9};
static struct mapped item[] = {{(char[]){"/rig/crank"}, 1, false, 0.5, 0.0},
                               {(char[]){"/rig/crank"}, 0, false, 1.0, 0.0},
                               {(char[]){"/rig/turn"}, 8, true, -2.0, 1.0}};
static const char *fault[] = {"freeze"};
static const struct osc_config config = {
    .bind = "127.0.0.1", .prefix = "/bench", .map = {item, 3}, .injection_name = fault, .injections = 1};

/* The row of an address that goes in, or out. */
static const struct io_map_osc *row_of(const struct io_map *s, const char *address, bool in)
{
  for (int i = 0; i < io_map_osc_rows(s); i++) {
    const struct io_map_osc *r = io_map_osc_row(s, i);
    if (strcmp(r->address, address) == 0 && (in ? r->in : r->out)) return r;
  }
  fail_msg("no row %s", address);
  return NULL;
}

TEST(every_address_has_a_row)
{
  struct io_map *s = io_map_new();
  assert_true(osc_io_map(&config, &signals, s));
  static const struct {
    const char *address, *types, *unit;
    bool in, out;
  } rows[] = {{"/bench/in/frame", "ihfffffff", "", true, false},
              {"/bench/in/blob", "iib", "", true, false},
              {"/bench/cmd/run", "|T|F|I|N|d|f|i", "", true, false},
              {"/bench/inject", "si|sii", "", true, false},
              {"/bench/fault", "iis", "", false, true},
              {"/bench/input/push", "ffffff", "N N N N m N m N m", true, true},
              {"/bench/input/push/torque", "fff", "N m", true, true},
              {"/bench/energy/total", "f", "J", false, true},
              {"/bench/loop/cycle", "f", "s", false, true},
              {"/rig/crank", "ff", "rad J", false, true},
              {"/rig/turn", "f", "", true, true}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct io_map_osc *r = row_of(s, rows[i].address, rows[i].in);
    assert_string_equal(r->types, rows[i].types);
    assert_string_equal(r->unit, rows[i].unit);
    assert_true(r->in == rows[i].in && r->out == rows[i].out);
    assert_true(*r->text);
  }
  assert_non_null(strstr(row_of(s, "/rig/crank", false)->text, "joint.J.position = 0.5 argument"));
  for (int i = 0; i < io_map_osc_rows(s); i++)
    assert_int_not_equal(strncmp(io_map_osc_row(s, i)->address, "/bench/in/push", 14),
                         0); /* the short form */
  io_map_free(s);
}

/* The node at a path. */
static json_t *node_at(json_t *all, const char *path)
{
  char copy[128], *rest = copy;
  json_t *node = json_object_get(all, "ROOT");
  assert_true(strlen(path) < sizeof copy);
  strcpy(copy, path + 1);
  for (char *part; node && (part = strsep(&rest, "/"));)
    node = json_object_get(json_object_get(node, "CONTENTS"), part);
  if (!node) fail_msg("no node %s", path);
  assert_string_equal(json_string_value(json_object_get(node, "FULL_PATH")), path);
  return node;
}

static double end_of(const json_t *node, size_t i, const char *end)
{
  return json_number_value(json_object_get(json_array_get(json_object_get(node, "RANGE"), i), end));
}

TEST(the_tree_says_types_access_units_and_ranges)
{
  char *text = osc_query_text(&config, &signals, 9100, "rig");
  assert_non_null(text);
  json_t *all = json_loads(text, 0, NULL);
  assert_non_null(all);
  const json_t *host = json_object_get(all, "HOST_INFO");
  assert_string_equal(json_string_value(json_object_get(host, "NAME")), "rig");
  assert_int_equal(json_integer_value(json_object_get(host, "OSC_PORT")), 9100);
  assert_string_equal(json_string_value(json_object_get(host, "OSC_IP")), "127.0.0.1");
  assert_string_equal(json_string_value(json_object_get(host, "OSC_TRANSPORT")), "UDP");
  assert_true(json_is_false(json_object_get(json_object_get(host, "EXTENSIONS"), "VALUE")));

  static const struct {
    const char *path, *type;
    int access;
  } nodes[] = {{"/bench/input/push", "ffffff", 3},
               {"/bench/input/push/force", "fff", 3},
               {"/bench/status", "sifffiiii", 3},
               {"/bench/step", "ii", 2},
               {"/bench/ack", "sii", 1},
               {"/rig/crank", "ff", 1},
               {"/rig/turn", "f", 3}};
  for (size_t i = 0; i < sizeof nodes / sizeof *nodes; i++) {
    const json_t *n = node_at(all, nodes[i].path);
    assert_string_equal(json_string_value(json_object_get(n, "TYPE")), nodes[i].type);
    assert_int_equal(json_integer_value(json_object_get(n, "ACCESS")), nodes[i].access);
    assert_non_null(json_object_get(n, "DESCRIPTION"));
  }
  const json_t *push = node_at(all, "/bench/input/push"), *turn = node_at(all, "/rig/turn");
  assert_int_equal(json_array_size(json_object_get(push, "RANGE")), 6);
  assert_true(end_of(push, 2, "MAX") == 20 && end_of(push, 3, "MIN") == -5);
  assert_true(end_of(turn, 0, "MIN") == -1 &&
              end_of(turn, 0, "MAX") == 2); /* the argument: 1 - 2 x is within 3 */
  assert_string_equal(json_string_value(json_array_get(json_object_get(push, "UNIT"), 5)), "N m");
  assert_null(json_object_get(node_at(all, "/rig/crank"), "RANGE"));
  assert_null(json_object_get(node_at(all, "/bench/input"), "TYPE"));
  json_decref(all);
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_address_has_a_row),
      cmocka_unit_test(the_tree_says_types_access_units_and_ranges),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
