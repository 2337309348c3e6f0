/* SPDX-License-Identifier: MIT
 * The address of the server: parsed, checked, opened. */
#ifndef ALI3_HTTP_LISTENER_H
#define ALI3_HTTP_LISTENER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/socket.h>

struct address {
  struct sockaddr_storage socket;
  socklen_t size;
};

/* Parses "127.0.0.1:9464", "[::1]:9464" or "[fe80::1%eth0]:9464". Accepts numbers only, so that no name server decides
 * who can reach us. Port 0: any free port. */
bool address_read(const char *text, struct address *a);
/* True if only this machine can reach it. */
bool address_is_loopback(const struct address *a);
void address_text(const struct address *a, char *text, size_t size);

/* Returns a listening socket, and in *a its address; -1: see errno. */
int listener_open(struct address *a);

#endif
