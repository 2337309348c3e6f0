/* SPDX-License-Identifier: MIT
 * Reading of "packets", in place and from a file, and of maps from a file. mistakes/ has their mistakes. The shipped maps for
 * motion platforms are tested by the bytes that they send. */
#include "scratch.h"

#include "config/changes.h"
#include "config/packets.h"
#include "config/wiring.h"
#include "packets/encode.h"

#include <stdio.h>

#define MODEL "model:\n  bodies:\n    - {name: A, mass: 1, inertia: [1, 1, 1], position: [0, 0, 0]}\n"

TEST(fields_follow_each_other)
{
  struct settings *s = load_good(
      MODEL
      "packets:\n"
      "  - name: a\n    host: \"::1\"\n    port: 7\n    divisor: 4\n    endian: little\n    fields:\n"
      "      - {type: bytes, hex: \"fF0a 0D\"}\n"
      "      - {type: i24, signal: body.A.velocity, scale: -0.5, offset: 1}\n"
      "      - {type: u16, frame: flags, endian: big}\n"
      "      - {type: zeros, count: 5}\n"
      "      - {type: u8, signal: time, values: [[0, 210], [1, 180]], else: 7}\n"
      "      - {type: u32, time: ms}\n"
      "      - {type: sum8, from: 3}\n"
      "  - {name: b, serial: /dev/null, parity: odd, stop_bits: 2, fields: [{type: f64, value: -2.5}]}\n");
  assert_int_equal(s->packets, 2);
  const struct packet *p = &s->packet[0];
  assert_string_equal(p->remote.host, "::1");
  assert_true(p->remote.port == 7 && !p->remote.serial.path && p->divisor == 4 && p->fields == 9 &&
              p->size == 25);
  const struct packet_field *f = p->field;
  assert_memory_equal(f[0].bytes, "\xff\x0a\x0d", 3);
  const int velocity = signals_find(s->signals, "body.A.velocity.x");
  for (int i = 0; i < 3; i++) {
    assert_true(f[1 + i].at == 3 + 3 * i && f[1 + i].source == PACKET_SIGNAL && f[1 + i].little);
    assert_true(f[1 + i].signal == velocity + i && f[1 + i].scale == -0.5 && f[1 + i].offset == 1);
  }
  assert_true(f[4].at == 12 && f[4].source == PACKET_FLAGS && !f[4].little);
  assert_true(f[5].at == 14 && f[5].size == 5);
  assert_true(f[6].pairs == 2 && f[6].table[1][0] == 1 && f[6].table[1][1] == 180 && f[6].value == 7);
  assert_true(f[7].source == PACKET_TIME && f[7].unit_ns == 1000000);
  assert_true(f[8].at == 24 && f[8].from == 3);
  const struct serial_config *line = &s->packet[1].remote.serial;
  assert_string_equal(line->path, "/dev/null");
  assert_true(!s->packet[1].remote.host && line->baud == 115200 && line->parity == PARITY_ODD &&
              line->stop_bits == 2);
  assert_true(s->packet[1].field[0].value == -2.5 && !s->packet[1].field[0].little);
  settings_free(s);
}

TEST(the_number_of_packets_is_limited)
{
  settings_free(load_good(MODEL "packets:\n  - {name: a, host: 127.0.0.1, port: 7,"
                                " fields: [{type: zeros, count: 1471}, {type: xor8}]}\n"));
  char text[4000] = MODEL "packets:\n";
  for (int i = 0; i <= PACKETS_MAX; i++) {
    snprintf(text + strlen(text), sizeof text - strlen(text),
             "  - {name: p%d, host: 127.0.0.1, port: 7, fields: [{type: u8, counter: true}]}\n", i);
    if (i == PACKETS_MAX - 1) settings_free(load_good(text));
  }
  assert_refused(text, ":21:5: error: packets: expected at most 16");
}

/* A line of 9600 baud carries nine characters of ten bits in 10 ms, and eighteen in 20 ms. */
TEST(a_line_has_to_be_fast_enough)
{
#define SLOW(count, rest)                                                                                    \
  MODEL "packets:\n  - {name: a, serial: /dev/null, baud: 9600, fields: [{type: zeros, count: " count        \
        "}]" rest "}\n"
  settings_free(load_good(SLOW("9", "")));
  assert_refused(SLOW("10", ""), "baud: 10 bytes every 10 ms need 10000 baud or more, found 9600");
  settings_free(load_good(SLOW("19", ", divisor: 2")));
  assert_refused(SLOW("9", ", parity: even"), "baud: 9 bytes every 10 ms need 9900 baud or more, found 9600");
}

/* --- a file of its own --- */

