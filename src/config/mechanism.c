/* SPDX-License-Identifier: MIT
 * From the "model" mapping to an ali3_model. What makes a mechanism valid is decided by the model layer
 * alone; here its verdicts get their line and column. Set-up only. */
#include "config/builder.h"
#include "math/euler.h"
#include "math/vec3.h"
#include "yaml/nearest.h"

#include <stdlib.h>
#include <string.h>

static void axis_to_local(const struct builder *b, int body, const double world[3], double local[3])
{
  if (body == ALI3_GROUND)
    v3_copy(local, world);
  else
    m3_tmul(local, b->frame[body].rotation, world);
}

static void point_to_local(const struct builder *b, int body, const double world[3], double local[3])
{
  double arm[3];
  v3_copy(arm, world);
  if (body != ALI3_GROUND) v3_sub(arm, world, b->frame[body].position);
  axis_to_local(b, body, arm, local);
}

static bool add_body(struct builder *b, const struct node *n)
{
  ali3_body_spec spec = {0};
  int index = BODY_REFUSED;
  if (schema_read(&schema_body, n, &spec, b->report)) {
    index = ali3_model_add_body(b->model, &spec);
    keep_place(b, &b->places->body, index, n);
    if (index < 0) {
      index = BODY_REFUSED;
    } else {
      v3_copy(b->frame[index].position, spec.position);
      p_rotation(b->frame[index].rotation, spec.orientation);
    }
  }
  if (!spec.name || names_find(b->bodies, spec.name) != BODY_UNKNOWN) return true;
  return names_add(b->bodies, spec.name, index);
}

static void only_if(bool has, const struct builder *b, const struct node *joint, const char *key,
                    const char *type)
{
  const struct node *n = node_find(joint, key);
  if (n && !has) report_error(b->report, n->key_at, "\"%s\" has no meaning for a %s joint", key, type);
}

static void needs(const struct builder *b, const struct node *joint, const char *key, const char *shorthand,
                  const char *type)
{
  if (node_find(joint, key) || (shorthand && node_find(joint, shorthand))) return;
  if (shorthand)
    report_error(b->report, joint->at, "missing key \"%s\" (or \"%s\", in the world) in a %s joint", key,
                 shorthand, type);
  else
    report_error(b->report, joint->at, "missing key \"%s\" in a %s joint", key, type);
}

/* Which keys go with which type. An axis_b beside an axis_a is let pass everywhere: programs write both. */
static bool check_joint_keys(const struct builder *b, const struct node *n, ali3_joint_type type)
{
  const char *name = ali3_joint_type_name(type);
  bool axis_a = ali3_joint_type_has_axis_a(type), axis_b = ali3_joint_type_has_axis_b(type);
  /* One axis cannot say two perpendicular ones, nor one point a distance. */
  bool by_axis = axis_a && type != ALI3_JOINT_UNIVERSAL, by_point = type != ALI3_JOINT_DISTANCE;
  bool oriented = type == ALI3_JOINT_FIXED || type == ALI3_JOINT_PRISMATIC;
  int before = b->report->errors;

  only_if(by_point, b, n, "at", name);
  only_if(by_axis, b, n, "axis", name);
  only_if(axis_a, b, n, "axis_a", name);
  only_if(axis_a, b, n, "axis_b", name);
  only_if(type == ALI3_JOINT_DISTANCE, b, n, "length", name);
  only_if(oriented, b, n, "relative_orientation", name);
  only_if(type == ALI3_JOINT_REVOLUTE || type == ALI3_JOINT_PRISMATIC, b, n, "position", name);
  report_both(b, n, "at", "point_a");
  report_both(b, n, "at", "point_b");
  report_both(b, n, "axis", "axis_a");
  report_both(b, n, "axis", "axis_b");
  const struct node *position = node_find(n, "position");
  if (position && type == ALI3_JOINT_PRISMATIC && schema_in_degrees(position))
    report_error(b->report, position->at, "position: expected metres in a prismatic joint, found %.40s",
                 position->text);
  if (b->report->errors > before) return false;

  needs(b, n, "point_a", by_point ? "at" : NULL, name);
  needs(b, n, "point_b", by_point ? "at" : NULL, name);
  if (axis_a) needs(b, n, "axis_a", by_axis ? "axis" : NULL, name);
  if (axis_b) needs(b, n, "axis_b", by_axis ? "axis" : NULL, name);
  return b->report->errors == before;
}

