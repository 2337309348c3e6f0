/* SPDX-License-Identifier: MIT
 * Loop code. */
#include "actuators/cylinder.h"

#include <math.h>
#include <string.h>

static const double CIRCLE_AREA = 0.78539816339744830962; /* pi/4: a circle with the diameter 1 */

enum { A, B };

/* A chamber at one place of the piston. */
struct chamber {
  double area; /* m^2 */
  double V;    /* m^3 */
  double V_x;  /* m^2, dV/dx */
};

static void areas_of(const ali3_force_spec *c, double area[2])
{
  area[A] = CIRCLE_AREA * c->bore * c->bore;
  area[B] = area[A] - CIRCLE_AREA * c->rod * c->rod;
}

static void chambers_at(const ali3_force_spec *c, double x, struct chamber o[2])
{
  const double s = x - c->retracted, travel[2] = {s, c->stroke - s};
  double area[2];
  areas_of(c, area);
  for (int i = 0; i < 2; i++) {
    const bool beyond = travel[i] < 0.0; /* a piston beyond its travel leaves the dead volume */
    o[i] = (struct chamber){area[i], c->dead_volume[i] + (beyond ? 0.0 : area[i] * travel[i]),
                            beyond   ? 0.0
                            : i == A ? area[i]
                                     : -area[i]};
  }
}

/* p(O), with dp/dO and dp/dx. */
struct pressure {
  double p, p_O, p_x;
};

static struct pressure pressure_in(const ali3_force_spec *c, const struct chamber *h, double oil)
{
  const double E = c->bulk_modulus, p = E * ((oil - h->V) / h->V);
  if (p < CYLINDER_VACUUM) return (struct pressure){CYLINDER_VACUUM, 0.0, 0.0};
  return (struct pressure){p, E / h->V, -E * oil / (h->V * h->V) * h->V_x};
}

/* Flow through an opening by a drop of pressure, and its derivative by the drop. */
static double flow_by(const ali3_force_spec *c, double opening, double drop, double *slope)
{
  if (opening == 0.0) return *slope = 0.0;
  const double laminar = 0.01 * c->flow_drop, square = drop * drop + laminar * laminar, root = sqrt(square),
               fourth = sqrt(root), K = opening * c->flow / sqrt(c->flow_drop);
  *slope = K * (0.5 * drop * drop + laminar * laminar) / (square * fourth);
  return K * drop / fourth;
}

static double edge_opening(const ali3_force_spec *c, double spool)
{
  const double x = (spool - c->overlap) / (1.0 - c->overlap);
  return x < 0.0 ? 0.0 : x > 1.0 ? 1.0 : x;
}

/* Flows of a chamber through the valve. */
struct edges {
  double supply, tank; /* from the supply, to the tank */
  double slope;        /* d(supply - tank)/dp, 0 or less */
};

static struct edges edges_at(const ali3_force_spec *c, double spool, int chamber, double p)
{
  const double along = chamber == A ? spool : -spool;
  struct edges o;
  double in, out;
  o.supply = flow_by(c, edge_opening(c, along), c->supply - p, &in);
  o.tank = flow_by(c, edge_opening(c, -along), p - c->tank, &out);
  o.slope = -(in + out);
  return o;
}

/* One implicit stage: O = base + tau flow(O). */
struct stage {
  double x, spool, tau;
  double base[2];
  double oil[2];
  double leak; /* from a to b */
  struct chamber h[2];
  struct pressure p[2];
  struct edges q[2];
};

/* Where a rising function with a slope of at least 1 is 0. */
struct root {
  double low, high; /* it is between them */
  double last;      /* size of the function before */
};
static const struct root anywhere = {-INFINITY, INFINITY, INFINITY};

/* The next place: by Newton's method, or in the middle if that leaves the bounds or the method is slow. Flows have steep turns,
 * at which Newton's method alone would swing. */
static double root_next(struct root *o, double x, double f, double slope)
{
  if (f > 0.0) {
    o->high = fmin(o->high, x);
    o->low = fmax(o->low, x - f);
  } else {
    o->low = fmax(o->low, x);
    o->high = fmin(o->high, x - f);
  }
  double next = x - f / slope;
  if (!(next >= o->low && next <= o->high) || fabs(f) > 0.5 * o->last) next = 0.5 * (o->low + o->high);
  o->last = fabs(f);
  return next;
}

