/* SPDX-License-Identifier: MIT
 * Set-up. See point_parts.h. */
#include "actuators/tyre.h"
#include "kernels/elements.h"
#include "linear/point_parts.h"

#include <math.h>
#include <string.h>

/* The force that an input asks of a brake; 1 for other friction. */
static double asked_normal(const struct point *p, const struct joint_rows *j)
{
  if (!j->law[0].asked) return 1.0;
  const int force = p->m->frozen->force_of[j - p->m->frozen->link - p->m->joints];
  return fmax(0.0, fmin(outside_in_force(p->d)->command[force], j->law[0].actuator->friction));
}

/* The multipliers of sliding of a tyre, whose tread keeps its deflections. rate: of all rows of the link; normal: the load. */
static void tyre_forces(const struct point *p, const struct joint_rows *j, const double *rate, double normal,
                        double *lambda)
{
  const struct tyre_motion motion = {.sliding = {rate[1], rate[2]}, .rolling = rate[3]};
  double force[2];
  tyre_force(j->law[1].actuator, link_own(&p->d->now, j), &motion, fmax(0.0, normal), force);
  for (int i = 0; i < 2; i++) lambda[1 + i] = -force[i];
}

/* Forces of the laws of a soft link. */
void point_law_forces(const struct point *p, int link, const struct link_state *s, double *lambda)
{
  const struct joint_rows *j = s->j;
  const double normal = -lambda[0];
  for (int k = 0; k < j->count; k++) {
    const struct law *law = &j->law[k];
    double slope;
    if (law->kind == LAW_VALUE)
      lambda[k] = -outside_in_force(p->d)->command[p->m->frozen->force_of[link - p->m->joints]];
    else if (law->kind == LAW_FRICTION)
      lambda[k] = law_friction(law, asked_normal(p, j), s->rate[k], 0.0);
    else if (law->kind == LAW_SLIP) /* the first row has the normal force */
      lambda[k] =
          law_friction(law, fmax(0.0, k == 0 ? normal : -lambda[0]), s->rate[k], s->rate[k == 1 ? 2 : 1]);
    else if (law->kind == LAW_TYRE) /* both rows at once */
      tyre_forces(p, j, s->rate, -lambda[0], lambda);
    else
      lambda[k] = law_force(law, link_own(&p->d->now, j), s->Phi[k], s->rate[k], 0.0, &slope);
  }
}

/* Slopes of the two rows of sliding of a tyre, by differences. */
static void tyre_slopes(const struct point *p, const struct link_state *s, double normal,
                        double (*stiff)[ROWS_MAX], double (*damp)[ROWS_MAX])
{
  static const double RELATIVE = 6e-6;
  double side[2][3], rate[ROWS_MAX];
  memcpy(rate, s->rate, sizeof rate);
  for (int i = 1; i < s->j->count; i++) {
    const double h = RELATIVE * (1.0 + fabs(s->rate[i]));
    for (int e = 0; e < 2; e++) {
      rate[i] = s->rate[i] + (e ? h : -h);
      tyre_forces(p, s->j, rate, normal, side[e]);
    }
    rate[i] = s->rate[i];
    for (int k = 1; k < 3; k++) damp[k][i] = (side[1][k] - side[0][k]) / (2.0 * h);
  }
  const double h = RELATIVE * normal;
  if (!(normal > 0.0)) return;
  for (int e = 0; e < 2; e++) tyre_forces(p, s->j, rate, normal + (e ? h : -h), side[e]);
  for (int k = 1; k < 3; k++) { /* the load is -lambda of row 0 */
    const double by_load = (side[1][k] - side[0][k]) / (2.0 * h);
    stiff[k][0] = -by_load * stiff[0][0];
    damp[k][0] = -by_load * damp[0][0];
  }
}

/* Slopes of the laws of a link: of row k by Phi and Phi' of row i. */
void point_law_slopes(const struct point *p, const struct link_state *s, const double *lambda,
                      double (*stiff)[ROWS_MAX], double (*damp)[ROWS_MAX])
{
  const struct joint_rows *j = s->j;
  memset(stiff, 0, ROWS_MAX * sizeof *stiff);
  memset(damp, 0, ROWS_MAX * sizeof *damp);
  for (int k = 0; k < j->count; k++) {
    const struct law *law = &j->law[k];
    if (law->kind == LAW_VALUE || law->kind == LAW_SWAY) continue;
    if (law->kind == LAW_TYRE) {
      if (k == 1) tyre_slopes(p, s, -lambda[0], stiff, damp);
      continue;
    }
    if (law->kind == LAW_FRICTION || law->kind == LAW_SLIP) {
      /* N f v/S, S^2 = v^2 + u^2 + slip^2 */
      const bool contact = law->kind == LAW_SLIP;
      const double normal = contact ? fmax(0.0, -lambda[0]) : asked_normal(p, j), v = s->rate[k];
      const int other = contact ? (k == 1 ? 2 : 1) : k;
      const double u = contact ? s->rate[other] : 0.0, S = sqrt(v * v + u * u + law->slip * law->slip);
      const double force = normal * law->friction;
      damp[k][k] = force * (u * u + law->slip * law->slip) / (S * S * S) + law->damping;
      if (!contact) continue;
      damp[k][other] = -force * v * u / (S * S * S);
      for (int i = 0; i < 2 && normal > 0.0; i++) /* the normal force is -lambda of row 0 */
        (i ? damp : stiff)[k][0] = -law->friction * v / S * (i ? damp : stiff)[0][0];
      continue;
    }
    law_slopes(law, link_own(&p->d->now, j), s->Phi[k], s->rate[k], 1.0, 0.0, &stiff[k][k], &damp[k][k]);
  }
}
