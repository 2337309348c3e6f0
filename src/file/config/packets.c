/* SPDX-License-Identifier: MIT
 * The list "packets", in the configuration or in a file of its own: names and places of packets. packet_fields.c reads their
 * fields. Set-up only. */
#include "config/packets.h"
#include "config/changes.h"
#include "config/wiring.h"
#include "wire/serial.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
  CHARACTER_FRAME = 9
}; /* bits of a character without parity and stop bits: one start bit, eight data bits */

struct reader {
  struct settings *settings;
  struct report *report;
  struct names seen;
  const struct packet_place_values *instead; /* replaces the places in the list; NULL: they count */
};

/* --- places --- */

/* A packet has either a host or a serial line, and no key of the other. */
static bool check_packet_place(const struct node *n, const struct packet_place_values *v, struct report *r)
{
  static const char *const of_line[] = {"baud", "parity", "stop_bits", NULL}, *const of_network[] = {"port",
                                                                                                     NULL};
  const struct node *host = node_find(n, "host"), *serial = node_find(n, "serial");
  if (!host && !serial) {
    report_error(
        r, n->at,
        "missing key \"host\" (or \"serial\") in a packet: expected a numeric address such as 192.168.0.10");
    return false;
  }
  if (host && serial) {
    report_error(
        r, serial->key_at,
        "a packet goes over the network or on a serial line: expected one of the two keys, found both");
    return false;
  }
  /* Report keys of the other place. */
  for (const char *const *key = host ? of_line : of_network; *key; key++) {
    const struct node *stray = node_find(n, *key);
    if (!stray) continue;
    report_error(r, stray->key_at, "\"%s\" has no meaning for a packet %s; remove it", *key,
                 host ? "over the network" : "on a serial line");
    return false;
  }
  /* Check the port, the address and the speed. */
  if (host && !node_find(n, "port")) {
    report_error(r, n->at, "missing key \"port\" in a packet: expected a whole number from 1 to 65535");
    return false;
  }
  if (host) return check_address(r, v->host, host);
  if (serial_has_baud(v->baud)) return true;
  report_error(r, node_find(n, "baud")->at,
               "baud: expected a speed that lines have (9600, 19200, 38400, 57600, 115200 ...), found %d",
               v->baud);
  return false;
}

static bool is_line_of_modbus(const struct settings *s, const char *path)
{
  if (s->modbus.enabled && s->modbus.serial.path && is_same_line(s->modbus.serial.path, path)) return true;
  for (int i = 0; i < s->devices; i++)
    if (s->device[i].remote.serial.path && is_same_line(s->device[i].remote.serial.path, path)) return true;
  return false;
}

/* Nothing else uses the line: bytes of another sender would fall between the bytes of a packet. */
static bool check_line_is_free(const struct settings *s, const struct packet *p, const struct node *at,
                               struct report *r)
{
  if (!p->remote.serial.path) return true;
  if (is_line_of_modbus(s, p->remote.serial.path)) {
    report_error(r, at->at, "serial: Modbus uses this line: expected another line");
    return false;
  }
  for (int i = 0; i < s->packets; i++) {
    const struct packet *other = &s->packet[i];
    if (other == p || other->received != p->received || !other->remote.serial.path ||
        !is_same_line(other->remote.serial.path, p->remote.serial.path))
      continue;
    report_error(r, at->at, "serial: packet \"%s\" uses this line: expected another line", other->name);
    return false;
  }
  return true;
}

/* The line carries every packet. Otherwise packets would be dropped in every cycle. */
static bool check_speed(const struct settings *s, const struct packet *p, const struct node *at,
                        struct report *r)
{
  if (!p->remote.serial.path) return true;
  const int bits = CHARACTER_FRAME + p->remote.serial.stop_bits + (p->remote.serial.parity != PARITY_NONE);
  const double every = p->divisor * s->options.dt, least = p->size * bits / every;
  if (least <= p->remote.serial.baud) return true;
  report_error(
      r, at->at,
      "baud: %d bytes every %g ms need %.0f baud or more, found %d: expected a higher baud or divisor",
      p->size, every * 1e3, ceil(least), p->remote.serial.baud);
  return false;
}

/* A datagram over IPv6 has 20 bytes less, because its header is longer. A larger one would travel in fragments. */
static void check_size(const struct packet *p, const struct node *n, struct report *r)
{
  enum { IPV6_BYTES = 1452 };
  if (!p->remote.host || !strchr(p->remote.host, ':') || p->size <= IPV6_BYTES) return;
  report_error(r, n->at, "fields: packet \"%.40s\" has %d bytes: expected at most %d over IPv6", p->name,
               p->size, IPV6_BYTES);
}

