/* SPDX-License-Identifier: MIT
 * The divide-and-conquer recursion of paper 2, (9) to (46), with any number of handles. The paper prints it for compounds with
 * two handles, which are enough for a chain, and names the generalisation: a compound has a handle at each joint that leads out
 * of it, so that trees, loops and loops that share bodies are one case. A handle is the point of a joint on one of its bodies;
 * twists and wrenches are about it, in world axes.
 *
 *   leaf    X_i = sum xi_ij T_j + xi_i0,    xi_11 = M_1^-1,  xi_1j = M_1^-1 S_1j,  xi_ij = S_1i' M_1^-1 S_1j            (12)-(16)
 *   merge   over all joints between A and B, with E = sum (+-) D' xi of their handles h:
 *           T_h = (+-) D sigma,    G sigma = a - D'(X_b - X_a) for sigma = 0,    G = sum D' xi_hh D                  (26)
 *           xi_ij -= E_i' G^-1 E_j,    xi_i0 += E_i' G^-1 (a - E_0)    at the handles that are left            (34)-(36)
 *   root    the ground holds the handles that are left; if there is none, the mechanism floats and T = 0         (43)-(46)
 *
 * The paper's W is -D G^-1 D'. Where joints close a loop, rows may be redundant; G then has its pseudo-inverse.
 *
 * This is an oracle of the formulas; condensed.c is the engine. */
#include "links/assembly.h"
#include "math/dense.h"
#include "math/vec3.h"

#include <string.h>

enum { BLOCK = ASSEMBLY_BLOCK };
static const double inner_cut = 1e-10;

/* ---- points of handles, and shifts from the origin to them ---- */

