/* SPDX-License-Identifier: MIT
 * Hamiltonian DCA of paper 2: q' from the joint momenta p, then p', with joint coordinates and cut joints.
 *
 *   M_i V_i = P_i - sum of P_c over the joints c that link i carries (+-) D_c sigma_c      (12) (13)
 *   P_k = D_k sigma_k + H_k p_k,    D'(V_b - V_a) = 0, or a drive's rate                   (10) (23)
 *   q'_k = H_k'(V_b - V_a)
 *   p'_k = s_k . (weight and loads of all that hangs on k - sum (+-) D'_c sigma_c) + s'_k . P_k      (77)
 *
 * Wrenches are about the origin of the world, so that the shifts S and their rates in (77) are those of s_k. Cut
 * joints have no momenta; sigma(0) = 0. */
#include "coordinates/forces.h"
#include "lab/link_formulation.h"

#include <string.h>

static struct link_work *hdca_work(struct lab_state *s)
{
  return s->formulation_own;
}

/* P_k = momenta of all that hangs on joint k, less the impulses D sigma of cut joints: for sigma = 0 p_k = s_k . P_k. So a
 * reset is a start at the present q and q'. */
static enum lab_status hdca_start(struct lab_state *s)
{
  struct link_work *o = hdca_work(s);
  joint_pose_set(&o->pose, s->problem, &s->now, s->q, s->qd);
  for (int k = 0; k < s->n; k++) link_momentum(&o->pose, k, o->pose.link[k].V, o->P + SPATIAL * k);
  link_accumulate(o->pose.tree, o->P);
  for (int k = 0; k < s->n; k++) s->w[k] = spatial_dot(o->pose.link[k].s, o->P + SPATIAL * k);
  return LAB_OK;
}

/* B_i = H_i p_i - sum of H_c p_c over the joints that link i carries */
static void joint_momenta(const struct link_work *o, const double *p)
{
  const struct joint_tree *tree = o->pose.tree;
  memset(o->B, 0, sizeof *o->B * (size_t)(SPATIAL * tree->links));
  for (int k = 0; k < tree->links; k++) {
    double H[SPATIAL];
    link_along(&o->pose, k, H);
    for (int i = 0; i < SPATIAL; i++) {
      o->B[SPATIAL * k + i] += p[k] * H[i];
      if (tree->link[k].parent >= 0) o->B[SPATIAL * tree->link[k].parent + i] -= p[k] * H[i];
    }
  }
}

/* o -= (+-) D sigma of all cut joints, with D or its rate. */
static void take_impulses(const struct link_work *o, double *sum, bool rates)
{
  const struct joint_tree *tree = o->pose.tree;
  for (int c = 0; c < tree->cuts; c++)
    for (int row = tree->cut[c].first; row < tree->cut[c].first + tree->cut[c].count; row++) {
      for (int side = 0; side < JOINT_CUT_SIDES; side++) {
        const struct cut_pose *x = &o->pose.row[row];
        const double *D = (rates ? x->Dd : x->D)[joint_side_wrench(x, side)];
        for (int i = 0; tree->cut[c].link[side] >= 0 && i < SPATIAL; i++)
          sum[SPATIAL * tree->cut[c].link[side] + i] -= joint_side_sign(side) * o->sigma[row] * D[i];
      }
    }
}

static enum lab_status hdca_evaluate(struct lab_state *s)
{
  struct link_work *o = hdca_work(s);
  const int n = s->n;
  s->result->calls++;
  /* Velocities and impulses. */
  joint_pose_set(&o->pose, s->problem, &s->now, s->q, NULL);
  joint_momenta(o, s->w);
  memset(o->a, 0, sizeof *o->a * (size_t)(JOINT_HELD * n + s->m));
  forces_row_time(s->problem, s->now.time, o->a + JOINT_HELD * n);
  for (int i = 0; i < s->m; i++) o->a[JOINT_HELD * n + i] *= -1;
  if (!link_work_solve(o, s->qd)) return LAB_SINGULAR;
  /* P and the loads of all that hangs on each joint. */
  joint_pose_set(&o->pose, s->problem, &s->now, s->q, s->qd);
  for (int k = 0; k < n; k++) {
    link_momentum(&o->pose, k, o->X + SPATIAL * k, o->P + SPATIAL * k);
    link_weight(&o->pose, k, o->F + SPATIAL * k);
  }
  joint_add_wrenches(&o->pose, s->problem, &s->now, o->F);
  take_impulses(o, o->P, false);
  take_impulses(o, o->F, true);
  link_accumulate(o->pose.tree, o->P);
  link_accumulate(o->pose.tree, o->F);
  for (int k = 0; k < n; k++)
    s->wd[k] = spatial_dot(o->pose.link[k].s, o->F + SPATIAL * k) +
               spatial_dot(o->pose.link[k].sd, o->P + SPATIAL * k);
  return LAB_OK;
}

/* ---- the formulations: three solvers ---- */

#define HDCA_FORMULATION(...)                                                                                \
  LINK_FORMULATION(__VA_ARGS__, .source = "paper 2, (9) to (77)", .momenta = true, .start = hdca_start,      \
                   .reset = hdca_start, .evaluate = hdca_evaluate)

HDCA_FORMULATION(hdca, links_condensed, "hdca", "Hamiltonian DCA, recursion in the multipliers", NULL, false)
HDCA_FORMULATION(hdca_handles, links_assembly, "hdca-handles",
                 "Hamiltonian DCA, recursion by handles as printed", assembly_unsuitable, true)
HDCA_FORMULATION(hdca_dense, links_dense, "hdca-dense", "Hamiltonian DCA, one dense matrix: the oracle", NULL,
                 true)
