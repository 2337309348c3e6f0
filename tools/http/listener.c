/* SPDX-License-Identifier: MIT */
#include "http/listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <net/if.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BACKLOG = 64, HOST = INET6_ADDRSTRLEN + 1 + IF_NAMESIZE };

static bool read_port(const char *text, in_port_t *port)
{
  if (!*text || strspn(text, "0123456789") != strlen(text)) return false;
  const unsigned long v = strtoul(text, NULL, 10);
  *port = htons((uint16_t)v);
  return v <= UINT16_MAX;
}

/* A link-local address has its interface: fe80::1%eth0. */
static bool read_v6(const char *host, struct address *a)
{
  const struct addrinfo hints = {
      .ai_family = AF_INET6, .ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICHOST};
  struct addrinfo *found;
  if (getaddrinfo(host, NULL, &hints, &found) != 0) return false;
  memcpy(&a->socket, found->ai_addr, found->ai_addrlen);
  a->size = found->ai_addrlen;
  freeaddrinfo(found);
  return true;
}

bool address_read(const char *text, struct address *a)
{
  char host[HOST];
  const char *colon = strrchr(text, ':');
  *a = (struct address){0};
  if (!colon || (size_t)(colon - text) >= sizeof host) return false;
  const bool brackets = text[0] == '[' && colon > text && colon[-1] == ']';
  snprintf(host, sizeof host, "%.*s", (int)(colon - text) - 2 * brackets, text + brackets);

  if (brackets) {
    struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&a->socket;
    return read_v6(host, a) && read_port(colon + 1, &v6->sin6_port);
  }
  struct sockaddr_in *v4 = (struct sockaddr_in *)&a->socket;
  v4->sin_family = AF_INET;
  a->size = sizeof *v4;
  return inet_pton(AF_INET, host, &v4->sin_addr) == 1 && read_port(colon + 1, &v4->sin_port);
}

bool address_is_loopback(const struct address *a)
{
  if (a->socket.ss_family == AF_INET6)
    return IN6_IS_ADDR_LOOPBACK(&((const struct sockaddr_in6 *)&a->socket)->sin6_addr);
  return ntohl(((const struct sockaddr_in *)&a->socket)->sin_addr.s_addr) >> 24 == IN_LOOPBACKNET;
}

void address_text(const struct address *a, char *text, size_t size)
{
  char host[HOST] = "", port[8] = "";
  getnameinfo((const struct sockaddr *)&a->socket, a->size, host, sizeof host, port, sizeof port,
              NI_NUMERICHOST | NI_NUMERICSERV);
  snprintf(text, size, a->socket.ss_family == AF_INET6 ? "[%s]:%s" : "%s:%s", host, port);
}

int listener_open(struct address *a)
{
  const int fd = socket(a->socket.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return -1;
  const int on = 1;
  /* After a restart the port is free at once, although old connections linger. */
  setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (a->socket.ss_family == AF_INET6) setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  struct sockaddr *address = (struct sockaddr *)&a->socket;
  if (bind(fd, address, a->size) == 0 && listen(fd, BACKLOG) == 0 && getsockname(fd, address, &a->size) == 0)
    return fd;
  const int saved = errno;
  close(fd);
  errno = saved;
  return -1;
}
