/* SPDX-License-Identifier: MIT
 * Builds the signal table (set-up) and fills in its values (signals_observe, loop code). */
#include "signals/linear_port.h"
#include "signals/signals_parts.h"

#include "model/sensor_rate.h"
#include "platform/platform.h"

#include <ali3/linear.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void walk_body(struct walk *w, const char *name)
{
  char *prefix = walk_join(w, "body.", name, ".", "");
  if (!prefix) return;
  walk_group(w, prefix, "position", "m", walk_xyz, 3);
  walk_group(w, prefix, "orientation", "", walk_e0123, 4);
  walk_group(w, prefix, "velocity", "m/s", walk_xyz, 3);
  walk_group(w, prefix, "angular_velocity", "rad/s", walk_xyz, 3);
  walk_group(w, prefix, "acceleration", "m/s^2", walk_xyz, 3);
  walk_group(w, prefix, "angular_acceleration", "rad/s^2", walk_xyz, 3);
  free(prefix);
}

static void walk_joint(struct walk *w, const char *name, ali3_joint_type type)
{
  char *prefix = walk_join(w, "joint.", name, ".", "");
  if (!prefix) return;
  walk_group(w, prefix, "force", "N", walk_xyz, 3);
  walk_group(w, prefix, "torque", "N m", walk_xyz, 3);
  if (type == ALI3_JOINT_REVOLUTE || type == ALI3_JOINT_PRISMATIC) {
    bool turns = type == ALI3_JOINT_REVOLUTE;
    walk_group(w, prefix, "position", turns ? "rad" : "m", NULL, 1);
    walk_group(w, prefix, "velocity", turns ? "rad/s" : "m/s", NULL, 1);
  }
  walk_group(w, prefix, "quality", "", NULL, 1);
  free(prefix);
}

/* The signals of a force: members of its state, with names that suit its type. */
static const struct quantity {
  const char *name, *unit, *unit_turning; /* unit_turning: unit if its coordinate is an angle */
  int count;
  size_t offset; /* in ali3_force_state */
} LENGTH = {"length", "m", "m", 1, offsetof(ali3_force_state, position)},
  GAP = {"gap", "m", "m", 1, offsetof(ali3_force_state, position)},
  POSITION = {"position", "m", "rad", 1, offsetof(ali3_force_state, position)},
  TARGET = {"target", "m", "rad", 1, offsetof(ali3_force_state, target)},
  VALUE = {"value", "N", "N m", 1, offsetof(ali3_force_state, value)},
  FORCE = {"force", "N", "N", 3, offsetof(ali3_force_state, force)},
  TORQUE = {"torque", "N m", "N m", 3, offsetof(ali3_force_state, torque)},
  CLOSED = {"closed", "", "", 1, offsetof(ali3_force_state, value)}, /* a flag, see observe_force */
    PRESSURE_A = {"pressure_a", "Pa", "Pa", 1, offsetof(ali3_force_state, pressure[0])},
  PRESSURE_B = {"pressure_b", "Pa", "Pa", 1, offsetof(ali3_force_state, pressure[1])},
  FLOW_A = {"flow_a", "m^3/s", "m^3/s", 1, offsetof(ali3_force_state, flow[0])},
  FLOW_B = {"flow_b", "m^3/s", "m^3/s", 1, offsetof(ali3_force_state, flow[1])},
  SPOOL = {"spool", "", "", 1, offsetof(ali3_force_state, spool)},
  SUPPLIED = {"supplied", "J", "J", 1, offsetof(ali3_force_state, supplied)},
  LOST = {"lost", "J", "J", 1, offsetof(ali3_force_state, lost)},
  CURRENT = {"current", "A", "A", 1, offsetof(ali3_force_state, current)},
  VOLTAGE = {"voltage", "V", "V", 1, offsetof(ali3_force_state, voltage)},
  ALONG = {"along", "N", "N", 1, offsetof(ali3_force_state, along)},
  ACROSS = {"across", "N", "N", 1, offsetof(ali3_force_state, across)},
  SLIP = {"slip", "", "", 1, offsetof(ali3_force_state, slip)},
  SLIP_ANGLE = {"slip_angle", "rad", "rad", 1, offsetof(ali3_force_state, slip_angle)};

