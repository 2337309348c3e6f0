/* SPDX-License-Identifier: MIT
 * The divide-and-conquer recursion of paper 2 as printed, (9) to (46): compounds with two handles, for a chain
 * of links that the ground holds at one end or at both. A handle is the point of a joint; twists and wrenches are
 * about it, in world axes.
 *
 *   leaf    X_1 = xi11 T_1 + xi12 T_2 + xi10,   xi11 = M_1^-1, xi12 = M_1^-1 S12, xi22 = S12' M_1^-1 S12   (12)-(16)
 *   merge   T_1B = -T_2A = D sigma,   G sigma = a - D'(xi12B T_2B + xi10B - xi21A T_1A - xi20A)            (26)
 *           G = D'(xi11B + xi22A) D;  the paper's W is -D G^-1 D'
 *
 * This is an oracle of the formulas; condensed.c is the engine. */
#include "links/links.h"
#include "math/dense.h"
#include "math/vec3.h"

#include <stdlib.h>
#include <string.h>

enum { BLOCK = SPATIAL * SPATIAL };
static const double end_cut = 1e-10; /* redundant rows of a chain that is held at both ends */

struct chain_compound {
  int first, count, a, b; /* links; compounds it is made of, -1: one link */
  /* of a configuration */
  double xi11[BLOCK], xi12[BLOCK], xi22[BLOCK];
  double D[JOINT_HELD * SPATIAL],
      G[JOINT_HELD * JOINT_HELD]; /* (5, 6) of the joint between a and b; factors */
  /* of a right-hand side */
  double xi10[SPATIAL], xi20[SPATIAL], step[JOINT_HELD],
      T[2][SPATIAL]; /* T on the first and on the last link */
};

struct assembly {
  const struct joint_tree *tree;
  const struct joint_pose *pose;
  int count;
  struct chain_compound *compound; /* (2 links) leaves come before what they are put into */
  int ends;                        /* rows of the ground: 5 of joint 1, then those of the cut joint */
  double end[PSEUDO_ROWS * SPATIAL], K[PSEUDO_ROWS * PSEUDO_ROWS], work[PSEUDO_ROWS * PSEUDO_ROWS];
};

const char *assembly_unsuitable(const struct problem *p)
{
  const struct joint_tree *tree = p->own;
  bool chain = tree->cuts <= 1 && tree->ties == 0;
  for (int k = 0; k < tree->links; k++) chain = chain && tree->link[k].parent == k - 1;
  for (int c = 0; chain && c < tree->cuts; c++) {
    const int *link = tree->cut[c].link;
    chain = (link[0] < 0 && link[1] == tree->links - 1) || (link[1] < 0 && link[0] == tree->links - 1);
  }
  return chain
             ? NULL
             : "handles need one chain of links, free at its end or held there by a cut joint to the ground";
}

/* A binary tree over links first .. first + count - 1; the index of its compound. */
static int assemble_links(struct assembly *o, int first, int count)
{
  struct chain_compound c = {.first = first, .count = count, .a = -1, .b = -1};
  if (count > 1) {
    c.a = assemble_links(o, first, count / 2);
    c.b = assemble_links(o, first + count / 2, count - count / 2);
  }
  o->compound[o->count] = c;
  return o->count++;
}

static void release_assembly(void *own)
{
  struct assembly *o = own;
  free(o->compound);
  free(o);
}

static void *make_assembly(const struct problem *p)
{
  struct assembly *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->tree = p->own;
  o->compound = calloc(2 * (size_t)o->tree->links, sizeof *o->compound);
  if (!o->compound) {
    release_assembly(o);
    return NULL;
  }
  assemble_links(o, 0, o->tree->links);
  return o;
}

