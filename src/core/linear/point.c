/* SPDX-License-Identifier: MIT
 * Set-up. See point.h. */
#include "linear/point.h"
#include "linear/point_parts.h"

#include "math/dense.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double DIFFERENCE_STEP = 1e-3; /* rad, and relative to the distance of the points of a link */

/* --- states --- */

void point_move(struct body_state *x, struct body_frame *f, const double y[TWIST], double part)
{
  double turn[4], q[4], angle2 = 0.0;
  for (int i = 0; i < 3; i++) {
    x->r[i] += part * y[i];
    turn[1 + i] = 0.5 * part * y[3 + i];
    angle2 += turn[1 + i] * turn[1 + i];
  }
  /* the rotation by |part w|: cos and sin of half the angle */
  const double half = sqrt(angle2), sine = half > 0.0 ? sin(half) / half : 1.0;
  turn[0] = cos(half);
  for (int i = 0; i < 3; i++) turn[1 + i] *= sine;
  p_mul(q, x->p, turn);
  p_normalise(q);
  memcpy(x->p, q, sizeof q);
  body_frame_update(f, x);
}

void point_set_motion(struct body_state *x, const struct body_frame *f, const double rate[TWIST],
                      const double change[TWIST])
{
  double y[BODY_Y] = {0}, ydd[BODY_Y];
  memcpy(y, rate, TWIST * sizeof *y);
  memcpy(ydd, change, TWIST * sizeof *ydd);
  body_set_velocity(x, f, y);
  ydd[6] = -p_dot(x->pd, x->pd); /* p'p'' = -p'^2 keeps p'p = 1 */
  body_set_acceleration(x, f, ydd);
}

static void motion_of(const struct body_state *x, double rate[TWIST], double change[TWIST])
{
  double y[BODY_Y];
  body_velocity(x, y);
  memcpy(rate, y, TWIST * sizeof *y);
  body_acceleration(x, y);
  memcpy(change, y, TWIST * sizeof *y);
}

/* --- forces --- */

static void fill_link(const struct point *p, const struct joint_rows *j, struct link_state *o)
{
  o->j = j;
  link_view_fill(p->m, p->d, j, &o->view); /* joint angles and directions of sliding */
  for (int side = 0; side < j->sides; side++) {
    const int body = j->body[side];
    o->view.x[side] = body == ALI3_GROUND ? body_ground : p->x[body];
    o->view.f[side] = body == ALI3_GROUND ? body_ground_frame : p->frame[body];
  }
  rows_evaluate(j, &o->view.v, o->Phi, o->J);
  rows_rate(j, &o->view.v, o->J, o->rate);
}

void point_link(const struct point *p, int link, struct link_state *o)
{
  fill_link(p, &p->m->frozen->link[link], o);
}

static void add_link_forces(const struct point *p, int link, double *F)
{
  struct link_state s;
  point_link(p, link, &s);
  const double *J = s.J, *lambda = p->lambda + p->first[link];
  for (int k = 0; k < s.j->count; k++)
    for (int side = 0; side < s.j->sides; side++, J += BODY_Y)
      for (int i = 0; i < TWIST && s.j->body[side] != ALI3_GROUND; i++)
        F[TWIST * s.j->body[side] + i] += J[i] * lambda[k];
}

/* M y' + gyroscopic terms - loads. */
static void body_forces(const struct point *p, int body, const struct body_state *x,
                        const struct body_frame *f, double o[TWIST])
{
  struct wrench load;
  double g[BODY_Y];
  stored_get(p->m, outside_in_force(p->d)->wrench, WRENCH_NUMBERS, body, (double *)&load);
  body_add_loads(p->m, outside_in_force(p->d), body, f->R, 1.0, &load);
  body_residual(&p->m->body[body], x, f, p->m->gravity, &load, 0.0, g);
  memcpy(o, g, TWIST * sizeof *o);
}

