/* SPDX-License-Identifier: MIT
 * The pages over HTTP, from one thread of libmicrohttpd. */
#ifndef ALI3_EXPORTER_SERVER_H
#define ALI3_EXPORTER_SERVER_H

#include "host.h"
#include "pages.h"
#include "places.h"

/* What clients may take, all together, from one address, and each. */
enum {
  SERVER_CONNECTIONS = PLACES,
  SERVER_CONNECTIONS_PER_IP = PLACES / 2,
  SERVER_IDLE_S = PLACES_HEAD_S,
  SERVER_REQUEST_KB = 8
};

struct server;

/* Makes the page of a request; page->text NULL: out of memory. */
typedef void server_page(const struct request *r, void *context, struct page *page);

/* Serves on a listening socket, which it owns from now on. NULL if libmicrohttpd cannot. The context is used
 * by its thread alone. The names in *hosts, beside our addresses, must live as long. */
struct server *server_start(int listener, const struct hosts *hosts, server_page *make, void *context);
/* Once a second, by any one thread: ends connections whose time is over. */
void server_sweep(struct server *s);
void server_stop(struct server *s);

#endif
