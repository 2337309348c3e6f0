/* SPDX-License-Identifier: MIT
 * The arrival time of the bytes of a stream. The time of a read is no answer: the bytes may have waited in the kernel
 * while this process or its thread was stopped or the sender was held back. Two facts help. Bytes read now came after
 * the stream was last empty. The kernel's stamp belongs to the newest byte of the queue, because the kernel joins
 * waiting segments. So the last byte of a queue that was read to its end has an exact time, and every other byte has
 * its earliest possible time: a value never passes for fresher than it is. Pure: no socket, no clock. */
#ifndef TRANSPORT_STREAM_ARRIVAL_H
#define TRANSPORT_STREAM_ARRIVAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All times are CLOCK_MONOTONIC. */
struct stream_arrival {
  uint64_t empty_ns;  /* time at which the stream was empty: unread bytes came later */
  size_t queued;      /* bytes after this number came after queued_ns; 0: no such mark */
  uint64_t queued_ns; /* valid if `queued` is not 0 */
  uint64_t from_ns;   /* the bytes of the last read came after this time */
  uint64_t last_ns;   /* arrival of the last byte of the last read; 0: unknown */
  uint64_t given_ns;  /* newest stamp so far */
};

/* One read. */
struct stream_read {
  size_t bytes, left; /* bytes read; bytes still in the queue */
  uint64_t start_ns;  /* a time before the read began */
  uint64_t kernel_ns; /* stamp of the kernel; 0: none */
  bool behind;        /* a complete frame was already in the buffer; its bytes keep their time */
};

void stream_begin(struct stream_arrival *a, uint64_t empty_ns);
/* The queue was empty at this time or later. */
void stream_seen_empty(struct stream_arrival *a, uint64_t at_ns);
void stream_take(struct stream_arrival *a, const struct stream_read *r);

/* The earliest possible arrival time of the next frame in the buffer. `ends`: the frame ends with the last byte that
 * was read. Every result is later than the last one, so that two samples always differ. */
uint64_t stream_stamp(struct stream_arrival *a, bool ends);

#endif
