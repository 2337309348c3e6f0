/* SPDX-License-Identifier: MIT
 * Reads the list "inputs": an input gets two loads of a body, or sets the value of a force element or the target of the
 * platform. Reads the list "injections": faults that a person may inject into the inputs. Reads the list
 * "stimulus": tables of values of inputs. Set-up only. */
#include "config/inputs_read.h"
#include "config/mechanism.h"
#include "signals/exchange.h"
#include "yaml/nearest.h"
#include "yaml/text_file.h"

#include <ali3/model.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  ali3_model *model; /* NULL: the model has mistakes */
  const struct names *bodies;
  struct settings *settings;
  struct report *report;
};

static void report_strays(const struct reader *rd, const struct node *n, const char *const *key,
                          const char *what)
{
  for (const struct node *stray; *key; key++)
    if ((stray = node_find(n, *key)))
      report_error(rd->report, stray->key_at, "\"%s\" has no meaning for an input %s; remove it", *key, what);
}

/* An input has one of the keys body, force and platform, and no key of the two others. */
static bool check_input_keys(const struct reader *rd, const struct node *n)
{
  static const char *const of_body[] = {"point",        "axes",        "limit_force",
                                        "limit_torque", "rate_force",  "rate_torque",
                                        "safe_force",   "safe_torque", NULL},
                           *const of_force[] = {"limit", "lower", "upper", "rate", "safe", NULL};
  const struct node *body = node_find(n, "body"), *force = node_find(n, "force"),
                    *platform = node_find(n, "platform");
  int before = rd->report->errors;
  if (!body && !force && !platform) {
    report_error(rd->report, n->at,
                 "missing key \"body\" (or \"force\", or \"platform\") in an input: expected the name of the "
                 "body it acts on");
    return false;
  }
  if ((body != NULL) + (force != NULL) + (platform != NULL) > 1) {
    report_error(
        rd->report, (platform ? platform : force)->key_at,
        "an input acts on a body, on a force or on the platform: expected one of the three keys, found %s",
        body && force && platform ? "all" : "two");
    return false;
  }
  /* Report the keys of the two others. */
  const char *what = body ? "on a body" : force ? "on a force" : "on the platform";
  if (!body) report_strays(rd, n, of_body, what);
  if (!force) report_strays(rd, n, of_force, what);
  return rd->report->errors == before;
}

static bool act_on_body(const struct reader *rd, const struct node *n, struct input_values *v)
{
  const struct node *body = node_find(n, "body");
  v->spec.kind = INPUT_WRENCH;
  v->spec.body = mechanism_body(rd->bodies, body, rd->report);
  if (v->spec.body == ALI3_GROUND)
    report_error(rd->report, body->at,
                 "body: expected the name of a body, found ground, which does not move");
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
  report_no_name(rd->report, n, "force", &near);
}

static bool act_on_force(const struct reader *rd, const struct node *n, struct input_values *v)
{
  const struct node *force = node_find(n, "force");
  const struct settings *s = rd->settings;
  v->spec.kind = INPUT_VALUE;
  if (!rd->model) return true; /* a force that is missing may have a mistake */
  v->spec.force = ali3_model_find_force(rd->model, v->force);
  bool load = ali3_model_find_load(rd->model, v->force) >= 0;
  if (v->spec.force < 0 && !load) {
    report_no_force(rd, force);
    return false;
  }
  ali3_force_type type = load ? ALI3_FORCE_TYPES : ali3_model_force_type(rd->model, v->spec.force);
  if (load || !ali3_force_type_takes_command(type)) {
    report_error(rd->report, force->at,
                 "force: input '%s': force '%.40s' is a %s, which takes no value: expected a motor, a "
                 "hydraulic_cylinder, an electric_motor, a brake or an external drive",
                 v->name, v->force, load ? "constant load" : ali3_force_type_name(type));
    return false;
  }
  if (type == ALI3_FORCE_DRIVE && !ali3_model_force_takes_command(rd->model, v->spec.force)) {
    report_error(
        rd->report, force->at,
        "force: input '%s': drive '%.40s' follows a function or a table: expected \"external: true\" in it",
        v->name, v->force);
    return false;
  }
  for (int i = 0; i < s->inputs; i++)
    if (s->input[i].kind == INPUT_VALUE && s->input[i].force == v->spec.force) {
      report_error(rd->report, force->at,
                   "force: input '%s': force '%.40s' is set by input '%s' already: expected another force",
                   v->name, v->force, s->input[i].name);
      return false;
    }
  return true;
}

