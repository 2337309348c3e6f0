/* SPDX-License-Identifier: MIT
 * The serial line of the Modbus server: Modbus RTU, served by the thread of the server from the same registers. A line that
 * disappears is opened again every second. */
#ifndef ALI3_MODBUS_LINE_H
#define ALI3_MODBUS_LINE_H

#include "modbus/rtu.h"
#include "modbus/service.h"
#include "transport/serial_line.h"
#include "transport/stream_arrival.h"

struct modbus_line {
  struct serial_line serial;
  int unit;
  struct map_peer peer;
  uint64_t silence_ns; /* after which what is in the buffer becomes no frame any more */
  uint64_t byte_ns;    /* the last byte came */
  struct stream_arrival arrival;
  bool lost; /* in the midst of bytes that are no frame */
  size_t used;
  uint8_t buffer[2 * RTU_ADU_MAX];
};

/* Set-up. False on failure, the reason in error[size]; modbus_line_close() is due either way. */
bool modbus_line_open(struct modbus_line *l, const struct modbus_config *config, struct modbus_service *s,
                      char *error, size_t size);
void modbus_line_close(struct modbus_line *l);

/* Reads and serves what has come; revents are those of poll() for l->fd. */
void modbus_line_serve(struct modbus_line *l, struct modbus_service *s, int revents, uint64_t now_ns);

/* The instant at which modbus_line_serve() is due even if nothing comes. */
uint64_t modbus_line_deadline(const struct modbus_line *l);

#endif
