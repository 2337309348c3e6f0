/* SPDX-License-Identifier: MIT */
#include "links/elimination.h"

#include "math/dense.h"

#include <stdlib.h>
#include <string.h>

enum { GROUND = -1 };

/* ---- set-up: the order, and what each front is made of ---- */

static bool joint_touches(const struct front_joint *j, int body)
{
  bool touches = false;
  for (int side = 0; side < FRONT_BODIES; side++) touches |= j->body[side] == body;
  return touches;
}

struct order_state {
  bool *left; /* (joints) not yet eliminated */
  int *owner; /* (bodies) front that holds the compound of this body; -1: a body by itself */
};

/* Marks the joints that share a compound or a body with joint j; how many rows they have. */
static int mark_border(const struct elimination *o, const struct order_state *k, int j, bool *border,
                       bool *inside)
{
  int rows = 0;
  for (int b = 0; b < o->bodies; b++) inside[b] = joint_touches(&o->joint[j], b);
  for (int b = 0; b < o->bodies; b++)
    for (int side = 0; side < FRONT_BODIES; side++) {
      const int end = o->joint[j].body[side];
      if (end != GROUND && k->owner[end] >= 0 && k->owner[b] == k->owner[end]) inside[b] = true;
    }
  for (int i = 0; i < o->joints; i++) {
    border[i] = false;
    for (int side = 0; side < FRONT_BODIES; side++)
      if (i != j && k->left[i] && o->joint[i].body[side] != GROUND && inside[o->joint[i].body[side]])
        border[i] = true;
    if (border[i]) rows += o->joint[i].count;
  }
  return rows;
}

/* The joint whose elimination leaves the smallest border. */
static int cheapest_joint(const struct elimination *o, const struct order_state *k, bool *border,
                          bool *inside)
{
  int best = -1, least = 0;
  for (int j = 0; j < o->joints; j++) {
    if (!k->left[j]) continue;
    const int rows = mark_border(o, k, j, border, inside);
    if (best < 0 || rows < least) {
      best = j;
      least = rows;
    }
  }
  return best;
}

static bool make_front(struct elimination *o, struct order_state *k, int j, const bool *border,
                       const bool *inside)
{
  struct front *f = &o->front[o->count];
  *f = (struct front){.pivot = o->joint[j].count, .parent = -1};
  int rows = f->pivot;
  for (int c = 0; c < o->joints; c++) rows += border[c] ? o->joint[c].count : 0;
  f->row = calloc((size_t)rows + 1, sizeof *f->row);
  f->body = calloc((size_t)o->bodies, sizeof *f->body);
  if (!f->row || !f->body) return false;
  /* Rows of the front: those of the joint, then those of its border. */
  for (int i = 0; i < f->pivot; i++) f->row[f->size++] = o->joint[j].first + i;
  for (int c = 0; c < o->joints; c++)
    for (int i = 0; border[c] && i < o->joint[c].count; i++) f->row[f->size++] = o->joint[c].first + i;
  f->F = calloc((size_t)(f->size * f->size), sizeof *f->F);
  /* Bodies inside: from the model if no front owns them yet, else through the front that does. */
  for (int b = 0; b < o->bodies; b++) {
    if (!inside[b]) continue;
    f->body[b] = k->owner[b] < 0;
    if (k->owner[b] >= 0) o->front[k->owner[b]].parent = o->count;
    k->owner[b] = o->count;
  }
  k->left[j] = false;
  o->count++;
  return f->F != NULL;
}

static bool order_fronts(struct elimination *o)
{
  const int joints = o->joints, bodies = o->bodies;
  struct order_state k = {.left = calloc((size_t)joints + 1, sizeof *k.left),
                          .owner = calloc((size_t)bodies, sizeof *k.owner)};
  bool *border = calloc((size_t)joints + 1, sizeof *border), *inside = calloc((size_t)bodies, sizeof *inside);
  bool good = k.left && k.owner && border && inside;
  /* No joint eliminated, no body owned. */
  for (int j = 0; good && j < joints; j++) k.left[j] = true;
  for (int b = 0; good && b < bodies; b++) k.owner[b] = -1;
  /* Eliminate the cheapest joint next. */
  for (int i = 0; good && i < joints; i++) {
    const int j = cheapest_joint(o, &k, border, inside);
    mark_border(o, &k, j, border, inside);
    good = make_front(o, &k, j, border, inside);
  }
  free(k.left);
  free(k.owner);
  free(border);
  free(inside);
  return good;
}

