/* SPDX-License-Identifier: MIT
 * A datagram that waits for no other one: both looks at it, one after the other. */
#ifndef TEST_OSC_PACKET_H
#define TEST_OSC_PACKET_H

#include "osc/in.h"

static inline void osc_in_packet(struct osc_in *in, const uint8_t *bytes, size_t n,
                                 const struct inet_address *from, uint64_t t_ns)
{
  const enum access access = osc_in_access(in, from);
  if (access == ACCESS_NONE) return;
  osc_in_estop(in, bytes, n, from, t_ns);
  osc_in_datagram(in, bytes, n, from, access, t_ns);
}

#endif
