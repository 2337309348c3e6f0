/* SPDX-License-Identifier: MIT */
#include "io/osc_out.h"
#include "rt/clock.h"

#include <errno.h>
#include <netdb.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct receiver {
  struct osc_address to;
  int fd; /* connected, of a fixed target: the kernel then reports that nobody listens; -1: a subscriber */
  unsigned streams; /* 0: free place */
  uint32_t divisor;
  bool doubles;
  uint64_t next_cycle; /* the next one to send; skipped cycles delay it, never cancel it */
  uint64_t lease_end_ns;
};

struct osc_out {
  const struct osc_config *config;
  struct counters *counters;
  int fd;
  struct osc_state *state[2],
      *loop[2];              /* bodies and sensors; figures of the loop: 32-bit and 64-bit profile */
  const struct frame *frame; /* the last one; NULL: none yet */
  uint32_t last_state;
  uint64_t next_status_ns;
  int receivers;
  struct receiver receiver[]; /* the fixed targets, then OSC_SUBSCRIBERS places */
};

int osc_address_parse(const char *host, int port, struct osc_address *out)
{
  char service[12];
  snprintf(service, sizeof service, "%d", port);
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICHOST | AI_NUMERICSERV}, *found;
  int code = getaddrinfo(host, service, &hints, &found);
  if (code != 0) return code;
  memset(out, 0, sizeof *out);
  memcpy(&out->name, found->ai_addr, found->ai_addrlen);
  out->length = found->ai_addrlen;
  freeaddrinfo(found);
  return 0;
}

static bool same_address(const struct osc_address *a, const struct osc_address *b)
{
  if (a->name.any.sa_family != b->name.any.sa_family) return false;
  if (a->name.any.sa_family == AF_INET)
    return a->name.v4.sin_port == b->name.v4.sin_port &&
           a->name.v4.sin_addr.s_addr == b->name.v4.sin_addr.s_addr;
  return a->name.v6.sin6_port == b->name.v6.sin6_port &&
         memcmp(&a->name.v6.sin6_addr, &b->name.v6.sin6_addr, sizeof a->name.v6.sin6_addr) == 0;
}

/* A forged source must not turn one packet in into many out. */
static bool may_answer(const struct osc_address *to)
{
  if (to->name.any.sa_family == AF_INET) {
    in_addr_t host = ntohl(to->name.v4.sin_addr.s_addr);
    return to->name.v4.sin_port != 0 && host != INADDR_ANY && host != INADDR_BROADCAST && !IN_MULTICAST(host);
  }
  return to->name.any.sa_family == AF_INET6 && to->name.v6.sin6_port != 0 &&
         !IN6_IS_ADDR_MULTICAST(&to->name.v6.sin6_addr) && !IN6_IS_ADDR_UNSPECIFIED(&to->name.v6.sin6_addr);
}

static void transmit(struct osc_out *out, int fd, const struct osc_address *to, const void *bytes, size_t n)
{
  ssize_t sent = fd >= 0 ? send(fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL)
                         : sendto(out->fd, bytes, n, MSG_DONTWAIT | MSG_NOSIGNAL, &to->name.any, to->length);
  counter_add(sent >= 0 ? &out->counters->osc_sent : &out->counters->osc_send_errors, 1);
}

static void count_clients(struct osc_out *out)
{
  uint64_t n = 0;
  for (int i = 0; i < out->receivers; i++) n += out->receiver[i].streams != 0;
  counter_set(&out->counters->osc_clients, n);
}

