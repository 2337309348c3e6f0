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

/* The rigid links of a body. */
struct held {
  double bearing[3]; /* axis of its revolute and cylindrical joints, body frame; 0 if their axes differ */
  double arm[3];     /* from the centre of mass to the last joint */
  int bearings, links;
};

static void note_bearing(const struct joint *j, int side, struct held *o)
{
  static const double PARALLEL = 1e-6;
  v3_copy(o->arm, j->point[side]);
  if (j->type != ALI3_JOINT_REVOLUTE && j->type != ALI3_JOINT_CYLINDRICAL) return;
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

/* A body spins about its bearing. Without a bearing it spins about the symmetry axis of its inertia. Without a symmetry axis,
 * and on a single joint, it spins about the line from the joint to its centre of mass. */
static void choose_axis(const struct body *b, const struct held *held, double axis[3])
{
  if (held->bearings > 0) {
    v3_copy(axis, held->bearing);
    return;
  }
  if (symmetry_axis(b->inertia, axis) || held->links != 1) return;
  const double norm = sqrt(v3_dot(held->arm, held->arm));
  for (int i = 0; i < 3 && norm > 0.0; i++) axis[i] = held->arm[i] / norm;
}

bool layout_find_axes(const ali3_model *m, struct frozen *f)
{
  struct held *held = calloc((size_t)m->bodies + 1, sizeof *held);
  f->axes = aligned_zalloc((size_t)(AXES_NUMBERS * f->tree->slots) * sizeof *f->axes);
  const bool good = held && f->axes;
  if (good) find_held(m, f, held);
  for (int b = 0; good && b < m->bodies; b++) {
    double o[AXES_NUMBERS] = {0};
    choose_axis(&m->body[b], &held[b], o);
    o[AXES_LOOSE] = held[b].links ? 0.0 : 1.0;
    stored_put(f->axes, &f->tree->body[b], AXES_NUMBERS, o);
  }
  free(held);
  return good;
}
