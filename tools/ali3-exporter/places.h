/* SPDX-License-Identifier: MIT
 * Who is connected, and for how long. libmicrohttpd counts idleness from the last byte, so a client that sends a byte now
 * and then would keep its place for ever. Here a request has a time for its whole head, an answer one to be taken, and a
 * newcomer gets the place of whoever has waited longest when all are taken.
 *
 * Sockets are only shut down here; who owns them sees that and closes them. Safe with any number of threads. */
#ifndef ALI3_EXPORTER_PLACES_H
#define ALI3_EXPORTER_PLACES_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* PLACES_MORE: connections beside them that are shut down but not yet closed. */
enum { PLACES = 64, PLACES_MORE = 16, PLACES_HEAD_S = 10, PLACES_ANSWER_S = 30 };

struct place {
  int fd; /* -1: free */
  bool answering, ending;
  uint64_t since_ns; /* of the phase */
};

struct places {
  pthread_mutex_t lock;
  struct place place[PLACES + PLACES_MORE];
};

void places_init(struct places *p);
void places_free(struct places *p);
/* A connection was accepted: its place, or NULL if there is none at all, then the socket is shut down. */
struct place *places_take(struct places *p, int fd, uint64_t now_ns);
/* Its head is complete, and an answer is on its way; or (answering false) the answer has been taken. */
void places_turn(struct places *p, struct place *place, bool answering, uint64_t now_ns);
/* Before its socket is closed. NULL is allowed. */
void places_leave(struct places *p, struct place *place);
/* Shuts down those whose time is over. */
void places_sweep(struct places *p, uint64_t now_ns);

#endif