enum { QUANTITIES_MAX = 9 };
static const struct quantity *const of_force[ALI3_FORCE_TYPES][QUANTITIES_MAX + 1] = {
    [ALI3_FORCE_SPRING] = {&LENGTH, &VALUE},
    [ALI3_FORCE_BUSHING] = {&FORCE, &TORQUE},
    [ALI3_FORCE_JOINT_SPRING] = {&POSITION, &VALUE},
    [ALI3_FORCE_CABLE] = {&LENGTH, &VALUE},
    [ALI3_FORCE_END_STOP] = {&LENGTH, &VALUE},
    [ALI3_FORCE_STOP] = {&POSITION, &VALUE},
    [ALI3_FORCE_FRICTION] = {&POSITION, &VALUE},
    [ALI3_FORCE_MOTOR] = {&POSITION, &VALUE},
    [ALI3_FORCE_DRIVE] = {&POSITION, &TARGET, &VALUE},
    [ALI3_FORCE_GEAR] = {&VALUE},
    [ALI3_FORCE_SPHERE_PLANE] = {&GAP, &VALUE, &FORCE, &CLOSED},
    [ALI3_FORCE_SPHERE_SPHERE] = {&GAP, &VALUE, &FORCE, &CLOSED},
    [ALI3_FORCE_CYLINDER] = {&LENGTH, &VALUE, &PRESSURE_A, &PRESSURE_B, &FLOW_A, &FLOW_B, &SPOOL, &SUPPLIED,
                             &LOST},
    [ALI3_FORCE_WINDING] = {&POSITION, &VALUE, &CURRENT, &VOLTAGE, &SUPPLIED, &LOST},
    [ALI3_FORCE_BRAKE] = {&POSITION, &VALUE},
    [ALI3_FORCE_TYRE] = {&GAP, &VALUE, &FORCE, &CLOSED, &ALONG, &ACROSS, &SLIP, &SLIP_ANGLE, &LOST},
};

static void walk_force(struct walk *w, const char *name, ali3_force_type type, bool turns)
{
  char *prefix = walk_join(w, "force.", name, ".", "");
  if (!prefix) return;
  for (const struct quantity *const *q = of_force[type]; *q; q++) {
    bool vector = (*q)->count == 3;
    walk_group(w, prefix, (*q)->name, turns ? (*q)->unit_turning : (*q)->unit, vector ? walk_xyz : NULL,
               vector ? 3 : 1);
  }
  free(prefix);
}

/* The unit of the value that a force element takes: a drive takes a coordinate, a motor takes what acts on it, a hydraulic
 * cylinder takes the position of its spool, and an electric motor takes its voltage. */
static const char *value_unit(const ali3_model *m, int force)
{
  const ali3_force_type type = ali3_model_force_type(m, force);
  const struct quantity *q = type == ALI3_FORCE_DRIVE      ? &TARGET
                             : type == ALI3_FORCE_CYLINDER ? &SPOOL
                             : type == ALI3_FORCE_WINDING  ? &VOLTAGE
                                                           : &VALUE;
  return ali3_model_force_turns(m, force) ? q->unit_turning : q->unit;
}

static const char *input_unit(const struct walk *w, const ali3_model *m, const struct input_spec *input,
                              const struct input_part *part)
{
  if (input->kind == INPUT_VALUE) return value_unit(m, input->force);
  const bool cranks = w->more->platform && w->more->platform->crank;
  return input->kind == INPUT_RIG_LEGS && cranks ? "rad" : part->unit;
}

static void walk_input_signals(struct walk *w, const ali3_model *m, struct input_spec *input)
{
  char *prefix = walk_join(w, "input.", input->name, ".", "");
  if (!prefix) return;
  input->first = w->count - w->s->input_first;
  for (const struct input_part *p = input_parts(input->kind); p->name; p++)
    walk_group(w, prefix, p->name, input_unit(w, m, input, p), p->component, p->count);
  input->count = w->count - w->s->input_first - input->first;
  free(prefix);
}

