/* SPDX-License-Identifier: MIT
 * Who gets what, and until when. */
#include "io/osc_out_parts.h"
#include "rt/clock.h"

void osc_out_count(struct osc_out *out)
{
  uint64_t n = 0;
  for (int i = 0; i < out->receivers; i++) n += out->receiver[i].streams != 0;
  counter_set(&out->counters->osc_clients, n);
}

unsigned osc_out_bits(const struct osc_out *out, enum stream stream)
{
  if (stream != STREAM_ALL) return 1U << stream;
  const bool sensors = out->state[STREAM_SENSOR][0]->messages > 0;
  return 1U << STREAM_BODY | (sensors ? 1U << STREAM_SENSOR : 0) | 1U << STREAM_STATUS;
}

bool osc_out_has_lease(const struct osc_out *out, const struct osc_address *who)
{
  for (int i = 0; i < out->receivers; i++) {
    const struct osc_receiver *r = &out->receiver[i];
    if (r->streams && (osc_address_same(&r->to, who) || osc_address_same(&r->by, who))) return true;
  }
  return false;
}

void osc_out_expire(struct osc_out *out, uint64_t now_ns)
{
  for (int i = out->config->targets; i < out->receivers; i++) {
    struct osc_receiver *r = &out->receiver[i];
    for (int s = 0; s < STREAMS; s++)
      if (r->lease[s].end_ns < now_ns) r->streams &= ~(1U << s);
  }
  osc_out_count(out);
}

/* NULL: no subscriber. */
static struct osc_receiver *find_subscriber(struct osc_out *out, const struct osc_address *to)
{
  for (int i = out->config->targets; i < out->receivers; i++) {
    struct osc_receiver *r = &out->receiver[i];
    if (r->streams && osc_address_same(&r->to, to)) return r;
  }
  return NULL;
}

static struct osc_receiver *free_place(struct osc_out *out)
{
  for (int i = out->config->targets; i < out->receivers; i++)
    if (!out->receiver[i].streams) return &out->receiver[i];
  return NULL;
}

/* What a fixed target at this address gets already. */
static unsigned sent_anyway(const struct osc_out *out, const struct osc_address *to)
{
  unsigned streams = 0;
  for (int i = 0; i < out->config->targets; i++)
    if (osc_address_same(&out->receiver[i].to, to)) streams |= out->receiver[i].streams;
  return streams;
}

bool osc_out_subscribe(struct osc_out *out, const struct osc_sender *by, const struct osc_address *to,
                       enum stream stream, uint32_t divisor, bool doubles)
{
  /* Its own streams would come back to it as inputs that never grow old. */
  if (!osc_address_may_be_answered(to) || osc_address_reaches(to, out->fd)) return false;
  const unsigned streams = osc_out_bits(out, stream) & ~sent_anyway(out, to);
  if (!streams) return true;
  struct osc_receiver *r = find_subscriber(out, to);
  if (!r) {
    r = free_place(out);
    if (!r) return false;
    *r = (struct osc_receiver){.to = *to, .fd = -1};
  }
  r->by = by->at;
  osc_receiver_lease(r, streams, divisor, doubles, by->now_ns + OSC_LEASE_S * NS_PER_S);
  osc_out_count(out);
  return true;
}

bool osc_out_unsubscribe(struct osc_out *out, const struct osc_address *to, enum stream stream)
{
  struct osc_receiver *r = find_subscriber(out, to);
  if (!r || !(r->streams & osc_out_bits(out, stream))) return false;
  r->streams &= ~osc_out_bits(out, stream);
  osc_out_count(out);
  return true;
}

bool osc_out_heartbeat(struct osc_out *out, const struct osc_sender *by, int32_t count)
{
  for (int i = out->config->targets; i < out->receivers; i++) {
    struct osc_receiver *r = &out->receiver[i];
    if (!r->streams || !osc_address_same(&r->by, &by->at)) continue;
    if (r->beaten && r->count == count) return false;
    r->beaten = true;
    r->count = count;
    for (int s = 0; s < STREAMS; s++)
      if (r->streams >> s & 1) r->lease[s].end_ns = by->now_ns + OSC_LEASE_S * NS_PER_S;
  }
  return true;
}
