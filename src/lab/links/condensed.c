/* SPDX-License-Identifier: MIT
 * The system of links.h condensed to the multipliers of all joints, those of the tree and those that are cut:
 *
 *   S sigma = a - D'(X_b - X_a),    S = C + D' M^-1 D,    X = M^-1 B,    then X = M^-1 (B + D sigma)
 *
 * C is a small part of the diagonal of D' M^-1 D. It makes S regular where rows are redundant. Passes with what the
 * rows still lack take its effect out of X again. */
#include "links/elimination.h"
#include "links/links.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { PASSES = 20, SIDES = JOINT_CUT_SIDES };
/* Redundant multipliers carry rounding errors of 1e-16 over this part. They drop out of X but not out of p', where an
 * error control at 1e-9 sees them: with 1e-11 Bricard's mechanism takes sixty times the steps. */
static const double relative_compliance = 1e-6;

struct condensed {
  const struct joint_tree *tree;
  const struct joint_pose *pose;
  struct elimination joints;
  int rows;
  int (*link)[SIDES]; /* (rows) each link of a row once; -1: the ground, or none */
  /* (rows) wrenches of a unit of the multiplier on them, with their signs; M^-1 D of them */
  double (*D)[SIDES][SPATIAL], (*Y)[SIDES][SPATIAL];
  double *compliance, *r, *sigma, *load; /* (rows), (rows), (rows); (links, 6) B + D sigma */
};

static void release_condensed(void *own)
{
  struct condensed *o = own;
  elimination_free(&o->joints);
  free(o->link);
  free(o->D);
  free(o->Y);
  free(o->compliance);
  free(o);
}

/* A gear between neighbours has the link between them twice. */
static void keep_once(int link[SIDES])
{
  for (int i = 0; i < SIDES; i++)
    for (int j = 0; j < i; j++)
      if (link[i] == link[j]) link[i] = -1;
}

/* The joints of the tree, then the cut ones; rows in that order. */
static bool list_joints(struct condensed *o)
{
  const struct joint_tree *tree = o->tree;
  struct front_joint *list = calloc((size_t)(tree->links + tree->cuts), sizeof *list);
  int joints = 0;
  if (!list) return false;
  memset(o->link, 0xff, sizeof *o->link * (size_t)o->rows); /* -1: rows of links that float have no bodies */
  for (int k = 0; k < tree->links; k++)
    if (!link_floats(tree, k))
      list[joints++] = (struct front_joint){{tree->link[k].parent, k, -1, -1}, JOINT_HELD * k, JOINT_HELD};
  /* Cut joints, drives and gears. */
  for (int c = 0; c < tree->cuts; c++) {
    struct front_joint *front = &list[joints++];
    *front = (struct front_joint){.first = JOINT_HELD * tree->links + tree->cut[c].first,
                                  .count = tree->cut[c].count};
    for (int side = 0; side < SIDES; side++) front->body[side] = tree->cut[c].link[side];
    keep_once(front->body);
  }
  for (int j = 0; j < joints; j++)
    for (int i = 0; i < list[j].count; i++) memcpy(o->link[list[j].first + i], list[j].body, sizeof *o->link);
  const bool good = elimination_make(&o->joints, list, joints, tree->links);
  free(list);
  return good;
}

static void *make_condensed(const struct problem *p)
{
  struct condensed *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->tree = p->own;
  o->rows = JOINT_HELD * o->tree->links + o->tree->rows;
  const size_t rows = (size_t)o->rows;
  /* Memory, all or none. */
  o->link = calloc(rows, sizeof *o->link);
  o->D = calloc(rows, sizeof *o->D);
  o->Y = calloc(rows, sizeof *o->Y);
  o->compliance = calloc(3 * rows + SPATIAL * (size_t)o->tree->links, sizeof *o->compliance);
  if (o->link && o->D && o->Y && o->compliance && list_joints(o)) {
    o->r = o->compliance + rows;
    o->sigma = o->r + rows;
    o->load = o->sigma + rows;
    return o;
  }
  release_condensed(o);
  return NULL;
}

/* -1: the row has no such link. */
static int side_of_link(const struct condensed *o, int row, int link)
{
  for (int side = 0; side < SIDES; side++)
    if (o->link[row][side] == link) return side;
  return -1;
}

