/* SPDX-License-Identifier: MIT */
#include "journal/input_log.h"

#include "log/log.h"
#include "rt/clock.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Puts the owner into text[size]: "modbus client 10.0.0.3:502" or "nobody". */
static void input_owner_text(const struct cycle_config *g, struct input_owner owner, char *text, size_t size)
{
  const struct port *p = owner.source == OWNER_NONE ? NULL : port_of_source(g->port, g->ports, owner.source);
  char client[CLIENT_NAME] = "";
  snprintf(text, size, "nobody");
  if (!p) return;
  clients_get(&p->clients, owner.client, client);
  port_client_text(p, " client", client, text, size);
}

static void log_refusal(const struct cycle_config *g, const struct port *p, const struct refusal *r)
{
  char who[2 * CLIENT_NAME], owner[2 * CLIENT_NAME];
  const int inputs = g->signals->inputs;
  port_client_text(p, " client", r->client, who, sizeof who);
  const char *input = r->input < (uint32_t)inputs ? g->signals->input[r->input].name : "?";
  if (r->owner.source == OWNER_NONE) {
    log_line(LOG_LEVEL_WARNING, "input %s: refused for %s: its key `from` does not name %s", input, who,
             p->name);
    return;
  }
  input_owner_text(g, r->owner, owner, sizeof owner);
  log_line(LOG_LEVEL_WARNING, "input %s: refused for %s: owned by %s", input, who, owner);
}

/* Refusals since the last tick for which the port had no room. */
static uint64_t newly_lost(struct input_log *l, int p, struct ring *refusals)
{
  const uint64_t lost = ring_dropped(refusals), since = lost - l->lost[p];
  l->lost[p] = lost;
  return since;
}

static void log_refusals(struct input_log *l, const struct cycle_config *g, uint64_t now_ns)
{
  double seconds;
  const uint64_t held = rate_limit_sum(&l->rate, now_ns, false, &seconds);
  if (held) log_line(LOG_LEVEL_WARNING, "inputs: %" PRIu64 " more refusals in the last minute", held);
  for (int p = 0; p < g->ports; p++) {
    struct refusal r;
    while (ring_pop(&g->port[p]->refusals, &r))
      if (rate_limit_passes(&l->rate, now_ns)) log_refusal(g, g->port[p], &r);
    rate_limit_hold(&l->rate, now_ns, newly_lost(l, p, &g->port[p]->refusals));
  }
}

static void name_owners(const struct cycle_config *g)
{
  struct telemetry *t = g->telemetry;
  for (uint32_t i = 0; i < t->inputs; i++) {
    struct input_view *v = &t->input[i];
    const struct input_owner owner = input_view_owner(v);
    char text[CLIENT_NAME], before[CLIENT_NAME];
    port_owner_text(g->port[0], owner, text, sizeof text);
    client_name_read(&v->owner_name, before);
    if (strcmp(before, text) != 0) client_name_write(&v->owner_name, owner.client, text);
  }
}

/* Logs at most one line in ten seconds. */
static void look_at_overflow(struct input_log *l, struct telemetry *t, uint64_t now_ns)
{
  const uint64_t overflow = counter_get(&t->counters.osc_overflow);
  if (overflow != l->overflow) atomic_store_explicit(&t->overflow_ns, now_ns, memory_order_relaxed);
  l->overflow = overflow;
  if (overflow == l->overflow_reported || now_ns - l->overflow_reported_ns < 10 * NS_PER_S) return;
  log_line(
      LOG_LEVEL_WARNING,
      "osc: the kernel dropped %" PRIu64
      " datagrams because the socket was full; raise net.core.rmem_max or stop the client that floods it",
      overflow - l->overflow_reported);
  l->overflow_reported = overflow;
  l->overflow_reported_ns = now_ns;
}

void input_log_begin(struct input_log *l)
{
  *l = (struct input_log){.rate = rate_limit_in_minute(REFUSAL_LINES)};
}

void input_log_tick(struct input_log *l, const struct cycle_config *g, uint64_t now_ns)
{
  log_refusals(l, g, now_ns);
  look_at_overflow(l, g->telemetry, now_ns);
  if (now_ns - l->named_ns < NS_PER_S / 2) return;
  l->named_ns = now_ns;
  name_owners(g);
}
