/* SPDX-License-Identifier: MIT
 * The keys of what serves a port: osc, modbus, their maps and peers, devices, packets, and files that hold maps or packets.
 * Data only. */
#include "settings/keys.h"
#include "settings/packet_values.h"
#include "settings/wiring_values.h"

static const char *const profiles[] = {"f", "d", NULL};
#define WORD(id, text, ...) text,
static const char *const streams[] = {STREAM_LIST(WORD) NULL};
static const char *const wire_types[] = {WIRE_TYPE_LIST(WORD) NULL};
static const char *const wire_orders[] = {WIRE_ORDER_LIST(WORD) NULL};
static const char *const wire_tables[] = {WIRE_TABLE_LIST(WORD) NULL};
#undef WORD
static const char *const accesses[] = {"read", "write", "jog", NULL};

/* clang-format off */
#define WORD_ORDER_DOC \
  "Order of the four bytes of a 32-bit number in two registers. abcd: high word first. cdab: low word first. badc: " \
  "abcd with the two bytes of each word swapped. dcba: cdab with the two bytes of each word swapped."

#define TARGET(field) offsetof(struct target_values, field)
static const struct key target_keys[] = {
  TEXT("host", REQUIRED, AT_START, TARGET(host), "Numeric address of the receiver, or of an IPv4 multicast group.",
       .example = "127.0.0.1"),
  INTEGER("port", "", BETWEEN(1, 65535), REQUIRED, AT_START, TARGET(port), "UDP port of the receiver.", .example = "9101"),
  CHOICE("stream", streams, "all", AT_START, TARGET(stream),
         "Signals that are sent. all: body, sensor and status. out: the entries of osc.map. Write several targets for several "
         "other streams."),
  INTEGER("divisor", "cycles", BETWEEN(1, 1e6), "1", AT_START, TARGET(divisor), "Every n-th cycle is sent."),
  CHOICE("profile", profiles, "f", AT_START, TARGET(profile),
         "Type of numbers. f: 32-bit floats, which every program reads. d: 64-bit doubles."),
  TEXT("interface", NONE, AT_START, TARGET(interface),
       "Numeric address of the network interface for a multicast group. Without this key the system chooses."),
  INTEGER("ttl", "", BETWEEN(1, 255), "1", AT_START, TARGET(ttl),
          "Time to live of packets to a multicast group. Each router subtracts 1, so 1 stays in the local network."),
};
const struct section schema_target = SECTION("a target", target_keys);

#define MAPPED(field) offsetof(struct mapped_values, field)
static const struct key mapped_keys[] = {
  TEXT("signal", REQUIRED, AT_START, MAPPED(signal),
       "Name of a signal, or of a group that gives several arguments: body.A.position. Signals input.* are received at the "
       "address. All other signals are sent to it, in the stream out.", .example = "joint.J1.position"),
  TEXT("address", REQUIRED, AT_START, MAPPED(address),
       "OSC address that begins with a slash and is not below osc.prefix. Entries with the same address are arguments of one "
       "message, in the order of the list.", .example = "/rig/crank"),
  NUMBER("scale", "", ANY, "1", AT_START, MAPPED(scale),
         "Factor other than 0. The value is scale times the argument, plus offset."),
  NUMBER("offset", "", ANY, "0", AT_START, MAPPED(offset), "Offset. The value is scale times the argument, plus offset."),
};
const struct section schema_mapped = SECTION("an entry of a map", mapped_keys);

#define PEER(field) offsetof(struct peer_values, field)
static const struct key peer_keys[] = {
  TEXT("host", REQUIRED, AT_START, PEER(host),
       "Numeric address, or a network such as 10.0.0.0/24. If several entries match, the narrowest one applies.",
       .example = "127.0.0.1"),
  CHOICE("access", accesses, "write", AT_START, PEER(access),
         "read: the peer may read, subscribe and ask for an e-stop. write: it may do everything but jog "
         "the platform. jog: it may do that as well."),
};
const struct section schema_peer = SECTION("a peer", peer_keys);

