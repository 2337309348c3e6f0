/* SPDX-License-Identifier: MIT */
#include "transport/serial_line.h"

#include "rt/clock.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>

enum { DATA_BITS = 8 };
static const uint64_t REOPEN_NS = NS_PER_S;

/* libmodbus silently takes 9600 for a speed that it does not know. */
static bool has_speed(int fd, int baud)
{
  struct termios t;
  return tcgetattr(fd, &t) == 0 && (cfgetospeed(&t) != B9600 || baud == 9600);
}

static const char *error_hint(int error)
{
  switch (error) {
  case EACCES:
    return "; add the user to the group of the device, mostly dialout";
  case ENOENT:
    return "; plug in the adapter or change the path";
  case ENOTTY:
    return "; this file is no serial line, change the path";
  default:
    return "";
  }
}

bool serial_line_open(struct serial_line *l, const struct serial_config *config, const char *who, char *error,
                      size_t size)
{
  *l = (struct serial_line){.fd = -1};
  l->context =
      modbus_new_rtu(config->path, config->baud, parity_letter(config->parity), DATA_BITS, config->stop_bits);
  if (!l->context || modbus_connect(l->context) != 0) {
    const int e = errno;
    snprintf(error, size, "%s: cannot open the serial line %s: %s%s", who, config->path, strerror(e),
             error_hint(e));
    return false;
  }
  l->fd = modbus_get_socket(l->context);
  if (has_speed(l->fd, config->baud)) return true;
  snprintf(error, size, "%s: %s: baud %d is not a usual speed, expected one such as 9600, 19200 or 115200",
           who, config->path, config->baud);
  return false;
}

void serial_line_close(struct serial_line *l)
{
  if (!l->context) return;
  modbus_close(l->context); /* does nothing if the line is closed */
  modbus_free(l->context);
  l->context = NULL;
  l->fd = -1;
}

void serial_line_lose(struct serial_line *l, uint64_t now_ns)
{
  modbus_close(l->context);
  l->fd = -1;
  l->reopen_ns = now_ns + REOPEN_NS;
  atomic_store_explicit(&l->lost, true, memory_order_relaxed);
}

bool serial_line_reopen(struct serial_line *l, uint64_t now_ns)
{
  if (!l->context || l->fd >= 0 || now_ns < l->reopen_ns) return false;
  l->reopen_ns = now_ns + REOPEN_NS;
  if (modbus_connect(l->context) != 0) return false;
  l->fd = modbus_get_socket(l->context);
  atomic_store_explicit(&l->lost, false, memory_order_relaxed);
  return true;
}
