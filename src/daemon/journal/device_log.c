/* SPDX-License-Identifier: MIT */
#include "journal/device_log.h"

#include "log/log.h"

#include <inttypes.h>
#include <stdio.h>

static void log_device(struct device_log *l, int i, const struct device_view *v, uint64_t now_ns)
{
  /* Sum up the changes that the limit held back. */
  const bool up = counter_get(&v->state) == DEVICE_UP;
  char text[DEVICE_TEXT], away[48] = "";
  double seconds;
  struct rate_limit *rate = &l->device[i].rate;
  rate->most = DEVICE_LINES;
  const uint64_t held = rate_limit_sum(rate, now_ns, false, &seconds);
  if (held)
    log_line(LOG_LEVEL_WARNING, "device %s: %" PRIu64 " more changes between up and down in the last %.1f s",
             v->name, held, seconds);

  /* Log changes only. A device that never answered counts as down once it gives a reason. */
  const bool was_up = l->device[i].reported == DEVICE_LOG_UP;
  device_told(v, text);
  if (up ? was_up : l->device[i].reported == DEVICE_LOG_DOWN || (!was_up && !text[0])) return;
  /* Log the change, within the limit. */
  if (up) {
    if (l->device[i].reported == DEVICE_LOG_DOWN)
      snprintf(away, sizeof away, " after %.1f s",
               (double)(now_ns - l->device[i].down_ns) / (double)NS_PER_S);
    if (rate_limit_passes(rate, now_ns)) log_line(LOG_LEVEL_INFO, "device %s: up%s", v->name, away);
  } else {
    l->device[i].down_ns = now_ns;
    if (rate_limit_passes(rate, now_ns))
      log_line(LOG_LEVEL_WARNING, "device %s: %s: %s", v->name, device_state_name(counter_get(&v->state)),
               text);
  }
  l->device[i].reported = up ? DEVICE_LOG_UP : DEVICE_LOG_DOWN;
}

void device_log_tick(struct device_log *l, const struct telemetry *t, uint64_t now_ns)
{
  for (uint64_t i = 0; i < t->devices; i++) log_device(l, (int)i, &t->device[i], now_ns);
}

void device_log_line(struct device_log *l, int line, const char *who, const char *path, bool lost,
                     uint64_t now_ns)
{
  uint64_t *since_ns = &l->line_lost_ns[line];
  if (lost == (*since_ns > 0)) return;
  if (lost)
    log_line(LOG_LEVEL_WARNING, "%s: the serial line %s has disappeared", who, path);
  else
    log_line(LOG_LEVEL_INFO, "%s: the serial line %s is back after %.1f s", who, path,
             (double)(now_ns - *since_ns) / (double)NS_PER_S);
  *since_ns = lost ? now_ns : 0;
}
