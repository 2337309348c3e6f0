/* SPDX-License-Identifier: MIT */
#include "wire/sheet.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

struct list {
  void *row;
  int used, room;
  size_t size; /* of a row */
};

struct sheet {
  struct list osc, modbus, packet;
  bool failed;
};

struct sheet *sheet_new(void)
{
  struct sheet *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  s->osc.size = sizeof(struct sheet_osc);
  s->modbus.size = sizeof(struct sheet_modbus);
  s->packet.size = sizeof(struct sheet_packet);
  return s;
}

void sheet_free(struct sheet *s)
{
  if (!s) return;
  struct sheet_osc *osc = s->osc.row;
  for (int i = 0; i < s->osc.used; i++) {
    free((char *)osc[i].address);
    free((char *)osc[i].types);
    free((char *)osc[i].unit);
    free((char *)osc[i].text);
  }
  struct sheet_modbus *modbus = s->modbus.row;
  for (int i = 0; i < s->modbus.used; i++) {
    free((char *)modbus[i].device);
    free((char *)modbus[i].name);
    free((char *)modbus[i].unit);
    free((char *)modbus[i].text);
  }
  struct sheet_packet *packet = s->packet.row;
  for (int i = 0; i < s->packet.used; i++) {
    free((char *)packet[i].packet);
    free((char *)packet[i].place);
    free((char *)packet[i].name);
    free((char *)packet[i].unit);
    free((char *)packet[i].text);
  }
  free(osc);
  free(modbus);
  free(packet);
  free(s);
}

/* Room for one row more; NULL when out of memory. */
static void *grow(struct sheet *s, struct list *l)
{
  if (l->used == l->room) {
    const int room = 2 * l->room + 64;
    void *row = realloc(l->row, (size_t)room * l->size);
    if (!row) {
      s->failed = true;
      return NULL;
    }
    l->row = row;
    l->room = room;
  }
  return (char *)l->row + (size_t)l->used++ * l->size;
}

static const char *copy(struct sheet *s, const char *text)
{
  char *c = strdup(text ? text : "");
  if (!c) s->failed = true;
  return c;
}

void sheet_add_osc(struct sheet *s, const struct sheet_osc *row)
{
  struct sheet_osc *r = grow(s, &s->osc);
  if (!r) return;
  *r = (struct sheet_osc){copy(s, row->address), copy(s, row->types), row->in, row->out,
                          copy(s, row->unit),    copy(s, row->text)};
}

void sheet_add_modbus(struct sheet *s, const struct sheet_modbus *row)
{
  struct sheet_modbus *r = grow(s, &s->modbus);
  if (!r) return;
  *r = *row;
  r->device = copy(s, row->device);
  r->name = copy(s, row->name);
  r->unit = copy(s, row->unit);
  r->text = copy(s, row->text);
}

void sheet_add_packet(struct sheet *s, const struct sheet_packet *row)
{
  struct sheet_packet *r = grow(s, &s->packet);
  if (!r) return;
  *r = *row;
  r->packet = copy(s, row->packet);
  r->place = copy(s, row->place);
  r->name = copy(s, row->name);
  r->unit = copy(s, row->unit);
  r->text = copy(s, row->text);
}

bool sheet_complete(const struct sheet *s)
{
  return !s->failed;
}

int sheet_osc_rows(const struct sheet *s)
{
  return s->osc.used;
}

const struct sheet_osc *sheet_osc_row(const struct sheet *s, int i)
{
  return (const struct sheet_osc *)s->osc.row + i;
}

static const struct sheet_modbus *modbus_row(const struct sheet *s, int i)
{
  return (const struct sheet_modbus *)s->modbus.row + i;
}

/* The number by which documents name a register: the table in front, counted from 1; six digits reach all of them. */
static long document_number(const struct sheet_modbus *r)
{
  static const long base[] = {
      [TABLE_COIL] = 0, [TABLE_DISCRETE] = 100000, [TABLE_INPUT] = 300000, [TABLE_HOLDING] = 400000};
  return base[r->table] + r->address + 1;
}

