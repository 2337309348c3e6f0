/* SPDX-License-Identifier: MIT */
#include "packets/link.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

/* A socket that takes answers is bound to the address that faces the host, and not connected. */
static bool join_host(struct packet_link *l)
{
  struct inet_address own;
  if (l->connected) return connect(l->socket, &l->to.name.any, l->to.length) == 0;
  return inet_address_facing(&l->to, 0, &own) && bind(l->socket, &own.name.any, own.length) == 0;
}

static bool open_socket(struct packet_link *l, const struct packet *p, char *error, size_t size)
{
  const int code = inet_address_parse(p->remote.host, p->remote.port, &l->to);
  const char *reason = code ? gai_strerror(code) : NULL;
  if (!reason) {
    l->socket = socket(l->to.name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    l->connected = !p->answered;
    if (l->socket >= 0 && join_host(l)) return true;
    reason = strerror(errno);
  }
  snprintf(error, size, "packet %s: cannot send to %s port %d: %s", p->name, p->remote.host, p->remote.port,
           reason);
  return false;
}

bool packet_link_open(struct packet_link *l, const struct packet *p, char *error, size_t size)
{
  *l = (struct packet_link){.socket = -1, .line.fd = -1};
  if (p->remote.host) return open_socket(l, p, error, size);
  char who[80];
  snprintf(who, sizeof who, "packet %s", p->name);
  return serial_line_open(&l->line, &p->remote.serial, who, error, size);
}

void packet_link_close(struct packet_link *l)
{
  if (l->socket >= 0) close(l->socket);
  l->socket = -1;
  serial_line_close(&l->line);
}

/* --- UDP --- */

/* The kernel reports a closed port for the previous packet instead of sending this one; the second attempt sends it. */
static enum link_result send_datagram(const struct packet_link *l, const uint8_t *bytes, size_t n)
{
  const struct sockaddr *to = l->connected ? NULL : &l->to.name.any;
  const socklen_t length = l->connected ? 0 : l->to.length;
  for (int attempt = 0; attempt < 2; attempt++) {
    if (sendto(l->socket, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL, to, length) >= 0)
      return attempt == 0 ? LINK_SENT : LINK_ERROR;
    if (errno == EAGAIN || errno == ENOBUFS) return LINK_DROPPED;
  }
  return LINK_ERROR;
}

/* --- serial lines --- */

static void lose_packet_line(struct packet_link *l, uint64_t now_ns)
{
  serial_line_lose(&l->line, now_ns);
  l->rest = 0;
}

/* Writes as much of the begun packet as possible. Returns false if the line has disappeared. */
static bool write_rest(struct packet_link *l)
{
  while (l->rest > 0) {
    const ssize_t n = write(l->line.fd, l->buffer + l->rest_at, l->rest);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return n == 0 || errno == EAGAIN;
    l->rest_at += (size_t)n;
    l->rest -= (size_t)n;
  }
  return true;
}

/* A packet behind a complete one that still waits would come too late; the next one is newer. */
static bool line_has_room(const struct packet_link *l, size_t n)
{
  int waiting;
  return l->rest == 0 && (ioctl(l->line.fd, TIOCOUTQ, &waiting) != 0 || (size_t)waiting < n);
}

static enum link_result send_line(struct packet_link *l, const uint8_t *bytes, size_t n, uint64_t now_ns)
{
  if (l->line.fd < 0) return LINK_ERROR;
  if (!line_has_room(l, n)) return LINK_DROPPED;
  memcpy(l->buffer, bytes, n);
  l->rest_at = 0;
  l->rest = n;
  if (!write_rest(l)) {
    lose_packet_line(l, now_ns);
    return LINK_ERROR;
  }
  if (l->rest < n) return LINK_SENT; /* the rest follows */
  l->rest = 0;
  return LINK_DROPPED;
}

enum link_result packet_link_send(struct packet_link *l, const uint8_t *bytes, size_t n, uint64_t now_ns)
{
  return l->socket >= 0 ? send_datagram(l, bytes, n) : send_line(l, bytes, n, now_ns);
}

struct pollfd packet_link_events(const struct packet_link *l)
{
  return (struct pollfd){.fd = l->line.fd, .events = l->rest ? POLLOUT : 0};
}

bool packet_link_serve(struct packet_link *l, int revents, uint64_t now_ns)
{
  const bool gone = revents & (POLLHUP | POLLERR | POLLNVAL);
  if (l->line.fd >= 0 && (gone || (l->rest > 0 && !write_rest(l)))) lose_packet_line(l, now_ns);
  return serial_line_reopen(&l->line, now_ns);
}
