/* SPDX-License-Identifier: MIT
 * What a daemon sends and takes, from its configuration file. */
#include "osc.h"
#include "yaml/nearest.h"

#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Connects a socket to HOST:PORT, or [HOST]:PORT. */
static bool connect_socket(struct participant *p, struct report *r)
{
  char text[300];
  snprintf(text, sizeof text, "%s", p->keys.osc);
  char *colon = strrchr(text, ':'), *host = text;
  size_t length = colon ? (size_t)(colon - text) : 0;
  if (length > 2 && text[0] == '[' && text[length - 1] == ']') {
    host++;
    length -= 2;
  }
  if (colon) host[length] = '\0';
  if (!colon || !length || !colon[1]) {
    report_error(r, p->at, "%s: expected osc: HOST:PORT, found \"%s\"", p->name, p->keys.osc);
    return false;
  }
  /* The first address that is found. */
  struct addrinfo hints = {.ai_socktype = SOCK_DGRAM, .ai_flags = AI_NUMERICSERV}, *found;
  const int code = getaddrinfo(host, colon + 1, &hints, &found);
  if (code == 0) {
    p->fd = socket(found->ai_family, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const bool good = p->fd >= 0 && connect(p->fd, found->ai_addr, found->ai_addrlen) == 0;
    freeaddrinfo(found);
    if (good) return true;
  }
  report_error(r, p->at, "%s: osc %s: %s", p->name, p->keys.osc, code ? gai_strerror(code) : strerror(errno));
  return false;
}

bool osc_describe(struct participant *p, struct report *r)
{
  char error[300];
  struct daemon *d = calloc(1, sizeof *d);
  p->state = d;
  if (!d) {
    report_error(r, p->at, "out of memory");
    return false;
  }
  /* The file of the daemon has the signals, the period and the addresses. */
  d->settings = setup_load(p->path, NULL, r->out);
  if (!d->settings) {
    report_error(r, p->at, "%s: the configuration %s cannot be used", p->name, p->path);
    return false;
  }
  p->period = d->settings->options.dt;
  if ((d->settings->cycle.clock == CLOCKING_LOCKSTEP) == p->paced) {
    report_error(r, p->at,
                 p->paced ? "%s: %s has cycle.clock lockstep, which has no pace; leave out --pace frames"
                          : "%s: expected cycle.clock lockstep in %s, or --pace frames",
                 p->name, p->path);
    return false;
  }
  d->space = osc_space_new(&d->settings->osc, d->settings->signals, error, sizeof error);
  if (!d->space) {
    report_error(r, p->at, "%s: %s", p->name, error);
    return false;
  }
  return connect_socket(p, r);
}

/* --- signals by their names --- */

static bool is_channel(const struct signals *s, int signal)
{
  return signal >= s->input_first && signal < s->input_first + s->channels;
}

/* The range of signals with a name: a group, a signal, or a whole input. */
static int range_of(const struct signals *s, const char *name, int *first)
{
  const int group = signals_find_group(s, name);
  if (group >= 0) {
    *first = s->group[group].first;
    return s->group[group].count;
  }
  *first = signals_find(s, name);
  if (*first >= 0) return 1;
  for (int i = 0; i < s->inputs && strncmp(name, "input.", 6) == 0; i++) {
    if (strcmp(s->input[i].name, name + 6) != 0) continue;
    *first = s->input_first + s->input[i].first;
    return s->input[i].count;
  }
  return 0;
}

/* The message of a stream that has a signal; NULL: no stream does. */
static const struct osc_node *message_with(const struct osc_space *space, int signal, bool input,
                                           int *argument)
{
  for (int i = 0; i < space->nodes; i++) {
    const struct osc_node *n = &space->node[i];
    if (n->stream >= STREAM_OUT || n->alias || n->input != input) continue;
    for (*argument = 0; *argument < n->count; (*argument)++)
      if (space->value[n->first + *argument].signal == signal) return n;
  }
  return NULL;
}

int osc_find(struct participant *p, const char *name, bool input, struct slots *to, const char **near)
{
  const struct daemon *d = daemon_of(p);
  const struct signals *s = d->settings->signals;
  int first, argument;
  const int count = range_of(s, name, &first);
  struct nearest n = {.word = name};
  for (int i = 0; i < s->groups && count == 0; i++)
    if (is_channel(s, s->group[i].first) == input) nearest_try(&n, s->group[i].name);
  *near = n.best;
  /* All of its values are in messages. */
  for (int i = 0; i < count; i++)
    if ((input && !is_channel(s, first + i)) ||
        !message_with(d->space, first + i, is_channel(s, first + i), &argument))
      return -1;
  for (int i = 0; i < count; i++)
    if (!slots_add(to, first + i, s->signal[first + i].name, s->signal[first + i].unit)) return -1;
  return count > 0 ? count : -1;
}

/* --- messages --- */

static bool add_sink(struct daemon *d, const struct osc_node *n)
{
  for (int i = 0; i < d->sinks; i++)
    if (d->sink[i] == n) return true;
  const struct osc_node **grown = realloc(d->sink, ((size_t)d->sinks + 1) * sizeof *grown);
  if (!grown) return false;
  d->sink = grown;
  d->sink[d->sinks++] = n;
  return true;
}

int osc_sink_of(const struct participant *p, int in)
{
  const struct daemon *d = (const struct daemon *)p->state;
  for (int i = 0; i < d->sinks; i++)
    for (int k = 0; k < d->sink[i]->count; k++)
      if (d->space->value[d->sink[i]->first + k].signal == p->in.slot[in].signal) return i;
  return -1;
}

bool osc_connect(struct participant *p)
{
  struct daemon *d = daemon_of(p);
  int argument;
  d->place = calloc((size_t)p->out.count + 1, sizeof *d->place);
  if (!d->place) return participant_fail(p, "out of memory");
  for (int i = 0; i < p->out.count; i++) {
    const int signal = p->out.slot[i].signal;
    d->place[i].node =
        message_with(d->space, signal, is_channel(d->settings->signals, signal), &d->place[i].argument);
    d->streams |= 1U << d->place[i].node->stream;
  }
  /* Every frame tells the time, by which somebody else's reset is seen. */
  if (!d->streams) d->streams = 1U << STREAM_ENERGY;
  for (int i = 0; i < p->in.count; i++)
    if (!add_sink(d, message_with(d->space, p->in.slot[i].signal, true, &argument)))
      return participant_fail(p, "out of memory");
  /* All inputs fit into the datagram that asks for a step. */
  size_t bytes = 128;
  for (int i = 0; i < d->sinks; i++)
    bytes += strlen(d->sink[i]->address) + 16 + 10 * (size_t)d->sink[i]->count;
  return bytes <= OSC_SENT_MAX ||
         participant_fail(p, "its inputs need %zu bytes, and a datagram has %d", bytes, OSC_SENT_MAX);
}
