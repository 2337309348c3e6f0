/* SPDX-License-Identifier: MIT
 * The Host header of a request. A web page of anybody can let its own name lead to our address (DNS rebinding) and then read
 * our pages in the browser of whoever looks at it; the browser still sends that name. So a name that is not ours is refused. */
#ifndef ALI3_EXPORTER_HOST_H
#define ALI3_EXPORTER_HOST_H

#include <stdbool.h>
#include <sys/socket.h>

enum { HOSTS_MAX = 16 };

/* Names beside localhost and the addresses that lead here. */
struct hosts {
  const char *name[HOSTS_MAX];
  int count;
};

/* A name or address as --host takes it, without a port. */
bool host_is_valid(const char *name);
/* Whether a Host header means us: localhost, a loopback address, the address at which the connection was accepted, or one of
 * the names. Any port: a tunnel has its own. */
bool host_is_ours(const char *header, const struct sockaddr *accepted_at, const struct hosts *hosts);

#endif
