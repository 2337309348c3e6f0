/* SPDX-License-Identifier: MIT
 * One host and port that streams go to, and the sockets of fixed ones. */
#ifndef OSC_RECEIVER_H
#define OSC_RECEIVER_H

#include "osc/osc.h"
#include "transport/inet_address.h"

#include <stddef.h>

struct osc_receiver {
  struct inet_address to, by; /* by: who subscribed */
  int fd; /* connected, of a fixed target: the kernel then reports that nobody listens; -1: a subscriber */
  unsigned streams; /* bits 1 << enum stream; 0: free place */
  bool writes;      /* `by` may write */
  bool beaten;      /* a heartbeat came, with this count */
  int32_t count;
  struct osc_lease {
    uint32_t divisor;
    bool doubles;
    uint64_t next_cycle; /* the next one to send; skipped cycles delay it, never cancel it */
    uint64_t end_ns;
  } lease[STREAMS];
};

/* Takes or renews the leases of all streams in the set. */
void osc_receiver_lease(struct osc_receiver *r, unsigned streams, uint32_t divisor, bool doubles,
                        uint64_t end_ns);

/* Opens a socket for a fixed target, with the leases of its streams. False on failure, the reason in error[size]. */
bool osc_receiver_open(struct osc_receiver *r, const struct osc_target *t, unsigned streams, char *error,
                       size_t size);

#endif
