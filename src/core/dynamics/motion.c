/* SPDX-License-Identifier: MIT
 * motion_compile() is set-up; all other functions are loop code. */
#include "dynamics/motion.h"

#include <math.h>
#include <stdlib.h>

/* Second derivatives of the cubic spline through the points that is at rest at both ends: a tridiagonal system. */
static bool compile_spline(const ali3_table *t, double *o)
{
  int n = t->n;
  double *u = calloc((size_t)n, sizeof *u);
  if (!u) return false;
  const double(*p)[2] = t->point;
  double h = p[1][0] - p[0][0];
  /* Tridiagonal system of the clamped spline, eliminated downwards; rate 0 at both ends. */
  o[0] = -0.5;
  u[0] = 3.0 * (p[1][1] - p[0][1]) / (h * h);
  for (int i = 1; i < n - 1; i++) {
    double before = p[i][0] - p[i - 1][0], after = p[i + 1][0] - p[i][0];
    double s = before / (before + after), pivot = s * o[i - 1] + 2.0;
    double bend = (p[i + 1][1] - p[i][1]) / after - (p[i][1] - p[i - 1][1]) / before;
    o[i] = (s - 1.0) / pivot;
    u[i] = (6.0 * bend / (before + after) - s * u[i - 1]) / pivot;
  }
  h = p[n - 1][0] - p[n - 2][0];
  double end = -3.0 * (p[n - 1][1] - p[n - 2][1]) / (h * h);
  o[n - 1] = (end - 0.5 * u[n - 2]) / (0.5 * o[n - 2] + 1.0);
  /* Back substitution: curvatures. */
  for (int i = n - 2; i >= 0; i--) o[i] = o[i] * o[i + 1] + u[i];
  free(u);
  return true;
}

bool motion_compile(const ali3_force_spec *spec, double at_start, struct motion *m)
{
  *m = (struct motion){.offset = isnan(spec->offset) ? at_start : spec->offset,
                       .speed = spec->speed,
                       .amplitude = spec->amplitude,
                       .omega = 2.0 * 3.14159265358979323846 * spec->frequency,
                       .phase = spec->phase,
                       .table = &spec->motion,
                       .external = spec->external,
                       .max_rate = spec->max_rate,
                       .max_acceleration = spec->max_acceleration};
  if (spec->motion.n == 0) return true;
  m->curvature = calloc((size_t)spec->motion.n, sizeof *m->curvature);
  return m->curvature && compile_spline(&spec->motion, m->curvature);
}

static struct reference on_spline(const struct motion *m, double t)
{
  const ali3_table *table = m->table;
  const double(*p)[2] = table->point;
  int low = 0, high = table->n - 1;
  /* At rest before and after the table. */
  if (t < p[0][0]) return (struct reference){p[0][1], 0.0, 0.0};
  if (t > p[high][0]) return (struct reference){p[high][1], 0.0, 0.0};
  /* Bisection, then the cubic between the two points. */
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (t < p[middle][0])
      high = middle;
    else
      low = middle;
  }
  double h = p[high][0] - p[low][0], a = (p[high][0] - t) / h, b = 1.0 - a;
  double ca = m->curvature[low], cb = m->curvature[high];
  return (struct reference){
      a * p[low][1] + b * p[high][1] + ((a * a * a - a) * ca + (b * b * b - b) * cb) * h * h / 6.0,
      (p[high][1] - p[low][1]) / h + ((3.0 * b * b - 1.0) * cb - (3.0 * a * a - 1.0) * ca) * h / 6.0,
      a * ca + b * cb};
}

struct reference motion_at(const struct motion *m, double t)
{
  if (m->table->n) return on_spline(m, t);
  double s = m->amplitude * sin(m->omega * t + m->phase), c = m->amplitude * cos(m->omega * t + m->phase);
  return (struct reference){m->offset + m->speed * t + s, m->speed + m->omega * c, -m->omega * m->omega * s};
}

static double clamp_magnitude(double x, double limit)
{
  return x > limit ? limit : x < -limit ? -limit : x;
}

double motion_follow(const struct motion *m, const struct reference *from, double target, double dt)
{
  double a = m->max_acceleration, v = from->rate, e = target - from->position;
  /* Reach the target at rest in two steps, if the limits allow. */
  double first = (e - 1.5 * v * dt) / (dt * dt), second = -v / dt - first;
  if (fabs(first) <= a && fabs(second) <= a && fabs(v + first * dt) <= m->max_rate) return first;
  /* Otherwise use the largest rate from which braking still ends at the target: with the next rate u,
   *   (v + u) dt/2 + u^2/(2 a) <= e,   braking at less than 8/9 of the limit: from each of these states the
   * next one or rest in two steps is within it, so that none ends beyond the target */
  double brake = 0.88 * a, left = e - 0.5 * v * dt, sign = left < 0.0 ? -1.0 : 1.0;
  double u = sign * brake * (sqrt(0.25 * dt * dt + 2.0 * fabs(left) / brake) - 0.5 * dt);
  return clamp_magnitude((clamp_magnitude(u, m->max_rate) - v) / dt, a);
}
