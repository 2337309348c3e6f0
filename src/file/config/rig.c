/* SPDX-License-Identifier: MIT
 * The section "rig": what comes back from the motion platform, and its consequences. Set-up only. */
#include "config/sections.h"

#include "yaml/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static double radians_from(double degrees)
{
  return degrees * (M_PI / 180.0);
}

/* An input for measurements of the rig, by its name; -1: there is none, which is reported. */
static int find_rig_input(const struct settings *s, const struct node *n, bool number, struct report *r)
{
  struct nearest near = {.word = n->text};
  for (int i = 0; i < s->inputs; i++) {
    const enum input_kind kind = s->input[i].kind;
    nearest_try(&near, s->input[i].name);
    if (strcmp(s->input[i].name, n->text) != 0) continue;
    if (input_is_of_rig(kind) && (kind == INPUT_RIG_NUMBER) == number) return i;
    report_error(r, n->at, "%s: expected an input with %s, found \"%.40s\"", n->key,
                 number ? "\"platform: number\"" : "\"platform: actual_legs\" or \"platform: actual_pose\"",
                 n->text);
    return -1;
  }
  report_no_name(r, n, "input", &near);
  return -1;
}

/* A level that trips lies above the one that warns. */
static void check_levels(const struct node *section, const char *warn, const char *trip, double low,
                         double high, struct report *r)
{
  if (low == 0.0 || high == 0.0 || low < high) return;
  report_error(r, node_find(section, warn)->at, "%s: expected less than %s, %g, found %g", warn, trip, high,
               low);
}

static void read_levels(const struct node *section, struct file_values *v, struct report *r)
{
  static const char *const key[] = {"leg_warn",   "leg_trip",   "position_warn", "position_trip",
                                    "angle_warn", "angle_trip", "judged"};
  struct rig_spec *spec = &v->settings.rig.spec;
  const struct follow_levels *warn = &spec->follow.warn, *trip = &spec->follow.trip;
  check_levels(section, "leg_warn", "leg_trip", warn->leg, trip->leg, r);
  check_levels(section, "position_warn", "position_trip", warn->position, trip->position, r);
  check_levels(section, "angle_warn", "angle_trip", v->rig.angle_warn, v->rig.angle_trip, r);
  for (size_t i = 0; i < sizeof key / sizeof *key && spec->feedback < 0; i++) {
    const struct node *stray = node_find(section, key[i]);
    if (stray)
      report_error(r, stray->key_at,
                   "\"%s\" needs the key \"feedback\", the name of an input with the actual legs or pose",
                   key[i]);
  }
  /* Angles are in degrees in the file. */
  if (v->platform.kind == CRANKS) {
    spec->follow.warn.leg = radians_from(spec->follow.warn.leg);
    spec->follow.trip.leg = radians_from(spec->follow.trip.leg);
  }
  spec->follow.warn.angle = radians_from(v->rig.angle_warn);
  spec->follow.trip.angle = radians_from(v->rig.angle_trip);
}

static void read_feedback(const struct node *section, struct file_values *v, struct report *r)
{
  struct settings *s = &v->settings;
  struct rig_spec *spec = &s->rig.spec;
  const struct node *feedback = node_find(section, "feedback"), *delay = node_find(section, "delay");
  const double longest = FOLLOW_CYCLES_MAX * s->options.dt;
  spec->feedback = feedback ? find_rig_input(s, feedback, false, r) : -1;
  if (spec->feedback >= 0) spec->follow.legs = s->input[spec->feedback].kind == INPUT_RIG_LEGS;
  if (spec->follow.delay > longest)
    report_error(r, delay->at, "delay: expected at most %d periods, %g s, found %g", FOLLOW_CYCLES_MAX,
                 longest, spec->follow.delay);
}