#define WIRED(field) offsetof(struct wired_values, field)
static const struct key wired_keys[] = {
  TEXT("signal", REQUIRED, AT_START, WIRED(signal),
       "Name of a signal, or of a group whose members have one address after the other: body.A.position.",
       .example = "joint.J1.position"),
  CHOICE("table", wire_tables, REQUIRED, AT_START, WIRED(table),
         "Modbus table. In the map of the server, clients write signals input.* in coil or holding, and read all other signals "
         "in discrete or input. In the map of a device, signals input.* are read from any table, and all other signals are "
         "written to coil or holding.", .example = "input"),
  INTEGER("address", "", BETWEEN(0, 65535), REQUIRED, AT_START, WIRED(address),
          "Zero-based address. In the map of the server it is above 199, or above 15 in tables of bits. There it is not from "
          "1000 to 7999 in the table input, unless default_map is false.", .example = "200"),
  CHOICE("type", wire_types, NONE, AT_START, WIRED(type),
         "Type on the wire. A number that does not fit is clamped. Without this key it is f32, and bit in a table of bits."),
  CHOICE("word_order", wire_orders, NONE, AT_START, WIRED(order),
         WORD_ORDER_DOC " Without this key the word_order of the section or device applies."),
  NUMBER("scale", "", ANY, "1", AT_START, WIRED(scale),
         "Factor other than 0. The value is scale times the number on the wire, plus offset."),
  NUMBER("offset", "", ANY, "0", AT_START, WIRED(offset),
         "Offset. The value is scale times the number on the wire, plus offset."),
  NUMBER("safe", "", ANY, NONE, AT_START, WIRED(safe),
         "Value that replaces the signal while the state is none of READY, RUNNING and PAUSED. Signals that move the motion "
         "platform do not take it, because the platform brakes and parks in every state."),
};
const struct section schema_wired = SECTION("an entry of a map", wired_keys);

static const char *const framings[] = {"tcp", "rtu", NULL};
#define DEVICE(field) offsetof(struct device_values, field)
static const struct key device_keys[] = {
  TEXT("name", REQUIRED, AT_START, DEVICE(name),
       "Name of A-Z a-z 0-9 _ -. It differs from the names of the other devices.", .example = "plc"),
  TEXT("host", NONE, AT_START, DEVICE(host), "Numeric address of the device, for Modbus TCP. Write either host or serial.",
       .example = "127.0.0.1"),
  INTEGER("port", "", BETWEEN(1, 65535), "502", AT_START, DEVICE(device.remote.port), "TCP port. Only with host."),
  CHOICE("framing", framings, "tcp", AT_START, DEVICE(framing),
         "Frames over host and port. tcp: Modbus TCP. rtu: the frames of a serial line, with unit and CRC, for gateways that pass "
         "bytes to a line without a look at them. Devices with the same host and port and framing: rtu are polled one after the "
         "other over one connection. Only with host."),
  TEXT("serial", NONE, AT_START, DEVICE(serial),
       "Device file of the serial line, for Modbus RTU. Several devices may share a line if they give the same baud, parity "
       "and stop_bits. The line of the section modbus is not available."),
  INTEGER("baud", "", BETWEEN(1200, 4e6), "19200", AT_START, DEVICE(device.remote.serial.baud),
          "Speed of the line, such as 9600, 19200 or 38400. Only with serial."),
  CHOICE("parity", schema_parities, "even", AT_START, DEVICE(device.remote.serial.parity),
         "Parity of the line. Only with serial."),
  INTEGER("stop_bits", "", BETWEEN(1, 2), "1", AT_START, DEVICE(device.remote.serial.stop_bits),
          "Stop bits of the line. Only with serial."),
  INTEGER("unit", "", BETWEEN(0, 255), "1", AT_START, DEVICE(device.unit),
          "Unit of the device, from 1 to 247 on a line and with framing: rtu. Entries with the same place and unit are the same device polled with "
          "different periods; no two may write the same register."),
  NUMBER("period", "s", BETWEEN(1e-3, 3600), "0.02", AT_START, DEVICE(device.period),
         "Time between two polls. It is at most half the hold of each input that the device sets."),
  NUMBER("timeout", "s", BETWEEN(1e-3, 60), "0.1", AT_START, DEVICE(device.timeout),
         "Time for each complete answer. On a line it includes the time that the request takes."),
  INTEGER_OR_NONE("alive", "", BETWEEN(0, 65535), "none", AT_START, DEVICE(device.alive),
                  "Holding register that the program of the device changes while it runs. While the register does not change, "
                  "the values that are read count as old samples."),
  CHOICE("word_order", wire_orders, "abcd", AT_START, DEVICE(word_order), WORD_ORDER_DOC),
  LIST("map", &schema_wired, REQUIRED,
       "Signals and their addresses in the device. Signals input.* are read from the device, and nothing else may set them. "
       "All other signals are written to it.", .example = "[{signal: body.A.position, table: holding, address: 100}]"),
};
const struct section schema_device = SECTION("a device", device_keys);

