/* SPDX-License-Identifier: MIT
 * The quotient graph of the elimination. An eliminated vertex remains as an element, the set of its boundary. Two
 * vertices are coupled if they share an element or an edge of the graph. So the memory for fill stays linear: a hub of
 * a thousand joints takes a thousand entries instead of a million. */
#include "dca/order.h"

#include "dca/dissect.h"

#include <stdlib.h>
#include <string.h>

enum { HUB_ROWS = 32 }; /* a body with more rows may stay until its joints have gone */

bool list_push(struct list *l, int item)
{
  if (l->count == l->room) {
    int room = l->room ? 2 * l->room : 4;
    int *p = realloc(l->item, (size_t)room * sizeof *p);
    if (!p) return false;
    l->item = p;
    l->room = room;
  }
  l->item[l->count++] = item;
  return true;
}

struct work {
  const struct tree_graph *g;
  struct order_rule rule;
  struct order *o;
  int *joint_first, *joint_of; /* joints of each body */
  bool *hub;                   /* (bodies) may stay until its joints have gone */
  /* (vertices) eliminated vertices whose boundary has this one; may include absorbed elements */
  struct list *element;
  bool *absorbed;         /* (vertices) a later element replaced this one */
  int *stamp, now;        /* marks of the vertices seen in one walk */
  struct list reach;      /* result of the last walk */
  double *cost;           /* (vertices) */
  int *blocked;           /* (vertices) round in which a neighbour was eliminated */
  struct regions regions; /* of nested dissection */
  int *inside;            /* (regions) vertices in its halves that are not eliminated */
  double fill;            /* numbers in the fronts so far */
  double largest;         /* largest front so far */
};

static bool is_eliminated(const struct work *w, int v)
{
  return w->o->rank[v] >= 0;
}

static bool see_vertex(struct work *w, int v)
{
  if (is_eliminated(w, v) || w->stamp[v] == w->now) return true;
  w->stamp[v] = w->now;
  return list_push(&w->reach, v);
}

/* Fills w->reach with the vertices coupled to v. The function also drops absorbed elements from v's list. */
static bool walk_neighbours(struct work *w, int v)
{
  const struct tree_graph *g = w->g;
  struct list *elements = &w->element[v];
  int count = 0;
  w->reach.count = 0;
  w->now++;
  w->stamp[v] = w->now;
  /* Vertices of adjacent elements: drop elements that were absorbed since the last walk. */
  for (int i = 0; i < elements->count; i++) {
    int e = elements->item[i];
    if (w->absorbed[e]) continue;
    elements->item[count++] = e;
    for (int k = 0; k < w->o->boundary[e].count; k++)
      if (!see_vertex(w, w->o->boundary[e].item[k])) return false;
  }
  elements->count = count;
  /* Vertices adjacent in the graph itself. */
  if (v < g->joints) {
    for (int side = 0; side < TREE_SIDES; side++)
      if (g->ends[v][side] >= 0 && !see_vertex(w, g->joints + g->ends[v][side])) return false;
  } else {
    int b = v - g->joints;
    for (int k = w->joint_first[b]; k < w->joint_first[b + 1]; k++)
      if (!see_vertex(w, w->joint_of[k])) return false;
  }
  return true;
}

static double elimination_cost(const struct work *w, int v)
{
  double p = vertex_size(w->g, v), b = 0;
  for (int i = 0; i < w->reach.count; i++) b += vertex_size(w->g, w->reach.item[i]);
  return p * p * p / 3 + p * p * b + p * b * b;
}

static bool vertex_is_carried(const struct work *w, int body)
{
  return w->g->carried && w->g->carried[body];
}

static bool joints_gone(const struct work *w, int body)
{
  for (int k = w->joint_first[body]; k < w->joint_first[body + 1]; k++)
    if (!is_eliminated(w, w->joint_of[k])) return false;
  return true;
}

/* A carried body goes last. A joint may go after all of its bodies that are not hubs, and after at least one body:
 * only then its pivot is larger than the compliance. A joint between carried bodies alone never has a larger pivot. */
static bool is_eligible(const struct work *w, int v)
{
  const struct tree_graph *g = w->g;
  if (is_eliminated(w, v) || (w->inside && w->inside[w->regions.of[v]] > 0)) return false;
  if (v >= g->joints) return !vertex_is_carried(w, v - g->joints) || joints_gone(w, v - g->joints);
  int gone = 0, able = 0;
  for (int side = 0; side < TREE_SIDES; side++) {
    int body = g->ends[v][side];
    if (body < 0) continue;
    able += !vertex_is_carried(w, body);
    if (is_eliminated(w, g->joints + body))
      gone++;
    else if (!w->hub[body])
      return false;
  }
  return gone > 0 || able == 0 || (g->soft && g->soft[v]);
}

