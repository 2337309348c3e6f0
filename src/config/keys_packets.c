/* SPDX-License-Identifier: MIT
 * The keys of packets, of their fields, and of files that hold packets. Data only. */
#include "config/keys.h"
#include "config/values.h"

#define WORD(id, text, ...) text,
static const char *const packet_types[] = {PACKET_TYPE_LIST(WORD) NULL};
#undef WORD
static const char *const endians[] = {[ENDIAN_BIG] = "big", [ENDIAN_LITTLE] = "little", NULL};
static const char *const time_units[] = {"ms", "us", NULL};
static const char *const frame_numbers[] = {"cycle", "state", "flags", "fault", NULL};

/* clang-format off */
#define PLACE(type) \
  TEXT("host", NONE, AT_START, offsetof(type, place.host), "Numeric address, over UDP. Write either host or serial.", .example = "127.0.0.1"), \
  INTEGER("port", "", BETWEEN(1, 65535), NONE, AT_START, offsetof(type, place.port), \
          "UDP port. host needs it, and serial does not take it.", .example = "9102"), \
  TEXT("serial", NONE, AT_START, offsetof(type, place.serial), \
       "Device file of a serial line that nothing else uses. A packet for which the line has no room is dropped whole and " \
       "counted. A line that disappears is opened again every second."), \
  INTEGER("baud", "", BETWEEN(1200, 4e6), "115200", AT_START, offsetof(type, place.baud), \
          "Speed of the line. It must be enough for all packets. Only with serial."), \
  CHOICE("parity", schema_parities, "none", AT_START, offsetof(type, place.parity), \
         "Parity of the line. Only with serial."), \
  INTEGER("stop_bits", "", BETWEEN(1, 2), "1", AT_START, offsetof(type, place.stop_bits), \
          "Stop bits of the line. Only with serial.")

/* What may be said of a field by its type. A number has one source more: signal, value, counter, time or frame. */
#define NUMBER_TYPES (KIND(PACKET_ZEROS) - 1)
#define CHECKSUM_TYPES (KIND(PACKET_CRC32 + 1) - KIND(PACKET_SUM8))

#define FIELD(field) offsetof(struct packet_field_values, field)
static const struct key packet_field_keys[] = {
  CHOICE("type", packet_types, REQUIRED, AT_START, FIELD(type),
         "Type of the field: a number, bytes that are always the same, or a checksum of the bytes before it. Whole numbers "
         "are rounded and clamped to their range.", .example = "f32"),
  TEXT("signal", NONE, AT_START, FIELD(signal),
       "Name of a signal, or of a group whose members follow each other: body.A.position. While one of them is not a finite "
       "number the packet is not sent. A number has one of the keys signal, value, counter, time and frame.",
       .only = NUMBER_TYPES, .example = "body.A.position"),
  NUMBER("scale", "", ANY, "1", AT_START, FIELD(scale),
         "Factor other than 0. The signal is scale times the number that is sent, plus offset. It is negative where an axis "
         "points the other way. Only with signal.", .only = NUMBER_TYPES),
  NUMBER("offset", "", ANY, "0", AT_START, FIELD(offset),
         "Offset. The signal is scale times the number that is sent, plus offset. Only with signal.", .only = NUMBER_TYPES),
  TABLE("values", "", NONE, AT_START, FIELD(values),
        "Pairs of a whole value of the signal and the number that is sent for it, in place of scale and offset: [[0, 210], "
        "[1, 180]]. Only with signal and frame.", .only = NUMBER_TYPES),
  NUMBER("else", "", ANY, NONE, AT_START, FIELD(otherwise),
         "Number that is sent for values that the key values does not list. It is needed beside values, and allowed only "
         "there.", .only = NUMBER_TYPES),
  NUMBER("value", "", ANY, NONE, AT_START, FIELD(value), "Constant number.", .only = NUMBER_TYPES),
  FLAG("counter", "false", AT_START, FIELD(counter),
       "true: number of the packet, from 0. Dropped packets are counted too. It wraps.", .only = NUMBER_TYPES),
  CHOICE("time", time_units, NONE, AT_START, FIELD(time),
         "Time since the first cycle, in this unit. It wraps. The signal time is the simulated time in s.",
         .only = NUMBER_TYPES),
  CHOICE("frame", frame_numbers, NONE, AT_START, FIELD(frame),
         "Number from the frame of the cycle, with the codes that the README lists. It may have values.",
         .only = NUMBER_TYPES),
  INTEGER("count", "bytes", BETWEEN(1, PACKET_BYTES_MAX), NONE, AT_START, FIELD(count), "Number of zeros.",
          .only = KIND(PACKET_ZEROS), .needed = KIND(PACKET_ZEROS)),
  TEXT("hex", NONE, AT_START, FIELD(hex), "Hexadecimal digits of the bytes: \"FF FF\".",
       .only = KIND(PACKET_BYTES), .needed = KIND(PACKET_BYTES)),
  INTEGER("from", "", BETWEEN(0, PACKET_BYTES_MAX), "0", AT_START, FIELD(from),
          "First byte that the checksum covers.", .only = CHECKSUM_TYPES),
  CHOICE("endian", endians, NONE, AT_START, FIELD(endian),
         "Byte order of the number. Without this key the endian of the packet applies.",
         .only = NUMBER_TYPES | CHECKSUM_TYPES),
};
const struct section schema_packet_field = SECTION("a field", packet_field_keys, .by = "type");

#define PACKET(field) offsetof(struct packet_values, field)
static const struct key packet_keys[] = {
  TEXT("name", REQUIRED, AT_START, PACKET(name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other packets.", .example = "rig"),
  PLACE(struct packet_values),
  INTEGER("divisor", "cycles", BETWEEN(1, 1e6), "1", AT_START, PACKET(divisor), "Every n-th cycle is sent."),
  CHOICE("endian", endians, "big", AT_START, PACKET(endian),
         "Byte order. big: the most significant byte of a number comes first. little: it comes last."),
  LIST("fields", &schema_packet_field, REQUIRED,
       "Fields of the packet, without gaps, of 1472 bytes at most: [{type: f32, signal: body.A.position}, {type: u16, "
       "counter: true}]. ali3d FILE --print-map prints where each field stands."),
};
const struct section schema_packet = SECTION("a packet", packet_keys);
static const struct key packets_keys[] = {LIST("packets", &schema_packet, REQUIRED, "The packets.")};
const struct section schema_packets = SECTION("a file of packets", packets_keys);
static const struct key packet_file_keys[] = {
  TEXT("file", REQUIRED, AT_START, offsetof(struct packet_file_values, file),
       "Path of a file that holds the list, relative to this one."),
  PLACE(struct packet_file_values),
};
const struct section schema_packet_file = SECTION("packets", packet_file_keys);
/* clang-format on */
