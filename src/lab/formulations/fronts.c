/* SPDX-License-Identifier: MIT
 * The matrix of fronts.h by the elimination of links/elimination.h: joints with the rows and bodies that absolute
 * coordinates give them. */
#include "formulations/fronts.h"

#include "coordinates/absolute.h"
#include "coordinates/forces_mean.h"
#include "links/elimination.h"

#include <stdlib.h>
#include <string.h>

struct fronts {
  struct elimination joints;
  int bodies, width, rows;
  double *compliance; /* (rows) */
  const struct front_rows *J;
  const struct mobility *mobility;
};

void fronts_free(struct fronts *o)
{
  if (!o) return;
  elimination_free(&o->joints);
  free(o->compliance);
  free(o);
}

static struct front_joint front_of_joint(const struct absolute_joint *j)
{
  struct front_joint o = {.first = j->first, .count = j->count};
  _Static_assert(sizeof o.body == sizeof j->body, "one place for each body");
  memcpy(o.body, j->body, sizeof o.body);
  return o;
}

/* A soft link, whose rows begin at `first`. */
static struct front_joint front_of_soft_link(const ali3_model *m, int link, int first)
{
  struct front_joint o = {.first = first};
  o.count = forces_soft_link(m, link, o.body);
  return o;
}

struct fronts *fronts_new(const struct problem *p, int width, bool soft)
{
  const struct absolute *a = p->own;
  const int links = soft ? forces_soft_links(p->model) : 0;
  struct fronts *o = calloc(1, sizeof *o);
  struct front_joint *list = calloc((size_t)(a->joints + links) + 1, sizeof *list);
  bool good = o && list;
  /* Joints, then soft links. */
  if (good) {
    *o = (struct fronts){.bodies = p->bodies, .width = width, .rows = a->rows};
    for (int j = 0; j < a->joints; j++) list[j] = front_of_joint(&a->joint[j]);
    for (int i = 0; i < links; i++) {
      list[a->joints + i] = front_of_soft_link(p->model, i, o->rows);
      o->rows += list[a->joints + i].count;
    }
    o->compliance = calloc((size_t)o->rows + 1, sizeof *o->compliance);
    good = o->compliance && elimination_make(&o->joints, list, a->joints + links, p->bodies);
  }
  free(list);
  if (good) return o;
  fronts_free(o);
  return NULL;
}

/* F += J_b W_b J_b' over the rows of the front. */
static void add_body_rows(const void *user, struct front *f, int b)
{
  const struct fronts *o = user;
  for (int i = 0; i < f->size; i++) {
    const double *own = o->J->columns(o->J->user, f->row[i], b);
    double turned[FRONTS_WIDTH];
    if (!own) continue;
    memcpy(turned, own, sizeof *turned * (size_t)o->width);
    o->mobility->apply(o->mobility->user, b, turned);
    for (int j = 0; j < f->size; j++) {
      const double *row = o->J->columns(o->J->user, f->row[j], b);
      for (int k = 0; row && k < o->width; k++) f->F[f->size * i + j] += turned[k] * row[k];
    }
  }
}

bool fronts_count(const struct fronts *o, int *levels, struct elimination_cost *cost)
{
  *levels = o->joints.levels;
  return elimination_count(&o->joints, cost);
}

bool fronts_factor(struct fronts *o, const struct front_rows *J, double c, const struct mobility *mobility)
{
  o->J = J;
  o->mobility = mobility;
  for (int i = 0; i < o->rows; i++) o->compliance[i] = c;
  return elimination_factor(&o->joints, add_body_rows, o, o->compliance);
}

void fronts_solve(const struct fronts *o, double *x)
{
  elimination_solve(&o->joints, x);
}
