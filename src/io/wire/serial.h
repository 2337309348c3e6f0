/* SPDX-License-Identifier: MIT
 * A serial line: path, speed and parity. Pure. */
#ifndef WIRE_SERIAL_H
#define WIRE_SERIAL_H

#include <stdbool.h>
#include <stdio.h>

/* The speeds that libmodbus sets. It silently replaces any other speed by 9600. */
#define SERIAL_BAUD_LIST(X)                                                                                  \
  X(1200)                                                                                                    \
  X(2400)                                                                                                    \
  X(4800)                                                                                                    \
  X(9600)                                                                                                    \
  X(19200)                                                                                                   \
  X(38400)                                                                                                   \
  X(57600)                                                                                                   \
  X(115200)                                                                                                  \
  X(230400)                                                                                                  \
  X(460800)                                                                                                  \
  X(500000)                                                                                                  \
  X(576000)                                                                                                  \
  X(921600)                                                                                                  \
  X(1000000)                                                                                                 \
  X(1152000)                                                                                                 \
  X(1500000)                                                                                                 \
  X(2500000)                                                                                                 \
  X(3000000)                                                                                                 \
  X(3500000)                                                                                                 \
  X(4000000)

static inline bool serial_has_baud(int baud)
{
  switch (baud) {
#define SERIAL_CASE(n) case n:
    SERIAL_BAUD_LIST(SERIAL_CASE)
#undef SERIAL_CASE
    return true;
  default:
    return false;
  }
}

#define PARITY_LIST(X)                                                                                       \
  X(PARITY_NONE, "none")                                                                                     \
  X(PARITY_EVEN, "even")                                                                                     \
  X(PARITY_ODD, "odd")
enum parity {
#define PARITY_ENUM(id, text) id,
  PARITY_LIST(PARITY_ENUM)
#undef PARITY_ENUM
};
/* The letter as in 8N1; libmodbus takes it, too. */
static inline char parity_letter(enum parity parity)
{
  return "NEO"[parity];
}

struct serial_config {
  char *path; /* NULL: no line */
  int baud;
  enum parity parity;
  int stop_bits; /* 1 or 2 */
};

/* Where a device or controller is: on the network or on a serial line. */
struct remote_config {
  char *host; /* numeric address; NULL: on the serial line */
  int port;
  bool rtu; /* with host: frames of a line, through a gateway that passes bytes on */
  struct serial_config serial;
};

/* "/dev/ttyUSB0 115200 8N1" */
static inline void serial_config_text(const struct serial_config *line, char *text, size_t size)
{
  snprintf(text, size, "%s %d 8%c%d", line->path, line->baud, parity_letter(line->parity), line->stop_bits);
}

#endif