void point_forces(const struct point *p, bool rigid, double *F)
{
  for (int b = 0; b < p->m->bodies; b++) body_forces(p, b, &p->x[b], &p->frame[b], F + TWIST * b);
  for (int i = rigid ? 0 : p->m->frozen->rigid_links; i < p->m->frozen->links; i++) add_link_forces(p, i, F);
}

/* --- making --- */

static bool allocate_point(struct point *p)
{
  const size_t bodies = (size_t)p->m->bodies + 1, links = (size_t)p->m->frozen->links + 1;
  p->x = calloc(bodies, sizeof *p->x);
  p->frame = calloc(bodies, sizeof *p->frame);
  p->first = calloc(links, sizeof *p->first);
  for (int i = 0; p->first && i < p->m->frozen->links; i++)
    p->first[i + 1] = p->first[i] + p->m->frozen->link[i].count;
  p->lambda = p->first ? calloc((size_t)p->first[links - 1] + 1, sizeof *p->lambda) : NULL;
  return p->x && p->frame && p->lambda;
}

/* Takes the part of a load out that works along T: F - W T (T'W T)^-1 T'F, where W weighs rotations by the size of the
 * mechanism. */
static bool take_out_work(const struct point *p, double *F)
{
  const ali3_freedoms *f = p->f;
  const int n = f->n, numbers = TWIST * f->bodies;
  const double L2 = p->m->frozen->length * p->m->frozen->length;
  double *G = calloc((size_t)n * (size_t)(n + 1) + 1, sizeof *G);
  if (!G) return false;
  double *work = G + (size_t)n * (size_t)n;
  for (int i = 0; i < numbers; i++) {
    const double *T = f->T + (size_t)i * (size_t)n, weight = i % TWIST < 3 ? 1.0 : L2;
    for (int r = 0; r < n; r++) {
      const double own = weight * T[r];
      if (own == 0.0) continue;
      work[r] += T[r] * F[i];
      for (int c = 0; c <= r; c++) G[r * n + c] += own * T[c];
    }
  }
  const bool good = chol_factor(G, n, n); /* the columns of T are independent */
  if (good) chol_solve(G, n, n, work);
  for (int i = 0; good && i < numbers; i++) {
    const double *T = f->T + (size_t)i * (size_t)n, weight = i % TWIST < 3 ? 1.0 : L2;
    for (int k = 0; k < n; k++) F[i] -= weight * T[k] * work[k];
  }
  free(G);
  return true;
}

/* The multipliers of rigid rows that balance all other forces best. Rows that do not hold get 0. */
static bool balance_rigid_rows(struct point *p)
{
  const size_t numbers = (size_t)p->m->bodies * TWIST;
  double *F = calloc(numbers + 1, sizeof *F), *z = calloc((size_t)p->f->used.rows + 1, sizeof *z);
  bool ok = F && z;
  if (ok) {
    point_forces(p, false, F);
    ok = take_out_work(p, F);
  }
  if (ok) {
    for (size_t i = 0; i < numbers; i++) F[i] = -F[i];
    freedoms_multipliers(p->f, F, z);
    for (int i = 0; i < p->m->frozen->rigid_links; i++)
      for (int k = 0; k < p->m->frozen->link[i].count; k++)
        p->lambda[p->first[i] + k] = p->f->link[i] ? z[p->f->first[i] + k] : 0.0;
  }
  free(F);
  free(z);
  return ok;
}

