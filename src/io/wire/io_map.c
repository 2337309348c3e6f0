/* SPDX-License-Identifier: MIT */
#include "wire/io_map_parts.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct io_map *io_map_new(void)
{
  struct io_map *m = calloc(1, sizeof *m);
  if (!m) return NULL;
  m->connection.size = sizeof(struct io_map_connection);
  m->osc.size = sizeof(struct io_map_osc);
  m->modbus.size = sizeof(struct io_map_modbus);
  m->packet.size = sizeof(struct io_map_packet);
  m->text.size = sizeof(char *);
  return m;
}

void io_map_free(struct io_map *m)
{
  if (!m) return;
  for (int i = 0; i < m->text.used; i++) free(((char **)m->text.row)[i]);
  free(m->text.row);
  free(m->connection.row);
  free(m->osc.row);
  free(m->modbus.row);
  free(m->packet.row);
  free(m);
}

/* Room for one more row; NULL when out of memory. */
static void *grow_list(struct io_map *m, struct list *l)
{
  if (l->used == l->room) {
    const int room = 2 * l->room + 64;
    void *row = realloc(l->row, (size_t)room * l->size);
    if (!row) {
      m->failed = true;
      return NULL;
    }
    l->row = row;
    l->room = room;
  }
  return (char *)l->row + (size_t)l->used++ * l->size;
}

/* Adds a copy of the row to the list and returns it; NULL when out of memory. */
static void *add_map_row(struct io_map *m, struct list *l, const void *row)
{
  void *r = grow_list(m, l);
  return r ? memcpy(r, row, l->size) : NULL;
}

static void copy_text(struct io_map *m, const char **text)
{
  char **copy = grow_list(m, &m->text);
  if (copy) *copy = strdup(*text ? *text : "");
  if (!copy || !*copy) m->failed = true;
  *text = copy ? *copy : NULL;
}

void io_map_add_connection(struct io_map *m, const struct io_map_connection *row)
{
  struct io_map_connection *r = add_map_row(m, &m->connection, row);
  if (!r) return;
  copy_text(m, &r->host);
  copy_text(m, &r->line);
  copy_text(m, &r->text);
}

void io_map_add_remote(struct io_map *m, const struct remote_config *remote, bool listens,
                       const char *network, const char *serial, int unit, const char *text)
{
  char line[300] = "";
  if (!remote->host) serial_config_text(&remote->serial, line, sizeof line);
  io_map_add_connection(m, &(struct io_map_connection){.listens = listens,
                                                       .protocol = remote->host ? network : serial,
                                                       .host = remote->host,
                                                       .port = remote->port,
                                                       .line = line,
                                                       .unit = unit,
                                                       .text = text});
}

void io_map_add_osc(struct io_map *m, const struct io_map_osc *row)
{
  struct io_map_osc *r = add_map_row(m, &m->osc, row);
  if (!r) return;
  copy_text(m, &r->address);
  copy_text(m, &r->types);
  copy_text(m, &r->unit);
  copy_text(m, &r->text);
  copy_text(m, &r->signals);
}

void io_map_add_modbus(struct io_map *m, const struct io_map_modbus *row)
{
  struct io_map_modbus *r = add_map_row(m, &m->modbus, row);
  if (!r) return;
  copy_text(m, &r->device);
  copy_text(m, &r->name);
  copy_text(m, &r->unit);
  copy_text(m, &r->text);
}

void io_map_add_packet(struct io_map *m, const struct io_map_packet *row)
{
  struct io_map_packet *r = add_map_row(m, &m->packet, row);
  if (!r) return;
  copy_text(m, &r->packet);
  copy_text(m, &r->place);
  copy_text(m, &r->name);
  copy_text(m, &r->unit);
  copy_text(m, &r->text);
}

bool io_map_complete(const struct io_map *m)
{
  return !m->failed;
}

int io_map_osc_rows(const struct io_map *m)
{
  return m->osc.used;
}

const struct io_map_osc *io_map_osc_row(const struct io_map *m, int i)
{
  return (const struct io_map_osc *)m->osc.row + i;
}

/* The number of a register in documents: the table's digit, then a number that counts from 1. Six digits cover all
 * registers. */