TEST(a_file_has_its_place_or_another)
{
  char text[600];
  snprintf(text, sizeof text, MODEL "packets: {file: %s/file/config/packets.yaml}\n", TEST_DATA);
  struct settings *a = load_good(text);
  assert_int_equal(a->packets, 1);
  assert_true(a->packet[0].size == 20 && a->packet[0].remote.port == 9000);

  snprintf(text, sizeof text,
           MODEL "packets: {file: %s/file/config/packets.yaml, host: 127.0.0.9, port: 9}\n", TEST_DATA);
  struct settings *b = load_good(text);
  assert_string_equal(b->packet[0].remote.host, "127.0.0.9");
  assert_true(b->packet[0].remote.port == 9);

  snprintf(text, sizeof text,
           MODEL "packets: {file: %s/file/config/packets.yaml, serial: /dev/null, baud: 57600}\n", TEST_DATA);
  struct settings *c = load_good(text);
  assert_null(c->packet[0].remote.host);
  assert_string_equal(c->packet[0].remote.serial.path, "/dev/null");
  assert_true(c->packet[0].remote.serial.baud == 57600 && c->packet[0].remote.serial.parity == PARITY_NONE);

  char names[100];
  assert_int_equal(settings_changes(a, b, false, names, sizeof names), 1);
  assert_string_equal(names, "packets");
  assert_int_equal(settings_changes(a, a, false, names, sizeof names), 0);
  settings_free(a);
  settings_free(b);
  settings_free(c);
}

/* The content of the file counts, not only its name. */
TEST(a_changed_file_is_a_change)
{
  static const char *const content[] = {
      "packets:\n  - {name: a, host: 127.0.0.1, port: 7, fields: [{type: u8, "
      "value: 1}]}\n",
      "packets:\n  - {name: a, host: 127.0.0.1, port: 7, fields: [{type: u8, "
      "value: 2}]}\n"};
  char file[32], text[300], names[100];
  write_scratch(file, content[0], strlen(content[0]));
  snprintf(text, sizeof text, MODEL "packets: {file: %s}\n", file);
  struct settings *a = load_good(text);
  FILE *f = fopen(file, "w");
  assert_non_null(f);
  fputs(content[1], f);
  fclose(f);
  struct settings *b = load_good(text);
  unlink(file);
  assert_int_equal(settings_changes(a, b, false, names, sizeof names), 1);
  assert_string_equal(names, "packets");
  settings_free(a);
  settings_free(b);
}

/* --- shipped maps --- */

static struct signal platform[] = {
    {(char[]){"time"}, "s"},
    {(char[]){"platform.state"}, ""},
    {(char[]){"platform.pose.surge"}, "m"},
    {(char[]){"platform.pose.sway"}, "m"},
    {(char[]){"platform.pose.heave"}, "m"},
    {(char[]){"platform.pose.roll"}, "rad"},
    {(char[]){"platform.pose.pitch"}, "rad"},
    {(char[]){"platform.pose.yaw"}, "rad"},
    {(char[]){"platform.legs.1"}, "m"},
    {(char[]){"platform.legs.2"}, "m"},
    {(char[]){"platform.legs.3"}, "m"},
    {(char[]){"platform.legs.4"}, "m"},
    {(char[]){"platform.legs.5"}, "m"},
    {(char[]){"platform.legs.6"}, "m"},
    {(char[]){"platform.legs_normalised.1"}, ""},
    {(char[]){"platform.legs_normalised.2"}, ""},
    {(char[]){"platform.legs_normalised.3"}, ""},
    {(char[]){"platform.legs_normalised.4"}, ""},
    {(char[]){"platform.legs_normalised.5"}, ""},
    {(char[]){"platform.legs_normalised.6"}, ""},
};
enum { PLATFORM = sizeof platform / sizeof platform[0] };
static struct signals signals = {.count = PLATFORM, .signal = platform};
/* powers of two where numbers are sent unchanged, and a yaw of pi/2 */
static double VALUE[PLATFORM] = {
    1.5, 1, 0.25, -0.5, 0.125, 0.5, -0.25, 1.5707963267948966, 1, 2, 0.25, 0.5, 4, 8, -1, -0.5, 0, 0.5, 1, 2};

/* The bytes of the only packet of a map. */
static int bytes_of(const char *name, uint8_t out[PACKET_BYTES_MAX])
{
  char text[300], file[32];
  snprintf(text, sizeof text, "packets: {file: %s/../config/platform/%s}\n", TEST_DATA, name);
  write_scratch(file, text, strlen(text));
  struct report r = {.out = stderr};
  struct settings s = {.signals = &signals, .options.dt = 0.01};
  struct yaml tree = {0};
  assert_true(yaml_read(&tree, file, &r) && packets_read(node_find(tree.root, "packets"), &s, &r));
  unlink(file);
  assert_int_equal(r.errors, 0);
  assert_int_equal(s.packets, 1);
  const struct frame frame = {.cycle = 0x01020304, .values = VALUE};
  const struct packet_moment moment = {.number = 258};
  const int clamped = packet_encode(&s.packet[0], &frame, &moment, out), size = s.packet[0].size;
  assert_int_equal(clamped, strstr(name, "simtools") ? 1 : 0); /* the leg that asks for 2 */
  packets_release(s.packet, s.packets);
  yaml_free(&tree);
  return size;
}

