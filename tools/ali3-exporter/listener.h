/* SPDX-License-Identifier: MIT
 * The address to serve on: read from text, judged, opened. */
#ifndef ALI3_EXPORTER_LISTENER_H
#define ALI3_EXPORTER_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct address {
  struct sockaddr_storage socket;
  socklen_t size;
};

/* "127.0.0.1:9464", "[::1]:9464": numbers only, so that no name server decides who can reach us. Port 0: any
 * that is free. */
bool address_read(const char *text, struct address *a);
/* Reached from this machine alone. */
bool address_is_loopback(const struct address *a);
void address_text(const struct address *a, char *text, size_t size);

/* A listening socket, and in *a the address it got; -1: see errno. */
int listener_open(struct address *a);

#endif
