/* SPDX-License-Identifier: MIT
 * Set-up only: groups the nodes above the packs, and plans which threads share them. Nodes share a group if they have the
 * same front, to whose rows their children add alike. Nodes of a rare kind stay alone.
 *
 *        o          levels: the loop's thread does them, one run each
 *       / \
 *      o   o        ------------------------------------------ barrier
 *     /|   |\
 *    A B   C D      band: runs A .. D are separate subtrees of about equal work
 *    | |   | |      ------------------------------------------ barrier
 *   [packs, leaves] band: packs of subtrees, and a level whose groups may take their lanes from all subtrees
 *
 * A cut adds bands. Greedy search takes the cuts that save most time, summed over a few numbers of threads. Subtrees of
 * their own fill fewer lanes; a cut may not slow down one thread. The plan is the same for any number of threads. */
#include "dca/shapes.h"
#include "dca/shared_order.h"

#include <stdlib.h>
#include <string.h>

enum {
  CUTS = 6,    /* most cuts of a tree */
  LEVELS = 2,  /* most levels of a cut */
  CHUNKS = 16, /* runs of a level that is a band */
  LARGE = 4000 /* nodes from which fewer cuts are tried */
};

struct cut {
  int levels;   /* the lowest levels are a band each */
  int pieces;   /* number of the band's pieces, each for one thread; 1: no such band */
  double share; /* which consist of subtrees of at most this share of the work that is left */
};

struct banding {
  struct nodes *n;
  struct plan *p;
  int packed;     /* groups of packs */
  int *walk;      /* (nodes) the order in which threads share the groups */
  uint64_t *hash; /* (nodes) shape of the front */
  int *left;      /* (nodes) nodes that belong to no band yet, children before parents */
  int lefts;
  int *piece;        /* (nodes) piece of each node in the present band; -1: it belongs to a later band */
  double *work;      /* (nodes) of the subtree, as far as it is left */
  int *list;         /* (nodes) */
  int *child, *next; /* (nodes) first child that is left; next sibling that is left */
};

/* The groups that the cuts so far have made. The search returns to them instead of making them anew. */
struct mark {
  int groups, runs, bands, lefts;
  struct tree_band first; /* cut_level() may replace it */
  int *left;              /* (nodes) */
};

/* --- groups --- */

static int by_hash(const void *pa, const void *pb, void *banding)
{
  const struct banding *k = banding;
  int a = *(const int *)pa, b = *(const int *)pb;
  if (k->hash[a] != k->hash[b]) return k->hash[a] < k->hash[b] ? -1 : 1;
  return k->walk[a] - k->walk[b];
}

static void append_group(struct plan *p, const int *node, int count)
{
  struct group_plan *o = &p->group[p->groups];
  *o = (struct group_plan){.width = count > 1 ? p->lanes : 1, .used = count};
  for (int l = 0; l < ISA_LANES_MAX; l++) o->node[l] = l < count ? node[l] : -1;
  for (int l = 0; l < count; l++) {
    p->group_of[node[l]] = p->groups;
    p->lane_of[node[l]] = l;
  }
  p->groups++;
}

/* Groups nodes that do not depend on each other. */
static void group_nodes(struct banding *k, int *node, int count)
{
  struct plan *p = k->p;
  for (int i = 0; i < count; i++) k->hash[node[i]] = shape_of_front(k->n, p, node[i]);
  qsort_r(node, (size_t)count, sizeof(int), by_hash, k);
  for (int first = 0, end; first < count; first = end) {
    for (end = first + 1; end < count && end < first + p->lanes; end++)
      if (k->hash[node[end]] != k->hash[node[first]]) break;
    /* Single lanes are faster for few nodes and for large fronts. */
    if (end - first < 2 || end - first < p->lanes / 2 ||
        !plan_front_fits(k->n->node[node[first]].front, p->lanes))
      end = first + 1;
    append_group(p, node + first, end - first);
  }
}

static struct tree_cost add_costs(struct tree_cost a, struct tree_cost b)
{
  return (struct tree_cost){a.condense + b.condense, a.sweep + b.sweep};
}

/* --- runs and bands --- */

static struct tree_run run_of_groups(const struct banding *k, int first, int end)
{
  struct tree_run run = {.first = first, .end = end};
  for (int i = first; i < end; i++) run.cost = add_costs(run.cost, plan_group_cost(k->n, &k->p->group[i]));
  return run;
}

static void add_run(struct banding *k, int first, int end)
{
  if (first < end) k->p->run[k->p->runs++] = run_of_groups(k, first, end);
}

static void add_band(struct plan *p, int first, bool separate)
{
  if (first == p->runs) return;
  struct tree_band *band = &p->band[p->bands++];
  *band = (struct tree_band){.first = first, .end = p->runs, .separate = separate};
  for (int i = first; i < p->runs; i++) band->cost = add_costs(band->cost, p->run[i].cost);
}

