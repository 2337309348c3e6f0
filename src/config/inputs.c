/* SPDX-License-Identifier: MIT
 * From the "inputs" list to what each input acts on: the loads it gets in the model, or the force element
 * whose value it is. Set-up only. */
#include "config/nearest.h"
#include "config/values.h"

#include <stdlib.h>
#include <string.h>

struct reader {
  ali3_model *model; /* NULL: has mistakes of its own */
  const struct names *bodies;
  struct settings *settings;
  struct report *report;
};

/* Which keys go with what it acts on. */
static bool check_keys(const struct reader *rd, const struct node *n)
{
  static const char *const of_body[] = {"point", "axes", "limit_force", "limit_torque", NULL},
                           *const of_force[] = {"limit", NULL};
  const struct node *body = node_find(n, "body"), *force = node_find(n, "force"), *stray;
  int before = rd->report->errors;
  if (!body && !force) {
    report_error(rd->report, n->at, "missing key \"body\" (or \"force\") in an input");
    return false;
  }
  if (body && force) {
    report_error(rd->report, force->key_at,
                 "an input acts on a body or on a force: expected one of the two keys, found both");
    return false;
  }
  for (const char *const *key = body ? of_force : of_body; *key; key++)
    if ((stray = node_find(n, *key)))
      report_error(rd->report, stray->key_at, "\"%s\" has no meaning for an input on a %s", *key,
                   body ? "body" : "force");
  return rd->report->errors == before;
}

static bool act_on_body(const struct reader *rd, const struct node *n, struct input_values *v)
{
  const struct node *body = node_find(n, "body");
  v->spec.kind = INPUT_WRENCH;
  v->spec.body = mechanism_body(rd->bodies, body, rd->report);
  if (v->spec.body == ALI3_GROUND)
    report_error(rd->report, body->at,
                 "body: expected the name of a body, found ground, which nothing moves");
  if (v->spec.body < 0) return false;
  if (!rd->model || input_add_loads(rd->model, &v->spec, v->point, v->axes == AXES_BODY) >= 0) return true;
  report_error(rd->report, n->at, "%s", ali3_model_problem(rd->model)->text);
  return false;
}

static void report_no_force(const struct reader *rd, const struct node *n)
{
  struct nearest near = {.word = n->text};
  for (int i = 0; i < ali3_model_forces(rd->model); i++)
    nearest_try(&near, ali3_model_force_name(rd->model, i));
  if (near.best)
    report_error(rd->report, n->at, "force: no force is named \"%.40s\"; did you mean \"%.40s\"?", n->text,
                 near.best);
  else
    report_error(rd->report, n->at, "force: no force is named \"%.40s\"", n->text);
}

static bool act_on_force(const struct reader *rd, const struct node *n, struct input_values *v)
{
  const struct node *force = node_find(n, "force");
  const struct settings *s = rd->settings;
  v->spec.kind = INPUT_VALUE;
  if (!rd->model) return true; /* its forces are not all known */
  v->spec.force = ali3_model_find_force(rd->model, v->force);
  bool load = ali3_model_find_load(rd->model, v->force) >= 0;
  if (v->spec.force < 0 && !load) {
    report_no_force(rd, force);
    return false;
  }
  ali3_force_type type = load ? ALI3_FORCE_TYPES : ali3_model_force_type(rd->model, v->spec.force);
  if (load || !ali3_force_type_takes_value(type)) {
    report_error(
        rd->report, force->at,
        "force: input '%s': force '%.40s' is a %s, which takes no value; expected a motor or a drive",
        v->name, v->force, load ? "constant load" : ali3_force_type_name(type));
    return false;
  }
  for (int i = 0; i < s->inputs; i++)
    if (s->input[i].kind == INPUT_VALUE && s->input[i].force == v->spec.force) {
      report_error(rd->report, force->at,
                   "force: input '%s': force '%.40s' has its value from input '%s' already", v->name,
                   v->force, s->input[i].name);
      return false;
    }
  return true;
}

/* False when out of memory; mistakes are in the report. */
static bool read_input(const struct reader *rd, const struct node *n, struct names *seen)
{
  struct settings *s = rd->settings;
  struct input_values v = {0};
  if (n->kind != NODE_MAP || !schema_read(&schema_input, n, &v, rd->report)) return true;
  const struct node *name = node_find(n, "name");
  if (!is_name(v.name)) {
    report_error(rd->report, name->at, NAME_EXPECTED, NAME_LENGTH_MAX, v.name);
    return true;
  }
  if (names_find(seen, v.name) >= 0) {
    report_error(rd->report, name->at, "name: two inputs are named \"%s\"", v.name);
    return true;
  }
  if (!check_keys(rd, n)) return true;
  if (!(v.body ? act_on_body(rd, n, &v) : act_on_force(rd, n, &v))) return true;
  v.spec.policy = (enum input_policy)v.policy;
  v.spec.name = strdup(v.name);
  if (!v.spec.name) return false;
  s->input[s->inputs++] = v.spec;
  return names_add(seen, v.name, s->inputs);
}

bool inputs_read(const struct node *list, ali3_model *m, const struct names *bodies, struct settings *s,
                 struct report *r)
{
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  s->input = calloc((size_t)list->count, sizeof *s->input);
  if (!s->input) return false;

  const struct reader rd = {.model = m, .bodies = bodies, .settings = s, .report = r};
  struct names seen = {0};
  bool memory = true;
  for (const struct node *n = list->first; n && memory; n = n->next) memory = read_input(&rd, n, &seen);
  names_free(&seen);
  return memory;
}