static void add_joint(struct builder *b, const struct node *n)
{
  struct joint_values v = {0};
  if (!schema_read(&schema_joint, n, &v, b->report)) return;
  v.spec.type = (ali3_joint_type)v.type;
  v.spec.body_a = mechanism_body(b->bodies, node_find(n, "body_a"), b->report);
  v.spec.body_b = mechanism_body(b->bodies, node_find(n, "body_b"), b->report);
  if (!check_joint_keys(b, n, v.spec.type) || v.spec.body_a < ALI3_GROUND || v.spec.body_b < ALI3_GROUND)
    return;

  if (node_find(n, "at")) {
    point_to_local(b, v.spec.body_a, v.at, v.spec.point_a);
    point_to_local(b, v.spec.body_b, v.at, v.spec.point_b);
  }
  if (node_find(n, "axis")) {
    axis_to_local(b, v.spec.body_a, v.axis, v.spec.axis_a);
    axis_to_local(b, v.spec.body_b, v.axis, v.spec.axis_b);
  }
  keep_place(b, &b->places->joint, ali3_model_add_joint(b->model, &v.spec), n);
}

static void add_sensor(struct builder *b, const struct node *n)
{
  struct sensor_values v = {0};
  if (!schema_read(&schema_sensor, n, &v, b->report)) return;
  v.spec.type = (ali3_sensor_type)v.type;
  const struct node *orientation = node_find(n, "orientation");
  if (orientation && v.spec.type == ALI3_SENSOR_POINT) {
    report_error(b->report, orientation->key_at, "\"orientation\" has no meaning for the type point");
    return;
  }
  v.spec.body = mechanism_body(b->bodies, node_find(n, "body"), b->report);
  if (v.spec.body < ALI3_GROUND) return;
  if (ali3_model_add_sensor(b->model, &v.spec) < 0) report_problem(b, n);
}

static bool add_bodies(struct builder *b, const struct node *model)
{
  const struct node *list = node_find(model, "bodies");
  b->frame = calloc(list ? (size_t)list->count + 1 : 1, sizeof *b->frame);
  bool memory = b->frame != NULL;
  for (const struct node *n = node_elements(model, "bodies"); memory && n; n = n->next)
    if (n->kind == NODE_MAP) memory = add_body(b, n);
  return memory;
}

/* Goes on after a mistake, so that one run shows as many as it can. */
static void build(struct builder *b, const struct node *model, ali3_options *options)
{
  struct model_values v = {0};
  if (schema_read(&schema_model, model, &v, b->report)) {
    options->assembly_position = v.assembly_position;
    options->assembly_angle = v.assembly_angle;
    if (ali3_model_set_name(b->model, v.name) < 0) report_problem(b, model);
    if (ali3_model_set_gravity(b->model, v.gravity) < 0) report_problem(b, model);
  }
  if (!add_bodies(b, model)) {
    report_error(b->report, model->at, "out of memory");
    return;
  }
  for (const struct node *n = node_elements(model, "joints"); n; n = n->next)
    if (n->kind == NODE_MAP) add_joint(b, n);
  for (const struct node *n = node_elements(model, "forces"); n; n = n->next)
    if (n->kind == NODE_MAP) forces_add(b, n);
  for (const struct node *n = node_elements(model, "sensors"); n; n = n->next)
    if (n->kind == NODE_MAP) add_sensor(b, n);
}

ali3_model *mechanism_build(const struct node *model, struct names *bodies, ali3_options *options,
                            struct places *places, struct report *r)
{
  struct builder b = {
      .model = ali3_model_new(), .mapping = model, .bodies = bodies, .places = places, .report = r};
  const struct node *gravity = node_find(model, "gravity");
  int before = r->errors;
  places->file = strdup(r->source->file);
  places->model = model->at;
  places->gravity = gravity ? gravity->key_at : (struct place){0};
  if (b.model && places->file)
    build(&b, model, options);
  else
    report_error(r, model->at, "out of memory");
  free(b.frame);
  if (r->errors == before) return b.model;
  ali3_model_free(b.model);
  return NULL;
}
