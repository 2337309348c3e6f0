/* SPDX-License-Identifier: MIT
 * Which models have natural coordinates, and how their joints become points:
 *
 *   1. All axes of revolute joints are along z, and all centres of mass and joint points lie at one z. The other
 *      joints are points on lines of the ground; the lines lie in that plane.
 *   2. A body has one or two joint points, which lie on a line with its centre of mass. If there is one only, the
 *      centre of mass is the second.
 *   3. There are no drives and gears, which hold angles. */
#include "coordinates/forces.h"
#include "coordinates/natural.h"
#include "model/model.h"

#include "math/euler.h"

#include <ali3/stepper.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ROD_ENDS = 2 };

/* The poses and velocities that the model starts from, and the points that its bodies have been given so far. */
struct point_maker {
  const ali3_model *m;
  struct natural *o;
  ali3_body_state *state; /* (bodies) */
  int (*end)[ROD_ENDS];   /* (bodies) points; -1: none yet */
  double z, near;         /* m: of the plane; distance that counts as one place */
  struct lab_refusal *why;
};

/* Place and velocity of a point of a body or of the ground, in the world. */
static void place_in_world(const struct point_maker *k, int body, const double point[3], double at[3],
                           double velocity[3])
{
  double R[9], arm[3], turn[3];
  memcpy(at, point, 3 * sizeof *at);
  memset(velocity, 0, 3 * sizeof *velocity);
  if (body == ALI3_GROUND) return;
  const ali3_body_state *x = &k->state[body];
  p_rotation(R, x->orientation);
  m3_mul(arm, R, point);
  v3_cross(turn, x->angular_velocity, point);
  m3_mul(velocity, R, turn);
  for (int i = 0; i < 3; i++) {
    at[i] = x->position[i] + arm[i];
    velocity[i] += x->velocity[i];
  }
}

static void axis_in_world(const struct point_maker *k, int body, const double axis[3], double world[3])
{
  double R[9];
  if (body == ALI3_GROUND) {
    memcpy(world, axis, 3 * sizeof *world);
  } else {
    p_rotation(R, k->state[body].orientation);
    m3_mul(world, R, axis);
  }
}

static bool point_is_at(const struct point_maker *k, const struct natural_point *a, const double at[3])
{
  return hypot(a->fixed[0] - at[0], a->fixed[1] - at[1]) <= k->near;
}

/* The point of a body at a place, a new one if it has none there; -1 after a refusal. */
static int point_of_body(struct point_maker *k, int body, const double at[3], const double velocity[3])
{
  struct natural *o = k->o;
  int slot = 0;
  for (; body != ALI3_GROUND && slot < ROD_ENDS && k->end[body][slot] >= 0; slot++)
    if (point_is_at(k, &o->point[k->end[body][slot]], at)) return k->end[body][slot];
  if (slot == ROD_ENDS) {
    problem_refuse(k->why, "body", body,
                   "natural coordinates need two joint points per body: \"%s\" has three",
                   ali3_model_body_name(k->m, body));
    return -1;
  }
  o->point[o->points] = (struct natural_point){
      .fixed = {at[0], at[1]}, .velocity = {velocity[0], velocity[1]}, .ground = body == ALI3_GROUND};
  if (body != ALI3_GROUND) k->end[body][slot] = o->points;
  return o->points++;
}

/* Makes one point of two; the later one is left without bodies. */
static void unite_points(struct point_maker *k, int a, int b)
{
  struct natural *o = k->o;
  if (a == b) return;
  const int first = a < b ? a : b, gone = a < b ? b : a;
  o->point[first].ground |= o->point[gone].ground;
  for (int i = 0; i < ali3_model_bodies(k->m); i++)
    for (int e = 0; e < ROD_ENDS; e++)
      if (k->end[i][e] == gone) k->end[i][e] = first;
  for (int i = 0; i < o->lines; i++)
    if (o->line[i].point == gone) o->line[i].point = first;
  for (int i = 0; i < k->m->joints; i++)
    if (o->joint_point[i] == gone) o->joint_point[i] = first;
}

