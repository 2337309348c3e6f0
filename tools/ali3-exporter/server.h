/* SPDX-License-Identifier: MIT
 * The pages over HTTP, from one thread of libmicrohttpd. */
#ifndef ALI3_EXPORTER_SERVER_H
#define ALI3_EXPORTER_SERVER_H

#include "pages.h"

/* What clients may take, all together, from one address, and each. */
enum { SERVER_CONNECTIONS = 64, SERVER_CONNECTIONS_PER_IP = 32, SERVER_IDLE_S = 10, SERVER_REQUEST_KB = 8 };

struct server;

/* Makes the page of a request; page->text NULL: out of memory. */
typedef void server_page(const struct request *r, void *context, struct page *page);

/* Serves on a listening socket, which it owns from now on. NULL if libmicrohttpd cannot. The context is used
 * by its thread alone. */
struct server *server_start(int listener, server_page *make, void *context);
void server_stop(struct server *s);

#endif