bool point_new(struct point *p, const ali3_model *m, const ali3_data *d, const ali3_freedoms *f,
               enum point_kind kind)
{
  static const double none[TWIST] = {0};
  const bool still = kind != POINT_MOVING;
  *p = (struct point){.m = m, .d = d, .f = f};
  if (!allocate_point(p)) return false;
  /* Bodies. */
  for (int b = 0; b < m->bodies; b++) {
    double rate[TWIST], change[TWIST];
    p->x[b] = stored_state(m, d->now.x, b);
    p_normalise(p->x[b].p);
    body_frame_update(&p->frame[b], &p->x[b]);
    motion_of(&p->x[b], rate, change);
    point_set_motion(&p->x[b], &p->frame[b], still ? none : rate, still ? none : change);
    for (int i = 0; i < TWIST && !still; i++) p->moves |= rate[i] != 0.0 || change[i] != 0.0;
  }
  /* Multipliers. */
  for (int i = 0; i < m->frozen->links; i++) {
    struct link_state s;
    double *lambda = p->lambda + p->first[i];
    point_link(p, i, &s);
    if (s.j->soft) point_law_forces(p, i, &s, lambda);
    for (int k = 0; k < s.j->count && !s.j->soft && !still; k++)
      lambda[k] = d->now.reaction[stored_row(s.j, k)];
  }
  return kind != POINT_BALANCED || balance_rigid_rows(p);
}

void point_free(struct point *p)
{
  free(p->x);
  free(p->frame);
  free(p->first);
  free(p->lambda);
  *p = (struct point){0};
}

/* --- derivatives of a link --- */

/* Loads and changes of rows of a link at a moved pose. */
struct link_values {
  double load[LINK_TWISTS];                /* J'lambda */
  double rate[ROWS_MAX], change[ROWS_MAX]; /* Phi', Phi'' */
};

static void evaluate_link(const struct link_state *s, const double *lambda, struct link_values *o)
{
  double Phi[ROWS_MAX], J[STORED_J], bias[ROWS_MAX];
  const struct joint_rows *j = s->j;
  rows_evaluate(j, &s->view.v, Phi, J);
  rows_rate(j, &s->view.v, J, o->rate);
  rows_bias(j, &s->view.v, bias);
  memset(o->load, 0, sizeof o->load);
  double y[ROWS_SIDES][BODY_Y];
  for (int side = 0; side < j->sides; side++) body_acceleration(&s->view.x[side], y[side]);
  const double *row = J;
  for (int k = 0; k < j->count; k++) {
    o->change[k] = bias[k];
    for (int side = 0; side < j->sides; side++, row += BODY_Y) {
      for (int i = 0; i < BODY_Y; i++) o->change[k] += row[i] * y[side][i];
      for (int i = 0; i < TWIST; i++) o->load[TWIST * side + i] += row[i] * lambda[k];
    }
  }
}

/* Lengths of the steps for poses: relative to the distance of the points, if the direction between them matters. */
static void step_lengths(const struct point *p, const struct link_state *s, double step[TWIST])
{
  const struct joint_rows *j = s->j;
  const struct body_pair pair = {.x = {s->view.v.x[0], s->view.v.x[1]},
                                 .f = {s->view.v.f[0], s->view.v.f[1]}};
  double d[3], reach = p->m->frozen->length, arm = 0.0;
  for (int side = 0; side < 2; side++) arm = fmax(arm, sqrt(v3_dot(j->point[side], j->point[side])));
  for (int k = 0; k < j->primitives; k++) {
    const struct primitive *q = &j->primitive[k];
    if (q->kind != ROW_LENGTH && !(q->kind == ROW_GAP && j->radius[0] > 0.0)) continue;
    point_separation(&pair, j->point, d);
    const double distance = sqrt(v3_dot(d, d));
    if (distance > 0.0) reach = fmin(reach, distance);
  }
  for (int i = 0; i < 3; i++) {
    step[i] = DIFFERENCE_STEP * reach;
    step[3 + i] = DIFFERENCE_STEP * fmin(1.0, reach / fmax(arm, 1e-300));
  }
}

static void move_link_side(struct link_state *s, int side, int i, double by)
{
  double rate[TWIST], change[TWIST], y[TWIST] = {0};
  motion_of(&s->view.x[side], rate, change);
  y[i] = 1.0;
  point_move(&s->view.x[side], &s->view.f[side], y, by);
  point_set_motion(&s->view.x[side], &s->view.f[side], rate, change);
}

static void speed_link_side(struct link_state *s, int side, int i, double by)
{
  double rate[TWIST], change[TWIST];
  motion_of(&s->view.x[side], rate, change);
  rate[i] += by;
  point_set_motion(&s->view.x[side], &s->view.f[side], rate, change);
}