#define assert_sends(name, ...)                                                                              \
  do {                                                                                                       \
    static const uint8_t expected[] = {__VA_ARGS__};                                                         \
    uint8_t got[PACKET_BYTES_MAX];                                                                           \
    assert_int_equal(bytes_of(name, got), sizeof expected);                                                  \
    assert_memory_equal(got, expected, sizeof expected);                                                     \
  } while (0)

/* clang-format off */
TEST(moog)
{
  assert_sends("moog-udp.yaml",
               0x00, 0x00, 0x00, 0xb4,   /* engage */
               0x3f, 0x00, 0x00, 0x00,   /* roll 0.5 */
               0x3e, 0x80, 0x00, 0x00,   /* pitch 0.25: turned around */
               0xbe, 0x00, 0x00, 0x00,   /* heave -0.125: down */
               0x3e, 0x80, 0x00, 0x00,   /* surge 0.25 */
               0xbf, 0xc9, 0x0f, 0xdb,   /* yaw -pi/2 */
               0x3f, 0x00, 0x00, 0x00,   /* sway 0.5: to the right */
               0x00, 0x00, 0x00, 0x00);
}

/* While the platform parks or is parked, no packet moves the base. */
TEST(moog_poses_are_sent_while_the_platform_follows)
{
  static const uint8_t command[] = {170, 180, 130, 130, 130, 210, 210, 210, 210};
  const double before = VALUE[1];
  for (int i = 0; i < (int)(sizeof command); i++) {
    uint8_t got[PACKET_BYTES_MAX];
    VALUE[1] = i;
    bytes_of("moog-udp.yaml", got);
    assert_int_equal(got[3], command[i]);
  }
  VALUE[1] = before;
}

TEST(simtools)
{
  assert_sends("simtools-serial.yaml", 0xff, 0xff,
               0x00, 0x00, 0x00,         /* -1 */
               0x40, 0x00, 0x00,         /* -0.5: 4194303.5, rounded away from 0 */
               0x7f, 0xff, 0xff,         /* 0 */
               0xbf, 0xff, 0xff,         /* 0.5: 12582910.5 */
               0xff, 0xff, 0xfe,         /* 1 */
               0xff, 0xff, 0xff,         /* 2: clamped */
               0x7f, 0xff, 0xff, 0x7f, 0xff, 0xff, 0x0a, 0x0d);
}

TEST(openmotionsim)
{
  assert_sends("openmotionsim-udp.yaml",
               0x00, 0x00, 0xc0, 0x3f,   /* 1.5 s */
               0x00, 0x00, 0xb4, 0x42,   /* yaw 90 degrees */
               0xe1, 0x2e, 0x65, 0xc1,   /* pitch -14.3239 */
               0xe1, 0x2e, 0xe5, 0x41,   /* roll 28.6479 */
               0x00, 0x00, 0x00, 0x3e);  /* 0.125 m */
}

TEST(hexapod)
{
  assert_sends("hexapod-udp.yaml", 'A', '3', 'H', 'X',
               0x02, 0x01, 0x00, 0x00,   /* number 258 */
               0x04, 0x03, 0x02, 0x01,   /* cycle */
               0x01, 0x00, 0x00, 0x00,   /* engage */
               0x00, 0x00, 0x80, 0x3e, 0x00, 0x00, 0x00, 0xbf, 0x00, 0x00, 0x00, 0x3e,   /* 0.25 -0.5 0.125 m */
               0x00, 0x00, 0x00, 0x3f, 0x00, 0x00, 0x80, 0xbe, 0xdb, 0x0f, 0xc9, 0x3f,   /* 0.5 -0.25 pi/2 rad */
               0x00, 0x00, 0x80, 0x3f, 0x00, 0x00, 0x00, 0x40, 0x00, 0x00, 0x80, 0x3e,   /* 1 2 0.25 */
               0x00, 0x00, 0x00, 0x3f, 0x00, 0x00, 0x80, 0x40, 0x00, 0x00, 0x00, 0x41,   /* 0.5 4 8 */
               0x5a, 0x70, 0x54, 0x57);  /* by zlib of Python */
}
/* clang-format on */

