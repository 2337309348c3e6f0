/* SPDX-License-Identifier: MIT
 * A receiver of streams: one host and port. Fixed receivers have a socket of their own. */
#ifndef OSC_RECEIVER_H
#define OSC_RECEIVER_H

#include "osc_messages/config.h"
#include "transport/inet_address.h"

#include <stddef.h>

struct osc_receiver {
  struct inet_address to, by; /* `by` is the subscriber */
  int fd; /* connected socket of a fixed target, so that the kernel reports a closed port; -1: a subscriber */
  unsigned streams; /* bits 1 << enum stream; 0: free place */
  bool writes;      /* `by` has write access */
  bool beaten;      /* a heartbeat with this count has come */
  int32_t count;
  struct osc_lease {
    uint32_t divisor;
    bool doubles;
    uint64_t next_cycle; /* next cycle to send; skipped cycles delay it, never cancel it */
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
