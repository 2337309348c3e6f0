/* SPDX-License-Identifier: MIT */
#include "io/osc_limit.h"

#include "rt/clock.h"

/* What is still spent of the bucket. */
static uint64_t spent(const struct osc_bucket *b, uint64_t now_ns)
{
  const uint64_t gone = now_ns > b->t_ns ? now_ns - b->t_ns : 0;
  if (gone >= NS_PER_S) return 0;
  const uint64_t refilled = gone * OSC_LIMIT_BYTES / NS_PER_S;
  return b->spent > refilled ? b->spent - refilled : 0;
}

/* That of the host; else one that is full again, which is as good as new; else the shared one. */
static struct osc_bucket *find(struct osc_limit *l, const struct osc_address *host, uint64_t now_ns)
{
  struct osc_bucket *idle = NULL;
  for (int i = 0; i < OSC_LIMIT_HOSTS; i++) {
    struct osc_bucket *b = &l->bucket[i];
    if (b->t_ns && osc_address_same_host(&b->host, host)) return b;
    if (!idle && spent(b, now_ns) == 0) idle = b;
  }
  if (!idle) return &l->bucket[OSC_LIMIT_HOSTS];
  *idle = (struct osc_bucket){.host = *host, .t_ns = now_ns};
  return idle;
}

bool osc_limit_allows(struct osc_limit *l, const struct osc_address *to, size_t request, size_t answer,
                      uint64_t now_ns)
{
  if (answer <= OSC_LIMIT_FREE * request) return true;
  const uint64_t cost = answer - OSC_LIMIT_FREE * request;
  struct osc_bucket *b = find(l, to, now_ns);
  const uint64_t now_spent = spent(b, now_ns);
  if (now_spent + cost > OSC_LIMIT_BYTES) return false;
  b->spent = now_spent + cost;
  b->t_ns = now_ns;
  return true;
}
