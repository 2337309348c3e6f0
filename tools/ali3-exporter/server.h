/* SPDX-License-Identifier: MIT
 * The pages over HTTP, from one thread of libmicrohttpd. */
#ifndef ALI3_EXPORTER_SERVER_H
#define ALI3_EXPORTER_SERVER_H

#include "census.h"

/* What clients may take, all together, from one address, and each. */
enum { SERVER_CONNECTIONS = 64, SERVER_CONNECTIONS_PER_IP = 32, SERVER_IDLE_S = 10, SERVER_REQUEST_KB = 8 };

struct server;

/* Serves on a listening socket, which it owns from now on. NULL if libmicrohttpd cannot. The census is used
 * by its thread alone. */
struct server *server_start(int listener, struct census *c);
void server_stop(struct server *s);

#endif
