/* SPDX-License-Identifier: MIT
 * Natural coordinates of a planar mechanism (paper 3, section 2): x and y of its joint points.
 *
 * Each body is a rod between two joint points P and Q, at a distance L; its centre of mass lies on their line, at a
 * distance c from P. The mass matrix is then constant, each entry times the unit matrix of 2x2:
 *
 *   M_PP = m (1 - c/L)^2 + I/L^2,   M_QQ = m (c/L)^2 + I/L^2,   M_PQ = m (c/L) (1 - c/L) - I/L^2
 *
 * the weight is m g (1 - c/L) at P and m g c/L at Q, and there are no gyroscopic terms. A rod is one constraint
 * |Q - P|^2 - L^2, as in (37). Points that a joint makes coincide are one point; points on the ground are
 * constants; a point on a line along an axis of coordinates loses the other coordinate, a point on another line
 * obeys one linear constraint. */
#include "coordinates/natural.h"
#include "coordinates/forces.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static double end_coordinate(const struct natural_point *point, const double *q, int axis)
{
  return point->at[axis] >= 0 ? q[point->at[axis]] : point->fixed[axis];
}

static double end_velocity(const struct natural_point *point, const double *qd, int axis)
{
  return point->at[axis] >= 0 ? qd[point->at[axis]] : 0;
}

/* One constraint's row at the coordinates of a point. */
static void add_gradient(double *row, const struct natural_point *point, const double k[2], double factor)
{
  for (int axis = 0; axis < 2; axis++)
    if (point->at[axis] >= 0) row[point->at[axis]] += factor * k[axis];
}

typedef double end_of(const struct natural_point *point, const double *x, int axis);

/* Rods: (Q - P)^2 = L^2. A rod between fixed points has no row. end: coordinates or velocities of the points. Phi NULL: only the
 * gradients. Returns the row after them. */
static double *add_rods(const struct problem *p, end_of *end, const double *x, double *row, double **Phi)
{
  const struct natural *o = p->own;
  for (int i = 0; i < o->rods; i++) {
    const struct natural_rod *rod = &o->rod[i];
    const struct natural_point *P = &o->point[rod->P], *Q = &o->point[rod->Q];
    if (!rod->row) continue;
    const double d[2] = {end(Q, x, 0) - end(P, x, 0), end(Q, x, 1) - end(P, x, 1)};
    if (Phi) *(*Phi)++ = d[0] * d[0] + d[1] * d[1] - rod->L * rod->L;
    add_gradient(row, P, d, -2);
    add_gradient(row, Q, d, 2);
    row += p->n;
  }
  return row;
}

static void natural_rows(const struct problem *p, const struct instant *now, const double *q, double *Phi,
                         double *Phi_q)
{
  const struct natural *o = p->own;
  (void)now;
  memset(Phi_q, 0, sizeof *Phi_q * (size_t)(p->m * p->n));
  double *row = add_rods(p, end_coordinate, q, Phi_q, &Phi);
  /* Points on lines: n'P = offset. */
  for (int i = 0; i < o->lines; i++, row += p->n) {
    const struct natural_line *line = &o->line[i];
    const struct natural_point *P = &o->point[line->point];
    *Phi++ =
        line->normal[0] * end_coordinate(P, q, 0) + line->normal[1] * end_coordinate(P, q, 1) - line->offset;
    add_gradient(row, P, line->normal, 1);
  }
}

/* Phi_q is linear in q and in the fixed points; so its rate is Phi_q of the velocities, with fixed points at 0. */
static void natural_row_rates(const struct problem *p, const double *q, const double *qd, double *dPhi_q)
{
  (void)q;
  memset(dPhi_q, 0, sizeof *dPhi_q * (size_t)(p->m * p->n));
  add_rods(p, end_velocity, qd, dPhi_q, NULL);
}