/* o (r, c) += k A B with A (r, inner), or its transpose (inner, r) */
static void add_chain_product(double *o, double k, const double *A, bool transposed, const double *B, int r,
                              int inner, int c)
{
  for (int i = 0; i < r; i++)
    for (int l = 0; l < inner; l++) {
      const double factor = k * (transposed ? A[l * r + i] : A[i * inner + l]);
      for (int j = 0; j < c; j++) o[i * c + j] += factor * B[l * c + j];
    }
}

/* ---- points of handles, and shifts from the origin to them ---- */

/* Handle 2 of the last link: where the cut joint holds it, or its centre of mass. */
static const double *second_handle(const struct assembly *o, int link, double place[3])
{
  if (link + 1 < o->tree->links) return o->pose->link[link + 1].point;
  v3_copy(place, o->pose->link[link].r);
  if (o->tree->cuts > 0) {
    const int side = o->tree->cut[0].link[0] < 0 ? 1 : 0;
    double arm[3];
    m3_mul(arm, o->pose->link[link].R, o->tree->cut[0].point[side]);
    v3_axpy(place, 1, arm);
  }
  return place;
}

/* A wrench about the origin, about a point. */
static void wrench_at_point(double o[SPATIAL], const double point[3], const double P[SPATIAL])
{
  double moment[3];
  v3_cross(moment, point, P);
  v3_copy(o, P);
  v3_sub(o + 3, P + 3, moment);
}

/* A twist about a point, about the origin. */
static void twist_at_origin(double o[SPATIAL], const double point[3], const double X[SPATIAL])
{
  double part[3];
  v3_cross(part, point, X + 3);
  for (int i = 0; i < 3; i++) o[i] = X[i] + part[i];
  v3_copy(o + 3, X + 3);
}

/* S(l) = [I 0; l~ I] (14) */
static void shift_matrix(double S[BLOCK], const double l[3])
{
  memset(S, 0, BLOCK * sizeof *S);
  for (int i = 0; i < SPATIAL; i++) S[SPATIAL * i + i] = 1;
  S[SPATIAL * 3 + 1] = -l[2];
  S[SPATIAL * 3 + 2] = l[1];
  S[SPATIAL * 4 + 0] = l[2];
  S[SPATIAL * 4 + 2] = -l[0];
  S[SPATIAL * 5 + 0] = -l[1];
  S[SPATIAL * 5 + 1] = l[0];
}

/* ---- matrices of a configuration ---- */

/* M_1 of (9), inverted: its columns are motions that unit wrenches at handle 1 give. */
static bool factor_leaf(const struct assembly *o, struct chain_compound *c)
{
  const struct link_pose *x = &o->pose->link[c->first];
  const struct joint_link *link = &o->tree->link[c->first];
  double l[3], J[9], M[BLOCK] = {0}, S[BLOCK], place[3], part[BLOCK] = {0}, turned[9] = {0};
  v3_sub(l, x->r, x->point);
  /* J_O = R J R' - m l~ l~ */
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int k = 0; k < 3; k++) turned[3 * i + j] += x->R[3 * i + k] * link->inertia[3 * k + j];
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      J[3 * i + j] = link->mass * ((i == j ? v3_dot(l, l) : 0) - l[i] * l[j]);
      for (int k = 0; k < 3; k++) J[3 * i + j] += turned[3 * i + k] * x->R[3 * j + k];
    }
  const double across[9] = {0, -l[2], l[1], l[2], 0, -l[0], -l[1], l[0], 0};
  for (int i = 0; i < 3; i++) {
    M[SPATIAL * i + i] = link->mass;
    for (int j = 0; j < 3; j++) {
      M[SPATIAL * i + 3 + j] = -link->mass * across[3 * i + j];
      M[SPATIAL * (3 + i) + j] = link->mass * across[3 * i + j];
      M[SPATIAL * (3 + i) + 3 + j] = J[3 * i + j];
    }
  }
  if (!chol_factor(M, SPATIAL, SPATIAL)) return false;
  memset(c->xi11, 0, sizeof c->xi11);
  for (int i = 0; i < SPATIAL; i++) {
    c->xi11[SPATIAL * i + i] = 1; /* symmetric: a row is a column */
    chol_solve(M, SPATIAL, SPATIAL, c->xi11 + SPATIAL * i);
  }
  v3_sub(l, second_handle(o, c->first, place), x->point);
  shift_matrix(S, l);
  add_chain_product(part, 1, c->xi11, false, S, SPATIAL, SPATIAL, SPATIAL);
  memcpy(c->xi12, part, sizeof c->xi12);
  memset(c->xi22, 0, sizeof c->xi22);
  add_chain_product(c->xi22, 1, S, true, part, SPATIAL, SPATIAL, SPATIAL);
  return true;
}

