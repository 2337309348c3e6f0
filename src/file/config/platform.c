/* SPDX-License-Identifier: MIT
 * The section "platform": what moves it, what it is made of, and whether that can be. Set-up only. */
#include "config/sections.h"
#include "cueing/params.h"
#include "yaml/nearest.h"

#include <ali3/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double radians_of(double degrees)
{
  return degrees * (M_PI / 180.0);
}

/* -1: none is given, or it cannot be this one, which is reported. */
static int find_sensor(const ali3_model *m, const struct node *n, ali3_sensor_type type, struct report *r)
{
  struct nearest near = {.word = n ? n->text : ""};
  for (int i = 0; n && i < ali3_model_sensors(m); i++) {
    nearest_try(&near, ali3_model_sensor_name(m, i));
    if (strcmp(ali3_model_sensor_name(m, i), n->text) != 0) continue;
    if (ali3_model_sensor_type(m, i) == type) return i;
    report_error(r, n->at, "%s: expected a sensor of the type %s, found \"%.40s\", a %s", n->key,
                 ali3_sensor_type_name(type), n->text, ali3_sensor_type_name(ali3_model_sensor_type(m, i)));
    return -1;
  }
  if (n) report_no_name(r, n, "sensor", &near);
  return -1;
}

static int find_pose_input(const struct settings *s, const struct node *n, struct report *r)
{
  struct nearest near = {.word = n ? n->text : ""};
  for (int i = 0; n && i < s->inputs; i++) {
    nearest_try(&near, s->input[i].name);
    if (strcmp(s->input[i].name, n->text) != 0) continue;
    if (s->input[i].kind == INPUT_POSE) return i;
    report_error(r, n->at, "input: expected an input with \"platform: pose\", found \"%.40s\"", n->text);
    return -1;
  }
  if (n) report_no_name(r, n, "input", &near);
  return -1;
}

static void connect_sources(const struct node *section, struct file_values *v, struct report *r)
{
  static const char *const needs[] = {
      [PLATFORM_POSE] = "pose", [PLATFORM_WASHOUT] = "imu", [PLATFORM_EXTERNAL] = "input"};
  struct platform_setup *p = &v->settings.platform;
  p->imu = find_sensor(v->settings.model, node_find(section, "imu"), ALI3_SENSOR_IMU, r);
  p->pose = find_sensor(v->settings.model, node_find(section, "pose"), ALI3_SENSOR_POSE, r);
  p->input = find_pose_input(&v->settings, node_find(section, "input"), r);
  const struct node *mode = node_find(section, "mode");
  if (node_find(section, needs[p->spec.mode])) return;
  report_error(r, mode ? mode->at : section->at, "mode: %s%s needs the key \"%s\", the name of %s",
               platform_mode_name(p->spec.mode), mode ? "" : ", its default,", needs[p->spec.mode],
               p->spec.mode == PLATFORM_EXTERNAL  ? "an input with \"platform: pose\""
               : p->spec.mode == PLATFORM_WASHOUT ? "an imu among the sensors"
                                                  : "a pose among the sensors");
}

/* The joints are on two circles; otherwise they are given one by one. */
static bool has_circles(const struct node *section)
{
  return node_find(section, "base_radius") != NULL;
}

static void check_circle_keys(const struct node *section, bool cranks, struct report *r)
{
  static const char *const of_circles[] = {"base_angle", "top_radius", "top_angle"}, *const of_points[] = {
                                                                                         "base", "top"};
  const bool circles = has_circles(section);
  /* Circles or points, and not both. */
  for (size_t i = 0; i < sizeof of_circles / sizeof *of_circles; i++) {
    const struct node *n = node_find(section, of_circles[i]);
    if (circles && !n)
      report_error(r, section->at, "missing key \"%s\" in platform, beside \"base_radius\"", of_circles[i]);
    if (!circles && n) report_error(r, n->key_at, "\"%s\" needs the key \"base_radius\"", of_circles[i]);
  }
  for (size_t i = 0; i < sizeof of_points / sizeof *of_points; i++) {
    const struct node *n = node_find(section, of_points[i]);
    if (circles && n)
      report_error(r, n->key_at, "\"%s\" has no meaning beside \"base_radius\"; remove one of the two",
                   of_points[i]);
    if (!circles && !n) report_error(r, section->at, "missing key \"%s\" in platform", of_points[i]);
  }
  if (circles && cranks)
    report_error(r, node_find(section, "base_radius")->key_at,
                 "\"base_radius\" has no meaning for a platform with cranks: expected base and top");
}

