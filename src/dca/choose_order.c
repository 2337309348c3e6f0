/* SPDX-License-Identifier: MIT
 * Set-up only: which order of elimination fills the lanes better. */
#include "dca/nodes.h"

struct attempt {
  struct nodes n;
  struct plan p;
};

static bool try_order(const struct tree_graph *g, bool ground_last, int lanes, struct attempt *o)
{
  if (!nodes_build(g, ground_last, &o->n)) return false;
  if (plan_build(&o->n, lanes, &o->p)) return true;
  nodes_free(&o->n);
  return false;
}

static void attempt_free(struct attempt *o)
{
  plan_free(&o->p);
  nodes_free(&o->n);
}

bool plan_best(const struct tree_graph *g, int lanes, struct nodes *n, struct plan *p)
{
  struct attempt a, b;
  if (!try_order(g, false, lanes, &a)) return false;
  if (!try_order(g, true, lanes, &b)) {
    attempt_free(&a);
    return false;
  }
  bool second = b.p.cost < a.p.cost;
  *n = second ? b.n : a.n;
  *p = second ? b.p : a.p;
  attempt_free(second ? &a : &b);
  return true;
}