/* o += k (D side)' G^-1 (D other) of (34) (35): side and other are (6, 6) */
static void add_joint_part(const struct chain_compound *c, double k, const double *side, const double *other,
                           double *o)
{
  double row[2][JOINT_HELD * SPATIAL] = {{0}};
  add_chain_product(row[0], 1, c->D, false, side, JOINT_HELD, SPATIAL, SPATIAL);
  add_chain_product(row[1], 1, c->D, false, other, JOINT_HELD, SPATIAL, SPATIAL);
  for (int j = 0; j < SPATIAL; j++) {
    double column[JOINT_HELD];
    for (int i = 0; i < JOINT_HELD; i++) column[i] = row[1][SPATIAL * i + j];
    chol_solve(c->G, JOINT_HELD, JOINT_HELD, column);
    for (int i = 0; i < JOINT_HELD; i++) row[1][SPATIAL * i + j] = column[i];
  }
  add_chain_product(o, k, row[0], true, row[1], SPATIAL, JOINT_HELD, SPATIAL);
}

static bool factor_chain_merge(const struct assembly *o, struct chain_compound *c)
{
  const struct chain_compound *A = &o->compound[c->a], *B = &o->compound[c->b];
  double D[JOINT_HELD][SPATIAL], sum[BLOCK], part[JOINT_HELD * SPATIAL] = {0}, xi21[BLOCK];
  link_held(o->pose, B->first, D);
  for (int i = 0; i < JOINT_HELD; i++)
    wrench_at_point(c->D + SPATIAL * i, o->pose->link[B->first].point, D[i]);
  for (int i = 0; i < BLOCK; i++) sum[i] = B->xi11[i] + A->xi22[i];
  add_chain_product(part, 1, c->D, false, sum, JOINT_HELD, SPATIAL, SPATIAL);
  memset(c->G, 0, sizeof c->G);
  for (int i = 0; i < JOINT_HELD; i++)
    for (int j = 0; j < JOINT_HELD; j++)
      for (int k = 0; k < SPATIAL; k++)
        c->G[JOINT_HELD * i + j] += part[SPATIAL * i + k] * c->D[SPATIAL * j + k];
  if (!chol_factor(c->G, JOINT_HELD, JOINT_HELD)) return false;
  for (int i = 0; i < SPATIAL; i++)
    for (int j = 0; j < SPATIAL; j++) xi21[SPATIAL * i + j] = A->xi12[SPATIAL * j + i];
  /* (34) (35) */
  memcpy(c->xi11, A->xi11, sizeof c->xi11);
  memcpy(c->xi22, B->xi22, sizeof c->xi22);
  memset(c->xi12, 0, sizeof c->xi12);
  add_joint_part(c, -1, xi21, xi21, c->xi11);
  add_joint_part(c, 1, xi21, B->xi12, c->xi12);
  add_joint_part(c, -1, B->xi12, B->xi12, c->xi22);
  return true;
}

