/* SPDX-License-Identifier: MIT
 * When the bytes of a stream arrived. A read does not tell: the bytes may have waited in the kernel while this process, or its
 * thread, stood still, or while their sender was held back. Two things are known. What is read now came after the stream was
 * last seen empty; and the stamp of the kernel belongs to the newest byte of its queue, because it joins segments that wait.
 * So the last byte of a queue that was read to its end has its exact time, and every other byte the earliest time that is
 * possible: a value never passes for fresher than it is. Pure: no socket, no clock. */
#ifndef TRANSPORT_STREAM_ARRIVAL_H
#define TRANSPORT_STREAM_ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All times: CLOCK_MONOTONIC. */
struct stream_arrival {
  uint64_t empty_ns;  /* the stream was seen empty: bytes that were not read yet came later */
  size_t queued;      /* the bytes behind so many came after queued_ns; 0: no such mark */
  uint64_t queued_ns; /* not 0 together with `queued` */
  uint64_t from_ns;   /* the bytes of the last read came after this instant */
  uint64_t last_ns;   /* when the last byte of it came; 0: not known */
  uint64_t given_ns;  /* the newest stamp so far */
};

/* One read. */
struct stream_read {
  size_t bytes, left; /* read; still in the queue */
  uint64_t start_ns;  /* not after the read began */
  uint64_t kernel_ns; /* the kernel's stamp; 0: none */
  bool behind;        /* a whole frame was waiting in the buffer already: its bytes keep their time */
};

void stream_begin(struct stream_arrival *a, uint64_t empty_ns);
/* The queue was empty at this instant, or later. */
void stream_seen_empty(struct stream_arrival *a, uint64_t at_ns);
void stream_take(struct stream_arrival *a, const struct stream_read *r);

/* When the next frame of the buffer arrived, at the earliest. ends: it ends with the last byte that was read. Every stamp is
 * later than the one before, so that two samples can always be told apart. */
uint64_t stream_stamp(struct stream_arrival *a, bool ends);

#endif
