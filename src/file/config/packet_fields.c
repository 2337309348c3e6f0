/* SPDX-License-Identifier: MIT
 * The fields of a packet, one after the other. Set-up only. */
#include "config/packets.h"
#include "config/wiring.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Kinds of fields, as bits: numbers by their source, then the others. */
enum kind {
  KIND_SIGNAL = 1 << 0,
  KIND_VALUE = 1 << 1,
  KIND_COUNTER = 1 << 2,
  KIND_TIME = 1 << 3,
  KIND_FRAME = 1 << 4,
  KIND_ZEROS = 1 << 5,
  KIND_BYTES = 1 << 6,
  KIND_CHECKSUM = 1 << 7,
  KINDS_NUMBER = KIND_SIGNAL | KIND_VALUE | KIND_COUNTER | KIND_TIME | KIND_FRAME,
};

/* The kinds that take each key. The first SOURCES keys name the source of a number. */
static const struct {
  const char *key;
  unsigned kinds;
} MEANING[] = {
    {"signal", KIND_SIGNAL},
    {"value", KIND_VALUE},
    {"counter", KIND_COUNTER},
    {"time", KIND_TIME},
    {"frame", KIND_FRAME},
    {"count", KIND_ZEROS},
    {"hex", KIND_BYTES},
    {"from", KIND_CHECKSUM},
    {"scale", KIND_SIGNAL},
    {"offset", KIND_SIGNAL},
    {"withheld", KIND_SIGNAL},
    {"values", KIND_SIGNAL | KIND_FRAME},
    {"else", KIND_SIGNAL | KIND_FRAME},
    {"endian", KINDS_NUMBER | KIND_CHECKSUM},
};
enum { MEANINGS = sizeof MEANING / sizeof MEANING[0], SOURCES = 5 };

struct field_reader {
  const struct signals *signals;
  struct packet *packet;
  bool little; /* byte order of fields without the key endian */
  struct report *report;
};

/* 0 after a mistake, which is reported. */
static unsigned field_kind(const struct field_reader *f, const struct node *n, enum packet_type type)
{
  if (type == PACKET_ZEROS) return KIND_ZEROS;
  if (type == PACKET_BYTES) return KIND_BYTES;
  if (packet_is_checksum(type)) return KIND_CHECKSUM;
  /* A number has one of the keys that name its source. */
  const struct node *found = NULL;
  unsigned kind = 0;
  for (int i = 0; i < SOURCES; i++) {
    const struct node *source = node_find(n, MEANING[i].key);
    if (source && found) {
      report_error(f->report, source->key_at,
                   "\"%s\": the field takes its number from \"%s\"; remove one of the two", MEANING[i].key,
                   found->key);
      return 0;
    }
    if (!source) continue;
    found = source;
    kind = MEANING[i].kinds;
  }
  if (!found)
    report_error(
        f->report, n->at,
        "a field of a number needs a source: expected one of the keys signal, value, counter, time, frame");
  return kind;
}

static bool check_field_keys(const struct field_reader *f, const struct node *n, enum packet_type type,
                             unsigned kind)
{
  for (int i = 0; i < MEANINGS; i++) {
    const struct node *stray = node_find(n, MEANING[i].key);
    if (!stray || (MEANING[i].kinds & kind)) continue;
    report_error(f->report, stray->key_at, "\"%s\" has no meaning for this field of type %s; remove it",
                 MEANING[i].key, packet_type_name(type));
    return false;
  }
  return true;
}

/* Each number of a received packet sets an input, is a constant, or counts. */
static bool check_received(const struct field_reader *f, const struct node *n, unsigned kind)
{
  const struct node *values = node_find(n, "values");
  if (!f->packet->received || (!values && kind != KIND_TIME && kind != KIND_FRAME)) return true;
  report_error(f->report, values ? values->key_at : n->at,
               "%s has no meaning in a packet that is received: expected a signal of an input, a value, a "
               "counter, bytes, "
               "zeros or a checksum",
               values              ? "\"values\""
               : kind == KIND_TIME ? "\"time\""
                                   : "\"frame\"");
  return false;
}