long io_map_document_number(const struct io_map_modbus *r)
{
  static const long base[] = {
      [TABLE_COIL] = 0, [TABLE_DISCRETE] = 100000, [TABLE_INPUT] = 300000, [TABLE_HOLDING] = 400000};
  return base[r->table] + r->address + 1;
}

const char *io_map_function_codes(const struct io_map_modbus *r)
{
  static const char *const read[] = {
      [TABLE_COIL] = "1", [TABLE_DISCRETE] = "2", [TABLE_INPUT] = "4", [TABLE_HOLDING] = "3"};
  if (!r->writable) return read[r->table];
  if (*r->device) return r->table == TABLE_COIL ? "5 15" : "16"; /* the functions that ali3d uses */
  if (r->table == TABLE_COIL) return "1 5 15";
  return wire_registers(r->wire.type) > 1 ? "3 16 23" : "3 6 16 22 23"; /* a number is written whole */
}

/* A number of one register has no order. */
const char *io_map_order_text(const struct io_map_modbus *r)
{
  return wire_registers(r->wire.type) > 1 ? wire_order_name(r->wire.order) : "";
}

/* Widens a column for `text`. */
static int wider_column(int width, const char *text)
{
  const size_t n = strlen(text) < 60 ? strlen(text) : 60;
  return (int)n > width ? (int)n : width;
}

void io_map_connection_place(const struct io_map_connection *r, char *text, size_t size)
{
  const bool v6 = strchr(r->host, ':') != NULL;
  if (*r->line)
    snprintf(text, size, "%s", r->line);
  else
    snprintf(text, size, "%s%s%s:%d", v6 ? "[" : "", r->host, v6 ? "]" : "", r->port);
}

static void print_connections(const struct io_map *m, FILE *out)
{
  int width = 5;
  char place[300], unit[12];
  for (int i = 0; i < m->connection.used; i++) {
    io_map_connection_place(io_map_connection_row(m, i), place, sizeof place);
    width = wider_column(width, place);
  }
  if (m->connection.used == 0) return;
  fprintf(out, "Connections\n%-7s  %-17s  %-*s  %4s  %s\n", "ali3d", "protocol", width, "place", "unit",
          "meaning");
  for (int i = 0; i < m->connection.used; i++) {
    const struct io_map_connection *r = io_map_connection_row(m, i);
    io_map_connection_place(r, place, sizeof place);
    snprintf(unit, sizeof unit, "%d", r->unit);
    fprintf(out, "%-7s  %-17s  %-*s  %4s  %s\n", r->listens ? "listens" : "sends", r->protocol, width, place,
            r->unit < 0 ? "" : unit, r->text);
  }
  if (m->osc.used || m->modbus.used || m->packet.used) fputc('\n', out);
}

static void print_osc(const struct io_map *m, FILE *out)
{
  int width = 0;
  for (int i = 0; i < m->osc.used; i++) width = wider_column(width, io_map_osc_row(m, i)->address);
  if (m->osc.used == 0) return;
  fprintf(out, "OSC\n%-3s  %-*s  %-14s  %-14s  %s\n", "way", width, "address", "types", "unit", "meaning");
  for (int i = 0; i < m->osc.used; i++) {
    const struct io_map_osc *r = io_map_osc_row(m, i);
    const char *way = r->in && r->out ? "i/o" : r->in ? "in" : "out";
    fprintf(out, "%-3s  %-*s  %-14s  %-14s  %s\n", way, width, r->address, r->types, r->unit, r->text);
  }
}

/* "-5 to 5, 10 a second" of an input, "holds -3.2 to 3.2" of an integer. */
static void register_limits(const struct io_map_modbus *r, char *text, size_t size)
{
  double least, largest;
  text[0] = '\0';
  if (r->limited) {
    const size_t used = (size_t)snprintf(text, size, "%g to %g", r->lower, r->upper);
    if (r->rate > 0.0 && used < size) snprintf(text + used, size - used, ", %g a second", r->rate);
  } else if (wire_range(&r->wire, &least, &largest) && (r->wire.scale != 1.0 || r->wire.offset != 0.0)) {
    snprintf(text, size, "holds %g to %g", least, largest);
  }
}

