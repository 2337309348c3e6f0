/* SPDX-License-Identifier: MIT */
#include "osc/socket.h"

#include "osc_messages/parse.h"
#include "rt/clock.h"
#include "transport/datagram_arrival.h"
#include "transport/kernel_stamp.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  RECEIVE_BUFFER = 4 << 20, /* requested; without CAP_NET_ADMIN the kernel grants at most net.core.rmem_max */
  CONTROL = 128,            /* room for a time stamp and a counter with their headers */
};

struct osc_socket {
  int fd, port;
  struct counters *counters;
  struct datagram_arrival arrival;
  uint32_t dropped; /* count of the kernel so far */
  struct mmsghdr message[OSC_BATCH];
  struct iovec part[OSC_BATCH];
  struct inet_address from[OSC_BATCH];
  _Alignas(struct cmsghdr) uint8_t control[OSC_BATCH][CONTROL];
  uint8_t bytes[OSC_BATCH][OSC_IN_MAX];
};

/* The socket is our own because liblo 0.31 binds its servers to every interface. Returns the descriptor, -1 on failure. */
static int bind_socket(const struct osc_config *config, int *port, char *error, size_t size)
{
  const char *reason;
  struct inet_address at;
  int fd = -1, code = inet_address_parse(config->bind, config->port, &at);
  if (code != 0) {
    reason = gai_strerror(code);
  } else {
    /* Set a large buffer, IPv6 only, time stamps and drop counts, then bind. */
    const int one = 1, buffer = RECEIVE_BUFFER, family = at.name.any.sa_family;
    fd = socket(family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &buffer, sizeof buffer) != 0)
      setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &buffer, sizeof buffer);
    if (fd >= 0 && family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &one, sizeof one);
    if (fd >= 0 && kernel_stamp_ask(fd) && setsockopt(fd, SOL_SOCKET, SO_RXQ_OVFL, &one, sizeof one) == 0 &&
        bind(fd, &at.name.any, at.length) == 0 && getsockname(fd, &at.name.any, &at.length) == 0) {
      *port = inet_address_port(&at);
      return fd;
    }
    reason = strerror(errno);
  }
  snprintf(error, size, "cannot listen for OSC on %s port %d: %s", config->bind, config->port, reason);
  if (fd >= 0) close(fd);
  return -1;
}

struct osc_socket *osc_socket_open(const struct osc_config *config, struct counters *counters, char *error,
                                   size_t size)
{
  struct osc_socket *s = calloc(1, sizeof *s);
  if (!s) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  s->counters = counters;
  s->fd = bind_socket(config, &s->port, error, size);
  if (s->fd < 0) {
    free(s);
    return NULL;
  }
  for (int i = 0; i < OSC_BATCH; i++) {
    s->part[i] = (struct iovec){.iov_base = s->bytes[i], .iov_len = OSC_IN_MAX};
    s->message[i].msg_hdr = (struct msghdr){
        .msg_name = &s->from[i].name, .msg_iov = &s->part[i], .msg_iovlen = 1, .msg_control = s->control[i]};
  }
  return s;
}

void osc_socket_close(struct osc_socket *s)
{
  if (!s) return;
  close(s->fd);
  free(s);
}

int osc_socket_fd(const struct osc_socket *s)
{
  return s->fd;
}

int osc_socket_port(const struct osc_socket *s)
{
  return s->port;
}

/* The kernel attaches to each datagram how many it has dropped so far. */
static void count_dropped(struct osc_socket *s, struct msghdr *m)
{
  for (struct cmsghdr *c = CMSG_FIRSTHDR(m); c; c = CMSG_NXTHDR(m, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SO_RXQ_OVFL) continue;
    uint32_t dropped;
    memcpy(&dropped, CMSG_DATA(c), sizeof dropped);
    counter_add(&s->counters->osc_overflow, (uint32_t)(dropped - s->dropped));
    s->dropped = dropped;
  }
}

int osc_socket_read(struct osc_socket *s, struct osc_received received[OSC_BATCH])
{
  const uint64_t begin_ns = clock_now_ns();
  for (int i = 0; i < OSC_BATCH; i++) {
    s->message[i].msg_hdr.msg_namelen = sizeof s->from[i].name;
    s->message[i].msg_hdr.msg_controllen = CONTROL;
  }
  /* MSG_TRUNC makes the kernel report the length of the datagram, also if it did not fit */
  const int n = recvmmsg(s->fd, s->message, OSC_BATCH, MSG_TRUNC | MSG_DONTWAIT, NULL);
  if (n > 0) {
    const struct kernel_clocks clocks = kernel_clocks_read();
    datagram_arrival_begin(&s->arrival, clocks.before_ns, clocks.wall_ns);
    for (int i = 0; i < n; i++) {
      struct msghdr *m = &s->message[i].msg_hdr;
      s->from[i].length = m->msg_namelen;
      received[i] =
          (struct osc_received){.from = s->from[i], .size = s->message[i].msg_len, .bytes = s->bytes[i]};
      received[i].t_ns = datagram_arrival_of(&s->arrival, kernel_stamp_wall_ns(m), clocks.now_ns);
      count_dropped(s, m);
    }
  }
  if (n < OSC_BATCH) datagram_arrival_empty(&s->arrival, begin_ns);
  return n > 0 ? n : 0;
}
