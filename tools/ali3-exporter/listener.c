/* SPDX-License-Identifier: MIT */
#include "listener.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { BACKLOG = 64 };

static bool read_port(const char *text, in_port_t *port)
{
  if (!*text || strspn(text, "0123456789") != strlen(text)) return false;
  const unsigned long v = strtoul(text, NULL, 10);
  *port = htons((uint16_t)v);
  return v <= UINT16_MAX;
}

bool address_read(const char *text, struct address *a)
{
  char host[64];
  const char *colon = strrchr(text, ':');
  *a = (struct address){0};
  if (!colon || (size_t)(colon - text) >= sizeof host) return false;
  const bool brackets = text[0] == '[' && colon > text && colon[-1] == ']';
  snprintf(host, sizeof host, "%.*s", (int)(colon - text) - 2 * brackets, text + brackets);

  struct sockaddr_in *v4 = (struct sockaddr_in *)&a->socket;
  struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&a->socket;
  if (brackets) {
    v6->sin6_family = AF_INET6;
    a->size = sizeof *v6;
    return inet_pton(AF_INET6, host, &v6->sin6_addr) == 1 && read_port(colon + 1, &v6->sin6_port);
  }
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
  char host[INET6_ADDRSTRLEN] = "";
  if (a->socket.ss_family == AF_INET6) {
    const struct sockaddr_in6 *v6 = (const struct sockaddr_in6 *)&a->socket;
    inet_ntop(AF_INET6, &v6->sin6_addr, host, sizeof host);
    snprintf(text, size, "[%s]:%u", host, ntohs(v6->sin6_port));
  } else {
    const struct sockaddr_in *v4 = (const struct sockaddr_in *)&a->socket;
    inet_ntop(AF_INET, &v4->sin_addr, host, sizeof host);
    snprintf(text, size, "%s:%u", host, ntohs(v4->sin_port));
  }
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
