/* SPDX-License-Identifier: MIT
 * The map for the programmer of the other side: every OSC address, Modbus register and packet field of a configuration,
 * with type, unit and access. Each protocol adds its rows in the order of display. Set-up only. */
#ifndef WIRE_IO_MAP_H
#define WIRE_IO_MAP_H

#include "wire/serial.h"
#include "wire/wire.h"

#include <stdbool.h>
#include <stdio.h>

/* All texts of rows are copied, unless their comment says otherwise. */

/* A connection by which the other side reaches ali3d, or ali3d reaches it. */
struct io_map_connection {
  bool listens;         /* ali3d listens there; false: ali3d sends or connects to it */
  const char *protocol; /* "OSC over UDP"; not copied */
  const char *host;     /* numeric address; "" on a serial line */
  int port;
  const char *line; /* "/dev/ttyUSB0 115200 8N1"; "" on the network */
  int unit;         /* Modbus unit; -1: none, or any */
  const char *text;
};

struct io_map_osc {
  const char *address; /* "/ali3/body/A/state" */
  const char *types;   /* type tags: "ffff"; a bar separates alternatives: "i|h" */
  bool in, out;        /* received; sent */
  const char *unit;    /* "m"; separated by spaces for several arguments; "" */
  const char *text;    /* description for people */
  const char *signals; /* names of the arguments' signals, separated by spaces; "": none */
};

struct io_map_modbus {
  /* Whose table ali3d reads and writes: "plc at 10.0.0.7:502, unit 1"; NULL: ali3d's own table. */
  const char *device;
  enum wire_table table;
  int address;      /* zero-based */
  struct wire wire; /* type; order if it has more than one register; scale and offset */
  bool writable;
  bool
      limited; /* an input: its value is clamped to lower and upper, and changes by at most rate a second (0: any) */
  double lower, upper, rate;
  int count;        /* numbers one after the other that are one thing, such as a text; 0: one */
  bool unused;      /* stored without effect, or without a value: no list of variables has it */
  const char *name; /* signal, or "command" */
  const char *unit, *text;
};

/* A field of a packet. The fields of a packet must be added one after the other. */
struct io_map_packet {
  const char *packet, *place; /* name; "rig on /dev/ttyUSB0 115200 8N1" */
  int size, divisor;          /* bytes of the packet; sent every n-th cycle, 0: received */
  int at, bytes;              /* of the field */
  const char *type, *endian;  /* not copied */
  bool scaled;                /* a number with value = scale * number + offset */
  double scale, offset;
  const char *name, *unit, *text; /* name: signal, or "" */
};

struct io_map;
struct io_map *io_map_new(void); /* NULL when out of memory */
void io_map_free(struct io_map *m);
void io_map_add_connection(struct io_map *m, const struct io_map_connection *row);
/* A connection to a device or controller, on the network by `network` or on a line by `serial`. listens: ali3d only takes what
 * comes over it. */
void io_map_add_remote(struct io_map *m, const struct remote_config *remote, bool listens,
                       const char *network, const char *serial, int unit, const char *text);
void io_map_add_osc(struct io_map *m, const struct io_map_osc *row);
void io_map_add_modbus(struct io_map *m, const struct io_map_modbus *row);
void io_map_add_packet(struct io_map *m, const struct io_map_packet *row);
bool io_map_complete(const struct io_map *m); /* false: memory ran out, rows are missing */

int io_map_osc_rows(const struct io_map *m);
const struct io_map_osc *io_map_osc_row(const struct io_map *m, int i);

/* Prints tables for people, with the 1-based numbers of Modbus documents (30001, 40001, 1, 10001) beside the
 * zero-based ones. */
void io_map_print(const struct io_map *m, FILE *out);
/* The table as CSV, with a row for each connection, address, register and field. */
void io_map_print_csv(const struct io_map *m, FILE *out);
bool io_map_has_registers(const struct io_map *m);
/* The registers as variables of a PLC: Structured Text (IEC 61131-3), which compiles unchanged, also with a location for each
 * variable, and PLCopen XML (TC6 2.01). */
void io_map_print_st(const struct io_map *m, FILE *out);
void io_map_print_st_located(const struct io_map *m, FILE *out);
void io_map_print_plcopen(const struct io_map *m, FILE *out);
/* Prints {"connections": [...], "osc": [...], "modbus": [...], "packets": [...]}, a line for each row. */
void io_map_print_json(const struct io_map *m, FILE *out);

#endif
