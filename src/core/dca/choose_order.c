/* SPDX-License-Identifier: MIT
 * Set-up only: chooses the elimination order that fills the lanes best with the fewest operations. The cost of a chain
 * depends on when its joints to the ground are eliminated. The cost of a ladder depends on rounds of nearly equal cost:
 * dearer vertices, if taken too early, leave large fronts and subtrees of many shapes. Grids need nested dissection. */
#include "dca/nodes.h"

static const struct candidate {
  struct order_rule rule;
  double gain; /* the plan is chosen if it costs less than this times the best plan so far */
} candidates[] = {{{2.0, false, false}, 1.0}, {{2.0, true, false}, 1.0}, {{1.3, false, false}, 0.98},
                  {{1.3, true, false}, 0.98}, {{2.0, false, true}, 0.9}, {{1.3, false, true}, 0.9}};
enum { CANDIDATES = sizeof candidates / sizeof *candidates };

/* Returns true if enough joints close loops for nested dissection to gain anything. */
static bool has_many_loops(const struct tree_graph *g)
{
  int between = 0;
  for (int j = 0; j < g->joints; j++) between += g->ends[j][0] >= 0 && g->ends[j][1] >= 0;
  return 10 * between > 11 * g->bodies;
}

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

/* An order whose fronts are too large is out, unless all of them are: then the excess is that of the first one. */
bool plan_best(const struct tree_graph *g, int lanes, struct nodes *n, struct plan *p)
{
  struct tree_excess first = {.found = false};
  bool found = false;
  for (int i = 0; i < CANDIDATES; i++) {
    struct nodes nodes;
    struct plan plan;
    if (candidates[i].rule.dissect && !has_many_loops(g)) continue;
    if (!try_rule(g, candidates[i].rule, lanes, &nodes, &plan)) {
      if (!g->excess || !g->excess->found) {
        if (found) plan_free(p);
        if (found) nodes_free(n);
        return false;
      }
      if (!first.found) first = *g->excess;
      g->excess->found = false;
      continue;
    }
    /* Keep the cheaper plan. */
    const bool better = !found || plan.cost < candidates[i].gain * p->cost;
    if (found) {
      plan_free(better ? p : &plan);
      nodes_free(better ? n : &nodes);
    }
    if (better) {
      *n = nodes;
      *p = plan;
    }
    found = true;
  }
  if (!found) *g->excess = first;
  return found;
}