static void walk_signals(struct walk *w, const ali3_model *m)
{
  struct signals *s = w->s;
  w->count = w->groups = 0;
  /* Results of the model: the state, then reactions, forces and sensors. */
  walk_group(w, "", "time", "s", NULL, 1);
  s->body_first = w->count;
  for (int i = 0; i < s->bodies; i++) walk_body(w, ali3_model_body_name(m, i));
  for (int i = 0; i < s->joints; i++) {
    s->joint_first[i] = w->count;
    walk_joint(w, ali3_model_joint_name(m, i), ali3_model_joint_type(m, i));
  }
  for (int i = 0; i < s->forces; i++) {
    s->force_first[i] = w->count;
    walk_force(w, ali3_model_force_name(m, i), ali3_model_force_type(m, i), ali3_model_force_turns(m, i));
  }
  for (int i = 0; i < s->sensors; i++) {
    s->sensor_first[i] = w->count;
    walk_sensor(w, m, i);
  }
  s->sensor_first[s->sensors] = w->count;
  /* Quality of the results. */
  s->energy_first = w->count;
  walk_group(w, "energy.", "kinetic", "J", NULL, 1);
  walk_group(w, "energy.", "potential", "J", NULL, 1);
  walk_group(w, "energy.", "total", "J", NULL, 1);
  s->constraint_first = w->count;
  walk_group(w, "constraint.", "position", "m", NULL, 1);
  walk_group(w, "constraint.", "velocity", "m/s", NULL, 1);
  walk_group(w, "constraint.", "acceleration", "m/s^2", NULL, 1);
  walk_group(w, "solver.", "status", "", NULL, 1);
  walk_group(w, "solver.", "increment", "", NULL, 1);
  /* Inputs, outputs of the platform, and figures of the loop. */
  s->input_first = w->count;
  for (int i = 0; i < s->inputs; i++) walk_input_signals(w, m, &s->input[i]);
  s->channels = w->count - s->input_first;
  s->platform_first = w->more->platform ? w->count : -1;
  if (w->more->platform) walk_platform(w, w->more->platform->crank);
  s->rig_first = w->more->rig ? w->count : -1;
  if (w->more->rig) walk_rig(w, w->more->platform && w->more->platform->crank);
  s->figure_first = w->count;
  for (int i = 0; i < s->figures; i++) {
    const struct signal *figure = &w->more->figure[i];
    walk_group(w, "", figure->name, figure->unit, NULL, 1);
  }
}

struct signals *signals_new(const ali3_model *m, const struct input_spec *inputs, int ninputs)
{
  return signals_new_with(m, inputs, ninputs, &(struct signals_more){0});
}

struct signals *signals_new_with(const ali3_model *m, const struct input_spec *inputs, int ninputs,
                                 const struct signals_more *more)
{
  struct signals *s = calloc(1, sizeof *s);
  if (!s) return NULL;
  struct walk w = {.s = s, .more = more, .ok = true};
  s->figures = more->figures;
  s->bodies = ali3_model_bodies(m);
  s->joints = ali3_model_joints(m);
  s->forces = ali3_model_forces(m);
  s->sensors = ali3_model_sensors(m);
  s->inputs = ninputs;
  /* The first signal of each element, and copies of the inputs. */
  s->joint_first = calloc((size_t)s->joints + 1, sizeof *s->joint_first);
  s->force_first = calloc((size_t)s->forces + 1, sizeof *s->force_first);
  s->sensor_first = calloc((size_t)s->sensors + 1, sizeof *s->sensor_first);
  s->input = calloc((size_t)ninputs + 1, sizeof *s->input);
  if (!s->joint_first || !s->force_first || !s->sensor_first || !s->input) goto fail;
  for (int i = 0; i < ninputs; i++) {
    s->input[i] = inputs[i];
    if (!(s->input[i].name = strdup(inputs[i].name))) goto fail;
  }
  /* The first walk counts the signals, the second writes them. */
  walk_signals(&w, m);
  if (!w.ok) goto fail;
  s->signal = calloc((size_t)w.count, sizeof *s->signal);
  s->group = calloc((size_t)w.groups, sizeof *s->group);
  if (!s->signal || !s->group) goto fail;
  s->count = w.count;
  s->groups = w.groups;
  w.write = true;
  walk_signals(&w, m);
  if (w.ok) return s;
fail:
  signals_free(s);
  return NULL;
}

void signals_free(struct signals *s)
{
  if (!s) return;
  for (int i = 0; i < s->count && s->signal; i++) free(s->signal[i].name);
  for (int i = 0; i < s->groups && s->group; i++) free(s->group[i].name);
  for (int i = 0; i < s->inputs && s->input; i++) free(s->input[i].name);
  free(s->signal);
  free(s->group);
  free(s->input);
  free(s->joint_first);
  free(s->force_first);
  free(s->sensor_first);
  free(s);
}

