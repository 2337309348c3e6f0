/* SPDX-License-Identifier: MIT
 * The tables of "packets". Data only. */
#include "config/keys.h"
#include "config/values.h"

#define WORD(id, text, ...) text,
static const char *const packet_types[] = {PACKET_TYPE_LIST(WORD) NULL};
#undef WORD

/* clang-format off */
#define PLACE(type) \
  {"host",      KEY_STRING,  "", ANY,                NONE,     AT_START, offsetof(type, place.host),      0,        0}, \
  {"port",      KEY_INTEGER, "", BETWEEN(1, 65535),  NONE,     AT_START, offsetof(type, place.port),      0,        0}, \
  {"serial",    KEY_STRING,  "", ANY,                NONE,     AT_START, offsetof(type, place.serial),    0,        0}, \
  {"baud",      KEY_INTEGER, "", BETWEEN(1200, 4e6), "115200", AT_START, offsetof(type, place.baud),      0,        0}, \
  {"parity",    KEY_CHOICE,  "", ANY,                "none",   AT_START, offsetof(type, place.parity),    schema_parities, 0}, \
  {"stop_bits", KEY_INTEGER, "", BETWEEN(1, 2),      "1",      AT_START, offsetof(type, place.stop_bits), 0,        0}
static const char *const endians[] = {[ENDIAN_BIG] = "big", [ENDIAN_LITTLE] = "little", NULL};
static const char *const time_units[] = {"ms", "us", NULL};
static const char *const frame_numbers[] = {"cycle", "state", "flags", "fault", NULL};

#define FIELD(field) offsetof(struct packet_field_values, field)
static const struct key packet_field_keys[] = {
  {"type",    KEY_CHOICE,  "", ANY,                          REQUIRED, AT_START, FIELD(type),      packet_types,  0},
  {"signal",  KEY_STRING,  "", ANY,                          NONE,     AT_START, FIELD(signal),    0,             0},
  {"scale",   KEY_NUMBER,  "", ANY,                          "1",      AT_START, FIELD(scale),     0,             0},
  {"offset",  KEY_NUMBER,  "", ANY,                          "0",      AT_START, FIELD(offset),    0,             0},
  {"values",  KEY_TABLE,   "", ANY,                          NONE,     AT_START, FIELD(values),    0,             0},
  {"else",    KEY_NUMBER,  "", ANY,                          NONE,     AT_START, FIELD(otherwise), 0,             0},
  {"value",   KEY_NUMBER,  "", ANY,                          NONE,     AT_START, FIELD(value),     0,             0},
  {"counter", KEY_BOOL,    "", ANY,                          "false",  AT_START, FIELD(counter),   0,             0},
  {"time",    KEY_CHOICE,  "", ANY,                          NONE,     AT_START, FIELD(time),      time_units,    0},
  {"frame",   KEY_CHOICE,  "", ANY,                          NONE,     AT_START, FIELD(frame),     frame_numbers, 0},
  {"count",   KEY_INTEGER, "bytes", BETWEEN(1, PACKET_BYTES_MAX), NONE, AT_START, FIELD(count),    0,             0},
  {"hex",     KEY_STRING,  "", ANY,                          NONE,     AT_START, FIELD(hex),       0,             0},
  {"from",    KEY_INTEGER, "", BETWEEN(0, PACKET_BYTES_MAX), "0",      AT_START, FIELD(from),      0,             0},
  {"endian",  KEY_CHOICE,  "", ANY,                          NONE,     AT_START, FIELD(endian),    endians,       0},
};
const struct section schema_packet_field = SECTION("a field", packet_field_keys);

#define PACKET(field) offsetof(struct packet_values, field)
static const struct key packet_keys[] = {
  {"name",    KEY_STRING,  "",       ANY,             REQUIRED, AT_START, PACKET(name),    0,       0},
  PLACE(struct packet_values),
  {"divisor", KEY_INTEGER, "cycles", BETWEEN(1, 1e6), "1",      AT_START, PACKET(divisor), 0,       0},
  {"endian",  KEY_CHOICE,  "",       ANY,             "big",    AT_START, PACKET(endian),  endians, 0},
  {"fields",  KEY_LIST,    "",       ANY,             REQUIRED, AT_START, 0,               0,       &schema_packet_field},
};
const struct section schema_packet = SECTION("a packet", packet_keys);
static const struct key packets_keys[] = {
  {"packets", KEY_LIST, "", ANY, REQUIRED, AT_START, 0, 0, &schema_packet},
};
const struct section schema_packets = SECTION("a file of packets", packets_keys);
static const struct key packet_file_keys[] = {
  {"file", KEY_STRING, "", ANY, REQUIRED, AT_START, offsetof(struct packet_file_values, file), 0, 0},
  PLACE(struct packet_file_values),
};
const struct section schema_packet_file = SECTION("packets", packet_file_keys);
/* clang-format on */
