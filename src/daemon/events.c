/* SPDX-License-Identifier: MIT
 * The loop's events in words. Pure. */
#include "daemon/events.h"

#include <inttypes.h>
#include <stdio.h>

/* What follows the cause: who did it, or where in the model it happened. */
static void describe_origin(const struct cycle_event *e, const ali3_model *m, struct port *const *ports,
                            char *text, size_t size)
{
  text[0] = '\0';
  if (e->port >= 0 && e->cause == CAUSE_COMMAND) {
    char client[CLIENT_NAME];
    clients_get(&ports[e->port]->clients, e->client, client);
    snprintf(text, size, " by %s %s", ports[e->port]->name, client);
  } else if (e->port >= 0) {
    snprintf(text, size, " by %s", ports[e->port]->name);
  } else if (e->body >= 0 || e->joint >= 0) {
    const bool both = e->joint >= 0 && e->body >= 0;
    snprintf(text, size, ", worst at%s%s%s%s%s", e->joint >= 0 ? " joint " : "",
             e->joint >= 0 ? ali3_model_joint_name(m, e->joint) : "", both ? "," : "",
             e->body >= 0 ? " body " : "", e->body >= 0 ? ali3_model_body_name(m, e->body) : "");
  }
}

static const char *cause_text(const struct cycle_event *e)
{
  switch (e->cause) {
  case CAUSE_WARM:
    return "warm-up over";
  case CAUSE_COMMAND:
    return command_name(e->code);
  case CAUSE_FAULT:
    return fault_text(e->code);
  case CAUSE_EXIT:
    return "loop ended";
  default:
    return "?";
  }
}

void event_text(const struct cycle_event *e, const ali3_model *m, struct port *const *ports, char *text,
                size_t size)
{
  char change[64], origin[200];
  describe_origin(e, m, ports, origin, sizeof origin);
  if (e->from != e->to)
    snprintf(change, sizeof change, "%s -> %s", run_state_name(e->from), run_state_name(e->to));
  else
    snprintf(change, sizeof change, "%s", run_state_name(e->to));
  const bool restored = e->cause == CAUSE_COMMAND && e->code == COMMAND_RESET;
  snprintf(text, size, "cycle %" PRIu64 ": %s: %s%s%s", e->cycle, change, cause_text(e), origin,
           restored ? ", model at its initial state" : "");
}