/* s; the loss of a sign is seen sooner than that of a value that a person's program sends. */
static const double HOLD_OF_RIG = 0.05;

/* A measurement keeps its last value: a made-up one would look like an error of the rig, or like its permission. */
static void keep_measurement(const struct reader *rd, const struct node *n, struct input_values *v)
{
  const struct node *policy = node_find(n, "policy"), *blend = node_find(n, "blend");
  if (!input_is_of_rig(v->spec.kind)) return;
  if (!node_find(n, "hold")) v->spec.hold = HOLD_OF_RIG;
  if (blend && v->spec.blend > 0.0)
    report_error(rd->report, blend->at,
                 "blend: a measurement of the rig is never blended: remove blend, or write 0");
  v->spec.blend = 0.0;
  if (policy && v->policy != INPUT_HOLD)
    report_error(rd->report, policy->at,
                 "policy: a measurement of the rig keeps its last value: expected hold");
  v->policy = INPUT_HOLD;
}

static bool act_on_platform(const struct reader *rd, const struct node *n, struct input_values *v)
{
  v->spec.kind = (enum input_kind)(INPUT_POSE + v->platform);
  keep_measurement(rd, n, v);
  if (rd->settings->platform.enabled) return true;
  report_error(rd->report, node_find(n, "platform")->key_at,
               "platform: the section platform is missing or not enabled: expected an enabled platform, or "
               "the key body or "
               "force");
  return false;
}

static bool attach_input(const struct reader *rd, const struct node *n, struct input_values *v)
{
  if (v->body) return act_on_body(rd, n, v);
  return v->force ? act_on_force(rd, n, v) : act_on_platform(rd, n, v);
}

static void check_safe_values(const struct reader *rd, const struct node *n, const char *key,
                              const struct input_range *range, int count)
{
  const struct node *safe = node_find(n, key);
  for (int k = 0; k < count; k++) {
    if (range[k].safe >= range[k].lower && range[k].safe <= range[k].upper) continue;
    report_error(rd->report, (safe ? safe : n)->at,
                 "%s: expected a value within the limits, %g to %g, found %g%s", key, range[k].lower,
                 range[k].upper, range[k].safe, safe ? "" : ", its default");
    return;
  }
}

static void set_ranges(const struct reader *rd, const struct node *n, struct input_values *v)
{
  struct input_range *range = v->spec.range;
  if (v->body) {
    for (int k = 0; k < 3; k++) {
      range[k] = (struct input_range){-v->f.limit, v->f.limit, v->f.rate, v->f.safe[k]};
      range[k + 3] = (struct input_range){-v->t.limit, v->t.limit, v->t.rate, v->t.safe[k]};
    }
    check_safe_values(rd, n, "safe_force", range, 3);
    check_safe_values(rd, n, "safe_torque", range + 3, 3);
    return;
  }
  if (!v->force) { /* the limits of the platform are narrower than these */
    const bool pose = v->spec.kind == INPUT_POSE || v->spec.kind == INPUT_RIG_POSE;
    for (int k = 0; k < PLATFORM_DOF; k++) {
      const double most = v->spec.kind == INPUT_RIG_NUMBER ? 1e15 : pose && k >= 3 ? M_PI : 10.0;
      range[k] = (struct input_range){.lower = -most, .upper = most};
    }
    return;
  }
  const struct node *lower = node_find(n, "lower"), *upper = node_find(n, "upper");
  range[0] =
      (struct input_range){lower ? v->lower : -v->limit, upper ? v->upper : v->limit, v->rate, v->safe};
  if (range[0].lower < range[0].upper)
    check_safe_values(rd, n, "safe", range, 1);
  else
    report_error(rd->report, (lower ? lower : upper)->at,
                 "%s: expected limits with room between them, found %g to %g", lower ? "lower" : "upper",
                 range[0].lower, range[0].upper);
}

