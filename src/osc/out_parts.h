/* SPDX-License-Identifier: MIT
 * What the files of osc_out share: out.c says what and sends it, leases.c to whom. */
#ifndef OSC_OUT_PARTS_H
#define OSC_OUT_PARTS_H

#include "osc/encode.h"
#include "osc/limit.h"
#include "osc/out.h"
#include "osc/receiver.h"

struct osc_out {
  const struct osc_config *config;
  const struct osc_space *space;
  const struct signals *signals;
  struct counters *counters;
  int fd;
  struct inet_address own;                    /* of fd */
  struct osc_state *state[STREAMS_PACKED][2]; /* 32-bit and 64-bit profile */
  struct osc_state
      *still[STREAMS_PACKED][2];  /* without the platform's motion; NULL: the stream has none of it */
  bool filled[STREAMS_PACKED][2]; /* that of them which goes with the frame in hand, with it */
  const struct frame *frame;      /* the last one; NULL: none yet */
  uint32_t last_state, last_fault;
  uint64_t next_status_ns;
  struct osc_limit limit;
  struct osc_budget budget; /* of the turn */
  int receivers;
  struct osc_receiver receiver[]; /* the fixed targets, then OSC_SUBSCRIBERS places */
};

/* What a name stands for, as bits. A model without sensors has no packets of them to be sent unasked. */
unsigned osc_out_bits(const struct osc_out *out, enum stream stream);
/* Sends through the socket fd, or if fd is -1 through that of `out` to an address, and counts. */
void osc_out_transmit(struct osc_out *out, int fd, const struct inet_address *to, const void *bytes,
                      size_t n);
/* Sends to an address that has no socket of its own. */
void osc_out_send(struct osc_out *out, const struct inet_address *to, const struct osc_writer *w);
/* Counts the receivers anew. */
void osc_out_count(struct osc_out *out);
/* It has subscribed to something. */
bool osc_out_has_lease(const struct osc_out *out, const struct inet_address *who);

#endif