/* A signal of a received packet is a channel of an input, which no other field sets. */
static bool check_channel(const struct field_reader *f, const struct node *n, int first, int count)
{
  const struct signals *s = f->signals;
  const struct packet *p = f->packet;
  if (!p->received) return true;
  /* The signals are channels, and no other field has them. */
  if (first < s->input_first || first + count > s->input_first + s->channels) {
    report_error(f->report, n->at,
                 "signal: a received packet sets inputs: expected a signal input.NAME..., found \"%.60s\"",
                 n->text);
    return false;
  }
  for (int i = 0; i < p->fields; i++) {
    const struct packet_field *other = &p->field[i];
    if (!packet_is_number(other->type) || other->source != PACKET_SIGNAL) continue;
    if (other->signal < first || other->signal >= first + count) continue;
    report_error(f->report, n->at, "signal: another field of the packet sets \"%.60s\" already",
                 s->signal[other->signal].name);
    return false;
  }
  return true;
}

/* --- numbers --- */

/* A number that is sent without scale and offset. */
static bool check_sent(const struct field_reader *f, const struct node *at, const char *key,
                       enum packet_type type, double value)
{
  const double low = packet_lowest(type), high = packet_highest(type);
  const bool whole = packet_is_float(type) || value == floor(value);
  if (whole && value >= low && value <= high) return true;
  report_error(f->report, at->at, "%s: expected %s from %.17g to %.17g, the range of %s, found %.17g", key,
               packet_is_float(type) ? "a number" : "a whole number", low, high, packet_type_name(type),
               value);
  return false;
}

static bool check_table(const struct field_reader *f, const struct node *n,
                        const struct packet_field_values *v)
{
  const struct node *values = node_find(n, "values"), *otherwise = node_find(n, "else");
  const struct node *first = values ? values : otherwise;
  if (!first) return true;
  if (!values || !otherwise) {
    report_error(f->report, first->key_at, "\"%s\": expected \"%s\" beside it", first->key,
                 values ? "else" : "values");
    return false;
  }
  const struct node *scaled = node_find(n, "scale") ? node_find(n, "scale") : node_find(n, "offset");
  if (scaled) {
    report_error(f->report, scaled->key_at, "\"%s\" has no meaning beside \"values\"; remove it",
                 scaled->key);
    return false;
  }
  /* Check that pairs lead from whole numbers to numbers that the type holds. */
  const enum packet_type type = (enum packet_type)v->type;
  const struct node *pair = values->first;
  for (int i = 0; i < v->values.n; i++, pair = pair->next) {
    const double key = v->values.point[i][0];
    if (key != floor(key)) {
      report_error(f->report, pair->at, "values: expected a whole number for the first of a pair, found %g",
                   key);
      return false;
    }
    if (!check_sent(f, pair, "values", type, v->values.point[i][1])) return false;
  }
  return check_sent(f, otherwise, "else", type, v->otherwise);
}

static bool check_number(const struct field_reader *f, const struct node *n, unsigned kind,
                         const struct packet_field_values *v)
{
  if (kind == KIND_VALUE)
    return check_sent(f, node_find(n, "value"), "value", (enum packet_type)v->type, v->value);
  if (kind == KIND_COUNTER && !v->counter) {
    report_error(f->report, node_find(n, "counter")->at,
                 "counter: expected true, or another source of the number, found false");
    return false;
  }
  if (kind == KIND_SIGNAL && v->scale == 0.0) {
    report_error(f->report, node_find(n, "scale")->at, "scale: expected a number other than 0");
    return false;
  }
  return check_table(f, n, v);
}

