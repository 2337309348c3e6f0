/* SPDX-License-Identifier: MIT
 * Adds and words findings, and makes copies of a model. */
#include "findings/findings_parts.h"

#include "math/vec3.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const char *finding_name(enum finding_id id)
{
  static const char *const name[] = {
#define FINDING_TEXT_OF(id, name) name,
      FINDING_LIST(FINDING_TEXT_OF)
#undef FINDING_TEXT_OF
  };
  return (unsigned)id < FINDING_IDS ? name[id] : NULL;
}

struct finding *finding_add(struct inspection *in, enum finding_severity severity, enum finding_id id,
                            enum finding_kind kind, int index, const char *format, ...)
{
  if (in->found[id]++ >= FINDINGS_LISTED) return NULL;
  struct finding *more = realloc(in->to->item, ((size_t)in->to->count + 1) * sizeof *more);
  if (!more) {
    in->memory = false;
    return NULL;
  }
  in->to->item = more;
  struct finding *f = &more[in->to->count++];
  *f = (struct finding){.severity = severity, .id = id, .kind = kind, .index = index};
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(f->text, sizeof f->text, format, arguments);
  va_end(arguments);
  return f;
}

void finding_add_number(struct finding *f, const char *name, double value, const char *unit)
{
  if (!f || f->numbers == FINDING_NUMBERS) return;
  f->number[f->numbers].name = name;
  f->number[f->numbers].unit = unit;
  f->number[f->numbers++].value = value;
}

const char *inspection_force(const struct inspection *in, int force)
{
  return in->m->force[force].name ? in->m->force[force].name : "?";
}

void name_list_add(struct name_list *n, const char *name)
{
  const size_t used = strlen(n->text);
  n->all++;
  if (n->shown + 1 < n->all || used + strlen(name) + 24 > sizeof n->text) return;
  snprintf(n->text + used, sizeof n->text - used, "%s\"%s\"", n->shown ? ", " : "", name);
  n->shown++;
}

const char *name_list_text(struct name_list *n)
{
  const size_t used = strlen(n->text);
  if (n->all > n->shown && !n->closed)
    snprintf(n->text + used, sizeof n->text - used, "%s%d more", n->shown ? " and " : "", n->all - n->shown);
  n->closed = true;
  return n->text;
}

struct quantity_text quantity_length(double m)
{
  struct quantity_text o;
  if (m != 0.0 && fabs(m) < 1e-9)
    snprintf(o.text, sizeof o.text, "less than 1e-6 mm");
  else if (fabs(m) < 1.0)
    snprintf(o.text, sizeof o.text, "%.3g mm", 1e3 * m);
  else
    snprintf(o.text, sizeof o.text, "%.4g m", m);
  return o;
}

static struct quantity_text quantity_angle(double rad)
{
  struct quantity_text o;
  snprintf(o.text, sizeof o.text, "%.3g deg", rad * (180.0 / 3.14159265358979323846));
  return o;
}

struct quantity_text quantity_coordinate(double value, bool turns)
{
  return turns ? quantity_angle(value) : quantity_length(value);
}

struct quantity_text quantity_load(double value, bool turns)
{
  static const struct {
    double from;
    const char *prefix;
  } scale[] = {{1e9, "G"}, {1e6, "M"}, {1e3, "k"}, {0.0, ""}};
  struct quantity_text o;
  int i = 0;
  if (fabs(value) < 1e-9) value = 0.0; /* rounding */
  while (scale[i].from > 0.0 && !(fabs(value) >= scale[i].from)) i++;
  snprintf(o.text, sizeof o.text, "%.3g %sN%s", value / (scale[i].from > 0.0 ? scale[i].from : 1.0),
           scale[i].prefix, turns ? " m" : "");
  return o;
}

bool model_copy_make(struct model_copy *t, const ali3_model *m, const ali3_options *options,
                     const bool *motor)
{
  *t = (struct model_copy){.model = *m, .force = calloc((size_t)m->forces + 1, sizeof *t->force)};
  if (!t->force) return false;
  if (m->forces > 0) memcpy(t->force, m->force, (size_t)m->forces * sizeof *t->force);
  for (int i = 0; motor && i < m->forces; i++)
    if (motor[i]) t->force[i].spec.type = ALI3_FORCE_MOTOR;
  t->model.force = t->force;
  t->model.frozen = NULL;
  t->model.frozen_free = NULL;
  if (ali3_model_freeze(&t->model, options) == ALI3_OK) t->data = ali3_data_new(&t->model);
  if (t->data) return true;
  model_copy_free(t);
  return false;
}

void model_copy_free(struct model_copy *t)
{
  ali3_data_free(t->data);
  if (t->model.frozen) t->model.frozen_free(t->model.frozen);
  free(t->force);
  *t = (struct model_copy){0};
}

double model_copy_distance(const struct inspection *in, const struct model_copy *a,
                           const struct model_copy *b, int *body)
{
  return distance_of_states(&in->scale, &a->model, a->data, &b->model, b->data, body);
}

int findings_of(const struct findings *f, enum finding_severity severity)
{
  int n = 0;
  for (int i = 0; i < f->count; i++) n += f->item[i].severity == severity;
  return n;
}

/* A finding that can make a step fail. Gravity can if it is far too large. */
static bool is_felt(const struct inspection *in, enum finding_id id)
{
  static const double LARGE_GRAVITY = 1000.0; /* m/s^2 */
  const double *g = in->m->gravity;
  if (id == FINDING_GRAVITY) return v3_dot(g, g) > LARGE_GRAVITY * LARGE_GRAVITY;
  return id != FINDING_UNHELD && id != FINDING_LOOSE_END;
}

/* The warning that is the likeliest reason for a failed step; NULL: there is none. */
const struct finding *inspection_likely_cause(const struct inspection *in)
{
  const struct findings *f = in->to;
  const struct finding *o = NULL;
  for (int i = 0; i < f->count; i++)
    if (f->item[i].severity == FINDING_WARNING && is_felt(in, f->item[i].id) && (!o || f->item[i].id < o->id))
      o = &f->item[i];
  return o;
}