/* False after a mistake, which is reported. */
static bool check_permissive(const struct node *n, const struct permissive_values *v, struct report *r)
{
  const struct node *bit = node_find(n, "bit"), *is = node_find(n, "is"), *lower = node_find(n, "lower"),
                    *upper = node_find(n, "upper"), *alive = node_find(n, "alive");
  const struct node *range = lower ? lower : upper;
  /* A bit has no range, and a number without a condition is none. */
  if (bit && range) {
    report_error(r, range->key_at, "\"%s\" has no meaning beside \"bit\"; remove one of the two", range->key);
    return false;
  }
  if (is && !bit) {
    report_error(r, is->key_at, "\"is\" needs the key \"bit\"");
    return false;
  }
  if (!bit && !range && !alive) {
    report_error(r, n->at, "a permissive needs a condition: expected bit, lower, upper or alive");
    return false;
  }
  if (range && !(v->lower <= v->upper)) {
    report_error(r, range->at, "%s: expected lower at most upper, found %g and %g", range->key, v->lower,
                 v->upper);
    return false;
  }
  return true;
}

/* False when out of memory; mistakes are in the report. */
static bool read_permissive(const struct node *n, struct settings *s, struct names *seen, struct report *r)
{
  struct rig_spec *spec = &s->rig.spec;
  struct permissive_values v = {0};
  if (n->kind != NODE_MAP || !schema_read(&schema_permissive, n, &v, r)) return true;
  if (!check_element_name(r, n, v.name, seen, "permissive")) return true;
  /* Find the input, and check the condition. */
  const int input = find_rig_input(s, node_find(n, "input"), true, r);
  if (input < 0 || !check_permissive(n, &v, r)) return true;
  if (spec->permissives == RIG_PERMISSIVES_MAX) {
    report_error(r, n->at, "permissives: expected at most %d", RIG_PERMISSIVES_MAX);
    return true;
  }
  const bool bit = v.bit >= 0;
  struct rig_permissive *p = &spec->permissive[spec->permissives];
  *p = (struct rig_permissive){.name = strdup(v.name),
                               .input = input,
                               .bit = v.bit,
                               .lower = bit                     ? v.is
                                        : node_find(n, "lower") ? v.lower
                                                                : -INFINITY,
                               .upper = bit                     ? v.is
                                        : node_find(n, "upper") ? v.upper
                                                                : INFINITY,
                               .alive = v.alive,
                               .on_loss = (enum rig_reaction)v.on_loss,
                               .need = (enum rig_need)v.needed_for};
  if (!p->name) return false;
  spec->permissives++;
  return names_add(seen, v.name, spec->permissives);
}

bool rig_read(const struct node *root, struct file_values *v, struct report *r)
{
  const struct node *section = node_find(root, "rig");
  struct settings *s = &v->settings;
  bool memory = true;
  if (!section) s->rig.enabled = false;
  if (!s->rig.enabled) return true;
  if (!s->platform.enabled) {
    report_error(r, section->key_at,
                 "rig: the section platform is missing or not enabled: expected an enabled platform");
    return true;
  }
  /* The feedback with its levels, then the permissives. */
  read_feedback(section, v, r);
  read_levels(section, v, r);
  s->rig.spec.rate_max = radians_from(v->rig.head_rate);
  if (v->rig.ride_log && !(s->rig.ride_log = strdup(v->rig.ride_log))) return false;
  const struct node *list = node_find(section, "permissives");
  struct names seen = {0};
  for (const struct node *n = list && list->kind == NODE_LIST ? list->first : NULL; n && memory; n = n->next)
    memory = read_permissive(n, s, &seen, r);
  names_free(&seen);
  return memory;
}

void rig_connect(struct settings *s)
{
  struct rig_spec *spec = &s->rig.spec;
  if (!s->rig.enabled) return;
  if (spec->feedback >= 0) spec->feedback_channel = s->signals->input[spec->feedback].first;
  for (int i = 0; i < spec->permissives; i++)
    spec->permissive[i].channel = s->signals->input[spec->permissive[i].input].first;
}
