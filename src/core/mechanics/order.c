/* SPDX-License-Identifier: MIT
 * Set-up. Minimum degree on the quotient graph. An eliminated body becomes an element, the list of its neighbours at that
 * time, and absorbs the elements it was in. Degrees are the upper bounds of Amestoy, Davis and Duff (1996). */
#include "mechanics/order.h"

#include "base/arena.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A list that grows. */
struct list {
  int *item;
  int count, room;
};

struct graph {
  int n;
  void *block; /* holds all arrays; items of lists are apart */
  struct list
      *near; /* (n) bodies that share rows with a body; eliminated bodies are removed at the next reading */
  struct list *element; /* (n) elements that a body is in */
  struct list *member;  /* (n) bodies of the element of an eliminated body */
  int *degree;
  bool *gone;     /* eliminated, or set aside as a hub */
  bool *absorbed; /* elements that another element absorbed */
  int *mark, stamp;
  int *outside, *seen; /* members of an element that are not in the new element; stamp of this number */
  int *first, *next, *before; /* bodies of each degree, a doubly linked list */
  int least;                  /* a lower bound of all degrees */
};

static bool list_append(struct list *l, int item)
{
  if (l->count == l->room) {
    int room = l->room ? 2 * l->room : 4;
    int *grown = realloc(l->item, (size_t)room * sizeof *grown);
    if (!grown) return false;
    l->item = grown;
    l->room = room;
  }
  l->item[l->count++] = item;
  return true;
}

static void list_clear(struct list *l)
{
  free(l->item);
  *l = (struct list){0};
}

static void graph_free(struct graph *g)
{
  for (int i = 0; g->block && i < g->n; i++) {
    list_clear(&g->near[i]);
    list_clear(&g->element[i]);
    list_clear(&g->member[i]);
  }
  free(g->block);
}

/* Places all arrays of the graph. */
static void graph_lay_out(struct graph *g, struct arena *a)
{
  const size_t size = (size_t)g->n + 1;
  /* Neighbours, elements, and members of elements. */
  g->near = arena_take(a, size, sizeof *g->near);
  g->element = arena_take(a, size, sizeof *g->element);
  g->member = arena_take(a, size, sizeof *g->member);
  /* Marks and degrees. */
  g->degree = arena_take(a, size, sizeof *g->degree);
  g->gone = arena_take(a, size, sizeof *g->gone);
  g->absorbed = arena_take(a, size, sizeof *g->absorbed);
  g->mark = arena_take(a, size, sizeof *g->mark);
  g->outside = arena_take(a, size, sizeof *g->outside);
  g->seen = arena_take(a, size, sizeof *g->seen);
  /* The queue by degree: a doubly linked list for each degree. */
  g->first = arena_take(a, size, sizeof *g->first);
  g->next = arena_take(a, size, sizeof *g->next);
  g->before = arena_take(a, size, sizeof *g->before);
}

static bool graph_new(struct graph *g, int n)
{
  struct arena sizing = {0};
  *g = (struct graph){.n = n};
  graph_lay_out(g, &sizing);
  g->block = aligned_zalloc(sizing.used);
  if (!g->block) return false;
  graph_lay_out(g, &(struct arena){.base = g->block});
  for (int i = 0; i <= n; i++) g->first[i] = -1;
  return true;
}

static void take_out(struct graph *g, int i)
{
  if (g->before[i] >= 0)
    g->next[g->before[i]] = g->next[i];
  else
    g->first[g->degree[i]] = g->next[i];
  if (g->next[i] >= 0) g->before[g->next[i]] = g->before[i];
}

static void put_in(struct graph *g, int i, int degree)
{
  g->degree[i] = degree;
  g->before[i] = -1;
  g->next[i] = g->first[degree];
  if (g->next[i] >= 0) g->before[g->next[i]] = i;
  g->first[degree] = i;
  if (degree < g->least) g->least = degree;
}

/* Lists neighbours without repetition. */
static bool connect_bodies(struct graph *g, const struct clique *clique, int cliques)
{
  bool ok = true;
  for (int c = 0; c < cliques; c++)
    for (int i = 0; i < clique[c].count; i++)
      for (int k = 0; k < clique[c].count; k++)
        if (i != k) ok = ok && list_append(&g->near[clique[c].body[i]], clique[c].body[k]);
  for (int i = 0; i < g->n; i++) {
    struct list *l = &g->near[i];
    int count = 0;
    g->stamp++;
    for (int k = 0; k < l->count; k++) {
      if (g->mark[l->item[k]] == g->stamp) continue;
      g->mark[l->item[k]] = g->stamp;
      l->item[count++] = l->item[k];
    }
    l->count = count;
  }
  return ok;
}