static bool take_revolute(struct point_maker *k, int index)
{
  const struct joint *j = &k->m->joint[index];
  int point[2];
  /* On each body: an axis along z, and a point in the plane. */
  for (int side = 0; side < 2; side++) {
    double at[3], velocity[3], axis[3];
    axis_in_world(k, j->body[side], j->axis[side], axis);
    if (hypot(axis[0], axis[1]) > 1e-9)
      return problem_refuse(k->why, "joint", index,
                            "not planar: expected an axis along z, found (%g, %g, %g)", axis[0], axis[1],
                            axis[2]);
    place_in_world(k, j->body[side], j->point[side], at, velocity);
    if (fabs(at[2] - k->z) > k->near)
      return problem_refuse(k->why, "joint", index,
                            "not planar: expected z = %g as of the first body, found a point at z = %g", k->z,
                            at[2]);
    point[side] = point_of_body(k, j->body[side], at, velocity);
    if (point[side] < 0) return false;
  }
  /* Both points are one. */
  k->o->joint_point[index] = point[0];
  unite_points(k, point[0], point[1]);
  return true;
}

static bool take_line(struct point_maker *k, int index)
{
  const struct joint *j = &k->m->joint[index];
  double at[3], velocity[3], base[3], still[3];
  /* The line belongs to the ground and lies in the plane. */
  if (j->body[0] != ALI3_GROUND)
    return problem_refuse(
        k->why, "joint", index,
        "natural coordinates take lines of the ground only: this line belongs to body \"%s\"",
        ali3_model_body_name(k->m, j->body[0]));
  const double *axis = j->axis[0];
  if (fabs(axis[2]) > 1e-9)
    return problem_refuse(k->why, "joint", index,
                          "not planar: expected a line in the x-y plane, found (%g, %g, %g)", axis[0],
                          axis[1], axis[2]);
  /* The point on it lies in the plane, too. */
  place_in_world(k, ALI3_GROUND, j->point[0], base, still);
  place_in_world(k, j->body[1], j->point[1], at, velocity);
  if (fabs(at[2] - k->z) > k->near)
    return problem_refuse(k->why, "joint", index,
                          "not planar: expected z = %g as of the first body, found a point at z = %g", k->z,
                          at[2]);
  const int point = point_of_body(k, j->body[1], at, velocity);
  if (point < 0) return false;
  k->o->joint_point[index] = point;
  /* n'P = n'base */
  const double normal[2] = {-axis[1], axis[0]};
  k->o->line[k->o->lines++] = (struct natural_line){
      .point = point, .normal = {normal[0], normal[1]}, .offset = normal[0] * base[0] + normal[1] * base[1]};
  return true;
}

static bool take_joint(struct point_maker *k, int index)
{
  const ali3_joint_type type = k->m->joint[index].spec.type;
  if (type == ALI3_JOINT_REVOLUTE) return take_revolute(k, index);
  if (type == ALI3_JOINT_POINT_ON_LINE) return take_line(k, index);
  return problem_refuse(k->why, "joint", index,
                        "natural coordinates take joints of type revolute and point_on_line, not %s",
                        ali3_joint_type_name(type));
}

/* Rule 3, and the part of rule 1 that is about bodies. */
static bool check_planar(struct point_maker *k)
{
  const ali3_model *m = k->m;
  /* No coordinate is an angle that a drive or a gear could hold. */
  int body[4];
  if (forces_rows(m) > 0) {
    const int force = forces_row_owner(m, 0, body);
    return problem_refuse(
        k->why, "force", force,
        "natural coordinates are those of points: there is no angle or distance that a %s could hold",
        ali3_force_type_name(ali3_model_force_type(m, force)));
  }
  /* Each body has mass, and lies and moves in the plane. */
  for (int i = 0; i < m->bodies; i++) {
    const ali3_body_state *x = &k->state[i];
    double spin[3];
    axis_in_world(k, i, x->angular_velocity, spin);
    if (!(m->body[i].spec.mass > 0))
      return problem_refuse(k->why, "body", i, "natural coordinates need a mass above 0");
    if (fabs(x->position[2] - k->z) > k->near)
      return problem_refuse(k->why, "body", i, "not planar: expected z = %g as of the first body, found %g",
                            k->z, x->position[2]);
    if (fabs(x->velocity[2]) > 1e-9 || hypot(spin[0], spin[1]) > 1e-9)
      return problem_refuse(k->why, "body", i,
                            "not planar: it moves or turns out of the x-y plane at the start");
  }
  return true;
}