static void natural_bias(const struct problem *p, const struct instant *now, const double *q,
                         const double *qd, double *bias)
{
  const struct natural *o = p->own;
  (void)now;
  (void)q;
  for (int i = 0; i < o->rods; i++) {
    const struct natural_rod *rod = &o->rod[i];
    const struct natural_point *P = &o->point[rod->P], *Q = &o->point[rod->Q];
    if (!rod->row) continue;
    const double d[2] = {end_velocity(Q, qd, 0) - end_velocity(P, qd, 0),
                         end_velocity(Q, qd, 1) - end_velocity(P, qd, 1)};
    *bias++ = 2 * (d[0] * d[0] + d[1] * d[1]);
  }
  for (int i = 0; i < o->lines; i++) *bias++ = 0;
}

static void natural_body(const struct problem *p, const double *q, const double *qd, int body,
                         struct lab_body *o)
{
  const struct natural *own = p->own;
  const struct natural_rod *rod = &own->rod[body];
  const struct natural_point *P = &own->point[rod->P], *Q = &own->point[rod->Q];
  const double part = rod->c / rod->L;
  double d[2], rate[2];
  for (int axis = 0; axis < 2; axis++) {
    const double at = end_coordinate(P, q, axis), v = end_velocity(P, qd, axis);
    d[axis] = end_coordinate(Q, q, axis) - at;
    rate[axis] = end_velocity(Q, qd, axis) - v;
    o->position[axis] = at + part * d[axis];
    o->velocity[axis] = v + part * rate[axis];
  }
  o->position[2] = rod->z;
  o->velocity[2] = 0;

  /* The turn about z since the start, before the orientation at the start. */
  const double half =
      0.5 * atan2(rod->start[0] * d[1] - rod->start[1] * d[0], rod->start[0] * d[0] + rod->start[1] * d[1]);
  const double *e = rod->orientation, c = cos(half), s = sin(half);
  const double turned[4] = {c * e[0] - s * e[3], c * e[1] - s * e[2], c * e[2] + s * e[1],
                            c * e[3] + s * e[0]};
  memcpy(o->orientation, turned, sizeof turned);
  const double spin = (d[0] * rate[1] - d[1] * rate[0]) / (d[0] * d[0] + d[1] * d[1]);
  for (int i = 0; i < 3; i++) o->angular_velocity[i] = spin * rod->axis[i];
}

/* ---- loads and springs, by the core ---- */

struct natural_state {
  const struct problem *p;
  const double *q, *qd;
};

static void state_of_rod(const void *user, int body, struct body_state *x)
{
  const struct natural_state *s = user;
  struct lab_body at;
  natural_body(s->p, s->q, s->qd, body, &at);
  memcpy(x->r, at.position, sizeof x->r);
  memcpy(x->p, at.orientation, sizeof x->p);
  memcpy(x->rd, at.velocity, sizeof x->rd);
  p_from_rotation(x->pd, x->p, 1, at.angular_velocity, 0);
}

/* o += k at a point, where that moves. */
static void push_natural_point(const struct natural_point *point, const double k[2], double part, double *o)
{
  for (int axis = 0; axis < 2; axis++)
    if (point->at[axis] >= 0) o[point->at[axis]] += part * k[axis];
}

enum { ROD_END = 2, ROD_NUMBERS = 4 }; /* x and y at P and Q */

/* A load shared out between the ends of its rod: end += the forces at P and at Q. A force at the centre of mass is shared out as
 * the weight is; a couple is a pair of forces across the rod. */
static void share_load(const struct natural_state *s, int body, const double y[BODY_Y],
                       double end[ROD_NUMBERS])
{
  const struct natural *own = s->p->own;
  const struct natural_rod *rod = &own->rod[body];
  const struct natural_point *P = &own->point[rod->P], *Q = &own->point[rod->Q];
  const double part = rod->c / rod->L, couple = v3_dot(rod->axis, y + 3) / (rod->L * rod->L);
  const double across[2] = {end_coordinate(P, s->q, 1) - end_coordinate(Q, s->q, 1),
                            end_coordinate(Q, s->q, 0) - end_coordinate(P, s->q, 0)};
  for (int i = 0; i < ROD_END; i++) {
    end[i] += (1 - part) * y[i] - couple * across[i];
    end[ROD_END + i] += part * y[i] + couple * across[i];
  }
}

