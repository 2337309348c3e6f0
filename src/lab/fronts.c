/* SPDX-License-Identifier: MIT
 * The elimination of fronts.h. What is behind a joint, a compound of the bodies on its sides, is known by a matrix on
 * the rows of the joints at its border, as in (20) of paper 5, but as a sum of positive parts. */
#include "lab/fronts.h"

#include "coordinates/absolute.h"
#include "lab/linear.h"

#include <stdlib.h>
#include <string.h>

struct front {            /* the elimination of one joint */
  int joint, pivot, size; /* rows eliminated, and with the border */
  int *row;               /* (size) rows of the problem: the joint's, then those of the border */
  double *F;              /* (size, size): factors of the pivot, and the border's rows */
  bool *body;             /* (bodies) that it brings in */
  int parent;             /* the front that takes what it leaves; -1: none */
};

struct fronts {
  const struct problem *p;
  const struct absolute *absolute;
  int width, count;
  struct front *front; /* (joints), in the order of elimination */
};

/* ---- set-up: the order, and what each front is made of ---- */

static bool joint_touches(const struct absolute_joint *j, int body)
{
  return j->body[0] == body || j->body[1] == body;
}

struct order_state {
  bool *left; /* (joints) not yet eliminated */
  int *owner; /* (bodies) front that holds the compound of this body; -1: a body by itself */
};

/* Marks the joints that share a compound or a body with joint j; how many rows they have. */
static int mark_border(const struct fronts *o, const struct order_state *k, int j, bool *border, bool *inside)
{
  const struct absolute *a = o->absolute;
  int rows = 0;
  for (int b = 0; b < o->p->bodies; b++) inside[b] = joint_touches(&a->joint[j], b);
  for (int b = 0; b < o->p->bodies; b++)
    for (int side = 0; side < 2; side++) {
      const int end = a->joint[j].body[side];
      if (end != ALI3_GROUND && k->owner[end] >= 0 && k->owner[b] == k->owner[end]) inside[b] = true;
    }
  for (int i = 0; i < a->joints; i++) {
    border[i] = false;
    for (int side = 0; side < 2; side++)
      if (i != j && k->left[i] && a->joint[i].body[side] != ALI3_GROUND && inside[a->joint[i].body[side]])
        border[i] = true;
    if (border[i]) rows += a->joint[i].count;
  }
  return rows;
}

/* The joint whose elimination leaves the smallest border. */
static int cheapest_joint(const struct fronts *o, const struct order_state *k, bool *border, bool *inside)
{
  int best = -1, least = 0;
  for (int j = 0; j < o->absolute->joints; j++) {
    if (!k->left[j]) continue;
    const int rows = mark_border(o, k, j, border, inside);
    if (best < 0 || rows < least) {
      best = j;
      least = rows;
    }
  }
  return best;
}

static bool make_front(struct fronts *o, struct order_state *k, int j, const bool *border, const bool *inside)
{
  const struct absolute *a = o->absolute;
  struct front *f = &o->front[o->count];
  *f = (struct front){.joint = j, .pivot = a->joint[j].count, .parent = -1};
  f->row = calloc((size_t)a->rows + 1, sizeof *f->row);
  f->body = calloc((size_t)o->p->bodies, sizeof *f->body);
  if (!f->row || !f->body) return false;
  /* Rows of the front: those of the joint, then those of its border. */
  for (int i = 0; i < f->pivot; i++) f->row[f->size++] = a->joint[j].first + i;
  for (int c = 0; c < a->joints; c++)
    for (int i = 0; border[c] && i < a->joint[c].count; i++) f->row[f->size++] = a->joint[c].first + i;
  f->F = calloc((size_t)(f->size * f->size), sizeof *f->F);
  /* Bodies inside: from the model if no front owns them yet, else through the front that does. */
  for (int b = 0; b < o->p->bodies; b++) {
    if (!inside[b]) continue;
    f->body[b] = k->owner[b] < 0;
    if (k->owner[b] >= 0) o->front[k->owner[b]].parent = o->count;
    k->owner[b] = o->count;
  }
  k->left[j] = false;
  o->count++;
  return f->F;
}

