/* SPDX-License-Identifier: MIT
 * The connections of the map as text and as JSON; registers as CSV and as variables. Other rows are tested with their
 * protocols. */
#include "check.h"

#include "wire/io_map.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

static char line_path[] = "/dev/ttyUSB0", plc_host[] = "10.0.0.7";

static struct io_map *connections(void)
{
  struct io_map *m = io_map_new();
  assert_non_null(m);
  io_map_add_connection(
      m, &(struct io_map_connection){
             .listens = true, .protocol = "OSC over UDP", .host = "::1", .port = 9100, .unit = -1});
  const struct remote_config line = {.serial = {line_path, 19200, PARITY_EVEN, 1}};
  const struct remote_config plc = {.host = plc_host, .port = 502};
  io_map_add_remote(m, &line, false, "Modbus TCP", "Modbus RTU", 3, "drive");
  io_map_add_remote(m, &plc, false, "Modbus TCP", "Modbus RTU", 1, "plc");
  assert_true(io_map_complete(m));
  return m;
}

/* Prints a map and frees it. The caller frees the text. */
static char *printed(struct io_map *m, void (*print)(const struct io_map *m, FILE *out))
{
  char *text = NULL;
  size_t size;
  FILE *out = open_memstream(&text, &size);
  assert_non_null(out);
  print(m, out);
  assert_int_equal(fclose(out), 0);
  io_map_free(m);
  return text;
}

TEST(connections_come_first_and_alone_without_rows)
{
  char *text = printed(connections(), io_map_print);
  assert_string_equal(text, "Connections\n"
                            "ali3d    protocol           place                   unit  meaning\n"
                            "listens  OSC over UDP       [::1]:9100                    \n"
                            "sends    Modbus RTU         /dev/ttyUSB0 19200 8E1     3  drive\n"
                            "sends    Modbus TCP         10.0.0.7:502               1  plc\n");
  free(text);
  struct io_map *m = connections();
  io_map_add_osc(m, &(struct io_map_osc){"/a", "f", true, false, "m", "position", "a.x"});
  text = printed(m, io_map_print);
  assert_non_null(strstr(text, "plc\n\nOSC\n"));
  free(text);
}

TEST(json_has_null_for_missing_parts_of_a_connection)
{
  char *text = printed(connections(), io_map_print_json);
  json_t *o = json_loads(text, 0, NULL), *list = json_object_get(o, "connections"), *row;
  assert_int_equal(json_array_size(list), 3);
  row = json_array_get(list, 0);
  assert_true(json_is_true(json_object_get(row, "listens")));
  assert_string_equal(json_string_value(json_object_get(row, "host")), "::1");
  assert_int_equal(json_integer_value(json_object_get(row, "port")), 9100);
  assert_true(json_is_null(json_object_get(row, "line")) && json_is_null(json_object_get(row, "unit")));
  row = json_array_get(list, 1);
  assert_true(json_is_false(json_object_get(row, "listens")));
  assert_string_equal(json_string_value(json_object_get(row, "protocol")), "Modbus RTU");
  assert_string_equal(json_string_value(json_object_get(row, "line")), "/dev/ttyUSB0 19200 8E1");
  assert_true(json_is_null(json_object_get(row, "host")) && json_is_null(json_object_get(row, "port")));
  assert_int_equal(json_integer_value(json_object_get(row, "unit")), 3);
  assert_string_equal(json_string_value(json_object_get(json_array_get(list, 2), "text")), "plc");
  json_decref(o);
  free(text);
}

TEST(a_map_without_rows_is_empty)
{
  char *text = printed(io_map_new(), io_map_print);
  assert_string_equal(text, "");
  free(text);
}