/* A copy whose views point into itself. */
static void copy_link(struct link_state *to, const struct link_state *from)
{
  *to = *from;
  for (int side = 0; side < from->j->sides; side++) {
    to->view.v.x[side] = &to->view.x[side];
    to->view.v.f[side] = &to->view.f[side];
  }
}

/* o = (at +by) - (at -by), over 2 by. */
static void link_difference(const struct link_state *s, const double *lambda, int side, int i, double by,
                            bool velocity, struct link_values *o)
{
  struct link_values end[2];
  for (int e = 0; e < 2; e++) {
    struct link_state moved;
    copy_link(&moved, s);
    (velocity ? speed_link_side : move_link_side)(&moved, side, i, e ? -by : by);
    evaluate_link(&moved, lambda, &end[e]);
  }
  for (int r = 0; r < TWIST * s->j->sides; r++) o->load[r] = (end[0].load[r] - end[1].load[r]) / (2.0 * by);
  for (int k = 0; k < s->j->count; k++) {
    o->rate[k] = (end[0].rate[k] - end[1].rate[k]) / (2.0 * by);
    o->change[k] = (end[0].change[k] - end[1].change[k]) / (2.0 * by);
  }
}

/* Derivatives by the poses, with lambda constant, by steps of two lengths. */
static void differentiate_poses(const struct point *p, const struct link_state *s, const double *lambda,
                                struct link_slopes *o)
{
  double step[TWIST];
  step_lengths(p, s, step);
  for (int side = 0; side < s->j->sides; side++)
    for (int i = 0; i < TWIST && s->j->body[side] != ALI3_GROUND; i++) {
      const int c = TWIST * side + i;
      struct link_values near, far;
      link_difference(s, lambda, side, i, step[i], false, &near);
      link_difference(s, lambda, side, i, 2.0 * step[i], false, &far);
      for (int r = 0; r < TWIST * s->j->sides; r++) {
        o->K[r][c] = (4.0 * near.load[r] - far.load[r]) / 3.0;
        /* the error left has two orders more */
        o->error = fmax(o->error, fabs(near.load[r] - far.load[r]) * DIFFERENCE_STEP * DIFFERENCE_STEP);
      }
      for (int k = 0; k < s->j->count; k++) {
        o->rate[k][c] = (4.0 * near.rate[k] - far.rate[k]) / 3.0;
        o->change_q[k][c] = (4.0 * near.change[k] - far.change[k]) / 3.0;
      }
    }
}

/* Phi'' is of second degree in the velocities: a central difference is exact. */
static void differentiate_velocities(const struct link_state *s, const double *lambda, struct link_slopes *o)
{
  for (int side = 0; side < s->j->sides; side++)
    for (int i = 0; i < TWIST && s->j->body[side] != ALI3_GROUND; i++) {
      struct link_values v;
      link_difference(s, lambda, side, i, 1.0, true, &v);
      for (int k = 0; k < s->j->count; k++) o->change_v[k][TWIST * side + i] = v.change[k];
    }
}

void point_link_slopes(const struct point *p, int link, struct link_slopes *o)
{
  struct link_state s;
  const double *lambda = p->lambda + p->first[link];
  memset(o, 0, sizeof *o);
  point_link(p, link, &s);
  differentiate_poses(p, &s, lambda, o);
  if (p->moves && !s.j->soft) differentiate_velocities(&s, lambda, o);
  if (!s.j->soft) return;
  /* soft rows: J' (slopes) (changes of Phi and Phi') */
  const int sides = s.j->sides, numbers = TWIST * sides;
  point_law_slopes(p, &s, lambda, o->stiff, o->damp);
  for (int k = 0; k < s.j->count; k++)
    for (int i = 0; i < s.j->count; i++) {
      const double stiff = o->stiff[k][i], damp = o->damp[k][i];
      if (stiff == 0.0 && damp == 0.0) continue;
      o->damped |= damp != 0.0;
      for (int r = 0; r < numbers; r++) {
        const double own = s.J[BODY_Y * (k * sides + r / TWIST) + r % TWIST];
        for (int c = 0; c < numbers && own != 0.0; c++) {
          const double other = s.J[BODY_Y * (i * sides + c / TWIST) + c % TWIST];
          o->K[r][c] += own * (stiff * other + damp * o->rate[i][c]);
          o->C[r][c] += own * damp * other;
        }
      }
    }
}

