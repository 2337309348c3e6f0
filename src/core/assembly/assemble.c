/* SPDX-License-Identifier: MIT
 * Set-up: moves bodies until all rigid rows are met, by Newton's method on the sphere of the Euler parameters.
 *
 *   each pass     takes the change of positions that is smallest in the norm of the mass matrix (project_position), without
 *                 its part along p; no body turns by more than TURN_MOST, and the sum of squares of the rows decreases
 *   no progress   a row may have no gradient (axes at a right angle, coinciding points of a distance); bodies of open
 *                 links are then pushed a little, by pseudo-random numbers that are equal in every run
 *   at the end    compares the displacements with the options */
#include "assembly/assembly.h"
#include "kernels/elements.h"
#include "math/euler.h"
#include "stepper/project.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

static const double ROWS_ON_CONSTRAINT = 1e-12; /* poses with smaller residuals are kept */
static const double ASSEMBLED = 1e-9;
static const double TURN_MOST = 0.5;   /* rad per pass */
static const double STALLED = 0.99;    /* ratio of merits above which a pass makes no progress */
static const double UNMOVED = 1e-9;    /* m, rad: a smaller move does not count */
static const double PUSH_FIRST = 1e-3; /* rad, and relative to the size of the mechanism */
static const double PUSH_GROWTH = 4.0;
enum { PASSES = 200, HALVINGS = 12, STALLS = 3, PUSHES = 5 };

/* Residuals of the rows; lengths are relative to the size of the mechanism. */
struct fit {
  double residual; /* largest row; lengths over frozen.rounding */
  double merit;    /* sum of squares; lengths over frozen.length */
  int worst;       /* link of the largest row */
};

/* The largest row of a link; lengths over frozen.rounding. */
static double link_residual(const ali3_model *m, const ali3_data *d, const struct joint_rows *j)
{
  double largest = 0.0;
  for (int k = 0; k < j->count; k++) {
    double x = fabs(d->solve.Phi[stored_row(j, k)]);
    if (rows_is_length(j, k)) x /= m->frozen->rounding;
    if (!(x <= largest) && !isnan(largest)) largest = x; /* keeps NaN */
  }
  return largest;
}

static struct fit fit_of_rows(const ali3_model *m, const ali3_data *d)
{
  struct fit o = {.worst = -1};
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    double x = link_residual(m, d, j);
    if (!(x <= o.residual) && !isnan(o.residual)) {
      o.residual = x;
      o.worst = i;
    }
    for (int k = 0; k < j->count; k++) {
      double Phi = d->solve.Phi[stored_row(j, k)];
      if (rows_is_length(j, k)) Phi /= m->frozen->length;
      o.merit += Phi * Phi;
    }
  }
  return o;
}

/* w := change from last.x to now.x, without its part along p. Returns the largest rotation, rad. */
static double take_way(const ali3_model *m, ali3_data *d)
{
  double largest = 0.0;
  for (int b = 0; b < m->bodies; b++) {
    const struct body_state from = stored_state(m, d->last.x, b), to = stored_state(m, d->now.x, b);
    double way[BODY_Y], along = p_dot(from.p, to.p) / p_dot(from.p, from.p), square = 0.0;
    v3_sub(way, to.r, from.r);
    for (int i = 0; i < 4; i++) {
      way[3 + i] = to.p[i] - along * from.p[i];
      square += way[3 + i] * way[3 + i];
    }
    stored_set(m, d->solve.w, BODY_Y, b, way);
    largest = fmax(largest, 2.0 * sqrt(square));
  }
  return largest;
}

/* Evaluates frames and rows at the positions. */
static void evaluate_positions(const ali3_model *m, ali3_data *d)
{
  stage_bodies(m, d, KERNEL_body_frame);
  stage_rows(m, d);
}

/* Positions := last.x + part w. */
static void go_part(const ali3_model *m, ali3_data *d, double part)
{
  for (int b = 0; b < m->bodies; b++) {
    struct body_state x = stored_state(m, d->last.x, b);
    double way[BODY_Y];
    stored_get(m, d->solve.w, BODY_Y, b, way);
    v3_axpy(x.r, part, way);
    for (int i = 0; i < 4; i++) x.p[i] += part * way[3 + i];
    p_normalise(x.p);
    stored_set_state(m, d->now.x, b, &x);
  }
  evaluate_positions(m, d);
}