/* The choices of "from". */
enum { FROM_ANY, FROM_OSC, FROM_MODBUS };

/* An input that a device sets gets its source in devices.c. */
static void set_sources(const struct reader *rd, const struct node *n, struct input_values *v)
{
  const struct node *from = node_find(n, "from");
  if (!from) return;
  if (v->from != FROM_MODBUS) v->spec.sources |= UINT64_C(1) << SOURCE_OSC;
  if (v->from != FROM_OSC) v->spec.sources |= UINT64_C(1) << SOURCE_MODBUS;
  const bool off = (v->from == FROM_OSC && !rd->settings->osc.enabled) ||
                   (v->from == FROM_MODBUS && !rd->settings->modbus.enabled);
  if (off)
    report_error(rd->report, from->at,
                 "from: the section %s is missing or not enabled: expected it enabled, or another source",
                 v->from == FROM_OSC ? "osc" : "modbus");
}

static void set_fault(const struct reader *rd, const struct node *n, struct input_values *v)
{
  const struct node *fault = node_find(n, "fault");
  struct input_spec *spec = &v->spec;
  /* The default of hold is at most the fault that is given. */
  if (fault && !node_find(n, "hold") && spec->fault < spec->hold) spec->hold = spec->fault;
  if (!fault && spec->required && v->policy != INPUT_SAFE) spec->fault = spec->hold > 1.0 ? spec->hold : 1.0;
  if (fault && spec->fault < spec->hold)
    report_error(rd->report, fault->at, "fault: expected hold, %g s, or more, found %g", spec->hold,
                 spec->fault);
}

static void set_watchdog(const struct reader *rd, const struct node *n, struct input_values *v)
{
  const struct node *reaction = node_find(n, "on_timeout");
  if (reaction && v->spec.watchdog <= 0.0)
    report_error(rd->report, reaction->key_at,
                 "on_timeout: expected the key watchdog beside it, a time in s");
  else if (reaction && input_is_of_rig(v->spec.kind) && v->on_timeout != INPUT_TIMEOUT_HOLD)
    report_error(rd->report, reaction->at,
                 "on_timeout: a measurement of the rig keeps its last value: expected hold");
  v->spec.on_timeout =
      input_is_of_rig(v->spec.kind) ? INPUT_TIMEOUT_HOLD : (enum input_reaction)v->on_timeout;
}

