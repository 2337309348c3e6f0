/* SPDX-License-Identifier: MIT */
#include "show.h"
#include "telemetry/json.h"

void show_json(const struct sample *s, bool compact, FILE *out)
{
  json_t *o = telemetry_json(s);
  json_dumpf(o, out, (compact ? JSON_COMPACT : JSON_INDENT(2)) | TELEMETRY_JSON_FLAGS);
  fputc('\n', out);
  json_decref(o);
}
