/* SPDX-License-Identifier: MIT
 * A serial line: raw, eight bits, non-blocking, opened by libmodbus. A line that disappears can be reopened, once a
 * second. */
#ifndef TRANSPORT_SERIAL_LINE_H
#define TRANSPORT_SERIAL_LINE_H

#include "wire/serial.h"

#include <modbus.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct serial_line {
  modbus_t *context;  /* NULL: no line */
  int fd;             /* descriptor of the context; -1: the line has disappeared */
  uint64_t reopen_ns; /* earliest time of the next attempt */
  atomic_bool lost;   /* the line has disappeared; other threads read this */
};

/* Set-up. Returns false on failure, with the reason in error[size] after "who: ". The caller calls serial_line_close()
 * in both cases. */
bool serial_line_open(struct serial_line *l, const struct serial_config *config, const char *who, char *error,
                      size_t size);
void serial_line_close(struct serial_line *l);

/* Marks the line as lost. */
void serial_line_lose(struct serial_line *l, uint64_t now_ns);
/* For a lost line: returns true if it is back. Tries at most once a second. */
bool serial_line_reopen(struct serial_line *l, uint64_t now_ns);

/* Callable from any thread. */
static inline bool serial_line_is_lost(const struct serial_line *l)
{
  return atomic_load_explicit(&l->lost, memory_order_relaxed);
}

#endif