/* Which keys go with what it is. */
static void check_geometry_keys(const struct node *section, bool cranks, struct report *r)
{
  static const char *const all[] = {"leg_min", "leg_max", "leg_rate"}, *const of_cranks[] = {"crank_length",
                                                                                             "rod_length",
                                                                                             "crank_heading"};
  check_circle_keys(section, cranks, r);
  if (!has_circles(section) && !node_find(section, "height"))
    report_error(r, section->at, "missing key \"height\" in platform");
  for (size_t i = 0; i < sizeof all / sizeof *all; i++)
    if (!node_find(section, all[i])) report_error(r, section->at, "missing key \"%s\" in platform", all[i]);
  for (size_t i = 0; i < sizeof of_cranks / sizeof *of_cranks; i++) {
    const struct node *n = node_find(section, of_cranks[i]);
    if (cranks && !n)
      report_error(r, section->at, "missing key \"%s\" in platform, whose kind is cranks", of_cranks[i]);
    if (!cranks && n)
      report_error(r, n->key_at, "\"%s\" has no meaning for a platform with legs", of_cranks[i]);
  }
}

/* The joint of leg i on a circle. Pairs of the base are at 0, 120 and 240 degrees, pairs of the top at 60, 180 and 300. */
static void place_on_circle(const struct file_values *v, int i, bool top, double joint[3])
{
  static const int base_pair[] = {0, 1, 1, 2, 2, 0}, top_pair[] = {0, 0, 1, 1, 2, 2};
  const double side = (i % 2 == 0) != top ? 0.5 : -0.5;
  const double pair = top ? 60.0 + 120.0 * top_pair[i] : 120.0 * base_pair[i];
  const double angle = radians_of(pair + side * v->platform.angle[top]);
  joint[0] = v->platform.radius[top] * cos(angle);
  joint[1] = v->platform.radius[top] * sin(angle);
  joint[2] = 0.0;
}

/* Without a height the legs are in the middle of their range at neutral. */
static void set_circles(const struct node *section, struct file_values *v, struct report *r)
{
  struct platform_geometry *g = &v->settings.platform.spec.geometry;
  const double leg = 0.5 * (g->leg_min + g->leg_max);
  if (!has_circles(section)) return;
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    place_on_circle(v, i, false, g->base[i]);
    place_on_circle(v, i, true, g->top[i]);
  }
  if (node_find(section, "height")) return;
  const double x = g->base[0][0] - g->top[0][0], y = g->base[0][1] - g->top[0][1];
  const double square = leg * leg - x * x - y * y;
  if (square > 0.0)
    g->height = sqrt(square);
  else
    report_error(r, node_find(section, "base_radius")->at,
                 "base_radius: the joints of a leg are %.3f m apart seen from above, and its middle length "
                 "is %.3f m: expected "
                 "longer legs, or circles that are closer to each other",
                 sqrt(x * x + y * y), leg);
}

/* Lengths that nobody builds: the file has mm where m are expected. */
static void check_sizes(const struct node *section, const struct file_values *v, struct report *r)
{
  static const double longest = 20.0; /* m */
  const struct platform_spec *spec = &v->settings.platform.spec;
  const struct platform_geometry *g = &spec->geometry;
  const bool cranks = v->platform.kind == CRANKS; /* set_geometry() comes later */
  double most[3] = {g->height, cranks ? g->crank_length : g->leg_max, 0.0};
  const char *const key[3] = {"height", cranks ? "crank_length" : "leg_max", "head_point"};
  for (int i = 0; i < 3; i++) most[2] = fmax(most[2], fabs(spec->head[i]));
  for (int i = 0; i < 3; i++)
    if (most[i] > longest && node_find(section, key[i]))
      report_error(r, node_find(section, key[i])->at,
                   "%s: expected metres, at most %g, found %g, which looks like mm", key[i], longest,
                   most[i]);
}

/* Angles below this are given in radians where degrees are expected. */
static void check_degrees(const struct node *section, const struct file_values *v, struct report *r)
{
  static const double least = 1.6; /* deg: a right angle in radians */
  const struct platform_params *p = &v->settings.platform.spec.params;
  const struct node *ang_max = node_find(section, "ang_max"), *joint_max = node_find(section, "joint_max");
  if (ang_max && p->ang_max[0] < least && p->ang_max[1] < least && p->ang_max[2] < least)
    report_error(
        r, ang_max->at,
        "ang_max: expected degrees, found %g, %g and %g, which look like radians: write %.1f, %.1f, %.1f",
        p->ang_max[0], p->ang_max[1], p->ang_max[2], p->ang_max[0] * 180.0 / M_PI,
        p->ang_max[1] * 180.0 / M_PI, p->ang_max[2] * 180.0 / M_PI);
  if (joint_max && v->platform.joint_max < least)
    report_error(r, joint_max->at,
                 "joint_max: expected degrees, found %g, which looks like radians: write %.1f",
                 v->platform.joint_max, v->platform.joint_max * 180.0 / M_PI);
}

