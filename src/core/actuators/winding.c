/* SPDX-License-Identifier: MIT
 * Loop code. */
#include "actuators/winding.h"

#include <math.h>
#include <string.h>

/* A value that is not a number stays, so that the step fails. */
static double limit_size(double x, double most)
{
  return x > most ? most : x < -most ? -most : x;
}

/* One implicit stage of the length tau, L (i - base) = tau (u - R i - k w). It has a solution without inductance, too. */
struct winding_stage {
  double base, current; /* A */
  double voltage;       /* V: what acts; a controller that limits the current lowers the voltage */
  double gain;          /* -di/dw at the same base; 0 at a limit */
  double memory;        /* di/dbase */
};

static struct winding_stage solve_winding(const ali3_force_spec *w, double base, double tau, double voltage,
                                          double rate)
{
  const double divisor = w->inductance + tau * w->resistance, k = w->constant,
               free = (w->inductance * base + tau * (voltage - k * rate)) / divisor;
  struct winding_stage o = {.base = base, .current = limit_size(free, w->max_current)};
  const bool limited = o.current != free;
  o.voltage = w->inductance * (o.current - base) / tau + w->resistance * o.current + k * rate;
  o.gain = limited ? 0.0 : tau * k / divisor;
  o.memory = limited ? 0.0 : w->inductance / divisor;
  return o;
}

static void add_powers(const ali3_force_spec *w, const struct winding_stage *s, double weight, double *own)
{
  own[ACTUATOR_SUPPLIED] += weight * s->voltage * s->current;
  own[ACTUATOR_LOST] += weight * w->resistance * s->current * s->current;
}

void winding_begin(const ali3_force_spec *w, double *own)
{
  memset(own, 0, WINDING_STATES * sizeof *own);
  own[WINDING_CURRENT] = w->current;
}

void winding_step(const ali3_force_spec *w, const struct winding_way *way, const double *from, double *own,
                  double *slope)
{
  const double dt = way->dt, tau = ACTUATOR_STAGE * dt, later = (1.0 - ACTUATOR_STAGE) / ACTUATOR_STAGE,
               voltage = limit_size(way->voltage, w->max_voltage),
               rate = way->rate0 + ACTUATOR_STAGE * (way->rate - way->rate0);
  if (own != from) memcpy(own, from, WINDING_STATES * sizeof *own);
  *slope = 0.0;
  if (dt == 0.0) return;
  const struct winding_stage first = solve_winding(w, from[WINDING_CURRENT], tau, voltage, rate);
  const double base = first.base + later * (first.current - first.base);
  const struct winding_stage end = solve_winding(w, base, tau, voltage, way->rate);
  add_powers(w, &first, dt - tau, own);
  add_powers(w, &end, tau, own);
  own[WINDING_CURRENT] = end.current;
  own[WINDING_VOLTAGE] = end.voltage;
  *slope = w->constant * (end.gain + end.memory * later * ACTUATOR_STAGE * first.gain);
}

bool winding_crosses(const ali3_force_spec *w, const double *from, const double *own)
{
  return (fabs(from[WINDING_CURRENT]) >= w->max_current) != (fabs(own[WINDING_CURRENT]) >= w->max_current);
}

double winding_torque(const ali3_force_spec *w, const double *own)
{
  return w->constant * own[WINDING_CURRENT];
}

double winding_energy(const ali3_force_spec *w, const double *own)
{
  return 0.5 * w->inductance * own[WINDING_CURRENT] * own[WINDING_CURRENT];
}