static const char *functions(const struct sheet_modbus *r)
{
  static const char *const read[] = {
      [TABLE_COIL] = "1", [TABLE_DISCRETE] = "2", [TABLE_INPUT] = "4", [TABLE_HOLDING] = "3"};
  if (!r->writable) return read[r->table];
  if (*r->device) return r->table == TABLE_COIL ? "5 15" : "16"; /* of what ali3d asks */
  if (r->table == TABLE_COIL) return "1 5 15";
  return wire_registers(r->wire.type) > 1 ? "3 16 23" : "3 6 16 22 23"; /* a number is written whole */
}

/* Of numbers of one register there is none. */
static const char *order(const struct sheet_modbus *r)
{
  return wire_registers(r->wire.type) > 1 ? wire_order_name(r->wire.order) : "";
}

static const struct sheet_packet *packet_row(const struct sheet *s, int i)
{
  return (const struct sheet_packet *)s->packet.row + i;
}

/* The width of a column that holds `text` as well. */
static int wider(int width, const char *text)
{
  const size_t n = strlen(text) < 60 ? strlen(text) : 60;
  return (int)n > width ? (int)n : width;
}

static void print_osc(const struct sheet *s, FILE *out)
{
  int width = 0;
  for (int i = 0; i < s->osc.used; i++) width = wider(width, sheet_osc_row(s, i)->address);
  if (s->osc.used == 0) return;
  fprintf(out, "OSC\n%-3s  %-*s  %-14s  %-14s  %s\n", "way", width, "address", "types", "unit", "meaning");
  for (int i = 0; i < s->osc.used; i++) {
    const struct sheet_osc *r = sheet_osc_row(s, i);
    const char *way = r->in && r->out ? "i/o" : r->in ? "in" : "out";
    fprintf(out, "%-3s  %-*s  %-14s  %-14s  %s\n", way, width, r->address, r->types, r->unit, r->text);
  }
}

static void print_modbus(const struct sheet *s, FILE *out)
{
  int width = 6;
  for (int i = 0; i < s->modbus.used; i++) width = wider(width, modbus_row(s, i)->name);
  if (s->modbus.used == 0) return;
  fprintf(out,
          "Modbus: addresses on the wire count from 0, numbers in documents from 1; value = scale x number + "
          "offset\n"
          "%-8s  %7s  %8s  %-12s  %-4s  %-5s  %-12s  %-12s  %-*s  %-8s  %s\n",
          "table", "address", "document", "functions", "type", "order", "scale", "offset", width, "signal",
          "unit", "meaning");
  for (int i = 0; i < s->modbus.used; i++) {
    const struct sheet_modbus *r = modbus_row(s, i);
    if (*r->device && (i == 0 || strcmp(r->device, modbus_row(s, i - 1)->device) != 0))
      fprintf(out, "\nDevice %s, as ali3d reads and writes it\n", r->device);
    fprintf(out, "%-8s  %7d  %08ld  %-12s  %-4s  %-5s  %-12g  %-12g  %-*s  %-8s  %s\n",
            wire_table_name(r->table), r->address, document_number(r), functions(r),
            wire_type_name(r->wire.type), order(r), r->wire.scale, r->wire.offset, width, r->name, r->unit,
            r->text);
  }
}

/* The row behind the last one of the packet that begins in row i. */
static int packet_end(const struct sheet *s, int i)
{
  const char *packet = packet_row(s, i)->packet;
  while (i < s->packet.used && strcmp(packet_row(s, i)->packet, packet) == 0) i++;
  return i;
}