/* Where a joint is on the link of a side. */
static void place_of_handle(const struct assembly *o, const struct handle_place *h, double place[3])
{
  const struct link_pose *x = &o->pose->link[h->link];
  if (h->joint < o->tree->links) {
    v3_copy(place, o->pose->link[h->joint].point);
    return;
  }
  m3_mul(place, x->R, o->tree->cut[h->joint - o->tree->links].point[h->side]);
  v3_axpy(place, 1, x->r);
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

/* S(l) = [I 0; l~ I] (14): the load at a point that is l away, about the first one. */
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

/* S_1h of a handle of a leaf. */
static void shift_of_handle(const struct assembly *o, const struct handle_compound *c, int h,
                            const double first[3], double S[BLOCK])
{
  double place[3], l[3];
  place_of_handle(o, &c->handle[h], place);
  v3_sub(l, place, first);
  shift_matrix(S, l);
}

/* The signed rows of a side of a joint at its handle, (rows, 6): (+-) D'. */
static void rows_at_handle(const struct assembly *o, const struct handle_place *h, double *D)
{
  const int rows = assembly_rows(o->tree, h->joint);
  double held[JOINT_HELD][SPATIAL], place[3];
  const bool cut = h->joint >= o->tree->links;
  place_of_handle(o, h, place);
  if (!cut) link_held(o->pose, h->joint, held);
  for (int i = 0; i < rows; i++) {
    const double *P =
        cut ? o->pose->row[o->tree->cut[h->joint - o->tree->links].first + i].D[h->side] : held[i];
    wrench_at_point(D + SPATIAL * i, place, P);
    for (int k = 0; k < SPATIAL; k++) D[SPATIAL * i + k] *= joint_side_sign(h->side);
  }
}

/* ---- matrices of a configuration ---- */

/* o (r, c) += k A B with A (r, inner), or its transpose (inner, r); rows of o and B have the lengths wide and b_wide. */
static void add_matrix_product(double *o, int wide, double k, const double *A, int a_wide, bool transposed,
                               const double *B, int b_wide, int r, int inner, int c)
{
  for (int i = 0; i < r; i++)
    for (int l = 0; l < inner; l++) {
      const double factor = k * (transposed ? A[l * a_wide + i] : A[i * a_wide + l]);
      for (int j = 0; factor != 0 && j < c; j++) o[i * wide + j] += factor * B[l * b_wide + j];
    }
}

/* The first handle of a leaf, or its centre of mass. */
static void place_of_leaf(const struct assembly *o, const struct handle_compound *c, double place[3])
{
  if (c->handles > 0)
    place_of_handle(o, &c->handle[0], place);
  else
    v3_copy(place, o->pose->link[o->order[c->first]].r);
}

/* M_1 of (9) about a point, inverted: its columns are motions that unit wrenches there give. */
static bool invert_inertia(const struct assembly *o, int k, const double place[3], double inverse[BLOCK])
{
  const struct link_pose *x = &o->pose->link[k];
  const struct joint_link *link = &o->tree->link[k];
  double l[3], M[BLOCK] = {0}, turned[9] = {0};
  v3_sub(l, x->r, place);
  const double across[9] = {0, -l[2], l[1], l[2], 0, -l[0], -l[1], l[0], 0};
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      for (int n = 0; n < 3; n++) turned[3 * i + j] += x->R[3 * i + n] * link->inertia[3 * n + j];
  for (int i = 0; i < 3; i++) {
    M[SPATIAL * i + i] = link->mass;
    for (int j = 0; j < 3; j++) {
      double *J = &M[SPATIAL * (3 + i) + 3 + j]; /* R J R' - m l~ l~ */
      M[SPATIAL * i + 3 + j] = -link->mass * across[3 * i + j];
      M[SPATIAL * (3 + i) + j] = link->mass * across[3 * i + j];
      *J = link->mass * ((i == j ? v3_dot(l, l) : 0) - l[i] * l[j]);
      for (int n = 0; n < 3; n++) *J += turned[3 * i + n] * x->R[3 * j + n];
    }
  }
  if (!chol_factor(M, SPATIAL, SPATIAL)) return false;
  memset(inverse, 0, BLOCK * sizeof *inverse);
  for (int i = 0; i < SPATIAL; i++) {
    inverse[SPATIAL * i + i] = 1; /* symmetric: a row is a column */
    chol_solve(M, SPATIAL, SPATIAL, inverse + SPATIAL * i);
  }
  return true;
}

/* xi_ij = S_1i' M_1^-1 S_1j */
static bool factor_leaf(const struct assembly *o, struct handle_compound *c)
{
  const int ends = SPATIAL * c->handles;
  double first[3];
  place_of_leaf(o, c, first);
  if (!invert_inertia(o, o->order[c->first], first, c->M)) return false;
  memset(c->xi, 0, sizeof *c->xi * (size_t)(ends * ends));
  for (int i = 0; i < c->handles; i++)
    for (int j = 0; j < c->handles; j++) {
      double S[2][BLOCK], part[BLOCK] = {0};
      shift_of_handle(o, c, i, first, S[0]);
      shift_of_handle(o, c, j, first, S[1]);
      add_matrix_product(part, SPATIAL, 1, c->M, SPATIAL, false, S[1], SPATIAL, SPATIAL, SPATIAL, SPATIAL);
      add_matrix_product(c->xi + SPATIAL * (i * ends + j), ends, 1, S[0], SPATIAL, true, part, SPATIAL,
                         SPATIAL, SPATIAL, SPATIAL);
    }
  return true;
}

/* The compound and handle of a side of an inner joint; NULL: the ground. */
static struct handle_compound *compound_of_side(const struct assembly *o, const struct handle_compound *c,
                                                const struct inner_joint *j, int side)
{
  return j->handle[side] < 0 ? NULL : &o->compound[j->in_b[side] ? c->b : c->a];
}

/* E and G before it is inverted: what unit wrenches at all handles of a and b do to the rows. */
static void fill_merge(const struct assembly *o, struct handle_compound *c)
{
  const int wide = SPATIAL * c->handles;
  memset(c->E, 0, sizeof *c->E * (size_t)(c->rows * wide));
  memset(c->work, 0, sizeof *c->work * (size_t)(c->rows * c->rows));
  for (int j = 0; j < c->inner; j++)
    for (int side = 0; side < 2; side++) {
      const struct inner_joint *inner = &c->joint[j];
      const struct handle_compound *A = compound_of_side(o, c, inner, side);
      if (!A) continue;
      const int rows = assembly_rows(o->tree, inner->joint), ends = SPATIAL * A->handles;
      const bool in_b = inner->in_b[side];
      double D[SPATIAL * SPATIAL], other[SPATIAL * SPATIAL];
      rows_at_handle(o, &A->handle[inner->handle[side]], D);
      const double *xi = A->xi + SPATIAL * inner->handle[side] * ends;
      /* E: (+-) D' xi to the handles that are left. */
      for (int h = 0; h < c->handles; h++) {
        const int from = c->outer[h] - (in_b ? o->compound[c->a].handles : 0);
        if (from < 0 || from >= A->handles) continue;
        add_matrix_product(c->E + inner->row * wide + SPATIAL * h, wide, 1, D, SPATIAL, false,
                           xi + SPATIAL * from, ends, rows, SPATIAL, SPATIAL);
      }
      /* G: (+-) D' xi D to the inner joints on the same compound. */
      for (int n = 0; n < c->inner; n++)
        for (int end = 0; end < 2; end++) {
          const struct inner_joint *k = &c->joint[n];
          if (compound_of_side(o, c, k, end) != A) continue;
          double part[SPATIAL * SPATIAL] = {0};
          const int columns = assembly_rows(o->tree, k->joint);
          rows_at_handle(o, &A->handle[k->handle[end]], other);
          add_matrix_product(part, SPATIAL, 1, D, SPATIAL, false, xi + SPATIAL * k->handle[end], ends, rows,
                             SPATIAL, SPATIAL);
          for (int r = 0; r < rows; r++)
            for (int s = 0; s < columns; s++)
              for (int i = 0; i < SPATIAL; i++)
                c->work[(inner->row + r) * c->rows + k->row + s] +=
                    part[SPATIAL * r + i] * other[SPATIAL * s + i];
        }
    }
}

/* G^-1. The rows of one joint between two compounds are independent; others may not be. False: singular. */
static bool invert_merge(struct handle_compound *c)
{
  const int rows = c->rows;
  if (c->inner != 1 || c->b < 0) {
    pseudo_inverse(c->G, c->work, rows, inner_cut);
    return true;
  }
  if (!chol_factor(c->work, rows, rows)) return false;
  memset(c->G, 0, sizeof *c->G * (size_t)(rows * rows));
  for (int i = 0; i < rows; i++) {
    c->G[rows * i + i] = 1;
    chol_solve(c->work, rows, rows, c->G + rows * i);
  }
  return true;
}

/* (34) (35) */
static bool factor_inner_joints(const struct assembly *o, struct handle_compound *c)
{
  const int wide = SPATIAL * c->handles, rows = c->rows;
  const struct handle_compound *A = &o->compound[c->a], *B = c->b < 0 ? NULL : &o->compound[c->b];
  fill_merge(o, c);
  if (!invert_merge(c)) return false;
  memset(c->xi, 0, sizeof *c->xi * (size_t)(wide * wide));
  for (int i = 0; i < c->handles; i++)
    for (int j = 0; j < c->handles; j++) {
      const bool in_b = c->outer[i] >= A->handles;
      const struct handle_compound *from = in_b ? B : A;
      if (in_b != (c->outer[j] >= A->handles)) continue; /* a and b meet at the joints alone */
      const int ends = SPATIAL * from->handles, less = in_b ? A->handles : 0;
      for (int r = 0; r < SPATIAL; r++)
        memcpy(c->xi + (SPATIAL * i + r) * wide + SPATIAL * j,
               from->xi + (SPATIAL * (c->outer[i] - less) + r) * ends + SPATIAL * (c->outer[j] - less),
               SPATIAL * sizeof *c->xi);
    }
  /* xi -= E' G E, by columns of G E. */
  for (int j = 0; j < wide; j++)
    for (int r = 0; r < rows; r++) {
      double sum = 0;
      for (int s = 0; s < rows; s++) sum += c->G[r * rows + s] * c->E[s * wide + j];
      for (int i = 0; i < wide; i++) c->xi[i * wide + j] -= c->E[r * wide + i] * sum;
    }
  return true;
}

static bool factor_assembly(void *own, const struct joint_pose *pose)
{
  struct assembly *o = own;
  o->pose = pose;
  for (int i = 0; i < o->count; i++) {
    struct handle_compound *c = &o->compound[i];
    if (!(c->a >= 0 ? factor_inner_joints(o, c) : factor_leaf(o, c))) return false;
  }
  return true;
}

/* ---- right-hand sides up, motions down ---- */

static void leaf_goes_up(const struct assembly *o, struct handle_compound *c, const double *B)
{
  double first[3], load[SPATIAL], motion[SPATIAL] = {0}, S[BLOCK];
  place_of_leaf(o, c, first);
  wrench_at_point(load, first, B + SPATIAL * o->order[c->first]);
  add_matrix_product(motion, 1, 1, c->M, SPATIAL, false, load, 1, SPATIAL, SPATIAL, 1);
  memset(c->xi0, 0, SPATIAL * sizeof *c->xi0 * (size_t)c->handles);
  for (int h = 0; h < c->handles; h++) {
    shift_of_handle(o, c, h, first, S);
    add_matrix_product(c->xi0 + SPATIAL * h, 1, 1, S, SPATIAL, true, motion, 1, SPATIAL, SPATIAL, 1);
  }
}

/* (36) */
static void merge_goes_up(const struct assembly *o, struct handle_compound *c, const double *a)
{
  const struct handle_compound *A = &o->compound[c->a], *B = c->b < 0 ? NULL : &o->compound[c->b];
  for (int j = 0; j < c->inner; j++) {
    const struct inner_joint *inner = &c->joint[j];
    const int rows = assembly_rows(o->tree, inner->joint);
    double D[BLOCK];
    memcpy(c->step + inner->row, a + assembly_first_row(o->tree, inner->joint), sizeof *a * (size_t)rows);
    for (int side = 0; side < 2; side++) {
      const struct handle_compound *of = compound_of_side(o, c, inner, side);
      if (!of) continue;
      rows_at_handle(o, &of->handle[inner->handle[side]], D);
      add_matrix_product(c->step + inner->row, 1, -1, D, SPATIAL, false,
                         of->xi0 + SPATIAL * inner->handle[side], 1, rows, SPATIAL, 1);
    }
  }
  /* The motions of the handles that are left. */
  memset(c->sigma, 0, sizeof *c->sigma * (size_t)c->rows);
  add_matrix_product(c->sigma, 1, 1, c->G, c->rows, false, c->step, 1, c->rows, c->rows, 1);
  for (int h = 0; h < c->handles; h++) {
    const bool in_b = c->outer[h] >= A->handles;
    const double *from =
        in_b ? B->xi0 + SPATIAL * (c->outer[h] - A->handles) : A->xi0 + SPATIAL * c->outer[h];
    memcpy(c->xi0 + SPATIAL * h, from, SPATIAL * sizeof *from);
  }
  add_matrix_product(c->xi0, 1, 1, c->E, SPATIAL * c->handles, true, c->sigma, 1, SPATIAL * c->handles,
                     c->rows, 1);
}

/* (29): sigma for the T at the handles; T of the handles of a and b. */
static void merge_goes_down(const struct assembly *o, struct handle_compound *c, double *sigma)
{
  struct handle_compound *A = &o->compound[c->a], *B = c->b < 0 ? NULL : &o->compound[c->b];
  /* sigma, then T of the handles that lead out, then T of the inner joints. */
  add_matrix_product(c->step, 1, -1, c->E, SPATIAL * c->handles, false, c->T, 1, c->rows,
                     SPATIAL * c->handles, 1);
  memset(c->sigma, 0, sizeof *c->sigma * (size_t)c->rows);
  add_matrix_product(c->sigma, 1, 1, c->G, c->rows, false, c->step, 1, c->rows, c->rows, 1);
  for (int h = 0; h < c->handles; h++) {
    const bool in_b = c->outer[h] >= A->handles;
    double *to = in_b ? B->T + SPATIAL * (c->outer[h] - A->handles) : A->T + SPATIAL * c->outer[h];
    memcpy(to, c->T + SPATIAL * h, SPATIAL * sizeof *to);
  }
  for (int j = 0; j < c->inner; j++) {
    const struct inner_joint *inner = &c->joint[j];
    const int rows = assembly_rows(o->tree, inner->joint), cut = inner->joint - o->tree->links;
    for (int side = 0; side < 2; side++) {
      struct handle_compound *of = compound_of_side(o, c, inner, side);
      double D[BLOCK], *T;
      if (!of) continue;
      T = of->T + SPATIAL * inner->handle[side];
      rows_at_handle(o, &of->handle[inner->handle[side]], D);
      memset(T, 0, SPATIAL * sizeof *T);
      add_matrix_product(T, 1, 1, D, SPATIAL, true, c->sigma + inner->row, 1, SPATIAL, rows, 1);
    }
    if (cut >= 0)
      memcpy(sigma + o->tree->cut[cut].first, c->sigma + inner->row, sizeof *sigma * (size_t)rows);
  }
}

/* (15) */
static void leaf_goes_down(const struct assembly *o, const struct handle_compound *c, const double *B,
                           double *X)
{
  const int link = o->order[c->first];
  double first[3], load[SPATIAL], motion[SPATIAL] = {0}, S[BLOCK];
  place_of_leaf(o, c, first);
  wrench_at_point(load, first, B + SPATIAL * link);
  for (int h = 0; h < c->handles; h++) {
    shift_of_handle(o, c, h, first, S);
    add_matrix_product(load, 1, 1, S, SPATIAL, false, c->T + SPATIAL * h, 1, SPATIAL, SPATIAL, 1);
  }
  add_matrix_product(motion, 1, 1, c->M, SPATIAL, false, load, 1, SPATIAL, SPATIAL, 1);
  twist_at_origin(X + SPATIAL * link, first, motion);
}

static void solve_assembly(void *own, const double *B, const double *a, double *X, double *sigma)
{
  const struct assembly *o = own;
  for (int i = 0; i < o->count; i++) {
    if (o->compound[i].a < 0)
      leaf_goes_up(o, &o->compound[i], B);
    else
      merge_goes_up(o, &o->compound[i], a);
  }
  for (int i = o->count - 1; i >= 0; i--) {
    if (o->compound[i].a < 0)
      leaf_goes_down(o, &o->compound[i], B, X);
    else
      merge_goes_down(o, &o->compound[i], sigma);
  }
}

const struct link_solver links_assembly = {assembly_make, assembly_release, factor_assembly, solve_assembly};
