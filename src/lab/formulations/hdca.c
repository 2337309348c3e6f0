/* SPDX-License-Identifier: MIT
 * Hamiltonian DCA of paper 2: q' from the joint momenta p, then p', with joint coordinates and cut joints.
 *
 *   M_i V_i = P_i - sum of P_c over the joints c that link i carries (+-) D_c sigma_c      (12) (13)
 *   P_k = D_k sigma_k + H_k p_k,    D'(V_b - V_a) = 0, or a drive's rate                   (10) (23)
 *   q'_k = H_k'(V_b - V_a)
 *   p'_k = s_k . (weight and loads of all that hangs on k - sum (+-) D'_c sigma_c) + s'_k . P_k      (77)
 *
 * A link that floats has the momenta P_k themselves, with the rates of P in place of (77), and its q' follows from V_k.
 * Wrenches are about the origin of the world, so that the shifts S and their rates in (77) are those of s_k. Cut
 * joints have no momenta; sigma(0) = 0. */
#include "coordinates/forces.h"
#include "formulations/link_formulation.h"

#include <string.h>

static struct link_work *hdca_work(struct lab_state *s)
{
  return s->formulation_own;
}

/* p of link k: s_k . P; or its rate, with F in place of P and the momenta as P2: s_k . F + s'_k . P. A link that floats has P
 * itself, momenta about the origin, which stay where no load acts; the place of its seventh coordinate is 0. P2 NULL: none. */
static void project_on_link(const struct joint_pose *pose, int k, const double P[SPATIAL], const double *P2,
                            double *p)
{
  const struct joint_link *link = &pose->tree->link[k];
  if (link_floats(pose->tree, k)) {
    memcpy(p + link->first, P, SPATIAL * sizeof *p);
    p[link->first + SPATIAL] = 0;
  } else {
    p[link->first] = spatial_dot(pose->link[k].s, P) + (P2 ? spatial_dot(pose->link[k].sd, P2) : 0);
  }
}

/* P_k = momenta of all that hangs on joint k, less the impulses D sigma of cut joints: for sigma = 0 p_k = s_k . P_k. So a
 * reset is a start at the present q and q'. */
static enum lab_status hdca_start(struct lab_state *s)
{
  struct link_work *o = hdca_work(s);
  joint_pose_set(&o->pose, s->problem, &s->now, s->q, s->qd);
  const int links = o->pose.tree->links;
  for (int k = 0; k < links; k++) link_momentum(&o->pose, k, o->pose.link[k].V, o->P + SPATIAL * k);
  link_accumulate(o->pose.tree, o->P);
  for (int k = 0; k < links; k++) project_on_link(&o->pose, k, o->P + SPATIAL * k, NULL, s->w);
  return LAB_OK;
}

/* B_i = H_i p_i - sum of H_c p_c over the joints that link i carries */
static void joint_momenta(const struct link_work *o, const double *p)
{
  const struct joint_tree *tree = o->pose.tree;
  memset(o->B, 0, sizeof *o->B * (size_t)(SPATIAL * tree->links));
  for (int k = 0; k < tree->links; k++) {
    const int first = tree->link[k].first, parent = tree->link[k].parent;
    const bool floats = link_floats(tree, k);
    double H[SPATIAL];
    if (!floats) link_along(&o->pose, k, H);
    for (int i = 0; i < SPATIAL; i++) {
      const double P = floats ? p[first + i] : p[first] * H[i];
      o->B[SPATIAL * k + i] += P;
      if (parent >= 0) o->B[SPATIAL * parent + i] -= P;
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
  s->result->calls++;
  /* Velocities and impulses. */
  joint_pose_set(&o->pose, s->problem, &s->now, s->q, NULL);
  joint_momenta(o, s->w);
  const struct joint_tree *tree = o->pose.tree;
  const int links = tree->links;
  double *cut = o->a + JOINT_HELD * links;
  memset(o->a, 0, sizeof *o->a * (size_t)(JOINT_HELD * links));
  forces_row_time(s->problem, s->now.time, cut);
  for (int i = 0; i < tree->rows; i++) cut[i] *= -1;
  if (!link_work_solve(o, s->qd)) return LAB_SINGULAR;
  for (int k = 0; k < links; k++)
    if (link_floats(tree, k))
      link_float_rates(&o->pose, k, o->X + SPATIAL * k, 0, s->qd + tree->link[k].first);
  /* P and the loads of all that hangs on each joint. */
  joint_pose_set(&o->pose, s->problem, &s->now, s->q, s->qd);
  for (int k = 0; k < links; k++) {
    link_momentum(&o->pose, k, o->X + SPATIAL * k, o->P + SPATIAL * k);
    link_weight(&o->pose, k, o->F + SPATIAL * k);
  }
  joint_add_wrenches(&o->pose, s->problem, &s->now, o->F);
  take_impulses(o, o->P, false);
  take_impulses(o, o->F, true);
  link_accumulate(tree, o->P);
  link_accumulate(tree, o->F);
  for (int k = 0; k < links; k++) project_on_link(&o->pose, k, o->F + SPATIAL * k, o->P + SPATIAL * k, s->wd);
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