int signals_find(const struct signals *s, const char *name)
{
  for (int i = 0; i < s->count; i++)
    if (strcmp(s->signal[i].name, name) == 0) return i;
  return -1;
}

int signals_find_group(const struct signals *s, const char *name)
{
  for (int i = 0; i < s->groups; i++)
    if (strcmp(s->group[i].name, name) == 0) return i;
  return -1;
}

static void observe_force(const ali3_model *m, const ali3_data *d, int index, double *out)
{
  ali3_force_state f;
  ali3_force_get(m, d, index, &f);
  for (const struct quantity *const *q = of_force[ali3_model_force_type(m, index)]; *q; q++) {
    memcpy(out, (const char *)&f + (*q)->offset, (size_t)(*q)->count * sizeof *out);
    /* An open contact has a multiplier of about 1e-49 N of either sign. */
    if (*q == &CLOSED) *out = f.value > 0.0 && f.position < 0.0;
    out += (*q)->count;
  }
}

static void observe_joint(const ali3_model *m, const ali3_data *d, int joint, double *o)
{
  ali3_joint_state j;
  const ali3_joint_type type = ali3_model_joint_type(m, joint);
  const bool coordinate = type == ALI3_JOINT_REVOLUTE || type == ALI3_JOINT_PRISMATIC;
  ali3_joint_get(m, d, joint, &j);
  memcpy(o, j.force, sizeof j.force);
  memcpy(o + 3, j.torque, sizeof j.torque);
  if (coordinate) {
    o[6] = j.position;
    o[7] = j.velocity;
  }
  o[coordinate ? 8 : 6] = j.held ? 0.0 : 1.0;
}

/* An element is wanted if its first signal is. */
static void want_element(bool *wanted, int first, int end)
{
  for (int i = first + 1; i < end; i++) wanted[first] |= wanted[i];
}

void signals_want(const struct signals *s, bool *wanted)
{
  const int forces_end = s->sensor_first[0], joints_end = s->forces > 0 ? s->force_first[0] : forces_end;
  for (int i = 0, at = s->body_first; i < s->bodies; i++, at += SIGNALS_BODY)
    want_element(wanted, at, at + SIGNALS_BODY);
  for (int i = 0; i < s->joints; i++)
    want_element(wanted, s->joint_first[i], i + 1 < s->joints ? s->joint_first[i + 1] : joints_end);
  for (int i = 0; i < s->forces; i++)
    want_element(wanted, s->force_first[i], i + 1 < s->forces ? s->force_first[i + 1] : forces_end);
  for (int i = 0; i < s->sensors; i++) want_element(wanted, s->sensor_first[i], s->sensor_first[i + 1]);
  want_element(wanted, s->energy_first, s->constraint_first);
}

static bool is_wanted(const bool *wanted, int first)
{
  return !wanted || wanted[first];
}

void signals_observe_wanted(const struct signals *s, const ali3_model *m, const ali3_data *d,
                            const double *channels, const bool *wanted, double *v)
{
  _Static_assert(sizeof(ali3_body_state) == SIGNALS_BODY * sizeof(double),
                 "a body's signals are ali3_body_state");
  const ali3_report *report = ali3_data_report(d);
  /* Elements in the order of walk_signals(). */
  v[0] = report->time;
  for (int i = 0, at = s->body_first; i < s->bodies; i++, at += SIGNALS_BODY) {
    ali3_body_state b;
    if (!is_wanted(wanted, at)) continue;
    ali3_body_get(m, d, i, &b);
    memcpy(v + at, &b, sizeof b);
  }
  for (int i = 0; i < s->joints; i++)
    if (is_wanted(wanted, s->joint_first[i])) observe_joint(m, d, i, v + s->joint_first[i]);
  for (int i = 0; i < s->forces; i++)
    if (is_wanted(wanted, s->force_first[i])) observe_force(m, d, i, v + s->force_first[i]);
  for (int i = 0; i < s->sensors; i++)
    if (is_wanted(wanted, s->sensor_first[i])) signals_observe_sensor(m, d, i, v + s->sensor_first[i]);
  /* Figures of the whole model, then the inputs. */
  if (is_wanted(wanted, s->energy_first)) {
    ali3_energy energy;
    ali3_energy_get(m, d, &energy);
    memcpy(v + s->energy_first, &energy.kinetic, 3 * sizeof energy.kinetic);
  }
  v[s->constraint_first] = report->position;
  v[s->constraint_first + 1] = report->velocity;
  v[s->constraint_first + 2] = report->acceleration;
  v[s->constraint_first + 3] = report->status == ALI3_MOVED ? 0.0 : report->status;
  v[s->constraint_first + 4] = report->increment;
  for (int i = 0; i < s->channels; i++) v[s->input_first + i] = channels ? channels[i] : 0.0;
}

