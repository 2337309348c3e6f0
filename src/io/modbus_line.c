/* SPDX-License-Identifier: MIT
 * libmodbus opens the line and writes the answers; it never reads, since it would wait for the rest of a frame. */
#include "io/modbus_line.h"

#include "rt/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

enum {
  DATA_BITS = 8,
  CHARACTER_BITS = 11, /* start, data, parity or stop, stop */
  SILENCE_MS = 20,     /* at least: a thread of ours may come that late */
  REOPEN_MS = 1000,
};

#define NS_PER_MS UINT64_C(1000000)

static uint64_t silence_ns(int baud)
{
  const uint64_t standard_ns = 7 * CHARACTER_BITS * NS_PER_S / (2 * (uint64_t)baud); /* 3.5 characters */
  return standard_ns > SILENCE_MS * NS_PER_MS ? standard_ns : SILENCE_MS * NS_PER_MS;
}

/* libmodbus takes 9600 in place of a speed it does not know, and says so to nobody. */
static bool has_speed(int fd, int baud)
{
  struct termios t;
  return tcgetattr(fd, &t) == 0 && (cfgetospeed(&t) != B9600 || baud == 9600);
}

static const char *hint(int error)
{
  switch (error) {
  case EACCES:
    return "; the user needs the group of the device, mostly dialout";
  case ENOENT:
    return "; is the adapter plugged in?";
  case ENOTTY:
    return "; it is no serial line";
  default:
    return "";
  }
}

bool modbus_line_open(struct modbus_line *l, const struct modbus_config *config, struct modbus_service *s,
                      char *error, size_t size)
{
  const struct modbus_serial *serial = &config->serial;
  *l = (struct modbus_line){.fd = -1,
                            .unit = config->unit,
                            .peer = {.access = ACCESS_WRITE, .name = "serial"},
                            .silence_ns = silence_ns(serial->baud)};
  l->context = modbus_new_rtu(serial->path, serial->baud, serial->parity, DATA_BITS, serial->stop_bits);
  if (!l->context || modbus_connect(l->context) != 0) {
    const int e = errno;
    snprintf(error, size, "modbus: cannot open the serial line %s: %s%s", serial->path, strerror(e), hint(e));
    return false;
  }
  l->fd = modbus_get_socket(l->context);
  if (!has_speed(l->fd, serial->baud)) {
    snprintf(error, size, "modbus: %s: expected a usual speed such as 9600, 19200 or 115200, found baud %d",
             serial->path, serial->baud);
    return false;
  }
  modbus_service_meet(s, &l->peer);
  return true;
}

void modbus_line_close(struct modbus_line *l)
{
  if (!l->context) return;
  modbus_close(l->context); /* of one that is closed nothing happens */
  modbus_free(l->context);
  l->context = NULL;
}

static void lose(struct modbus_line *l, struct modbus_service *s, uint64_t now_ns)
{
  modbus_close(l->context);
  modbus_map_release(&s->map, l->peer.id);
  l->fd = -1;
  l->used = 0;
  l->lost = false;
  l->reopen_ns = now_ns + REOPEN_MS * NS_PER_MS;
}

static void reopen(struct modbus_line *l, struct modbus_service *s, uint64_t now_ns)
{
  l->reopen_ns = now_ns + REOPEN_MS * NS_PER_MS;
  if (modbus_connect(l->context) != 0) return;
  l->fd = modbus_get_socket(l->context);
  counter_add(&s->counters->modbus_rtu_reopened, 1);
}

/* False if the line has disappeared: then poll() says so again and again, and there is nothing to read. */
static bool read_line(struct modbus_line *l, int revents, uint64_t now_ns)
{
  const ssize_t n = read(l->fd, l->buffer + l->used, sizeof l->buffer - l->used);
  if (n > 0) {
    if (now_ns >= l->byte_ns + l->silence_ns) l->lost = false;
    l->used += (size_t)n;
    l->byte_ns = now_ns;
    return true;
  }
  const bool usable = n == 0 || errno == EAGAIN || errno == EINTR;
  return usable && !(revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Of the request at the head of the buffer. False if it could not be written as a whole. */
static bool answer(struct modbus_line *l, struct modbus_service *s, const struct mbap_request *r,
                   size_t length, uint64_t now_ns)
{
  uint8_t raw[MBAP_ADU_MAX];
  int n;
  raw[0] = l->buffer[0];
  const int exception = modbus_service_judge(s, &l->peer, r, now_ns, raw + 1, &n);
  const bool broadcast = l->buffer[0] == RTU_BROADCAST;
  counter_add(&s->counters->modbus_rtu_requests, 1);
  if (exception) return broadcast || modbus_reply_exception(l->context, l->buffer, (unsigned)exception) > 0;
  if (n > 0) return modbus_send_raw_request(l->context, raw, n + 1) > 0;
  return modbus_reply(l->context, l->buffer, (int)length, s->map.mapping) > 0 || broadcast;
}

static void drop(struct modbus_line *l, size_t n)
{
  l->used -= n;
  memmove(l->buffer, l->buffer + n, l->used);
}

static void serve_buffer(struct modbus_line *l, struct modbus_service *s, uint64_t now_ns)
{
  const bool quiet = now_ns >= l->byte_ns + l->silence_ns;
  struct mbap_request r;
  size_t length;
  while (l->used > 0) {
    const enum rtu_verdict verdict = rtu_next(l->buffer, l->used, l->unit, quiet, &r, &length);
    if (verdict == RTU_MORE) return;
    if (verdict == RTU_BAD) {
      if (!l->lost) counter_add(&s->counters->modbus_rtu_errors, 1);
      l->lost = true;
      drop(l, 1);
      continue;
    }
    if (verdict == RTU_FRAME && !answer(l, s, &r, length, now_ns))
      counter_add(&s->counters->modbus_rtu_errors, 1);
    l->lost = false;
    drop(l, length);
  }
}

void modbus_line_serve(struct modbus_line *l, struct modbus_service *s, int revents, uint64_t now_ns)
{
  if (!l->context) return;
  if (l->fd < 0 && now_ns >= l->reopen_ns) reopen(l, s, now_ns);
  if (l->fd < 0) return;
  if (revents && !read_line(l, revents, now_ns)) {
    lose(l, s, now_ns);
    return;
  }
  if (l->used == 0) return;
  modbus_service_refresh(s);
  serve_buffer(l, s, now_ns);
}

uint64_t modbus_line_deadline(const struct modbus_line *l)
{
  if (!l->context) return UINT64_MAX;
  if (l->fd < 0) return l->reopen_ns;
  return l->used > 0 ? l->byte_ns + l->silence_ns : UINT64_MAX;
}
