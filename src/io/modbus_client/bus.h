/* SPDX-License-Identifier: MIT
 * The connection to polled devices: a TCP connection to one device, or a serial line with several. libmodbus encodes
 * and decodes; this file decides when to connect and what to do after an error. It belongs to one ordinary thread,
 * except bus_interrupt(). */
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
  BUS_WRONG,       /* the bytes that came are no answer to the request */
  BUS_TIMEOUT,     /* no answer, or an incomplete one */
  BUS_LOST,        /* the connection or the line was lost */
  BUS_UNREACHABLE, /* no connection could be made */
};

struct bus {
  struct remote_config remote;
  int stop; /* a descriptor that becomes readable when waiting must end; -1: nothing ends it */
  modbus_t *context;
  bool open;
  pthread_mutex_t lock; /* guards `open`, `stop` and the descriptor against bus_interrupt() */
  int unit;
  uint64_t timeout_ns; /* for an answer, and for making a connection */
  int exception;       /* exception code after BUS_EXCEPTION; 0: an unknown one */
};

/* Set-up; makes no connection. Returns false when out of memory. The caller calls bus_free() in both cases. */
bool bus_init(struct bus *b, const struct remote_config *remote, int stop);
void bus_free(struct bus *b);

/* Sets the unit and the timeout of the next requests. */
void bus_address(struct bus *b, int unit, uint64_t timeout_ns);
/* Returns BUS_OK if a connection exists or could be made in time; else the reason is in error[size]. */
enum bus_result bus_open(struct bus *b, char *error, size_t size);

/* Read or write `count` registers, or bits as 0 and 1; PLAN_READ_... and PLAN_WRITE_... are the largest counts. Any
 * result except BUS_OK leaves the reason in error[size]. After BUS_WRONG and BUS_TIMEOUT no late answer can pass for
 * the answer to a later request: a connection is closed, and a line has been quiet for the answer timeout. */
enum bus_result bus_read(struct bus *b, enum wire_table table, int address, int count, uint16_t *words,
                         char *error, size_t size);
enum bus_result bus_write(struct bus *b, enum wire_table table, int address, int count, const uint16_t *words,
                          char *error, size_t size);
/* Any thread: ends the wait for an answer over TCP. */
void bus_interrupt(struct bus *b);
/* The last requests follow: neither the stop descriptor nor bus_interrupt() ends their waits. */
void bus_leave(struct bus *b);

#endif
