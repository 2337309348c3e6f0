/* SPDX-License-Identifier: MIT
 * The list of forces: constant loads, and connections between bodies or on joints, each type with keys of its
 * own (keys_forces.c). Here is which keys go together, and which body or joint is meant. Set-up only. */
#include "config/builder.h"
#include "math/vec3.h"
#include "yaml/nearest.h"

#include <stdlib.h>
#include <string.h>

/* Index of the joint that `n` names; -1 after reporting that there is none, or if it was refused for its own
 * mistake. */
static int find_joint(const struct builder *b, const struct node *n)
{
  int index = ali3_model_find_joint(b->model, n->text);
  if (index >= 0) return index;

  struct nearest near = {.word = n->text};
  for (const struct node *j = node_elements(b->mapping, "joints"); j; j = j->next) {
    const struct node *name = node_find(j, "name");
    if (!name || name->kind != NODE_SCALAR) continue;
    if (strcmp(name->text, n->text) == 0) return -1;
    nearest_try(&near, name->text);
  }
  if (near.best)
    report_error(b->report, n->at, "%s: no joint is named \"%.40s\"; did you mean \"%.40s\"?", n->key,
                 n->text, near.best);
  else
    report_error(b->report, n->at, "%s: no joint is named \"%.40s\"", n->key, n->text);
  return -1;
}

static bool find_ends(const struct builder *b, const struct node *n, ali3_force_spec *spec)
{
  if (!ali3_force_type_on_joint(spec->type)) {
    spec->body_a = mechanism_body(b->bodies, node_find(n, "body_a"), b->report);
    spec->body_b = mechanism_body(b->bodies, node_find(n, "body_b"), b->report);
    return spec->body_a >= ALI3_GROUND && spec->body_b >= ALI3_GROUND;
  }
  spec->joint = find_joint(b, node_find(n, "joint"));
  if (spec->type == ALI3_FORCE_GEAR) spec->joint_b = find_joint(b, node_find(n, "joint_b"));
  return spec->joint >= 0 && spec->joint_b >= 0;
}

/* A drive has a function, a motion, or is led from outside: keys of another one would be read for nothing. */
static void check_drive_keys(const struct builder *b, const struct node *n, bool external)
{
  static const char *const function[] = {"offset", "speed", "amplitude", "frequency", "phase"};
  static const char *const limit[] = {"max_rate", "max_acceleration"};
  for (size_t i = 0; i < sizeof function / sizeof *function; i++) {
    report_both(b, n, "motion", function[i]);
    if (external) report_both(b, n, "external", function[i]);
  }
  if (external) report_both(b, n, "external", "motion");
  for (size_t i = 0; i < sizeof limit / sizeof *limit; i++) {
    const struct node *given = node_find(n, limit[i]);
    if (external && !given)
      report_error(b->report, n->at, "missing key \"%s\" in a drive with external: true", limit[i]);
    if (given && !external)
      report_error(b->report, given->key_at, "\"%s\" has no meaning for a drive without external: true",
                   limit[i]);
  }
}

static bool check_keys(const struct builder *b, const struct node *n, const ali3_force_spec *spec)
{
  int before = b->report->errors;
  report_both(b, n, "force_table", "stiffness");
  report_both(b, n, "damping_table", "damping");
  if (spec->type == ALI3_FORCE_DRIVE) check_drive_keys(b, n, spec->external);
  return b->report->errors == before;
}

static bool same_text(const struct node *a, const struct node *b, const char *key, const char *key_b)
{
  const struct node *x = node_find(a, key), *y = node_find(b, key_b);
  return x && y && x->kind == NODE_SCALAR && y->kind == NODE_SCALAR && strcmp(x->text, y->text) == 0;
}

/* Reports why the model refused a force. If two drives or two gears act on the same joints, the report has both lines. */
static void report_force(const struct builder *b, const struct node *n, const ali3_force_spec *spec)
{
  const ali3_problem *p = ali3_model_problem(b->model);
  const bool gear = spec->type == ALI3_FORCE_GEAR && strcmp(p->field, "ratio") == 0;
  const bool drive = spec->type == ALI3_FORCE_DRIVE && strcmp(p->field, "joint") == 0;
  const struct node *other = gear || drive ? node_elements(b->mapping, "forces") : NULL;
  for (; other && other != n; other = other->next) {
    if (!same_text(n, other, "type", "type")) continue;
    if (drive && same_text(n, other, "joint", "joint")) break;
    if (gear && same_text(n, other, "joint", "joint") && same_text(n, other, "joint_b", "joint_b")) break;
    if (gear && same_text(n, other, "joint", "joint_b") && same_text(n, other, "joint_b", "joint")) break;
  }
  if (other && other != n)
    report_error(b->report, n->at, "%s (the first one is in line %d)", p->text, other->at.line);
  else
    report_problem(b, n);
}

static void add_connection(const struct builder *b, const struct node *n, ali3_force_type type)
{
  struct connection_values v = {.spec = ali3_force_spec_default(type)};
  if (schema_read(&schema_connection[type], n, &v, b->report)) {
    bool keys = check_keys(b, n, &v.spec), ends = find_ends(b, n, &v.spec);
    if (keys && ends) {
      const int force = ali3_model_add_force(b->model, &v.spec);
      if (force < 0)
        report_force(b, n, &v.spec);
      else
        keep_place(b, &b->places->force, force, n);
    }
  }
  free((void *)v.spec.force_table.point); /* the model has its own */
  free((void *)v.spec.damping_table.point);
  free((void *)v.spec.motion.point);
}

static void add_load(const struct builder *b, const struct node *n)
{
  struct force_values v = {0};
  if (!schema_read(&schema_force, n, &v, b->report)) return;
  v.spec.type = (ali3_load_type)v.type;
  bool force = v.spec.type == ALI3_LOAD_FORCE;
  const char *own = force ? "force" : "torque";
  const struct node *other = node_find(n, force ? "torque" : "force");
  if (!other && !force) other = node_find(n, "point");
  if (other) {
    report_error(b->report, other->key_at, "\"%s\" has no meaning for the type %s", other->key, own);
    return;
  }
  if (!node_find(n, own)) {
    report_error(b->report, n->at, "missing key \"%s\" in a force of type %s", own, own);
    return;
  }
  v.spec.body = mechanism_body(b->bodies, node_find(n, "body"), b->report);
  if (v.spec.body < ALI3_GROUND) return;
  v3_copy(v.spec.vector, force ? v.force : v.torque);
  v.spec.body_axes = v.axes == AXES_BODY;
  if (ali3_model_add_load(b->model, &v.spec) < 0) report_problem(b, n);
}

void forces_add(const struct builder *b, const struct node *n)
{
  const struct node *type = node_find(n, "type");
  for (int i = 0; type && type->kind == NODE_SCALAR && i < ALI3_FORCE_TYPES; i++)
    if (strcmp(type->text, ali3_force_type_name((ali3_force_type)i)) == 0) {
      add_connection(b, n, (ali3_force_type)i);
      return;
    }
  add_load(b, n); /* which also says that a type is none */
}
