/* SPDX-License-Identifier: MIT
 * Variables of an FMU by their names, and the values that they get before the initialization. */
#include "fmu.h"
#include "fmu/importer.h"
#include "settings/keys.h"
#include "yaml/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool is_input(const struct read_variable *v)
{
  return strcmp(v->causality, "input") == 0;
}

/* The variable itself, or one of a group: NAME.x, NAME[1]. */
static bool fits_name(const struct read_variable *v, const char *name, bool group)
{
  const size_t length = strlen(name);
  if (!group) return strcmp(v->name, name) == 0;
  return strncmp(v->name, name, length) == 0 && (v->name[length] == '.' || v->name[length] == '[');
}

/* False after writing the reason: a wire carries numbers. */
static bool is_number(struct participant *p, const struct read_variable *v)
{
  if (v->array)
    snprintf(p->trouble, sizeof p->trouble, "\"%s\" is an array, which a wire does not carry", v->name);
  else if (v->kind > FMU_Boolean)
    snprintf(p->trouble, sizeof p->trouble, "\"%s\" is a %s; a wire carries numbers", v->name, v->type);
  return !v->array && v->kind <= FMU_Boolean;
}

static bool add_variable(struct participant *p, int variable, struct slots *to)
{
  const struct description *d = &fmu_of(p)->description;
  struct measure measure;
  const char *unit = variable_unit(d, &d->variable[variable], &measure);
  struct slot *added = slots_add(to, variable, d->variable[variable].name, unit);
  if (added) added->measure = measure;
  return added != NULL;
}

int fmu_find(struct participant *p, const char *name, bool input, struct slots *to, const char **near)
{
  const struct description *d = &fmu_of(p)->description;
  struct nearest n = {.word = name};
  int count = 0;
  /* The name of a variable, else the beginning of the names of a group. */
  for (int group = 0; group < 2 && count == 0; group++)
    for (int i = 0; i < d->variables; i++) {
      const struct read_variable *v = &d->variable[i];
      if (input != is_input(v) && (input || group)) continue;
      if (group == 0) nearest_try(&n, v->name);
      if (!fits_name(v, name, group)) continue;
      if (!is_number(p, v) || !add_variable(p, i, to)) return -1;
      count++;
    }
  *near = n.best;
  return count > 0 ? count : -1;
}

/* --- values before the initialization --- */

static const struct read_variable *variable_named(const struct description *d, const char *name,
                                                  struct nearest *n)
{
  for (int i = 0; i < d->variables; i++) {
    if (strcmp(d->variable[i].name, name) == 0) return &d->variable[i];
    nearest_try(n, d->variable[i].name);
  }
  return NULL;
}

/* The standards let an importer set parameters, inputs, and variables whose start is not calculated. */
static bool may_be_set(const struct read_variable *v)
{
  if (strcmp(v->variability, "constant") == 0 || strcmp(v->causality, "structuralParameter") == 0)
    return false;
  if (is_input(v) || strcmp(v->causality, "parameter") == 0) return true;
  return v->initial && (strcmp(v->initial, "exact") == 0 || strcmp(v->initial, "approx") == 0);
}

/* The value of a number, of a whole number or of a boolean. */
static bool read_number(const struct read_variable *v, const struct node *n, double *value, struct report *r)
{
  const struct key number = NUMBER(v->name, "", ANY, REQUIRED, AT_START, 0, "");
  const struct key flag = FLAG(v->name, REQUIRED, AT_START, 0, "");
  bool set = false;
  if (v->kind == FMU_Boolean) {
    const bool good = schema_read_key(&flag, n, &set, r);
    *value = set;
    return good;
  }
  if (!schema_read_key(&number, n, value, r)) return false;
  if (v->kind <= FMU_Float32 || *value == nearbyint(*value)) return true;
  report_error(r, n->at, "%s: expected a whole number, found %g", v->name, *value);
  return false;
}

static bool read_preset(struct participant *p, const struct node *n, struct preset *to, struct report *r)
{
  const struct description *d = &fmu_of(p)->description;
  struct nearest near = {.word = n->key};
  const struct read_variable *v = variable_named(d, n->key, &near);
  /* The variable, then the form of the value. */
  if (!v && near.best)
    report_error(r, n->key_at, "%s has no variable \"%s\"; did you mean \"%s\"?", p->name, n->key, near.best);
  else if (!v)
    report_error(r, n->key_at, "%s has no variable \"%s\"; ali3-fmu info lists them", p->name, n->key);
  else if (!may_be_set(v))
    report_error(r, n->key_at, "\"%s\" of %s is calculated, or constant, and cannot be set", v->name,
                 p->name);
  else if (v->array || v->kind == FMU_OTHER || n->kind != NODE_SCALAR)
    report_error(r, n->key_at, "\"%s\" of %s: expected one number, or the text of a String", v->name,
                 p->name);
  else {
    *to = (struct preset){.variable = v, .text = v->kind == FMU_String ? n->text : NULL};
    return to->text || read_number(v, n, &to->number, r);
  }
  return false;
}

bool fmu_read_presets(struct participant *p, struct report *r)
{
  struct fmu *f = fmu_of(p);
  if (!p->start) return true;
  if (p->start->kind != NODE_MAP) {
    report_error(r, p->start->at, "start: expected {VARIABLE: VALUE}");
    return false;
  }
  f->preset = calloc((size_t)p->start->count + 1, sizeof *f->preset);
  if (!f->preset) {
    report_error(r, p->at, "out of memory");
    return false;
  }
  bool good = true;
  for (const struct node *n = p->start->first; n; n = n->next)
    good &= read_preset(p, n, &f->preset[f->presets++], r);
  return good;
}
