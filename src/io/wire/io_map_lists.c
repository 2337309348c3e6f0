/* SPDX-License-Identifier: MIT
 * The map for other programs: CSV for spreadsheets, variables for PLCs. */
#include "wire/io_map_parts.h"

#include <ctype.h>
#include <string.h>

/* --- CSV --- */

/* A text with commas or quotes stands in quotes. */
static void put_csv_cell(FILE *out, const char *text, bool last)
{
  const bool quoted = strpbrk(text, ",\"\n") != NULL;
  if (quoted) fputc('"', out);
  for (const char *c = text; *c; c++) {
    if (*c == '"') fputc('"', out);
    fputc(*c, out);
  }
  fputs(quoted ? "\"" : "", out);
  fputc(last ? '\n' : ',', out);
}

enum { CELLS = 21 };

static void put_cells(FILE *out, const char *const cell[CELLS])
{
  for (int i = 0; i < CELLS; i++) put_csv_cell(out, cell[i] ? cell[i] : "", i + 1 == CELLS);
}

/* A number that is read back without loss; "" if it is not there. */
struct decimal_number {
  char text[32];
};
static struct decimal_number decimal_text(bool there, double v)
{
  struct decimal_number n = {""};
  if (there) snprintf(n.text, sizeof n.text, "%.15g", v);
  return n;
}

static void put_modbus_cells(const struct io_map_modbus *r, FILE *out)
{
  double least = 0.0, largest = 0.0;
  const bool integer = wire_range(&r->wire, &least, &largest);
  char address[12], document[16], registers[12], one[24] = "";
  uint16_t words[4] = {0};
  snprintf(address, sizeof address, "%d", r->address);
  snprintf(document, sizeof document, "%06ld", io_map_document_number(r));
  snprintf(registers, sizeof registers, "%d", wire_registers(r->wire.type));
  /* The registers of the value 1.0. */
  wire_put(&r->wire, 1.0, words);
  for (int i = 0; i < wire_registers(r->wire.type) && r->wire.type != WIRE_BIT; i++)
    snprintf(one + strlen(one), sizeof one - strlen(one), "%s%04X", i ? " " : "", words[i]);
  const bool rate = r->limited && r->rate > 0.0;
  put_cells(out, (const char *const[CELLS]){"modbus",
                                            r->device,
                                            r->name,
                                            r->writable ? "write" : "read",
                                            wire_table_name(r->table),
                                            address,
                                            document,
                                            io_map_function_codes(r),
                                            registers,
                                            wire_type_name(r->wire.type),
                                            io_map_order_text(r),
                                            one,
                                            decimal_text(true, r->wire.scale).text,
                                            decimal_text(true, r->wire.offset).text,
                                            decimal_text(r->limited, r->lower).text,
                                            decimal_text(r->limited, r->upper).text,
                                            decimal_text(rate, r->rate).text,
                                            decimal_text(integer, least).text,
                                            decimal_text(integer, largest).text,
                                            r->unit,
                                            r->text});
}

void io_map_print_csv(const struct io_map *m, FILE *out)
{
  put_cells(out, (const char *const[CELLS]){
                     "kind",      "device",    "name", "access", "table",   "address", "document",
                     "functions", "registers", "type", "order",  "one",     "scale",   "offset",
                     "lower",     "upper",     "rate", "least",  "largest", "unit",    "meaning"});
  /* Connections and OSC. */
  for (int i = 0; i < m->connection.used; i++) {
    const struct io_map_connection *r = io_map_connection_row(m, i);
    char place[300], unit[12] = "";
    io_map_connection_place(r, place, sizeof place);
    if (r->unit >= 0) snprintf(unit, sizeof unit, "%d", r->unit);
    put_cells(out, (const char *const[CELLS]){[0] = "connection",
                                              [1] = unit,
                                              [2] = r->protocol,
                                              [3] = r->listens ? "listens" : "sends",
                                              [5] = place,
                                              [CELLS - 1] = r->text});
  }
  for (int i = 0; i < m->osc.used; i++) {
    const struct io_map_osc *r = io_map_osc_row(m, i);
    put_cells(out, (const char *const[CELLS]){[0] = "osc",
                                              [2] = r->address,
                                              [3] = r->in && r->out ? "both"
                                                    : r->in         ? "write"
                                                                    : "read",
                                              [9] = r->types,
                                              [CELLS - 2] = r->unit,
                                              [CELLS - 1] = r->text});
  }
  /* Registers and fields of packets. */
  for (int i = 0; i < m->modbus.used; i++) put_modbus_cells(io_map_modbus_row(m, i), out);
  for (int i = 0; i < m->packet.used; i++) {
    const struct io_map_packet *r = io_map_packet_row(m, i);
    char at[12], bytes[12];
    snprintf(at, sizeof at, "%d", r->at);
    snprintf(bytes, sizeof bytes, "%d", r->bytes);
    put_cells(out, (const char *const[CELLS]){[0] = "packet",
                                              [1] = r->place,
                                              [2] = r->name,
                                              [3] = r->divisor ? "read" : "write",
                                              [5] = at,
                                              [8] = bytes,
                                              [9] = r->type,
                                              [10] = r->endian,
                                              [12] = decimal_text(r->scaled, r->scale).text,
                                              [13] = decimal_text(r->scaled, r->offset).text,
                                              [CELLS - 2] = r->unit,
                                              [CELLS - 1] = r->text});
  }
}

