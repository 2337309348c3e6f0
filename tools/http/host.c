/* SPDX-License-Identifier: MIT */
#include "http/host.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

enum { NAME_SIZE = 256 };

bool host_is_valid(const char *name)
{
  static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.:";
  const size_t n = strlen(name);
  return n > 0 && n < NAME_SIZE && strspn(name, allowed) == n;
}

/* The header without port, brackets and a final point. Returns false if it is no name. */
static bool read_name(const char *header, char name[static NAME_SIZE])
{
  const bool brackets = header[0] == '[';
  const char *start = header + brackets;
  const size_t n = strcspn(start, brackets ? "]" : ":");
  const char *rest = start + n + (brackets && start[n] == ']');
  if (brackets && start[n] != ']') return false;
  if (*rest && (*rest != ':' || strspn(rest + 1, "0123456789") != strlen(rest + 1))) return false;
  if (n == 0 || n >= NAME_SIZE) return false;
  snprintf(name, NAME_SIZE, "%.*s", (int)n, start);
  if (n > 1 && name[n - 1] == '.') name[n - 1] = '\0';
  return host_is_valid(name);
}

static bool is_address_of_ours(const char *name, const struct sockaddr *at)
{
  struct in_addr v4;
  struct in6_addr v6;
  if (inet_pton(AF_INET, name, &v4) == 1)
    return ntohl(v4.s_addr) >> 24 == IN_LOOPBACKNET ||
           (at->sa_family == AF_INET && v4.s_addr == ((const struct sockaddr_in *)at)->sin_addr.s_addr);
  if (inet_pton(AF_INET6, name, &v6) == 1)
    return IN6_IS_ADDR_LOOPBACK(&v6) ||
           (at->sa_family == AF_INET6 &&
            IN6_ARE_ADDR_EQUAL(&v6, &((const struct sockaddr_in6 *)at)->sin6_addr));
  return false;
}

bool host_is_ours(const char *header, const struct sockaddr *accepted_at, const struct hosts *hosts)
{
  char name[NAME_SIZE];
  if (!read_name(header, name)) return false;
  if (strcasecmp(name, "localhost") == 0 || is_address_of_ours(name, accepted_at)) return true;
  for (int i = 0; i < hosts->count; i++)
    if (strcasecmp(name, hosts->name[i]) == 0) return true;
  return false;
}