static int by_level(const void *pa, const void *pb, void *banding)
{
  const struct banding *k = banding;
  int a = *(const int *)pa, b = *(const int *)pb;
  const struct node *node = k->n->node;
  if (k->piece[a] != k->piece[b]) return k->piece[a] - k->piece[b];
  return node[a].level != node[b].level ? node[a].level - node[b].level : a - b;
}

/* The end of a list's nodes that have the piece and the level of the first one. */
static int end_of_level(const struct banding *k, const int *list, int first, int count)
{
  int end = first + 1;
  while (end < count && k->piece[list[end]] == k->piece[list[first]] &&
         k->n->node[list[end]].level == k->n->node[list[first]].level)
    end++;
  return end;
}

/* Removes the nodes that have a group from those that are left. */
static void remove_grouped(struct banding *k)
{
  int count = 0;
  for (int i = 0; i < k->lefts; i++)
    if (k->p->group_of[k->left[i]] < 0) k->left[count++] = k->left[i];
  k->lefts = count;
}

/* A band of the lowest level that is left. */
static void cut_level(struct banding *k)
{
  struct plan *p = k->p;
  int lowest = INT32_MAX, count = 0;
  for (int i = 0; i < k->lefts; i++)
    if (k->n->node[k->left[i]].level < lowest) lowest = k->n->node[k->left[i]].level;
  for (int i = 0; i < k->lefts; i++)
    if (k->n->node[k->left[i]].level == lowest) k->list[count++] = k->left[i];
  if (count == 0) return;
  const int first = p->groups;
  group_nodes(k, k->list, count);
  plan_sort_groups(p, k->walk, first, p->groups);
  remove_grouped(k);
  /* Runs of about equal work. */
  double all = 0.0, before = 0.0;
  int first_run = p->runs, begin = first, chunk = 0;
  for (int i = first; i < p->groups; i++) all += plan_group_cost(k->n, &p->group[i]).condense;
  for (int i = first; i < p->groups; i++) {
    const double work = plan_group_cost(k->n, &p->group[i]).condense;
    const int own = tree_share_of(before, work, all, CHUNKS);
    if (own != chunk) add_run(k, begin, i);
    if (own != chunk) begin = i;
    chunk = own;
    before += work;
  }
  add_run(k, begin, p->groups);
  /* Nodes without children depend on nothing, like packs. */
  const bool with_packs = lowest == 0 && p->bands == 1 && p->packs > 0;
  if (with_packs) p->bands = 0;
  add_band(p, with_packs ? 0 : first_run, true);
}

static double work_of_node(const struct banding *k, int node)
{
  const struct group_plan single = {.width = 1, .node = {node}};
  return tree_work_of(plan_group_cost(k->n, &single));
}

/* Sums the work of all subtrees, and links the children that are left. Returns the work of all. */
static double sum_work(struct banding *k, int *roots)
{
  const struct node *node = k->n->node;
  double all = 0.0;
  *roots = -1;
  /* Reset. */
  for (int i = 0; i < k->lefts; i++) {
    const int a = k->left[i];
    k->child[a] = k->next[a] = -1;
    k->work[a] = 0.0;
    k->piece[a] = -1;
  }
  /* Children come before their parents. */
  for (int i = 0; i < k->lefts; i++) {
    const int a = k->left[i], above = node[a].parent;
    const double own = work_of_node(k, a);
    int *list = above < 0 ? roots : &k->child[above];
    k->work[a] += own;
    all += own;
    if (above >= 0) k->work[above] += k->work[a];
    k->next[a] = *list;
    *list = a;
  }
  return all;
}

/* Gives a piece to all subtrees whose work is small enough, in the order of a walk through the tree. */
static void choose_pieces(struct banding *k, int pieces, double share)
{
  int depth = 0, roots;
  const double most = share * sum_work(k, &roots);
  double all = 0.0, before = 0.0;
  /* The work of these subtrees. */
  for (int i = 0; i < k->lefts; i++) {
    const int a = k->left[i], above = k->n->node[a].parent;
    if (k->work[a] <= most && (above < 0 || k->work[above] > most)) all += k->work[a];
  }
  /* Walk from the roots down. */
  for (int a = roots; a >= 0; a = k->next[a]) k->list[depth++] = a;
  while (depth > 0) {
    const int a = k->list[--depth], above = k->n->node[a].parent;
    if (above >= 0 && k->piece[above] >= 0) {
      k->piece[a] = k->piece[above];
    } else if (k->work[a] <= most) {
      k->piece[a] = tree_share_of(before, k->work[a], all, pieces);
      before += k->work[a];
    }
    for (int c = k->child[a]; c >= 0; c = k->next[c]) k->list[depth++] = c;
  }
}

