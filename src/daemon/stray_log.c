/* SPDX-License-Identifier: MIT */
#include "daemon/stray_log.h"

#include "journal/log.h"
#include "rt/clock.h"

#include <inttypes.h>
#include <string.h>

static const uint64_t STRAY_MINUTE_NS = 60 * NS_PER_S;

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

static bool is_told(const struct stray_log *l, const struct stray *s)
{
  for (int i = 0; i < l->lines; i++)
    if (l->said[i].kind == s->kind && strcmp(l->said[i].address, s->address) == 0) return true;
  return false;
}

static void log_stray(struct stray_log *l, const struct stray *s)
{
  if (l->lines == STRAY_LINES || is_told(l, s)) {
    l->held++;
    return;
  }
  l->said[l->lines++] = *s;
  if (s->kind == STRAY_UNKNOWN)
    log_line(LOG_LEVEL_WARNING,
             "osc: unknown address %s from %s ignored; ali3d FILE --print-map prints all addresses",
             s->address, s->client);
  else
    log_line(LOG_LEVEL_WARNING, "osc: %s with the types \"%s\" from %s ignored: expected %s", s->address,
             s->types, s->client, s->expected);
}

void stray_log_tick(struct stray_log *l, const struct cycle_config *g, uint64_t now_ns)
{
  if (now_ns - l->minute_ns >= STRAY_MINUTE_NS) {
    if (l->held)
      log_line(LOG_LEVEL_WARNING,
               "osc: %" PRIu64 " more messages with an unknown address or wrong types in the last minute",
               l->held);
    l->minute_ns = now_ns;
    l->held = 0;
    l->lines = 0;
  }
  /* Messages since the last tick. */
  for (int p = 0; p < g->ports; p++) {
    struct stray s;
    const uint64_t lost = ring_dropped(&g->port[p]->strays);
    while (ring_pop(&g->port[p]->strays, &s)) {
      show_stray(g->telemetry, &s, now_ns);
      log_stray(l, &s);
    }
    l->held += lost - l->lost[p];
    l->lost[p] = lost;
  }
}