/* A number that stands in for a signal needs a signal that is withheld at times. */
static bool check_stand_in(const struct field_reader *f, const struct node *n,
                           const struct packet_field_values *v, int signal)
{
  const struct node *withheld = node_find(n, "withheld");
  if (!withheld) return true;
  if (!f->packet->received && signals_is_motion(f->signals, signal))
    return check_sent(f, withheld, "withheld", (enum packet_type)v->type, v->stand_in);
  report_error(
      f->report, withheld->key_at,
      "\"withheld\": nothing withholds \"%.60s\" before the first arm: expected a signal that moves the "
      "motion platform, such as platform.pose.heave, in a packet that is sent",
      node_find(n, "signal")->text);
  return false;
}

static enum packet_source source_of(unsigned kind, const struct packet_field_values *v)
{
  static const enum packet_source of_frame[] = {PACKET_CYCLE, PACKET_STATE, PACKET_FLAGS, PACKET_FAULT};
  switch (kind) {
  case KIND_SIGNAL:
    return PACKET_SIGNAL;
  case KIND_COUNTER:
    return PACKET_COUNTER;
  case KIND_TIME:
    return PACKET_TIME;
  case KIND_FRAME:
    return of_frame[v->frame];
  default:
    return PACKET_VALUE;
  }
}

/* The signal, or the signals of a group. False: no signal has the name, which is reported. */
static bool find_signals(const struct field_reader *f, const struct node *n, int *first, int *count)
{
  const int group = signals_find_group(f->signals, n->text);
  *first = group >= 0 ? f->signals->group[group].first : signals_find(f->signals, n->text);
  *count = group >= 0 ? f->signals->group[group].count : 1;
  if (*first < 0) report_no_signal(f->report, f->signals, n);
  return *first >= 0;
}

/* --- bytes --- */

/* Pairs of digits; spaces may stand between them. Returns the number of bytes; -1: the text has another form. */
static int parse_hex(const char *text, uint8_t *out)
{
  int used = 0;
  while (*text) {
    if (*text == ' ') {
      text++;
      continue;
    }
    if (!isxdigit((unsigned char)text[0]) || !isxdigit((unsigned char)text[1]) || used == PACKET_BYTES_MAX)
      return -1;
    const char digits[] = {text[0], text[1], '\0'};
    out[used++] = (uint8_t)strtol(digits, NULL, 16);
    text += 2;
  }
  return used;
}

/* False when out of memory; *bytes stays NULL after a mistake, which is reported. */
static bool read_hex(const struct field_reader *f, const struct node *n, const char *text, uint8_t **bytes,
                     int *size)
{
  const struct node *hex = node_find(n, "hex");
  uint8_t parsed[PACKET_BYTES_MAX];
  *size = hex ? parse_hex(text, parsed) : 0;
  if (*size < 1) {
    report_error(f->report, hex ? hex->at : n->at,
                 "hex: expected pairs of hexadecimal digits such as \"FF 0A\", found \"%.40s\"", text);
    return true;
  }
  *bytes = malloc((size_t)*size);
  if (!*bytes) return false;
  memcpy(*bytes, parsed, (size_t)*size);
  return true;
}

/* --- fields --- */

/* Takes the bytes of the field. False when out of memory. A field that does not fit is reported. */
static bool append_field(const struct field_reader *f, const struct node *n, struct packet_field *field)
{
  struct packet *p = f->packet;
  if (p->size + field->size > PACKET_BYTES_MAX) {
    report_error(f->report, n->at, "fields: the packet has more than %d bytes here: expected fewer fields",
                 PACKET_BYTES_MAX);
    free(field->bytes);
    return true;
  }
  struct packet_field *grown = realloc(p->field, (size_t)(p->fields + 1) * sizeof *grown);
  if (!grown) {
    free(field->bytes);
    return false;
  }
  p->field = grown;
  field->at = p->size;
  p->field[p->fields++] = *field;
  p->size += field->size;
  return true;
}

