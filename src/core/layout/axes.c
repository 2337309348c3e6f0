/* SPDX-License-Identifier: MIT
 * Set-up: finds the axes that fast bodies spin about (dynamics/spin.h). */
#include "base/arena.h"
#include "layout/layout.h"
#include "layout/storage.h"
#include "math/vec3.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* For J = j I + d (a a' - I/3), D = J less its mean is d (a a' - I/3), with D:D = 2/3 d^2 and det D = 2/27 d^3. False: J is not
 * symmetric about an axis, or symmetric about every axis. */
static bool symmetry_axis(const double J[9], double o[3])
{
  static const double ROUND = 1e-3, SAME = 1e-3; /* relative to the mean moment; components of the axis */
  double D[9], A[9], mean = (J[0] + J[4] + J[8]) / 3.0, square = 0.0, cross[3], a[3];
  for (int i = 0; i < 9; i++) {
    D[i] = J[i] - (i % 4 ? 0.0 : mean);
    square += D[i] * D[i];
  }
  v3_cross(cross, D + 3, D + 6);
  const double d = copysign(sqrt(1.5 * square), v3_dot(D, cross));
  if (!(fabs(d) > ROUND * mean)) return false;
  int largest = 0;
  for (int i = 0; i < 9; i++) A[i] = D[i] / d + (i % 4 ? 0.0 : 1.0 / 3.0);
  for (int i = 1; i < 3; i++)
    if (A[4 * i] > A[4 * largest]) largest = i;
  const double norm = sqrt(v3_dot(A + 3 * largest, A + 3 * largest));
  if (!(norm > 0.0)) return false;
  for (int i = 0; i < 3; i++) a[i] = A[3 * largest + i] / norm;
  for (int i = 0; i < 9; i++)
    if (fabs(A[i] - a[i / 3] * a[i % 3]) > SAME) return false;
  v3_copy(o, a);
  return true;
}

/* The links of a body. */
struct held {
  double bearing[3]; /* axis of its revolute and cylindrical joints, body frame; 0 if their axes differ */
  double arm[3];     /* from the centre of mass to the last joint */
  double off; /* m, distance of the farthest point of a link from the axis through the centre of mass */
  int bearings, links, points; /* links: rigid ones; points: of all links */
};

static void note_bearing(const struct joint *j, int side, struct held *o)
{
  static const double PARALLEL = 1e-6;
  v3_copy(o->arm, j->point[side]);
  if (j->spec.type != ALI3_JOINT_REVOLUTE && j->spec.type != ALI3_JOINT_CYLINDRICAL) return;
  double off[3];
  if (o->bearings++ == 0) v3_copy(o->bearing, j->axis[side]);
  v3_cross(off, o->bearing, j->axis[side]);
  if (!(v3_dot(off, off) <= PARALLEL)) memset(o->bearing, 0, sizeof o->bearing);
}

static void find_held(const ali3_model *m, const struct frozen *f, struct held *held)
{
  for (int i = 0; i < m->joints; i++)
    for (int side = 0; side < 2; side++)
      if (m->joint[i].body[side] != ALI3_GROUND)
        note_bearing(&m->joint[i], side, &held[m->joint[i].body[side]]);
  for (int i = 0; i < f->rigid_links; i++)
    for (int side = 0; side < f->link[i].sides; side++)
      if (f->link[i].body[side] != ALI3_GROUND) held[f->link[i].body[side]].links++;
}

/* Whether an inner step resolves a rotation about the axis only as well as a motion along an arc: the inertia is not symmetric to
 * rotations about the axis, or a point of a link is off the axis. A body without links is never off its axis. */
static bool is_off_axis(const struct body *b, const struct held *held, double length, const double a[3])
{
  static const double ANGLE = 1e-3, POINT = 1e-4; /* relative to the moment, to the size of the mechanism */
  double Ja[3], across[3];
  if (held->points == 0) return false;
  m3_mul(Ja, b->spec.inertia, a);
  v3_cross(across, Ja, a);
  return held->off > POINT * length || sqrt(v3_dot(across, across)) > ANGLE * sqrt(v3_dot(Ja, Ja));
}

