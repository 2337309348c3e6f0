/* SPDX-License-Identifier: MIT
 * Shared by the files of the map: io_map.c collects the rows and prints tables and JSON, io_map_lists.c prints CSV and
 * lists of variables. */
#ifndef WIRE_IO_MAP_PARTS_H
#define WIRE_IO_MAP_PARTS_H

#include "wire/io_map.h"

#include <stddef.h>

struct list {
  void *row;
  int used, room;
  size_t size; /* size of a row */
};

struct io_map {
  struct list connection, osc, modbus, packet;
  struct list text; /* char *: the copies that the rows point to */
  bool failed;
};

static inline const struct io_map_connection *io_map_connection_row(const struct io_map *m, int i)
{
  return (const struct io_map_connection *)m->connection.row + i;
}
static inline const struct io_map_modbus *io_map_modbus_row(const struct io_map *m, int i)
{
  return (const struct io_map_modbus *)m->modbus.row + i;
}
static inline const struct io_map_packet *io_map_packet_row(const struct io_map *m, int i)
{
  return (const struct io_map_packet *)m->packet.row + i;
}

/* "10.0.0.7:502", "[::1]:9100" or the line. */
void io_map_connection_place(const struct io_map_connection *r, char *text, size_t size);
/* The number of a register in documents: 400001 for the first holding register. */
long io_map_document_number(const struct io_map_modbus *r);
const char *io_map_function_codes(const struct io_map_modbus *r);
/* The order of a number with several registers; "" for one register. */
const char *io_map_order_text(const struct io_map_modbus *r);

#endif
