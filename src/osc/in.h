/* SPDX-License-Identifier: MIT
 * What OSC understands: turns the messages of a datagram into inputs, commands and answers, and refuses what is not clean.
 *
 * The inputs of one datagram reach the loop in the same cycle. Addresses are compared literally: a pattern is just an unknown
 * address, because a command has to name what it means. Time tags are ignored: what arrives, counts now. */
#ifndef OSC_IN_H
#define OSC_IN_H

#include "osc/out.h"
#include "wire/peers.h"

struct osc_in;

/* Set-up. NULL when out of memory. */
struct osc_in *osc_in_new(const struct osc_config *config, const struct osc_space *space,
                          const struct signals *signals, struct port *port, struct counters *counters,
                          struct osc_out *out);
void osc_in_free(struct osc_in *in);

/* The rights of a sender; one without any is counted. */
enum access osc_in_access(struct osc_in *in, const struct inet_address *from);

/* The first look at a datagram of n bytes that came t_ns, whose sender may read at least: an e-stop in it acts now, however much
 * waits to be served before. No command that came earlier can lift it. Does not allocate. */
void osc_in_estop(struct osc_in *in, const uint8_t *bytes, size_t n, const struct inet_address *from,
                  uint64_t t_ns);

/* All the rest of it (n > OSC_IN_MAX: it was cut off). Does not allocate. */
void osc_in_datagram(struct osc_in *in, const uint8_t *bytes, size_t n, const struct inet_address *from,
                     enum access access, uint64_t t_ns);

/* The three above in one, for a datagram that nothing waits before. */
void osc_in_packet(struct osc_in *in, const uint8_t *bytes, size_t n, const struct inet_address *from,
                   uint64_t t_ns);

/* Passes answers of the loop on to those who sent the commands, `most` of them at most. */
void osc_in_answers(struct osc_in *in, uint32_t most);

#endif
