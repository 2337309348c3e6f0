/* SPDX-License-Identifier: MIT
 * Set-up only: nested dissection. A few joints, a separator, split a mechanism into two halves of about equal size; each half
 * is split in the same way. A separator is eliminated after its halves, so their fronts stay small, and threads may
 * share them. Trusses and grids, whose rounds of cheap vertices meet all along their fronts, need it.
 *
 * Two ways make halves, and the smaller separator counts. A half grows from a body at the rim, and takes the body whose
 * joints lead into it most. Or bodies get a position between 0 and the distance of the rim, which repeated means of their
 * neighbours smooth, and the median splits them. Then bodies change sides while that removes rows from the separator
 * (Fiduccia and Mattheyses). Components that nothing connects are split one by one, so equal mechanisms side by side get
 * equal regions. */
#include "dca/dissect.h"

#include <stdlib.h>
#include <string.h>

enum {
  SMALLEST = 12, /* bodies of a region that is not split */
  PASSES = 4,    /* a separator is improved so often */
  IDLE = 60,     /* moves of a pass that may not improve it */
  MEANS = 100    /* distances are averaged over neighbours so often */
};
static const double LARGEST_HALF = 0.55; /* fraction of the bodies of a region that a half may have */

struct dissection {
  const struct tree_graph *g;
  const int *joint_first, *joint_of; /* joints of each body */
  int *region;                       /* (vertices) */
  int *side;                         /* (bodies) half of the present region; -1: not in it */
  int *gain;                         /* (bodies) rows that leave the separator if the body changes sides */
  bool *locked;                      /* (bodies) */
  int *moved;                        /* (bodies) bodies of the present pass, in order */
  int *queue;                        /* (bodies) */
  int *best;                         /* (bodies) sides of the first way */
  double *position, *mean;           /* (bodies) */
};

/* Rows of the joints of a body that lead to bodies of its own side, less those that lead to the other side. */
static int bond_of(const struct dissection *k, int body)
{
  const struct tree_graph *g = k->g;
  int bond = 0;
  for (int i = k->joint_first[body]; i < k->joint_first[body + 1]; i++) {
    const int joint = k->joint_of[i];
    for (int s = 0; s < TREE_SIDES; s++) {
      const int other = g->ends[joint][s];
      if (other < 0 || other == body || k->side[other] < 0) continue;
      bond += k->side[other] == k->side[body] ? vertex_size(g, joint) : -vertex_size(g, joint);
    }
  }
  return bond;
}

static void change_side(struct dissection *k, int body, int *second)
{
  const struct tree_graph *g = k->g;
  *second += k->side[body] ? -1 : 1;
  k->side[body] = !k->side[body];
  k->gain[body] = -bond_of(k, body);
  for (int i = k->joint_first[body]; i < k->joint_first[body + 1]; i++)
    for (int s = 0; s < TREE_SIDES; s++) {
      const int other = g->ends[k->joint_of[i]][s];
      if (other >= 0 && k->side[other] >= 0) k->gain[other] = -bond_of(k, other);
    }
}

/* Walks in breadth from a body: k->queue gets the bodies that joints connect to it, k->position their distance. Returns their
 * number.
 * locked: bodies that were reached; the walk does not reach them again. */
static int walk_from(struct dissection *k, int from)
{
  int first = 0, end = 0;
  k->queue[end++] = from;
  k->locked[from] = true;
  k->position[from] = 0.0;
  while (first < end) {
    const int b = k->queue[first++];
    for (int i = k->joint_first[b]; i < k->joint_first[b + 1]; i++)
      for (int s = 0; s < TREE_SIDES; s++) {
        const int other = k->g->ends[k->joint_of[i]][s];
        if (other < 0 || k->side[other] < 0 || k->locked[other]) continue;
        k->locked[other] = true;
        k->position[other] = k->position[b] + 1.0;
        k->queue[end++] = other;
      }
  }
  return end;
}

/* A body at the rim: the last one that a walk reaches, from the last one of another walk. */
static int body_at_rim(struct dissection *k, const int *body, int count)
{
  int from = body[0];
  for (int walk = 0; walk < 2; walk++) {
    for (int i = 0; i < count; i++) k->locked[body[i]] = false;
    from = k->queue[walk_from(k, from) - 1];
  }
  return from;
}

/* Adds the bodies of half 0 that joints connect to a body to a list. locked: bodies that were added. Returns their number. */
static int add_rim(struct dissection *k, int body, int *rim, int count)
{
  for (int i = k->joint_first[body]; i < k->joint_first[body + 1]; i++)
    for (int s = 0; s < TREE_SIDES; s++) {
      const int other = k->g->ends[k->joint_of[i]][s];
      if (other < 0 || k->side[other] != 0 || k->locked[other]) continue;
      k->locked[other] = true;
      rim[count++] = other;
    }
  return count;
}