/* One file has osc.map and modbus.map. */
TEST(hexapod_maps)
{
  char text[300];
  snprintf(text, sizeof text, "%s/../config/platform/hexapod-osc.yaml", TEST_DATA);
  const struct source here = {.file = (char[]){"test"}};
  const struct node name = {.kind = NODE_SCALAR, .text = text};
  struct report r = {.out = stderr, .source = &here};
  struct settings s = {.signals = &signals};
  const struct wiring_rules rules = {.server = true, .default_map = true};
  struct list_file list;
  assert_true(list_open(&list, &name, &schema_maps, "osc", "map", &r));
  assert_true(osc_map_read(list.list, "/ali3", &s, &r));
  list_close(&list, &r);
  assert_true(list_open(&list, &name, &schema_maps, "modbus", "map", &r));
  assert_true(wiring_read(list.list, &rules, &signals, &s.modbus.map, &r));
  list_close(&list, &r);
  assert_int_equal(r.errors, 0);

  assert_int_equal(s.osc.map.count, 13);
  assert_string_equal(s.osc.map.item[1].address, "/platform/pose");
  for (int i = 0; i < 6; i++) {
    assert_int_equal(s.osc.map.item[1 + i].signal, 2 + i); /* surge to yaw, in the order of the signals */
    assert_int_equal(s.osc.map.item[7 + i].signal, 8 + i);
    assert_true(s.osc.map.item[7 + i].scale == 0.001);
  }
  assert_int_equal(s.modbus.map.count, 13);
  uint16_t word;
  for (int i = 0; i < 13; i++) {
    const struct wired *w = &s.modbus.map.item[i];
    assert_int_equal(w->address, i < 7 ? 200 + i : 203 + i);
    assert_int_equal(w->signal, i < 7 ? 1 + i : 7 + i);
    const double asked[] = {7, 0.25, -0.5, 0.125, 0.5, -0.25, 1.5, -1, -1, 0, 1, 1, 1};
    const uint16_t expected[] = {7, 2500,  (uint16_t)-5000, 1250,  5000, (uint16_t)-2500, 15000, 0,
                                 0, 32768, 65535,           65535, 65535};
    assert_int_equal(wire_put(&w->wire, asked[i], &word), WIRE_FITS);
    assert_int_equal(word, expected[i]);
  }
  for (int i = 0; i < s.osc.map.count; i++) free(s.osc.map.item[i].address);
  free(s.osc.map.item);
  free(s.modbus.map.item);
}

TEST(maps_from_a_file)
{
  char text[600], names[100];
  snprintf(text, sizeof text,
           MODEL
           "osc: {map: {file: %s/file/config/maps.yaml}}\nmodbus: {map: {file: %s/file/config/maps.yaml}}\n",
           TEST_DATA, TEST_DATA);
  struct settings *a = load_good(text);
  assert_true(a->osc.map.count == 1 && a->modbus.map.count == 1);
  assert_string_equal(a->osc.map.item[0].address, "/rig/t");
  assert_int_equal(a->modbus.map.item[0].address, 300);
  struct settings *b = load_good(MODEL "osc: {map: [{signal: time, address: /rig/t}]}\n"
                                       "modbus: {map: [{signal: time, table: input, address: 301}]}\n");
  assert_int_equal(settings_changes(a, b, false, names, sizeof names), 2);
  assert_string_equal(names, "osc.map, modbus.map");
  settings_free(a);
  settings_free(b);
}

/* Files of lists have parameters, expressions and merge keys as the configuration has. */
TEST(files_of_lists_have_short_forms)
{
  char text[600];
  snprintf(text, sizeof text,
           MODEL "packets: {file: %s/file/config/short_packets.yaml}\nosc: {map: {file: "
                 "%s/file/config/short_maps.yaml}}\n"
                 "modbus: {map: {file: %s/file/config/short_maps.yaml}}\n",
           TEST_DATA, TEST_DATA, TEST_DATA);
  struct settings *s = load_good(text);
  assert_int_equal(s->packets, 2);
  assert_string_equal(s->packet[0].remote.host, "127.0.0.1");
  assert_true(s->packet[0].remote.port == 9001 && s->packet[1].remote.port == 9002);
  assert_true(s->packet[1].size == s->packet[0].size && s->packet[0].size == 16);
  assert_string_equal(s->osc.map.item[0].address, "/rig/t");
  assert_int_equal(s->modbus.map.item[0].address, 301);
  settings_free(s);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(fields_follow_each_other),
      cmocka_unit_test(the_number_of_packets_is_limited),
      cmocka_unit_test(a_line_has_to_be_fast_enough),
      cmocka_unit_test(a_file_has_its_place_or_another),
      cmocka_unit_test(a_changed_file_is_a_change),
      cmocka_unit_test(moog),
      cmocka_unit_test(moog_poses_are_sent_while_the_platform_follows),
      cmocka_unit_test(simtools),
      cmocka_unit_test(openmotionsim),
      cmocka_unit_test(hexapod),
      cmocka_unit_test(hexapod_maps),
      cmocka_unit_test(maps_from_a_file),
      cmocka_unit_test(files_of_lists_have_short_forms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
