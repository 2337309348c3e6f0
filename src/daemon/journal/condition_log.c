/* SPDX-License-Identifier: MIT */
#include "journal/condition_log.h"

#include "log/log.h"
#include "rt/clock.h"

#include <inttypes.h>
#include <stdio.h>

static void log_condition(const struct cycle_config *g, uint32_t input, const struct condition_reported *now)
{
  const struct input_view *v = &g->telemetry->input[input];
  char owner[CLIENT_NAME], age[60] = "";
  const uint64_t age_ns = counter_get(&v->age_ns);
  const bool good = now->limits == 0 && !input_state_is_stale((enum input_state)now->state);
  port_owner_text(g->port[0], input_view_owner(v), owner, sizeof owner);
  if (age_ns != UINT64_MAX)
    snprintf(age, sizeof age, ", age %.3g s (hold %.3g s)", 1e-9 * (double)age_ns,
             g->signals->input[input].hold);
  log_line(good ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING, "input %s: %s%s%s%s, owner %s", v->name,
           now->state == INPUT_NEVER ? "not set" : input_state_name(now->state),
           now->state == INPUT_FRESH ? "" : age, now->limits & INPUT_CLAMPED ? ", clamped to its range" : "",
           now->limits & INPUT_SLOWED ? ", rate limited" : "", owner[0] ? owner : "nobody");
}

/* A change of the age alone is none. An input that nobody has set yet needs no line. */
static bool is_changed(const struct condition_reported *before, const struct condition_reported *now)
{
  if (before->t_ns == 0 && now->state == INPUT_NEVER) return false;
  return before->t_ns == 0 || before->state != now->state || before->limits != now->limits ||
         before->owner != now->owner;
}

void condition_log_begin(struct condition_log *l)
{
  *l = (struct condition_log){.rate = rate_limit_in_minute(CONDITION_LINES)};
}

void condition_log_tick(struct condition_log *l, const struct cycle_config *g, uint64_t now_ns)
{
  const struct telemetry *t = g->telemetry;
  double seconds;
  const uint64_t held = rate_limit_sum(&l->rate, now_ns, false, &seconds);
  if (held)
    log_line(LOG_LEVEL_INFO, "inputs: %" PRIu64 " more changes of condition in the last minute", held);
  /* One line for each input that has changed since its last line. */
  for (uint32_t i = 0; i < t->inputs; i++) {
    const struct input_view *v = &t->input[i];
    struct condition_reported *reported = &l->reported[i];
    const struct condition_reported now = {
        .state = atomic_load_explicit(&v->state, memory_order_relaxed),
        .limits = atomic_load_explicit(&v->limits, memory_order_relaxed),
        .owner = atomic_load_explicit(&v->owner, memory_order_relaxed),
        .t_ns = now_ns,
    };
    if (!is_changed(reported, &now) || (reported->t_ns && now_ns - reported->t_ns < NS_PER_S)) continue;
    *reported = now;
    if (rate_limit_passes(&l->rate, now_ns)) log_condition(g, i, &now);
  }
}