/* --- variables of a PLC --- */

static const char *const plc_type[] = {
    [WIRE_F32] = "REAL",  [WIRE_F64] = "LREAL", [WIRE_U16] = "UINT", [WIRE_I16] = "INT",
    [WIRE_U32] = "UDINT", [WIRE_I32] = "DINT",  [WIRE_BIT] = "BOOL"};

/* An identifier of IEC 61131-3: letters, digits and single underscores. Table and address make it unique. */
static void variable_name(const struct io_map_modbus *r, char *text, size_t size)
{
  static const char letter[] = {
      [TABLE_COIL] = 'c', [TABLE_DISCRETE] = 'd', [TABLE_INPUT] = 'i', [TABLE_HOLDING] = 'h'};
  char whole[200], *to = text;
  const int device = (int)strcspn(r->device, " ");
  snprintf(whole, sizeof whole, "%.*s_%s_%c%d", device ? device : 5, device ? r->device : "ali3d", r->name,
           letter[r->table], r->address);
  for (const char *c = whole; *c && to + 1 < text + size; c++) {
    const bool good = isalnum((unsigned char)*c) != 0;
    if (good || (to > text && to[-1] != '_')) *to++ = good ? *c : '_';
  }
  *to = '\0';
}

/* The meaning of a variable in one line: its place, its conversion, its limits. */
static void variable_text(const struct io_map_modbus *r, char *text, size_t size)
{
  size_t used = (size_t)snprintf(text, size, "%s %d (%06ld)", wire_table_name(r->table), r->address,
                                 io_map_document_number(r));
  if (used < size && *io_map_order_text(r))
    used += (size_t)snprintf(text + used, size - used, ", order %s", io_map_order_text(r));
  if (used < size && (r->wire.scale != 1.0 || r->wire.offset != 0.0))
    used += (size_t)snprintf(text + used, size - used, ", value = %g x number %+g", r->wire.scale,
                             r->wire.offset);
  if (used < size && *r->unit) used += (size_t)snprintf(text + used, size - used, ", %s", r->unit);
  if (used < size && r->limited)
    used += (size_t)snprintf(text + used, size - used, ", clamped to %g to %g", r->lower, r->upper);
  if (used < size && *r->text) snprintf(text + used, size - used, ": %s", r->text);
}

bool io_map_has_registers(const struct io_map *m)
{
  return m->modbus.used > 0;
}

/* A direct address whose number is that of the register, such as %ID1000. An input of the PLC is a
 * register of ali3d that clients only read, or a register of a device that ali3d writes. */
static void put_location(const struct io_map_modbus *r, FILE *out)
{
  static const char size[] = {[WIRE_F32] = 'D', [WIRE_F64] = 'L', [WIRE_U16] = 'W', [WIRE_I16] = 'W',
                              [WIRE_U32] = 'D', [WIRE_I32] = 'D', [WIRE_BIT] = 'X'};
  const char area = r->writable == (*r->device != '\0') ? 'I' : 'Q';
  if (r->wire.type == WIRE_BIT)
    fprintf(out, " AT %%%cX%d.%d", area, r->address / 8, r->address % 8);
  else
    fprintf(out, " AT %%%c%c%d", area, size[r->wire.type], r->address);
}

static void put_st_variables(const struct io_map *m, bool located, FILE *out)
{
  char name[200], text[900];
  for (int i = 0; i < m->modbus.used; i++) {
    const struct io_map_modbus *r = io_map_modbus_row(m, i);
    if (r->unused) continue;
    variable_name(r, name, sizeof name);
    variable_text(r, text, sizeof text);
    fprintf(out, "    %s", name);
    if (located) put_location(r, out);
    fputs(" : ", out);
    if (r->count > 1) fprintf(out, "ARRAY [0..%d] OF ", r->count - 1);
    fprintf(out, "%s; (* ", plc_type[r->wire.type]);
    for (const char *c = text; *c; c++) /* no text ends the comment, or begins another */
      if (*c != '*' || c[1] != ')') fputc(c[0] == '(' && c[1] == '*' ? '[' : *c, out);
    fputs(" *)\n", out);
  }
}

