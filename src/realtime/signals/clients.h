/* SPDX-License-Identifier: MIT
 * Names of a port's clients for the log: "127.0.0.1:4711". The thread of the port writes, the supervisor reads. Both
 * are ordinary threads; the loop never uses this. */
#ifndef SIGNALS_CLIENTS_H
#define SIGNALS_CLIENTS_H

#include <stdatomic.h>
#include <stdint.h>

struct sockaddr;

enum { CLIENTS_NAMED = 512, CLIENT_NAME = 64 };

/* A name under a sequence lock, odd while it is written. */
struct client_name {
  _Atomic uint32_t sequence, id;
  _Atomic uint64_t text[CLIENT_NAME / sizeof(uint64_t)];
};

/* One thread writes an entry, any number read it. `name` is "" if nobody has written it yet or every try was torn.
 * client_name_read() returns the id. */
void client_name_write(struct client_name *n, uint32_t id, const char *name);
uint32_t client_name_read(const struct client_name *n, char name[CLIENT_NAME]);

struct clients {
  struct client_name entry[CLIENTS_NAMED]; /* at id % CLIENTS_NAMED: the newest client of that place */
};

void clients_name(struct clients *c, uint32_t id, const char *name);
/* The name of a client, or "client ID" if it is not known any more. */
void clients_get(const struct clients *c, uint32_t id, char name[CLIENT_NAME]);

/* "127.0.0.1:4711", "[::1]:4711"; "?" for another family. */
void clients_address_text(const struct sockaddr *address, char text[CLIENT_NAME]);

#endif
