/* SPDX-License-Identifier: MIT */
#include "links/elimination.h"

#include "math/dense.h"

#include <stdlib.h>
#include <string.h>

enum { GROUND = -1, NONE = -1 };

/* ---- set-up: the order, and what each front is made of ---- */

/* Bodies that eliminated joints have joined, with the joints that are left at their boundary. */
struct compound_boundary {
  int *joint; /* (count), ascending */
  int count;
  int front, level; /* the front that made it, NONE: one body; and its level */
  int into;         /* the compound that took it in; NONE: none */
};

struct order_state {
  struct elimination *o;
  struct compound_boundary *compound; /* (bodies + joints) bodies, then one for each front */
  int compounds;
  bool *left; /* (joints) not yet eliminated */
  int *busy;  /* (bodies + joints) level in which a compound was last taken */
  int *mark;  /* (joints) stamp of the boundary that holds a joint */
  int stamp;
  int *boundary; /* (joints) to work in */
  int *rows;     /* (joints) rows of the boundary of each joint, as of this level */
};

static int compound_of_body(const struct order_state *k, int body)
{
  int at = body;
  while (k->compound[at].into != NONE) at = k->compound[at].into;
  /* The way is shorter next time. */
  while (k->compound[body].into != NONE) {
    const int next = k->compound[body].into;
    if (next != at) k->compound[body].into = at;
    body = next;
  }
  return at;
}

/* The compounds of a joint, each once. */
static int compounds_of_joint(const struct order_state *k, int j, int found[FRONT_BODIES])
{
  int count = 0;
  for (int side = 0; side < FRONT_BODIES; side++) {
    const int body = k->o->joint[j].body[side];
    const int c = body == GROUND ? NONE : compound_of_body(k, body);
    bool known = c == NONE;
    for (int i = 0; i < count; i++) known = known || found[i] == c;
    if (!known) found[count++] = c;
  }
  return count;
}

