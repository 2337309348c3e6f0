/* SPDX-License-Identifier: MIT
 * Checks the geometry of a hexapod, and computes the numbers that do not depend on the pose. Set-up. */
#include "hexapod/hexapod.h"
#include "hexapod/hexapod_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

enum { N = PLATFORM_LEGS };

static const double PI = 3.14159265358979323846;
static const double DEGREES = 180.0 / 3.14159265358979323846; /* per rad: messages have the units of files */
static const double APART = 1e-6; /* m: joints closer than this count as one point */
/* Smallest determinant of the Jacobian, relative to that of columns of equal lengths at right angles. */
static const double REGULAR = 1e-3;

__attribute__((format(printf, 3, 4))) static bool refuse_geometry(char *error, size_t size,
                                                                  const char *format, ...)
{
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(error, size, format, arguments);
  va_end(arguments);
  return false;
}

static bool check_dimension(const char *name, double x, double above, char *error, size_t size)
{
  if (isfinite(x) && x > above) return true;
  return refuse_geometry(error, size, "%s: expected a number above %g, found %g", name, above, x);
}

static bool check_side(const char *name, const double joint[N][3], char *error, size_t size)
{
  for (int i = 0; i < N; i++) {
    for (int c = 0; c < 3; c++)
      if (!isfinite(joint[i][c]))
        return refuse_geometry(error, size, "%s: joint %d: expected numbers", name, i + 1);
    for (int j = 0; j < i; j++) {
      const double x = joint[i][0] - joint[j][0], y = joint[i][1] - joint[j][1],
                   z = joint[i][2] - joint[j][2];
      if (x * x + y * y + z * z < APART * APART)
        return refuse_geometry(error, size,
                               "%s: joints %d and %d are at one point; expected six different points", name,
                               j + 1, i + 1);
    }
  }
  return true;
}

static bool check_cranks(const struct platform_geometry *g, char *error, size_t size)
{
  for (int i = 0; i < N; i++)
    if (!isfinite(g->crank_heading[i]))
      return refuse_geometry(error, size, "crank_heading: crank %d: expected a number", i + 1);
  if (!(g->leg_min > -PI))
    return refuse_geometry(error, size, "leg_min: expected an angle of the cranks above -180 deg, found %g",
                           DEGREES * g->leg_min);
  if (!(g->leg_max < PI))
    return refuse_geometry(error, size, "leg_max: expected an angle of the cranks below 180 deg, found %g",
                           DEGREES * g->leg_max);
  return check_dimension("crank_length", g->crank_length, 0.0, error, size) &&
         check_dimension("rod_length", g->rod_length, 0.0, error, size);
}

static bool check_geometry(const struct platform_geometry *g, char *error, size_t size)
{
  /* Check the places of the joints. */
  if (!check_side("base", g->base, error, size) || !check_side("top", g->top, error, size)) return false;
  if (!isfinite(g->height)) return refuse_geometry(error, size, "height: expected a number");
  /* Check the limits of legs and joints. */
  if (g->crank ? !check_cranks(g, error, size) : !check_dimension("leg_min", g->leg_min, 0.0, error, size))
    return false;
  if (!isfinite(g->leg_max) || !(g->leg_max > g->leg_min))
    return refuse_geometry(error, size, "leg_max: expected a number above leg_min, %g, found %g", g->leg_min,
                           g->leg_max);
  if (!check_dimension("leg_rate", g->leg_rate, 0.0, error, size) ||
      !check_dimension("joint_max", g->joint_max, 0.0, error, size))
    return false;
  if (!(g->margin > 0.0 && g->margin < 1.0))
    return refuse_geometry(error, size, "margin: expected a number between 0 and 1, found %g", g->margin);
  return true;
}

static bool is_leg_allowed(const struct hexapod *h, double leg)
{
  return leg >= h->geometry.leg_min && leg <= h->geometry.leg_max;
}

/* Each crank takes the angle at neutral that is within the limits; if both are, the angle closer to 0. */
static bool choose_branches(struct hexapod *h, char *error, size_t size)
{
  static const double neutral[PLATFORM_DOF];
  struct hexapod_parts parts;
  struct hexapod_state up, down;
  /* Solve each crank for both of its angles. */
  for (int i = 0; i < N; i++) h->branch[i] = 1.0;
  if (!hexapod_parts(h, neutral, NULL, &parts, &up))
    return refuse_geometry(
        error, size,
        "rod_length: at neutral a rod does not reach from its crank to its joint of the platform; expected "
        "another rod_length, crank_length or height");
  for (int i = 0; i < N; i++) h->branch[i] = -1.0;
  hexapod_parts(h, neutral, NULL, &parts, &down);
  /* Choose the angle. */
  for (int i = 0; i < N; i++) {
    const bool nearer = fabs(up.leg[i]) < fabs(down.leg[i]);
    if (is_leg_allowed(h, up.leg[i]) != is_leg_allowed(h, down.leg[i]) ? is_leg_allowed(h, up.leg[i])
                                                                       : nearer)
      h->branch[i] = 1.0;
  }
  return true;
}

/* Determinant of the Jacobian, relative to that of columns of equal lengths at right angles. Lengths are in units of the
 * reach. */