void point_coordinate_slopes(const struct point *p, int joint, struct link_slopes *o, struct link_state *row)
{
  static const double none[ROWS_MAX] = {0};
  /* the row of a force on this joint */
  const struct joint_rows *own = &p->m->frozen->link[joint];
  struct joint_rows j = {.sides = 2,
                         .body = {own->body[0], own->body[1]},
                         .count = 1,
                         .primitives = 1,
                         .primitive = {{.kind = ROW_COORDINATE}},
                         .coordinates = 1,
                         .coordinate = {own->coordinate[0]},
                         .ratio = {1.0},
                         .joint = {joint, -1},
                         .side = {{0, 1}},
                         .drive = -1,
                         .rolling = -1};
  memcpy(j.point, own->coordinate[0].point, sizeof j.point);
  memset(o, 0, sizeof *o);
  fill_link(p, &j, row);
  differentiate_poses(p, row, none, o);
  differentiate_velocities(row, none, o);
}

bool point_at_corner(const struct point *p, int link)
{
  struct link_state s;
  static const double NEAR = 1e-9; /* relative to the sizes of mechanism and slip */
  point_link(p, link, &s);
  const double length = NEAR * p->m->frozen->length;
  for (int k = 0; k < s.j->count && s.j->soft; k++) {
    const struct law *law = &s.j->law[k];
    if (law->kind == LAW_LIMITS &&
        (fabs(s.Phi[k] - law->lower) <= length || fabs(s.Phi[k] - law->upper) <= length))
      return true;
    const ali3_table *table[2] = {law->force, law->damping_table};
    for (int t = 0; t < 2 && law->kind == LAW_TABLE; t++)
      for (int i = 1; table[t] && i < table[t]->n - 1; i++)
        if (fabs((t ? s.rate[k] : s.Phi[k]) - table[t]->point[i][0]) <= length) return true;
  }
  return false;
}

/* --- derivatives of a body --- */

void point_body_slopes(const struct point *p, int body, struct body_slopes *o)
{
  double rate[TWIST], change[TWIST];
  motion_of(&p->x[body], rate, change);
  for (int c = 0; c < TWIST; c++) {
    double F[2][2][TWIST]; /* at both ends of steps of two lengths */
    for (int e = 0; e < 4; e++) {
      struct body_state x = p->x[body];
      struct body_frame f = p->frame[body];
      double y[TWIST] = {0};
      y[c] = 1.0;
      point_move(&x, &f, y, (e & 1 ? -1.0 : 1.0) * (e & 2 ? 2.0 : 1.0) * DIFFERENCE_STEP);
      point_set_motion(&x, &f, rate, change);
      body_forces(p, body, &x, &f, F[e / 2][e & 1]);
    }
    for (int r = 0; r < TWIST; r++)
      o->K[r][c] = (8.0 * (F[0][0][r] - F[0][1][r]) - (F[1][0][r] - F[1][1][r])) / (12.0 * DIFFERENCE_STEP);
    /* forces have second degree in the velocities */
    for (int e = 0; e < 2; e++) {
      struct body_state x = p->x[body];
      double v[TWIST];
      memcpy(v, rate, sizeof v);
      v[c] += e ? -1.0 : 1.0;
      point_set_motion(&x, &p->frame[body], v, change);
      body_forces(p, body, &x, &p->frame[body], F[0][e]);
    }
    for (int r = 0; r < TWIST; r++) o->C[r][c] = 0.5 * (F[0][0][r] - F[0][1][r]);
  }
}