/* A band of separate subtrees. */
static void cut_pieces(struct banding *k, int pieces, double share)
{
  struct plan *p = k->p;
  const int first_run = p->runs;
  int count = 0, begin = p->groups;
  choose_pieces(k, pieces, share);
  for (int i = 0; i < k->lefts; i++)
    if (k->piece[k->left[i]] >= 0) k->list[count++] = k->left[i];
  qsort_r(k->list, (size_t)count, sizeof(int), by_level, k);
  /* A run for each piece, level by level. */
  for (int first = 0, end; first < count; first = end) {
    end = end_of_level(k, k->list, first, count);
    if (first > 0 && k->piece[k->list[first]] != k->piece[k->list[first - 1]]) {
      add_run(k, begin, p->groups);
      begin = p->groups;
    }
    group_nodes(k, k->list + first, end - first);
  }
  add_run(k, begin, p->groups);
  add_band(p, first_run, true);
  remove_grouped(k);
}

/* All levels that are left. */
static void take_levels(struct banding *k)
{
  struct plan *p = k->p;
  const int first_run = p->runs;
  for (int i = 0; i < k->lefts; i++) k->piece[k->left[i]] = 0;
  qsort_r(k->left, (size_t)k->lefts, sizeof(int), by_level, k);
  for (int first = 0, end; first < k->lefts; first = end) {
    const int begin = p->groups;
    end = end_of_level(k, k->left, first, k->lefts);
    group_nodes(k, k->left + first, end - first);
    add_run(k, begin, p->groups);
  }
  k->lefts = 0;
  add_band(p, first_run, false);
}

/* Groups no node above the packs. */
static void begin_bands(struct banding *k)
{
  struct plan *p = k->p;
  p->groups = k->packed;
  p->runs = p->packs;
  p->bands = 0;
  k->lefts = 0;
  for (int i = 0; i < k->n->count; i++) {
    if (p->group_of[i] >= 0 && p->group_of[i] < k->packed) continue;
    p->group_of[i] = -1;
    k->left[k->lefts++] = i;
  }
  add_band(p, 0, true);
}

/* Groups all nodes above the packs anew. */
static void apply_cuts(struct banding *k, const struct cut *cut, int cuts)
{
  begin_bands(k);
  for (int i = 0; i < cuts; i++) {
    for (int level = 0; level < cut[i].levels; level++) cut_level(k);
    if (cut[i].pieces > 1) cut_pieces(k, cut[i].pieces, cut[i].share);
  }
  take_levels(k);
}

static void set_mark(const struct banding *k, struct mark *o)
{
  const struct plan *p = k->p;
  o->groups = p->groups;
  o->runs = p->runs;
  o->bands = p->bands;
  o->lefts = k->lefts;
  if (p->bands > 0) o->first = p->band[0];
  memcpy(o->left, k->left, (size_t)k->lefts * sizeof *k->left);
}

static void return_to(struct banding *k, const struct mark *o)
{
  struct plan *p = k->p;
  p->groups = o->groups;
  p->runs = o->runs;
  p->bands = o->bands;
  if (o->bands > 0) p->band[0] = o->first;
  k->lefts = o->lefts;
  memcpy(k->left, o->left, (size_t)o->lefts * sizeof *o->left);
  for (int i = 0; i < o->lefts; i++) p->group_of[o->left[i]] = -1;
}

/* --- the search --- */

static const double WORTH = 40000.0, /* work that a band is shared from; see stage_worth_waking() */
    WAKE = 30000.0;                  /* time of a barrier */

/* Time of one pass through a band; sweep: a sweep, else a condensation. */
static double band_time(const struct plan *p, const struct tree_band *band, int shares, bool sweep)
{
  const double serial = sweep ? band->cost.sweep : band->cost.condense;
  if (shares == 1 || !band->separate || band->end - band->first < 2 || serial < WORTH) return serial;
  double of[16] = {0.0}, before = 0.0, most = 0.0;
  for (int i = band->first; i < band->end; i++) {
    const double work = tree_work_of(p->run[i].cost);
    const int share = tree_share_of(before, work, tree_work_of(band->cost), shares);
    before += work;
    of[share] += sweep ? p->run[i].cost.sweep : p->run[i].cost.condense;
    if (of[share] > most) most = of[share];
  }
  return most + WAKE;
}

static double plan_time(const struct plan *p, int shares)
{
  double sum = 0.0;
  for (int i = 0; i < p->bands; i++)
    sum += band_time(p, &p->band[i], shares, false) + TREE_SWEEPS * band_time(p, &p->band[i], shares, true);
  return sum;
}

/* Some pass through all groups is worth sharing. */
static bool can_share(const struct plan *p)
{
  struct tree_cost all = {0};
  for (int i = 0; i < p->bands; i++) all = add_costs(all, p->band[i].cost);
  return all.condense >= WORTH || all.sweep >= WORTH;
}