static bool make_fronts(struct fronts *o)
{
  const int joints = o->absolute->joints, bodies = o->p->bodies;
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

struct fronts *fronts_new(const struct problem *p, int width)
{
  struct fronts *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  *o = (struct fronts){.p = p, .absolute = p->own, .width = width};
  o->front = calloc((size_t)o->absolute->joints + 1, sizeof *o->front);
  if (o->front && make_fronts(o)) return o;
  fronts_free(o);
  return NULL;
}

void fronts_free(struct fronts *o)
{
  if (!o) return;
  for (int i = 0; o->front && i < o->absolute->joints; i++) {
    free(o->front[i].row);
    free(o->front[i].body);
    free(o->front[i].F);
  }
  free(o->front);
  free(o);
}

/* ---- factors ---- */

/* F += J_b W_b J_b' over the rows of the front. */
static void add_body_rows(const struct fronts *o, struct front *f, int b, const double *J,
                          const struct mobility *mobility)
{
  const int width = o->width, n = width * o->p->bodies;
  for (int i = 0; i < f->size; i++) {
    double turned[FRONTS_WIDTH];
    memcpy(turned, J + f->row[i] * n + width * b, sizeof *turned * (size_t)width);
    mobility->apply(mobility->user, b, turned);
    for (int j = 0; j < f->size; j++) {
      const double *row = J + f->row[j] * n + width * b;
      for (int k = 0; k < width; k++) f->F[f->size * i + j] += turned[k] * row[k];
    }
  }
}

static int place_in_front(const struct front *f, int row)
{
  int at = 0;
  while (f->row[at] != row) at++;
  return at;
}

/* What a front leaves on its border goes into its parent. */
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
static bool eliminate_joint(struct front *f, double c)
{
  const int n = f->size, p = f->pivot;
  for (int i = 0; i < p; i++) f->F[n * i + i] += c;
  if (!chol_factor(f->F, p, n)) return false;
  for (int i = p; i < n; i++) solve_lower(f, f->F + n * i);
  for (int i = p; i < n; i++)
    for (int j = p; j < n; j++)
      for (int k = 0; k < p; k++) f->F[n * i + j] -= f->F[n * i + k] * f->F[n * j + k];
  return true;
}

bool fronts_factor(struct fronts *o, const double *J, double c, const struct mobility *mobility)
{
  for (int i = 0; i < o->count; i++)
    memset(o->front[i].F, 0, sizeof(double) * (size_t)(o->front[i].size * o->front[i].size));
  for (int i = 0; i < o->count; i++) {
    struct front *f = &o->front[i];
    for (int b = 0; b < o->p->bodies; b++)
      if (f->body[b]) add_body_rows(o, f, b, J, mobility);
    if (!eliminate_joint(f, c)) return false;
    if (f->parent >= 0) pass_to_parent(f, &o->front[f->parent]);
  }
  return true;
}

/* ---- solve ---- */

static void sweep_up(const struct front *f, double *r)
{
  double y[ABSOLUTE_JOINT];
  for (int i = 0; i < f->pivot; i++) y[i] = r[f->row[i]];
  solve_lower(f, y);
  for (int j = f->pivot; j < f->size; j++)
    for (int i = 0; i < f->pivot; i++) r[f->row[j]] -= f->F[f->size * j + i] * y[i];
  for (int i = 0; i < f->pivot; i++) r[f->row[i]] = y[i];
}

static void sweep_down(const struct front *f, double *r)
{
  double z[ABSOLUTE_JOINT];
  for (int i = 0; i < f->pivot; i++) z[i] = r[f->row[i]];
  for (int j = f->pivot; j < f->size; j++)
    for (int i = 0; i < f->pivot; i++) z[i] -= f->F[f->size * j + i] * r[f->row[j]];
  solve_upper(f, z);
  for (int i = 0; i < f->pivot; i++) r[f->row[i]] = z[i];
}

void fronts_solve(const struct fronts *o, double *x)
{
  for (int i = 0; i < o->count; i++) sweep_up(&o->front[i], x);
  for (int i = o->count - 1; i >= 0; i--) sweep_down(&o->front[i], x);
}
