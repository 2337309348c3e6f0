/* SPDX-License-Identifier: MIT
 * What OSC sends: the state stream and the status to fixed targets and subscribers, and answers to whoever
 * asked.
 *
 * One ordinary thread owns it all. Nothing here ever waits: a datagram the kernel does not take is counted
 * and lost. */
#ifndef IO_OSC_OUT_H
#define IO_OSC_OUT_H

#include "io/osc.h"
#include "io/osc_encode.h"

#include <lo/lo.h>
#include <netinet/in.h>
#include <sys/socket.h>

struct osc_address {
  union {
    struct sockaddr any;
    struct sockaddr_in v4;
    struct sockaddr_in6 v6;
  } name;
  socklen_t length;
};

/* Numeric host and port to an address. Returns 0 or a code for gai_strerror(). */
int osc_address_parse(const char *host, int port, struct osc_address *out);

/* Streams one can subscribe to, as bits. */
enum osc_stream { OSC_STREAM_STATE = 1, OSC_STREAM_STATUS = 2, OSC_STREAM_LOOP = 4 };
enum { OSC_SUBSCRIBERS = 8, OSC_LEASE_S = 10, OSC_DIVISOR_MAX = 1000 };

struct osc_out;

/* Set-up. fd is the socket listened on; answers leave through it, so that they come from the port that was
 * asked. NULL on failure, the reason in error[size]. */
struct osc_out *osc_out_new(const struct osc_config *config, const struct signals *signals,
                            struct counters *counters, int fd, char *error, size_t size);
void osc_out_free(struct osc_out *out);

/* A new frame: sends what is due to whom it is due. The frame must stay valid until the next call. */
void osc_out_frame(struct osc_out *out, const struct frame *frame, uint64_t now_ns);
/* Ends leases that ran out. */
void osc_out_expire(struct osc_out *out, uint64_t now_ns);

/* Sends a message with the arguments of m to PREFIX/address, and frees m. Silent towards senders that must
 * not be answered: broadcast, multicast, port 0. */
void osc_out_answer(struct osc_out *out, const struct osc_address *to, const char *address, lo_message m);
/* Answers with the status of the last frame. */
void osc_out_status(struct osc_out *out, const struct osc_address *to);

/* Takes or renews the lease of a stream for `to`. False if there is no room for one more or `to` must not be
 * answered. */
bool osc_out_subscribe(struct osc_out *out, const struct osc_address *to, unsigned streams, uint32_t divisor,
                       bool doubles, uint64_t now_ns);
/* Ends the lease; false if there was none. */
bool osc_out_unsubscribe(struct osc_out *out, const struct osc_address *to, unsigned streams);

#endif
