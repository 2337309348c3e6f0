/* SPDX-License-Identifier: MIT
 * Time limits of connections. libmicrohttpd measures idle time from the last byte, so a client that sends a byte from
 * time to time would keep its place for ever. Here a request has a limit for its complete head and an answer has a
 * limit for being taken. If all places are in use, a newcomer gets the place that has waited longest.
 *
 * This file only shuts sockets down; their owner then closes them. Safe with any number of threads. */
#ifndef ALI3_HTTP_PLACES_H
#define ALI3_HTTP_PLACES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* PLACES_MORE: further connections that are shut down but not closed yet. */
enum { PLACES = 64, PLACES_MORE = 16, PLACES_HEAD_S = 10, PLACES_ANSWER_S = 30 };

struct place {
  int fd; /* -1: free */
  bool answering, ending;
  uint64_t since_ns; /* start of the phase */
};

struct places {
  pthread_mutex_t lock;
  struct place place[PLACES + PLACES_MORE];
};

void places_init(struct places *p);
void places_free(struct places *p);
/* A connection was accepted. Returns its place; without a free place shuts the socket down and returns NULL. */
struct place *places_take(struct places *p, int fd, uint64_t now_ns);
/* answering: the head is complete and the answer is on its way; false: the answer has been taken. */
void places_turn(struct places *p, struct place *place, bool answering, uint64_t now_ns);
/* Call before its socket is closed. NULL is allowed. */
void places_leave(struct places *p, struct place *place);
/* Shuts down the connections whose time is over. */
void places_sweep(struct places *p, uint64_t now_ns);

#endif
