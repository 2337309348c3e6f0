/* SPDX-License-Identifier: MIT */
#include "http/where.h"

#include <stdio.h>

bool where_listen(const char *option, const char *text, bool expose, struct address *a, char *error,
                  size_t size)
{
  const bool good = address_read(text, a);
  if (!good)
    snprintf(error, size, "%s: expected a numeric ADDRESS:PORT, IPv6 in brackets, found \"%s\"", option,
             text);
  else if (!expose && !address_is_loopback(a))
    snprintf(error, size,
             "%s %s can be reached from other machines without a password; add --expose to allow that",
             option, text);
  return good && (expose || address_is_loopback(a));
}

bool where_host(struct hosts *hosts, const char *name, char *error, size_t size)
{
  if (!host_is_valid(name)) {
    snprintf(error, size, "--host: expected a host name or address without port, found \"%.80s\"", name);
    return false;
  }
  if (hosts->count == HOSTS_MAX) {
    snprintf(error, size, "--host: at most %d names, \"%.80s\" is one too many", HOSTS_MAX, name);
    return false;
  }
  hosts->name[hosts->count++] = name;
  return true;
}
