/* SPDX-License-Identifier: MIT
 * Serves the pages over HTTP from one thread of libmicrohttpd. */
#ifndef ALI3_EXPORTER_SERVER_H
#define ALI3_EXPORTER_SERVER_H

#include "http/connections.h"
#include "http/host.h"
#include "pages.h"

/* Limits for all clients together, for one address, and for each client. */
enum {
  SERVER_CONNECTIONS = CONNECTIONS,
  SERVER_CONNECTIONS_PER_IP = CONNECTIONS / 2,
  SERVER_IDLE_S = CONNECTION_HEAD_S,
  SERVER_REQUEST_KB = 8
};

struct server;

/* Makes the page of a request; page->text NULL: out of memory. */
typedef void server_page(const struct request *r, void *context, struct page *page);

/* Serves on a listening socket and takes it over. Returns NULL if libmicrohttpd fails. Only the server's thread uses
 * the context. *hosts must outlive the server. */
struct server *server_start(int listener, const struct hosts *hosts, server_page *make, void *context);
/* Call once a second from one thread: ends connections whose time is over. */
void server_sweep(struct server *s);
void server_stop(struct server *s);

#endif