/* Lets half 1 grow from a body until it has half of all bodies. */
static void grow_half(struct dissection *k, const int *body, int count, int from)
{
  int second = 0, rims = 0, rest = 0, *rim = k->queue;
  for (int i = 0; i < count; i++) {
    k->side[body[i]] = 0;
    k->locked[body[i]] = false;
  }
  for (int i = 0; i < count; i++) k->gain[body[i]] = -bond_of(k, body[i]);
  for (int next = from; second < count / 2;) {
    int best = 0;
    k->locked[next] = true;
    change_side(k, next, &second);
    rims = add_rim(k, next, rim, rims);
    /* The body at the rim that adds fewest rows to the separator; if there is none, any body. */
    for (int i = 1; i < rims; i++)
      if (k->gain[rim[i]] > k->gain[rim[best]]) best = i;
    while (rims == 0 && rest < count && k->side[body[rest]] != 0) rest++;
    if (rims == 0 && rest == count) return;
    next = rims > 0 ? rim[best] : body[rest];
    if (rims > 0) rim[best] = rim[--rims];
  }
}

/* Bodies change sides, the best one first, each once. Then all moves after the best state are taken back. Returns the rows that
 * left the separator. */
static int improve_once(struct dissection *k, const int *body, int count)
{
  const int most = (int)(LARGEST_HALF * count) + 1;
  int second = 0, moves = 0, sum = 0, best = 0, best_moves = 0;
  for (int i = 0; i < count; i++) {
    k->locked[body[i]] = false;
    second += k->side[body[i]];
  }
  /* Move the best body that the size of the halves allows. */
  while (moves < count && moves - best_moves < IDLE) {
    int next = -1;
    for (int i = 0; i < count; i++) {
      const int b = body[i], size = k->side[b] ? count - second : second;
      if (k->locked[b] || size + 1 > most || (next >= 0 && k->gain[b] <= k->gain[next])) continue;
      next = b;
    }
    if (next < 0) break;
    sum += k->gain[next];
    k->locked[next] = true;
    k->moved[moves++] = next;
    change_side(k, next, &second);
    if (sum <= best) continue;
    best = sum;
    best_moves = moves;
  }
  /* Take back all moves after the best state. */
  while (moves > best_moves) change_side(k, k->moved[--moves], &second);
  return best;
}

static void improve_separator(struct dissection *k, const int *body, int count)
{
  for (int pass = 0; pass < PASSES && improve_once(k, body, count) > 0; pass++) continue;
}

/* Rows of the separator, for each body of a joint between the halves. */
static int separator_rows(const struct dissection *k, const int *body, int count)
{
  const struct tree_graph *g = k->g;
  int rows = 0;
  for (int i = 0; i < count; i++)
    for (int j = k->joint_first[body[i]]; j < k->joint_first[body[i] + 1]; j++)
      for (int s = 0; s < TREE_SIDES; s++) {
        const int other = g->ends[k->joint_of[j]][s];
        if (other >= 0 && k->side[other] == !k->side[body[i]]) rows += vertex_size(g, k->joint_of[j]);
      }
  return rows;
}

/* Replaces the position of each body by the mean of it and its neighbours, many times. */
static void smooth_positions(struct dissection *k, const int *body, int count)
{
  for (int round = 0; round < MEANS; round++) {
    for (int i = 0; i < count; i++) {
      const int b = body[i];
      double sum = 0.0, weight = 0.0;
      for (int j = k->joint_first[b]; j < k->joint_first[b + 1]; j++)
        for (int s = 0; s < TREE_SIDES; s++) {
          const int other = k->g->ends[k->joint_of[j]][s];
          if (other < 0 || other == b || k->side[other] < 0) continue;
          sum += k->position[other];
          weight += 1.0;
        }
      k->mean[b] = weight > 0.0 ? 0.5 * (k->position[b] + sum / weight) : k->position[b];
    }
    for (int i = 0; i < count; i++) k->position[body[i]] = k->mean[body[i]];
  }
}

static int by_smoothed_position(const void *pa, const void *pb, void *dissection)
{
  const struct dissection *k = dissection;
  const int a = *(const int *)pa, b = *(const int *)pb;
  if (k->position[a] != k->position[b]) return k->position[a] < k->position[b] ? -1 : 1;
  return a - b;
}

/* Halves on both sides of the median position, by distance from the rim. */
static void split_at_median(struct dissection *k, const int *body, int count, int rim)
{
  for (int i = 0; i < count; i++) {
    k->locked[body[i]] = false;
    k->side[body[i]] = 0;
    k->position[body[i]] = 0.0;
  }
  walk_from(k, rim);
  smooth_positions(k, body, count);
  memcpy(k->queue, body, (size_t)count * sizeof *body);
  qsort_r(k->queue, (size_t)count, sizeof *body, by_smoothed_position, k);
  for (int i = count / 2; i < count; i++) k->side[k->queue[i]] = 1;
  for (int i = 0; i < count; i++) k->gain[body[i]] = -bond_of(k, body[i]);
}

static void split_in_halves(struct dissection *k, const int *body, int count)
{
  for (int i = 0; i < count; i++) k->side[body[i]] = 0;
  const int rim = body_at_rim(k, body, count);
  split_at_median(k, body, count, rim);
  improve_separator(k, body, count);
  const int rows = separator_rows(k, body, count);
  for (int i = 0; i < count; i++) k->best[i] = k->side[body[i]];
  grow_half(k, body, count, rim);
  improve_separator(k, body, count);
  if (separator_rows(k, body, count) < rows) return;
  for (int i = 0; i < count; i++) k->side[body[i]] = k->best[i];
}

