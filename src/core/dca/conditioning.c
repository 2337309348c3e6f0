/* SPDX-License-Identifier: MIT
 * Set-up only: finds the hubs that cost digits. A joint that is eliminated before its hub has the pivot c + D, where D
 * is the compliance of the assembly behind it. An assembly that floats is held by this joint alone and gives way in
 * every direction. c + D then has the size of D, and the hub takes over an inertia, as in an articulated-body
 * recursion. An assembly that stands on the ground may be held fast, and so may one that a second joint ties to a
 * later body. D then vanishes, and a stiffness of 1/c passes through the pivot of the hub. */
#include "dca/nodes.h"

#include <stdlib.h>

struct assemblies {
  const struct tree_graph *g;
  int *rank;           /* (vertices) */
  int *first, *joints; /* for each body */
  int *above;          /* (vertices) next vertex towards the one that stands for the assembly */
  int *open;           /* (vertices) for each assembly: ends at bodies that come later */
  bool *grounded;      /* (vertices) for each assembly */
};

static int assembly_of(struct assemblies *a, int v)
{
  while (a->above[v] != v) v = a->above[v] = a->above[a->above[v]];
  return v;
}

static void join_assemblies(struct assemblies *a, int u, int v)
{
  u = assembly_of(a, u);
  v = assembly_of(a, v);
  if (u == v) return;
  a->above[u] = v;
  a->open[v] += a->open[u];
  a->grounded[v] |= a->grounded[u];
}

static void add_joint_to_assembly(struct assemblies *a, int joint)
{
  const struct tree_graph *g = a->g;
  for (int side = 0; side < joint_sides(g, joint); side++) {
    int body = g->ends[joint][side];
    if (body < 0)
      a->grounded[assembly_of(a, joint)] = true;
    else if (a->rank[g->joints + body] < a->rank[joint])
      join_assemblies(a, g->joints + body, joint);
    else
      a->open[assembly_of(a, joint)]++;
  }
}

/* Returns true if all assemblies at the body float. */
static bool add_body_to_assemblies(struct assemblies *a, int v)
{
  const int body = v - a->g->joints;
  bool floats = true;
  for (int i = a->first[body]; i < a->first[body + 1]; i++) {
    int joint = a->joints[i];
    if (a->rank[joint] > a->rank[v]) continue;
    int assembly = assembly_of(a, joint);
    floats &= !a->grounded[assembly] && a->open[assembly] == 1;
  }
  for (int i = a->first[body]; i < a->first[body + 1]; i++) {
    int joint = a->joints[i];
    if (a->rank[joint] > a->rank[v]) continue;
    a->open[assembly_of(a, joint)]--;
    join_assemblies(a, joint, v);
  }
  return floats;
}

static bool list_joints_of_bodies(struct assemblies *a)
{
  const struct tree_graph *g = a->g;
  int *fill = calloc((size_t)g->bodies + 2, sizeof *fill);
  if (!fill) return false;
  for (int j = 0; j < g->joints; j++)
    for (int side = 0; side < joint_sides(g, j); side++)
      if (g->ends[j][side] >= 0) a->first[g->ends[j][side] + 1]++;
  for (int b = 0; b < g->bodies; b++) fill[b + 1] = a->first[b + 1] += a->first[b];
  for (int j = 0; j < g->joints; j++)
    for (int side = 0; side < joint_sides(g, j); side++)
      if (g->ends[j][side] >= 0) a->joints[fill[g->ends[j][side]]++] = j;
  free(fill);
  return true;
}

bool nodes_judge_conditioning(const struct nodes *n, bool *ill_conditioned)
{
  const struct tree_graph *g = n->graph;
  const size_t room = (size_t)g->joints + (size_t)g->bodies + 1;
  struct assemblies a = {.g = g};
  a.rank = calloc(room, sizeof *a.rank);
  a.first = calloc((size_t)g->bodies + 2, sizeof *a.first);
  a.joints = calloc(TREE_SIDES * room, sizeof *a.joints);
  a.above = calloc(room, sizeof *a.above);
  a.open = calloc(room, sizeof *a.open);
  a.grounded = calloc(room, sizeof *a.grounded);
  bool ok = a.rank && a.first && a.joints && a.above && a.open && a.grounded && list_joints_of_bodies(&a);
  *ill_conditioned = false;
  /* Repeat the elimination and let the assemblies grow. */
  int rank = 0;
  for (int i = 0; ok && i < n->count; i++)
    for (int v = n->node[i].vertex; v >= 0; v = n->after[v], rank++) {
      a.rank[v] = rank;
      a.above[rank] = rank;
    }
  for (int i = 0; ok && i < n->count; i++)
    for (int v = n->node[i].vertex; v >= 0; v = n->after[v])
      if (v < g->joints)
        add_joint_to_assembly(&a, v);
      else if (!add_body_to_assemblies(&a, v) || (g->carried && g->carried[v - g->joints]))
        *ill_conditioned = true;
  free(a.rank);
  free(a.first);
  free(a.joints);
  free(a.above);
  free(a.open);
  free(a.grounded);
  return ok;
}