/* The bytes of 1.0 in each order of the map, for the settings of the other side. */
static void print_order_example(const struct io_map *m, FILE *out)
{
  bool used[4] = {false};
  for (int i = 0; i < m->modbus.used; i++) {
    const struct wire *w = &io_map_modbus_row(m, i)->wire;
    if (wire_registers(w->type) > 1) used[w->order] = true;
  }
  for (int order = 0; order < 4; order++) {
    const struct wire w = {WIRE_F32, (enum wire_order)order, 1.0, 0.0};
    uint16_t at[2];
    wire_put(&w, 1.0, at);
    if (used[order])
      fprintf(out, "order %s: f32 1.0 is %04X at its address and %04X at the next one\n",
              wire_order_name(w.order), at[0], at[1]);
  }
}

static void print_modbus(const struct io_map *m, FILE *out)
{
  int width = 6, limits_width = 6;
  char limits[80];
  /* The widths of the columns, the head, then the rows. */
  for (int i = 0; i < m->modbus.used; i++) {
    register_limits(io_map_modbus_row(m, i), limits, sizeof limits);
    width = wider_column(width, io_map_modbus_row(m, i)->name);
    limits_width = wider_column(limits_width, limits);
  }
  if (m->modbus.used == 0) return;
  fprintf(out,
          "Modbus: addresses on the wire count from 0, numbers in documents from 1; value = scale x number + "
          "offset\n");
  print_order_example(m, out);
  fprintf(out, "%-8s  %7s  %8s  %-12s  %-4s  %-5s  %-12s  %-12s  %-*s  %-8s  %-*s  %s\n", "table", "address",
          "document", "functions", "type", "order", "scale", "offset", width, "signal", "unit", limits_width,
          "limits", "meaning");
  for (int i = 0; i < m->modbus.used; i++) {
    const struct io_map_modbus *r = io_map_modbus_row(m, i);
    if (*r->device && (i == 0 || strcmp(r->device, io_map_modbus_row(m, i - 1)->device) != 0))
      fprintf(out, "\nDevice %s, as ali3d reads and writes it\n", r->device);
    register_limits(r, limits, sizeof limits);
    fprintf(out, "%-8s  %7d  %08ld  %-12s  %-4s  %-5s  %-12g  %-12g  %-*s  %-8s  %-*s  %s\n",
            wire_table_name(r->table), r->address, io_map_document_number(r), io_map_function_codes(r),
            wire_type_name(r->wire.type), io_map_order_text(r), r->wire.scale, r->wire.offset, width, r->name,
            r->unit, limits_width, limits, r->text);
  }
}

/* The row after the last row of the packet that begins in row i. */
static int packet_end(const struct io_map *m, int i)
{
  const char *packet = io_map_packet_row(m, i)->packet;
  while (i < m->packet.used && strcmp(io_map_packet_row(m, i)->packet, packet) == 0) i++;
  return i;
}

static void print_packet(const struct io_map *m, int first, FILE *out)
{
  const struct io_map_packet *p = io_map_packet_row(m, first);
  const int end = packet_end(m, first);
  int width = 6;
  for (int i = first; i < end; i++) width = wider_column(width, io_map_packet_row(m, i)->name);
  /* Heading, then a line for each field. */
  fprintf(out, "Packet %s, %d bytes, ", p->place, p->size);
  if (p->divisor == 0)
    fprintf(out, "received");
  else if (p->divisor > 1)
    fprintf(out, "every %d cycles", p->divisor);
  else
    fprintf(out, "every cycle");
  fprintf(out, "; value = scale x number + offset\n%4s  %5s  %-12s  %-6s  %-12s  %-12s  %-*s  %-8s  %s\n",
          "byte", "bytes", "type", "endian", "scale", "offset", width, "signal", "unit", "meaning");
  for (int i = first; i < end; i++) {
    const struct io_map_packet *r = io_map_packet_row(m, i);
    char scale[24] = "", offset[24] = "";
    if (r->scaled) {
      snprintf(scale, sizeof scale, "%g", r->scale);
      snprintf(offset, sizeof offset, "%g", r->offset);
    }
    fprintf(out, "%4d  %5d  %-12s  %-6s  %-12s  %-12s  %-*s  %-8s  %s\n", r->at, r->bytes, r->type, r->endian,
            scale, offset, width, r->name, r->unit, r->text);
  }
}

