/* SPDX-License-Identifier: MIT
 * Set-up only: chooses the elimination order that fills the lanes best with the fewest operations. The cost of a chain
 * depends on the place of its joints to the ground. The cost of a ladder depends on rounds of nearly equal cost:
 * dearer vertices, if taken too early, leave large fronts and subtrees of many shapes. */
#include "dca/nodes.h"

static const struct candidate {
  struct order_rule rule;
  double gain; /* the plan is chosen if it costs less than this times the best plan so far */
} candidates[] = {{{2.0, false}, 1.0}, {{2.0, true}, 1.0}, {{1.3, false}, 0.98}, {{1.3, true}, 0.98}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

/* Replaces a tree and its plan by those with supernodes, if they cost less. False: out of memory. */
static bool try_supernodes(int lanes, struct nodes *n, struct plan *p)
{
  struct nodes nodes;
  struct plan plan;
  int absorbed;
  if (!nodes_amalgamate(n, p, &nodes, &absorbed)) return false;
  if (absorbed == 0) return true;
  if (!plan_build(&nodes, lanes, &plan)) {
    nodes_free(&nodes);
    return false;
  }
  const bool better = plan.cost < p->cost;
  plan_free(better ? p : &plan);
  nodes_free(better ? n : &nodes);
  if (better) {
    *n = nodes;
    *p = plan;
  }
  return true;
}

static bool try_rule(const struct tree_graph *g, struct order_rule rule, int lanes, struct nodes *n,
                     struct plan *p)
{
  if (!nodes_build(g, rule, n)) return false;
  if (plan_build(n, lanes, p)) {
    if (try_supernodes(lanes, n, p)) return true;
    plan_free(p);
  }
  nodes_free(n);
  return false;
}

bool plan_best(const struct tree_graph *g, int lanes, struct nodes *n, struct plan *p)
{
  if (!try_rule(g, candidates[0].rule, lanes, n, p)) return false;
  for (int i = 1; i < CANDIDATES; i++) {
    struct nodes nodes;
    struct plan plan;
    bool tried = try_rule(g, candidates[i].rule, lanes, &nodes, &plan),
         better = tried && plan.cost < candidates[i].gain * p->cost;
    /* Keep the cheaper plan. */
    if (better || !tried) {
      plan_free(p);
      nodes_free(n);
    }
    if (!tried) return false;
    if (better) {
      *n = nodes;
      *p = plan;
    } else {
      plan_free(&plan);
      nodes_free(&nodes);
    }
  }
  return true;
}
