/* SPDX-License-Identifier: MIT */
#include "show.h"
#include "telemetry/json.h"

void show_json(const struct picture *p, bool compact, FILE *out)
{
  json_t *o = telemetry_json(&p->sample);
  if (p->values && p->sample.t) json_object_set_new(o, "values", values_json(p->values));
  json_dumpf(o, out, (compact ? JSON_COMPACT : JSON_INDENT(2)) | TELEMETRY_JSON_FLAGS);
  fputc('\n', out);
  json_decref(o);
}
