/* SPDX-License-Identifier: MIT
 * The serial line of the Modbus server: Modbus RTU, served by the server's thread from the registers of TCP. A line
 * that disappears is reopened every second. */
#ifndef ALI3_MODBUS_LINE_H
#define ALI3_MODBUS_LINE_H

#include "modbus_server/rtu.h"
#include "modbus_server/service.h"
#include "transport/serial_line.h"
#include "transport/stream_arrival.h"

struct modbus_line {
  struct serial_line serial;
  int unit;
  struct map_peer peer;
  uint64_t silence_ns; /* silence after which the bytes in the buffer cannot become a frame */
  uint64_t byte_ns;    /* arrival of the last byte */
  struct stream_arrival arrival;
  bool lost; /* inside bytes that belong to no frame */
  size_t used;
  uint8_t buffer[2 * RTU_ADU_MAX];
};

/* Set-up. Returns false on failure, with the reason in error[size]. The caller calls modbus_line_close() in both cases. */
bool modbus_line_open(struct modbus_line *l, const struct modbus_config *config, struct modbus_service *s,
                      char *error, size_t size);
void modbus_line_close(struct modbus_line *l);

/* Reads and serves the bytes that have come; `revents` comes from poll() for l->fd. */
void modbus_line_serve(struct modbus_line *l, struct modbus_service *s, int revents, uint64_t now_ns);

/* The time at which modbus_line_serve() must run even if no byte comes. */
uint64_t modbus_line_deadline(const struct modbus_line *l);

#endif
