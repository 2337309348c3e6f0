/* SPDX-License-Identifier: MIT
 * Subscriptions: who receives which stream, and until when. */
#include "osc/out_parts.h"
#include "rt/clock.h"

void osc_out_expire(struct osc_out *out, uint64_t now_ns)
{
  for (int i = out->config->targets; i < out->receivers; i++) {
    struct osc_receiver *r = &out->receiver[i];
    for (int s = 0; s < STREAMS; s++)
      if (r->lease[s].end_ns < now_ns) r->streams &= ~(1U << s);
  }
  osc_out_count(out);
}

/* Returns NULL if the address has no subscription. */
static struct osc_receiver *find_subscriber(struct osc_out *out, const struct inet_address *to)
{
  for (int i = out->config->targets; i < out->receivers; i++) {
    struct osc_receiver *r = &out->receiver[i];
    if (r->streams && inet_address_same(&r->to, to)) return r;
  }
  return NULL;
}

/* The subscriber may change the lease. So may the receiver itself, so that nobody else can take its lease first and
 * thin it out. */
static bool may_change_lease(const struct osc_receiver *r, const struct osc_sender *by)
{
  return inet_address_same(&r->by, &by->at) || inet_address_same(&r->to, &by->at);
}

/* Tells a reader that its lease has gone to somebody else. */
static void drop_reader(struct osc_out *out, struct osc_receiver *r)
{
  static const char *const name[STREAM_NONE] = {
#define LEASE_STREAM(id, text) [id] = (text),
      STREAM_LIST(LEASE_STREAM)
#undef LEASE_STREAM
  };
  for (int s = 0; s < STREAMS; s++) {
    struct osc_writer w;
    if (!(r->streams >> s & 1)) continue;
    osc_write(&w, out->config->prefix, OSC_SENT_SUB_ACK);
    osc_write_s(&w, name[s]);
    osc_write_i(&w, RESULT_NOT_AUTHORISED);
    osc_out_send(out, &r->by, &w);
  }
  r->streams = 0;
}

/* The time at which the last lease of the receiver ends. */
static uint64_t end_of(const struct osc_receiver *r)
{
  uint64_t end_ns = 0;
  for (int s = 0; s < STREAMS; s++)
    if ((r->streams >> s & 1) && r->lease[s].end_ns > end_ns) end_ns = r->lease[s].end_ns;
  return end_ns;
}

/* Returns NULL if this sender gets no place. */
static struct osc_receiver *free_place(struct osc_out *out, const struct osc_sender *by)
{
  struct osc_receiver *place = NULL, *idle = NULL;
  int readers = 0, of_host = 0;
  for (int i = out->config->targets; i < out->receivers; i++) {
    struct osc_receiver *r = &out->receiver[i];
    if (!r->streams) {
      place = place ? place : r;
      continue;
    }
    of_host += inet_address_same_host(&r->by, &by->at);
    readers += !r->writes;
    if (!r->writes && (!idle || end_of(r) < end_of(idle))) idle = r;
  }
  if (of_host >= OSC_SUBSCRIBERS / 2) return NULL;
  if (!by->writes) return readers < OSC_SUBSCRIBERS - 1 ? place : NULL;
  if (place || !idle) return place;
  drop_reader(out, idle);
  return idle;
}

/* The streams that a fixed target at this address gets without a subscription. */
static unsigned sent_anyway(const struct osc_out *out, const struct inet_address *to)
{
  unsigned streams = 0;
  for (int i = 0; i < out->config->targets; i++)
    if (inet_address_same(&out->receiver[i].to, to)) streams |= out->receiver[i].streams;
  return streams;
}

bool osc_out_subscribe(struct osc_out *out, const struct osc_sender *by, const struct inet_address *to,
                       enum stream stream, uint32_t divisor, bool doubles)
{
  /* ali3d would receive its own streams as inputs that never grow old. */
  if (!inet_address_may_be_answered(to) || inet_address_reaches(to, &out->own)) return false;
  const unsigned streams = osc_out_bits(out, stream) & ~sent_anyway(out, to);
  if (!streams) return true;
  struct osc_receiver *r = find_subscriber(out, to);
  if (r && !may_change_lease(r, by)) return false;
  if (!r) {
    r = free_place(out, by);
    if (!r) return false;
    *r = (struct osc_receiver){.to = *to, .fd = -1};
  }
  r->by = by->at;
  r->writes = by->writes;
  osc_receiver_lease(r, streams, divisor, doubles, by->now_ns + OSC_LEASE_S * NS_PER_S);
  osc_out_count(out);
  return true;
}

bool osc_out_unsubscribe(struct osc_out *out, const struct osc_sender *by, const struct inet_address *to,
                         enum stream stream)
{
  struct osc_receiver *r = find_subscriber(out, to);
  if (!r || !may_change_lease(r, by) || !(r->streams & osc_out_bits(out, stream))) return false;
  r->streams &= ~osc_out_bits(out, stream);
  osc_out_count(out);
  return true;
}

static void renew_leases(struct osc_receiver *r, uint64_t now_ns)
{
  for (int s = 0; s < STREAMS; s++)
    if (r->streams >> s & 1) r->lease[s].end_ns = now_ns + OSC_LEASE_S * NS_PER_S;
}

void osc_out_renew(struct osc_out *out, const struct osc_sender *by)
{
  for (int i = out->config->targets; i < out->receivers; i++)
    if (inet_address_same(&out->receiver[i].by, &by->at)) renew_leases(&out->receiver[i], by->now_ns);
}

bool osc_out_heartbeat(struct osc_out *out, const struct osc_sender *by, int32_t count)
{
  for (int i = out->config->targets; i < out->receivers; i++) {
    struct osc_receiver *r = &out->receiver[i];
    if (!r->streams || !inet_address_same(&r->by, &by->at)) continue;
    if (r->beaten && r->count == count) return false;
    r->beaten = true;
    r->count = count;
    renew_leases(r, by->now_ns);
  }
  return true;
}
