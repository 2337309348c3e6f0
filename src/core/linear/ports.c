/* SPDX-License-Identifier: MIT Set-up. See ports.h. Outputs are the numbers that programs read after a step. Their derivatives
 * are central differences of these numbers along a deviation that meets all rows, in data of their own. */
#include "linear/ports.h"

#include "stepper/stage.h"

#include <math.h>
#include <string.h>

enum { BODY_NUMBERS_READ = 19, JOINT_NUMBERS_READ = 8, FORCE_NUMBERS_READ = 23, SENSOR_NUMBERS_READ = 24 };
_Static_assert(sizeof(ali3_body_state) == BODY_NUMBERS_READ * sizeof(double), "numbers alone");
_Static_assert(sizeof(ali3_force_state) == FORCE_NUMBERS_READ * sizeof(double), "numbers alone");
_Static_assert(sizeof(ali3_sensor_state) == SENSOR_NUMBERS_READ * sizeof(double), "numbers alone");
_Static_assert(offsetof(ali3_joint_state, held) == JOINT_NUMBERS_READ * sizeof(double), "numbers first");

/* Elements and components of each kind of port. */
static void port_range(const ali3_model *m, ali3_port_kind kind, int *elements, int *components)
{
  const int element[] = {m->bodies, m->loads, m->forces, m->bodies, m->joints, m->forces, m->sensors},
            component[] = {
                TWIST, 3, 1, BODY_NUMBERS_READ, JOINT_NUMBERS_READ, FORCE_NUMBERS_READ, SENSOR_NUMBERS_READ};
  *elements = element[kind];
  *components = component[kind];
}

static bool port_is_known(const ali3_model *m, const ali3_port *port, bool input)
{
  int elements, components;
  const bool enters = port->kind <= ALI3_PORT_COMMAND;
  if ((int)port->kind < 0 || port->kind > ALI3_PORT_SENSOR || enters != input) return false;
  port_range(m, port->kind, &elements, &components);
  return port->element >= 0 && port->element < elements && port->component >= 0 &&
         port->component < components;
}

ali3_status ports_check(const ali3_model *m, const ali3_ports *ports, ali3_problem *problem)
{
  if (ports->inputs < 0 || ports->outputs < 0 || (ports->inputs > 0 && !ports->input) ||
      (ports->outputs > 0 && !ports->output))
    return linear_refuse(problem, ALI3_E_ARGUMENT, "model", "a list of ports is missing");
  for (int i = 0; i < ports->inputs + ports->outputs; i++) {
    /* the kind of port, then the element that it names */
    const bool input = i < ports->inputs;
    const int at = input ? i : i - ports->inputs;
    const ali3_port *port = input ? &ports->input[at] : &ports->output[at];
    if (!port_is_known(m, port, input))
      return linear_refuse(problem, ALI3_E_ARGUMENT, "model", "%s %d: no such kind, element or component",
                           input ? "input" : "output", at);
    if (port->kind == ALI3_PORT_COMMAND && !ali3_force_type_takes_command(m->force[port->element].spec.type))
      return linear_refuse(problem, ALI3_E_ARGUMENT, "force",
                           "force \"%s\" takes no input: expected a motor or a drive",
                           m->force[port->element].name);
    if (port->kind == ALI3_PORT_COMMAND && m->force[port->element].spec.type == ALI3_FORCE_BRAKE)
      return linear_refuse(
          problem, ALI3_E_ARGUMENT, "force",
          "force \"%s\" is a brake, whose force depends on the direction of the rate: expected a motor or a "
          "drive",
          m->force[port->element].name);
    if (port->kind == ALI3_PORT_COMMAND && m->frozen->link[m->frozen->force_link[port->element]].own >= 0)
      return linear_refuse(problem, ALI3_E_ARGUMENT, "force",
                           "force \"%s\" is a %s, whose own states stay in the linear system: expected a "
                           "motor or a drive",
                           m->force[port->element].name,
                           ali3_force_type_name(m->force[port->element].spec.type));
  }
  return ALI3_OK;
}

