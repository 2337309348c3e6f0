/* SPDX-License-Identifier: MIT
 * Replies to requests, and refusals for the log. */
#include "log/log.h"
#include "parameters/param_server_parts.h"
#include "rt/clock.h"

#include <inttypes.h>
#include <stdio.h>

void param_server_reply(struct param_server *l, const struct asked *a, struct desk_reply *o)
{
  if (param_server_expects_no_reply(l, a)) return;
  o->code = a->request->code;
  o->id = a->request->id;
  o->client = a->request->client;
  param_server_push(l, &l->desk[a->desk].replies, o, l->config.served[a->desk]);
}

bool param_server_expects_no_reply(const struct param_server *l, const struct asked *a)
{
  return l->config.served[a->desk]->source == SOURCE_MODBUS;
}

/* A refused request gets a line in the log, within the limit of l->refusals. */
static void note_refusal(struct param_server *l, const struct asked *a, const char *text)
{
  const struct desk_request *r = a->request;
  const uint64_t now_ns = clock_now_ns();
  double seconds;
  const uint64_t more = rate_limit_sum(&l->refusals, now_ns, false, &seconds);
  if (more > 0)
    param_server_note(l, LOG_LEVEL_WARNING,
                      "%" PRIu64 " more requests for states and parameters were refused in the last minute",
                      more);
  if (!rate_limit_passes(&l->refusals, now_ns)) return;
  /* The request with its numbers, its sender and the reason. */
  char numbers[120] = "";
  for (int i = 0, used = 0; i < r->count && used < (int)sizeof numbers - 24; i++)
    used += snprintf(numbers + used, sizeof numbers - (size_t)used, " %g", r->number[i]);
  param_server_note(l, LOG_LEVEL_WARNING, "%s %s%s by %s refused: %s", desk_request_name(r->code), r->name,
                    numbers, r->who, text);
}

void param_server_done(struct param_server *l, const struct asked *a, enum command_result result,
                       const char *text)
{
  if (result != RESULT_OK && *text) note_refusal(l, a, text);
  struct desk_reply o = {.kind = DESK_DONE, .result = result};
  snprintf(o.name, sizeof o.name, "%s", a->request->name);
  snprintf(o.text, sizeof o.text, "%s", text);
  param_server_reply(l, a, &o);
}

/* The command of Modbus that a request belongs to. */
static uint32_t command_of(uint32_t request)
{
  if (request == DESK_STATE_LOAD) return COMMAND_LOAD;
  return request == DESK_STATE_SAVE ? COMMAND_SAVE : COMMAND_RECORD;
}

void param_server_finish(struct param_server *l, const struct asked *a, enum command_result result,
                         const char *text)
{
  const bool load = a->request->code == DESK_STATE_LOAD;
  const bool shown = param_server_expects_no_reply(l, a) && !(load && result == RESULT_OK);
  if (shown)
    (void)param_server_command(l, &(struct command){.code = command_of(a->request->code),
                                                    .id = a->request->id,
                                                    .t_ns = clock_now_ns(),
                                                    .value = result});
  param_server_done(l, a, result, text);
}