static void load_on_rod(const void *user, int body, const struct body_state *x, const double y[BODY_Y],
                        double *o)
{
  const struct natural_state *s = user;
  const struct natural *own = s->p->own;
  double end[ROD_NUMBERS] = {0};
  (void)x;
  share_load(s, body, y, end);
  push_natural_point(&own->point[own->rod[body].P], end, 1, o);
  push_natural_point(&own->point[own->rod[body].Q], end + ROD_END, 1, o);
}

static struct mover mover_of_points(const struct natural_state *s)
{
  return (struct mover){.user = s, .state = state_of_rod, .load = load_on_rod};
}

static void natural_force(const struct problem *p, const struct instant *now, const double *q,
                          const double *qd, double *f)
{
  const struct natural_state s = {p, q, qd};
  const struct mover at = mover_of_points(&s);
  memcpy(f, p->f, sizeof *f * (size_t)p->n);
  forces_add(p->model, now, &at, f);
}

static void natural_slopes(const struct problem *p, const struct instant *now, const double *q,
                           const double *qd, double k, double c, double *gradient, double *A)
{
  const struct natural_state s = {p, q, qd};
  const struct mover at = mover_of_points(&s);
  forces_add_slopes(p->model, now, &at, k, c, p->n, gradient, A);
}

static void natural_own_rates(const struct problem *p, const struct instant *now, const double *q,
                              const double *qd, double *rate)
{
  const struct natural_state s = {p, q, qd};
  const struct mover at = mover_of_points(&s);
  forces_own_rates(p->model, now, &at, rate);
}

static void natural_follow(const struct problem *p, const double *q, double *turn)
{
  const struct natural_state s = {p, q, p->qd};
  const struct mover at = mover_of_points(&s);
  forces_follow_turns(p->model, &at, turn);
}

static void natural_energy(const struct problem *p, const struct instant *now, const double *q,
                           const double *qd, double *kinetic, double *potential)
{
  const struct natural *o = p->own;
  double T = 0, V = o->potential;
  for (int i = 0; i < p->n; i++) {
    double Mqd = 0;
    for (int j = 0; j < p->n; j++) Mqd += p->M[i * p->n + j] * qd[j];
    T += 0.5 * qd[i] * Mqd;
    V -= p->f[i] * q[i];
  }
  *kinetic = T;
  const struct natural_state s = {p, q, qd};
  const struct mover at = mover_of_points(&s);
  *potential = V + (p->loaded ? forces_energy(p->model, now, &at) : 0);
}

/* ---- reactions ---- */

/* As load_on_rod(), for each rod by itself: (rods, 4). */
static void load_on_ends(const void *user, int body, const struct body_state *x, const double y[BODY_Y],
                         double *o)
{
  (void)x;
  share_load(user, body, y, o + ROD_NUMBERS * body);
}

/* Forces of the joints at both ends of each rod: M q'' + Phi_q' lambda - f of the rod by itself. */
static void loads_of_ends(const struct problem *p, const struct instant *now, const struct lab_motion *x,
                          double *o)
{
  const struct natural *own = p->own;
  const struct natural_state s = {p, x->q, x->qd};
  const struct mover at = {.user = &s, .state = state_of_rod, .load = load_on_ends};
  double gravity[3];
  int row = 0;
  ali3_model_gravity(p->model, gravity);
  if (p->loaded) forces_add(p->model, now, &at, o);
  for (int b = 0; b < own->rods; b++) {
    const struct natural_rod *rod = &own->rod[b];
    const struct natural_point *P = &own->point[rod->P], *Q = &own->point[rod->Q];
    const struct body *body = &p->model->body[b];
    double Ja[3], *end = o + ROD_NUMBERS * b;
    m3_mul(Ja, body->spec.inertia, rod->axis);
    const double m = body->spec.mass, part = rod->c / rod->L,
                 spin = v3_dot(rod->axis, Ja) / (rod->L * rod->L);
    /* Inertia, weight and the row of the rod. */
    const double lambda = rod->row ? x->lambda[row++] : 0;
    for (int i = 0; i < ROD_END; i++) {
      const double pdd = end_velocity(P, x->qdd, i), qdd = end_velocity(Q, x->qdd, i),
                   d = end_coordinate(Q, x->q, i) - end_coordinate(P, x->q, i),
                   couple = m * part * (1 - part) - spin;
      end[i] = (m * (1 - part) * (1 - part) + spin) * pdd + couple * qdd - m * (1 - part) * gravity[i] -
               2 * d * lambda - end[i];
      end[ROD_END + i] = (m * part * part + spin) * qdd + couple * pdd - m * part * gravity[i] +
                         2 * d * lambda - end[ROD_END + i];
    }
  }
}

