/* SPDX-License-Identifier: MIT
 * Builds an ali3_model from the mapping "model". The model layer alone decides whether a mechanism is valid; this file adds
 * line and column to its reasons. Set-up only. */
#include "config/mechanism.h"
#include "math/euler.h"
#include "math/vec3.h"
#include "model/spec_fields.h"
#include "yaml/nearest.h"

#include <ali3/model.h>
#include <stdlib.h>
#include <string.h>

/* Pose at the start, for the keys in world axes: at, axis. */
struct frame_at_start {
  double position[3], rotation[9];
};

struct builder {
  ali3_model *model;
  const struct node *mapping; /* the "model" mapping */
  struct names *bodies;
  struct frame_at_start *frame; /* (bodies of the model) */
  struct places *places;
  struct report *report;
};

/* --- reports --- */

/* The node of the key that gave a field of the spec; the element if the file does not have the key. */
static const struct node *key_of_field(const struct node *element, const char *field)
{
  static const struct {
    const char *field, *key;
  } other[] = {{"point_a", "at"},   {"point_b", "at"},    {"axis_a", "axis"},    {"axis_b", "axis"},
               {"vector", "force"}, {"vector", "torque"}, {"radius_b", "radius"}};
  const struct node *n = node_find(element, field);
  for (size_t i = 0; !n && i < sizeof other / sizeof *other; i++)
    if (strcmp(other[i].field, field) == 0) n = node_find(element, other[i].key);
  return n ? n : element;
}

/* Reports why the model layer refused an element, at the key that it names. */
static void report_problem(const struct builder *b, const struct node *element)
{
  const ali3_problem *p = ali3_model_problem(b->model);
  const struct node *n = key_of_field(element, p->field);
  if (n == element)
    report_error(b->report, n->at, "%s", p->text);
  else
    report_error(b->report, n->at, "%s: %s", n->key, p->text);
}

/* Reports two keys of an element that exclude each other. */
static void report_both(const struct builder *b, const struct node *element, const char *key,
                        const char *other)
{
  const struct node *n = node_find(element, key);
  if (n && node_find(element, other))
    report_error(b->report, n->key_at, "\"%s\" stands for \"%s\": expected one of the two keys, found both",
                 key, other);
}

/* Keeps the place of element `index` of the model. index < 0: reports why the model refused it. */
static void keep_place(const struct builder *b, struct place_list *list, int index,
                       const struct node *element)
{
  if (index < 0)
    report_problem(b, element);
  else if (!places_add(list, index, report_own_place(b->report, element->at)))
    report_error(b->report, element->at, "out of memory");
}

int mechanism_body(const struct names *bodies, const struct node *n, struct report *r)
{
  if (strcmp(n->text, "ground") == 0) return ALI3_GROUND;
  int index = names_find(bodies, n->text);
  if (index != BODY_UNKNOWN) return index;

  struct nearest near = {.word = n->text};
  nearest_try(&near, "ground");
  for (size_t i = 0; i < bodies->room; i++)
    if (bodies->slot[i].key) nearest_try(&near, bodies->slot[i].key);
  report_no_name(r, n, "body", &near);
  return BODY_UNKNOWN;
}

/* Finds the bodies of an element: a key names each of them, as the field of the spec is called. False after a mistake, which is
 * reported, or if the mistake of a body was reported before. */
static bool read_body_names(const struct builder *b, const struct node *n, enum spec_element element,
                            void *spec)
{
  bool good = true;
  for (int i = 0; i < spec_fields[element].fields; i++) {
    const struct spec_field *f = &spec_fields[element].field[i];
    const struct node *name = f->kind == SPEC_BODY ? node_find(n, f->name) : NULL;
    if (!name) continue;
    const int body = mechanism_body(b->bodies, name, b->report);
    memcpy((char *)spec + f->at, &body, sizeof body);
    good &= body >= ALI3_GROUND;
  }
  return good;
}

/* --- forces: constant loads, and force elements between bodies or on joints --- */

/* Index of the joint that `n` names. -1: no joint has the name, which is reported, or the joint was refused for a mistake. */
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
  report_no_name(b->report, n, "joint", &near);
  return -1;
}

static bool find_ends(const struct builder *b, const struct node *n, ali3_force_spec *spec)
{
  if (!ali3_force_type_on_joint(spec->type)) return read_body_names(b, n, SPEC_OF_FORCE, spec);
  spec->joint = find_joint(b, node_find(n, "joint"));
  if (spec->type == ALI3_FORCE_GEAR) spec->joint_b = find_joint(b, node_find(n, "joint_b"));
  return spec->joint >= 0 && spec->joint_b >= 0;
}

/* A drive follows a function, a table or an input. The keys of the two others would have no effect, and are reported. */
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
      report_error(b->report, n->at,
                   "missing key \"%s\" in a drive with external: true: expected a number > 0", limit[i]);
    if (given && !external)
      report_error(b->report, given->key_at,
                   "\"%s\" has no meaning for a drive without external: true; remove it", limit[i]);
  }
}

