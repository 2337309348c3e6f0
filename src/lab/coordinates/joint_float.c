/* SPDX-License-Identifier: MIT
 * A link that floats: q = (r, p), seven coordinates with twists of their own. */
#include "coordinates/joint.h"
#include "math/euler.h"

#include <string.h>

/* o = 2 (a b*), without its first number: the angular velocity in world axes where a are the rates of the Euler parameters b. */
static void turn_of_rates(double o[3], const double a[4], const double b[4])
{
  const double back[4] = {b[0], -b[1], -b[2], -b[3]};
  double product[4];
  p_mul(product, a, back);
  for (int i = 0; i < 3; i++) o[i] = 2 * product[1 + i];
}

/* q = (r, p): R of p / |p|, so that a p off the unit sphere is the same place. */
void joint_float_pose(struct joint_pose *o, int k, const double *q, const double *qd)
{
  struct link_pose *x = &o->link[k];
  double part[3];
  v3_copy(x->r, q);
  v3_copy(x->point, q);
  memcpy(x->p, q + 3, sizeof x->p);
  memset(x->pd, 0, sizeof x->pd);
  memset(x->V, 0, sizeof x->V);
  const double size = p_rotation(x->R, x->p);
  memcpy(x->C, x->R, sizeof x->C);
  if (!qd) return;
  /* The velocity of the point at the origin: that of r, less the turn. */
  memcpy(x->pd, qd + 3, sizeof x->pd);
  turn_of_rates(x->V + 3, x->pd, x->p);
  for (int i = 3; i < SPATIAL; i++) x->V[i] /= size;
  v3_cross(part, x->r, x->V + 3);
  for (int i = 0; i < 3; i++) x->V[i] = qd[i] + part[i];
}

/* With k = 1/p'p the twist of a unit of p_j is a turn about r by g_j = 2 k (e_j p*). */
void link_twist(const struct joint_pose *o, int k, int i, double s[SPATIAL])
{
  const struct link_pose *x = &o->link[k];
  memcpy(s, x->s, sizeof x->s);
  if (!link_floats(o->tree, k)) return;
  memset(s, 0, SPATIAL * sizeof *s);
  if (i < 3) {
    s[i] = 1;
    return;
  }
  const double unit[4] = {i == 3, i == 4, i == 5, i == 6};
  turn_of_rates(s + 3, unit, x->p);
  for (int n = 3; n < SPATIAL; n++) s[n] /= p_dot(x->p, x->p);
  v3_cross(s, x->r, s + 3);
}

/* g_j' = 2 k (e_j p'*) + k'/k g_j, and the rate of r. */
void link_twist_rate(const struct joint_pose *o, int k, int i, double sd[SPATIAL])
{
  const struct link_pose *x = &o->link[k];
  double s[SPATIAL], part[3], rate[3];
  memcpy(sd, x->sd, sizeof x->sd);
  if (!link_floats(o->tree, k)) return;
  memset(sd, 0, SPATIAL * sizeof *sd);
  if (i < 3) return;
  const double unit[4] = {i == 3, i == 4, i == 5, i == 6}, size = p_dot(x->p, x->p);
  link_twist(o, k, i, s);
  turn_of_rates(sd + 3, unit, x->pd);
  for (int n = 3; n < SPATIAL; n++) sd[n] = (sd[n] - 2 * p_dot(x->p, x->pd) * s[n]) / size;
  v3_cross(rate, x->V + 3, x->r);
  v3_axpy(rate, 1, x->V);
  v3_cross(sd, rate, s + 3);
  v3_cross(part, x->r, sd + 3);
  v3_axpy(sd, 1, part);
}

void link_float_rates(const struct joint_pose *o, int k, const double X[SPATIAL], double along, double *x)
{
  const struct link_pose *link = &o->link[k];
  const double turn[4] = {0, X[3], X[4], X[5]};
  double part[3], rates[4];
  v3_cross(part, link->r, X + 3);
  v3_sub(x, X, part);
  p_mul(rates, turn, link->p);
  for (int i = 0; i < 4; i++) x[3 + i] = 0.5 * rates[i] + along * link->p[i] / p_dot(link->p, link->p);
}