static void keep_positions(const ali3_model *m, const ali3_data *d)
{
  memcpy(d->last.x, d->now.x, X_NUMBERS * (size_t)m->frozen->tree->slots * sizeof *d->now.x);
}

/* One pass with the factors. It halves the change until the merit decreases. False: the merit does not decrease, and the
 * positions are unchanged. */
static bool pass_falls(const ali3_model *m, ali3_data *d, struct fit *fit, double *moved)
{
  keep_positions(m, d);
  *moved = project_position(m, d);
  double turn = take_way(m, d), part = turn > TURN_MOST ? TURN_MOST / turn : 1.0;
  for (int i = 0; i < HALVINGS && isfinite(*moved); i++, part *= 0.5) {
    go_part(m, d, part);
    const struct fit now = fit_of_rows(m, d);
    if (!(now.merit < fit->merit) && !(now.residual <= ROWS_ON_CONSTRAINT)) continue;
    *fit = now;
    return true;
  }
  memcpy(d->now.x, d->last.x, X_NUMBERS * (size_t)m->frozen->tree->slots * sizeof *d->now.x);
  evaluate_positions(m, d);
  return false;
}

/* -1 .. 1, by a linear congruential generator: equal numbers on every machine. */
static double pseudo_random(uint64_t *state)
{
  *state = *state * 6364136223846793005u + 1442695040888963407u;
  return (double)(*state >> 11) / (double)(1ull << 52) - 1.0;
}

static void push_body(const ali3_model *m, ali3_data *d, int body, double by, uint64_t *random)
{
  if (body == ALI3_GROUND) return;
  struct body_state x = stored_state(m, d->now.x, body);
  for (int i = 0; i < 3; i++) x.r[i] += by * m->frozen->length * pseudo_random(random);
  for (int i = 0; i < 4; i++) x.p[i] += 0.5 * by * pseudo_random(random);
  p_normalise(x.p);
  stored_set_state(m, d->now.x, body, &x);
}

/* Links in their order, so that the number of workers has no effect. */
static void push_open_links(const ali3_model *m, ali3_data *d, double by)
{
  uint64_t random = 1;
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    if (link_residual(m, d, j) <= ASSEMBLED) continue;
    for (int side = 0; side < j->sides; side++) push_body(m, d, j->body[side], by, &random);
  }
  evaluate_positions(m, d);
}

/* Makes passes until the rows are met, or no push helps. */
static int close_rows(const ali3_model *m, ali3_data *d, struct fit *fit)
{
  int stalls = 0, pushes = 0, status = ALI3_OK;
  double by = PUSH_FIRST;
  for (int pass = 0; pass < PASSES; pass++) {
    double before = fit->merit, moved = 0.0;
    if (pass > 0) penalty_set(m, d, 0.0); /* rows may have had no gradient at the start of the last pass */
    status = stage_condense(m, d) ? ALI3_OK : ALI3_E_SINGULAR;
    bool falls = status == ALI3_OK && pass_falls(m, d, fit, &moved);
    if (falls && fit->residual <= ROWS_ON_CONSTRAINT && moved <= 1e-10 * fmax(1.0, m->frozen->rounding))
      break;
    if (!falls && status == ALI3_OK && fit->residual <= ASSEMBLED) break; /* the residual is rounding */
    stalls = falls && fit->merit < STALLED * before ? 0 : stalls + 1;
    if (falls && stalls < STALLS) continue;
    if (fit->residual <= ASSEMBLED || pushes++ == PUSHES) break;
    push_open_links(m, d, by);
    by *= PUSH_GROWTH;
    stalls = 0;
    *fit = fit_of_rows(m, d);
  }
  return status < 0 ? status : fit->residual <= ASSEMBLED ? ALI3_OK : ALI3_E_ASSEMBLE;
}

/* 1 - cosine of the largest angle between axes that a joint holds parallel, 0 .. 2. The three rows of the orientation also
 * vanish after half a turn or a third of a turn, and Newton's method stays there. */
static double turned_away(const ali3_model *m, const ali3_data *d, const struct joint_rows *j)
{
  const struct primitive *p = &j->primitive[j->primitives - 3];
  struct link_view view;
  double largest = 0.0;
  link_view_fill(m, d, j, &view);
  for (int i = 0; i < 3; i++) { /* axis i of b belongs to axis i - 1 of a */
    double U[3], V[3];
    m3_mul(U, view.f[0].R, p[i].u);
    m3_mul(V, view.f[1].R, p[(i + 2) % 3].v);
    largest = fmax(largest, 1.0 - v3_dot(U, V));
  }
  return largest;
}

