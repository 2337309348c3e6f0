/* SPDX-License-Identifier: MIT
 * The steps of a daemon in lockstep, over a network that loses, doubles, delays and reorders datagrams: a step is asked
 * for again, with its number, until its answer and the frame of its cycle are there. */
#include "osc.h"

#include "rt/clock.h"

#include <arpa/inet.h>
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static const uint64_t AGAIN_LEAST_NS = NS_PER_S / 200, AGAIN_MOST_NS = NS_PER_S / 5;

/* --- datagrams --- */

void osc_bundle_begin(struct daemon *d)
{
  static const uint8_t head[16] = "#bundle\0\0\0\0\0\0\0\0\1"; /* at once */
  memcpy(d->bytes, head, sizeof head);
  d->size = sizeof head;
}

bool osc_bundle_add(struct daemon *d, const struct osc_writer *w)
{
  const uint32_t size = htonl((uint32_t)w->size);
  if (!osc_written(w) || d->size + 4 + w->size > sizeof d->bytes) return false;
  memcpy(d->bytes + d->size, &size, 4);
  memcpy(d->bytes + d->size + 4, w->bytes, w->size);
  d->size += 4 + w->size;
  return true;
}

/* A datagram that cannot be sent counts as lost. */
void osc_bundle_send(const struct participant *p)
{
  const struct daemon *d = (const struct daemon *)p->state;
  if (send(p->fd, d->bytes, d->size, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == ECONNREFUSED)
    (void)!send(p->fd, d->bytes, d->size,
                MSG_NOSIGNAL | MSG_DONTWAIT); /* an earlier datagram had this error */
}

void osc_begin_message(const struct daemon *d, struct osc_writer *w, const char *tail, const char *types)
{
  char address[OSC_PREFIX_MAX + 80];
  snprintf(address, sizeof address, "%s/%s", d->settings->osc.prefix, tail);
  osc_write_at(w, address, types);
}

const char *osc_result_text(int32_t result)
{
  static const char *const text[] = {"done",
                                     "it is not RUNNING",
                                     "its file does not let this host write",
                                     "bad argument",
                                     "a required input is not fresh",
                                     "it makes steps of another client, or its queue is full",
                                     "too soon after a stop"};
  return result >= 0 && result < (int32_t)(sizeof text / sizeof *text) ? text[result] : "unknown result";
}

void osc_subscribe(struct participant *p)
{
#define STREAM_WORD(id, word) [id] = (word),
  static const char *const words[] = {STREAM_LIST(STREAM_WORD)};
#undef STREAM_WORD
  struct daemon *d = daemon_of(p);
  struct osc_writer w;
  if (!d->streams) return;
  osc_bundle_begin(d);
  for (int s = 0; s < STREAMS_PACKED; s++) {
    if (!(d->streams >> s & 1)) continue;
    osc_begin_message(d, &w, "sub", "siii");
    osc_write_s(&w, words[s]);
    osc_write_i(&w, 0); /* to the port of this socket */
    osc_write_i(&w, 1); /* every cycle */
    osc_write_i(&w, 1); /* 64-bit numbers */
    osc_bundle_add(d, &w);
  }
  osc_bundle_send(p);
}

/* --- asking for a step --- */

static double input_value(const struct participant *p, int signal)
{
  for (int i = 0; i < p->in.count; i++)
    if (p->in.slot[i].signal == signal) return p->in.slot[i].value;
  return 0.0; /* no wire goes to this channel */
}

static void add_input_message(struct participant *p, const struct osc_node *n)
{
  struct osc_writer w;
  char types[64];
  memset(types, 'd', sizeof types);
  types[n->count < (int)sizeof types ? n->count : (int)sizeof types - 1] = '\0';
  osc_write_at(&w, n->address, types);
  for (int k = 0; k < n->count; k++)
    osc_write_d(&w, input_value(p, daemon_of(p)->space->value[n->first + k].signal));
  osc_bundle_add(daemon_of(p), &w);
}

void osc_send_inputs(struct participant *p, const bool *due)
{
  struct daemon *d = daemon_of(p);
  int count = 0;
  osc_bundle_begin(d);
  for (int i = 0; i < d->sinks; i++) {
    if (!due[i]) continue;
    add_input_message(p, d->sink[i]);
    count++;
  }
  if (count > 0) osc_bundle_send(p);
}

/* The inputs and the step, in one datagram, so that they act together. */
static void send_inputs_and_step(struct participant *p)
{
  struct daemon *d = daemon_of(p);
  struct osc_writer w;
  osc_bundle_begin(d);
  for (int i = 0; i < d->sinks; i++) add_input_message(p, d->sink[i]);
  osc_begin_message(d, &w, "step", "ii");
  osc_write_i(&w, p->steps);
  osc_write_i(&w, d->request);
  osc_bundle_add(d, &w);
  osc_bundle_send(p);
}

static void osc_begin(struct participant *p)
{
  struct daemon *d = daemon_of(p);
  d->request++;
  d->stepped = d->asked = false;
  send_inputs_and_step(p);
  d->asked = true;
  d->sent_ns = clock_now_ns();
  const uint64_t wait_ns = 3 * d->answer_ns;
  d->wait_ns = wait_ns < AGAIN_LEAST_NS ? AGAIN_LEAST_NS : wait_ns > AGAIN_MOST_NS ? AGAIN_MOST_NS : wait_ns;
  p->again_ns = d->sent_ns + d->wait_ns;
  p->progress = WAITS;
}

/* Subscriptions end after ten seconds of silence, which a pause of either machine may bring. */
static void osc_again(struct participant *p)
{
  struct daemon *d = daemon_of(p);
  osc_subscribe(p);
  send_inputs_and_step(p);
  d->sent_ns = 0; /* the time of the answer tells nothing any more */
  d->wait_ns = d->wait_ns * 3 / 2 > AGAIN_MOST_NS ? AGAIN_MOST_NS : d->wait_ns * 3 / 2;
  p->again_ns = clock_now_ns() + d->wait_ns;
}

/* --- answers --- */

/* Values of the newest frame replace older ones. */
static void take_values(struct participant *p, const struct osc_raw *m, uint64_t cycle)
{
  struct daemon *d = daemon_of(p);
  bool parsed = false;
  for (int i = 0; i < p->out.count; i++) {
    const struct place_in_frame *at = &d->place[i];
    struct slot *s = &p->out.slot[i];
    if (cycle < s->cycle || strcmp(at->node->address, m->address) != 0) continue;
    if (!parsed) osc_arguments(m, &d->arguments);
    parsed = true;
    if (d->arguments.count != at->node->count || !osc_is_number(d->arguments.types[at->argument])) {
      participant_fail(p, "it sends %s with %d values in place of %d: it runs another file than %s",
                       m->address, d->arguments.count, at->node->count, p->path);
      return;
    }
    s->value = osc_number(&d->arguments, at->argument);
    s->cycle = cycle;
  }
}

static void take_stepped(struct participant *p)
{
  struct daemon *d = daemon_of(p);
  if (!osc_types_are(&d->arguments, "ihi") || osc_integer(&d->arguments, 0) != d->request || d->stepped)
    return;
  const uint64_t cycle = (uint64_t)osc_long(&d->arguments, 1);
  if (d->cycle && cycle != d->cycle + (uint64_t)p->steps)
    participant_fail(
        p,
        "it is in cycle %llu in place of %llu: another client sent step, reset or load, or it was restarted",
        (unsigned long long)cycle, (unsigned long long)(d->cycle + (uint64_t)p->steps));
  d->cycle = cycle;
  d->stepped = true;
  p->silent_ns = 0;
}

static void take_ack(struct participant *p)
{
  struct daemon *d = daemon_of(p);
  if (!osc_types_are(&d->arguments, "sii")) return;
  /* Refused inputs have no request number. */
  const char *command = osc_string(&d->arguments, 0);
  const int32_t request = osc_integer(&d->arguments, 1), result = osc_integer(&d->arguments, 2);
  if (strcmp(command, "input") == 0 && p->paced)
    d->refusals++;
  else if (strcmp(command, "input") == 0)
    participant_fail(p, "another client owns an input; it is free 1 s after that client's last message");
  if (request != d->request) return;
  if (strcmp(command, "reset") == 0) d->result = result;
  if (strcmp(command, "step") != 0 || !d->asked || result == 0) return;
  if (result == 2)
    participant_fail(
        p, "it refuses a step: another client owns an input, or its file does not let this host write");
  else
    participant_fail(p, "it refuses a step: %s", osc_result_text(result));
}

static void take_osc_message(struct participant *p, const struct osc_raw *m, uint64_t *cycle)
{
  struct daemon *d = daemon_of(p);
  const size_t prefix = strlen(d->settings->osc.prefix);
  if (!m->known || strncmp(m->address, d->settings->osc.prefix, prefix) != 0) return;
  const char *tail = m->address + prefix;
  /* The head of a frame comes before its values. */
  if (strcmp(tail, "/hdr") == 0) {
    osc_arguments(m, &d->arguments);
    if (!osc_types_are(&d->arguments, "hdiiii")) return;
    *cycle = (uint64_t)osc_long(&d->arguments, 0);
    if (*cycle < d->head_cycle) return;
    d->head_cycle = *cycle;
    d->head_time = osc_number(&d->arguments, 1);
    d->head_state = osc_integer(&d->arguments, 2);
  } else if (strcmp(tail, "/stepped") == 0) {
    osc_arguments(m, &d->arguments);
    take_stepped(p);
  } else if (strcmp(tail, "/ack") == 0) {
    osc_arguments(m, &d->arguments);
    take_ack(p);
  } else if (strcmp(tail, "/status") == 0) {
    osc_arguments(m, &d->arguments);
    if (d->arguments.count) snprintf(d->status, sizeof d->status, "%s", osc_string(&d->arguments, 0));
  } else if (strcmp(tail, "/sub/ack") == 0) {
    osc_arguments(m, &d->arguments);
    if (osc_types_are(&d->arguments, "si")) d->result = osc_integer(&d->arguments, 1);
  } else if (*cycle) {
    take_values(p, m, *cycle);
  }
}

bool osc_take(struct participant *p)
{
  static uint8_t bytes[65536];
  struct daemon *d = daemon_of(p);
  for (ssize_t n; p->progress != FAILED && (n = recv(p->fd, bytes, sizeof bytes, MSG_DONTWAIT)) != -1;) {
    uint64_t cycle = 0;
    if (n > OSC_SENT_MAX || !osc_parse(bytes, (size_t)n, &d->parsed)) continue;
    for (int i = 0; i < d->parsed.messages && p->progress != FAILED; i++)
      take_osc_message(p, &d->parsed.message[i], &cycle);
  }
  return p->progress != FAILED;
}

/* --- a whole step --- */

static bool is_complete(const struct participant *p)
{
  const struct daemon *d = (const struct daemon *)p->state;
  if (!d->stepped || d->head_cycle != d->cycle) return false;
  for (int i = 0; i < p->out.count; i++)
    if (p->out.slot[i].cycle != d->cycle) return false;
  return true;
}

/* A reset in the turn of a step leaves the count of cycles as expected, and the time jumps. */
static bool check_time(struct participant *p)
{
  struct daemon *d = daemon_of(p);
  const double step = p->period * p->steps;
  if (d->made++ == 0) d->first_time = d->head_time;
  p->time = (double)d->made * step;
  const double expected = d->first_time + (double)(d->made - 1) * step;
  return fabs(d->head_time - expected) < 0.25 * p->period ||
         participant_fail(p, "its time is %.9g s in place of %.9g s: another client sent reset or load",
                          d->head_time, expected);
}

static enum progress osc_receive(struct participant *p)
{
  struct daemon *d = daemon_of(p);
  if (!osc_take(p)) return FAILED;
  if (!is_complete(p)) {
    /* A frame after that of the step: somebody else asked for one. */
    if (d->stepped && d->head_cycle > d->cycle) {
      participant_fail(p, "it is in cycle %llu in place of %llu: another client sent step, reset or load",
                       (unsigned long long)d->head_cycle, (unsigned long long)d->cycle);
      return FAILED;
    }
    if (d->stepped)
      snprintf(p->trouble, sizeof p->trouble, "it made the step, but its frame is not complete");
    return WAITS;
  }
  if (d->sent_ns) d->answer_ns = (7 * d->answer_ns + (clock_now_ns() - d->sent_ns)) / 8;
  p->trouble[0] = '\0';
  p->known = true;
  p->progress = check_time(p) ? DONE : FAILED;
  return p->progress;
}

static void osc_close(struct participant *p)
{
  struct daemon *d = daemon_of(p);
  if (p->fd >= 0) close(p->fd);
  if (!d) return;
  osc_space_free(d->space);
  if (d->settings) settings_free(d->settings);
  free(d->place);
  free(d->sink);
  free(d);
}

const struct participant_kind osc_kind = {osc_describe, osc_find,  osc_connect, osc_start,
                                          osc_begin,    osc_again, osc_receive, osc_close};
