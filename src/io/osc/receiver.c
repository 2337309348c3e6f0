/* SPDX-License-Identifier: MIT */
#include "osc/receiver.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>

void osc_receiver_lease(struct osc_receiver *r, unsigned streams, uint32_t divisor, bool doubles,
                        uint64_t end_ns)
{
  for (int s = 0; s < STREAMS; s++) {
    struct osc_lease *l = &r->lease[s];
    if (!(streams >> s & 1)) continue;
    const bool goes_on = (r->streams >> s & 1) && l->divisor == divisor;
    *l = (struct osc_lease){
        .divisor = divisor, .doubles = doubles, .next_cycle = goes_on ? l->next_cycle : 0, .end_ns = end_ns};
  }
  r->streams |= streams;
}

/* The interface must be set before connect(), which otherwise takes one of the system's choice. */
static bool set_multicast(int fd, const struct osc_target *t)
{
  const int ttl = t->ttl > 0 ? t->ttl : 1;
  if (setsockopt(fd, IPPROTO_IP, IP_MULTICAST_TTL, &ttl, sizeof ttl) != 0) return false;
  struct in_addr interface;
  if (!t->interface) return true;
  if (inet_pton(AF_INET, t->interface, &interface) != 1) {
    errno = EINVAL;
    return false;
  }
  return setsockopt(fd, IPPROTO_IP, IP_MULTICAST_IF, &interface, sizeof interface) == 0;
}

bool osc_receiver_open(struct osc_receiver *r, const struct osc_target *t, unsigned streams, char *error,
                       size_t size)
{
  *r = (struct osc_receiver){.fd = -1};
  /* Parse the address and connect a socket to it. */
  const char *reason = NULL;
  const int code = inet_address_parse(t->host, t->port, &r->to);
  if (code != 0) {
    reason = gai_strerror(code);
  } else if (r->to.name.any.sa_family == AF_INET6 && inet_address_is_multicast(&r->to)) {
    reason = "multicast is served over IPv4 only";
  } else {
    r->fd = socket(r->to.name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (r->fd < 0 || (inet_address_is_multicast(&r->to) && !set_multicast(r->fd, t)) ||
        connect(r->fd, &r->to.name.any, r->to.length) != 0)
      reason = strerror(errno);
  }
  if (reason) {
    snprintf(error, size, "cannot send OSC to %s port %d%s%s: %s", t->host, t->port,
             t->interface ? " by the interface " : "", t->interface ? t->interface : "", reason);
    return false;
  }
  /* The leases of a fixed target never end. */
  r->by = r->to;
  osc_receiver_lease(r, streams, t->divisor > 0 ? (uint32_t)t->divisor : 1, t->doubles, UINT64_MAX);
  return true;
}
