/* SPDX-License-Identifier: MIT
 * Set-up: finds the bodies that their joints carry (dca/tree.h). Masses are compared within a cluster, which is a set of
 * bodies that rigid or soft links connect without the ground. */
#include "layout/layout.h"

#include <math.h>
#include <stdlib.h>

/* Mass over the heaviest mass of the cluster. With a smaller ratio the mass would be lost in sums of delta = h/m, and the
 * body is carried as if it had none. */
static const double LIGHT = 1e-5;

struct cluster {
  double heaviest;
  double mass, moment; /* sums of logarithms */
  int count;           /* bodies in these sums */
};

/* The root of the cluster of a body, with path halving. */
static int cluster_root(int *to, int body)
{
  while (to[body] != body) body = to[body] = to[to[body]];
  return body;
}

static void connect_clusters(const struct frozen *f, int *to)
{
  for (int i = 0; i < f->links; i++) {
    int first = ALI3_GROUND;
    for (int side = 0; side < f->link[i].sides; side++) {
      int b = f->link[i].body[side];
      if (b == ALI3_GROUND) continue;
      if (first != ALI3_GROUND) to[cluster_root(to, b)] = cluster_root(to, first);
      first = b;
    }
  }
}

/* log2(x) to 0.09, without a function of the math library that needs a recent one: a typical value is an order of magnitude. */
static double rough_log2(double x)
{
  int exponent;
  const double fraction = frexp(x, &exponent);
  return exponent - 1 + (2.0 * fraction - 1.0);
}

/* Its inverse. */
static double power_of_two(double y)
{
  const double whole = floor(y);
  return ldexp(1.0 + (y - whole), (int)whole);
}

static double mean_moment(const struct body *b)
{
  return (b->spec.inertia[0] + b->spec.inertia[4] + b->spec.inertia[8]) / 3.0;
}

static void find_typical(const ali3_model *m, struct frozen *f, int *to, struct cluster *cluster)
{
  for (int b = 0; b < m->bodies; b++) {
    struct cluster *c = &cluster[cluster_root(to, b)];
    if (f->carried[b]) continue;
    c->mass += rough_log2(m->body[b].spec.mass);
    c->moment += rough_log2(mean_moment(&m->body[b]));
    c->count++;
  }
  for (int b = 0; b < m->bodies; b++) {
    const struct cluster *c = &cluster[cluster_root(to, b)];
    f->typical[b] = (struct typical){1.0, 1.0};
    if (c->count > 0)
      f->typical[b] = (struct typical){power_of_two(c->mass / c->count), power_of_two(c->moment / c->count)};
  }
}

bool layout_find_carried(const ali3_model *m, struct frozen *f)
{
  int *to = malloc(((size_t)m->bodies + 1) * sizeof *to);
  struct cluster *cluster = calloc((size_t)m->bodies + 1, sizeof *cluster);
  if (to && cluster) {
    for (int b = 0; b < m->bodies; b++) to[b] = b;
    connect_clusters(f, to);
    for (int b = 0; b < m->bodies; b++) {
      double *heaviest = &cluster[cluster_root(to, b)].heaviest;
      *heaviest = fmax(*heaviest, m->body[b].spec.mass);
    }
    /* A body without an inverse, and one that is light beside the heaviest of its cluster. */
    for (int b = 0; b < m->bodies; b++)
      f->carried[b] =
          m->body[b].singular || m->body[b].spec.mass < LIGHT * cluster[cluster_root(to, b)].heaviest;
    find_typical(m, f, to, cluster);
  }
  bool ok = to && cluster;
  free(to);
  free(cluster);
  return ok;
}
