/* SPDX-License-Identifier: MIT
 * What the clients of a port are called, for the log: "127.0.0.1:4711". The thread of the port writes, the supervisor reads;
 * both are ordinary threads, the loop never comes here. */
#ifndef SIGNALS_CLIENTS_H
#define SIGNALS_CLIENTS_H

#include <stdatomic.h>
#include <stdint.h>

struct sockaddr;

enum { CLIENTS_NAMED = 256, CLIENT_NAME = 64 };

/* Each entry under a lock of sequence: odd while it is written. */
struct clients {
  struct {
    _Atomic uint32_t sequence, id;
    _Atomic uint64_t name[CLIENT_NAME / sizeof(uint64_t)];
  } entry[CLIENTS_NAMED]; /* at id % CLIENTS_NAMED: the newest client with that place */
};

void clients_name(struct clients *c, uint32_t id, const char *name);
/* The name of a client, or "client ID" where it is not known any more. */
void clients_get(struct clients *c, uint32_t id, char name[CLIENT_NAME]);

/* "127.0.0.1:4711", "[::1]:4711"; "?" for another family. */
void clients_address_text(const struct sockaddr *address, char text[CLIENT_NAME]);

#endif