void signals_observe(const struct signals *s, const ali3_model *m, const ali3_data *d, const double *channels,
                     double *v)
{
  signals_observe_wanted(s, m, d, channels, NULL, v);
}

bool signals_is_motion(const struct signals *s, int signal)
{
  const int first = s->platform_first;
  return first >= 0 && signal >= first && signal < first + PLATFORM_MOTION_SIGNALS;
}

const struct input_range *signals_range(const struct signals *s, int signal)
{
  const int channel = signal - s->input_first;
  if (channel < 0 || channel >= s->channels) return NULL;
  int i = 0;
  while (i < s->inputs && channel >= s->input[i].first + s->input[i].count) i++;
  return i < s->inputs ? &s->input[i].range[channel - s->input[i].first] : NULL;
}

/* The number in ali3_sensor_state of a signal of a sensor, in the order of walk_sensor(); -1: its quality. */
static int number_of_sensor(ali3_sensor_type type, int signal)
{
  enum { VELOCITY = 7, ROTATION = 10, ACCELERATION = 13, SPECIFIC_FORCE = 19, SHOWN = 22 };
  const int axis = signal % 3;
  if (ali3_sensor_type_readings(type) == 1)
    return signal < (sensor_has_rate(type) ? 2 : 1) ? SHOWN + signal : -1;
  switch (type) {
  case ALI3_SENSOR_IMU:
    return (signal < 3 ? SPECIFIC_FORCE : ROTATION) + axis;
  case ALI3_SENSOR_POSE:
    return signal;
  default:
    return (signal < 3 ? 0 : signal < 6 ? VELOCITY : ACCELERATION) + axis;
  }
}

/* The number in ali3_force_state of a signal of a force; -1: a flag. */
static int number_of_force(ali3_force_type type, int signal)
{
  for (const struct quantity *const *q = of_force[type]; *q; q++) {
    if (signal < (*q)->count) return *q == &CLOSED ? -1 : (int)((*q)->offset / sizeof(double)) + signal;
    signal -= (*q)->count;
  }
  return -1;
}

/* The last of `count` elements that begins at or before the signal. */
static int element_at(const int *first, int count, int signal)
{
  int element = count - 1;
  while (element > 0 && first[element] > signal) element--;
  return element;
}

bool signals_port(const struct signals *s, const ali3_model *m, int signal, ali3_port *port)
{
  const int joints_end = s->forces > 0 ? s->force_first[0] : s->sensor_first[0];
  const int bodies_end = s->joints > 0 ? s->joint_first[0] : joints_end;
  /* in the order of walk_signals() */
  if (signal < s->body_first || signal >= s->energy_first) return false;
  if (signal < bodies_end) {
    const int number = signal - s->body_first;
    *port = (ali3_port){ALI3_PORT_BODY, number / SIGNALS_BODY, number % SIGNALS_BODY};
  } else if (signal < joints_end) {
    const int joint = element_at(s->joint_first, s->joints, signal), number = signal - s->joint_first[joint];
    const ali3_joint_type type = ali3_model_joint_type(m, joint);
    const bool coordinate = type == ALI3_JOINT_REVOLUTE || type == ALI3_JOINT_PRISMATIC;
    *port = (ali3_port){ALI3_PORT_JOINT, joint, number};
    return number < (coordinate ? 8 : 6); /* not the quality */
  } else if (signal < s->sensor_first[0]) {
    const int force = element_at(s->force_first, s->forces, signal);
    *port = (ali3_port){ALI3_PORT_FORCE, force,
                        number_of_force(ali3_model_force_type(m, force), signal - s->force_first[force])};
    return port->component >= 0;
  } else {
    const int sensor = element_at(s->sensor_first, s->sensors, signal);
    *port =
        (ali3_port){ALI3_PORT_SENSOR, sensor,
                    number_of_sensor(ali3_model_sensor_type(m, sensor), signal - s->sensor_first[sensor])};
    return port->component >= 0;
  }
  return true;
}