static void print_st(const struct io_map *m, bool located, FILE *out)
{
  char text[900];
  /* The head, a program that the grammar demands, and the variables. */
  fprintf(out,
          "(* Registers of ali3d, as ali3d --print-map=%s prints them. The file compiles unchanged. A "
          "project that has\n"
          "   a configuration takes the block VAR_GLOBAL alone. %s *)\n",
          located ? "st-located" : "st",
          located
              ? "The number in each location is that of the\n   register: shift it to where your PLC maps it."
              : "Link each variable with the\n   register in its comment.");
  for (int i = 0; i < m->connection.used; i++) {
    const struct io_map_connection *r = io_map_connection_row(m, i);
    io_map_connection_place(r, text, sizeof text);
    fprintf(out, "(* ali3d %s: %s %s *)\n", r->listens ? "listens" : "sends", r->protocol, text);
  }
  fputs("PROGRAM ali3d_program\n"
        "  VAR turn : BOOL; END_VAR\n"
        "  turn := NOT turn;\n"
        "END_PROGRAM\n"
        "\n"
        "CONFIGURATION ali3d_configuration\n"
        "  VAR_GLOBAL\n",
        out);
  put_st_variables(m, located, out);
  fputs("  END_VAR\n"
        "  RESOURCE ali3d_resource ON PLC\n"
        "    TASK ali3d_task(INTERVAL := T#20ms, PRIORITY := 0);\n"
        "    PROGRAM ali3d_instance WITH ali3d_task : ali3d_program;\n"
        "  END_RESOURCE\n"
        "END_CONFIGURATION\n",
        out);
}

void io_map_print_st(const struct io_map *m, FILE *out)
{
  print_st(m, false, out);
}

void io_map_print_st_located(const struct io_map *m, FILE *out)
{
  print_st(m, true, out);
}

static void put_xml(FILE *out, const char *text)
{
  for (const char *c = text; *c; c++) {
    if (*c == '&' || *c == '<' || *c == '>')
      fputs(*c == '&' ? "&amp;" : *c == '<' ? "&lt;" : "&gt;", out);
    else
      fputc(*c, out);
  }
}

void io_map_print_plcopen(const struct io_map *m, FILE *out)
{
  char name[200], text[900];
  /* The head, without a time: equal configurations give equal files. */
  fputs("<?xml version=\"1.0\" encoding=\"utf-8\"?>\n"
        "<project xmlns=\"http://www.plcopen.org/xml/tc6_0201\">\n"
        "  <fileHeader companyName=\"\" productName=\"ali3d\" productVersion=\"1\" "
        "creationDateTime=\"1970-01-01T00:00:00\"/>\n"
        "  <contentHeader name=\"ali3d\">\n"
        "    <coordinateInfo><fbd><scaling x=\"1\" y=\"1\"/></fbd><ld><scaling x=\"1\" y=\"1\"/></ld>"
        "<sfc><scaling x=\"1\" y=\"1\"/></sfc></coordinateInfo>\n"
        "  </contentHeader>\n"
        "  <types><dataTypes/><pous/></types>\n"
        "  <instances><configurations><configuration name=\"ali3d\">\n"
        "    <globalVars name=\"ali3d\">\n",
        out);
  for (int i = 0; i < m->modbus.used; i++) {
    const struct io_map_modbus *r = io_map_modbus_row(m, i);
    if (r->unused) continue;
    variable_name(r, name, sizeof name);
    variable_text(r, text, sizeof text);
    fprintf(out, "      <variable name=\"%s\"><type>", name);
    if (r->count > 1)
      fprintf(out, "<array><dimension lower=\"0\" upper=\"%d\"/><baseType><%s/></baseType></array></type>",
              r->count - 1, plc_type[r->wire.type]);
    else
      fprintf(out, "<%s/></type>", plc_type[r->wire.type]);
    fputs("<documentation><xhtml xmlns=\"http://www.w3.org/1999/xhtml\">", out);
    put_xml(out, text);
    fputs("</xhtml></documentation></variable>\n", out);
  }
  fputs("    </globalVars>\n  </configuration></configurations></instances>\n</project>\n", out);
}
