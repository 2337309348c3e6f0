/* SPDX-License-Identifier: MIT
 * Set-up only. */
#include "modbus/listen.h"

#include "transport/kernel_stamp.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

/* Connections that wait to be let in. Few, so that a storm of them is slowed by the kernel, and nobody waits long behind it. */
enum { WAITING_MAX = 256 };

int modbus_listen(const struct modbus_config *config, char *error, size_t size)
{
  char service[16];
  snprintf(service, sizeof service, "%d", config->port);
  struct addrinfo hints = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV, .ai_socktype = SOCK_STREAM}, *a;
  if (getaddrinfo(config->bind, service, &hints, &a) != 0) {
    snprintf(error, size, "modbus: expected a numeric address to listen on, found \"%s\"", config->bind);
    return -1;
  }
  int fd = socket(a->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
  bool ok = fd >= 0 && setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &(int){1}, sizeof(int)) == 0 &&
            bind(fd, a->ai_addr, a->ai_addrlen) == 0 && listen(fd, WAITING_MAX) == 0;
  if (!ok) {
    const char *hint = errno == EACCES       ? "; ports below 1024 need CAP_NET_BIND_SERVICE"
                       : errno == EADDRINUSE ? "; another server has the port"
                                             : "";
    snprintf(error, size, "modbus: cannot listen on %s port %d: %s%s", config->bind, config->port,
             strerror(errno), hint);
    if (fd >= 0) close(fd);
    fd = -1;
  }
  freeaddrinfo(a);
  if (fd >= 0) kernel_stamp_ask(fd);
  return fd;
}