static bool check_force_keys(const struct builder *b, const struct node *n, const ali3_force_spec *spec)
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
  char place[PLACE_SHOWN];
  if (other && other != n)
    report_error(b->report, n->at, "%s (the first one is in %s)", p->text,
                 report_place(b->report, other->at, place));
  else
    report_problem(b, n);
}

static void add_connection(const struct builder *b, const struct node *n, ali3_force_type type)
{
  struct connection_values v = {.spec = ali3_force_spec_default(type)};
  if (schema_read(&schema_connection[type], n, &v, b->report)) {
    bool keys = check_force_keys(b, n, &v.spec), ends = find_ends(b, n, &v.spec);
    if (keys && ends) {
      const int force = ali3_model_add_force(b->model, &v.spec);
      if (force < 0)
        report_force(b, n, &v.spec);
      else
        keep_place(b, &b->places->force, force, n);
    }
  }
  free((void *)v.spec.force_table.point); /* the model has copies */
  free((void *)v.spec.damping_table.point);
  free((void *)v.spec.motion.point);
}

static void add_load(const struct builder *b, const struct node *n)
{
  struct force_values v = {0};
  if (!schema_read(&schema_force, n, &v, b->report)) return;
  v.spec.type = (ali3_load_type)v.type;
  if (!read_body_names(b, n, SPEC_OF_LOAD, &v.spec)) return;
  v3_copy(v.spec.vector, v.spec.type == ALI3_LOAD_FORCE ? v.force : v.torque);
  v.spec.body_axes = v.axes == AXES_BODY;
  if (ali3_model_add_load(b->model, &v.spec) < 0) report_problem(b, n);
}

/* Bodies and joints were read before. */
static void add_force_element(const struct builder *b, const struct node *n)
{
  const struct node *type = node_find(n, "type");
  for (int i = 0; type && type->kind == NODE_SCALAR && i < ALI3_FORCE_TYPES; i++)
    if (strcmp(type->text, ali3_force_type_name((ali3_force_type)i)) == 0) {
      add_connection(b, n, (ali3_force_type)i);
      return;
    }
  add_load(b, n); /* which also reports an unknown type */
}

/* --- bodies, joints, sensors --- */

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
  struct body_values v = {0};
  int index = BODY_REFUSED;
  if (schema_read(&schema_body, n, &v, b->report)) {
    index = ali3_model_add_body(b->model, &v.spec);
    keep_place(b, &b->places->body, index, n);
    if (index < 0) {
      index = BODY_REFUSED;
    } else {
      v3_copy(b->frame[index].position, v.spec.position);
      p_rotation(b->frame[index].rotation, v.spec.orientation);
    }
  }
  if (!v.spec.name || names_find(b->bodies, v.spec.name) != BODY_UNKNOWN) return true;
  return names_add(b->bodies, v.spec.name, index);
}

static void report_missing_key(const struct builder *b, const struct node *joint, const char *key,
                               const char *shorthand, const char *type)
{
  if (node_find(joint, key) || (shorthand && node_find(joint, shorthand))) return;
  if (shorthand)
    report_error(
        b->report, joint->at,
        "missing key \"%s\" (or \"%s\", in world axes) in a %s joint: expected three numbers [x, y, z]", key,
        shorthand, type);
  else
    report_error(b->report, joint->at, "missing key \"%s\" in a %s joint: expected three numbers [x, y, z]",
                 key, type);
}

/* A joint has the points and axes of its type, each once. axis_b is allowed wherever axis_a is, because programs write both. */
static bool check_joint_keys(const struct builder *b, const struct node *n, ali3_joint_type type)
{
  const char *name = ali3_joint_type_name(type);
  bool axis_a = ali3_joint_type_has_axis_a(type), axis_b = ali3_joint_type_has_axis_b(type);
  /* The axes of a universal joint differ, and so do the points of a distance joint. */
  bool by_axis = axis_a && type != ALI3_JOINT_UNIVERSAL, by_point = type != ALI3_JOINT_DISTANCE;
  int before = b->report->errors;

  report_both(b, n, "at", "point_a");
  report_both(b, n, "at", "point_b");
  report_both(b, n, "axis", "axis_a");
  report_both(b, n, "axis", "axis_b");
  const struct node *position = node_find(n, "position");
  if (position && type == ALI3_JOINT_PRISMATIC && schema_in_degrees(position))
    report_error(b->report, position->at,
                 "position: expected a number in metres for a prismatic joint, found %.40s", position->text);
  if (b->report->errors > before) return false;

  report_missing_key(b, n, "point_a", by_point ? "at" : NULL, name);
  report_missing_key(b, n, "point_b", by_point ? "at" : NULL, name);
  if (axis_a) report_missing_key(b, n, "axis_a", by_axis ? "axis" : NULL, name);
  if (axis_b) report_missing_key(b, n, "axis_b", by_axis ? "axis" : NULL, name);
  return b->report->errors == before;
}

