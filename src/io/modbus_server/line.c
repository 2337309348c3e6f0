/* SPDX-License-Identifier: MIT
 * libmodbus opens the line and writes the answers. It never reads, because it would wait for the rest of a frame. */
#include "modbus_server/line.h"

#include "rt/clock.h"
#include "transport/kernel_stamp.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

enum {
  CHARACTER_BITS = 11, /* start, data, parity or stop, stop */
  SILENCE_MS = 20,     /* minimum, because the scheduler may delay this thread by that time */
};

#define NS_PER_MS UINT64_C(1000000)

static uint64_t silence_ns(int baud)
{
  const uint64_t standard_ns = 7 * CHARACTER_BITS * NS_PER_S / (2 * (uint64_t)baud); /* 3.5 characters */
  return standard_ns > SILENCE_MS * NS_PER_MS ? standard_ns : SILENCE_MS * NS_PER_MS;
}

bool modbus_line_open(struct modbus_line *l, const struct modbus_config *config, struct modbus_service *s,
                      char *error, size_t size)
{
  *l = (struct modbus_line){.unit = config->unit,
                            .peer = {.access = config->serial_access, .name = "serial"},
                            .silence_ns = silence_ns(config->serial.baud)};
  stream_begin(&l->arrival, clock_now_ns());
  if (!serial_line_open(&l->serial, &config->serial, "modbus", error, size)) return false;
  modbus_service_meet(s, &l->peer);
  return true;
}

void modbus_line_close(struct modbus_line *l)
{
  serial_line_close(&l->serial);
}

static void lose_line(struct modbus_line *l, struct modbus_service *s, uint64_t now_ns)
{
  serial_line_lose(&l->serial, now_ns);
  modbus_map_release(&s->map, l->peer.id);
  l->used = 0;
  l->lost = false;
}

/* Returns false if the line has disappeared: poll() then reports an event again and again, with nothing to read. */
static bool read_line_bytes(struct modbus_line *l, int revents, uint64_t now_ns)
{
  const size_t room = sizeof l->buffer - l->used;
  struct stream_read r = {.start_ns = now_ns};
  const ssize_t n = read(l->serial.fd, l->buffer + l->used, room);
  if (n > 0) {
    r.bytes = (size_t)n;
    r.left = kernel_bytes_left(l->serial.fd, r.bytes, room);
    stream_take(&l->arrival, &r);
    if (now_ns >= l->byte_ns + l->silence_ns) l->lost = false;
    l->used += (size_t)n;
    l->byte_ns = now_ns;
    return true;
  }
  const bool usable = n == 0 || errno == EAGAIN || errno == EINTR;
  return usable && !(revents & (POLLHUP | POLLERR | POLLNVAL));
}

/* Answers the request at the head of the buffer. Returns false if the answer could not be written whole. */
static bool answer_line(struct modbus_line *l, struct modbus_service *s, const struct mbap_request *r,
                        size_t length)
{
  uint8_t raw[MBAP_ADU_MAX];
  int n;
  raw[0] = l->buffer[0];
  const uint64_t came_ns = stream_stamp(&l->arrival, length == l->used);
  const int exception = modbus_service_judge(s, &l->peer, r, came_ns, raw + 1, &n);
  const bool broadcast = l->buffer[0] == RTU_BROADCAST;
  counter_add(&s->counters->modbus_rtu_requests, 1);
  if (exception)
    return broadcast || modbus_reply_exception(l->serial.context, l->buffer, (unsigned)exception) > 0;
  if (n > 0) return modbus_send_raw_request(l->serial.context, raw, n + 1) > 0;
  const int sent = modbus_reply(l->serial.context, l->buffer, (int)length, s->map.mapping);
  modbus_map_stored(&s->map);
  return sent > 0 || broadcast;
}

static void drop_bytes(struct modbus_line *l, size_t n)
{
  l->used -= n;
  memmove(l->buffer, l->buffer + n, l->used);
}

static void serve_buffer(struct modbus_line *l, struct modbus_service *s, uint64_t now_ns)
{
  const bool quiet = now_ns >= l->byte_ns + l->silence_ns;
  struct mbap_request r;
  size_t length;
  /* Answers each frame, and leaves out bytes that begin none. */
  while (l->used > 0) {
    const enum rtu_verdict verdict = rtu_next(l->buffer, l->used, l->unit, quiet, &r, &length);
    if (verdict == RTU_MORE) return;
    if (verdict == RTU_BAD) {
      if (!l->lost) counter_add(&s->counters->modbus_rtu_errors, 1);
      if (!l->lost)
        port_tell_stray(s->port, STRAY_REFUSED, "bytes without a frame",
                        "check baud, parity, stop bits and wiring of the line", l->peer.name);
      l->lost = true;
      drop_bytes(l, 1);
      continue;
    }
    if (verdict == RTU_FRAME && !answer_line(l, s, &r, length))
      counter_add(&s->counters->modbus_rtu_errors, 1);
    l->lost = false;
    drop_bytes(l, length);
  }
}

void modbus_line_serve(struct modbus_line *l, struct modbus_service *s, int revents, uint64_t now_ns)
{
  if (!l->serial.context) return;
  if (serial_line_reopen(&l->serial, now_ns)) {
    counter_add(&s->counters->modbus_rtu_reopened, 1);
    stream_begin(&l->arrival, now_ns);
  }
  if (l->serial.fd < 0) return;
  if (revents && !read_line_bytes(l, revents, now_ns)) {
    lose_line(l, s, now_ns);
    return;
  }
  if (l->used == 0) return;
  modbus_service_refresh(s);
  serve_buffer(l, s, now_ns);
}

uint64_t modbus_line_deadline(const struct modbus_line *l)
{
  if (!l->serial.context) return UINT64_MAX;
  if (l->serial.fd < 0) return l->serial.reopen_ns;
  return l->used > 0 ? l->byte_ns + l->silence_ns : UINT64_MAX;
}
