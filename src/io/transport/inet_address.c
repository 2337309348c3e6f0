/* SPDX-License-Identifier: MIT */
#include "transport/inet_address.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int inet_address_parse(const char *host, int port, struct inet_address *out)
{
  char service[12];
  snprintf(service, sizeof service, "%d", port);
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found;
  int code = getaddrinfo(host, service, &hints, &found);
  if (code != 0) return code;
  memset(out, 0, sizeof *out);
  memcpy(&out->name, found->ai_addr, found->ai_addrlen);
  out->length = found->ai_addrlen;
  freeaddrinfo(found);
  return 0;
}

int inet_address_port(const struct inet_address *a)
{
  return ntohs(a->name.any.sa_family == AF_INET6 ? a->name.v6.sin6_port : a->name.v4.sin_port);
}

void inet_address_set_port(struct inet_address *a, int port)
{
  if (a->name.any.sa_family == AF_INET6)
    a->name.v6.sin6_port = htons((uint16_t)port);
  else
    a->name.v4.sin_port = htons((uint16_t)port);
}

bool inet_address_same_host(const struct inet_address *a, const struct inet_address *b)
{
  if (a->name.any.sa_family != b->name.any.sa_family) return false;
  if (a->name.any.sa_family == AF_INET) return a->name.v4.sin_addr.s_addr == b->name.v4.sin_addr.s_addr;
  /* The scope is the interface of a link-local address, else 0. */
  return memcmp(&a->name.v6.sin6_addr, &b->name.v6.sin6_addr, sizeof a->name.v6.sin6_addr) == 0 &&
         a->name.v6.sin6_scope_id == b->name.v6.sin6_scope_id;
}

bool inet_address_same(const struct inet_address *a, const struct inet_address *b)
{
  return inet_address_same_host(a, b) && inet_address_port(a) == inet_address_port(b);
}

bool inet_address_is_multicast(const struct inet_address *a)
{
  if (a->name.any.sa_family == AF_INET6) return IN6_IS_ADDR_MULTICAST(&a->name.v6.sin6_addr);
  return IN_MULTICAST(ntohl(a->name.v4.sin_addr.s_addr));
}

bool inet_address_may_be_answered(const struct inet_address *a)
{
  if (inet_address_port(a) == 0 || inet_address_is_multicast(a)) return false;
  if (a->name.any.sa_family == AF_INET6) return !IN6_IS_ADDR_UNSPECIFIED(&a->name.v6.sin6_addr);
  const in_addr_t host = ntohl(a->name.v4.sin_addr.s_addr);
  return a->name.any.sa_family == AF_INET && host != INADDR_ANY && host != INADDR_BROADCAST;
}

bool inet_address_is_of_this_machine(const struct inet_address *of)
{
  struct inet_address a = *of;
  inet_address_set_port(&a, 0);
  const int fd = socket(a.name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool own = fd >= 0 && bind(fd, &a.name.any, a.length) == 0;
  if (fd >= 0) close(fd);
  return own;
}

bool inet_address_is_any(const struct inet_address *a)
{
  if (a->name.any.sa_family == AF_INET6) return IN6_IS_ADDR_UNSPECIFIED(&a->name.v6.sin6_addr);
  return a->name.v4.sin_addr.s_addr == htonl(INADDR_ANY);
}

bool inet_address_of(int fd, struct inet_address *out)
{
  *out = (struct inet_address){.length = sizeof out->name};
  return getsockname(fd, &out->name.any, &out->length) == 0;
}

bool inet_address_facing(const struct inet_address *to, int port, struct inet_address *own)
{
  const int s = socket(to->name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  const bool found = s >= 0 && connect(s, &to->name.any, to->length) == 0 && inet_address_of(s, own);
  if (s >= 0) close(s);
  if (found) inet_address_set_port(own, port);
  return found;
}

bool inet_address_reaches(const struct inet_address *to, const struct inet_address *own)
{
  if (own->name.any.sa_family != to->name.any.sa_family || inet_address_port(own) != inet_address_port(to))
    return false;
  return inet_address_same_host(own, to) || (inet_address_is_any(own) && inet_address_is_of_this_machine(to));
}
