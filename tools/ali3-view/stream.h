/* SPDX-License-Identifier: MIT
 * A stream: from a query to the records that its browser gets. It never queues frames: a record is made when the browser has
 * taken everything before it, from the newest cycle of that time. One thread. */
#ifndef ALI3_VIEW_STREAM_H
#define ALI3_VIEW_STREAM_H

#include "page/wire.h"
#include "query.h"
#include "source.h"

enum { STREAM_BYTES_A_SECOND = 2000000, STREAM_EVENTS_BEFORE = 500 };

struct stream {
  struct source source;
  struct query query;
  uint32_t values, dense_values;
  uint32_t *value; /* (values) signals of a frame */
  uint32_t dense[QUERY_DENSE_MOST];
  double rate;                /* Hz, at most that of the loop and of the limit of bytes */
  uint64_t due_ns;            /* no record before this instant, CLOCK_MONOTONIC */
  uint64_t next;              /* first cycle that was not looked at */
  uint64_t begin;             /* cycles before this one are history: they have no frame */
  uint64_t event;             /* first event that was not looked at */
  uint64_t said_ns, asked_ns; /* last record; last look whether the daemon is there */
  uint64_t began_ns;          /* a recording plays since then */
  bool ended;
  struct record_bytes out; /* records that the browser has not taken */
  size_t taken;            /* bytes of them that it has */
};

/* Takes the source over, and closes it with the stream. Puts the head into `out`. NULL: out of memory. */
struct stream *stream_new(const struct source *source, const struct query *q, uint64_t now_ns);
void stream_free(struct stream *s);
/* Makes the records of this instant, once everything before is taken and the time has come. */
void stream_fill(struct stream *s, uint64_t now_ns);

#endif
