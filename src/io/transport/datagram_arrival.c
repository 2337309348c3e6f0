/* SPDX-License-Identifier: MIT */
#include "transport/datagram_arrival.h"

/* Slewing by 500 ppm separates the clocks by this much in 2 s; a clock that is set moves farther. */
static const int64_t STEP_NS = 1000000;

void datagram_arrival_begin(struct datagram_arrival *a, uint64_t now_ns, uint64_t wall_ns)
{
  const int64_t offset_ns = (int64_t)(now_ns - wall_ns);
  const int64_t change = offset_ns - a->offset_ns;
  a->stepped |= a->known && (change > STEP_NS || change < -STEP_NS);
  a->offset_ns = offset_ns;
  a->known = true;
}

uint64_t datagram_arrival_of(struct datagram_arrival *a, uint64_t stamp_ns, uint64_t now_ns)
{
  /* Without a trustworthy stamp assume the greatest possible age: an old value must not pass for a fresh one. */
  uint64_t t_ns = a->empty_ns ? a->empty_ns : now_ns;
  if (stamp_ns && !a->stepped) {
    const int64_t at_ns = (int64_t)stamp_ns + a->offset_ns;
    if (at_ns > (int64_t)t_ns || a->empty_ns == 0) t_ns = at_ns > 0 ? (uint64_t)at_ns : 1;
  }
  if (t_ns > now_ns) t_ns = now_ns;
  if (t_ns <= a->last_ns) t_ns = a->last_ns + 1;
  a->last_ns = t_ns;
  return t_ns;
}

void datagram_arrival_empty(struct datagram_arrival *a, uint64_t now_ns)
{
  a->empty_ns = now_ns;
  a->stepped = false;
}
