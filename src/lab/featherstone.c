/* SPDX-License-Identifier: MIT
 * Featherstone's DCA, with which paper 2 compares: accelerations of links with joint coordinates, without any
 * stabilisation.
 *
 *   M_i A_i = weight - V x* M_i V (+-) D lambda
 *   D'(A_b - A_a) = D' s' q' at a joint of the tree, -D''(V_b - V_a) with the rate of D at a cut one
 *   q''_k = H_k'(A_b - A_a) */
#include "lab/formulations.h"
#include "links/links.h"

/* a: 5 of each joint of the tree, then the rows of cut joints. */
static void joint_steps(const struct link_work *o, const double *qd)
{
  const struct joint_tree *tree = o->pose.tree;
  for (int k = 0; k < tree->links; k++) {
    double D[JOINT_HELD][SPATIAL];
    link_held(&o->pose, k, D);
    for (int i = 0; i < JOINT_HELD; i++)
      o->a[JOINT_HELD * k + i] = qd[k] * spatial_dot(D[i], o->pose.link[k].sd);
  }
  for (int c = 0; c < tree->cuts; c++)
    for (int row = tree->cut[c].first; row < tree->cut[c].first + tree->cut[c].count; row++) {
      const struct cut_pose *x = &o->pose.row[row];
      o->a[JOINT_HELD * tree->links + row] =
          spatial_dot(x->Dd[0], joint_twist(&o->pose, tree->cut[c].link[0])) -
          spatial_dot(x->Dd[1], joint_twist(&o->pose, tree->cut[c].link[1]));
    }
}

static enum lab_status dca_evaluate(struct lab_state *s)
{
  struct link_work *o = s->formulation_own;
  s->result->calls++;
  joint_pose_set(&o->pose, s->problem, s->q, s->w);
  for (int k = 0; k < s->n; k++) link_force(&o->pose, k, o->B + SPATIAL * k);
  joint_steps(o, s->w);
  if (!o->solver->factor(o->own, &o->pose)) return LAB_SINGULAR;
  o->solver->solve(o->own, o->B, o->a, o->X, o->sigma);
  for (int k = 0; k < s->n; k++) {
    const int parent = o->pose.tree->link[k].parent;
    double H[SPATIAL];
    link_along(&o->pose, k, H);
    s->wd[k] =
        spatial_dot(H, o->X + SPATIAL * k) - (parent < 0 ? 0 : spatial_dot(H, o->X + SPATIAL * parent));
  }
  return LAB_OK;
}

#define DCA_FORMULATION(id, solver_table, name_text, title_text, refuses, is_oracle)                         \
  static void *make_##id(const struct problem *p)                                                            \
  {                                                                                                          \
    return link_work_new(p, &solver_table);                                                                  \
  }                                                                                                          \
  const struct formulation formulation_##id = {.name = name_text,                                            \
                                               .title = title_text,                                          \
                                               .source = "paper 2, section 3",                               \
                                               .pure = true,                                                 \
                                               .oracle = is_oracle,                                          \
                                               .only = &description_joint,                                   \
                                               .unsuitable = refuses,                                        \
                                               .make = make_##id,                                            \
                                               .release = link_work_free,                                    \
                                               .evaluate = dca_evaluate};

DCA_FORMULATION(dca, links_condensed, "dca", "Featherstone's DCA, recursion in the multipliers", NULL, false)
DCA_FORMULATION(dca_handles, links_assembly, "dca-handles",
                "Featherstone's DCA, recursion by handles as printed", assembly_unsuitable, true)
DCA_FORMULATION(dca_dense, links_dense, "dca-dense", "Featherstone's DCA, one dense matrix: the oracle", NULL,
                true)
