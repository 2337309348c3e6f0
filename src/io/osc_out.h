/* SPDX-License-Identifier: MIT
 * What OSC sends: streams and the status to fixed targets and subscribers, and answers to whoever asked.
 *
 * One ordinary thread owns it all. Nothing here ever waits: a datagram the kernel does not take is counted and lost. Nothing
 * but the set-up allocates. */
#ifndef IO_OSC_OUT_H
#define IO_OSC_OUT_H

#include "io/osc.h"
#include "io/osc_address.h"
#include "io/osc_space.h"
#include "io/osc_write.h"

enum { OSC_SUBSCRIBERS = 8, OSC_LEASE_S = 10, OSC_DIVISOR_MAX = 1000 };

/* Who has sent a request, and is to be answered. */
struct osc_sender {
  struct osc_address at;
  size_t bytes;    /* of the request */
  uint64_t now_ns; /* when it came */
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

/* Sends what was written, if it is whole. Silent towards senders that must not be answered (broadcast, multicast, port 0),
 * and towards those without a lease that have had enough: osc_limit.h. */
void osc_out_answer(struct osc_out *out, const struct osc_sender *to, const struct osc_writer *w);
/* Answers with the status of the last frame; with its values at a node. */
void osc_out_status(struct osc_out *out, const struct osc_sender *to);
void osc_out_values(struct osc_out *out, const struct osc_sender *to, const struct osc_node *node);

/* Takes or renews the lease of a stream for `to`, which may be another port of the sender's. A receiver is one host and port:
 * its leases are one for each stream, so that nothing is sent to it twice. False if there is no room for one more or `to` must
 * not be answered. */
bool osc_out_subscribe(struct osc_out *out, const struct osc_sender *by, const struct osc_address *to,
                       enum stream stream, uint32_t divisor, bool doubles);
/* Ends the lease; false if there was none. */
bool osc_out_unsubscribe(struct osc_out *out, const struct osc_address *to, enum stream stream);
/* Renews all leases that the sender has taken. False if the count is the one it sent last: its program stands still. */
bool osc_out_heartbeat(struct osc_out *out, const struct osc_sender *by, int32_t count);

#endif