/* A body spins about its bearing. Without a bearing it spins about the symmetry axis of its inertia. Without a symmetry axis,
 * and on a single joint, it spins about the line from the joint to its centre of mass. */
static void choose_axis(const struct body *b, const struct held *held, double axis[3])
{
  if (held->bearings > 0) {
    v3_copy(axis, held->bearing);
    return;
  }
  if (symmetry_axis(b->spec.inertia, axis) || held->links != 1) return;
  const double norm = sqrt(v3_dot(held->arm, held->arm));
  for (int i = 0; i < 3 && norm > 0.0; i++) axis[i] = held->arm[i] / norm;
}

/* Distances of the points of all links from the axes. o: (bodies) */
static void find_off(const struct frozen *f, const double (*axis)[3], struct held *o)
{
  for (int i = 0; i < f->links; i++) {
    const struct joint_rows *j = &f->link[i];
    for (int side = 0; side < 2; side++) {
      const int b = j->body[side];
      if (b == ALI3_GROUND || j->primitive[0].kind == ROW_COORDINATE) continue;
      double off[3];
      v3_copy(off, j->point[side]);
      v3_axpy(off, -v3_dot(axis[b], off), axis[b]);
      o[b].off = fmax(o[b].off, sqrt(v3_dot(off, off)));
      if (rows_turn(j)) o[b].off = INFINITY; /* its torques turn with the body */
      o[b].points++;
    }
  }
}

static double number_of(const struct frozen *f, int body, int number)
{
  const struct tree_body *at = &f->tree->body[body];
  return f->axes[stored_at(at, AXES_NUMBERS) + (size_t)(number * at->width)];
}

bool layout_find_axes(const ali3_model *m, struct frozen *f)
{
  struct held *held = calloc((size_t)m->bodies + 1, sizeof *held);
  double(*axis)[3] = calloc((size_t)m->bodies + 1, sizeof *axis);
  f->axes = aligned_zalloc((size_t)(AXES_NUMBERS * f->tree->slots) * sizeof *f->axes);
  const bool good = held && axis && f->axes;
  /* Choose the axes, then see what is off them. */
  if (good) find_held(m, f, held);
  for (int b = 0; good && b < m->bodies; b++) choose_axis(&m->body[b], &held[b], axis[b]);
  if (good) find_off(f, (const double(*)[3])axis, held);
  for (int b = 0; good && b < m->bodies; b++) {
    double o[AXES_NUMBERS] = {axis[b][0], axis[b][1], axis[b][2]};
    o[AXES_OFF] = is_off_axis(&m->body[b], &held[b], f->length, axis[b]) ? 1.0 : 0.0;
    o[AXES_LOOSE] = held[b].links ? 0.0 : 1.0;
    if (o[AXES_OFF] == 0.0 && !f->carried[b] && (held[b].bearings > 0 || held[b].links == 0))
      o[AXES_STEADY] = 1.0;
    stored_put(f->axes, &f->tree->body[b], AXES_NUMBERS, o);
  }
  /* Mark the links of bodies that may twist. */
  for (int i = 0; good && i < f->links; i++) {
    struct joint_rows *j = &f->link[i];
    for (int side = 0; side < j->sides; side++)
      j->twists |= j->body[side] != ALI3_GROUND && number_of(f, j->body[side], AXES_OFF) == 0.0;
  }
  free(held);
  free(axis);
  return good;
}

void layout_mark_steady(const ali3_model *m, struct frozen *f)
{
  for (int b = 0; b < m->bodies; b++)
    if (number_of(f, b, AXES_STEADY) > 0.5) f->body_tile[f->tile_of[b]].steady = true;
}
