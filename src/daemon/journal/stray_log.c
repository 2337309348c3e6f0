/* SPDX-License-Identifier: MIT */
#include "journal/stray_log.h"

#include "log/log.h"
#include "rt/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Shows the message in the entry of its address and kind, or else in the oldest one. */
static void show_stray(struct telemetry *t, const struct stray *s, uint64_t now_ns)
{
  struct stray_view *to = &t->stray[0];
  /* Find its entry. */
  for (int i = 0; i < TELEMETRY_STRAYS; i++) {
    struct stray_view *v = &t->stray[i];
    char address[CLIENT_NAME];
    const uint32_t kind = client_name_read(&v->address, address);
    if (counter_get(&v->t_ns) && kind == s->kind && strcmp(address, s->address) == 0) {
      to = v;
      break;
    }
    if (counter_get(&v->t_ns) < counter_get(&to->t_ns)) to = v;
  }
  /* Write it. */
  char before[CLIENT_NAME];
  const bool same = client_name_read(&to->address, before) == s->kind && strcmp(before, s->address) == 0;
  counter_set(&to->count, same ? counter_get(&to->count) + 1 : 1);
  client_name_write(&to->address, s->kind, s->address);
  client_name_write(&to->sender, 0, s->client);
  client_name_write(&to->types, 0, s->types);
  counter_set(&to->t_ns, now_ns);
}

static bool is_told(const struct stray_log *l, const struct stray *s, const char *port, uint64_t now_ns)
{
  for (int i = 0; i < l->rate.passed && !rate_limit_over(&l->rate, now_ns); i++)
    if (l->reported_port[i] == port && l->reported[i].kind == s->kind &&
        strcmp(l->reported[i].address, s->address) == 0 && strcmp(l->reported[i].expected, s->expected) == 0)
      return true;
  return false;
}

/* A line of the log begins with the port, names the message and its sender, and ends with the reason. */
static void log_text(const struct stray *s, const char *port, char *text, size_t size)
{
  switch ((enum stray_kind)s->kind) {
  /* The message is wrong. */
  case STRAY_UNKNOWN:
    snprintf(text, size, "unknown address %s from %s ignored; ali3d FILE --print-map prints all addresses",
             s->address, s->client);
    break;
  case STRAY_TYPES:
    snprintf(text, size, "%s with the types \"%s\" from %s ignored: expected %s", s->address, s->types,
             s->client, s->expected);
    break;
  case STRAY_MALFORMED:
    snprintf(text, size, "malformed datagram \"%s\" from %s ignored: %s", s->address, s->client, s->expected);
    break;
  case STRAY_NONFINITE:
    snprintf(text, size, "%s from %s ignored: a number in it is NaN or infinite", s->address, s->client);
    break;
  /* The sender has too few rights. */
  case STRAY_READER:
    snprintf(text, size, "%s from %s refused: the host needs %s in %s.peers", s->address, s->client,
             s->expected, port);
    break;
  case STRAY_STRANGER:
    snprintf(text, size, "%s is not served: %s.peers gives this host no access", s->client, port);
    break;
  case STRAY_LOCKED:
    snprintf(text, size, "writes of %s %s", s->client, s->expected);
    break;
  case STRAY_NAME:
    snprintf(text, size, "%s from %s refused: unknown name \"%s\"", s->address, s->client, s->expected);
    break;
  case STRAY_REFUSED:
    snprintf(text, size, "%s from %s refused: %s", s->address, s->client, s->expected);
    break;
  case STRAY_KINDS:
    break;
  }
}

static void log_stray(struct stray_log *l, const struct stray *s, const char *port, uint64_t now_ns)
{
  char text[4 * CLIENT_NAME + sizeof s->expected + 100] = "";
  if (is_told(l, s, port, now_ns)) {
    rate_limit_hold(&l->rate, now_ns, 1);
    return;
  }
  if (!rate_limit_passes(&l->rate, now_ns)) return;
  l->reported_port[l->rate.passed - 1] = port;
  l->reported[l->rate.passed - 1] = *s;
  log_text(s, port, text, sizeof text);
  log_line(LOG_LEVEL_WARNING, "%s: %s", port, text);
}

void stray_log_begin(struct stray_log *l)
{
  *l = (struct stray_log){.rate = rate_limit_in_minute(STRAY_LINES)};
}

void stray_log_tick(struct stray_log *l, const struct cycle_config *g, uint64_t now_ns)
{
  double seconds;
  const uint64_t held = rate_limit_sum(&l->rate, now_ns, false, &seconds);
  if (held)
    log_line(LOG_LEVEL_WARNING,
             "%" PRIu64 " more messages were ignored or refused in the last minute; ali3-top counts them",
             held);
  /* Messages since the last tick. */
  for (int p = 0; p < g->ports; p++) {
    struct stray s;
    const uint64_t lost = ring_dropped(&g->port[p]->strays);
    while (ring_pop(&g->port[p]->strays, &s)) {
      if (g->port[p]->source == SOURCE_OSC) show_stray(g->telemetry, &s, now_ns);
      log_stray(l, &s, g->port[p]->name, now_ns);
    }
    rate_limit_hold(&l->rate, now_ns, lost - l->lost[p]);
    l->lost[p] = lost;
  }
}