enum { ITERATIONS_MOST = 60 };

/* The oil of a chamber at the leak of the stage. */
static void solve_chamber(const ali3_force_spec *c, struct stage *s, int i)
{
  static const double SMALL = 4e-16; /* relative to the volume */
  struct root root = anywhere;
  for (int k = 0; k < ITERATIONS_MOST; k++) {
    s->p[i] = pressure_in(c, &s->h[i], s->oil[i]);
    s->q[i] = edges_at(c, s->spool, i, s->p[i].p);
    const double flow = s->q[i].supply - s->q[i].tank + (i == A ? -s->leak : s->leak),
                 f = s->oil[i] - s->base[i] - s->tau * flow;
    if (!(fabs(f) > SMALL * s->h[i].V)) return;
    s->oil[i] = root_next(&root, s->oil[i], f, 1.0 - s->tau * s->q[i].slope * s->p[i].p_O);
  }
}

/* How much the pressure of a chamber rises with the flow into it. */
static double rise_by_flow(const struct stage *s, int i)
{
  return s->tau * s->p[i].p_O / (1.0 - s->tau * s->q[i].slope * s->p[i].p_O);
}

/* The oil of both chambers, and the leak from one to the other. */
static void solve_stage(const ali3_force_spec *c, struct stage *s)
{
  static const double SMALL = 1e-15;
  struct root root = anywhere;
  chambers_at(c, s->x, s->h);
  for (int i = 0; i < 2; i++) s->p[i] = pressure_in(c, &s->h[i], s->oil[i]);
  s->leak = c->leakage * (s->p[A].p - s->p[B].p);
  for (int k = 0; k < ITERATIONS_MOST; k++) {
    for (int i = 0; i < 2; i++) solve_chamber(c, s, i);
    const double f = s->leak - c->leakage * (s->p[A].p - s->p[B].p);
    if (!(fabs(f) > SMALL * c->leakage * (fabs(s->p[A].p) + fabs(s->p[B].p) + 1e6))) return;
    s->leak = root_next(&root, s->leak, f, 1.0 + c->leakage * (rise_by_flow(s, A) + rise_by_flow(s, B)));
  }
}

/* dO/dx of a solved stage whose base changes by base_x. The leak couples both chambers:
 *
 *   (1 - tau q_p p_O) O_x = base_x + tau (q_p p_x -+ leak_x),  leak_x = leakage (dp_a/dx - dp_b/dx) */
static void stage_slope(const ali3_force_spec *c, const struct stage *s, const double base_x[2],
                        double oil_x[2])
{
  double pressure_x[2]; /* dp/dx of each chamber, as if there were no leak */
  for (int i = 0; i < 2; i++) {
    const double divisor = 1.0 - s->tau * s->q[i].slope * s->p[i].p_O;
    oil_x[i] = (base_x[i] + s->tau * s->q[i].slope * s->p[i].p_x) / divisor;
    pressure_x[i] = s->p[i].p_x + s->p[i].p_O * oil_x[i];
  }
  const double leak_x = c->leakage * (pressure_x[A] - pressure_x[B]) /
                        (1.0 + c->leakage * (rise_by_flow(s, A) + rise_by_flow(s, B)));
  for (int i = 0; i < 2; i++)
    oil_x[i] += (i == A ? -1.0 : 1.0) * s->tau * leak_x / (1.0 - s->tau * s->q[i].slope * s->p[i].p_O);
}

/* Energy of the oil that flows at pressure p, per volume at pressure 0. */
static double flow_energy(const ali3_force_spec *c, double p)
{
  return c->bulk_modulus * log1p(p / c->bulk_modulus);
}

/* Power from supply and tank, and power that throttles and leakage take. */
static void add_oil_powers(const ali3_force_spec *c, const struct stage *s, double weight, double *own)
{
  const double supply = flow_energy(c, c->supply), tank = flow_energy(c, c->tank);
  const double h[2] = {flow_energy(c, s->p[A].p), flow_energy(c, s->p[B].p)};
  double in = 0.0, lost = s->leak * (h[A] - h[B]);
  for (int i = 0; i < 2; i++) {
    in += s->q[i].supply * supply - s->q[i].tank * tank;
    lost += s->q[i].supply * (supply - h[i]) + s->q[i].tank * (h[i] - tank);
  }
  own[ACTUATOR_SUPPLIED] += weight * in;
  own[ACTUATOR_LOST] += weight * lost;
}