static int compare_joints(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

/* The joints left that share a compound with joint j, ascending, in k->boundary; *rows: of them all. */
static int collect_boundary(struct order_state *k, int j, int *rows)
{
  int found[FRONT_BODIES], count = 0;
  const int compounds = compounds_of_joint(k, j, found);
  k->stamp++;
  *rows = 0;
  for (int i = 0; i < compounds; i++)
    for (int n = 0; n < k->compound[found[i]].count; n++) {
      const int other = k->compound[found[i]].joint[n];
      if (other == j || !k->left[other] || k->mark[other] == k->stamp) continue;
      k->mark[other] = k->stamp;
      k->boundary[count++] = other;
      *rows += k->o->joint[other].count;
    }
  qsort(k->boundary, (size_t)count, sizeof *k->boundary, compare_joints);
  return count;
}

/* The front of joint j, and the compound that it makes. False: out of memory. */
static bool make_front(struct order_state *k, int j)
{
  struct elimination *o = k->o;
  struct front *f = &o->front[o->count];
  struct compound_boundary *made = &k->compound[k->compounds];
  int found[FRONT_BODIES], rows;
  const int compounds = compounds_of_joint(k, j, found), boundary = collect_boundary(k, j, &rows);
  *f = (struct front){.pivot = o->joint[j].count, .parent = NONE};
  f->row = calloc((size_t)(f->pivot + rows) + 1, sizeof *f->row);
  f->F = calloc((size_t)((f->pivot + rows) * (f->pivot + rows)) + 1, sizeof *f->F);
  f->place = calloc((size_t)rows + 1, sizeof *f->place);
  *made = (struct compound_boundary){.joint = calloc((size_t)boundary + 1, sizeof *made->joint),
                                     .count = boundary,
                                     .front = o->count,
                                     .into = NONE};
  if (!f->row || !f->F || !f->place || !made->joint) return false;
  /* The front has the rows of the joint first, then the rows of its boundary. */
  memcpy(made->joint, k->boundary, sizeof *made->joint * (size_t)boundary);
  for (int i = 0; i < f->pivot; i++) f->row[f->size++] = o->joint[j].first + i;
  for (int c = 0; c < boundary; c++)
    for (int i = 0; i < o->joint[k->boundary[c]].count; i++)
      f->row[f->size++] = o->joint[k->boundary[c]].first + i;
  /* Bodies come from the model, compounds from their fronts. */
  for (int i = 0; i < compounds; i++) {
    struct compound_boundary *c = &k->compound[found[i]];
    if (c->front == NONE)
      f->body[f->bodies++] = found[i];
    else
      o->front[c->front].parent = o->count;
    if (c->level > made->level) made->level = c->level;
    c->into = k->compounds;
  }
  made->level++;
  if (made->level > o->levels) o->levels = made->level;
  k->left[j] = false;
  k->compounds++;
  o->count++;
  return true;
}

static bool joint_is_free(const struct order_state *k, int j, int level)
{
  int found[FRONT_BODIES];
  const int compounds = compounds_of_joint(k, j, found);
  for (int i = 0; i < compounds; i++)
    if (k->busy[found[i]] == level) return false;
  return true;
}

/* One level: joints whose boundary has at most `limit` rows and whose compounds no other joint of this level has taken. */
static bool eliminate_level(struct order_state *k, int level, int limit)
{
  bool good = true;
  for (int j = 0; j < k->o->joints && good; j++) {
    int found[FRONT_BODIES];
    if (!k->left[j] || k->rows[j] > limit || !joint_is_free(k, j, level)) continue;
    /* The compounds are taken, and so is the one that they become. */
    const int compounds = compounds_of_joint(k, j, found), made = k->compounds;
    for (int i = 0; i < compounds; i++) k->busy[found[i]] = level;
    good = make_front(k, j);
    k->busy[made] = level;
  }
  return good;
}

/* Rows that all boundaries of this level may have: twice the least, so that the middle of a chain goes as well as its end. */
static int boundary_limit(struct order_state *k)
{
  int least = NONE;
  for (int j = 0; j < k->o->joints; j++) {
    if (!k->left[j]) continue;
    collect_boundary(k, j, &k->rows[j]);
    if (least == NONE || k->rows[j] < least) least = k->rows[j];
  }
  return least == 0 ? 0 : 2 * least;
}

static bool order_by_levels(struct order_state *k)
{
  bool good = true;
  for (int level = 1; good && k->o->count < k->o->joints; level++)
    good = eliminate_level(k, level, boundary_limit(k));
  return good;
}

/* The joints of each body by itself. */
static bool list_boundaries(struct order_state *k)
{
  const struct elimination *o = k->o;
  for (int j = 0; j < o->joints; j++)
    for (int side = 0; side < FRONT_BODIES; side++)
      if (o->joint[j].body[side] != GROUND) k->compound[o->joint[j].body[side]].count++;
  /* Room for them, then the joints themselves. */
  for (int b = 0; b < o->bodies; b++) {
    struct compound_boundary *c = &k->compound[b];
    c->joint = calloc((size_t)c->count + 1, sizeof *c->joint);
    if (!c->joint) return false;
    c->count = 0;
    c->front = c->into = NONE;
  }
  for (int j = 0; j < o->joints; j++)
    for (int side = 0; side < FRONT_BODIES; side++) {
      const int body = o->joint[j].body[side];
      if (body != GROUND) k->compound[body].joint[k->compound[body].count++] = j;
    }
  k->compounds = o->bodies;
  return true;
}

/* Where the parents have the boundaries' rows. Both ascend behind the parent's pivot. */
static void place_boundaries(struct elimination *o)
{
  for (int i = 0; i < o->count; i++) {
    struct front *f = &o->front[i];
    if (f->parent == NONE) continue;
    const struct front *parent = &o->front[f->parent];
    for (int r = f->pivot; r < f->size; r++) {
      int at = 0;
      while (parent->row[at] != f->row[r]) at++;
      f->place[r - f->pivot] = at;
    }
  }
}

static bool order_fronts(struct elimination *o)
{
  const size_t joints = (size_t)o->joints, compounds = joints + (size_t)o->bodies;
  struct order_state k = {.o = o,
                          .compound = calloc(compounds + 1, sizeof *k.compound),
                          .left = calloc(joints + 1, sizeof *k.left),
                          .busy = calloc(compounds + 1, sizeof *k.busy),
                          .mark = calloc(joints + 1, sizeof *k.mark),
                          .boundary = calloc(joints + 1, sizeof *k.boundary),
                          .rows = calloc(joints + 1, sizeof *k.rows)};
  bool good = k.compound && k.left && k.busy && k.mark && k.boundary && k.rows;
  /* All joints are left. */
  for (int j = 0; good && j < o->joints; j++) k.left[j] = true;
  good = good && list_boundaries(&k) && order_by_levels(&k);
  if (good) place_boundaries(o);
  for (size_t i = 0; k.compound && i < compounds; i++) free(k.compound[i].joint);
  free(k.compound);
  free(k.left);
  free(k.busy);
  free(k.mark);
  free(k.boundary);
  free(k.rows);
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
    free(o->front[i].place);
    free(o->front[i].F);
  }
  free(o->front);
  free(o->joint);
  *o = (struct elimination){0};
}

bool elimination_count(const struct elimination *o, struct elimination_cost *cost)
{
  double *path = calloc((size_t)o->count + 1, sizeof *path); /* each front with the fronts below it */
  *cost = (struct elimination_cost){0};
  for (int i = 0; path && i < o->count; i++) {
    const struct front *f = &o->front[i];
    const double p = f->pivot, b = f->size - f->pivot;
    const double factor = p * p * p / 3 + p * p * b + 2 * p * b * b + b * b, solve = 2 * p * p + 4 * p * b;
    cost->factor += factor;
    cost->solve += solve;
    path[i] += factor + solve;
    if (path[i] > cost->path) cost->path = path[i];
    if (f->parent != NONE && path[i] > path[f->parent]) path[f->parent] = path[i];
  }
  const bool good = path != NULL;
  free(path);
  return good;
}

/* ---- factors ---- */

/* The update on the boundary goes into the parent. */
static void pass_to_parent(const struct front *f, struct front *parent)
{
  for (int i = f->pivot; i < f->size; i++)
    for (int j = f->pivot; j < f->size; j++)
      parent->F[parent->size * f->place[i - f->pivot] + f->place[j - f->pivot]] += f->F[f->size * i + j];
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

/* Leaves factors L of the pivot, W' = (L^-1 boundary)', and boundary - W'W for the parent. */
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
    for (int b = 0; b < f->bodies; b++) add(user, f, f->body[b]);
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
