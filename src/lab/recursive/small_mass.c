/* SPDX-License-Identifier: MIT */
#include "recursive/small_mass.h"

#include "integrators/linear.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { P = SMALL_MASS_PLANE };

struct small_mass_problem small_mass_oscillator(double m1, double damping)
{
  return (struct small_mass_problem){.name = "oscillator",
                                     .d = 1,
                                     .bodies = 2,
                                     .springs = 2,
                                     .point = {{.predecessor = -1, .is_free = {true}, .mass = m1},
                                               {.predecessor = 0, .is_free = {true}, .mass = 1}},
                                     .spring = {{-1, 0, 0, 100, damping}, {0, 1, 0, 100, damping}},
                                     .force = 10,
                                     .frequency = 2};
}

struct small_mass_problem small_mass_points(int number, double mi)
{
  const bool rod = number == 2;
  /* Masses in kg, places in m, velocities in m/s; springs in N/m and N s/m. */
  return (struct small_mass_problem){.name = rod ? "point masses 2" : "point masses 1",
                                     .d = 2,
                                     .bodies = 2,
                                     .springs = rod ? 2 : 3,
                                     .point = {{.predecessor = -1,
                                                .is_free = {true, true},
                                                .mass = mi,
                                                .position = {0.1, -0.05},
                                                .velocity = {rod ? 0.4 : 0, 0}},
                                               {.predecessor = 0,
                                                .is_free = {!rod, true},
                                                .mass = 1,
                                                .position = {0.3, 0.2},
                                                .velocity = {rod ? 0.4 : 0.5, -0.3}}},
                                     .spring = {{-1, 0, 0, 100, 2}, {-1, 0, 1, 80, 3}, {0, 1, 0, 50, 1}}};
}

/* ---- the tree at a state ---- */

/* Absolute positions and velocities from the joint coordinates, predecessors first. */
static void absolute_state(const struct small_mass_run *o, const double *y, double p[][P], double v[][P])
{
  for (int i = 0; i < o->tree.bodies; i++) {
    const struct small_mass_point *point = &o->problem.point[i];
    const int on = point->predecessor;
    int at = o->body[i].first;
    for (int axis = 0; axis < o->tree.d; axis++) {
      const double offset = point->position[axis] - (on < 0 ? 0 : o->problem.point[on].position[axis]);
      p[i][axis] = (on < 0 ? 0 : p[on][axis]) + (point->is_free[axis] ? y[at] : offset);
      v[i][axis] = (on < 0 ? 0 : v[on][axis]) + (point->is_free[axis] ? y[o->n + at] : 0);
      at += point->is_free[axis];
    }
  }
}

/* f of all bodies: springs act on both of their ends. */
static void apply_loads(struct small_mass_run *o, double t, const double *y)
{
  static const double ground[P];
  const struct small_mass_problem *problem = &o->problem;
  double p[SMALL_MASS_BODIES][P], v[SMALL_MASS_BODIES][P];
  absolute_state(o, y, p, v);
  for (int i = 0; i < problem->bodies; i++) memset(o->body[i].f, 0, sizeof o->body[i].f);
  for (int i = 0; i < problem->springs; i++) {
    const struct small_mass_spring *s = &problem->spring[i];
    const double *pa = s->a < 0 ? ground : p[s->a], *va = s->a < 0 ? ground : v[s->a];
    const double force = -s->c * (p[s->b][s->axis] - pa[s->axis]) - s->d * (v[s->b][s->axis] - va[s->axis]);
    o->body[s->b].f[s->axis] += force;
    if (s->a >= 0) o->body[s->a].f[s->axis] -= force;
  }
  o->body[0].f[0] += problem->force * sin(problem->frequency * t);
}

/* The matrices of the tree, which are constant: 0 = p_i - p_pi - q_i, K = I, H = -I, J = -I or the free columns of it. */
static void make_tree(struct small_mass_run *o, const struct small_mass_problem *problem)
{
  const int d = problem->d;
  *o = (struct small_mass_run){.problem = *problem, .tree = {.d = d, .bodies = problem->bodies}};
  for (int i = 0; i < problem->bodies; i++) {
    const struct small_mass_point *point = &problem->point[i];
    struct tree_body *body = &o->body[i];
    /* Its place in the tree, and one coordinate for each free axis. */
    body->predecessor = point->predecessor;
    body->first = o->n;
    for (int axis = 0; axis < d; axis++) body->n += point->is_free[axis];
    int column = 0;
    for (int axis = 0; axis < d; axis++) {
      body->M[axis * d + axis] = point->mass;
      body->K[axis * d + axis] = 1;
      if (point->predecessor >= 0) body->H[axis * d + axis] = -1;
      if (point->is_free[axis]) body->J[axis * body->n + column++] = -1;
    }
    o->n += body->n;
  }
  o->tree.coordinates = o->n;
}

