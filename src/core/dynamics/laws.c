/* SPDX-License-Identifier: MIT
 * Loop code. */
#include "dynamics/laws.h"
#include "actuators/cylinder.h"
#include "actuators/tyre.h"
#include "actuators/winding.h"

#include <math.h>

/* Index of the interval of the table that contains x. The first and last interval extend to infinity. */
static int table_interval(const ali3_table *t, double x)
{
  int low = 0, high = t->n - 1;
  while (high - low > 1) {
    int middle = (low + high) / 2;
    if (x < t->point[middle][0])
      high = middle;
    else
      low = middle;
  }
  return low;
}

static double table_at(const ali3_table *t, double x, double *slope)
{
  const double(*p)[2] = t->point + table_interval(t, x);
  *slope = (p[1][1] - p[0][1]) / (p[1][0] - p[0][0]);
  return p[0][1] + *slope * (x - p[0][0]);
}

/* Factors must stay positive, so they get no slope where a table falls. */
static double not_negative(double slope)
{
  return slope > 0.0 ? slope : 0.0;
}

static double table_force(const struct law *law, double x, double rate, double v_d, double *slope)
{
  double k = law->stiffness, c = law->damping, force, damping;
  force = law->force->n ? table_at(law->force, x, &k) : k * x;
  damping = law->damping_table->n ? table_at(law->damping_table, rate, &c) : c * rate;
  *slope = not_negative(k) + v_d * not_negative(c);
  return force + damping;
}

/* Force of a function of the caller, and its derivatives; by differences where it leaves them out. */
static double user_force(const ali3_law *user, double x, double rate, double *stiffness, double *damping)
{
  static const double RELATIVE = 6e-6; /* cube root of the rounding: best for central differences */
  double none[2];
  *stiffness = *damping = NAN;
  const double force = user->force(user->context, x, rate, stiffness, damping);
  if (isnan(*stiffness)) {
    const double h = RELATIVE * (1e-3 + fabs(x));
    *stiffness = (user->force(user->context, x + h, rate, &none[0], &none[1]) -
                  user->force(user->context, x - h, rate, &none[0], &none[1])) /
                 (2.0 * h);
  }
  if (isnan(*damping)) {
    const double h = RELATIVE * (1e-3 + fabs(rate));
    *damping = (user->force(user->context, x, rate + h, &none[0], &none[1]) -
                user->force(user->context, x, rate - h, &none[0], &none[1])) /
               (2.0 * h);
  }
  return force;
}

/* Mean force over a step: that of the resting force over the way, by the three points of Gauss, and the rest of the force at the
 * middle. The work differs from the change of a stored energy by the seventh power of the way; no difference of energies loses
 * digits. */
static double user_average(const ali3_law *user, double x0, double x, double dt, double *slope)
{
  static const double OUTER = 0.7745966692414834 / 2.0, WEIGHT = 5.0 / 18.0; /* sqrt(3/5) / 2 */
  const double middle = 0.5 * (x0 + x), way = x - x0;
  double k, c, none;
  const double force = user_force(user, middle, way / dt, &k, &c);
  *slope = 0.5 * not_negative(k) + not_negative(c) / dt;
  double mean = -2.0 * WEIGHT * user->force(user->context, middle, 0.0, &k, &none);
  for (int side = -1; side <= 1; side += 2)
    mean += WEIGHT * user->force(user->context, middle + side * OUTER * way, 0.0, &k, &none);
  return force + mean;
}

/* Distance beyond a limit; 0 within the limits. */
static double beyond_table(const struct law *law, double x)
{
  return x > law->upper ? x - law->upper : x < law->lower ? x - law->lower : 0.0;
}

/* A stop pushes back and never pulls. */
static double limit_force(const struct law *law, double x, double rate, double v_d, double *slope)
{
  double out = beyond_table(law, x), force = law->stiffness * out + law->damping * rate;
  if (force * out <= 0.0) return *slope = 0.0;
  *slope = law->stiffness + v_d * law->damping;
  return force;
}

double law_mean(const struct law *law, double x0, double x, double dt, bool end, double *slope)
{
  double out0 = beyond_table(law, x0), out = beyond_table(law, x), way = x - x0, k = law->stiffness,
         c = law->damping / dt;
  double spring, spring_slope, sign = out != 0.0 ? out : out0;
  *slope = 0.0;
  if (out == 0.0 && (end || out0 == 0.0)) return 0.0;
  if (end) {
    spring = k * out;
    spring_slope = k;
  } else if (out0 * out > 0.0 || way == 0.0) { /* the whole step is beyond one limit */
    spring = 0.5 * k * (out0 + out);
    spring_slope = 0.5 * k;
  } else {
    spring = 0.5 * k * (out * out - out0 * out0) / way;
    spring_slope = (k * out - spring) / way;
  }
  double force = spring + c * (out - out0);
  if (out0 * out >= 0.0 && force * sign <= 0.0)
    return 0.0; /* otherwise both limits have pushed, in opposite directions */
  *slope = spring_slope + (out != 0.0 ? c : 0.0);
  if (*slope < 0.0) *slope = 0.0;
  return force;
}

double law_force(const struct law *law, const double *own, double x, double rate, double v_d, double *slope)
{
  double k, c, force;
  switch (law->kind) { /* linear by default */
  case LAW_TABLE:
    return table_force(law, x, rate, v_d, slope);
  case LAW_USER:
    force = user_force(law->user, x, rate, &k, &c);
    *slope = not_negative(k) + v_d * not_negative(c);
    return force;
  case LAW_LIMITS:
    return limit_force(law, x, rate, v_d, slope);
  case LAW_CYLINDER:
    return cylinder_force(law->actuator, own, x, rate, v_d, slope);
  case LAW_WINDING:
    *slope = 0.0;
    return -winding_torque(law->actuator, own);
  case LAW_SWAY:
    return *slope = 0.0;
  default:
    *slope = law->stiffness + v_d * law->damping;
    return law->stiffness * x + law->damping * rate;
  }
}