/* The first joint at a wrong solution of its rows; -1: none. */
static int turned_joint(const ali3_model *m, const ali3_data *d)
{
  for (int i = 0; i < m->joints; i++) {
    ali3_joint_type type = m->joint[i].spec.type;
    if ((type != ALI3_JOINT_FIXED && type != ALI3_JOINT_PRISMATIC) || m->joint[i].spec.dropped) continue;
    if (turned_away(m, d, &m->frozen->link[i]) >= 0.5) return i;
  }
  return -1;
}

/* Sets the initial velocities of the model for bodies that the assembly moved. */
static void keep_velocities(const ali3_model *m, ali3_data *d)
{
  for (int b = 0; b < m->bodies; b++) {
    const struct body_frame frame = stored_frame(m, d, b);
    struct body_state x = stored_state(m, d->now.x, b);
    double y[BODY_Y] = {0};
    v3_copy(y, m->body[b].spec.velocity);
    v3_copy(y + 3, m->body[b].spec.angular_velocity);
    body_set_velocity(&x, &frame, y);
    stored_set_state(m, d->now.x, b, &x);
  }
}

static void measure_move(const ali3_model *m, ali3_data *d)
{
  ali3_initial *o = &d->initial;
  for (int b = 0; b < m->bodies; b++) {
    const struct body *body = &m->body[b];
    const struct body_state x = stored_state(m, d->now.x, b);
    const double *p = body->spec.orientation, back[4] = {p[0], -p[1], -p[2], -p[3]};
    double q[4], dr[3];
    v3_sub(dr, x.r, body->spec.position);
    p_mul(q, back, x.p);
    double distance = sqrt(v3_dot(dr, dr)), angle = 2.0 * atan2(sqrt(v3_dot(q + 1, q + 1)), fabs(q[0]));
    if (distance > o->moved_position) {
      o->moved_position = distance;
      o->body_position = b;
    }
    if (angle > o->moved_orientation) {
      o->moved_orientation = angle;
      o->body_orientation = b;
    }
  }
}

/* Reports the largest opening in the poses of the model, or the worst row now if all joints were closed there. */
static void name_worst(const ali3_model *m, ali3_data *d, int link, double size)
{
  const struct opening_worst given = openings_worst(m);
  link_name_worst(m, &d->report, link);
  d->report.position = size;
  if (given.joint < 0 && given.force < 0) return;
  d->report.worst_joint = given.joint;
  d->report.worst_force = given.force;
  d->report.position = given.size;
}

/* Restores the poses of the model. */
static void restore_positions(const ali3_model *m, ali3_data *d)
{
  for (int b = 0; b < m->bodies; b++) {
    struct body_state x = stored_state(m, d->now.x, b);
    v3_copy(x.r, m->body[b].spec.position);
    memcpy(x.p, m->body[b].spec.orientation, sizeof x.p);
    stored_set_state(m, d->now.x, b, &x);
  }
  evaluate_positions(m, d);
}

int assemble(const ali3_model *m, ali3_data *d)
{
  const ali3_options *o = &m->options;
  struct fit fit = fit_of_rows(m, d);
  int status = fit.residual <= ROWS_ON_CONSTRAINT ? ALI3_OK : close_rows(m, d, &fit);
  int turned = status == ALI3_OK ? turned_joint(m, d) : -1;
  if (turned >= 0) status = ALI3_E_ASSEMBLE;
  if (status == ALI3_OK) {
    measure_move(m, d);
    d->initial.too_far = d->initial.moved_position > fmax(o->assembly_position, UNMOVED) ||
                         d->initial.moved_orientation > fmax(o->assembly_angle, UNMOVED);
    if (d->initial.moved_position + d->initial.moved_orientation > 0.0) keep_velocities(m, d);
    if (d->initial.too_far) status = ALI3_E_ASSEMBLE;
  }
  if (status < 0) restore_positions(m, d);
  if (status == ALI3_E_SINGULAR) { /* singular only after moves: report an open joint instead */
    penalty_set(m, d, 0.0);
    if (stage_condense(m, d)) status = ALI3_E_ASSEMBLE;
  }
  if (status == ALI3_E_ASSEMBLE) name_worst(m, d, turned >= 0 ? turned : fit.worst, fit.residual);
  return status;
}