/* Time for some numbers of threads. */
static double plan_time_of_some(const struct plan *p)
{
  return plan_time(p, 2) + plan_time(p, 4) + plan_time(p, 8);
}

struct search {
  struct banding *k;
  struct cut cut[CUTS + 1], best;
  int cuts;
  struct mark at_cuts, at_levels; /* after all cuts that were found; then after levels of one that is tried */
  double time,
      most; /* the shortest time so far for some numbers of threads; the longest one for one thread */
};

/* pieces: of the cut after `levels` levels, which are made. */
static void try_pieces(struct search *s, int levels, int pieces, double share)
{
  struct banding *k = s->k;
  return_to(k, &s->at_levels);
  if (pieces > 1) cut_pieces(k, pieces, share);
  take_levels(k);
  const double now = plan_time_of_some(k->p);
  if (now >= s->time || plan_time(k->p, 1) > s->most) return;
  s->time = now;
  s->best = (struct cut){levels, pieces, share};
}

/* Finds the best further cut. Returns false if none pays. */
static bool add_cut(struct search *s)
{
  const double GAIN = 0.99;
  const bool large = s->k->n->count > LARGE;
  const double before = s->time;
  s->time *= GAIN;
  s->best = (struct cut){.pieces = 0};
  for (int levels = 0; levels <= LEVELS; levels++) {
    /* the levels */
    return_to(s->k, levels > 0 ? &s->at_levels : &s->at_cuts);
    if (levels > 0) cut_level(s->k);
    set_mark(s->k, &s->at_levels);
    /* then pieces */
    if (levels > 0) try_pieces(s, levels, 1, 1.0);
    for (int pieces = large ? 8 : 2; pieces <= 32; pieces *= large ? 4 : 2) {
      try_pieces(s, levels, pieces, 1.0 / pieces);
      try_pieces(s, levels, pieces, 0.5 / pieces);
      try_pieces(s, levels, pieces, 0.125 / pieces);
    }
  }
  s->cut[s->cuts] = s->best;
  if (s->best.pieces == 0) s->time = before;
  return s->best.pieces > 0;
}

/* Makes the cut that was found, after those before it. */
static void make_cut(struct search *s)
{
  const struct cut *cut = &s->cut[s->cuts++];
  return_to(s->k, &s->at_cuts);
  for (int level = 0; level < cut->levels; level++) cut_level(s->k);
  if (cut->pieces > 1) cut_pieces(s->k, cut->pieces, cut->share);
  set_mark(s->k, &s->at_cuts);
}

static bool search_cuts(struct banding *k)
{
  const double SLOWER = 1.004;
  struct search s = {.k = k};
  int *left = calloc(2 * ((size_t)k->n->count + 1), sizeof *left);
  if (!left) return false;
  s.at_cuts.left = left;
  s.at_levels.left = left + k->n->count + 1;
  /* without cuts */
  apply_cuts(k, NULL, 0);
  s.time = plan_time_of_some(k->p);
  s.most = SLOWER * plan_time(k->p, 1);
  /* One cut after the other. Where all groups together are too little work to share, no cut helps. */
  if (can_share(k->p)) {
    begin_bands(k);
    set_mark(k, &s.at_cuts);
    while (s.cuts < CUTS && add_cut(&s)) make_cut(&s);
    apply_cuts(k, s.cut, s.cuts);
  }
  free(left);
  return true;
}

static bool with_banding(struct nodes *n, struct plan *p, bool search)
{
  const size_t room = (size_t)n->count + 1;
  struct banding k = {.n = n, .p = p, .packed = p->packs ? p->run[p->packs - 1].end : 0};
  k.hash = calloc(room, sizeof *k.hash);
  k.work = calloc(room, sizeof *k.work);
  k.left = calloc(6 * room, sizeof *k.left);
  bool ok = k.hash && k.work && k.left;
  /* Plan: the packs have their costs first. */
  if (ok) {
    k.piece = k.left + room;
    k.list = k.piece + room;
    k.child = k.list + room;
    k.next = k.child + room;
    k.walk = k.next + room;
    ok = nodes_walk(n, k.walk) && (!search || plan_sort_packs(p, k.walk));
  }
  if (ok) {
    for (int i = 0; i < p->packs; i++) p->run[i] = run_of_groups(&k, p->run[i].first, p->run[i].end);
    if (!search) apply_cuts(&k, NULL, 0);
    ok = !search || search_cuts(&k);
  }
  free(k.hash);
  free(k.work);
  free(k.left);
  return ok;
}

bool plan_levels(struct nodes *n, struct plan *p)
{
  return with_banding(n, p, false);
}

bool plan_bands(struct nodes *n, struct plan *p)
{
  return with_banding(n, p, true);
}
