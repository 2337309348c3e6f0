/* SPDX-License-Identifier: MIT */
#include "transport/stream_arrival.h"

void stream_begin(struct stream_arrival *a, uint64_t empty_ns)
{
  *a = (struct stream_arrival){.empty_ns = empty_ns, .from_ns = empty_ns};
}

void stream_seen_empty(struct stream_arrival *a, uint64_t at_ns)
{
  if (at_ns > a->empty_ns) a->empty_ns = at_ns;
  a->queued = 0;
}

/* Bytes that a read leaves in the queue arrived after the bytes before them. If a sender never lets the queue run
 * empty, its values are thus as old as the queue is long, and not as old as the connection. */
static void mark_queue(struct stream_arrival *a, const struct stream_read *r)
{
  if (a->queued > r->bytes) {
    a->queued -= r->bytes;
    return;
  }
  if (a->queued > 0) a->empty_ns = a->queued_ns;
  a->queued = r->left;
  a->queued_ns = r->start_ns;
}

void stream_take(struct stream_arrival *a, const struct stream_read *r)
{
  if (!r->behind) a->from_ns = a->empty_ns;
  a->last_ns = 0;
  if (r->left > 0) {
    mark_queue(a, r);
    return;
  }
  if (r->kernel_ns) a->last_ns = r->kernel_ns > a->empty_ns ? r->kernel_ns : a->empty_ns;
  stream_seen_empty(a, r->start_ns);
}

uint64_t stream_stamp(struct stream_arrival *a, bool ends)
{
  const uint64_t t_ns = ends && a->last_ns ? a->last_ns : a->from_ns;
  a->given_ns = t_ns > a->given_ns ? t_ns : a->given_ns + 1;
  return a->given_ns;
}