/* A rod's points, and where the centre of mass is between them. */
static bool make_rod(struct point_maker *k, int body, struct natural_rod *rod)
{
  const ali3_body_state *x = &k->state[body];
  const char *name = ali3_model_body_name(k->m, body);
  /* Two points: the second may have to be the centre of mass. */
  if (k->end[body][0] < 0)
    return problem_refuse(k->why, "body", body,
                          "natural coordinates need a joint at every body: \"%s\" has none", name);
  if (k->end[body][1] < 0) {
    if (point_is_at(k, &k->o->point[k->end[body][0]], x->position))
      return problem_refuse(
          k->why, "body", body,
          "natural coordinates need two points: \"%s\" has one joint, at its centre of mass", name);
    point_of_body(k, body, x->position, x->velocity);
  }
  *rod = (struct natural_rod){.P = k->end[body][0], .Q = k->end[body][1], .z = x->position[2]};
  /* Length, and where along it the centre of mass lies. */
  const struct natural_point *P = &k->o->point[rod->P], *Q = &k->o->point[rod->Q];
  const double d[2] = {Q->fixed[0] - P->fixed[0], Q->fixed[1] - P->fixed[1]};
  const double to_mass[2] = {x->position[0] - P->fixed[0], x->position[1] - P->fixed[1]};
  rod->L = hypot(d[0], d[1]);
  rod->c = (d[0] * to_mass[0] + d[1] * to_mass[1]) / rod->L;
  /* The formulas of the mass matrix want it on the line between the points. */
  const double off = (d[0] * to_mass[1] - d[1] * to_mass[0]) / rod->L;
  if (fabs(off) > k->near)
    return problem_refuse(
        k->why, "body", body,
        "natural coordinates need the centre of mass of \"%s\" on the line of its joints: it is %g m off",
        name, fabs(off));
  /* How the body lies on its rod, to find its orientation again. */
  double R[9];
  const double z[3] = {0, 0, 1};
  p_rotation(R, x->orientation);
  m3_tmul(rod->axis, R, z);
  memcpy(rod->start, d, sizeof d);
  memcpy(rod->orientation, x->orientation, sizeof rod->orientation);
  return true;
}

/* Numbers the coordinates: none for a point on the ground, one for a point on a line along an axis. A line that
 * costs its point a coordinate is taken from the list of constraints. */
static void number_coordinates(struct natural *o, int *n)
{
  int count = 0;
  /* -1: does not move; 0: to be numbered. */
  for (int i = 0; i < o->points; i++)
    for (int axis = 0; axis < 2; axis++) o->point[i].at[axis] = o->point[i].ground ? -1 : 0;
  /* A line along an axis fixes one coordinate and needs no row. */
  for (int i = 0; i < o->lines; i++) {
    struct natural_line line = o->line[i];
    const int along = fabs(line.normal[1]) < 1e-12 ? 0 : fabs(line.normal[0]) < 1e-12 ? 1 : -1;
    if (o->point[line.point].ground) continue;
    if (along < 0) {
      o->line[count++] = line;
    } else {
      o->point[line.point].at[along] = -1;
      o->point[line.point].fixed[along] = line.offset / line.normal[along];
    }
  }
  o->lines = count;
  /* Coordinates of points that a rod uses are numbered. */
  for (int i = 0; i < o->rods; i++) o->point[o->rod[i].P].used = o->point[o->rod[i].Q].used = true;
  *n = 0;
  for (int i = 0; i < o->points; i++)
    for (int axis = 0; axis < 2; axis++)
      if (o->point[i].at[axis] == 0) o->point[i].at[axis] = o->point[i].used ? (*n)++ : -1;
}

/* Adds an entry of M between two points, times the unit matrix; entries at constants are left out. */
static void add_mass(struct problem *p, const struct natural_point *a, const struct natural_point *b,
                     double mass)
{
  for (int axis = 0; axis < 2; axis++)
    if (a->at[axis] >= 0 && b->at[axis] >= 0) p->M[a->at[axis] * p->n + b->at[axis]] += mass;
}

static void add_weight(struct problem *p, struct natural *o, const struct natural_point *a, double mass)
{
  double gravity[3];
  ali3_model_gravity(p->model, gravity);
  for (int axis = 0; axis < 2; axis++)
    if (a->at[axis] >= 0)
      p->f[a->at[axis]] += mass * gravity[axis];
    else
      o->potential -= mass * gravity[axis] * a->fixed[axis];
}

