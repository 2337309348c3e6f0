/* SPDX-License-Identifier: MIT
 * Moments of inertia: whether a body can have them, and the nearest ones that a body can have. */
#include "import.h"
#include "math/eigen.h"

#include <math.h>
#include <string.h>

/* The second moments of mass, S = tr(I)/2 1 - I, are negative in no direction. */
static void second_moments(double S[9], const double I[9])
{
  const double half = 0.5 * (I[0] + I[4] + I[8]);
  for (int i = 0; i < 9; i++) S[i] = (i % 4 == 0 ? half : 0.0) - I[i];
}

/* Returns false if a body can have I. Otherwise I gets the nearest moments of a body: negative second moments become 0. */
static bool repair_moments(double I[9], double moments[3])
{
  /* Principal second moments. */
  double S[9], X[9], lambda[3];
  symmetric_eigen(I, 3, X, moments);
  second_moments(S, I);
  symmetric_eigen(S, 3, X, lambda);
  const double size = fabs(I[0]) + fabs(I[4]) + fabs(I[8]);
  double least = lambda[0];
  for (int i = 1; i < 3; i++) least = fmin(least, lambda[i]);
  if (least >= -0.25e-9 * size && (size > 0.0 || (lambda[0] == 0.0 && least == 0.0))) return false;
  /* I = tr(S) 1 - S without the negative part of S. */
  double trace = 0.0;
  for (int k = 0; k < 3; k++) trace += lambda[k] = fmax(lambda[k], 0.0);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      I[3 * i + j] = i == j ? trace : 0.0;
      for (int k = 0; k < 3; k++) I[3 * i + j] -= X[3 * i + k] * lambda[k] * X[3 * j + k];
    }
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++) I[3 * i + j] = I[3 * j + i] = 0.5 * (I[3 * i + j] + I[3 * j + i]);
  return true;
}

/* Exporters leave moments of rounding, such as 1e-20 kg m^2, or none. */
static bool is_point(const struct inertia *i)
{
  static const double RADIUS = 1e-6; /* m, of gyration */
  double size = 0.0;
  for (int k = 0; k < 9; k++) size += fabs(i->moment[k]);
  return i->mass > 0.0 && size < RADIUS * RADIUS * i->mass;
}

/* Nothing holds a point about itself, and a light part of aluminium is not far from a ball of it. */
static void make_ball(struct link *l, struct notes *n)
{
  static const double DENSITY = 2700.0; /* kg/m^3 */
  const double radius = cbrt(3.0 * l->inertia.mass / (4.0 * M_PI * DENSITY));
  for (int i = 0; i < 9; i++)
    l->inertia.moment[i] = i % 4 == 0 ? 0.4 * l->inertia.mass * radius * radius : 0.0;
  note(n, l->inertial_line,
       "link '%.100s': a mass of %g kg without moments of inertia; it gets %g kg m^2, those of a ball of "
       "aluminium",
       l->name, l->inertia.mass, l->inertia.moment[0]);
}

static bool is_impossible(const double I[9])
{
  double copy[9], moments[3];
  memcpy(copy, I, sizeof copy);
  return repair_moments(copy, moments);
}

/* Links that are one body count as one: their sum must be possible. */
bool inertia_check(struct robot *r, const struct import *o, struct notes *n)
{
  bool good = true;
  for (int i = 0; i < r->links; i++) {
    struct link *l = &r->link[i];
    const struct group *g = &r->group[l->group];
    /* A repaired copy is at hand whatever the options say. */
    double moments[3], repaired[9];
    memcpy(repaired, l->inertia.moment, sizeof repaired);
    if (o->repair_inertia && is_point(&g->inertia)) continue;
    if (g->ground || !repair_moments(repaired, moments)) continue;
    if (o->repair_inertia) memcpy(l->inertia.moment, repaired, sizeof repaired);
    if (o->repair_inertia)
      note(n, l->inertial_line,
           "link '%.100s': no body has the principal moments %g, %g, %g kg m^2; they were repaired", l->name,
           moments[0], moments[1], moments[2]);
    else if (is_impossible(g->inertia.moment))
      good = note_error(
          n, l->inertial_line,
          "link '%.100s': no body has the principal moments %g, %g, %g kg m^2: expected 0 or more, and each "
          "at most the sum of the others; correct them, or try --repair-inertia",
          l->name, moments[0], moments[1], moments[2]);
    else
      note(n, l->inertial_line,
           "link '%.100s': no body has the principal moments %g, %g, %g kg m^2; the sum over the links of "
           "its body is possible",
           l->name, moments[0], moments[1], moments[2]);
  }
  return good;
}

void inertia_fill(struct robot *r, const struct import *o, struct notes *n)
{
  if (!o->repair_inertia) return;
  for (int i = 0; i < r->links; i++) {
    struct link *l = &r->link[i];
    const struct group *g = &r->group[l->group];
    if (!g->ground && is_point(&g->inertia) && l->inertia.mass > 0.0) make_ball(l, n);
  }
}

/* Adds mass (d'd 1 - d d') for a mass that lies d from the centre. */
static void shift_moment(double moment[9], double mass, const double d[3])
{
  const double square = d[0] * d[0] + d[1] * d[1] + d[2] * d[2];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) moment[3 * i + j] += mass * ((i == j ? square : 0.0) - d[i] * d[j]);
}

void inertia_add(struct inertia *a, const struct inertia *b, const struct frame *at)
{
  struct inertia sum = {.mass = a->mass + b->mass};
  double centre[3], turned[9];
  frame_place(centre, at, b->centre);
  frame_turn_tensor(turned, at->R, b->moment);
  if (!(sum.mass > 0.0)) {
    for (int i = 0; i < 9; i++) a->moment[i] += turned[i];
    return;
  }
  /* The common centre, then both moments about it. */
  double from_a[3], from_b[3];
  for (int i = 0; i < 3; i++) {
    sum.centre[i] = (a->mass * a->centre[i] + b->mass * centre[i]) / sum.mass;
    from_a[i] = a->centre[i] - sum.centre[i];
    from_b[i] = centre[i] - sum.centre[i];
  }
  for (int i = 0; i < 9; i++) sum.moment[i] = a->moment[i] + turned[i];
  shift_moment(sum.moment, a->mass, from_a);
  shift_moment(sum.moment, b->mass, from_b);
  *a = sum;
}