/* Gives the field a copy of the table "values". */
static bool append_number(const struct field_reader *f, const struct node *n, struct packet_field field,
                          const struct packet_field_values *v)
{
  const size_t bytes = (size_t)v->values.n * sizeof *field.table;
  if (bytes) {
    field.table = malloc(bytes);
    if (!field.table) return false;
    memcpy(field.table, v->values.point, bytes);
    field.pairs = v->values.n;
  }
  const int before = f->packet->fields;
  const bool memory = append_field(f, n, &field);
  if (f->packet->fields == before) free(field.table);
  return memory;
}

static bool read_number_field(const struct field_reader *f, const struct node *n, unsigned kind,
                              const struct packet_field_values *v, struct packet_field field)
{
  static const uint64_t unit_ns[] = {1000000, 1000}; /* ms, us */
  int first = 0, count = 1;
  if (!check_number(f, n, kind, v)) return true;
  if (kind == KIND_SIGNAL && !find_signals(f, node_find(n, "signal"), &first, &count)) return true;
  if (kind == KIND_SIGNAL && !check_channel(f, node_find(n, "signal"), first, count)) return true;
  if (kind == KIND_SIGNAL && !check_stand_in(f, n, v, first)) return true;
  field.source = source_of(kind, v);
  field.scale = v->scale;
  field.offset = v->offset;
  field.value = kind == KIND_VALUE ? v->value : v->otherwise;
  field.unit_ns = kind == KIND_TIME ? unit_ns[v->time] : 1;
  field.stands_in = node_find(n, "withheld") != NULL;
  field.stand_in = v->stand_in;
  const int errors = f->report->errors;
  bool memory = true;
  for (int i = 0; i < count && memory && f->report->errors == errors; i++) {
    field.signal = first + i;
    memory = append_number(f, n, field, v);
  }
  return memory;
}

static bool read_byte_field(const struct field_reader *f, const struct node *n, unsigned kind,
                            const struct packet_field_values *v, struct packet_field field)
{
  /* Zeros have a count, bytes have digits, and a checksum has bytes before it. */
  if (kind == KIND_ZEROS) {
    field.size = v->count;
    return append_field(f, n, &field);
  }
  if (kind == KIND_BYTES) {
    if (!read_hex(f, n, v->hex, &field.bytes, &field.size)) return false;
    return !field.bytes || append_field(f, n, &field);
  }
  field.from = v->from;
  if (v->from < f->packet->size) return append_field(f, n, &field);
  const struct node *from = node_find(n, "from");
  report_error(
      f->report, from ? from->at : n->at,
      "%s: this checksum covers no bytes: expected an offset of a byte before it, or fields before it",
      from ? "from" : "type");
  return true;
}

/* False when out of memory; mistakes are in the report. */
static bool read_field(const struct field_reader *f, const struct node *n)
{
  struct packet_field_values v = {.endian = -1};
  const bool good = n->kind == NODE_MAP && schema_read(&schema_packet_field, n, &v, f->report);
  const enum packet_type type = (enum packet_type)v.type;
  const unsigned kind = good ? field_kind(f, n, type) : 0;
  bool memory = true;
  if (kind && check_field_keys(f, n, type, kind) && check_received(f, n, kind)) {
    const struct packet_field field = {.type = type,
                                       .size = packet_type_size(type),
                                       .little = v.endian < 0 ? f->little : v.endian == ENDIAN_LITTLE};
    memory = kind & KINDS_NUMBER ? read_number_field(f, n, kind, &v, field)
                                 : read_byte_field(f, n, kind, &v, field);
  }
  free((void *)v.values.point);
  return memory;
}

bool packet_fields_read(const struct node *list, bool little, const struct signals *signals,
                        struct packet *packet, struct report *r)
{
  const struct field_reader f = {.signals = signals, .packet = packet, .little = little, .report = r};
  const int errors = r->errors;
  bool memory = true;
  for (const struct node *n = list->first; n && memory; n = n->next) memory = read_field(&f, n);
  if (packet->size == 0 && r->errors == errors)
    report_error(r, list->at, "fields: expected at least one entry");
  return memory;
}