/* The command within its limits; one that is not a number stays, so that the step fails. */
static double limit_command(double command)
{
  return command > 1.0 ? 1.0 : command < -1.0 ? -1.0 : command;
}

/* A spool that has almost arrived is there. */
/* expm1() has been one function since the first glibc that an FMU may meet, exp() has not. */
static double spool_after(const ali3_force_spec *c, double from, double command, double time)
{
  static const double ALMOST = 1e-12;
  const double left = c->lag > 0.0 ? (from - command) * (1.0 + expm1(-time / c->lag)) : 0.0;
  return fabs(left) < ALMOST ? command : command + left;
}

void cylinder_step(const ali3_force_spec *c, const struct cylinder_way *way, const double *from, double *own,
                   double *slope)
{
  static const double none[2] = {0.0, 0.0};
  const double dt = way->dt, tau = ACTUATOR_STAGE * dt, later = (1.0 - ACTUATOR_STAGE) / ACTUATOR_STAGE,
               command = limit_command(way->command);
  double oil_x[2], base_x[2];
  if (own != from) memcpy(own, from, CYLINDER_STATES * sizeof *own);
  if (dt == 0.0) {
    cylinder_force(c, own, way->x, 0.0, 0.0, slope);
    return;
  }
  /* first stage, on the parabola of the coordinate */
  struct stage s = {
      .x =
          way->x0 + tau * way->rate0 + ACTUATOR_STAGE * ACTUATOR_STAGE * (way->x - way->x0 - dt * way->rate0),
      .spool = spool_after(c, from[CYLINDER_SPOOL], command, tau),
      .tau = tau,
      .base = {from[CYLINDER_OIL + A], from[CYLINDER_OIL + B]},
      .oil = {from[CYLINDER_OIL + A], from[CYLINDER_OIL + B]},
  };
  solve_stage(c, &s);
  add_oil_powers(c, &s, dt * (1.0 - ACTUATOR_STAGE), own);
  stage_slope(c, &s, none, base_x);
  for (int i = 0; i < 2; i++) base_x[i] *= later * ACTUATOR_STAGE * ACTUATOR_STAGE;
  /* second stage, the end */
  s.x = way->x;
  s.spool = own[CYLINDER_SPOOL] = spool_after(c, from[CYLINDER_SPOOL], command, dt);
  for (int i = 0; i < 2; i++) s.base[i] += later * (s.oil[i] - s.base[i]);
  solve_stage(c, &s);
  add_oil_powers(c, &s, tau, own);
  stage_slope(c, &s, base_x, oil_x);
  const double travel = way->x - way->x0;
  own[ACTUATOR_LOST] += c->damping[0] * travel * travel / dt;
  *slope = 0.0;
  for (int i = 0; i < 2; i++) {
    own[CYLINDER_OIL + i] = s.oil[i];
    *slope += (i == A ? -1.0 : 1.0) * s.h[i].area * (s.p[i].p_x + s.p[i].p_O * oil_x[i]);
  }
  if (!(*slope > 0.0)) *slope = 0.0;
}

/* F of the oil, and -dF/dx. */
static double push_of(const ali3_force_spec *c, const double *own, double x, double *stiffness)
{
  struct chamber h[2];
  struct pressure p[2];
  chambers_at(c, x, h);
  for (int i = 0; i < 2; i++) p[i] = pressure_in(c, &h[i], own[CYLINDER_OIL + i]);
  *stiffness = h[B].area * p[B].p_x - h[A].area * p[A].p_x;
  return h[A].area * p[A].p - h[B].area * p[B].p;
}

double cylinder_force(const ali3_force_spec *c, const double *own, double x, double rate, double v_d,
                      double *slope)
{
  double stiffness;
  const double push = push_of(c, own, x, &stiffness);
  *slope = stiffness + v_d * c->damping[0];
  return c->damping[0] * rate - push;
}

