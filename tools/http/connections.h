/* SPDX-License-Identifier: MIT
 * Time limits of connections. libmicrohttpd measures idle time from the last byte, so a client that sends a byte from
 * time to time would keep its connection for ever. Here a request has a limit for its complete head and an answer has a
 * limit for being taken. If all connections are in use, the one that has waited longest ends for a newcomer.
 *
 * This file only shuts sockets down; their owner then closes them. Safe with any number of threads. */
#ifndef ALI3_HTTP_CONNECTIONS_H
#define ALI3_HTTP_CONNECTIONS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* CONNECTIONS_MORE: further connections that are shut down but not closed yet. */
enum { CONNECTIONS = 64, CONNECTIONS_MORE = 16, CONNECTION_HEAD_S = 10, CONNECTION_ANSWER_S = 30 };

struct http_connection {
  int fd; /* -1: free */
  bool answering, ending;
  uint64_t since_ns; /* start of the phase */
};

struct http_connections {
  pthread_mutex_t lock;
  struct http_connection connection[CONNECTIONS + CONNECTIONS_MORE];
};

void connections_init(struct http_connections *p);
void connections_free(struct http_connections *p);
/* A connection was accepted. Returns its record; without a free one shuts the socket down and returns NULL. */
struct http_connection *connections_take(struct http_connections *p, int fd, uint64_t now_ns);
/* answering: the head is complete and the answer is on its way; false: the answer has been taken. */
void connections_turn(struct http_connections *p, struct http_connection *connection, bool answering,
                      uint64_t now_ns);
/* Call before its socket is closed. NULL is allowed. */
void connections_leave(struct http_connections *p, struct http_connection *connection);
/* Shuts down the connections whose time is over. */
void connections_sweep(struct http_connections *p, uint64_t now_ns);

#endif