static void fill_matrices(struct problem *p, struct natural *o)
{
  /* Mass and weight of each rod, shared out between its points. */
  for (int i = 0; i < o->rods; i++) {
    const struct natural_rod *rod = &o->rod[i];
    const struct natural_point *P = &o->point[rod->P], *Q = &o->point[rod->Q];
    const struct body *body = &p->model->body[i];
    double Ja[3];
    m3_mul(Ja, body->spec.inertia, rod->axis);
    const double m = body->spec.mass, part = rod->c / rod->L,
                 spin = v3_dot(rod->axis, Ja) / (rod->L * rod->L);
    add_mass(p, P, P, m * (1 - part) * (1 - part) + spin);
    add_mass(p, Q, Q, m * part * part + spin);
    add_mass(p, P, Q, m * part * (1 - part) - spin);
    add_mass(p, Q, P, m * part * (1 - part) - spin);
    add_weight(p, o, P, m * (1 - part));
    add_weight(p, o, Q, m * part);
  }
  /* The state at the start. */
  for (int i = 0; i < o->points; i++)
    for (int axis = 0; axis < 2; axis++)
      if (o->point[i].at[axis] >= 0) {
        p->q[o->point[i].at[axis]] = o->point[i].fixed[axis];
        p->qd[o->point[i].at[axis]] = o->point[i].velocity[axis];
      }
}

static bool allocate_points(struct problem *p, struct point_maker *k)
{
  const size_t bodies = (size_t)p->bodies, joints = (size_t)ali3_model_joints(p->model);
  struct natural *o = p->own = calloc(1, sizeof *o);
  if (!o) return false;
  o->point = calloc(2 * joints + bodies + 1, sizeof *o->point);
  o->rod = calloc(bodies + 1, sizeof *o->rod);
  o->line = calloc(joints + 1, sizeof *o->line);
  o->joint_point = calloc(joints + 1, sizeof *o->joint_point);
  for (size_t i = 0; o->joint_point && i < joints; i++) o->joint_point[i] = -1;
  k->o = o;
  k->state = calloc(bodies + 1, sizeof *k->state);
  k->end = malloc((bodies + 1) * sizeof *k->end);
  return o->point && o->rod && o->line && o->joint_point && k->state && k->end;
}

static bool make_points(struct problem *p, struct point_maker *k, const ali3_data *d)
{
  const ali3_model *m = p->model;
  double size = 0;
  if (!allocate_points(p, k)) return problem_refuse(k->why, "model", -1, "out of memory");
  /* Poses at the start, and the size that tolerances refer to. */
  for (int i = 0; i < p->bodies; i++) {
    ali3_body_get(m, d, i, &k->state[i]);
    k->end[i][0] = k->end[i][1] = -1;
    size = fmax(size, fabs(k->state[i].position[0]) + fabs(k->state[i].position[1]));
  }
  k->near = 1e-8 * (1 + size);
  k->z = p->bodies > 0 ? k->state[0].position[2] : 0;
  /* Points from joints, then rods from points. */
  if (!check_planar(k)) return false;
  for (int i = 0; i < ali3_model_joints(m); i++)
    if (!take_joint(k, i)) return false;
  for (int i = 0; i < p->bodies; i++)
    if (!make_rod(k, i, &k->o->rod[i])) return false;
  k->o->rods = p->bodies;
  return true;
}

static bool make_matrices(struct problem *p, struct natural *o, struct lab_refusal *why)
{
  number_coordinates(o, &p->n);
  p->m = o->lines;
  /* A rod has a row if one of its ends moves. */
  for (int i = 0; i < o->rods; i++) {
    struct natural_rod *rod = &o->rod[i];
    const int *P = o->point[rod->P].at, *Q = o->point[rod->Q].at;
    rod->row = P[0] >= 0 || P[1] >= 0 || Q[0] >= 0 || Q[1] >= 0;
    p->m += rod->row;
  }
  if (p->n == 0) return problem_refuse(why, "model", -1, "nothing moves: all joint points are on the ground");
  /* The mass matrix and the weight are constant in these coordinates. */
  p->constant = true;
  p->loaded = forces_load(p->model);
  p->driven = p->m;
  p->M = calloc((size_t)(p->n * p->n), sizeof *p->M);
  p->f = calloc((size_t)p->n, sizeof *p->f);
  p->q = calloc((size_t)p->n, sizeof *p->q);
  p->qd = calloc((size_t)p->n, sizeof *p->qd);
  if (!p->M || !p->f || !p->q || !p->qd) return problem_refuse(why, "model", -1, "out of memory");
  fill_matrices(p, o);
  return true;
}

bool natural_make(struct problem *p, const ali3_data *d, struct lab_refusal *why)
{
  struct point_maker k = {.m = p->model, .why = why};
  const bool good = make_points(p, &k, d) && make_matrices(p, k.o, why);
  free(k.state);
  free(k.end);
  return good;
}
