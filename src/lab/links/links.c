/* SPDX-License-Identifier: MIT */
#include "links/links.h"

#include <stdlib.h>

void link_work_free(void *work)
{
  struct link_work *o = work;
  if (!o) return;
  if (o->own) o->solver->release(o->own);
  free(o->B);
  free(o);
}

struct link_work *link_work_new(const struct problem *p, const struct link_solver *solver)
{
  const struct joint_tree *tree = p->own;
  const size_t links = (size_t)tree->links, rows = (size_t)tree->rows;
  struct link_work *o = calloc(1, sizeof *o);
  if (!o) return NULL;
  o->solver = solver;
  o->own = solver->make(p);
  /* One block of memory, shared out below. */
  o->B = calloc(4 * SPATIAL * links + JOINT_HELD * links + 2 * rows + (size_t)tree->floats, sizeof *o->B);
  if (!o->own || !o->B) {
    link_work_free(o);
    return NULL;
  }
  o->X = o->B + SPATIAL * links;
  o->P = o->X + SPATIAL * links;
  o->F = o->P + SPATIAL * links;
  o->a = o->F + SPATIAL * links;
  o->sigma = o->a + JOINT_HELD * links + (size_t)p->m;
  return o;
}

bool link_work_solve(struct link_work *o, double *along)
{
  const struct joint_tree *tree = o->pose.tree;
  if (!o->solver->factor(o->own, &o->pose)) return false;
  o->solver->solve(o->own, o->B, o->a, o->X, o->sigma);
  for (int k = 0; k < tree->links; k++) {
    const int parent = tree->link[k].parent;
    double H[SPATIAL];
    if (link_floats(tree, k)) continue;
    link_along(&o->pose, k, H);
    along[tree->link[k].first] =
        spatial_dot(H, o->X + SPATIAL * k) - (parent < 0 ? 0 : spatial_dot(H, o->X + SPATIAL * parent));
  }
  return true;
}

void link_accumulate(const struct joint_tree *tree, double *o)
{
  for (int k = tree->links - 1; k >= 0; k--)
    for (int i = 0; tree->link[k].parent >= 0 && i < SPATIAL; i++)
      o[SPATIAL * tree->link[k].parent + i] += o[SPATIAL * k + i];
}