static void note_largest(struct work *w, int v, double front)
{
  const struct tree_graph *g = w->g;
  const bool joint = v < g->joints;
  if (!g->excess || front <= w->largest) return;
  w->largest = front;
  *g->excess =
      (struct tree_excess){.body = joint ? -1 : v - g->joints, .joint = joint ? v : -1, .joints = joint};
  for (int i = 0; i < w->reach.count; i++) g->excess->joints += w->reach.item[i] < g->joints;
}

/* Counts the front of v before its memory is allocated. Later eliminations remove at most TREE_Y unknowns of the
 * boundary at a time, so their fronts need at least boundary^3 / (6 TREE_Y) numbers. */
static bool front_fits(struct work *w, int v)
{
  const double most = (double)TREE_FRONTS_MB * (1 << 20) / sizeof(double);
  double boundary = 0.0;
  for (int i = 0; i < w->reach.count; i++) boundary += vertex_size(w->g, w->reach.item[i]);
  const double front = boundary + vertex_size(w->g, v);
  w->fill += front * (front + 1.0) / 2.0;
  note_largest(w, v, front);
  const double least = w->fill + boundary * boundary * boundary / (6.0 * TREE_Y);
  if (least <= most) return true;
  if (w->g->excess) {
    w->g->excess->found = true;
    w->g->excess->bytes = least * sizeof(double);
  }
  return false;
}

/* Counts a vertex in all regions whose halves have it. */
static void count_inside(struct work *w, int v, int step)
{
  for (int r = w->regions.parent[w->regions.of[v]]; r >= 0; r = w->regions.parent[r]) w->inside[r] += step;
}

static bool eliminate_vertex(struct work *w, int v, int rank, int round)
{
  struct order *o = w->o;
  if (!walk_neighbours(w, v) || !front_fits(w, v)) return false;
  if (w->inside) count_inside(w, v, -1);
  o->rank[v] = rank;
  o->vertex[rank] = v;
  for (int i = 0; i < w->element[v].count; i++) {
    w->absorbed[w->element[v].item[i]] = true;
    if (!list_push(&o->child[v], w->element[v].item[i])) return false;
  }
  for (int i = 0; i < w->reach.count; i++) {
    int u = w->reach.item[i];
    w->blocked[u] = round;
    if (!list_push(&o->boundary[v], u) || !list_push(&w->element[u], v)) return false;
  }
  return true;
}

static int compare_vertices(const void *a, const void *b)
{
  double d = *(const double *)a - *(const double *)b;
  return (d > 0) - (d < 0);
}

static bool vertex_waits(const struct work *w, int v)
{
  const int *ends = w->g->ends[v < w->g->joints ? v : 0];
  return w->rule.ground_last && v < w->g->joints && (ends[0] < 0 || ends[1] < 0);
}

/* remaining: (left) vertices not eliminated, ascending. sorted: scratch of the same length. */
static bool run_rounds(struct work *w, int *remaining, double *sorted)
{
  int left = w->o->vertices, rank = 0;
  for (int i = 0; i < left; i++) remaining[i] = i;
  for (int round = 1; left > 0; round++) {
    int able = 0, count = 0;
    /* Compute the costs of all vertices that may go now. */
    for (int i = 0; i < left; i++) {
      int v = remaining[i];
      w->cost[v] = -1.0;
      if (!is_eligible(w, v)) continue;
      if (!walk_neighbours(w, v)) return false;
      sorted[able++] = w->cost[v] = elimination_cost(w, v);
    }
    /* The median cost limits the vertices of this round. */
    qsort(sorted, (size_t)able, sizeof *sorted, compare_vertices);
    double limit = w->rule.dear * sorted[(able - 1) / 2];
    /* Eliminate them, joints to the ground last if the rule says so. Each one blocks its neighbours for this round. */
    for (int late = 0; late <= w->rule.ground_last; late++)
      for (int i = 0; i < left; i++) {
        int v = remaining[i];
        bool cheap = w->cost[v] >= 0.0 && w->cost[v] <= limit;
        if (!cheap || w->blocked[v] == round || vertex_waits(w, v) != late) continue;
        if (!eliminate_vertex(w, v, rank++, round)) return false;
      }
    /* All other vertices wait for the next round. */
    for (int i = 0; i < left; i++)
      if (!is_eliminated(w, remaining[i])) remaining[count++] = remaining[i];
    left = count;
  }
  return true;
}

