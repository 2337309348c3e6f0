/* SPDX-License-Identifier: MIT
 * Featherstone's DCA, with which paper 2 compares: accelerations of links with joint coordinates, without any
 * stabilisation.
 *
 *   M_i A_i = weight, loads - V x* M_i V (+-) D lambda
 *   D'(A_b - A_a) = D' s' q' at a joint of the tree, -D''(V_b - V_a) with the rate of D at a cut one
 *   q''_k = H_k'(A_b - A_a) */
#include "coordinates/forces.h"
#include "formulations/link_formulation.h"
#include "math/euler.h"

#include <string.h>

/* a: 5 of each joint of the tree, then the rows of cut joints. */
static void joint_steps(const struct link_work *o, const double *qd)
{
  const struct joint_tree *tree = o->pose.tree;
  for (int k = 0; k < tree->links; k++) {
    double D[JOINT_HELD][SPATIAL];
    link_held(&o->pose, k, D);
    for (int i = 0; i < JOINT_HELD; i++)
      o->a[JOINT_HELD * k + i] =
          link_floats(tree, k) ? 0 : qd[tree->link[k].first] * spatial_dot(D[i], o->pose.link[k].sd);
  }
  for (int c = 0; c < tree->cuts; c++)
    for (int row = tree->cut[c].first; row < tree->cut[c].first + tree->cut[c].count; row++) {
      const struct cut_pose *x = &o->pose.row[row];
      double *a = &o->a[JOINT_HELD * tree->links + row];
      *a = 0;
      for (int side = 0; side < JOINT_CUT_SIDES; side++)
        *a -= joint_side_sign(side) *
              spatial_dot(x->Dd[joint_side_wrench(x, side)], joint_twist(&o->pose, tree->cut[c].link[side]));
    }
}

/* q'' of links that float, from A = sum s q'' + s' q' and p.p'' = -p'.p'. */
static void float_accelerations(const struct link_work *o, const double *qd, double *qdd)
{
  const struct joint_tree *tree = o->pose.tree;
  for (int k = 0; k < tree->links; k++) {
    const struct link_pose *x = &o->pose.link[k];
    const int first = tree->link[k].first;
    double A[SPATIAL];
    if (!link_floats(tree, k)) continue;
    memcpy(A, o->X + SPATIAL * k, sizeof A);
    for (int j = 0; j < JOINT_MOST; j++) {
      double sd[SPATIAL];
      link_twist_rate(&o->pose, k, j, sd);
      for (int i = 0; i < SPATIAL; i++) A[i] -= qd[first + j] * sd[i];
    }
    link_float_rates(&o->pose, k, A, -p_dot(x->pd, x->pd), qdd + first);
  }
}

/* Accelerations of the state (q, qd): the forces, then the steps at the joints. False: singular. */
static bool solve_link_accelerations(const struct lab_state *s, const double *qd, double *qdd)
{
  struct link_work *o = s->formulation_own;
  joint_pose_set(&o->pose, s->problem, &s->now, s->q, qd);
  const int links = o->pose.tree->links;
  for (int k = 0; k < links; k++) link_force(&o->pose, k, o->B + SPATIAL * k);
  joint_add_wrenches(&o->pose, s->problem, &s->now, o->B);
  joint_steps(o, qd);
  for (int i = 0; i < s->problem->driven_rows; i++) {
    double motion[3];
    forces_row_motion(s->problem->model, i, s->now.time, motion);
    o->a[JOINT_HELD * links + s->problem->driven + i] += motion[2];
  }
  if (!link_work_solve(o, qdd)) return false;
  float_accelerations(o, qd, qdd);
  return true;
}

static enum lab_status dca_evaluate(struct lab_state *s)
{
  s->result->calls++;
  return solve_link_accelerations(s, s->w, s->wd) ? LAB_OK : LAB_SINGULAR;
}

/* sigma pushes along D, lambda against it. */
enum lab_status links_multipliers(const struct lab_state *s, double *lambda, double *qdd)
{
  const struct link_work *o = s->formulation_own;
  if (!solve_link_accelerations(s, s->qd, qdd)) return LAB_SINGULAR;
  memset(lambda, 0, sizeof *lambda * (size_t)s->m); /* p'p = 1 holds by itself */
  for (int i = 0; i < o->pose.tree->rows; i++) lambda[i] = -o->sigma[i];
  return LAB_OK;
}

#define DCA_FORMULATION(...)                                                                                 \
  LINK_FORMULATION(__VA_ARGS__, .source = "paper 2, section 3", .evaluate = dca_evaluate)

DCA_FORMULATION(dca, links_condensed, "dca", "Featherstone's DCA, recursion in the multipliers", NULL, false)
DCA_FORMULATION(dca_handles, links_assembly, "dca-handles",
                "Featherstone's DCA, recursion by handles as printed", assembly_unsuitable, true)
DCA_FORMULATION(dca_dense, links_dense, "dca-dense", "Featherstone's DCA, one dense matrix: the oracle", NULL,
                true)