void io_map_print(const struct io_map *m, FILE *out)
{
  print_connections(m, out);
  print_osc(m, out);
  if (m->osc.used && m->modbus.used) fputc('\n', out);
  print_modbus(m, out);
  for (int i = 0; i < m->packet.used; i = packet_end(m, i)) {
    if (i || m->osc.used || m->modbus.used) fputc('\n', out);
    print_packet(m, i, out);
  }
}

/* Prints one line of a list; takes over `object`. */
static void print_row(json_t *object, bool last, FILE *out)
{
  fputs("  ", out);
  if (object) json_dumpf(object, out, JSON_PRESERVE_ORDER);
  fputs(last ? "\n" : ",\n", out);
  json_decref(object);
}

/* A list of words. */
static json_t *words_json(const char *text)
{
  json_t *list = json_array();
  for (const char *word = text; *word; word += strspn(word, " ")) {
    const size_t n = strcspn(word, " ");
    json_array_append_new(list, json_stringn(word, n));
    word += n;
  }
  return list;
}

static json_t *given_or_null(bool there, double v)
{
  return there && isfinite(v) ? json_real(v) : json_null();
}

void io_map_print_json(const struct io_map *m, FILE *out)
{
  /* Four lists. The names of their members are a public interface. */
  fputs("{\"connections\": [\n", out);
  for (int i = 0; i < m->connection.used; i++) {
    const struct io_map_connection *r = io_map_connection_row(m, i);
    const bool serial = *r->line;
    print_row(json_pack("{s:b, s:s, s:s?, s:o, s:s?, s:o, s:s}", "listens", r->listens, "protocol",
                        r->protocol, "host", serial ? NULL : r->host, "port",
                        serial ? json_null() : json_integer(r->port), "line", serial ? r->line : NULL, "unit",
                        r->unit < 0 ? json_null() : json_integer(r->unit), "text", r->text),
              i + 1 == m->connection.used, out);
  }
  /* The addresses, registers and fields. */
  fputs("], \"osc\": [\n", out);
  for (int i = 0; i < m->osc.used; i++) {
    const struct io_map_osc *r = io_map_osc_row(m, i);
    print_row(json_pack("{s:s, s:s, s:b, s:b, s:s, s:s, s:o}", "address", r->address, "types", r->types, "in",
                        r->in, "out", r->out, "unit", r->unit, "text", r->text, "signals",
                        words_json(r->signals)),
              i + 1 == m->osc.used, out);
  }
  /* Registers, with limits of inputs and the range of integers; then packets. */
  fputs("], \"modbus\": [\n", out);
  for (int i = 0; i < m->modbus.used; i++) {
    const struct io_map_modbus *r = io_map_modbus_row(m, i);
    double least, largest;
    const bool integer = wire_range(&r->wire, &least, &largest);
    print_row(
        json_pack(
            "{s:s, s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:f, s:f, s:b, s:o, s:o, s:o, s:o, s:o, s:s, s:s}",
            "device", r->device, "signal", r->name, "table", wire_table_name(r->table), "address", r->address,
            "document", (int)io_map_document_number(r), "registers", wire_registers(r->wire.type), "type",
            wire_type_name(r->wire.type), "word_order", io_map_order_text(r), "scale", r->wire.scale,
            "offset", r->wire.offset, "writable", r->writable, "lower", given_or_null(r->limited, r->lower),
            "upper", given_or_null(r->limited, r->upper), "rate",
            given_or_null(r->limited && r->rate > 0.0, r->rate), "least", given_or_null(integer, least),
            "largest", given_or_null(integer, largest), "unit", r->unit, "text", r->text),
        i + 1 == m->modbus.used, out);
  }
  fputs("], \"packets\": [\n", out);
  for (int i = 0; i < m->packet.used; i++) {
    const struct io_map_packet *r = io_map_packet_row(m, i);
    print_row(json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:s, s:s, s:s, s:f, s:f, s:s, s:s}", "packet",
                        r->packet, "place", r->place, "packet_bytes", r->size, "divisor", r->divisor, "at",
                        r->at, "bytes", r->bytes, "type", r->type, "endian", r->endian, "signal", r->name,
                        "scale", r->scaled ? r->scale : 1.0, "offset", r->scaled ? r->offset : 0.0, "unit",
                        r->unit, "text", r->text),
              i + 1 == m->packet.used, out);
  }
  fputs("]}\n", out);
}
