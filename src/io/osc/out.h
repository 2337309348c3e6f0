/* SPDX-License-Identifier: MIT
 * The sender of OSC: streams and status to fixed targets and subscribers, and answers to requests.
 *
 * One ordinary thread owns all of it. Nothing here waits: a datagram that the kernel refuses is counted and lost. Only
 * the set-up allocates. */
#ifndef OSC_OUT_H
#define OSC_OUT_H

#include "osc_messages/config.h"
#include "osc_messages/encode.h"
#include "signals/counters.h"
#include "signals/exchange.h"
#include "transport/inet_address.h"

enum { OSC_SUBSCRIBERS = 16, OSC_LEASE_S = 10, OSC_DIVISOR_MAX = 1000 };

/* The sender of a request; it gets the answer. */
struct osc_sender {
  struct inet_address at;
  size_t bytes;    /* size of the request */
  uint64_t now_ns; /* arrival of the request */
  bool writes;     /* has write access */
};

struct osc_out;

/* Set-up. `fd` is the listening socket; answers leave through it, so that they come from the port that the client
 * addressed. NULL on failure, with the reason in error[size]. The space must outlive the result. */
struct osc_out *osc_out_new(const struct osc_config *config, const struct osc_space *space,
                            const struct signals *signals, struct counters *counters, int fd, char *error,
                            size_t size);
void osc_out_free(struct osc_out *out);

/* Sends the streams that are due with this frame. The frame must stay valid until the next call. */
void osc_out_frame(struct osc_out *out, const struct frame *frame, uint64_t now_ns);
/* Packets of the newest frame for a sender, by the divisors of its leases. */
int osc_out_packets(const struct osc_out *out, const struct inet_address *by);
/* Sends the newest frame again, to this sender only. */
void osc_out_frame_again(struct osc_out *out, const struct inet_address *by);
/* Ends leases that have expired. */
void osc_out_expire(struct osc_out *out, uint64_t now_ns);

/* Begins a turn of the thread: refills every host's budget of answers. */
void osc_out_turn(struct osc_out *out);

/* Sends a message that fitted. Sends nothing to addresses that must not be answered (broadcast, multicast, port 0) and
 * nothing beyond the limits of osc/limit.h. */
void osc_out_answer(struct osc_out *out, const struct osc_sender *to, const struct osc_writer *w);
/* Sends an answer of the loop. The loop bounds these answers by the commands it takes, so no budget applies. */
void osc_out_owed(struct osc_out *out, const struct osc_sender *to, const struct osc_writer *w);
/* The ack of a command or request that this thread answers; and of one that the loop or the parameter server has answered. */
void osc_out_acknowledge(struct osc_out *out, const struct osc_sender *to, const char *what, int32_t id,
                         unsigned result);
void osc_out_owed_ack(struct osc_out *out, const struct osc_sender *to, const char *what, int32_t id,
                      unsigned result);
/* Answers with the status of the last frame; or, for a node, with its values in that frame. */
void osc_out_status(struct osc_out *out, const struct osc_sender *to);
void osc_out_values(struct osc_out *out, const struct osc_sender *to, const struct osc_node *node);

/* Sends to all receivers of the stream status. */
void osc_out_tell(struct osc_out *out, const struct osc_writer *w);

/* The newest frame; NULL before the first one. */
const struct frame *osc_out_last_frame(const struct osc_out *out);

/* Takes or renews the lease of a stream for `to`, which may be another port of the sender. A receiver is one host and
 * port; it has one lease for each stream, so that nothing goes to it twice. Only the sender that asked for a lease, and
 * the receiver itself, may renew, change or end it. Returns false if the lease is not theirs, `to` must not be
 * answered, or no place is free.
 *
 * No host has more than half of the OSC_SUBSCRIBERS places, and readers never have the last one. If no place is free
 * for a writer, the reader whose lease ends first loses it; /sub/ack 2 tells that reader. */
bool osc_out_subscribe(struct osc_out *out, const struct osc_sender *by, const struct inet_address *to,
                       enum stream stream, uint32_t divisor, bool doubles);
/* Ends the lease. Returns false if there is none, or if it is not the sender's. */
bool osc_out_unsubscribe(struct osc_out *out, const struct osc_sender *by, const struct inet_address *to,
                         enum stream stream);
/* Renews all leases of the sender. */
void osc_out_renew(struct osc_out *out, const struct osc_sender *by);
/* Renews all leases of the sender. Returns false if the count equals the last one: the client's program hangs. */
bool osc_out_heartbeat(struct osc_out *out, const struct osc_sender *by, int32_t count);

#endif