bool elimination_make(struct elimination *o, const struct front_joint *joint, int joints, int bodies)
{
  *o = (struct elimination){.joints = joints, .bodies = bodies};
  o->joint = calloc((size_t)joints + 1, sizeof *o->joint);
  o->front = calloc((size_t)joints + 1, sizeof *o->front);
  if (o->joint && joints > 0) memcpy(o->joint, joint, sizeof *joint * (size_t)joints);
  if (o->joint && o->front && order_fronts(o)) return true;
  elimination_free(o);
  return false;
}

void elimination_free(struct elimination *o)
{
  for (int i = 0; o->front && i < o->joints; i++) {
    free(o->front[i].row);
    free(o->front[i].body);
    free(o->front[i].F);
  }
  free(o->front);
  free(o->joint);
  *o = (struct elimination){0};
}

/* ---- factors ---- */

static int place_in_front(const struct front *f, int row)
{
  int at = 0;
  while (f->row[at] != row) at++;
  return at;
}

/* The update on the border goes into the parent. */
static void pass_to_parent(const struct front *f, struct front *parent)
{
  for (int i = f->pivot; i < f->size; i++) {
    const int to = place_in_front(parent, f->row[i]);
    for (int j = f->pivot; j < f->size; j++)
      parent->F[parent->size * to + place_in_front(parent, f->row[j])] += f->F[f->size * i + j];
  }
}

/* x := L^-1 x of the pivot's factors, whose diagonal chol_factor() leaves as reciprocals. */
static void solve_lower(const struct front *f, double *x)
{
  for (int i = 0; i < f->pivot; i++) {
    for (int j = 0; j < i; j++) x[i] -= f->F[f->size * i + j] * x[j];
    x[i] *= f->F[f->size * i + i];
  }
}

/* x := L^-1' x */
static void solve_upper(const struct front *f, double *x)
{
  for (int i = f->pivot - 1; i >= 0; i--) {
    for (int j = i + 1; j < f->pivot; j++) x[i] -= f->F[f->size * j + i] * x[j];
    x[i] *= f->F[f->size * i + i];
  }
}

/* Leaves factors L of the pivot, W' = (L^-1 border)', and border - W'W for the parent. */
static bool eliminate_joint(struct front *f, const double *compliance)
{
  const int n = f->size, p = f->pivot;
  for (int i = 0; i < p; i++) f->F[n * i + i] += compliance[f->row[i]];
  if (!chol_factor(f->F, p, n)) return false;
  for (int i = p; i < n; i++) solve_lower(f, f->F + n * i);
  for (int i = p; i < n; i++)
    for (int j = p; j < n; j++)
      for (int k = 0; k < p; k++) f->F[n * i + j] -= f->F[n * i + k] * f->F[n * j + k];
  return true;
}

bool elimination_factor(struct elimination *o, void (*add)(const void *user, struct front *f, int body),
                        const void *user, const double *compliance)
{
  for (int i = 0; i < o->count; i++)
    memset(o->front[i].F, 0, sizeof(double) * (size_t)(o->front[i].size * o->front[i].size));
  for (int i = 0; i < o->count; i++) {
    struct front *f = &o->front[i];
    for (int b = 0; b < o->bodies; b++)
      if (f->body[b]) add(user, f, b);
    if (!eliminate_joint(f, compliance)) return false;
    if (f->parent >= 0) pass_to_parent(f, &o->front[f->parent]);
  }
  return true;
}

/* ---- solve ---- */

static void sweep_up(const struct front *f, double *r)
{
  double y[FRONT_ROWS];
  for (int i = 0; i < f->pivot; i++) y[i] = r[f->row[i]];
  solve_lower(f, y);
  for (int j = f->pivot; j < f->size; j++)
    for (int i = 0; i < f->pivot; i++) r[f->row[j]] -= f->F[f->size * j + i] * y[i];
  for (int i = 0; i < f->pivot; i++) r[f->row[i]] = y[i];
}

static void sweep_down(const struct front *f, double *r)
{
  double z[FRONT_ROWS];
  for (int i = 0; i < f->pivot; i++) z[i] = r[f->row[i]];
  for (int j = f->pivot; j < f->size; j++)
    for (int i = 0; i < f->pivot; i++) z[i] -= f->F[f->size * j + i] * r[f->row[j]];
  solve_upper(f, z);
  for (int i = 0; i < f->pivot; i++) r[f->row[i]] = z[i];
}

void elimination_solve(const struct elimination *o, double *r)
{
  for (int i = 0; i < o->count; i++) sweep_up(&o->front[i], r);
  for (int i = o->count - 1; i >= 0; i--) sweep_down(&o->front[i], r);
}