static bool open_target(struct receiver *r, const struct osc_target *t, char *error, size_t size)
{
  *r = (struct receiver){
      .fd = -1, .divisor = t->divisor > 0 ? (uint32_t)t->divisor : 1, .doubles = t->doubles};
  const char *reason = NULL;
  int code = osc_address_parse(t->host, t->port, &r->to);
  if (code != 0) {
    reason = gai_strerror(code);
  } else {
    r->fd = socket(r->to.name.any.sa_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (r->fd < 0 || connect(r->fd, &r->to.name.any, r->to.length) != 0) reason = strerror(errno);
  }
  if (reason) {
    snprintf(error, size, "cannot send OSC to %s port %d: %s", t->host, t->port, reason);
    return false;
  }
  r->streams = OSC_STREAM_STATE | OSC_STREAM_STATUS;
  r->lease_end_ns = UINT64_MAX;
  return true;
}

struct osc_out *osc_out_new(const struct osc_config *config, const struct signals *signals,
                            struct counters *counters, int fd, char *error, size_t size)
{
  int receivers = config->targets + OSC_SUBSCRIBERS;
  struct osc_out *out = calloc(1, sizeof *out + (size_t)receivers * sizeof out->receiver[0]);
  if (!out) {
    snprintf(error, size, "out of memory");
    return NULL;
  }
  out->config = config;
  out->counters = counters;
  out->fd = fd;
  out->receivers = receivers;
  for (int i = 0; i < receivers; i++) out->receiver[i].fd = -1;

  bool ok = true;
  for (int i = 0; ok && i < 2; i++) {
    out->state[i] = osc_state_new(config->prefix, config->body_name, signals, i == 1, error, size);
    if (out->state[i]) out->loop[i] = osc_state_new(config->prefix, NULL, signals, i == 1, error, size);
    ok = out->loop[i] != NULL;
  }
  for (int i = 0; ok && i < config->targets; i++)
    ok = open_target(&out->receiver[i], &config->target[i], error, size);
  if (!ok) {
    osc_out_free(out);
    return NULL;
  }
  count_clients(out);
  return out;
}

void osc_out_free(struct osc_out *out)
{
  if (!out) return;
  for (int i = 0; i < out->receivers; i++)
    if (out->receiver[i].fd >= 0) close(out->receiver[i].fd);
  for (int i = 0; i < 2; i++) {
    osc_state_free(out->state[i]);
    osc_state_free(out->loop[i]);
  }
  free(out);
}

static lo_message status_message(const struct osc_out *out)
{
  static const struct frame none = {.state = STATE_INIT, .input_age_ms = UINT32_MAX};
  const struct frame *f = out->frame ? out->frame : &none;
  lo_message m = lo_message_new();
  if (!m) return NULL;
  lo_message_add_string(m, run_state_name(f->state));
  lo_message_add_int32(m, (int32_t)f->state);
  lo_message_add_float(m, (float)(out->config->period * 1e3));
  lo_message_add_float(m, (float)f->last_cycle_us);
  lo_message_add_float(m, (float)f->max_cycle_us);
  lo_message_add_int32(m, f->misses > INT32_MAX ? INT32_MAX : (int32_t)f->misses);
  lo_message_add_int32(m, f->input_age_ms > INT32_MAX ? -1 : (int32_t)f->input_age_ms);
  lo_message_add_int32(m, (int32_t)f->fault);
  lo_message_add_int32(m, (int32_t)counter_get(&out->counters->osc_clients));
  return m;
}

/* Serialises to PREFIX/address and frees m; 0 if m is NULL or too long for a datagram. */
static size_t put_and_free(const struct osc_out *out, const char *address, lo_message m,
                           uint8_t bytes[OSC_DATAGRAM])
{
  if (!m) return 0;
  char whole[OSC_PREFIX_MAX + 16];
  snprintf(whole, sizeof whole, "%s/%s", out->config->prefix, address);
  size_t n = osc_put_message(m, whole, bytes, OSC_DATAGRAM);
  lo_message_free(m);
  return n;
}

void osc_out_answer(struct osc_out *out, const struct osc_address *to, const char *address, lo_message m)
{
  uint8_t bytes[OSC_DATAGRAM];
  size_t n = put_and_free(out, address, m, bytes);
  if (n > 0 && may_answer(to)) transmit(out, -1, to, bytes, n);
}

void osc_out_status(struct osc_out *out, const struct osc_address *to)
{
  osc_out_answer(out, to, "status", status_message(out));
}

static void send_status(struct osc_out *out)
{
  uint8_t bytes[OSC_DATAGRAM];
  size_t n = put_and_free(out, "status", status_message(out), bytes);
  for (int i = 0; n > 0 && i < out->receivers; i++) {
    const struct receiver *r = &out->receiver[i];
    if (r->streams & OSC_STREAM_STATUS) transmit(out, r->fd, &r->to, bytes, n);
  }
}

static void send_packets(struct osc_out *out, const struct receiver *r, const struct osc_state *st)
{
  for (int k = 0; k < st->packets; k++) transmit(out, r->fd, &r->to, st->packet[k].bytes, st->packet[k].size);
}

/* Each profile is filled once, if anybody wants it. */
static struct osc_state *filled(struct osc_state *st, bool *done, const struct frame *frame)
{
  if (!*done) osc_state_fill(st, frame);
  *done = true;
  return st;
}

static void send_state(struct osc_out *out)
{
  bool state[2] = {false, false}, loop[2] = {false, false};
  uint64_t cycle = out->frame->cycle;
  if (cycle == 0) return; /* the loop stands still before its first frame */
  for (int i = 0; i < out->receivers; i++) {
    struct receiver *r = &out->receiver[i];
    const bool d = r->doubles;
    if (!(r->streams & (OSC_STREAM_STATE | OSC_STREAM_LOOP)) || cycle < r->next_cycle) continue;
    r->next_cycle = (cycle / r->divisor + 1) * r->divisor;
    if (r->streams & OSC_STREAM_STATE) send_packets(out, r, filled(out->state[d], &state[d], out->frame));
    if (r->streams & OSC_STREAM_LOOP) send_packets(out, r, filled(out->loop[d], &loop[d], out->frame));
  }
}

void osc_out_frame(struct osc_out *out, const struct frame *frame, uint64_t now_ns)
{
  bool changed = !out->frame || out->last_state != frame->state;
  out->frame = frame;
  out->last_state = frame->state;
  send_state(out);
  if (changed || now_ns >= out->next_status_ns) {
    send_status(out);
    out->next_status_ns = now_ns + NS_PER_S;
  }
}

void osc_out_expire(struct osc_out *out, uint64_t now_ns)
{
  for (int i = out->config->targets; i < out->receivers; i++)
    if (out->receiver[i].lease_end_ns < now_ns) out->receiver[i].streams = 0;
  count_clients(out);
}

static struct receiver *find_subscriber(struct osc_out *out, const struct osc_address *to, unsigned streams)
{
  for (int i = out->config->targets; i < out->receivers; i++) {
    struct receiver *r = &out->receiver[i];
    if (r->streams == streams && (streams == 0 || same_address(&r->to, to))) return r;
  }
  return NULL;
}

bool osc_out_subscribe(struct osc_out *out, const struct osc_address *to, unsigned streams, uint32_t divisor,
                       bool doubles, uint64_t now_ns)
{
  if (!may_answer(to)) return false;
  struct receiver *r = find_subscriber(out, to, streams);
  if (!r) r = find_subscriber(out, to, 0);
  if (!r) return false;
  *r = (struct receiver){.to = *to,
                         .fd = -1,
                         .streams = streams,
                         .divisor = divisor,
                         .doubles = doubles,
                         .lease_end_ns = now_ns + OSC_LEASE_S * NS_PER_S};
  count_clients(out);
  return true;
}

bool osc_out_unsubscribe(struct osc_out *out, const struct osc_address *to, unsigned streams)
{
  struct receiver *r = find_subscriber(out, to, streams);
  if (!r) return false;
  r->streams = 0;
  count_clients(out);
  return true;
}