#define LIST_PARAMETERS "Names for values, as in a configuration. The lists of this file may use them; no other file sees them."
/* Files that lists are taken from, and how they are named in place of these. */
static const struct key file_name_keys[] = {
  TEXT("file", REQUIRED, AT_START, offsetof(struct file_name_values, file),
       "Path of a file that holds the list, relative to this one."),
};
const struct section schema_file_name = SECTION("a list in a file", file_name_keys);
static const struct key mapped_list_keys[] = {LIST("map", &schema_mapped, REQUIRED, "Signals with addresses of your own.")};
static const struct section mapped_list = SECTION("osc in a file of maps", mapped_list_keys);
static const struct key wired_list_keys[] = {LIST("map", &schema_wired, REQUIRED, "Signals with addresses of your own.")};
static const struct section wired_list = SECTION("modbus in a file of maps", wired_list_keys);
static const struct key maps_keys[] = {
  VARIABLES("parameters", LIST_PARAMETERS),
  SUBSECTION("osc", &mapped_list, "The map of OSC."),
  SUBSECTION("modbus", &wired_list, "The map of the Modbus server."),
};
const struct section schema_maps = SECTION("a file of maps", maps_keys);

#define FILE_VALUE(field) offsetof(struct file_values, field)
#define SETTING(field)    offsetof(struct file_values, settings.field)
static const struct key osc_keys[] = {
  FLAG("enabled", "true", AT_START, SETTING(osc.enabled), "false: the section is ignored."),
  TEXT("bind", "127.0.0.1", AT_START, FILE_VALUE(osc_bind), "Numeric address on which the daemon listens."),
  FLAG("any_interface", "false", AT_START, FILE_VALUE(osc_any_interface),
       "true allows the addresses 0.0.0.0 and ::, which open the port to every network of the machine. There is no password."),
  INTEGER("port", "", BETWEEN(1, 65535), "9100", AT_START, SETTING(osc.port), "UDP port."),
  TEXT("prefix", "/ali3", AT_START, FILE_VALUE(osc_prefix), "Beginning of every OSC address."),
  LIST("targets", &schema_target, NONE, "Receivers that get the state of every cycle without asking."),
  LIST("peers", &schema_peer, NONE,
       "Hosts that are served, and no others: [{host: 127.0.0.1, access: write}, {host: 10.0.0.0/24, access: read}]. Without "
       "this key every host that reaches the port is served."),
  LIST_OR_FILE("map", &schema_mapped, NONE,
       "Signals with addresses of your own. {file: PATH} names a file, relative to this one, that holds the list under "
       "osc.map. ali3d FILE --print-map prints all addresses.", .file = &schema_file_name),
};
const struct section schema_osc = SECTION("osc", osc_keys);

