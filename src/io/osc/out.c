/* SPDX-License-Identifier: MIT */
#include "osc/out.h"

#include "osc/out_parts.h"
#include "rt/clock.h"
#include "signals/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* --- receivers --- */

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

bool osc_out_has_lease(const struct osc_out *out, const struct inet_address *who)
{
  for (int i = 0; i < out->receivers; i++) {
    const struct osc_receiver *r = &out->receiver[i];
    if (r->streams && (inet_address_same(&r->to, who) || inet_address_same(&r->by, who))) return true;
  }
  return false;
}

/* --- set-up --- */

static bool open_targets(struct osc_out *out, char *error, size_t size)
{
  for (int i = 0; i < out->config->targets; i++) {
    const struct osc_target *t = &out->config->target[i];
    if (!osc_receiver_open(&out->receiver[i], t, osc_out_bits(out, t->stream), error, size)) return false;
    if (!inet_address_reaches(&out->receiver[i].to, &out->own)) continue;
    snprintf(error, size, "cannot send OSC to %s port %d: ali3d itself listens there", t->host, t->port);
    return false;
  }
  return true;
}

static bool has_motion(const struct osc_space *space, enum stream stream)
{
  for (int i = 0; i < space->nodes; i++)
    if (space->node[i].stream == stream && space->node[i].motion) return true;
  return false;
}

static bool make_states(struct osc_out *out, enum stream stream, bool doubles, char *error, size_t size)
{
  struct osc_state **st = &out->state[stream][doubles], **still = &out->still[stream][doubles];
  *st = osc_state_new(out->space, out->config->prefix, stream, doubles, OSC_WHOLE, error, size);
  if (!*st || !has_motion(out->space, stream)) return *st;
  *still = osc_state_new(out->space, out->config->prefix, stream, doubles, OSC_WITHOUT_MOTION, error, size);
  return *still;
}

struct osc_out *osc_out_new(const struct osc_config *config, const struct osc_space *space,
                            const struct signals *signals, struct counters *counters, int fd, char *error,
                            size_t size)
{
  int receivers = config->targets + OSC_SUBSCRIBERS;
  struct osc_out *out = calloc(1, sizeof *out + (size_t)receivers * sizeof out->receiver[0]);
  if (!out) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  out->config = config;
  out->space = space;
  out->signals = signals;
  out->counters = counters;
  out->fd = fd;
  if (!inet_address_of(fd, &out->own)) out->own.name.any.sa_family = AF_UNSPEC; /* matches no address */
  out->receivers = receivers;
  for (int i = 0; i < receivers; i++) out->receiver[i].fd = -1;
  for (int s = 0; s < 2 * STREAMS_PACKED; s++)
    if (!make_states(out, (enum stream)(s / 2), s % 2 == 1, error, size)) goto fail;
  if (!open_targets(out, error, size)) goto fail;
  osc_out_count(out);
  return out;

fail:
  osc_out_free(out);
  return NULL;
}

void osc_out_free(struct osc_out *out)
{
  if (!out) return;
  for (int i = 0; i < out->receivers; i++)
    if (out->receiver[i].fd >= 0) close(out->receiver[i].fd);
  for (int s = 0; s < 2 * STREAMS_PACKED; s++) {
    osc_state_free(out->state[s / 2][s % 2]);
    osc_state_free(out->still[s / 2][s % 2]);
  }
  free(out);
}

/* --- status, values, answers --- */

void osc_out_transmit(struct osc_out *out, int fd, const struct inet_address *to, const void *bytes, size_t n)
{
  ssize_t sent = fd >= 0 ? send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL)
                         : sendto(out->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL, &to->name.any, to->length);
  counter_add(sent >= 0 ? &out->counters->osc_sent : &out->counters->osc_send_errors, 1);
}

void osc_out_send(struct osc_out *out, const struct inet_address *to, const struct osc_writer *w)
{
  osc_out_transmit(out, -1, to, w->bytes, w->size);
}

/* -1: no input was set yet. The age saturates at 24.8 days. */
static int32_t shown_age_ms(uint32_t age_ms)
{
  if (age_ms == UINT32_MAX) return -1;
  return age_ms > INT32_MAX ? INT32_MAX : (int32_t)age_ms;
}

static void write_status(const struct osc_out *out, struct osc_writer *w)
{
  static const struct frame none = {.state = STATE_INIT, .input_age_ms = UINT32_MAX};
  const struct frame *f = out->frame ? out->frame : &none;
  osc_write(w, out->config->prefix, OSC_SENT_STATUS);
  osc_write_s(w, run_state_name(f->state));
  osc_write_i(w, (int32_t)f->state);
  osc_write_f(w, out->config->period * 1e3);
  osc_write_f(w, f->last_cycle_us);
  osc_write_f(w, f->max_cycle_us);
  osc_write_i(w, f->misses > INT32_MAX ? INT32_MAX : (int32_t)f->misses);
  osc_write_i(w, shown_age_ms(f->input_age_ms));
  osc_write_i(w, (int32_t)f->fault);
  osc_write_i(w, (int32_t)counter_get(&out->counters->osc_clients));
}

