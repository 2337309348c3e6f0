/* SPDX-License-Identifier: MIT */
#include "packets/receiver.h"

#include "rt/clock.h"
#include "transport/kernel_stamp.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { DATAGRAMS = 64 }; /* taken in one turn */

/* --- places --- */

/* The socket is bound to the address of this machine that faces the host: it takes no datagrams from other networks. */
static int bind_receiver(const struct packet *p, const struct inet_address *from)
{
  struct inet_address own;
  if (!inet_address_facing(from, p->remote.port, &own)) return -1;
  const int s = socket(own.name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (s < 0 || bind(s, &own.name.any, own.length) == 0) return s;
  const int error = errno;
  close(s);
  errno = error;
  return -1;
}

static bool open_datagrams(struct packet_receiver *r, char *error, size_t size)
{
  const struct packet *p = r->packet;
  errno = EINVAL;
  if (inet_address_parse(p->remote.host, p->remote.port, &r->from) == 0)
    r->socket = p->answers ? r->shared : bind_receiver(p, &r->from);
  if (r->socket < 0) {
    snprintf(error, size, "packet %s: cannot receive from %s on port %d: %s", p->name, p->remote.host,
             p->remote.port, strerror(errno));
    return false;
  }
  kernel_stamp_ask(r->socket);
  return true;
}

bool receiver_open(struct packet_receiver *r, char *error, size_t size)
{
  char who[80];
  const uint64_t now_ns = clock_now_ns();
  datagram_arrival_empty(&r->datagrams, now_ns);
  stream_begin(&r->bytes, now_ns);
  r->socket = -1;
  r->line.fd = -1;
  if (r->packet->remote.host) return open_datagrams(r, error, size);
  snprintf(who, sizeof who, "packet %s", r->packet->name);
  return serial_line_open(&r->line, &r->packet->remote.serial, who, error, size);
}

void receiver_close(struct packet_receiver *r)
{
  if (r->socket >= 0 && !r->packet->answers) close(r->socket);
  r->socket = -1;
  serial_line_close(&r->line);
}

struct pollfd receiver_events(struct packet_receiver *r)
{
  r->looked_ns = clock_now_ns();
  return (struct pollfd){.fd = r->socket >= 0 ? r->socket : r->line.fd, .events = POLLIN};
}

/* --- packets --- */

/* from NULL: on the serial line. */
static void tell_packet(const struct packet_receiver *r, const char *reason, const struct inet_address *from)
{
  char what[CLIENT_NAME], client[CLIENT_NAME];
  snprintf(what, sizeof what, "packet %.40s", r->packet->name);
  if (from)
    clients_address_text(&from->name.any, client);
  else
    snprintf(client, sizeof client, "the serial line");
  port_tell_stray(r->port, STRAY_REFUSED, what, reason, client);
}

static void refuse_packet(const struct packet_receiver *r, enum decode_result result,
                          const struct inet_address *from)
{
  static const char *const reason[] = {[DECODE_SIZE] = "its number of bytes is not that of the layout",
                                       [DECODE_CONTENT] = "a constant differs from the layout",
                                       [DECODE_CHECKSUM] = "its checksum is wrong",
                                       [DECODE_NUMBER] = "a number is NaN or infinite"};
  counter_add(result == DECODE_CHECKSUM ? &r->counters->packets_checksums : &r->counters->packets_refused, 1);
  tell_packet(r, reason[result], from);
}

static void take_packet(struct packet_receiver *r, const struct decoded *d, uint64_t t_ns,
                        struct input_sample *sample)
{
  for (int i = 0; i < r->packet->fields; i++) {
    const struct packet_field *f = &r->packet->field[i];
    if (!packet_is_number(f->type) || f->source != PACKET_SIGNAL) continue;
    sample[f->signal - r->input_first] = (struct input_sample){.value = d->value[i],
                                                               .t_ns = t_ns,
                                                               .sequence = d->counter,
                                                               .counted = d->counted,
                                                               .client = r->client};
  }
  counter_add(&r->counters->packets_received, 1);
}

static bool judge_packet(struct packet_receiver *r, const uint8_t *bytes, size_t n, uint64_t t_ns,
                         const struct inet_address *from, struct input_sample *sample)
{
  struct decoded d;
  const enum decode_result result = packet_decode(r->packet, bytes, n, &d);
  if (result == DECODE_GOOD)
    take_packet(r, &d, t_ns, sample);
  else
    refuse_packet(r, result, from);
  return result == DECODE_GOOD;
}

/* One datagram; -1: none waits. 1: it counted. */
static int take_datagram(struct packet_receiver *r, struct input_sample *sample)
{
  struct inet_address from = {0};
  char stamp[KERNEL_STAMP_ROOM];
  const uint64_t begin_ns = clock_now_ns();
  struct iovec piece = {.iov_base = r->buffer, .iov_len = sizeof r->buffer};
  struct msghdr m = {.msg_name = &from.name,
                     .msg_namelen = sizeof from.name,
                     .msg_iov = &piece,
                     .msg_iovlen = 1,
                     .msg_control = stamp,
                     .msg_controllen = sizeof stamp};
  const ssize_t n = recvmsg(r->socket, &m, MSG_DONTWAIT);
  if (n < 0) {
    if (errno == EAGAIN) datagram_arrival_empty(&r->datagrams, begin_ns);
    return -1;
  }
  /* A stranger's datagram is counted. */
  if (!inet_address_same_host(&from, &r->from)) {
    counter_add(&r->counters->packets_strangers, 1);
    tell_packet(r, "the packet is expected from another host", &from);
    return 0;
  }
  const struct kernel_clocks clocks = kernel_clocks_read();
  datagram_arrival_begin(&r->datagrams, clocks.before_ns, clocks.wall_ns);
  const uint64_t came_ns = datagram_arrival_of(&r->datagrams, kernel_stamp_wall_ns(&m), clocks.now_ns);
  return judge_packet(r, r->buffer, (size_t)n, came_ns, &from, sample);
}

/* A line has no borders between packets: bytes are dropped one by one until the rest is a packet. */
static bool take_bytes(struct packet_receiver *r, struct input_sample *sample)
{
  const size_t size = (size_t)r->packet->size;
  struct decoded d;
  bool any = false;
  size_t at = 0;
  while (r->used - at >= size) {
    const enum decode_result result = packet_decode(r->packet, r->buffer + at, size, &d);
    if (result == DECODE_GOOD) take_packet(r, &d, stream_stamp(&r->bytes, false), sample);
    if (result == DECODE_GOOD) any = true;
    if (result == DECODE_CHECKSUM || result == DECODE_NUMBER) refuse_packet(r, result, NULL);
    at += result == DECODE_GOOD ? size : 1;
  }
  r->used -= at;
  memmove(r->buffer, r->buffer + at, r->used);
  return any;
}

static bool read_line(struct packet_receiver *r, uint64_t now_ns, struct input_sample *sample)
{
  bool any = false;
  for (int turn = 0; turn < DATAGRAMS; turn++) {
    const size_t room = sizeof r->buffer - r->used;
    struct stream_read got = {.start_ns = clock_now_ns()};
    const ssize_t n = read(r->line.fd, r->buffer + r->used, room);
    if (n < 0 && errno == EINTR) continue;
    if (n == 0 || (n < 0 && errno == EAGAIN))
      break; /* 0: nothing waits; a line that disappears gives an error */
    if (n < 0) {
      serial_line_lose(&r->line, now_ns);
      r->used = 0;
      break;
    }
    got.bytes = (size_t)n;
    got.left = kernel_bytes_left(r->line.fd, got.bytes, room);
    stream_take(&r->bytes, &got);
    r->used += got.bytes;
    any |= take_bytes(r, sample);
  }
  return any;
}

static bool read_datagrams(struct packet_receiver *r, int revents, struct input_sample *sample)
{
  bool any = false;
  if (!revents) datagram_arrival_empty(&r->datagrams, r->looked_ns);
  for (int taken = 0, n = 0; revents && n >= 0 && taken < DATAGRAMS; taken++) {
    n = take_datagram(r, sample);
    any |= n > 0;
  }
  return any;
}

bool receiver_serve(struct packet_receiver *r, int revents, uint64_t now_ns, struct input_sample *sample,
                    bool *reopened)
{
  bool any = false;
  *reopened = false;
  if (r->socket >= 0) return read_datagrams(r, revents, sample);
  if (r->line.fd >= 0 && (revents & (POLLHUP | POLLERR | POLLNVAL))) {
    serial_line_lose(&r->line, now_ns);
    r->used = 0;
  } else if (r->line.fd >= 0 && revents) {
    any = read_line(r, now_ns, sample);
  } else if (r->line.fd >= 0) {
    stream_seen_empty(&r->bytes, r->looked_ns);
  }
  *reopened = serial_line_reopen(&r->line, now_ns);
  if (*reopened) stream_begin(&r->bytes, now_ns);
  return any;
}