double law_friction(const struct law *law, double normal, double v, double across)
{
  return (law->friction * normal / sqrt(v * v + across * across + law->slip * law->slip) + law->damping) * v;
}

void law_slopes(const struct law *law, const double *own, double x, double rate, double normal, double across,
                double *stiffness, double *damping)
{
  double both;
  *stiffness = 0.0;
  if (law->kind == LAW_FRICTION || law->kind == LAW_SLIP) {
    *damping =
        law->friction * normal / sqrt(rate * rate + across * across + law->slip * law->slip) + law->damping;
    return;
  }
  law_force(law, own, x, rate, 0.0, stiffness);
  law_force(law, own, x, rate, 1.0, &both);
  *damping = both - *stiffness;
}

/* v (1 + mobility damping) + mobility F v/sqrt(v^2 + slip^2) = push: the left side is concave, so Newton's iteration rises from
 * below without overshoot. Two lines that bound it from above give a close start. */
double law_drag(const struct law *law, double normal, double push, double mobility, double *tangent)
{
  double F = law->friction * normal, s2 = law->slip * law->slip, viscous = 1.0 + mobility * law->damping;
  double drag = mobility * F, v, root;
  push = fabs(push);
  v = fmax(push / (viscous + drag / law->slip), (push - drag) / viscous);
  for (int i = 0; i < 6; i++) {
    root = sqrt(v * v + s2);
    v += (push - v * (viscous + drag / root)) / (viscous + drag * s2 / (root * root * root));
  }
  root = sqrt(v * v + s2);
  *tangent = F * s2 / (root * root * root) + law->damping;
  return F / root + law->damping;
}

/* Area under the table from `from` to x. */
static double table_area(const ali3_table *t, double from, double x)
{
  double slope, sum = 0.0;
  int i = table_interval(t, from), last = table_interval(t, x), step = x < from ? -1 : 1;
  for (; i != last; i += step) {
    const double *point = t->point[step < 0 ? i : i + 1];
    sum += 0.5 * (table_at(t, from, &slope) + point[1]) * (point[0] - from);
    from = point[0];
  }
  sum += 0.5 * (table_at(t, from, &slope) + table_at(t, x, &slope)) * (x - from);
  return sum;
}

/* Mean of a table between x0 and x, and its derivative by x. */
static double table_mean(const ali3_table *t, double x0, double x, double *slope)
{
  double force, end;
  if (table_interval(t, x0) == table_interval(t, x)) {
    force = table_at(t, 0.5 * (x0 + x), slope);
    *slope *= 0.5;
    return force;
  }
  force = table_area(t, x0, x) / (x - x0);
  end = table_at(t, x, slope);
  *slope = (end - force) / (x - x0);
  return force;
}

double law_average(const struct law *law, double x0, double x, double dt, double *slope)
{
  if (law->kind == LAW_USER) return user_average(law->user, x0, x, dt, slope);
  const bool spring_table = law->force && law->force->n,
             damper_table = law->damping_table && law->damping_table->n;
  double k = 0.5 * law->stiffness, c = law->damping, rate = (x - x0) / dt, spring = k * (x0 + x),
         damper = c * rate;
  if (law->kind == LAW_TABLE && spring_table) spring = table_mean(law->force, x0, x, &k);
  if (law->kind == LAW_TABLE && damper_table) damper = table_at(law->damping_table, rate, &c);
  *slope = not_negative(k) + not_negative(c) / dt;
  return spring + damper;
}

double law_energy(const struct law *law, const double *own, double x)
{
  double out;
  switch (law->kind) { /* other kinds store nothing */
  case LAW_LINEAR:
    return 0.5 * law->stiffness * x * x;
  case LAW_TABLE:
    return law->force->n ? table_area(law->force, 0.0, x) : 0.5 * law->stiffness * x * x;
  case LAW_USER:
    return law->user->energy ? law->user->energy(law->user->context, x) : 0.0;
  case LAW_CYLINDER:
    return cylinder_energy(law->actuator, own, x);
  case LAW_WINDING:
    return winding_energy(law->actuator, own);
  case LAW_TYRE:
    return tyre_energy(law->actuator, own, law->direction);
  case LAW_LIMITS:
    out = beyond_table(law, x);
    return 0.5 * law->stiffness * out * out;
  default:
    return 0.0;
  }
}

int law_piece(const struct law *law, double x, double rate, double speed)
{
  const double STICKS = 3.0; /* times slip: below, the force may turn within a few steps */
  double out;
  switch (law->kind) {
  case LAW_LIMITS:
    out = beyond_table(law, x);
    if (out == 0.0) return 0;
    return (law->stiffness * out + law->damping * rate) * out <= 0.0 ? 1 : out > 0.0 ? 2 : 3;
  case LAW_FRICTION:
  case LAW_SLIP:
    if (law->friction == 0.0) return 0;
    return fabs(speed) <= STICKS * law->slip ? LAW_NO_PIECE : law->kind == LAW_SLIP ? 0 : speed > 0.0;
  default: /* tables have bends but no jumps, and every branch evaluates the bend in place */
    return 0;
  }
}

bool law_switches(const struct law *law)
{
  return law->kind != LAW_LINEAR && law->kind != LAW_VALUE && law->kind != LAW_SWAY;
}

bool law_jumps(const struct law *law)
{
  return law->kind == LAW_LIMITS || law->kind == LAW_FRICTION || law->kind == LAW_SLIP ||
         law->kind == LAW_TYRE;
}