/* The first stale channel of the input that caused the fault; -1: unknown. */
static int32_t channel_at_fault(const struct osc_out *out)
{
  const struct frame *f = out->frame;
  for (int i = 0; f->fault == FAULT_STALE && i < out->signals->inputs && i < 32; i++)
    if ((f->stale_mask >> i & 1) && out->signals->input[i].policy == INPUT_SAFE)
      return out->signals->input[i].first;
  return -1;
}

static void write_fault(const struct osc_out *out, struct osc_writer *w)
{
  osc_write(w, out->config->prefix, OSC_SENT_FAULT);
  osc_write_i(w, (int32_t)out->frame->fault);
  osc_write_i(w, channel_at_fault(out));
  osc_write_s(w, fault_text(out->frame->fault));
}

void osc_out_turn(struct osc_out *out)
{
  out->budget.readers = out->budget.hosts = 0;
}

/* An answer may go to this address. */
static bool may_answer(const struct osc_out *out, const struct inet_address *to, const struct osc_writer *w)
{
  if (!osc_written(w) || !inet_address_may_be_answered(to)) return false;
  return !inet_address_reaches(to, &out->own); /* a forged source: the answer would come back as an input */
}

static void send_within_limit(struct osc_out *out, const struct osc_sender *to, const struct osc_writer *w,
                              bool allowed)
{
  if (allowed && (osc_out_has_lease(out, &to->at) ||
                  osc_limit_allows(&out->limit, &to->at, to->bytes, w->size, to->now_ns)))
    osc_out_send(out, &to->at, w);
  else
    counter_add(&out->counters->osc_withheld, 1);
}

void osc_out_answer(struct osc_out *out, const struct osc_sender *to, const struct osc_writer *w)
{
  if (may_answer(out, &to->at, w))
    send_within_limit(out, to, w, osc_budget_allows(&out->budget, &to->at, !to->writes));
}

void osc_out_owed(struct osc_out *out, const struct osc_sender *to, const struct osc_writer *w)
{
  if (may_answer(out, &to->at, w)) send_within_limit(out, to, w, true);
}

static void write_ack(const struct osc_out *out, struct osc_writer *w, const char *what, int32_t id,
                      unsigned result)
{
  osc_write(w, out->config->prefix, OSC_SENT_ACK);
  osc_write_s(w, what);
  osc_write_i(w, id);
  osc_write_i(w, (int32_t)result);
}

void osc_out_acknowledge(struct osc_out *out, const struct osc_sender *to, const char *what, int32_t id,
                         unsigned result)
{
  struct osc_writer w;
  write_ack(out, &w, what, id, result);
  osc_out_answer(out, to, &w);
}

void osc_out_owed_ack(struct osc_out *out, const struct osc_sender *to, const char *what, int32_t id,
                      unsigned result)
{
  struct osc_writer w;
  write_ack(out, &w, what, id, result);
  osc_out_owed(out, to, &w);
}

void osc_out_status(struct osc_out *out, const struct osc_sender *to)
{
  struct osc_writer w;
  write_status(out, &w);
  osc_out_answer(out, to, &w);
}

static bool withholds_motion(const struct osc_out *out)
{
  return out->frame->flags & FLAG_WITHHELD;
}

void osc_out_values(struct osc_out *out, const struct osc_sender *to, const struct osc_node *node)
{
  char types[MAPPED_ARGUMENTS_MAX + 1] = "";
  if (!out->frame || out->frame->cycle == 0 || node->count > MAPPED_ARGUMENTS_MAX) return;
  if (node->motion && withholds_motion(out)) return;
  memset(types, 'f', (size_t)node->count);
  struct osc_writer w;
  osc_write_at(&w, node->address, types);
  for (int i = 0; i < node->count; i++)
    osc_write_f(&w, osc_space_argument(out->space, node, i, out->frame->values));
  osc_out_answer(out, to, &w);
}

/* --- streams --- */

void osc_out_tell(struct osc_out *out, const struct osc_writer *w)
{
  for (int i = 0; i < out->receivers; i++) {
    const struct osc_receiver *r = &out->receiver[i];
    if (r->streams >> STREAM_STATUS & 1) osc_out_transmit(out, r->fd, &r->to, w->bytes, w->size);
  }
}

static void send_status(struct osc_out *out, bool fault)
{
  struct osc_writer w;
  write_status(out, &w);
  osc_out_tell(out, &w);
  if (!fault) return;
  write_fault(out, &w);
  osc_out_tell(out, &w);
}

