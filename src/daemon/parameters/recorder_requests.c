/* SPDX-License-Identifier: MIT
 * Orders of clients to the recorder. They go through the events of the frame ring, which the recorder reads anyway. */
#include "log/log.h"
#include "parameters/param_server_parts.h"

#include <string.h>

/* The supervisor writes the event. */
static void tell_recorder(struct param_server *l, enum record_request request, const char *text)
{
  static const uint32_t code[RECORD_ORDERS] = {
      [RECORD_STOP] = FRAMES_RECORD_STOP,
      [RECORD_START] = FRAMES_RECORD_START,
      [RECORD_SPLIT] = FRAMES_RECORD_SPLIT,
      [RECORD_MARK] = FRAMES_MARK_CLIENT,
  };
  struct telemetry_live live = {0};
  struct param_server_note note = {.level = -1};
  telemetry_read(l->config.cycle->config.telemetry, &live);
  note.event.cycle = live.cycle;
  note.event.kind = request == RECORD_MARK ? FRAMES_EVENT_MARK : FRAMES_EVENT_RECORD;
  note.event.code = code[request];
  snprintf(note.text, sizeof note.text, "%s", text);
  param_server_add_note(l, &note);
}

void param_server_order_recorder(struct param_server *l, const struct asked *a)
{
  const struct cycle_config *g = &l->config.cycle->config;
  const enum record_request request = (enum record_request)(a->request->code - DESK_RECORD_STOP);
  const char *text = a->request->name;
  /* A mark stays in the ring for a recorder that comes; other orders need one now. */
  if (!g->frames) {
    param_server_finish(l, a, RESULT_NOT_READY, "there is no frame ring: telemetry.frames is 0");
  } else if (request != RECORD_MARK &&
             __atomic_load_n(&g->telemetry->recorder, __ATOMIC_RELAXED) == RECORDER_OFF) {
    param_server_finish(l, a, RESULT_NOT_READY, "no recorder follows this daemon: start ali3-record");
  } else {
    tell_recorder(l, request, text);
    param_server_note(l, LOG_LEVEL_INFO, "%s by %s%s%s", desk_request_name(a->request->code), a->request->who,
                      *text ? ": " : "", text);
    param_server_finish(l, a, RESULT_OK, "");
  }
}