#define REGISTERED(field) offsetof(struct registered_values, field)
static const struct key registered_keys[] = {
  TEXT("name", REQUIRED, AT_START, REGISTERED(name),
       "Name of a parameter with one number, or of a part of one: body.NAME.mass, model.gravity.z. See STATES AND PARAMETERS in ali3d(8).",
       .example = "body.A.mass"),
  INTEGER("address", "", BETWEEN(200, 65535), REQUIRED, AT_START, REGISTERED(address), "Zero-based address of the holding register.",
          .example = "400"),
  CHOICE("type", wire_types, "f32", AT_START, REGISTERED(type), "Type on the wire; not bit."),
  CHOICE("word_order", wire_orders, NONE, AT_START, REGISTERED(order), "Without this key it is word_order of the section."),
  NUMBER("scale", "", ANY, "1", AT_START, REGISTERED(scale), "Factor other than 0. The value is scale times the register, plus offset."),
  NUMBER("offset", "", ANY, "0", AT_START, REGISTERED(offset), "Offset. The value is scale times the register, plus offset."),
};
const struct section schema_registered = SECTION("a parameter in registers", registered_keys);

static const char *const gaps[] = {"refuse", "zero", NULL}; /* enum modbus_gaps */
static const char *const safe_writes[] = {"refuse", "ignore", NULL}; /* enum safe_writes */
static const struct key modbus_keys[] = {
  FLAG("enabled", "true", AT_START, SETTING(modbus.enabled), "false: the section is ignored."),
  FLAG("tcp", "true", AT_START, SETTING(modbus.tcp), "true: the server listens on the TCP port."),
  TEXT("bind", "127.0.0.1", AT_START, FILE_VALUE(modbus_bind), "Numeric address on which the daemon listens."),
  FLAG("any_interface", "false", AT_START, FILE_VALUE(modbus_any_interface),
       "true allows the addresses 0.0.0.0 and ::, which open the port to every network of the machine. There is no password."),
  INTEGER("port", "", BETWEEN(1, 65535), "1502", AT_START, SETTING(modbus.port),
          "TCP port. The standard port 502 needs a privilege."),
  INTEGER("max_clients", "", BETWEEN(1, 16), "8", AT_START, SETTING(modbus.max_clients),
          "Largest number of connections. One host gets at most half of them."),
  LIST("peers", &schema_peer, NONE,
       "Hosts that may connect. Without this key every host that reaches the port may connect. The serial line has an access of its "
       "own, serial_access."),
  TEXT("serial", NONE, AT_START, FILE_VALUE(modbus_serial),
       "Device file of a serial line that is served too, as Modbus RTU: /dev/ttyUSB0."),
  CHOICE("serial_access", accesses, "write", AT_START, FILE_VALUE(modbus_serial_access),
         "Access of the client on the serial line. read: it may read and ask for an e-stop. write: it may do everything but jog the "
         "platform. jog: it may do that as well."),
  INTEGER("baud", "", BETWEEN(1200, 4e6), "19200", AT_START, SETTING(modbus.serial.baud), "Speed of the line."),
  CHOICE("parity", schema_parities, "even", AT_START, SETTING(modbus.serial.parity), "Parity of the line."),
  INTEGER("stop_bits", "", BETWEEN(1, 2), "1", AT_START, SETTING(modbus.serial.stop_bits), "Stop bits of the line."),
  INTEGER("unit", "", BETWEEN(1, 247), "1", AT_START, SETTING(modbus.unit),
          "Unit of the server on the line. Over TCP it answers every unit."),
  CHOICE("word_order", wire_orders, "abcd", AT_START, SETTING(modbus.order), WORD_ORDER_DOC),
  FLAG("default_map", "true", AT_START, SETTING(modbus.default_map),
       "true: bodies, sensors and inputs have the addresses of ali3-modbus(7)."),
  CHOICE("safe_writes", safe_writes, "ignore", AT_START, SETTING(modbus.safe_writes),
         "Treatment of writes that would act, in the states SAFE and FAULT. ignore: they are taken without an exception and have "
         "no effect, so that a PLC may write cyclically in every state. A command in holding registers 0 to 2 then gets the "
         "result 1, wrong state. refuse: they get exception 4, after which many masters close their connection. The log names "
         "the client in both cases. reset and e-stop act in any case."),
  INTEGER_OR_NONE("mirror", "", BETWEEN(200, 65535), "none", AT_START, SETTING(modbus.mirror),
                  "First holding register of a copy of all input registers, for masters that know function 3 only: input register "
                  "A is holding register mirror + A, too. The copy is read only. 10000 leaves room for a map of your own."),
  CHOICE("gaps", gaps, "refuse", AT_START, SETTING(modbus.gaps),
         "Answer to reads of registers or bits that do not exist, and of parts of numbers. refuse: exception 2. zero: what does "
         "not exist reads 0, for masters that poll blocks of a fixed size. Writes there get exception 2 in any case."),
  NUMBER("owner_timeout", "s", BETWEEN(0.05, 60), "1", AT_START, SETTING(modbus.owner_timeout),
         "Silence of the client that owns the inputs, after which another client may write them. It stops nothing: inputs.hold, "
         "inputs.watchdog and inputs.fault do. Holding register 4 changes it while the daemon runs."),
  LIST_OR_FILE("map", &schema_wired, NONE,
       "Signals with addresses of your own. {file: PATH} names a file, relative to this one, that holds the list under "
       "modbus.map. ali3d FILE --print-map prints the whole map.", .file = &schema_file_name),
  LIST("parameters", &schema_registered, NONE,
       "Parameters of the model in holding registers. Clients read and write them while the model runs. The parameters that one "
       "write covers act as one. After a refusal the registers show the values in use again."),
};
const struct section schema_modbus = SECTION("modbus", modbus_keys);
/* clang-format on */

