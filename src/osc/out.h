/* SPDX-License-Identifier: MIT
 * What OSC sends: streams and the status to fixed targets and subscribers, and answers to whoever asked.
 *
 * One ordinary thread owns it all. Nothing here ever waits: a datagram the kernel does not take is counted and lost. Nothing
 * but the set-up allocates. */
#ifndef OSC_OUT_H
#define OSC_OUT_H

#include "osc/encode.h"
#include "osc/osc.h"
#include "transport/inet_address.h"

enum { OSC_SUBSCRIBERS = 16, OSC_LEASE_S = 10, OSC_DIVISOR_MAX = 1000 };

/* Who has sent a request, and is to be answered. */
struct osc_sender {
  struct inet_address at;
  size_t bytes;    /* of the request */
  uint64_t now_ns; /* when it came */
  bool writes;     /* it may write */
};

struct osc_out;

/* Set-up. fd is the socket listened on; answers leave through it, so that they come from the port that was
 * asked. NULL on failure, the reason in error[size]. The space must live as long. */
struct osc_out *osc_out_new(const struct osc_config *config, const struct osc_space *space,
                            const struct signals *signals, struct counters *counters, int fd, char *error,
                            size_t size);
void osc_out_free(struct osc_out *out);

/* A new frame: sends what is due to whom it is due. The frame must stay valid until the next call. */
void osc_out_frame(struct osc_out *out, const struct frame *frame, uint64_t now_ns);
/* Ends leases that ran out. */
void osc_out_expire(struct osc_out *out, uint64_t now_ns);

/* A turn of the thread begins: every host has its budget of answers again. */
void osc_out_turn(struct osc_out *out);

/* Sends what was written, if it is whole. Silent towards senders that must not be answered (broadcast, multicast, port 0), and
 * towards those that have had enough: osc_limit.h. */
void osc_out_answer(struct osc_out *out, const struct osc_sender *to, const struct osc_writer *w);
/* As above, but for answers of the loop, of which there are no more than it takes commands: they need no budget. */
void osc_out_owed(struct osc_out *out, const struct osc_sender *to, const struct osc_writer *w);
/* Answers with the status of the last frame; with its values at a node. */
void osc_out_status(struct osc_out *out, const struct osc_sender *to);
void osc_out_values(struct osc_out *out, const struct osc_sender *to, const struct osc_node *node);

/* The newest frame; NULL: there was none yet. */
const struct frame *osc_out_last_frame(const struct osc_out *out);

/* Takes or renews the lease of a stream for `to`, which may be another port of the sender's. A receiver is one host and port:
 * its leases are one for each stream, so that nothing is sent to it twice. A lease belongs to who asked for it: only that
 * sender and the receiver itself may renew, change or end it. False: it is not theirs, `to` must not be answered, or there is
 * no place.
 *
 * Of the OSC_SUBSCRIBERS places no host has more than half, and senders that may only read never have the last one. Where no
 * place is free for a sender that may write, the reader gives way whose lease would end first; it is told by /sub/ack 2. */
bool osc_out_subscribe(struct osc_out *out, const struct osc_sender *by, const struct inet_address *to,
                       enum stream stream, uint32_t divisor, bool doubles);
/* Ends the lease; false if there was none, or it is not the sender's. */
bool osc_out_unsubscribe(struct osc_out *out, const struct osc_sender *by, const struct inet_address *to,
                         enum stream stream);
/* Renews all leases that the sender has taken. False if the count is the one it sent last: its program stands still. */
bool osc_out_heartbeat(struct osc_out *out, const struct osc_sender *by, int32_t count);

#endif
