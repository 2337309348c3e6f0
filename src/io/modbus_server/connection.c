/* SPDX-License-Identifier: MIT
 * Every socket is non-blocking. modbus_receive() is never used, because it waits for the rest of a frame. */
#include "modbus_server/connection.h"

#include "rt/clock.h"

#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <unistd.h>

enum {
  SEND_BUFFER = 32768, /* bytes of answers that a client may leave unread */
  RATE = 2000,         /* requests per second that a client gets in the long run */
  RATE_BURST = 500,    /* requests that a client gets at once */
  /* TCP keep-alive, in seconds: silence before a probe, time between two probes. Milliseconds that an answer may stay
   * unacknowledged. */
  PROBE_AFTER_S = 5,
  PROBE_EVERY_S = 2,
  PROBES = 3,
  UNACKNOWLEDGED_MS = 10000,
};

static void set_option(int fd, int level, int name, int value)
{
  setsockopt(fd, level, name, &value, sizeof value);
}

void modbus_connection_prepare(int fd)
{
  set_option(fd, SOL_SOCKET, SO_SNDBUF, SEND_BUFFER);
  set_option(fd, SOL_SOCKET, SO_KEEPALIVE, 1);
  set_option(fd, IPPROTO_TCP, TCP_NODELAY, 1);
  set_option(fd, IPPROTO_TCP, TCP_KEEPIDLE, PROBE_AFTER_S);
  set_option(fd, IPPROTO_TCP, TCP_KEEPINTVL, PROBE_EVERY_S);
  set_option(fd, IPPROTO_TCP, TCP_KEEPCNT, PROBES);
  set_option(fd, IPPROTO_TCP, TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS);
}

void modbus_connection_close(struct modbus_desk *d, struct modbus_connection *c)
{
  close(c->fd);
  c->fd = -1;
  modbus_map_release(&d->service.map, c->peer.id);
}

/* Sends an answer that libmodbus cannot encode. Like modbus_reply(), sends it whole or fails. */
static int reply_pdu(struct modbus_connection *c, uint8_t *adu, int n)
{
  int length = MBAP_HEADER + n;
  memcpy(adu, c->buffer, MBAP_HEADER);
  adu[4] = 0;
  adu[5] = (uint8_t)(n + 1);
  ssize_t sent = send(c->fd, adu, (size_t)length, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (sent >= 0 && sent < length) errno = EAGAIN;
  return sent == length ? length : -1;
}

/* Serves the request at the head of the buffer. Its age is the age of its bytes. Returns < 0 if the answer could not be
 * sent. */
static int answer_connection(struct modbus_desk *d, struct modbus_connection *c, const struct mbap_request *r)
{
  uint8_t adu[MBAP_ADU_MAX];
  int n;
  const uint64_t came_ns = stream_stamp(&c->arrival, r->length == c->used);
  const int exception = modbus_service_judge(&d->service, &c->peer, r, came_ns, adu + MBAP_HEADER, &n);
  modbus_set_socket(d->context, c->fd);
  if (exception) return modbus_reply_exception(d->context, c->buffer, (unsigned)exception);
  if (n > 0) return reply_pdu(c, adu, n);
  const int sent = modbus_reply(d->context, c->buffer, (int)r->length, d->service.map.mapping);
  modbus_map_stored(&d->service.map);
  return sent;
}

/* A client that asks faster than RATE waits: its bytes stay in the buffer, and other clients are not delayed. */
static bool may_ask(const struct modbus_connection *c, uint64_t now_ns)
{
  return c->paid_ns <= now_ns + RATE_BURST * (NS_PER_S / RATE);
}

static void pay_for_request(struct modbus_connection *c, uint64_t now_ns)
{
  if (c->paid_ns < now_ns) c->paid_ns = now_ns;
  c->paid_ns += NS_PER_S / RATE;
}

void modbus_connection_serve(struct modbus_desk *d, struct modbus_connection *c, uint64_t now_ns)
{
  struct counters *counters = d->service.counters;
  struct mbap_request r;
  enum mbap_verdict verdict;
  modbus_service_refresh(&d->service);
  while ((verdict = mbap_next(c->buffer, c->used, &r)) == MBAP_FRAME && may_ask(c, now_ns)) {
    pay_for_request(c, now_ns);
    c->active_ns = now_ns;
    c->half_ns = 0;
    c->writes |= r.write_count > 0;
    if (answer_connection(d, c, &r) < 0) {
      /* EPIPE and ECONNRESET mean that the client left; any other error means that it does not read its answers. */
      if (errno != EPIPE && errno != ECONNRESET) counter_add(&counters->modbus_dropped, 1);
      modbus_connection_close(d, c);
      return;
    }
    c->used -= r.length;
    memmove(c->buffer, c->buffer + r.length, c->used);
  }
  if (verdict == MBAP_BAD) {
    counter_add(&counters->modbus_bad_frames, 1);
    port_tell_stray(d->service.port, STRAY_REFUSED, "a frame that is not Modbus", "the connection is closed",
                    c->peer.name);
    modbus_connection_close(d, c);
    return;
  }
  bool half = verdict == MBAP_MORE && c->used > 0;
  if (!half)
    c->half_ns = 0;
  else if (c->half_ns == 0)
    c->half_ns = now_ns;
}

bool modbus_connection_is_held(const struct modbus_connection *c)
{
  struct mbap_request r;
  return mbap_next(c->buffer, c->used, &r) == MBAP_FRAME;
}

void modbus_connection_read(struct modbus_desk *d, struct modbus_connection *c)
{
  _Alignas(struct cmsghdr) char control[KERNEL_STAMP_ROOM];
  struct iovec place = {c->buffer + c->used, sizeof c->buffer - c->used};
  struct msghdr m = {
      .msg_iov = &place, .msg_iovlen = 1, .msg_control = control, .msg_controllen = sizeof control};
  struct stream_read r = {.start_ns = clock_now_ns(), .behind = modbus_connection_is_held(c)};
  const ssize_t n = recvmsg(c->fd, &m, MSG_DONTWAIT);
  if (n > 0) {
    r.bytes = (size_t)n;
    r.left = kernel_bytes_left(c->fd, r.bytes, place.iov_len);
    r.kernel_ns = kernel_stamp_ns(&d->clock, &m);
    stream_take(&c->arrival, &r);
    c->used += r.bytes;
  } else if (n == 0 || (errno != EAGAIN && errno != EINTR)) {
    struct counters *counters = d->service.counters;
    if (c->half_ns)
      counter_add(&counters->modbus_half_frames, 1);
    else if (n < 0 && errno == ETIMEDOUT) /* no answer to the keep-alive probes */
      counter_add(&counters->modbus_idle_closed, 1);
    modbus_connection_close(d, c);
  }
}

uint64_t modbus_connection_deadline(const struct modbus_desk *d, const struct modbus_connection *c)
{
  uint64_t idle = c->active_ns + d->idle_ns;
  uint64_t half = c->half_ns ? c->half_ns + d->half_frame_ns : UINT64_MAX;
  return idle < half ? idle : half;
}

void modbus_connection_close_if_late(struct modbus_desk *d, struct modbus_connection *c, uint64_t now_ns)
{
  struct counters *counters = d->service.counters;
  if (now_ns < modbus_connection_deadline(d, c)) return;
  counter_add(c->half_ns ? &counters->modbus_half_frames : &counters->modbus_idle_closed, 1);
  modbus_connection_close(d, c);
}
