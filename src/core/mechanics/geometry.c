/* SPDX-License-Identifier: MIT
 * Set-up. See geometry.h. */
#include "mechanics/geometry.h"

#include "math/euler.h"

#include <stdlib.h>
#include <string.h>

static const double NO_ARM =
    1e-6; /* a shorter lever arm, relative to the longest one of the part, counts as 0 */

/* splitmix64 */
double geometry_scatter(uint64_t number)
{
  uint64_t z = (number + 1) * UINT64_C(0x9e3779b97f4a7c15);
  z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ (z >> 31)) >> 11) * 0x1p-52 - 1.0;
}

static void evaluate_rows(const struct geometry *g, const struct joint_rows *j, double *Phi, double *J)
{
  struct joint_view v = {.tangent = {0}};
  for (int k = 0; k < 2; k++) v.turn[k] = j->joint[k] < 0 ? 0.0 : g->turn[j->joint[k]];
  for (int side = 0; side < j->sides; side++) {
    const struct body_geometry *p = j->body[side] == ALI3_GROUND ? NULL : &g->body[j->body[side]];
    v.x[side] = p ? &p->x : &body_ground;
    v.f[side] = p ? &p->f : &body_ground_frame;
  }
  rows_evaluate(j, &v, Phi, J);
}

/* Jacobian for v from the Jacobian for (r, th): with c = r + R middle, r' = c' - R (w x middle). */
static void about_middle(const struct body_geometry *p, const double *J, double *o)
{
  double force[3], moment[3];
  m3_tmul(force, p->f.R, J);
  v3_cross(moment, p->middle, force);
  for (int i = 0; i < 3; i++) {
    o[i] = J[i];
    o[3 + i] = (J[3 + i] - moment[i]) / p->length;
  }
}

void geometry_rows(const struct geometry *g, int link, struct geometry_rows *o)
{
  geometry_rows_of(g, &g->m->frozen->link[link], o);
}

void geometry_rows_of(const struct geometry *g, const struct joint_rows *j, struct geometry_rows *o)
{
  double room[STORED_J], *J = room;
  /* Sides on the ground have no columns. */
  o->count = j->count;
  o->sides = 0;
  for (int side = 0; side < j->sides; side++)
    if (j->body[side] != ALI3_GROUND) o->body[o->sides++] = j->body[side];
  evaluate_rows(g, j, o->Phi, J);
  /* Write columns about the middle of each body, and scale each row to norm 1. */
  for (int k = 0; k < j->count; k++) {
    double *row = o->J[k], square = 0.0;
    for (int side = 0; side < j->sides; side++, J += BODY_Y) {
      if (j->body[side] == ALI3_GROUND) continue;
      about_middle(&g->body[j->body[side]], J, row);
      for (int i = 0; i < GEOMETRY_V; i++) square += row[i] * row[i];
      row += GEOMETRY_V;
    }
    o->norm[k] = square > 0.0 ? sqrt(square) : 1.0;
    for (int i = 0; i < o->sides * GEOMETRY_V; i++) o->J[k][i] /= o->norm[k];
    o->Phi[k] /= o->norm[k];
  }
}

/* Finds the mean of the points where joints act on each body. */
static void find_middles(struct geometry *g, int *points)
{
  const struct frozen *f = g->m->frozen;
  for (int i = 0; i < f->rigid_links; i++) {
    const struct joint_rows *j = &f->link[i];
    for (int side = 0; side < 2; side++) {
      int b = j->body[side];
      if (b == ALI3_GROUND || i >= g->m->joints) continue; /* drives and gears act where their joints do */
      v3_axpy(g->body[b].middle, 1.0, j->point[side]);
      points[b]++;
    }
  }
  for (int b = 0; b < g->m->bodies; b++)
    for (int i = 0; i < 3 && points[b] > 0; i++) g->body[b].middle[i] /= points[b];
}

/* L of each body is the geometric mean of its longest lever arm and of the longest arm of its part. A rotation of a small
 * body then changes rows that hold a point and rows that hold a direction by similar amounts. */
static void find_body_lengths(struct geometry *g, const struct parts *parts, double *largest)
{
  const ali3_model *m = g->m;
  /* Find the longest lever arm of any row at each body. */
  for (int b = 0; b < m->bodies; b++) g->body[b].length = 0.0;
  for (int i = 0; i < m->joints; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    double J[STORED_J], Phi[ROWS_MAX], *row = J;
    evaluate_rows(g, j, Phi, J);
    for (int k = 0; k < j->count * j->sides; k++, row += BODY_Y) {
      int b = j->body[k % j->sides];
      double force = sqrt(v3_dot(row, row)), moment[3], *length;
      if (b == ALI3_GROUND || !(force > 1e-9)) continue;
      struct body_geometry unit = g->body[b];
      double o[GEOMETRY_V];
      unit.length = 1.0;
      about_middle(&unit, row, o);
      v3_copy(moment, o + 3);
      length = &g->body[b].length;
      *length = fmax(*length, sqrt(v3_dot(moment, moment)) / force);
      largest[parts->of_body[b]] = fmax(largest[parts->of_body[b]], *length);
    }
  }
  /* A body without an arm takes the length of its part. Other bodies take the geometric mean of both. */
  for (int b = 0; b < m->bodies; b++) {
    double size = largest[parts->of_body[b]], *length = &g->body[b].length;
    if (!(size > 0.0)) size = m->frozen->length;
    *length = *length > NO_ARM * size ? sqrt(*length * size) : size;
  }
}

bool geometry_new(struct geometry *g, const ali3_model *m, const ali3_data *d, const struct parts *parts)
{
  /* Allocate. */
  double *largest = calloc((size_t)parts->count + 1, sizeof *largest);
  int *points = calloc((size_t)m->bodies + 1, sizeof *points);
  *g = (struct geometry){.m = m, .turn = d->turn, .body = calloc((size_t)m->bodies + 1, sizeof *g->body)};
  if (!points || !largest || !g->body) {
    free(points);
    free(largest);
    geometry_free(g);
    return false;
  }
  /* Take the pose of each body, then find its middle and its length. */
  for (int b = 0; b < m->bodies; b++) {
    struct body_geometry *p = &g->body[b];
    p->x = stored_state(m, d->now.x, b);
    body_frame_update(&p->f, &p->x);
  }
  find_middles(g, points);
  find_body_lengths(g, parts, largest);
  free(points);
  free(largest);
  return true;
}

bool geometry_copy(struct geometry *to, const struct geometry *from)
{
  size_t size = ((size_t)from->m->bodies + 1) * sizeof *to->body;
  *to = *from;
  to->body = malloc(size);
  if (to->body) memcpy(to->body, from->body, size);
  return to->body;
}

void geometry_free(struct geometry *g)
{
  free(g->body);
  g->body = NULL;
}

void geometry_move(struct geometry *g, const double *v)
{
  for (int b = 0; b < g->m->bodies; b++, v += GEOMETRY_V) {
    struct body_geometry *p = &g->body[b];
    double turn[4] = {1.0}, q[4], before[3], after[3];
    m3_mul(before, p->f.R, p->middle);
    for (int i = 0; i < 3; i++) turn[1 + i] = 0.5 * v[3 + i] / p->length;
    p_mul(q, p->x.p, turn);
    p_normalise(q);
    memcpy(p->x.p, q, sizeof q);
    body_frame_update(&p->f, &p->x);
    m3_mul(after, p->f.R, p->middle); /* c moves by v, and r follows */
    for (int i = 0; i < 3; i++) p->x.r[i] += v[i] + before[i] - after[i];
  }
}
