/* SPDX-License-Identifier: MIT
 * What OSC understands: turns the messages of a datagram into inputs, commands and answers, and refuses what is not clean.
 *
 * The inputs of one datagram reach the loop in the same cycle. Addresses are compared literally: a pattern is just an unknown
 * address, because a command has to name what it means. Time tags are ignored: what arrives, counts now. */
#ifndef IO_OSC_IN_H
#define IO_OSC_IN_H

#include "io/osc_out.h"

struct osc_in;

/* Set-up. NULL when out of memory. */
struct osc_in *osc_in_new(const struct osc_config *config, const struct osc_space *space,
                          const struct signals *signals, struct port *port, struct counters *counters,
                          struct osc_out *out);
void osc_in_free(struct osc_in *in);

/* One datagram of n bytes (n > OSC_IN_MAX: it was cut off), received now_ns. Does not allocate. */
void osc_in_packet(struct osc_in *in, const uint8_t *bytes, size_t n, const struct osc_address *from,
                   uint64_t now_ns);

/* Passes answers of the loop on to those who sent the commands, `most` of them at most. */
void osc_in_answers(struct osc_in *in, uint32_t most);

#endif