static void add_joint(struct builder *b, const struct node *n)
{
  struct joint_values v = {0};
  if (!schema_read(&schema_joint, n, &v, b->report)) return;
  v.spec.type = (ali3_joint_type)v.type;
  const bool found = read_body_names(b, n, SPEC_OF_JOINT, &v.spec);
  if (!check_joint_keys(b, n, v.spec.type) || !found) return;

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

/* Index of the force element that `n` names; -1: none has the name, which is reported, or it was refused for a mistake. */
static int find_force(const struct builder *b, const struct node *n)
{
  struct nearest near = {.word = n->text};
  for (const struct node *f = node_elements(b->mapping, "forces"); f; f = f->next) {
    const struct node *name = node_find(f, "name"), *type = node_find(f, "type");
    if (!name || name->kind != NODE_SCALAR || !type || type->kind != NODE_SCALAR) continue;
    nearest_try(&near, name->text);
    if (strcmp(name->text, n->text) != 0) continue;
    const bool load = strcmp(type->text, "force") == 0 || strcmp(type->text, "torque") == 0;
    if (load)
      report_error(b->report, n->at, "force: \"%.40s\" is a constant %s: expected a force element", n->text,
                   type->text);
    return load ? -1 : ali3_model_find_force(b->model, n->text);
  }
  report_no_name(b->report, n, "force", &near);
  return -1;
}

/* Finds the bodies, the joint or the force element that a sensor measures. */
static bool find_measured(const struct builder *b, const struct node *n, ali3_sensor_spec *spec)
{
  bool good = read_body_names(b, n, SPEC_OF_SENSOR, spec);
  if (spec->type == ALI3_SENSOR_ENCODER) good = (spec->joint = find_joint(b, node_find(n, "joint"))) >= 0;
  if (spec->type == ALI3_SENSOR_LOAD_CELL) good = (spec->force = find_force(b, node_find(n, "force"))) >= 0;
  return good;
}

static void require_pair(const struct builder *b, const struct node *n, const char *key, const char *other)
{
  const struct node *given = node_find(n, key);
  if (given && !node_find(n, other))
    report_error(b->report, given->key_at, "\"%s\" needs the key \"%s\" beside it", key, other);
}

/* The resolution by the bits of a converter, or by increments of a turn. */
static bool read_resolution(const struct builder *b, const struct node *n, struct sensor_values *v)
{
  static const double TURN = 6.283185307179586;
  const int before = b->report->errors;
  /* keys that exclude or need each other */
  report_both(b, n, "bits", "resolution");
  report_both(b, n, "increments", "resolution");
  report_both(b, n, "increments", "bits");
  require_pair(b, n, "lower", "upper");
  require_pair(b, n, "upper", "lower");
  require_pair(b, n, "angular_lower", "angular_upper");
  require_pair(b, n, "angular_upper", "angular_lower");
  require_pair(b, n, "bits", "upper");
  const struct node *increments = node_find(n, "increments");
  if (increments && v->spec.type == ALI3_SENSOR_ENCODER &&
      ali3_model_joint_type(b->model, v->spec.joint) != ALI3_JOINT_REVOLUTE)
    report_error(
        b->report, increments->key_at,
        "\"increments\" are those of a turn, and the joint does not turn: expected the key \"resolution\"");
  if (b->report->errors > before) return false;
  if (v->bits > 0)
    for (int i = 0; i < 2; i++) v->spec.resolution[i] = ldexp(v->spec.upper[i] - v->spec.lower[i], -v->bits);
  if (v->increments > 0) v->spec.resolution[0] = TURN / v->increments;
  return true;
}

static void add_sensor(struct builder *b, const struct node *n)
{
  struct sensor_values v = {0};
  if (!schema_read(&schema_sensor, n, &v, b->report)) return;
  v.spec.type = (ali3_sensor_type)v.type;
  if (!find_measured(b, n, &v.spec) || !read_resolution(b, n, &v)) return;
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

/* It goes on after a mistake, so that one run reports as many mistakes as it can. */
static void build_model(struct builder *b, const struct node *model, ali3_options *options)
{
  struct model_values v = {0};
  /* the keys of the model, then its lists */
  if (schema_read(&schema_model, model, &v, b->report)) {
    options->assembly_position = v.assembly_position;
    options->assembly_angle = v.assembly_angle;
    options->assembly_velocity = v.assembly_velocity;
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
    if (n->kind == NODE_MAP) add_force_element(b, n);
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
    build_model(&b, model, options);
  else
    report_error(r, model->at, "out of memory");
  free(b.frame);
  if (r->errors == before) return b.model;
  ali3_model_free(b.model);
  return NULL;
}