/* The streams that are due to a receiver, as bits. Schedules the next cycle of each. */
static unsigned take_due(struct osc_receiver *r, uint64_t cycle)
{
  unsigned due = 0;
  for (int s = 0; s < STREAMS_PACKED; s++) {
    struct osc_lease *l = &r->lease[s];
    if (!(r->streams >> s & 1) || cycle < l->next_cycle) continue;
    l->next_cycle = (cycle / l->divisor + 1) * l->divisor;
    due |= 1U << s;
  }
  return due;
}

static struct osc_state *state_of(const struct osc_out *out, int stream, bool doubles)
{
  struct osc_state *still = out->still[stream][doubles];
  return still && withholds_motion(out) ? still : out->state[stream][doubles];
}

/* Fills a stream of a profile once per frame, and only if somebody receives it. */
static struct osc_state *filled_state(struct osc_out *out, int stream, bool doubles)
{
  struct osc_state *st = state_of(out, stream, doubles);
  if (!out->filled[stream][doubles]) osc_state_fill(st, out->frame);
  out->filled[stream][doubles] = true;
  return st;
}

static int packets_of(const struct osc_out *out, const struct osc_receiver *r, unsigned streams)
{
  int packets = 0;
  for (int s = 0; s < STREAMS_PACKED; s++)
    if (streams >> s & 1) packets += state_of(out, s, r->lease[s].doubles)->packets;
  return packets;
}

/* All packets of a frame are numbered as one set, across streams. Returns false if there was none. */
static bool send_streams(struct osc_out *out, const struct osc_receiver *r, unsigned due)
{
  const int parts = packets_of(out, r, due);
  int part = 0;
  for (int s = 0; s < STREAMS_PACKED; s++) {
    if (!(due >> s & 1)) continue;
    struct osc_state *st = filled_state(out, s, r->lease[s].doubles);
    osc_state_number(st, part, parts);
    for (int k = 0; k < st->packets; k++)
      osc_out_transmit(out, r->fd, &r->to, st->packet[k].bytes, st->packet[k].size);
    part += st->packets;
  }
  return parts > 0;
}

static void send_frame(struct osc_out *out)
{
  const uint64_t cycle = out->frame->cycle;
  if (cycle == 0) return; /* the loop waits before its first frame */
  memset(out->filled, 0, sizeof out->filled);
  bool sent = false;
  for (int i = 0; i < out->receivers; i++) {
    struct osc_receiver *r = &out->receiver[i];
    const unsigned due = take_due(r, cycle);
    sent |= due && send_streams(out, r, due);
  }
  if (sent) counter_add(&out->counters->osc_frames, 1);
}

/* The streams of a receiver that the divisors of its leases give the newest frame, as bits. */
static unsigned shown_streams(const struct osc_out *out, const struct osc_receiver *r)
{
  unsigned streams = 0;
  for (int s = 0; s < STREAMS_PACKED; s++)
    if ((r->streams >> s & 1) && out->frame->cycle % r->lease[s].divisor == 0) streams |= 1U << s;
  return streams;
}

int osc_out_packets(const struct osc_out *out, const struct inet_address *by)
{
  int packets = 0;
  for (int i = out->config->targets; out->frame && i < out->receivers; i++) {
    const struct osc_receiver *r = &out->receiver[i];
    if (r->streams && inet_address_same(&r->by, by)) packets += packets_of(out, r, shown_streams(out, r));
  }
  return packets;
}

void osc_out_frame_again(struct osc_out *out, const struct inet_address *by)
{
  if (!out->frame || out->frame->cycle == 0) return;
  for (int i = out->config->targets; i < out->receivers; i++) {
    const struct osc_receiver *r = &out->receiver[i];
    if (r->streams && inet_address_same(&r->by, by)) send_streams(out, r, shown_streams(out, r));
  }
}

static uint64_t processor_time_ns(void)
{
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return clock_ns(t);
}

void osc_out_frame(struct osc_out *out, const struct frame *frame, uint64_t now_ns)
{
  const uint64_t begin = processor_time_ns();
  const bool fault = out->frame ? frame->fault != out->last_fault : frame->fault != 0;
  const bool changed = !out->frame || out->last_state != frame->state || fault;
  out->frame = frame;
  out->last_state = frame->state;
  out->last_fault = frame->fault;
  send_frame(out);
  if (changed || now_ns >= out->next_status_ns) {
    send_status(out, fault);
    out->next_status_ns = now_ns + NS_PER_S;
  }
  counter_add(&out->counters->osc_send_ns, processor_time_ns() - begin);
}

const struct frame *osc_out_last_frame(const struct osc_out *out)
{
  return out->frame;
}