double cylinder_mean(const ali3_force_spec *c, const struct cylinder_way *way, const double *from,
                     const double *own, double slope_end, double *slope)
{
  /* the three points of Gauss */
  static const double OUTER = 0.7745966692414834 / 2.0, WEIGHT[3] = {5.0 / 18.0, 8.0 / 18.0, 5.0 / 18.0};
  const double middle = 0.5 * (way->x0 + way->x), travel = way->x - way->x0;
  double mean = 0.0, stiffness;
  for (int i = 0; i < 3; i++) {
    const double x = middle + (i - 1) * OUTER * travel;
    mean -= 0.5 * WEIGHT[i] * (push_of(c, from, x, &stiffness) + push_of(c, own, x, &stiffness));
  }
  *slope = 0.5 * slope_end;
  if (way->dt == 0.0) return mean;
  *slope += c->damping[0] / way->dt;
  return mean + c->damping[0] * travel / way->dt;
}

void cylinder_begin(const ali3_force_spec *c, double x, const double pressure[2], double *own)
{
  struct chamber h[2];
  chambers_at(c, x, h);
  memset(own, 0, CYLINDER_STATES * sizeof *own);
  for (int i = 0; i < 2; i++) own[CYLINDER_OIL + i] = h[i].V * (1.0 + pressure[i] / c->bulk_modulus);
}

void cylinder_hold(const ali3_force_spec *c, double force, double pressure[2])
{
  double area[2];
  areas_of(c, area);
  const double rest = c->tank * (area[A] - area[B]);
  pressure[A] = pressure[B] = c->tank;
  if (force > rest)
    pressure[A] += (force - rest) / area[A];
  else
    pressure[B] += (rest - force) / area[B];
}

void cylinder_pressures(const ali3_force_spec *c, const double *own, double x, double pressure[2])
{
  struct chamber h[2];
  chambers_at(c, x, h);
  for (int i = 0; i < 2; i++) pressure[i] = pressure_in(c, &h[i], own[CYLINDER_OIL + i]).p;
}

void cylinder_flows(const ali3_force_spec *c, const double *own, double x, double flow[2])
{
  double p[2];
  cylinder_pressures(c, own, x, p);
  for (int i = 0; i < 2; i++) {
    const struct edges q = edges_at(c, own[CYLINDER_SPOOL], i, p[i]);
    flow[i] = q.supply - q.tank;
  }
}

/* E (O ln(O/V) - O + V) down to the vacuum; a cavity then grows against it. */
double cylinder_energy(const ali3_force_spec *c, const double *own, double x)
{
  struct chamber h[2];
  double sum = 0.0;
  chambers_at(c, x, h);
  for (int i = 0; i < 2; i++) {
    const double E = c->bulk_modulus, O = own[CYLINDER_OIL + i], smallest = O / (1.0 + CYLINDER_VACUUM / E),
                 V = fmin(h[i].V, smallest), more = (O - V) / V;
    sum += E * (O * log1p(more) - (O - V)) - CYLINDER_VACUUM * (h[i].V - V);
  }
  return sum;
}

/* Number of the smooth piece at a state. */
static int cylinder_piece(const ali3_force_spec *c, const double *own, double spool, double x)
{
  struct chamber h[2];
  int piece = 0;
  chambers_at(c, x, h);
  for (int i = 0; i < 2; i++) {
    const double opens = edge_opening(c, i == A ? spool : -spool);
    const bool cavity = pressure_in(c, &h[i], own[CYLINDER_OIL + i]).p == CYLINDER_VACUUM;
    piece = 12 * piece + 6 * cavity + 3 * (h[i].V_x == 0.0) + (opens > 0.0) + (opens == 1.0);
  }
  return piece;
}

bool cylinder_crosses(const ali3_force_spec *c, const struct cylinder_way *way, const double *from,
                      const double *own)
{
  const double end = own[CYLINDER_SPOOL], begin = c->lag > 0.0 ? from[CYLINDER_SPOOL] : end;
  return cylinder_piece(c, from, begin, way->x0) != cylinder_piece(c, own, end, way->x);
}

double cylinder_pull(const ali3_force_spec *c)
{
  double area[2];
  areas_of(c, area);
  return c->supply * area[B];
}

double cylinder_stiffest(const ali3_force_spec *c)
{
  double most = 0.0, stiffness;
  for (int end = 0; end < 2; end++) {
    const double x = c->retracted + end * c->stroke, none[2] = {0.0, 0.0};
    double own[CYLINDER_STATES];
    cylinder_begin(c, x, none, own);
    push_of(c, own, x, &stiffness);
    most = fmax(most, stiffness);
  }
  return most;
}