void ports_load(const struct point *p, const ali3_port *input, double *o)
{
  const ali3_model *m = p->m;
  memset(o, 0, (size_t)m->bodies * TWIST * sizeof *o);
  if (input->kind == ALI3_PORT_COMMAND) {
    const int link = m->frozen->force_link[input->element];
    struct link_state s;
    if (m->frozen->link[link].drive >= 0) return;
    point_link(p, link, &s);
    for (int side = 0; side < s.j->sides; side++) /* lambda is minus the command */
      for (int i = 0; i < TWIST && s.j->body[side] != ALI3_GROUND; i++)
        o[TWIST * s.j->body[side] + i] += s.J[BODY_Y * side + i];
    return;
  }
  /* force and torque, world axes */
  struct wrench load = {0};
  int body = input->element;
  double unit[3] = {0};
  unit[input->component % 3] = 1.0;
  if (input->kind == ALI3_PORT_WRENCH) {
    v3_copy(input->component < 3 ? load.force : load.torque, unit);
  } else {
    const ali3_load_spec *spec = &m->load[input->element].spec;
    double vector[3], arm[3];
    body = spec->body;
    v3_copy(vector, unit);
    if (spec->body_axes) m3_mul(vector, p->frame[body].R, unit);
    v3_copy(spec->type == ALI3_LOAD_FORCE ? load.force : load.torque, vector);
    m3_mul(arm, p->frame[body].R, spec->point);
    if (spec->type == ALI3_LOAD_FORCE) v3_cross(load.torque, arm, vector);
  }
  double y[BODY_Y] = {0};
  body_add_wrench(&p->frame[body], &load, y);
  memcpy(o + TWIST * body, y, TWIST * sizeof *o);
}

/* --- outputs --- */

/* Puts data into the state of the point, moved by part of a deviation. */
static void put_deviation(const struct point *p, ali3_data *d, const struct deviation *e, double part)
{
  const ali3_model *m = p->m;
  /* bodies */
  for (int b = 0; b < m->bodies; b++) {
    struct body_state x = p->x[b];
    struct body_frame frame = p->frame[b];
    double y[BODY_Y], rate[TWIST], change[TWIST];
    body_velocity(&x, y);
    for (int i = 0; i < TWIST; i++) rate[i] = y[i] + part * e->v[TWIST * b + i];
    body_acceleration(&x, y);
    for (int i = 0; i < TWIST; i++) change[i] = y[i] + part * e->a[TWIST * b + i];
    point_move(&x, &frame, e->q + TWIST * b, part);
    point_set_motion(&x, &frame, rate, change);
    stored_set_state(m, d->now.x, b, &x);
  }
  for (int i = 0; i < m->frozen->drives; i++)
    d->outside.aim[i].position = p->d->outside.aim[i].position + part * e->aim[i];
  stage_bodies(m, d, KERNEL_body_frame);
  stage_rows(m, d);
  /* multipliers */
  for (int i = 0; i < m->frozen->links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      const int row = stored_row(j, k);
      const double change = part * e->lambda[p->first[i] + k];
      d->now.reaction[row] = p->d->now.reaction[row] + change;
      d->now.mean[row] = p->d->now.mean[row] + change;
      d->soft.law[row] = p->d->soft.law[row] + (j->soft && j->law[k].kind == LAW_VALUE ? change : 0.0);
    }
  }
}

static double read_output(const ali3_model *m, const ali3_data *d, const ali3_port *port)
{
  union {
    ali3_body_state body;
    ali3_joint_state joint;
    ali3_force_state force;
    ali3_sensor_state sensor;
    double number[SENSOR_NUMBERS_READ];
  } o;
  /* every state begins with its numbers */
  switch (port->kind) {
  case ALI3_PORT_BODY:
    ali3_body_get(m, d, port->element, &o.body);
    break;
  case ALI3_PORT_JOINT:
    ali3_joint_get(m, d, port->element, &o.joint);
    break;
  case ALI3_PORT_FORCE:
    ali3_force_get(m, d, port->element, &o.force);
    break;
  default:
    ali3_sensor_get(m, d, port->element, &o.sensor);
    break;
  }
  return o.number[port->component];
}

/* A step that moves no body by more than this part of the mechanism, and turns none by more than this angle; 0: nothing moves. */
static double length_of_step(const struct point *p, const struct deviation *e)
{
  static const double SMALL = 1e-3;
  double largest = 0.0;
  for (int i = 0; i < TWIST * p->m->bodies; i++)
    largest = fmax(largest, fabs(e->q[i]) / (i % TWIST < 3 ? p->m->frozen->length : 1.0));
  return largest > 0.0 ? SMALL / largest : 0.0;
}

void ports_outputs(const struct point *p, ali3_data *scratch, const ali3_ports *ports,
                   const struct deviation *e, double *value)
{
  const double step = length_of_step(p, e);
  /* without a motion the outputs are of second degree at most */
  const int steps = step > 0.0 ? 2 : 1;
  for (int i = 0; i < ports->outputs; i++) value[i] = 0.0;
  for (int s = 0; s < steps; s++)
    for (int sign = 1; sign >= -1; sign -= 2) {
      const double by = step > 0.0 ? (s + 1) * step : 1.0;
      const double weight = steps == 1 ? 0.5 : s == 0 ? 2.0 / (3.0 * step) : -1.0 / (12.0 * step);
      put_deviation(p, scratch, e, sign * by);
      for (int i = 0; i < ports->outputs; i++)
        value[i] += sign * weight * read_output(p->m, scratch, &ports->output[i]);
    }
}
