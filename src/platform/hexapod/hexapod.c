/* SPDX-License-Identifier: MIT
 * Inverse kinematics at a pose. RT. Arrays run over the legs, so that compilers vectorise over them. */
#include "hexapod/hexapod.h"
#include "hexapod/hexapod_parts.h"
#include "hexapod/pose.h"

#include <math.h>

enum { N = PLATFORM_LEGS };

/* Two numbers for vector code: of two legs, or of both halves of the Jacobian. */
typedef double pair __attribute__((vector_size(16)));

static inline pair load_pair(const double *a)
{
  return (pair){a[0], a[1]};
}

static inline void store_pair(double *a, pair x)
{
  a[0] = x[0];
  a[1] = x[1];
}

static inline pair root_pair(pair x)
{
  return (pair){sqrt(x[0]), sqrt(x[1])};
}

static inline pair dot_pairs(const pair a[3], const pair b[3])
{
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline void cross_pairs(pair o[3], const pair a[3], const pair b[3])
{
  o[0] = a[1] * b[2] - a[2] * b[1];
  o[1] = a[2] * b[0] - a[0] * b[2];
  o[2] = a[0] * b[1] - a[1] * b[0];
}

/* Laplace expansion by the minors of the upper three rows (u) and of the lower three (R a x u). Each minor is a triple product of
 * three legs. There are no pivots and no branches. */
double hexapod_determinant(double M[PLATFORM_DOF][N])
{
  /* Split each column into its upper and lower three rows, and cross any two of them. */
  pair leg[N][3], product[N][N][3], triple[20];
  for (int i = 0; i < N; i++)
    for (int c = 0; c < 3; c++) leg[i][c] = (pair){M[c][i], M[3 + c][i]};
  for (int j = 1; j < N; j++)
    for (int k = j + 1; k < N; k++) cross_pairs(product[j][k], leg[j], leg[k]);
  /* Twenty triple products are the minors of both halves. */
  int n = 0;
  for (int i = 0; i < N; i++)
    for (int j = i + 1; j < N; j++)
      for (int k = j + 1; k < N; k++) triple[n++] = dot_pairs(leg[i], product[j][k]);
  /* Laplace: sum the minors times their complements. */
  double det = 0.0;
  n = 0;
  for (int i = 0; i < N; i++) /* counted from the end, the complement has the index of the triple */
    for (int j = i + 1; j < N; j++)
      for (int k = j + 1; k < N; k++, n++) {
        const double term = triple[n][0] * triple[19 - n][1];
        det += (i + j + k) % 2 ? term : -term;
      }
  return det;
}

/* Length and direction u of two legs. */
static inline pair solve_legs(const pair span[3], pair u[3])
{
  const pair leg = root_pair(dot_pairs(span, span)), inverse = 1.0 / leg;
  for (int c = 0; c < 3; c++) u[c] = span[c] * inverse;
  return leg;
}

/* Angles of two cranks of length r with rods of length l. In the plane of the crank, x = ahead . span and z = span_z. The tip r
 * (cos, sin) satisfies 2 r (x cos + z sin) = |span|^2 + r^2 - l^2. u: direction of the rod; seen: this direction in the axes of
 * the crank (along it, across it and upwards, along its axis). NaN if a rod does not reach. */
static inline pair solve_cranks(const struct hexapod *h, int i, const pair span[3], pair u[3], pair seen[3])
{
  const double r = h->geometry.crank_length, l = h->geometry.rod_length;
  /* Resolve the span: x ahead and z upwards span the plane of the crank; `across` is normal to it. */
  const pair cx = load_pair(h->ahead[0] + i), cy = load_pair(h->ahead[1] + i),
             x = cx * span[0] + cy * span[1], z = span[2];
  const pair across = cx * span[1] - cy * span[0], plane = x * x + z * z;
  /* Intersect the circle of the tip with the sphere of the rod. */
  const pair level = (plane + across * across + (r * r - l * l)) * (0.5 / r);
  const pair side = load_pair(h->branch + i) * root_pair(plane - level * level), inverse = 1.0 / plane;
  const pair cosine = (level * x - side * z) * inverse, sine = (level * z + side * x) * inverse;
  const double k = 1.0 / l;
  /* Give the direction of the rod in the axes of the base and of the crank. */
  u[0] = (span[0] - r * cosine * cx) * k;
  u[1] = (span[1] - r * cosine * cy) * k;
  u[2] = (z - r * sine) * k;
  seen[0] = (x * cosine + z * sine - r) * k;
  seen[1] = side * -k; /* z cos - x sin: component of the tip's speed along the rod */
  seen[2] = across * k;
  /* The half-angle formula gives the angle of the crank. */
  const pair half = sine / (1.0 + cosine);
  return (pair){2.0 * atan(half[0]), 2.0 * atan(half[1])};
}

bool hexapod_parts(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   struct hexapod_parts *parts, struct hexapod_state *s)
{
  double R[9], w[3] = {0};
  bool reached = true;
  pose_attitude(R, w, p + 3, v ? v + 3 : NULL);
  for (int i = 0; i < N; i += 2) {
    pair arm[3], span[3], u[3], seen[3], moment[3], leg, rate = {0}, transmission = {1.0, 1.0};
    /* Span each leg, from its joint of the base to its joint of the platform. */
    for (int c = 0; c < 3; c++) {
      arm[c] = R[3 * c] * load_pair(h->top[0] + i) + R[3 * c + 1] * load_pair(h->top[1] + i) +
               R[3 * c + 2] * load_pair(h->top[2] + i);
      span[c] = p[c] + arm[c] - load_pair(h->base[c] + i);
    }
    /* Solve for the length of the leg or the angle of the crank. */
    if (h->geometry.crank) {
      leg = solve_cranks(h, i, span, u, seen);
      transmission = seen[1];
      reached = reached & (transmission[0] * h->branch[i] < 0.0) & (transmission[1] * h->branch[i + 1] < 0.0);
    } else {
      leg = solve_legs(span, u);
      for (int c = 0; c < 3; c++) seen[c] = u[c];
    }
    cross_pairs(moment, arm, u);
    /* Differentiate it with the velocity of the platform. */
    if (v) /* u . (v + w x R a); for a crank divided by the rate of the rod per rate of the crank */
      rate = u[0] * v[0] + u[1] * v[1] + u[2] * v[2] + moment[0] * w[0] + moment[1] * w[1] + moment[2] * w[2];
    if (v && h->geometry.crank) rate /= h->geometry.crank_length * transmission;
    /* Store the columns of the Jacobian, and the direction as each joint sees it. */
    for (int c = 0; c < 3; c++) {
      store_pair(parts->jacobian[c] + i, u[c]);
      store_pair(parts->jacobian[3 + c] + i, moment[c]);
      store_pair(parts->base[c] + i, seen[c]);
      store_pair(parts->top[c] + i, R[c] * u[0] + R[3 + c] * u[1] + R[6 + c] * u[2]);
    }
    store_pair(parts->transmission + i, transmission);
    store_pair(s->leg + i, leg);
    store_pair(s->rate + i, rate);
  }
  return reached;
}

/* Smallest cosine of the angles between directions a and b, and `least`. */
static double widest_cosine(double a[3][N], const double b[3][N], double least)
{
  double cosine[N];
  for (int i = 0; i < N; i++) cosine[i] = a[0][i] * b[0][i] + a[1][i] * b[1][i] + a[2][i] * b[2][i];
  for (int i = 0; i < N; i++) least = cosine[i] < least ? cosine[i] : least;
  return least;
}

static double joint_cosine(const struct hexapod *h, struct hexapod_parts *parts)
{
  return widest_cosine(parts->top, h->top_axis, widest_cosine(parts->base, h->base_axis, 1.0));
}

static double determinant_margin(const struct hexapod *h, struct hexapod_parts *parts)
{
  if (h->geometry.crank)
    for (int c = 0; c < PLATFORM_DOF; c++)
      for (int i = 0; i < N; i++) parts->jacobian[c][i] *= parts->transmission[i];
  return hexapod_determinant(parts->jacobian) / h->determinant;
}

static bool legs_within(const struct hexapod *h, const struct hexapod_state *s, double spare)
{
  const double slack = spare * (h->geometry.leg_max - h->geometry.leg_min);
  const double low = h->geometry.leg_min + slack, high = h->geometry.leg_max - slack,
               rate = h->geometry.leg_rate;
  bool within = true;
  for (int i = 0; i < N; i++)
    within = within & (s->leg[i] >= low) & (s->leg[i] <= high) & (s->rate[i] <= rate) & (s->rate[i] >= -rate);
  return within;
}

static bool joints_within(const struct hexapod *h, const struct hexapod_state *s, double spare)
{
  return s->joint_cosine >= h->joint_cosine + spare * (1.0 - h->joint_cosine);
}

static bool margin_within(const struct hexapod *h, const struct hexapod_state *s, double spare)
{
  return s->margin >= h->geometry.margin * (1.0 + spare);
}

bool hexapod_solve(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   struct hexapod_state *s)
{
  struct hexapod_parts parts;
  if (!hexapod_parts(h, p, v, &parts, s)) return false;
  s->joint_cosine = joint_cosine(h, &parts);
  s->margin = determinant_margin(h, &parts);
  return true;
}

bool hexapod_slopes(const struct hexapod *h, const double p[PLATFORM_DOF], double leg[PLATFORM_LEGS],
                    double slope[3][PLATFORM_LEGS])
{
  struct hexapod_parts parts;
  struct hexapod_state s;
  if (!hexapod_parts(h, p, NULL, &parts, &s)) return false;
  for (int i = 0; i < N; i++) {
    leg[i] = s.leg[i];
    const double per = h->geometry.crank ? 1.0 / (h->geometry.crank_length * parts.transmission[i]) : 1.0;
    for (int c = 0; c < 3; c++) slope[c][i] = per * parts.jacobian[c][i];
  }
  return true;
}

bool hexapod_within(const struct hexapod *h, const struct hexapod_state *s, double spare)
{
  return legs_within(h, s, spare) && joints_within(h, s, spare) && margin_within(h, s, spare);
}

static double lesser_of(double a, double b)
{
  return b < a ? b : a;
}

static double legs_clearance(const struct hexapod *h, const struct hexapod_state *s)
{
  double clearance = INFINITY;
  for (int i = 0; i < N; i++)
    clearance =
        lesser_of(clearance, lesser_of(s->leg[i] - h->geometry.leg_min, h->geometry.leg_max - s->leg[i]));
  return clearance;
}

void hexapod_know(const struct hexapod *h, const double p[PLATFORM_DOF], const struct hexapod_state *s,
                  double spare, struct hexapod_known *known)
{
  const double least = h->joint_cosine + spare * (1.0 - h->joint_cosine);
  for (int k = 0; k < PLATFORM_DOF; k++) known->p[k] = p[k];
  known->clearance = h->geometry.crank
                         ? 0.0
                         : lesser_of((s->margin - h->geometry.margin * (1.0 + spare)) / h->margin_slope,
                                     (s->joint_cosine - least) / h->cosine_slope);
}

/* Remaining clearance at p. */
static double still_known(const struct hexapod *h, const struct hexapod_known *known,
                          const double p[PLATFORM_DOF])
{
  double change[PLATFORM_DOF];
  if (!(known->clearance > 0.0)) return 0.0;
  for (int k = 0; k < PLATFORM_DOF; k++) change[k] = p[k] - known->p[k];
  return known->clearance - hexapod_travel(h, change);
}

/* Cheap checks come first. */
bool hexapod_reach(const struct hexapod *h, const double p[PLATFORM_DOF], const double v[PLATFORM_DOF],
                   double spare, const struct hexapod_known *known, double *clearance)
{
  struct hexapod_parts parts;
  struct hexapod_state s;
  if (!hexapod_parts(h, p, v, &parts, &s) || !legs_within(h, &s, spare)) return false;
  /* Joints and margin cost most: skip them if the clearance of a nearby pose covers this one. */
  double rest = still_known(h, known, p);
  if (!(rest > 0.0)) {
    struct hexapod_known here;
    s.joint_cosine = joint_cosine(h, &parts);
    if (!joints_within(h, &s, spare)) return false;
    s.margin = determinant_margin(h, &parts);
    if (!margin_within(h, &s, spare)) return false;
    hexapod_know(h, p, &s, spare, &here);
    rest = here.clearance;
  }
  *clearance = lesser_of(rest, legs_clearance(h, &s));
  return true;
}

double hexapod_travel(const struct hexapod *h, const double change[PLATFORM_DOF])
{
  return sqrt(change[0] * change[0] + change[1] * change[1] + change[2] * change[2]) +
         h->reach * (fabs(change[3]) + fabs(change[4]) + fabs(change[5]));
}