/* K of (45) over the rows by which the ground holds the ends, and its pseudo-inverse. */
static void factor_ends(struct assembly *o)
{
  const struct chain_compound *root = &o->compound[o->count - 1];
  const int last = o->tree->links - 1;
  double D[JOINT_HELD][SPATIAL], place[3];
  link_held(o->pose, 0, D);
  for (int i = 0; i < JOINT_HELD; i++) wrench_at_point(o->end + SPATIAL * i, o->pose->link[0].point, D[i]);
  o->ends = JOINT_HELD;
  for (int row = 0; row < o->tree->rows; row++)
    wrench_at_point(o->end + SPATIAL * o->ends++, second_handle(o, last, place),
                    o->pose->row[row].D[o->tree->cut[0].link[0] < 0]);
  for (int i = 0; i < o->ends; i++)
    for (int j = 0; j < o->ends; j++) {
      /* xi between the handles of both rows: 11, 12, 21 or 22 */
      const bool lower = i >= JOINT_HELD && j < JOINT_HELD;
      const double *xi = i < JOINT_HELD && j < JOINT_HELD     ? root->xi11
                         : i >= JOINT_HELD && j >= JOINT_HELD ? root->xi22
                                                              : root->xi12;
      double sum = 0;
      for (int k = 0; k < SPATIAL; k++)
        for (int l = 0; l < SPATIAL; l++)
          sum += o->end[SPATIAL * i + k] * (lower ? xi[SPATIAL * l + k] : xi[SPATIAL * k + l]) *
                 o->end[SPATIAL * j + l];
      o->work[o->ends * i + j] = sum;
    }
  pseudo_inverse(o->K, o->work, o->ends, end_cut);
}

static bool factor_assembly(void *own, const struct joint_pose *pose)
{
  struct assembly *o = own;
  o->pose = pose;
  for (int i = 0; i < o->count; i++) {
    struct chain_compound *c = &o->compound[i];
    if (!(c->count == 1 ? factor_leaf(o, c) : factor_chain_merge(o, c))) return false;
  }
  factor_ends(o);
  return true;
}

/* ---- right-hand sides up, motions down ---- */

/* sigma of the joint of a compound for given T at its ends: G^-1 (step - D'(xi12B T_2B + xi10B - xi21A T_1A - xi20A)) */
static void joint_sigma(const struct assembly *o, const struct chain_compound *c, bool ends,
                        double sigma[JOINT_HELD])
{
  const struct chain_compound *A = &o->compound[c->a], *B = &o->compound[c->b];
  double gap[SPATIAL];
  for (int i = 0; i < SPATIAL; i++) gap[i] = A->xi20[i] - B->xi10[i];
  if (ends) {
    add_chain_product(gap, 1, A->xi12, true, c->T[0], SPATIAL, SPATIAL, 1);
    add_chain_product(gap, -1, B->xi12, false, c->T[1], SPATIAL, SPATIAL, 1);
  }
  memcpy(sigma, c->step, sizeof c->step);
  add_chain_product(sigma, 1, c->D, false, gap, JOINT_HELD, SPATIAL, 1);
  chol_solve(c->G, JOINT_HELD, JOINT_HELD, sigma);
}

static void leaf_goes_up(const struct assembly *o, struct chain_compound *c, const double *B)
{
  const double *first = o->pose->link[c->first].point;
  double load[SPATIAL], l[3], S[BLOCK], place[3];
  wrench_at_point(load, first, B + SPATIAL * c->first);
  memset(c->xi10, 0, sizeof c->xi10);
  memset(c->xi20, 0, sizeof c->xi20);
  add_chain_product(c->xi10, 1, c->xi11, false, load, SPATIAL, SPATIAL, 1);
  v3_sub(l, second_handle(o, c->first, place), first);
  shift_matrix(S, l);
  add_chain_product(c->xi20, 1, S, true, c->xi10, SPATIAL, SPATIAL, 1);
}