/* False when out of memory. */
static bool take_place(struct packet *p, const struct packet_place_values *v)
{
  p->remote = (struct remote_config){.host = v->host ? strdup(v->host) : NULL,
                                     .port = v->port,
                                     .serial = {.path = v->serial ? strdup(v->serial) : NULL,
                                                .baud = v->baud,
                                                .parity = (enum parity)v->parity,
                                                .stop_bits = v->stop_bits}};
  return (!v->host || p->remote.host) && (!v->serial || p->remote.serial.path);
}

/* --- packets --- */

/* A line has no borders between packets. */
static void check_findable(const struct packet *p, const struct node *n, struct report *r)
{
  bool findable = !p->remote.serial.path;
  for (int i = 0; i < p->fields; i++)
    findable |= p->field[i].type == PACKET_BYTES || packet_is_checksum(p->field[i].type);
  if (!findable)
    report_error(r, n->at,
                 "packet \"%.40s\": a packet that is received on a line needs a field of type bytes or a "
                 "checksum, by which it is found",
                 p->name);
}

static bool is_channel_taken(const struct settings *s, const struct packet *but, int signal)
{
  bool taken = false;
  for (int i = 0; i < s->packets; i++)
    for (int k = 0; k < s->packet[i].fields && &s->packet[i] != but && s->packet[i].received; k++) {
      const struct packet_field *f = &s->packet[i].field[k];
      taken |= packet_is_number(f->type) && f->source == PACKET_SIGNAL && f->signal == signal;
    }
  return taken;
}

/* An input that a received packet sets has no other source, and is set by this packet alone. */
static void claim_channels(struct settings *s, const struct packet *p, const struct node *n, struct report *r)
{
  /* Each field with a signal, and the input of its channel. */
  for (int i = 0; i < p->fields; i++) {
    const struct packet_field *f = &p->field[i];
    if (!packet_is_number(f->type) || f->source != PACKET_SIGNAL) continue;
    const int channel = f->signal - s->signals->input_first;
    int input = 0;
    while (channel >= s->signals->input[input].first + s->signals->input[input].count) input++;
    struct input_spec *known = &s->signals->input[input];
    if (is_channel_taken(s, p, f->signal)) {
      report_error(r, n->at,
                   "packet \"%.40s\": another packet sets \"%.60s\" already: expected one packet for it",
                   p->name, s->signals->signal[f->signal].name);
      return;
    }
    if (known->sources && known->sources != UINT64_C(1) << SOURCE_PACKETS) {
      report_error(r, n->at,
                   "packet \"%.40s\": input \"%.40s\" has another source, a device or the key \"from\": "
                   "expected one source",
                   p->name, known->name);
      return;
    }
    known->sources = s->input[input].sources = UINT64_C(1) << SOURCE_PACKETS;
  }
}

/* The node to report a mistake of the place at. */
static const struct node *place_node(const struct reader *r, const struct node *n, const char *key)
{
  const struct node *found = r->instead ? NULL : node_find(n, key);
  return found ? found : n;
}

/* The packet that this one answers; NULL: it answers none, or there is none such, which is reported. */
static struct packet *find_answered(struct settings *s, const struct node *n, struct report *r)
{
  static const char *const of_place[] = {"host", "port", "serial", "baud", "parity", "stop_bits"};
  const struct node *answers = node_find(n, "answers"), *direction = node_find(n, "direction");
  if (!answers) return NULL;
  if (!direction || strcmp(direction->text, "receive") != 0) {
    report_error(r, answers->key_at, "\"answers\" needs direction: receive");
    return NULL;
  }
  /* The place is that of the answered packet. */
  for (size_t i = 0; i < sizeof of_place / sizeof *of_place; i++) {
    const struct node *stray = node_find(n, of_place[i]);
    if (!stray) continue;
    report_error(r, stray->key_at, "\"%s\" has no meaning beside \"answers\"; remove it", of_place[i]);
    return NULL;
  }
  /* The packet stands above, and has no answer yet. */
  for (int i = 0; i < s->packets; i++) {
    struct packet *p = &s->packet[i];
    if (strcmp(p->name, answers->text) != 0 || p->received || !p->remote.host) continue;
    if (!p->answered) return p;
    report_error(r, answers->at, "answers: packet \"%.40s\" has an answer already: expected one", p->name);
    return NULL;
  }
  report_error(r, answers->at,
               "answers: expected the name of a packet above this one that is sent over UDP, found \"%.40s\"",
               answers->text);
  return NULL;
}