static bool is_hub(const struct work *w, int body)
{
  int rows = 0;
  if (vertex_is_carried(w, body)) return true;
  for (int k = w->joint_first[body]; k < w->joint_first[body + 1]; k++)
    rows += vertex_size(w->g, w->joint_of[k]);
  return rows > HUB_ROWS;
}

static bool joints_of_bodies(struct work *w)
{
  const struct tree_graph *g = w->g;
  w->joint_first = calloc((size_t)g->bodies + 1, sizeof(int));
  w->joint_of = calloc(TREE_SIDES * (size_t)g->joints + 1, sizeof(int));
  w->hub = calloc((size_t)g->bodies + 1, sizeof(bool));
  int *fill = calloc((size_t)g->bodies + 1, sizeof(int));
  bool ok = w->joint_first && w->joint_of && w->hub && fill;
  if (ok) {
    /* Count, accumulate, fill in: the joints of body b begin at joint_of[joint_first[b]]. */
    for (int j = 0; j < g->joints; j++)
      for (int side = 0; side < TREE_SIDES; side++)
        if (g->ends[j][side] >= 0) w->joint_first[g->ends[j][side] + 1]++;
    for (int b = 0; b < g->bodies; b++) w->joint_first[b + 1] += w->joint_first[b];
    memcpy(fill, w->joint_first, ((size_t)g->bodies + 1) * sizeof(int));
    for (int j = 0; j < g->joints; j++)
      for (int side = 0; side < TREE_SIDES; side++)
        if (g->ends[j][side] >= 0) w->joint_of[fill[g->ends[j][side]]++] = j;
    for (int b = 0; b < g->bodies; b++) w->hub[b] = is_hub(w, b);
  }
  free(fill);
  return ok;
}

static bool make_regions(struct work *w)
{
  if (!dissect(w->g, w->joint_first, w->joint_of, w->hub, &w->regions)) return false;
  w->inside = calloc((size_t)w->regions.count, sizeof *w->inside);
  for (int v = 0; v < w->o->vertices && w->inside; v++) count_inside(w, v, 1);
  return w->inside;
}

bool order_compute(const struct tree_graph *g, struct order_rule rule, struct order *o)
{
  size_t n = (size_t)g->joints + (size_t)g->bodies, room = n + 1;
  *o = (struct order){.vertices = (int)n};
  /* Allocate the result and the work space. */
  o->rank = malloc(room * sizeof(int));
  o->vertex = malloc(room * sizeof(int));
  o->boundary = calloc(room, sizeof(struct list));
  o->child = calloc(room, sizeof(struct list));
  struct work w = {.g = g, .rule = rule, .o = o};
  w.element = calloc(room, sizeof(struct list));
  w.absorbed = calloc(room, sizeof(bool));
  w.stamp = calloc(room, sizeof(int));
  w.cost = calloc(room, sizeof(double));
  w.blocked = calloc(room, sizeof(int));
  int *remaining = malloc(room * sizeof(int));
  double *sorted = malloc(room * sizeof(double));
  bool ok = o->rank && o->vertex && o->boundary && o->child && w.element && w.absorbed && w.stamp && w.cost &&
            w.blocked && remaining && sorted && joints_of_bodies(&w) && (!rule.dissect || make_regions(&w));
  /* Number the vertices in rounds. */
  if (ok) {
    for (size_t i = 0; i < n; i++) o->rank[i] = -1;
    ok = run_rounds(&w, remaining, sorted);
  }
  /* Free the work space, also after a failure. */
  if (w.element)
    for (size_t i = 0; i < n; i++) free(w.element[i].item);
  free(w.element);
  free(w.absorbed);
  free(w.stamp);
  free(w.cost);
  free(w.blocked);
  free(w.joint_first);
  free(w.joint_of);
  free(w.hub);
  free(w.reach.item);
  free(w.inside);
  regions_free(&w.regions);
  free(remaining);
  free(sorted);
  if (!ok) order_free(o);
  return ok;
}

void order_free(struct order *o)
{
  for (int i = 0; i < o->vertices; i++) {
    if (o->boundary) free(o->boundary[i].item);
    if (o->child) free(o->child[i].item);
  }
  free(o->rank);
  free(o->vertex);
  free(o->boundary);
  free(o->child);
  *o = (struct order){0};
}