static void print_packet(const struct sheet *s, int first, FILE *out)
{
  const struct sheet_packet *p = packet_row(s, first);
  const int end = packet_end(s, first);
  int width = 6;
  for (int i = first; i < end; i++) width = wider(width, packet_row(s, i)->name);
  fprintf(out, "Packet %s, %d bytes, ", p->place, p->size);
  if (p->divisor > 1)
    fprintf(out, "every %d cycles", p->divisor);
  else
    fprintf(out, "every cycle");
  fprintf(out, "; value = scale x number + offset\n%4s  %5s  %-12s  %-6s  %-12s  %-12s  %-*s  %-8s  %s\n",
          "byte", "bytes", "type", "endian", "scale", "offset", width, "signal", "unit", "meaning");
  for (int i = first; i < end; i++) {
    const struct sheet_packet *r = packet_row(s, i);
    char scale[24] = "", offset[24] = "";
    if (r->scaled) {
      snprintf(scale, sizeof scale, "%g", r->scale);
      snprintf(offset, sizeof offset, "%g", r->offset);
    }
    fprintf(out, "%4d  %5d  %-12s  %-6s  %-12s  %-12s  %-*s  %-8s  %s\n", r->at, r->bytes, r->type, r->endian,
            scale, offset, width, r->name, r->unit, r->text);
  }
}

void sheet_print(const struct sheet *s, FILE *out)
{
  print_osc(s, out);
  if (s->osc.used && s->modbus.used) fputc('\n', out);
  print_modbus(s, out);
  for (int i = 0; i < s->packet.used; i = packet_end(s, i)) {
    if (i || s->osc.used || s->modbus.used) fputc('\n', out);
    print_packet(s, i, out);
  }
}

/* One line of a list; takes `object`. */
static void print_row(json_t *object, bool last, FILE *out)
{
  fputs("  ", out);
  if (object) json_dumpf(object, out, JSON_PRESERVE_ORDER);
  fputs(last ? "\n" : ",\n", out);
  json_decref(object);
}

void sheet_print_json(const struct sheet *s, FILE *out)
{
  fputs("{\"osc\": [\n", out);
  for (int i = 0; i < s->osc.used; i++) {
    const struct sheet_osc *r = sheet_osc_row(s, i);
    print_row(json_pack("{s:s, s:s, s:b, s:b, s:s, s:s}", "address", r->address, "types", r->types, "in",
                        r->in, "out", r->out, "unit", r->unit, "text", r->text),
              i + 1 == s->osc.used, out);
  }
  fputs("], \"modbus\": [\n", out);
  for (int i = 0; i < s->modbus.used; i++) {
    const struct sheet_modbus *r = modbus_row(s, i);
    print_row(json_pack("{s:s, s:s, s:s, s:i, s:i, s:i, s:s, s:s, s:f, s:f, s:b, s:s, s:s}", "device",
                        r->device, "signal", r->name, "table", wire_table_name(r->table), "address",
                        r->address, "document", (int)document_number(r), "registers",
                        wire_registers(r->wire.type), "type", wire_type_name(r->wire.type), "word_order",
                        order(r), "scale", r->wire.scale, "offset", r->wire.offset, "writable", r->writable,
                        "unit", r->unit, "text", r->text),
              i + 1 == s->modbus.used, out);
  }
  fputs("], \"packets\": [\n", out);
  for (int i = 0; i < s->packet.used; i++) {
    const struct sheet_packet *r = packet_row(s, i);
    print_row(json_pack("{s:s, s:s, s:i, s:i, s:i, s:i, s:s, s:s, s:s, s:f, s:f, s:s, s:s}", "packet",
                        r->packet, "place", r->place, "packet_bytes", r->size, "divisor", r->divisor, "at",
                        r->at, "bytes", r->bytes, "type", r->type, "endian", r->endian, "signal", r->name,
                        "scale", r->scaled ? r->scale : 1.0, "offset", r->scaled ? r->offset : 0.0, "unit",
                        r->unit, "text", r->text),
              i + 1 == s->packet.used, out);
  }
  fputs("]}\n", out);
}