/* Either all fields that could move the rig have numbers that stand in for them, or none has. */
static void check_stand_ins(const struct settings *s, const struct packet *p, const struct node *n,
                            struct report *r)
{
  const struct packet_field *without = NULL;
  bool any = false;
  for (int i = 0; i < p->fields; i++) {
    const struct packet_field *f = &p->field[i];
    if (!packet_is_number(f->type) || f->source != PACKET_SIGNAL || !signals_is_motion(s->signals, f->signal))
      continue;
    any |= f->stands_in;
    if (!f->stands_in) without = f;
  }
  if (any && without)
    report_error(
        r, n->at,
        "packet \"%.40s\": \"%.60s\" has no key \"withheld\", but another field has: expected it in all "
        "fields that move the motion platform, or in none",
        p->name, s->signals->signal[without->signal].name);
}

/* False when out of memory; mistakes are in the report. */
static bool read_packet(struct reader *r, const struct node *n)
{
  struct settings *s = r->settings;
  struct packet_values v = {0};
  if (n->kind != NODE_MAP || !schema_read(&schema_packet, n, &v, r->report)) return true;
  const bool received = v.direction == PACKET_RECEIVED;
  struct packet *const answered = find_answered(s, n, r->report);
  if (!check_element_name(r->report, n, v.name, &r->seen, "packet") || (v.answers && !answered) ||
      (!answered && (!r->instead || received) && !check_packet_place(n, &v.place, r->report)))
    return true;
  if (s->packets == PACKETS_MAX) {
    report_error(r->report, n->at, "packets: expected at most %d", PACKETS_MAX);
    return true;
  }
  /* The port beside `file` is that of the controller; a received packet keeps its own. */
  struct packet_place_values place = r->instead ? *r->instead : v.place;
  if (received) place.port = v.place.port;
  if (answered)
    place = (struct packet_place_values){.host = answered->remote.host, .port = answered->remote.port};
  /* Fill in the packet and its fields, and check the line. */
  struct packet *p = &s->packet[s->packets++];
  p->divisor = v.divisor;
  p->received = received;
  p->answers = answered;
  p->name = strdup(v.name);
  const int errors = r->report->errors;
  if (!p->name || !take_place(p, &place) ||
      !packet_fields_read(node_find(n, "fields"), v.endian == ENDIAN_LITTLE, s->signals, p, r->report))
    return false;
  if (answered) answered->answered = true;
  if (r->report->errors == errors) check_size(p, n, r->report);
  if (r->report->errors == errors) check_stand_ins(s, p, n, r->report);
  if (r->report->errors == errors && p->received) check_findable(p, n, r->report);
  if (r->report->errors == errors && p->received) claim_channels(s, p, n, r->report);
  if (r->report->errors == errors && check_line_is_free(s, p, place_node(r, n, "serial"), r->report) &&
      !p->received)
    check_speed(s, p, place_node(r, n, "baud"), r->report);
  return names_add(&r->seen, v.name, s->packets);
}

static bool read_packets_list(struct reader *r, const struct node *list)
{
  bool memory = true;
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  r->settings->packet = calloc(PACKETS_MAX, sizeof *r->settings->packet);
  if (!r->settings->packet) return false;
  for (const struct node *n = list->first; n && memory; n = n->next) memory = read_packet(r, n);
  names_free(&r->seen);
  return memory;
}

/* --- a file of its own --- */

static bool has_place(const struct node *n)
{
  static const char *const key[] = {"host", "port", "serial", "baud", "parity", "stop_bits"};
  bool any = false;
  for (size_t i = 0; i < sizeof key / sizeof *key; i++) any |= node_find(n, key[i]) != NULL;
  return any;
}

/* packets: {file: PATH, ...}: the list stands in the file's own "packets" key. */
static bool read_packets_file(struct settings *s, const struct node *n, struct report *report)
{
  struct packet_file_values v = {0};
  if (!schema_read(&schema_packet_file, n, &v, report)) return true;
  const bool place = has_place(n);
  if (place && !check_packet_place(n, &v.place, report)) return true;

  struct list_file other;
  if (!list_open(&other, node_find(n, "file"), &schema_packets, NULL, "packets", report)) return false;
  struct reader reader = {.settings = s, .report = report, .instead = place ? &v.place : NULL};
  const bool memory = read_packets_list(&reader, other.list);
  fingerprints_add_file(s->fingerprints, NULL, "packets", other.list);
  list_close(&other, report);
  return memory;
}

bool packets_read(const struct node *n, struct settings *s, struct report *r)
{
  if (n && n->kind == NODE_MAP) return read_packets_file(s, n, r);
  struct reader reader = {.settings = s, .report = r};
  return read_packets_list(&reader, n);
}
