/* SPDX-License-Identifier: MIT
 * Shared by the files of osc_out: out.c decides what is sent, leases.c decides who receives it. */
#ifndef OSC_OUT_PARTS_H
#define OSC_OUT_PARTS_H

#include "osc/limit.h"
#include "osc/out.h"
#include "osc/receiver.h"
#include "osc_messages/encode.h"

struct osc_out {
  const struct osc_config *config;
  const struct osc_space *space;
  const struct signals *signals;
  struct counters *counters;
  int fd;
  struct inet_address own;                    /* address of the socket */
  struct osc_state *state[STREAMS_PACKED][2]; /* 32-bit and 64-bit profile */
  struct osc_state
      *still[STREAMS_PACKED][2];  /* without the platform's motion; NULL: the stream has no motion */
  bool filled[STREAMS_PACKED][2]; /* the packets hold the values of the current frame */
  const struct frame *frame;      /* last frame; NULL: none yet */
  uint32_t last_state, last_fault;
  uint64_t next_status_ns;
  struct osc_limit limit;
  struct osc_budget budget; /* budget of this turn */
  int receivers;
  struct osc_receiver receiver[]; /* the fixed targets, then OSC_SUBSCRIBERS places */
};

/* The streams of a name, as bits. Leaves out streams without packets, such as `sensor` of a model without sensors. */
unsigned osc_out_bits(const struct osc_out *out, enum stream stream);
/* Sends through the socket fd, or to the address `to` through the socket of `out` if fd is -1; counts both results. */
void osc_out_transmit(struct osc_out *out, int fd, const struct inet_address *to, const void *bytes,
                      size_t n);
/* Sends to an address without a socket of its own. */
void osc_out_send(struct osc_out *out, const struct inet_address *to, const struct osc_writer *w);
/* Recounts the receivers. */
void osc_out_count(struct osc_out *out);
/* The address has a subscription. */
bool osc_out_has_lease(const struct osc_out *out, const struct inet_address *who);

#endif