#define WORD(id, text, ...) text,
static const char *const packet_types[] = {PACKET_TYPE_LIST(WORD) NULL};
#undef WORD
static const char *const endians[] = {[ENDIAN_BIG] = "big", [ENDIAN_LITTLE] = "little", NULL};
static const char *const directions[] = {[PACKET_SENT] = "send", [PACKET_RECEIVED] = "receive", NULL};
static const char *const time_units[] = {"ms", "us", NULL};
static const char *const frame_numbers[] = {"cycle", "state", "flags", "fault", NULL};

/* clang-format off */
#define PLACE(type) \
  TEXT("host", NONE, AT_START, offsetof(type, place.host), "Numeric address, over UDP. Write either host or serial.", \
       .example = "127.0.0.1"), \
  INTEGER("port", "", BETWEEN(1, 65535), NONE, AT_START, offsetof(type, place.port), \
          "UDP port. A packet with host needs it, a packet with serial does not take it.", .example = "9102"), \
  TEXT("serial", NONE, AT_START, offsetof(type, place.serial), \
       "Device file of a serial line that nothing else uses. A packet for which the line has no room is dropped whole and " \
       "counted. A line that disappears is opened again every second."), \
  INTEGER("baud", "", BETWEEN(1200, 4e6), "115200", AT_START, offsetof(type, place.baud), \
          "Speed of the line. It must be enough for all packets. Only with serial."), \
  CHOICE("parity", schema_parities, "none", AT_START, offsetof(type, place.parity), \
         "Parity of the line. Only with serial."), \
  INTEGER("stop_bits", "", BETWEEN(1, 2), "1", AT_START, offsetof(type, place.stop_bits), \
          "Stop bits of the line. Only with serial.")