/* F += D_b' M_b^-1 D_b over the rows of the front. */
static void add_link_rows(const void *user, struct front *f, int b)
{
  const struct condensed *o = user;
  for (int i = 0; i < f->size; i++) {
    const int row = f->row[i], side = side_of_link(o, row, b);
    for (int j = 0; side >= 0 && j < f->size; j++) {
      const int other = f->row[j], end = side_of_link(o, other, b);
      if (end >= 0) f->F[f->size * i + j] += spatial_dot(o->Y[row][side], o->D[other][end]);
    }
  }
}

static void set_cut_wrenches(struct condensed *o, const struct joint_cut *cut, int held)
{
  for (int row = held + cut->first; row < held + cut->first + cut->count; row++) {
    memset(o->D[row], 0, sizeof o->D[row]);
    for (int side = 0; side < SIDES; side++) {
      if (cut->link[side] < 0) continue;
      double *D = o->D[row][side_of_link(o, row, cut->link[side])];
      const struct cut_pose *x = &o->pose->row[row - held];
      for (int i = 0; i < SPATIAL; i++) D[i] += joint_side_sign(side) * x->D[joint_side_wrench(x, side)][i];
    }
  }
}

static bool factor_condensed(void *own, const struct joint_pose *pose)
{
  struct condensed *o = own;
  const int held = JOINT_HELD * o->tree->links;
  o->pose = pose;
  /* Wrenches of all rows; the diagonal of D' M^-1 D. */
  for (int k = 0; k < o->tree->links; k++) {
    double D[JOINT_HELD][SPATIAL];
    link_held(pose, k, D);
    for (int i = 0; i < JOINT_HELD; i++)
      for (int side = 0; side < 2; side++)
        for (int l = 0; l < SPATIAL; l++) o->D[JOINT_HELD * k + i][side][l] = joint_side_sign(side) * D[i][l];
  }
  for (int c = 0; c < o->tree->cuts; c++) set_cut_wrenches(o, &o->tree->cut[c], held);
  for (int row = 0; row < o->rows; row++) {
    o->compliance[row] = 0;
    for (int side = 0; side < SIDES; side++) {
      if (o->link[row][side] < 0) continue;
      link_mobility(pose, o->link[row][side], o->D[row][side], o->Y[row][side]);
      o->compliance[row] += relative_compliance * spatial_dot(o->D[row][side], o->Y[row][side]);
    }
  }
  return elimination_factor(&o->joints, add_link_rows, o, o->compliance);
}

static void solve_condensed(void *own, const double *B, const double *a, double *X, double *sigma)
{
  const struct condensed *o = own;
  const int links = o->tree->links;
  double lacking = 0, before;
  memset(o->sigma, 0, sizeof *o->sigma * (size_t)o->rows);
  for (int pass = 0;; pass++) {
    /* X = M^-1 (B + D sigma) */
    memcpy(o->load, B, sizeof *o->load * (size_t)(SPATIAL * links));
    for (int row = 0; row < o->rows; row++)
      for (int side = 0; side < SIDES; side++)
        for (int i = 0; o->link[row][side] >= 0 && i < SPATIAL; i++)
          o->load[SPATIAL * o->link[row][side] + i] += o->sigma[row] * o->D[row][side][i];
    for (int k = 0; k < links; k++) link_mobility(o->pose, k, o->load + SPATIAL * k, X + SPATIAL * k);
    /* The residual of the rows. Passes end at rounding, where it no longer halves. */
    before = lacking;
    lacking = 0;
    for (int row = 0; row < o->rows; row++) {
      o->r[row] = a[row];
      for (int side = 0; side < SIDES; side++)
        if (o->link[row][side] >= 0)
          o->r[row] -= spatial_dot(o->D[row][side], X + SPATIAL * o->link[row][side]);
      lacking = fmax(lacking, fabs(o->r[row]));
    }
    if (lacking == 0 || pass == PASSES || (pass > 1 && lacking > 0.5 * before)) break;
    elimination_solve(&o->joints, o->r);
    for (int row = 0; row < o->rows; row++) o->sigma[row] += o->r[row];
  }
  memcpy(sigma, o->sigma + JOINT_HELD * links, sizeof *sigma * (size_t)o->tree->rows);
}

const struct link_solver links_condensed = {make_condensed, release_condensed, factor_condensed,
                                            solve_condensed};
