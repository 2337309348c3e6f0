/* SPDX-License-Identifier: MIT
 * Turns the messages of a datagram into inputs, commands and answers, and refuses malformed ones.
 *
 * The inputs of one datagram reach the loop in one cycle. Addresses are compared literally: a pattern is an unknown
 * address, because a command must name its object. Time tags are ignored: a value counts on arrival, because the clocks of
 * two hosts may differ by more than the age at which an input is stale. */
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

/* The rights of a sender. A sender without rights is counted. */
enum access osc_in_access(struct osc_in *in, const struct inet_address *from);

/* First look at a datagram of n bytes (n > OSC_IN_MAX: it was cut off there) that arrived at t_ns from a sender that may
 * read: an e-stop in it acts at once, however many datagrams wait, and whether or not the datagram is well-formed. No
 * command that came earlier can lift this e-stop. Does not allocate. */
void osc_in_estop(struct osc_in *in, const uint8_t *bytes, size_t n, const struct inet_address *from,
                  uint64_t t_ns);

/* Serves the rest of the datagram (n > OSC_IN_MAX: the datagram was cut off). Does not allocate. */
void osc_in_datagram(struct osc_in *in, const uint8_t *bytes, size_t n, const struct inet_address *from,
                     enum access access, uint64_t t_ns);

/* Passes at most `most` answers of the loop on to the senders of the commands. */
void osc_in_answers(struct osc_in *in, uint32_t most);
/* Tells the receivers of the stream status which inputs have another state, limit or owner in the newest frame. */
void osc_in_conditions(struct osc_in *in, uint64_t now_ns);
/* Sends on what the parameter server has replied. Call it before osc_in_answers(), which answers syncs. */
void osc_in_replies(struct osc_in *in);

#endif
