/* SPDX-License-Identifier: MIT */
#include "events.h"

#include "signals/states.h"
#include "telemetry/miss.h"

static const char *event_kind_name(uint32_t kind)
{
  switch (kind) {
  case FRAMES_EVENT_STATE:
    return "state";
  case FRAMES_EVENT_MISS:
    return "miss";
  case FRAMES_EVENT_MARK:
    return "mark";
  case FRAMES_EVENT_PARAMETER:
    return "parameter";
  default:
    return "other";
  }
}

json_t *events_json(const struct frames_event *e)
{
  json_t *o = json_pack("{s:I, s:I, s:s, s:s}", "cycle", (json_int_t)e->cycle, "t_ns", (json_int_t)e->t_ns,
                        "kind", event_kind_name(e->kind), "text", e->text);
  if (o && e->kind == FRAMES_EVENT_MISS) {
    json_object_set_new(o, "cause", json_string(miss_cause_name(e->code)));
    json_object_set_new(o, "cycle_us", json_real(e->a * 1e-3));
  }
  if (o && e->kind == FRAMES_EVENT_STATE) {
    json_object_set_new(o, "from", json_string(run_state_name((unsigned)e->a)));
    json_object_set_new(o, "to", json_string(run_state_name((unsigned)e->b)));
  }
  if (o && e->kind == FRAMES_EVENT_PARAMETER) json_object_set_new(o, "value", json_real(e->a));
  return o;
}
