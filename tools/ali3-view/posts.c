/* SPDX-License-Identifier: MIT */
#include "http/asked_host.h"
#include "server_parts.h"
#include "signals/states.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *header_of(const struct exchange *x, const char *name)
{
  return MHD_lookup_connection_value(x->connection, MHD_HEADER_KIND, name);
}

static const char COMMAND_PAGE[] = "/api/v1/command";

/* The e-stop needs no token: the rights of ali3-view at the daemon decide. */
static bool is_estop(const json_t *body)
{
  const char *name = json_string_value(json_object_get(body, "command"));
  return name && strcmp(name, "estop") == 0;
}

void posts_judge(struct view *v, struct exchange *x, uint64_t now_ns)
{
  struct sockaddr_storage at = {0};
  const char *why = "";
  asked_address(x->connection, &at);
  const struct rights_request q = {.authorization = header_of(x, MHD_HTTP_HEADER_AUTHORIZATION),
                                   .origin = header_of(x, MHD_HTTP_HEADER_ORIGIN),
                                   .content_type = header_of(x, MHD_HTTP_HEADER_CONTENT_TYPE),
                                   .accepted_at = (const struct sockaddr *)&at,
                                   .hosts = &v->hosts,
                                   .now_ns = now_ns};
  const unsigned status = v->playback ? 405 : rights_judge(&v->rights, &q, &why);
  if (v->playback) why = "a recording takes no commands";
  const bool command = strcmp(x->path, COMMAND_PAGE) == 0;
  if (command && !v->playback && (status == 401 || status == 405 || status == 429))
    x->tokenless = status; /* its body decides */
  else
    x->refused = status == 200 ? 0 : status;
  snprintf(x->why, sizeof x->why, "%s", why);
}

void posts_answer(struct view *v, struct exchange *x, uint64_t now_ns, struct view_answer *a)
{
  /* Carry it out. */
  const char *why = "";
  unsigned status;
  json_t *body = json_loadb(x->body, x->body_size, JSON_REJECT_DUPLICATES, NULL);
  if (!json_is_object(body)) {
    status = 400;
    why = "expected a JSON object";
  } else if (x->tokenless && !is_estop(body)) {
    status = x->tokenless;
    why = x->why;
  } else if (strcmp(x->path, COMMAND_PAGE) == 0) {
    status = control_command(&v->control, x->query.name, body, now_ns, &x->wait, &why);
  } else if (strcmp(x->path, "/api/v1/jog") == 0) {
    status = control_jog(&v->control, x->query.name, body, now_ns - x->began_ns, now_ns, &x->wait, &why);
  } else if (strcmp(x->path, "/api/v1/input") == 0) {
    status = control_input(&v->control, x->query.name, body, now_ns, &why);
  } else {
    status = 404;
    why = "no such page";
  }
  json_decref(body);
  /* Answer, unless the daemon has to answer first. */
  *a = (struct view_answer){0};
  x->waits = status == 202;
  if (x->waits) return;
  if (status != 200)
    pages_refuse(a, status, why);
  else
    *a = (struct view_answer){.status = 200, .type = "application/json", .text = strdup("{}"), .size = 2};
}

/* enum command_result in words. */
static const char *result_words(int result)
{
  static const char *const words[] = {
      [RESULT_OK] = "done",
      [RESULT_WRONG_STATE] = "not possible in this state",
      [RESULT_NOT_AUTHORISED] = "another sender owns this, or osc.peers does not give us the right",
      [RESULT_BAD_ARGUMENT] = "bad argument",
      [RESULT_NOT_READY] =
          "a required input is not fresh, the rig is not ready, or another hand presses: see the log",
      [RESULT_BUSY] = "busy: ask again",
      [RESULT_TOO_SOON] = "too soon after a stop: ask again",
      [RESULT_NO_SUCH_NAME] = "no such name"};
  return result >= 0 && result < (int)(sizeof words / sizeof *words) ? words[result] : "unknown result";
}

void posts_result(const struct exchange *x, struct view_answer *a)
{
  if (!x->answered) {
    pages_refuse(a, 504, "the daemon gave no answer within a second");
    return;
  }
  json_t *o = json_pack("{s:i, s:s}", "code", x->result, "text", result_words(x->result));
  *a = (struct view_answer){.status = 200, .type = "application/json", .text = json_dumps(o, JSON_COMPACT)};
  a->size = a->text ? strlen(a->text) : 0;
  json_decref(o);
}