static double jacobian_regularity(const struct hexapod *h, double determinant, double M[PLATFORM_DOF][N])
{
  double volume = h->reach * h->reach * h->reach;
  for (int i = 0; i < N; i++) {
    double square = 0.0;
    for (int c = 0; c < 3; c++)
      square += M[c][i] * M[c][i] + M[3 + c][i] * M[3 + c][i] / (h->reach * h->reach);
    volume *= sqrt(square);
  }
  return volume > 0.0 ? fabs(determinant) / volume : 0.0;
}

bool hexapod_explain(const struct hexapod *h, const struct hexapod_state *s, char *error, size_t size)
{
  const struct platform_geometry *g = &h->geometry;
  const double end = 0.01 * (g->leg_max - g->leg_min), shown = g->crank ? DEGREES : 1.0;
  for (int i = 0; i < N; i++)
    if (!(s->leg[i] >= g->leg_min + end && s->leg[i] <= g->leg_max - end))
      return refuse_geometry(error, size, "%s %d is at %g %s, of %g to %g", g->crank ? "crank" : "leg", i + 1,
                             shown * s->leg[i], g->crank ? "deg" : "m", shown * g->leg_min,
                             shown * g->leg_max);
  if (!(s->margin >= 1.01 * g->margin))
    return refuse_geometry(error, size,
                           "it is too near to a singular pose: determinant %g of that at neutral, least %g",
                           s->margin, g->margin);
  return refuse_geometry(error, size, "a joint turns by %g deg, of %g", DEGREES * acos(s->joint_cosine),
                         DEGREES * g->joint_max);
}

/* i: from 0. The message begins with the limit that the leg or crank exceeds. */
static bool refuse_neutral_leg(const struct hexapod *h, int i, double leg, char *error, size_t size)
{
  const struct platform_geometry *g = &h->geometry;
  const double shown = g->crank ? DEGREES : 1.0;
  const bool longer = leg > g->leg_max;
  return refuse_geometry(
      error, size,
      "%s: %s %d is at %g %s when the platform is at neutral; expected %g to %g, or another height",
      longer ? "leg_max" : "leg_min", g->crank ? "crank" : "leg", i + 1, shown * leg, g->crank ? "deg" : "m",
      shown * g->leg_min, shown * g->leg_max);
}

static bool check_neutral(struct hexapod *h, char *error, size_t size)
{
  static const double neutral[PLATFORM_DOF];
  struct hexapod_parts parts;
  struct hexapod_state s;
  hexapod_parts(h, neutral, NULL, &parts, &s);
  /* Check that each leg is within its limits, and measure its joints from here. */
  for (int i = 0; i < N; i++) {
    if (!is_leg_allowed(h, s.leg[i])) return refuse_neutral_leg(h, i, s.leg[i], error, size);
    h->neutral[i] = s.leg[i];
    for (int c = 0; c < 3; c++) {
      h->base_axis[c][i] = parts.base[c][i];
      h->top_axis[c][i] = parts.top[c][i];
    }
    for (int c = 0; c < PLATFORM_DOF; c++) parts.jacobian[c][i] *= parts.transmission[i];
  }
  /* The margin refers to this determinant. A singular neutral is refused. */
  double M[PLATFORM_DOF][N];
  for (int c = 0; c < PLATFORM_DOF; c++)
    for (int i = 0; i < N; i++) M[c][i] = parts.jacobian[c][i];
  h->determinant = hexapod_determinant(M);
  if (jacobian_regularity(h, h->determinant, parts.jacobian) >= REGULAR) return true;
  return refuse_geometry(
      error, size,
      "base: the platform is singular at neutral, or nearly so, and the legs do not hold it; expected "
      "another base, top or height");
}

/* Bounds of the change of the smallest cosine of a joint and of the margin, per travel d of the joints of the platform. A leg
 * turns by du <= d / leg_min, the platform by dR <= d / reach, so cosines change by at most du + dR. With lengths in units of the
 * reach, a column of the Jacobian has at most the length sqrt(2), and its halves change by at most du and du + dR. The
 * determinant changes by at most the sum over the columns of this change times the lengths of the five others. */
static void bound_slopes(struct hexapod *h)
{
  const double du = 1.0 / h->geometry.leg_min, dR = 1.0 / h->reach;
  const double column = sqrt(du * du + (du + dR) * (du + dR)), others = 4.0 * sqrt(2.0);
  h->cosine_slope = du + dR;
  h->margin_slope = N * others * column * h->reach * h->reach * h->reach / fabs(h->determinant);
}

bool hexapod_init(struct hexapod *h, const struct platform_geometry *g, char *error, size_t size)
{
  *h = (struct hexapod){.geometry = *g};
  if (!check_geometry(g, error, size)) return false;
  h->joint_cosine = g->joint_max < PI ? cos(g->joint_max) : -2.0;
  /* Transpose the geometry: arrays run over the legs, and z counts from neutral. */
  for (int i = 0; i < N; i++) {
    double square = 0.0;
    for (int c = 0; c < 3; c++) {
      h->base[c][i] = g->base[i][c] - (c == 2 ? g->height : 0.0);
      h->top[c][i] = g->top[i][c];
      square += g->top[i][c] * g->top[i][c];
    }
    h->ahead[0][i] = cos(g->crank_heading[i]);
    h->ahead[1][i] = sin(g->crank_heading[i]);
    h->reach = fmax(h->reach, sqrt(square));
  }
  /* Check the neutral pose and take the bounds from it. */
  if (g->crank && !choose_branches(h, error, size)) return false;
  if (!check_neutral(h, error, size)) return false;
  bound_slopes(h);
  return true;
}
