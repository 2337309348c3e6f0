/* SPDX-License-Identifier: MIT
 * Checks the Host header of a request. Any web page can point a name of its own at our address (DNS rebinding) and then
 * read our pages in the browser of its visitor. The browser still sends that name, so a name that is not ours is
 * refused. */
#ifndef ALI3_HTTP_HOST_H
#define ALI3_HTTP_HOST_H

#include <stdbool.h>
#include <sys/socket.h>

enum { HOSTS_MAX = 16 };

/* Names beside localhost and our addresses. */
struct hosts {
  const char *name[HOSTS_MAX];
  int count;
};

/* A name or address without a port, as --host takes it. */
bool host_is_valid(const char *name);
/* True if a Host header means this server: localhost, a loopback address, the address that accepted the connection, or
 * one of the names. Any port is accepted, because a tunnel has its own. */
bool host_is_ours(const char *header, const struct sockaddr *accepted_at, const struct hosts *hosts);

#endif
