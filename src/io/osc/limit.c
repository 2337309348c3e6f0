/* SPDX-License-Identifier: MIT */
#include "osc/limit.h"

#include "rt/clock.h"

/* The part of the bucket that is spent at this time. */
static uint64_t spent_now(const struct osc_bucket *b, uint64_t rate, uint64_t now_ns)
{
  const uint64_t gone = now_ns > b->t_ns ? now_ns - b->t_ns : 0;
  if (gone >= NS_PER_S) return 0;
  const uint64_t refilled = gone * rate / NS_PER_S;
  return b->spent > refilled ? b->spent - refilled : 0;
}

bool osc_bucket_take(struct osc_bucket *b, uint64_t cost, uint64_t rate, uint64_t now_ns)
{
  const uint64_t now_spent = spent_now(b, rate, now_ns);
  if (now_spent + cost > rate) return false;
  b->spent = now_spent + cost;
  b->t_ns = now_ns;
  return true;
}

/* The bucket of the host; without one, a bucket that has refilled, which equals a new one; without that, the shared
 * bucket. */
struct osc_bucket *osc_limit_bucket(struct osc_limit *l, const struct inet_address *host, uint64_t rate,
                                    uint64_t now_ns)
{
  struct osc_bucket *idle = NULL;
  for (int i = 0; i < OSC_LIMIT_HOSTS; i++) {
    struct osc_bucket *b = &l->bucket[i];
    if (b->t_ns && inet_address_same_host(&b->host, host)) return b;
    if (!idle && spent_now(b, rate, now_ns) == 0) idle = b;
  }
  if (!idle) return &l->bucket[OSC_LIMIT_HOSTS];
  *idle = (struct osc_bucket){.host = *host, .t_ns = now_ns};
  return idle;
}

bool osc_limit_allows(struct osc_limit *l, const struct inet_address *to, size_t request, size_t answer,
                      uint64_t now_ns)
{
  if (answer <= OSC_LIMIT_FREE * request) return true;
  struct osc_bucket *b = osc_limit_bucket(l, to, OSC_LIMIT_BYTES, now_ns);
  return osc_bucket_take(b, answer - OSC_LIMIT_FREE * request, OSC_LIMIT_BYTES, now_ns);
}

bool osc_budget_allows(struct osc_budget *b, const struct inet_address *to, bool reader)
{
  int i = 0;
  while (i < b->hosts && !inet_address_same_host(&b->host[i].host, to)) i++;
  if (i == b->hosts) {
    if (i == OSC_ANSWERS_HOSTS) return false;
    b->host[i].host = *to;
    b->host[i].answers = 0;
    b->hosts++;
  }
  if (b->host[i].answers >= OSC_ANSWERS_HOST || (reader && b->readers >= OSC_ANSWERS_READERS)) return false;
  b->host[i].answers++;
  b->readers += reader;
  return true;
}
