/* SPDX-License-Identifier: MIT
 * The arrival time of a datagram, by CLOCK_MONOTONIC. The kernel stamps it by the wall clock, which can be set; bounds
 * that do not depend on the wall clock limit the result. Pure: reads no clock. */
#ifndef TRANSPORT_DATAGRAM_ARRIVAL_H
#define TRANSPORT_DATAGRAM_ARRIVAL_H

#include <stdbool.h>
#include <stdint.h>

struct datagram_arrival { /* starts as zeros */
  uint64_t empty_ns;      /* time at which the socket was last empty: a datagram read later arrived later */
  uint64_t last_ns;       /* last result */
  int64_t offset_ns;      /* CLOCK_MONOTONIC minus wall clock at the last read */
  bool known;             /* offset_ns is set */
  bool stepped;           /* the wall clock was set since the socket was last empty, so stamps are useless */
};

/* Call before datagrams are read, with both clocks read together. */
void datagram_arrival_begin(struct datagram_arrival *a, uint64_t now_ns, uint64_t wall_ns);

/* The arrival time of the next datagram, ns. stamp_ns is the kernel's stamp by the wall clock; 0: none. The result is
 * later than the last one, so that no two datagrams share a time. It lies after the time at which the socket was last
 * empty, and not after now_ns unless the last result forces that. */
uint64_t datagram_arrival_of(struct datagram_arrival *a, uint64_t stamp_ns, uint64_t now_ns);

/* The socket is empty. The caller must read now_ns before it finds the socket empty. */
void datagram_arrival_empty(struct datagram_arrival *a, uint64_t now_ns);

#endif