static void evaluate_equations(struct small_mass_run *o, double t, const double *y, double *B, double *g)
{
  struct recursion_body work[SMALL_MASS_BODIES];
  o->tree.body = o->body;
  apply_loads(o, t, y);
  recursion_run(&o->tree, work);
  recursion_equations(&o->tree, work, B, g);
}

static void small_mass_residual(void *user, double t, const double *y, const double *yd, double *F)
{
  struct small_mass_run *o = user;
  double B[RADAU_MOST * RADAU_MOST], g[RADAU_MOST];
  evaluate_equations(o, t, y, B, g);
  for (int i = 0; i < o->n; i++) {
    F[i] = yd[i] - y[o->n + i];
    F[o->n + i] = -g[i];
    for (int j = 0; j < o->n; j++) F[o->n + i] += B[i * o->n + j] * yd[o->n + j];
  }
}

/* ---- the start ---- */

/* Joint coordinates of the state at the start, with the velocities v of the points. */
static void start_coordinates(struct small_mass_run *o, double v[][P])
{
  for (int i = 0; i < o->tree.bodies; i++) {
    const struct small_mass_point *point = &o->problem.point[i];
    const int on = point->predecessor;
    int at = o->body[i].first;
    for (int axis = 0; axis < o->tree.d; axis++) {
      if (!point->is_free[axis]) continue;
      o->y[at] = point->position[axis] - (on < 0 ? 0 : o->problem.point[on].position[axis]);
      o->y[o->n + at++] = v[i][axis] - (on < 0 ? 0 : v[on][axis]);
    }
  }
}

/* The terms that (28b) lacks along the axes of points without mass, `axes` of them listed. */
static void first_order_lack(struct small_mass_run *o, double v[][P], int axes, const int *body,
                             const int *axis, double *lack)
{
  double B[RADAU_MOST * RADAU_MOST], g[RADAU_MOST];
  start_coordinates(o, v);
  evaluate_equations(o, 0, o->y, B, g);
  /* Points without mass are not coupled along different axes: their eigenvectors are the axes, and (28b) is their load. */
  for (int k = 0; k < axes; k++) lack[k] = o->body[body[k]].f[axis[k]];
}

const char *small_mass_start(struct small_mass_run *o, const struct small_mass_problem *problem)
{
  enum { MOST = SMALL_MASS_BODIES * P };
  double v[SMALL_MASS_BODIES][P], lack[MOST], D[MOST * MOST], other[MOST];
  int axes = 0, body[MOST], axis[MOST];
  make_tree(o, problem);
  o->tree.body = o->body;
  if (recursion_refused(&o->tree) >= 0)
    return "two points without mass in a row are outside of the theory, (23)";
  /* Directions without mass that no rod gives one. */
  for (int i = 0; i < problem->bodies; i++)
    for (int k = 0; k < problem->d; k++) {
      bool carries = false;
      v[i][k] = problem->point[i].velocity[k];
      for (int j = 0; j < problem->bodies; j++)
        carries |= problem->point[j].predecessor == i && !problem->point[j].is_free[k];
      if (problem->point[i].mass > 0 || carries || !problem->point[i].is_free[k]) continue;
      body[axes] = i;
      axis[axes++] = k;
    }
  if (axes == 0) {
    start_coordinates(o, v);
    return NULL;
  }
  /* Their velocities: loads are linear in them, so one Newton step with differences is exact. */
  first_order_lack(o, v, axes, body, axis, lack);
  for (int c = 0; c < axes; c++) {
    v[body[c]][axis[c]] += 1;
    first_order_lack(o, v, axes, body, axis, other);
    v[body[c]][axis[c]] -= 1;
    for (int r = 0; r < axes; r++) D[r * axes + c] = other[r] - lack[r];
  }
  if (!lu_solve(D, axes, lack)) return "a direction without mass has no damper, so (28b) has no solution";
  for (int c = 0; c < axes; c++) v[body[c]][axis[c]] -= lack[c];
  start_coordinates(o, v);
  return NULL;
}

bool small_mass_run_to(struct small_mass_run *o, double t, double end, double tolerance,
                       struct radau_result *result)
{
  const struct radau r = {.n = 2 * o->n,
                          .user = o,
                          .residual = small_mass_residual,
                          .rtol = tolerance,
                          .atol = tolerance,
                          .first = 1e-4,
                          .most = 1000000};
  return radau_run(&r, t, end, o->y, result);
}

void small_mass_positions(const struct small_mass_run *o, double *position)
{
  double p[SMALL_MASS_BODIES][P], v[SMALL_MASS_BODIES][P];
  absolute_state(o, o->y, p, v);
  for (int i = 0; i < o->tree.bodies; i++)
    for (int axis = 0; axis < o->tree.d; axis++) position[i * o->tree.d + axis] = p[i][axis];
}