/* The half that has all bodies of a joint; -1: both have some. */
static int half_of_joint(const struct dissection *k, int joint)
{
  int half = -1;
  for (int s = 0; s < TREE_SIDES; s++) {
    const int body = k->g->ends[joint][s];
    if (body < 0) continue;
    if (half >= 0 && k->side[body] != half) return -1;
    half = k->side[body];
  }
  return half;
}

/* Moves the bodies of half 1 behind those of half 0. Returns the number of the latter. */
static int sort_halves(struct dissection *k, int *body, int count)
{
  int first = 0, moved = 0;
  for (int i = 0; i < count; i++)
    if (k->side[body[i]])
      k->moved[moved++] = body[i];
    else
      body[first++] = body[i];
  memcpy(body + first, k->moved, (size_t)moved * sizeof *body);
  return first;
}

/* Splits a region of these bodies, and then its halves. */
static void split_region(struct dissection *k, int region, int *body, int count, struct regions *o)
{
  if (count < SMALLEST) return;
  const int first = o->count;
  split_in_halves(k, body, count);
  o->parent[first] = o->parent[first + 1] = region;
  o->count += 2;
  /* Bodies and joints go to the halves; the joints between them stay: the separator. */
  for (int i = 0; i < count; i++)
    for (int j = k->joint_first[body[i]]; j < k->joint_first[body[i] + 1]; j++) {
      const int joint = k->joint_of[j], half = half_of_joint(k, joint);
      if (k->region[joint] == region && half >= 0) k->region[joint] = first + half;
    }
  for (int i = 0; i < count; i++) k->region[k->g->joints + body[i]] = first + k->side[body[i]];
  const int halves = sort_halves(k, body, count);
  for (int i = 0; i < count; i++) k->side[body[i]] = -1;
  split_region(k, first, body, halves, o);
  split_region(k, first + 1, body + halves, count - halves, o);
}

/* Splits the bodies by what joints connect: each component is a region in region 0. body: all bodies that need not stay. */
static void split_components(struct dissection *k, const int *body, int count, int *component,
                             struct regions *o)
{
  const struct tree_graph *g = k->g;
  for (int i = 0; i < count; i++) k->side[body[i]] = 0;
  for (int i = 0; i < count; i++) {
    if (k->locked[body[i]]) continue;
    const int members = walk_from(k, body[i]), region = o->count++;
    memcpy(component, k->queue, (size_t)members * sizeof *component);
    for (int m = 0; m < members; m++) {
      const int b = component[m];
      k->region[g->joints + b] = region;
      for (int j = k->joint_first[b]; j < k->joint_first[b + 1]; j++) k->region[k->joint_of[j]] = region;
    }
    component += members;
  }
  for (int i = 0; i < count; i++) k->side[body[i]] = -1;
}

static int compare_bodies(const void *a, const void *b)
{
  return *(const int *)a - *(const int *)b;
}

bool dissect(const struct tree_graph *g, const int *joint_first, const int *joint_of, const bool *stays,
             struct regions *o)
{
  const size_t bodies = (size_t)g->bodies + 1, vertices = bodies + (size_t)g->joints;
  struct dissection k = {.g = g, .joint_first = joint_first, .joint_of = joint_of};
  *o = (struct regions){.count = 1};
  /* Allocate the regions and the work space. */
  o->of = calloc(vertices, sizeof(int));
  o->parent = calloc(3 * bodies, sizeof(int));
  int *list = calloc(7 * bodies, sizeof(int));
  k.locked = calloc(bodies, sizeof(bool));
  k.position = calloc(2 * bodies, sizeof(double));
  const bool ok = o->of && o->parent && list && k.locked && k.position;
  /* Split the bodies that need not stay. */
  if (ok) {
    int count = 0, *component = list + bodies;
    k.region = o->of;
    k.side = component + bodies;
    k.gain = k.side + bodies;
    k.moved = k.gain + bodies;
    k.queue = k.moved + bodies;
    k.best = k.queue + bodies;
    k.mean = k.position + bodies;
    o->parent[0] = -1;
    for (int b = 0; b < g->bodies; b++) {
      k.side[b] = -1;
      if (!stays[b]) list[count++] = b;
    }
    split_components(&k, list, count, component, o);
    for (int first = 0, end; first < count; first = end) {
      const int region = o->of[g->joints + component[first]];
      for (end = first + 1; end < count && o->of[g->joints + component[end]] == region;) end++;
      qsort(component + first, (size_t)(end - first), sizeof(int), compare_bodies);
      split_region(&k, region, component + first, end - first, o);
    }
  }
  free(list);
  free(k.locked);
  free(k.position);
  if (!ok) regions_free(o);
  return ok;
}

void regions_free(struct regions *o)
{
  free(o->of);
  free(o->parent);
  *o = (struct regions){0};
}
