/* SPDX-License-Identifier: MIT */
#ifndef COMMON_UDP_H
#define COMMON_UDP_H

#include <netinet/in.h>
#include <sys/socket.h>

/* Nobody listens at the port of fd from now on, and no other program gets it: a socket that is connected to itself takes no
 * datagram of others. 0: done. */
static inline int udp_refuse(int fd)
{
  struct sockaddr_in own;
  socklen_t n = sizeof own;
  return getsockname(fd, (struct sockaddr *)&own, &n) == 0 ? connect(fd, (struct sockaddr *)&own, n) : -1;
}

#endif