/* Puts hubs, bodies with many neighbours, last. Each elimination of a neighbour would read all neighbours of a hub. */
static int set_hubs_aside(struct graph *g, int *position)
{
  int limit = (int)fmax(64.0, 10.0 * sqrt(g->n)), hubs = 0;
  for (int i = g->n - 1; i >= 0; i--) {
    if (g->near[i].count <= limit) continue;
    g->gone[i] = true;
    position[i] = g->n - 1 - hubs++;
  }
  return g->n - hubs;
}

/* Forms the element of an eliminated body: every body that it shares rows or elements with. It absorbs these elements. */
static bool form_element(struct graph *g, int pivot)
{
  struct list *to = &g->member[pivot];
  bool ok = true;
  /* Members are all neighbours of the pivot: by rows (e = -1) and by its elements. */
  g->mark[pivot] = ++g->stamp;
  for (int e = -1; e < g->element[pivot].count; e++) {
    int element = e < 0 ? -1 : g->element[pivot].item[e];
    if (element >= 0 && g->absorbed[element]) continue;
    struct list *from = element < 0 ? &g->near[pivot] : &g->member[element];
    for (int k = 0; k < from->count; k++) {
      int i = from->item[k];
      if (g->gone[i] || g->mark[i] == g->stamp) continue;
      g->mark[i] = g->stamp;
      ok = ok && list_append(to, i);
    }
    /* The new element replaces the old one. */
    if (element < 0) continue;
    g->absorbed[element] = true;
    list_clear(from);
  }
  /* The pivot is adjacent to its element only. */
  list_clear(&g->near[pivot]);
  list_clear(&g->element[pivot]);
  return ok;
}

/* Counts the members outside of the new element, for each element that shares a member with it. */
static void count_outside(struct graph *g, const struct list *fresh)
{
  for (int k = 0; k < fresh->count; k++) {
    const struct list *of = &g->element[fresh->item[k]];
    for (int e = 0; e < of->count; e++) {
      int element = of->item[e];
      if (g->absorbed[element]) continue;
      if (g->seen[element] != g->stamp) {
        const struct list *all = &g->member[element];
        g->outside[element] = 0;
        for (int i = 0; i < all->count; i++) g->outside[element] += !g->gone[all->item[i]];
        g->seen[element] = g->stamp;
      }
      g->outside[element]--;
    }
  }
}

/* Removes neighbours and elements that the new element covers from the lists of a member, and updates its degree. */
static bool update_degrees(struct graph *g, int i, int pivot, int left)
{
  struct list *near = &g->near[i], *of = &g->element[i];
  int count = 0, degree = g->member[pivot].count - 1;
  for (int k = 0; k < near->count; k++)
    if (!g->gone[near->item[k]] && g->mark[near->item[k]] != g->stamp) near->item[count++] = near->item[k];
  degree += near->count = count;
  count = 0;
  for (int e = 0; e < of->count; e++) {
    if (g->absorbed[of->item[e]]) continue;
    degree += g->outside[of->item[e]];
    of->item[count++] = of->item[e];
  }
  of->count = count;
  take_out(g, i);
  put_in(g, i, degree < left ? degree : left);
  return list_append(of, pivot);
}

static bool eliminate_body(struct graph *g, int pivot, int left)
{
  struct list *fresh = &g->member[pivot];
  bool ok = form_element(g, pivot);
  g->gone[pivot] = true;
  count_outside(g, fresh);
  for (int k = 0; k < fresh->count; k++) ok = ok && update_degrees(g, fresh->item[k], pivot, left);
  return ok;
}

bool order_bodies(int bodies, const struct clique *clique, int cliques, int *position)
{
  struct graph g;
  bool ok = graph_new(&g, bodies) && connect_bodies(&g, clique, cliques);
  if (ok) {
    /* Put hubs last, and all other bodies into the queue by degree. */
    int count = set_hubs_aside(&g, position);
    for (int i = bodies - 1; i >= 0; i--) {
      int degree = 0;
      for (int k = 0; k < g.near[i].count; k++) degree += !g.gone[g.near[i].item[k]];
      if (!g.gone[i]) put_in(&g, i, degree);
    }
    /* Eliminate a body of the least degree. */
    g.least = 0;
    for (int done = 0; ok && done < count; done++) {
      while (g.first[g.least] < 0) g.least++;
      int pivot = g.first[g.least];
      take_out(&g, pivot);
      ok = eliminate_body(&g, pivot, count - done - 1);
      position[pivot] = done;
    }
  }
  graph_free(&g);
  return ok;
}
