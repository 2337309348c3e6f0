/* SPDX-License-Identifier: MIT
 * When a datagram arrived, by CLOCK_MONOTONIC. The kernel stamps it by the wall clock, which can be set; what is known without
 * the wall clock bounds the answer. Pure: no clock is read here. */
#ifndef TRANSPORT_DATAGRAM_ARRIVAL_H
#define TRANSPORT_DATAGRAM_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

struct datagram_arrival { /* begins as zeros */
  uint64_t empty_ns;      /* when the socket was last seen empty: what is read later arrived later */
  uint64_t last_ns;       /* the last answer */
  int64_t offset_ns;      /* monotonic less wall clock, as of the last read */
  bool known;             /* offset_ns is set */
  bool stepped;           /* the wall clock was set since the socket was last empty: stamps say nothing */
};

/* Before datagrams are read: both clocks, read together. */
void datagram_arrival_begin(struct datagram_arrival *a, uint64_t now_ns, uint64_t wall_ns);

/* The arrival of the next datagram, in ns. stamp_ns: the kernel's, by the wall clock; 0: there is none. The answer is
 * later than the one before, so that no two datagrams share it, and (but for that) neither before the socket was last empty nor
 * after now_ns. */
uint64_t datagram_arrival_of(struct datagram_arrival *a, uint64_t stamp_ns, uint64_t now_ns);

/* The socket is empty as of now_ns, which was read before the socket was found empty. */
void datagram_arrival_empty(struct datagram_arrival *a, uint64_t now_ns);

#endif
