/* SPDX-License-Identifier: MIT
 * A serial line, raw, eight bits, non-blocking, as libmodbus opens it; one that disappears may be opened again every second. */
#ifndef TRANSPORT_SERIAL_LINE_H
#define TRANSPORT_SERIAL_LINE_H

#include "wire/serial.h"

#include <modbus.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct serial_line {
  modbus_t *context;  /* NULL: there is no line */
  int fd;             /* of the context; -1: it has disappeared */
  uint64_t reopen_ns; /* not before */
  atomic_bool lost;   /* it has disappeared, for other threads to see */
};

/* Set-up. False on failure, the reason in error[size] behind "who: "; serial_line_close() is due either way. */
bool serial_line_open(struct serial_line *l, const struct serial_place *place, const char *who, char *error,
                      size_t size);
void serial_line_close(struct serial_line *l);

/* It has disappeared. */
void serial_line_lose(struct serial_line *l, uint64_t now_ns);
/* Of one that has disappeared: true if it is back. Tries no more than once a second. */
bool serial_line_reopen(struct serial_line *l, uint64_t now_ns);

/* Any thread. */
static inline bool serial_line_is_lost(const struct serial_line *l)
{
  return atomic_load_explicit(&l->lost, memory_order_relaxed);
}

#endif