/* False when out of memory; mistakes are in the report. */
static bool read_input(const struct reader *rd, const struct node *n, struct names *seen)
{
  struct settings *s = rd->settings;
  struct input_values v = {0};
  if (n->kind != NODE_MAP || !schema_read(&schema_input, n, &v, rd->report)) return true;
  if (!check_element_name(rd->report, n, v.name, seen, "input")) return true;
  if (strcmp(v.name, "frame") == 0 || strcmp(v.name, "blob") == 0) {
    report_error(rd->report, node_find(n, "name")->at,
                 "name: \"%s\" is an OSC address that sets all inputs: expected another name", v.name);
    return true;
  }
  if (!check_input_keys(rd, n)) return true;
  if (!attach_input(rd, n, &v)) return true;
  /* Set the limits, the sources and the age of a fault. */
  set_ranges(rd, n, &v);
  set_sources(rd, n, &v);
  set_fault(rd, n, &v);
  set_watchdog(rd, n, &v);
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

/* --- injections --- */

/* -1: no input has the name, which is reported. complete: no input has a mistake, so no input is missing for that reason. */
static int find_injected_input(const struct node *input, const struct settings *s, bool complete,
                               struct report *r)
{
  struct nearest near = {.word = input->text};
  for (int i = 0; i < s->inputs; i++) {
    if (strcmp(s->input[i].name, input->text) == 0) return i;
    nearest_try(&near, s->input[i].name);
  }
  if (!complete) return -1;
  report_no_name(r, input, "input", &near);
  return -1;
}

/* A fault in a sign of the rig may only take it away. A made-up value could stand in for a permissive or hide a following error,
 * and values that are repeated with new times would hide that the rig takes its permission back. */
static bool may_be_injected(const struct node *n, enum input_kind input, enum inject_kind kind,
                            struct report *r)
{
  if (!input_is_of_rig(input) || kind == INJECT_DROP || kind == INJECT_DELAY) return true;
  report_error(
      r, node_find(n, "kind")->at,
      "kind: input '%s' brings a sign of the rig, which %s could replace by one that the rig did not send: "
      "expected drop or delay",
      node_find(n, "input")->text, inject_kind_name(kind));
  return false;
}

/* False when out of memory; mistakes are in the report. */
static bool read_injection(const struct node *n, struct settings *s, struct names *seen, bool complete,
                           struct report *r)
{
  struct injection_values v = {0};
  if (n->kind != NODE_MAP || !schema_read(&schema_injection, n, &v, r)) return true;
  const struct node *from = node_find(n, "from"), *length = node_find(n, "for");
  if (!check_element_name(r, n, v.name, seen, "injection")) return true;
  const int input = find_injected_input(node_find(n, "input"), s, complete, r);
  if (input < 0) return true;
  if (!may_be_injected(n, s->input[input].kind, (enum inject_kind)v.kind, r)) return true;
  if (s->injections == INJECTIONS_MAX) {
    report_error(r, n->at, "injections: expected at most %d", INJECTIONS_MAX);
    return true;
  }
  /* Fill in the injection. */
  struct injection *injection = &s->injection[s->injections];
  *injection = v.spec;
  injection->input = input;
  injection->kind = (enum inject_kind)v.kind;
  injection->window = from || length;
  if (!length) injection->length = INFINITY;
  injection->name = strdup(v.name);
  if (!injection->name) return false;
  s->injections++;
  return names_add(seen, v.name, s->injections);
}

bool injections_read(const struct node *list, struct settings *s, struct report *r)
{
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  s->injection = calloc(INJECTIONS_MAX, sizeof *s->injection);
  if (!s->injection) return false;
  struct names seen = {0};
  const bool complete = r->errors == 0;
  bool memory = true;
  for (const struct node *n = list->first; n && memory; n = n->next)
    memory = read_injection(n, s, &seen, complete, r);
  names_free(&seen);
  return memory;
}

/* --- stimulus --- */

/* Reads the table into the next place. Mistakes are reported. */
static void read_table_of(const struct node *n, const struct stimulus_values *v, struct settings *s,
                          struct report *r)
{
  char error[500] = "out of memory";
  struct stimulus *t = &s->stimulus[s->stimuli];
  char *path = path_beside(r->source->file, v->file);
  *t = (struct stimulus){.held = v->interpolate == 1, .loops = v->loop, .with_motion = v->start == 1};
  t->name = strdup(v->name);
  const bool good = path && t->name && stimulus_read(t, path, s->signals, error, sizeof error);
  free(path);
  if (good) {
    s->stimuli++;
    return;
  }
  report_error(r, node_find(n, "file")->at, "file: %s", error);
  stimulus_free(t);
}

bool stimuli_read(const struct node *list, struct settings *s, struct report *r)
{
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  struct names seen = {0};
  bool memory = true;
  s->stimulus = calloc(STIMULI_MAX, sizeof *s->stimulus);
  if (!s->stimulus) return false;
  for (const struct node *n = list->first; n && memory; n = n->next) {
    struct stimulus_values v = {0};
    if (n->kind != NODE_MAP || !schema_read(&schema_stimulus, n, &v, r)) continue;
    if (!check_element_name(r, n, v.name, &seen, "stimulus")) continue;
    if (s->stimuli == STIMULI_MAX)
      report_error(r, n->at, "stimulus: expected at most %d", STIMULI_MAX);
    else
      read_table_of(n, &v, s, r);
    memory = names_add(&seen, v.name, s->stimuli);
  }
  /* An input that names its sources takes values of the file, too, unless it brings a sign of the rig. */
  for (int i = 0; i < s->inputs; i++)
    if (s->input[i].sources && !input_is_of_rig(s->input[i].kind))
      s->input[i].sources |= UINT64_C(1) << SOURCE_INNER;
  names_free(&seen);
  return memory;
}