/* Joints at a point of a body that have no reaction yet; *last: one of them. */
static int open_joints(const struct problem *p, const bool *done, int point, int body, int *last)
{
  const struct natural *own = p->own;
  int count = 0;
  for (int j = 0; j < p->model->joints; j++)
    for (int side = 0; side < 2; side++)
      if (!done[j] && own->joint_point[j] == point && p->model->joint[j].body[side] == body) {
        count++;
        *last = j;
      }
  return count;
}

/* A joint that is the last one at its end of a body has what that end lacks. So joints of several bodies at one point are
 * solved one after the other, as long as they are a tree there. */
static bool natural_reactions(const struct problem *p, const struct instant *now, const struct lab_motion *x,
                              struct lab_reaction *o)
{
  const struct natural *own = p->own;
  const int joints = p->model->joints;
  double *end = calloc((size_t)(ROD_NUMBERS * own->rods) + 1, sizeof *end);
  bool *done = calloc((size_t)joints + 1, sizeof *done), found = end && done;
  if (found) loads_of_ends(p, now, x, end);
  for (int j = 0; j < joints; j++)
    for (int i = 0; i < 3; i++) {
      o[j].force[i] = i < ROD_END ? NAN : 0;
      o[j].torque[i] = 0;
    }
  const bool good = found;
  while (found) {
    found = false;
    for (int b = 0; b < own->rods; b++)
      for (int e = 0; e < ROD_END; e++) {
        const int point = e ? own->rod[b].Q : own->rod[b].P;
        int j = 0;
        if (open_joints(p, done, point, b, &j) != 1) continue;
        const struct joint *joint = &p->model->joint[j];
        const int side = joint->body[1] == b, other = joint->body[1 - side];
        double *lacks = end + ROD_NUMBERS * b + ROD_END * e;
        for (int i = 0; i < ROD_END; i++) o[j].force[i] = side ? lacks[i] : -lacks[i];
        /* The other body takes the opposite. */
        if (other != ALI3_GROUND) {
          double *there = end + ROD_NUMBERS * other + (own->rod[other].Q == point ? ROD_END : 0);
          for (int i = 0; i < ROD_END; i++) there[i] += lacks[i];
        }
        done[j] = found = true;
      }
  }
  free(end);
  free(done);
  return good;
}

static void natural_release(struct problem *p)
{
  struct natural *o = p->own;
  if (!o) return;
  free(o->point);
  free(o->rod);
  free(o->line);
  free(o->joint_point);
  free(o);
}

const struct description description_natural = {.name = "natural",
                                                .title = "x and y of the joint points of a planar mechanism",
                                                .make = natural_make,
                                                .release = natural_release,
                                                .rows = natural_rows,
                                                .row_rates = natural_row_rates,
                                                .bias = natural_bias,
                                                .force = natural_force,
                                                .slopes = natural_slopes,
                                                .own_rates = natural_own_rates,
                                                .follow = natural_follow,
                                                .energy = natural_energy,
                                                .body = natural_body,
                                                .reactions = natural_reactions};