/* The file has the angles of cranks in degrees. */
static void convert_cranks(struct platform_geometry *g)
{
  g->leg_min = radians_of(g->leg_min);
  g->leg_max = radians_of(g->leg_max);
  g->leg_rate = radians_of(g->leg_rate);
}

static void set_geometry(const struct node *section, struct file_values *v)
{
  struct platform_spec *spec = &v->settings.platform.spec;
  struct platform_geometry *g = &spec->geometry;
  g->crank = v->platform.kind == CRANKS;
  g->joint_max = radians_of(v->platform.joint_max);
  if (g->crank) convert_cranks(g);
  for (int i = 0; i < PLATFORM_LEGS; i++) g->crank_heading[i] = radians_of(v->platform.crank_heading[i]);
  for (int i = 0; i < 3; i++) {
    spec->park[i] = v->platform.park_position[i];
    spec->park[i + 3] = radians_of(v->platform.park_angles[i]);
  }
  spec->park_given = node_find(section, "park_position");
}

static void set_gravity(const ali3_model *m, struct platform_spec *spec)
{
  double g[3];
  ali3_model_gravity(m, g);
  spec->gravity = sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
}

static void check_parameters(const struct node *section, const struct platform_params *p, struct report *r)
{
  const struct node *low = node_find(section, "lp_wn"), *high = node_find(section, "hp_wn");
  if (!params_leave_notch(p)) return;
  report_error(r, (low ? low : high)->at,
               "%s: expected lp_wn at twice hp_wn of x and y or more, found %g beside %g and %g: what lies "
               "between them "
               "would not be felt (a notch)",
               (low ? low : high)->key, p->lp_wn[0], p->hp_wn[0], p->hp_wn[1]);
}

/* The value of the key that the text begins with, or NULL: "leg_max: leg 1 is at ...". */
static const struct node *find_named_key(const struct node *section, const char *text)
{
  char name[40];
  snprintf(name, sizeof name, "%.*s", (int)strcspn(text, ":"), text);
  return node_find(section, name);
}

/* Speeds in SI. The speed of a leg has the default and the limit of the speed that has its unit. */
static void set_jog(const struct node *section, struct file_values *v, struct report *r)
{
  const bool cranks = v->platform.kind == CRANKS;
  struct jog_spec *jog = &v->settings.platform.jog;
  const struct node *keys = node_find(section, "jog"), *leg = keys ? node_find(keys, "leg_speed") : NULL;
  const double most = cranks ? 5.0 : 0.05;
  jog->turn_speed = radians_of(v->platform.jog_turn);
  if (!leg)
    jog->leg_speed = cranks ? jog->turn_speed : jog->speed;
  else
    jog->leg_speed = cranks ? radians_of(v->platform.jog_leg) : v->platform.jog_leg;
  if (leg && v->platform.jog_leg > most)
    report_error(r, leg->at, "leg_speed: expected at most %g %s, found %g", most, cranks ? "deg/s" : "m/s",
                 v->platform.jog_leg);
}

/* False when out of memory. */
static bool try_platform(const struct node *section, const struct platform_spec *spec, struct report *r)
{
  char error[300];
  struct platform *p = calloc(1, sizeof *p);
  if (!p) return false;
  if (!platform_init(p, spec, error, sizeof error)) {
    const struct node *key = find_named_key(section, error);
    report_error(r, key ? key->at : section->key_at, "%s%s", key ? "" : "platform: ", error);
  }
  free(p);
  return true;
}

bool platform_read(const struct node *root, struct file_values *v, struct report *r)
{
  const struct node *section = node_find(root, "platform");
  struct platform_setup *setup = &v->settings.platform;
  const int before = r->errors;
  if (!v->settings.platform.enabled) return true;
  connect_sources(section, v, r);
  check_geometry_keys(section, v->platform.kind == CRANKS, r);
  check_parameters(section, &setup->spec.params, r);
  if (node_find(section, "park_angles") && !node_find(section, "park_position"))
    report_error(r, node_find(section, "park_angles")->key_at,
                 "park_angles: expected beside park_position only");
  /* Convert the numbers from the units of the file, then read the geometry. */
  check_sizes(section, v, r);
  check_degrees(section, v, r);
  set_geometry(section, v);
  set_circles(section, v, r);
  set_jog(section, v, r);
  setup->spec.washes_heading = v->platform.heading == HEADING_WASHOUT;
  setup->spec.period = v->settings.options.dt;
  if (v->settings.model) set_gravity(v->settings.model, &setup->spec);
  return r->errors > before || try_platform(section, &setup->spec, r);
}