static struct io_map *registers(void)
{
  struct io_map *m = io_map_new();
  io_map_add_modbus(m, &(struct io_map_modbus){.table = TABLE_HOLDING,
                                               .address = 300,
                                               .wire = {WIRE_F32, WIRE_CDAB, 2.0, 0.0},
                                               .writable = true,
                                               .limited = true,
                                               .lower = -5.0,
                                               .upper = 5.0,
                                               .rate = 10.0,
                                               .name = "input.a-b.value",
                                               .unit = "N",
                                               .text = "say \"go\", then <stop> & wait"});
  io_map_add_modbus(m, &(struct io_map_modbus){.device = "plc at 10.0.0.7:502, unit 1",
                                               .table = TABLE_INPUT,
                                               .address = 7,
                                               .wire = {WIRE_I16, WIRE_ABCD, -0.5, 1.0},
                                               .name = "time",
                                               .unit = "s"});
  io_map_add_modbus(m, &(struct io_map_modbus){.table = TABLE_INPUT,
                                               .address = 7004,
                                               .wire = {WIRE_U16, WIRE_ABCD, 1.0, 0.0},
                                               .count = 16,
                                               .name = "owner name",
                                               .unit = "",
                                               .text = "(* in the text ends *)no comment"});
  io_map_add_modbus(m, &(struct io_map_modbus){.table = TABLE_HOLDING,
                                               .address = 102,
                                               .wire = {WIRE_F32, WIRE_CDAB, 1.0, 0.0},
                                               .unused = true,
                                               .name = "unused",
                                               .unit = "",
                                               .text = ""});
  assert_true(io_map_complete(m));
  return m;
}

TEST(tables_have_limits_and_an_example)
{
  char *text = printed(registers(), io_map_print);
  assert_non_null(strstr(text, "\norder cdab: f32 1.0 is 0000 at its address and 3F80 at the next one\n"));
  assert_null(strstr(text, "abcd:")); /* no number of several registers has that order */
  assert_non_null(strstr(text, "-5 to 5, 10 a second "));
  assert_non_null(strstr(text, "holds -16382.5 to 16385"));
  free(text);
}

TEST(csv_quotes_what_needs_it)
{
  char *text = printed(registers(), io_map_print_csv);
  assert_non_null(
      strstr(text, "\nmodbus,,input.a-b.value,write,holding,300,400301,3 16 23,2,f32,cdab,0000 3F00,2,0,-5,5,"
                   "10,,,N,\"say \"\"go\"\", then <stop> & wait\"\n"));
  assert_non_null(
      strstr(text, "\nmodbus,\"plc at 10.0.0.7:502, unit 1\",time,read,input,7,300008,4,1,i16,,0000,-0.5,1,,"
                   ",,-16382.5,16385,s,\n"));
  free(text);
}

TEST(variables_of_a_plc)
{
  char *text = printed(registers(), io_map_print_st);
  assert_non_null(strstr(
      text, "\n  VAR_GLOBAL\n    ali3d_input_a_b_value_h300 : REAL; (* holding 300 (400301), order cdab, "
            "value = 2 x number +0, N, clamped to -5 to 5: say"));
  assert_non_null(strstr(text,
                         "\n    plc_time_i7 : INT; (* input 7 (300008), value = -0.5 x number +1, s *)\n"
                         "    ali3d_owner_name_i7004 : ARRAY [0..15] OF UINT; (* input 7004 (307005): [* in "
                         "the text ends )no comment *)\n"
                         "  END_VAR\n"));
  assert_null(strstr(text, "unused"));
  free(text);
  text = printed(registers(), io_map_print_st_located);
  assert_non_null(strstr(text, "\n    ali3d_input_a_b_value_h300 AT %QD300 : REAL; (* "));
  assert_non_null(strstr(text, "\n    plc_time_i7 AT %QW7 : INT; (* "));
  free(text);
  text = printed(registers(), io_map_print_plcopen);
  assert_non_null(strstr(text, "<variable name=\"ali3d_input_a_b_value_h300\"><type><REAL/></type>"));
  assert_non_null(strstr(text,
                         "<variable name=\"ali3d_owner_name_i7004\"><type><array><dimension lower=\"0\" "
                         "upper=\"15\"/><baseType><UINT/></baseType></array></type>"));
  assert_null(strstr(text, "unused"));
  assert_non_null(strstr(text, "then &lt;stop&gt; &amp; wait</xhtml>"));
  free(text);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(connections_come_first_and_alone_without_rows),
      cmocka_unit_test(json_has_null_for_missing_parts_of_a_connection),
      cmocka_unit_test(a_map_without_rows_is_empty),
      cmocka_unit_test(tables_have_limits_and_an_example),
      cmocka_unit_test(csv_quotes_what_needs_it),
      cmocka_unit_test(variables_of_a_plc),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
