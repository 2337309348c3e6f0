/* SPDX-License-Identifier: MIT
 * The way to polled devices: a TCP connection to one, or a serial line with several. libmodbus asks and understands; when a
 * connection is made, and what is left of it after a mistake, is decided here. Of one ordinary thread, but for
 * bus_interrupt(). */
#ifndef DEVICES_BUS_H
#define DEVICES_BUS_H

#include "wire/serial.h"
#include "wire/wire.h"

#include <modbus.h>
#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum bus_result {
  BUS_OK,
  BUS_EXCEPTION,   /* the device refused the request */
  BUS_WRONG,       /* what came is no answer to it */
  BUS_TIMEOUT,     /* nothing, or half an answer */
  BUS_LOST,        /* the connection, or the line, is gone */
  BUS_UNREACHABLE, /* it could not be made */
};

struct bus {
  struct remote_place place;
  int stop; /* a descriptor that is readable when waiting is to end; -1: none */
  modbus_t *context;
  bool open;
  pthread_mutex_t lock; /* of `open` and the descriptor, against bus_interrupt() */
  int unit;
  uint64_t timeout_ns; /* for an answer, and for a connection */
  int exception;       /* after BUS_EXCEPTION: its code; 0: one that is not known */
};

/* Set-up; makes no connection. False when out of memory. bus_free() is due either way. */
bool bus_init(struct bus *b, const struct remote_place *place, int stop);
void bus_free(struct bus *b);

/* Who is asked next. */
void bus_address(struct bus *b, int unit, uint64_t timeout_ns);
/* BUS_OK where there is a connection, or one could be made in time; else the reason in error[size]. */
enum bus_result bus_open(struct bus *b, char *error, size_t size);
void bus_close(struct bus *b);

/* `count` registers, or bits as 0 and 1, at most as many as PLAN_READ_... and PLAN_WRITE_... say. All but BUS_OK leaves the
 * reason in error[size]. After BUS_WRONG and BUS_TIMEOUT no late answer can be taken for that to a later request: a
 * connection is closed, a line has been quiet for as long as an answer may take. */
enum bus_result bus_read(struct bus *b, enum wire_table table, int address, int count, uint16_t *words,
                         char *error, size_t size);
enum bus_result bus_write(struct bus *b, enum wire_table table, int address, int count, const uint16_t *words,
                          char *error, size_t size);
/* Any thread: an answer waited for over TCP does not come any more. */
void bus_interrupt(struct bus *b);

#endif