/* (36) */
static void merge_goes_up(const struct assembly *o, struct chain_compound *c, const double *a)
{
  const struct chain_compound *A = &o->compound[c->a], *B = &o->compound[c->b];
  double sigma[JOINT_HELD], T[SPATIAL] = {0};
  memcpy(c->step, a + JOINT_HELD * B->first, sizeof c->step);
  joint_sigma(o, c, false, sigma);
  add_chain_product(T, 1, c->D, true, sigma, SPATIAL, JOINT_HELD, 1);
  memcpy(c->xi10, A->xi10, sizeof c->xi10);
  memcpy(c->xi20, B->xi20, sizeof c->xi20);
  add_chain_product(c->xi10, -1, A->xi12, false, T, SPATIAL, SPATIAL, 1);
  add_chain_product(c->xi20, 1, B->xi12, true, T, SPATIAL, SPATIAL, 1);
}

/* (43), (45): T of the root from what the ground holds; sigma of the cut joint */
static void root_goes_down(const struct assembly *o, const double *a, double *sigma)
{
  struct chain_compound *root = &o->compound[o->count - 1];
  const double sign = o->tree->cuts > 0 && o->tree->cut[0].link[0] >= 0 ? -1 : 1; /* the chain is body a */
  double rest[PSEUDO_ROWS], z[PSEUDO_ROWS] = {0};
  for (int i = 0; i < o->ends; i++) {
    const bool held = i < JOINT_HELD;
    rest[i] = held ? a[i] : sign * a[JOINT_HELD * (o->tree->links - 1) + i];
    add_chain_product(rest + i, -1, o->end + SPATIAL * i, false, held ? root->xi10 : root->xi20, 1, SPATIAL,
                      1);
  }
  add_chain_product(z, 1, o->K, false, rest, o->ends, o->ends, 1);
  memset(root->T, 0, sizeof root->T);
  for (int i = 0; i < o->ends; i++)
    for (int k = 0; k < SPATIAL; k++) root->T[i < JOINT_HELD ? 0 : 1][k] += z[i] * o->end[SPATIAL * i + k];
  for (int row = 0; row < o->tree->rows; row++) sigma[row] = sign * z[JOINT_HELD + row];
}

/* (29) */
static void merge_goes_down(const struct assembly *o, const struct chain_compound *c)
{
  struct chain_compound *A = &o->compound[c->a], *B = &o->compound[c->b];
  double sigma[JOINT_HELD], T[SPATIAL] = {0};
  joint_sigma(o, c, true, sigma);
  add_chain_product(T, 1, c->D, true, sigma, SPATIAL, JOINT_HELD, 1);
  memcpy(A->T[0], c->T[0], sizeof T);
  memcpy(B->T[1], c->T[1], sizeof T);
  for (int i = 0; i < SPATIAL; i++) {
    A->T[1][i] = -T[i];
    B->T[0][i] = T[i];
  }
}

static void solve_assembly(void *own, const double *B, const double *a, double *X, double *sigma)
{
  const struct assembly *o = own;
  for (int i = 0; i < o->count; i++) {
    struct chain_compound *c = &o->compound[i];
    if (c->count == 1)
      leaf_goes_up(o, c, B);
    else
      merge_goes_up(o, c, a);
  }
  root_goes_down(o, a, sigma);
  for (int i = o->count - 1; i >= 0; i--) {
    const struct chain_compound *c = &o->compound[i];
    if (c->count > 1) {
      merge_goes_down(o, c);
      continue;
    }
    /* (15) */
    double at[SPATIAL];
    memcpy(at, c->xi10, sizeof at);
    add_chain_product(at, 1, c->xi11, false, c->T[0], SPATIAL, SPATIAL, 1);
    add_chain_product(at, 1, c->xi12, false, c->T[1], SPATIAL, SPATIAL, 1);
    twist_at_origin(X + SPATIAL * c->first, o->pose->link[c->first].point, at);
  }
}

const struct link_solver links_assembly = {make_assembly, release_assembly, factor_assembly, solve_assembly};
