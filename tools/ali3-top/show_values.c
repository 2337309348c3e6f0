/* SPDX-License-Identifier: MIT
 * The values of chosen signals as text and as JSON. */
#include "show.h"

#include "telemetry/json.h"
#include "words.h"

#include <inttypes.h>
#include <math.h>

void show_values(const struct picture *p, FILE *out)
{
  const struct values *v = p->values;
  if (!v) return;
  fprintf(out, "\nvalues    ");
  if (v->slot)
    fprintf(out, "cycle %" PRIu64 ", simulated time %.3f s; min and max of %" PRIu64 " cycles\n",
            v->slot->cycle, v->slot->time, v->taken);
  if (v->problem[0]) fprintf(out, "%s%s\n", v->slot ? "  " : "", v->problem);
  if (!v->slot && !v->problem[0]) fprintf(out, "no cycle is in the ring yet\n");
  for (uint32_t i = 0; v->slot && i < v->rows; i++) {
    const struct value_row *row = &v->row[i];
    fprintf(out, "  %-40s %12s %-6s", value_name(v, row), words_number(row->value).text, value_unit(v, row));
    if (row->min <= row->max)
      fprintf(out, " %12s to %s", words_number(row->min).text, words_number(row->max).text);
    if (row->broken) fprintf(out, "  NOT FINITE in %" PRIu64 " cycles", row->broken);
    const struct input_words channel = words_channel(p, row);
    fprintf(out, "%s%s%s\n", channel.text[0] ? "  " : "", channel.text, channel.trouble ? " AT A LIMIT" : "");
    /* The condition of an input stands below its last channel. */
    if (row->input >= 0 && (i + 1 == v->rows || v->row[i + 1].input != row->input))
      fprintf(out, "    %s\n", words_input(p, row->input).text);
  }
  if (v->lost) fprintf(out, "  %" PRIu64 " cycles were gone before they could be read\n", v->lost);
}

void show_values_line(const struct picture *p, FILE *out)
{
  const struct values *v = p->values;
  if (!v || !p->sample.t) return;
  for (uint32_t i = 0; v->slot && i < v->rows; i++) {
    const struct value_row *row = &v->row[i];
    const char *unit = value_unit(v, row);
    fprintf(out, "  %s %s%s%s", value_name(v, row), words_number(row->value).text, *unit ? " " : "", unit);
    if (!isfinite(row->value)) fprintf(out, " NOT FINITE");
    if (words_channel(p, row).trouble) fprintf(out, " AT A LIMIT");
  }
  if (v->problem[0]) fprintf(out, "  %s", v->problem);
}

static json_t *value_number(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

static json_t *name_json(const char *name)
{
  json_t *text = json_string(name);
  return text ? text : json_string("?");
}

static json_t *value_json(const struct values *v, const struct value_row *row)
{
  json_t *o = json_object();
  json_object_set_new(o, "name", name_json(value_name(v, row)));
  json_object_set_new(o, "unit", name_json(value_unit(v, row)));
  json_object_set_new(o, "value", value_number(row->value));
  json_object_set_new(o, "min", value_number(row->min));
  json_object_set_new(o, "max", value_number(row->max));
  json_object_set_new(o, "nonfinite_cycles", json_integer((json_int_t)row->broken));
  if (row->input >= 0)
    json_object_set_new(o, "input", name_json(frames_input_name(&v->ring, (uint32_t)row->input)));
  return o;
}

json_t *values_json(const struct values *v)
{
  json_t *o = json_object(), *signals = json_array();
  for (uint32_t i = 0; v->slot && i < v->rows; i++) json_array_append_new(signals, value_json(v, &v->row[i]));
  json_object_set_new(o, "problem", v->problem[0] ? name_json(v->problem) : json_null());
  json_object_set_new(o, "cycle", v->slot ? json_integer((json_int_t)v->slot->cycle) : json_null());
  json_object_set_new(o, "time_s", v->slot ? value_number(v->slot->time) : json_null());
  json_object_set_new(o, "cycles_read", json_integer((json_int_t)v->taken));
  json_object_set_new(o, "cycles_lost", json_integer((json_int_t)v->lost));
  json_object_set_new(o, "signals", signals);
  return o;
}