/* The keys of a field depend on its type. A number also has one source: signal, value, counter, time or frame. */
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
        "[1, 180]]. Only with signal or frame.", .only = NUMBER_TYPES),
  NUMBER("else", "", ANY, NONE, AT_START, FIELD(otherwise),
         "Number that is sent for values that the key values does not list. It is needed beside values, and allowed only "
         "there.", .only = NUMBER_TYPES),
  NUMBER("withheld", "", ANY, NONE, AT_START, FIELD(stand_in),
         "Number that is sent before the first command arm in place of a signal that could move the rig. If all fields of the packet with "
         "such signals have this key, the packet goes out from the start; otherwise it is withheld. For a controller that only "
         "answers what it receives, with numbers on which it does not move.", .only = NUMBER_TYPES),
  NUMBER("value", "", ANY, NONE, AT_START, FIELD(value), "Constant number.", .only = NUMBER_TYPES),
  FLAG("counter", "false", AT_START, FIELD(counter),
       "true: the field is the number of the packet, from 0. Dropped packets are counted, too. The number "
       "wraps.", .only = NUMBER_TYPES),
  CHOICE("time", time_units, NONE, AT_START, FIELD(time),
         "The field is the time since the first cycle, in this unit. It wraps. The signal time is the simulated time in s.",
         .only = NUMBER_TYPES),
  CHOICE("frame", frame_numbers, NONE, AT_START, FIELD(frame),
         "The field is a number from the frame of the cycle, with the codes of ali3d(8). It may have values.",
         .only = NUMBER_TYPES),
  INTEGER("count", "bytes", BETWEEN(1, PACKET_BYTES_MAX), NONE, AT_START, FIELD(count), "Number of zeros.",
          .only = KIND(PACKET_ZEROS), .needed = KIND(PACKET_ZEROS)),
  TEXT("hex", NONE, AT_START, FIELD(hex), "Hexadecimal digits of the bytes: \"FF FF\".",
       .only = KIND(PACKET_BYTES), .needed = KIND(PACKET_BYTES)),
  INTEGER("from", "bytes", BETWEEN(0, PACKET_BYTES_MAX), "0", AT_START, FIELD(from),
          "Offset of the first byte that the checksum covers.", .only = CHECKSUM_TYPES),
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
  CHOICE("direction", directions, "send", AT_START, PACKET(direction),
         "send: the daemon sends the packet. receive: it takes the packet from host on its own UDP port `port`, or from the "
         "line, and the fields with signal set inputs: {type: f32, signal: input.legs.leg}. Bytes, values and checksums must "
         "be right, and a counter must change; zeros are ignored."),
  TEXT("answers", NONE, AT_START, PACKET(answers),
       "Name of a packet above this one that the daemon sends over UDP. This packet is the answer of the receiver: it comes to the "
       "socket that sends that packet, from any port of its host, so it has no host and no port. Only with direction: receive; "
       "one answer for each packet."),
  INTEGER("divisor", "cycles", BETWEEN(1, 1e6), "1", AT_START, PACKET(divisor), "Every n-th cycle is sent."),
  CHOICE("endian", endians, "big", AT_START, PACKET(endian),
         "Byte order. big: the most significant byte of a number comes first. little: it comes last."),
  LIST("fields", &schema_packet_field, REQUIRED,
       "Fields of the packet, without gaps, of at most 1472 bytes, or 1452 over IPv6: [{type: f32, signal: body.A.position}, {type: u16, "
       "counter: true}]. ali3d FILE --print-map prints where each field stands."),
};
const struct section schema_packet = SECTION("a packet", packet_keys);
static const struct key packets_keys[] = {
  VARIABLES("parameters", LIST_PARAMETERS),
  LIST("packets", &schema_packet, REQUIRED, "The packets."),
};
const struct section schema_packets = SECTION("a file of packets", packets_keys);
static const struct key packet_file_keys[] = {
  TEXT("file", REQUIRED, AT_START, offsetof(struct packet_file_values, file),
       "Path of a file that holds the list, relative to this one."),
  PLACE(struct packet_file_values),
};
const struct section schema_packet_file = SECTION("packets", packet_file_keys);
/* clang-format on */
