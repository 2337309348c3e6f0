/* SPDX-License-Identifier: MIT */
#include "dca/solved.h"
#include "check.h"
#include "dca/plain.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct quality {
  double residual;  /* |S z - beta| / |beta| */
  double increment; /* |delta J'(z - exact)| / |delta J' exact| */
};
static const char *const kind_name[KINDS] = {"without hubs held fast", "with hubs held fast",
                                             "with hubs held fast, refined"};
static struct quality worst[ISA_COUNT][KINDS], worst_plain;
enum { REFINEMENTS = 3 };

static void dense_solve(long double *S, int n, const double *beta, double *z)
{
  size_t ld = (size_t)n;
  long double *x = calloc(ld + 1, sizeof *x);
  assert_non_null(x);
  for (size_t j = 0; j < ld; j++) {
    for (size_t k = 0; k < j; k++) {
      long double f = S[j * ld + k];
      for (size_t i = j; i < ld; i++) S[i * ld + j] -= S[i * ld + k] * f;
    }
    long double d = sqrtl(S[j * ld + j]);
    assert_true(d > 0.0L);
    for (size_t i = j; i < ld; i++) S[i * ld + j] /= d;
  }
  for (size_t i = 0; i < ld; i++) {
    x[i] = beta[i];
    for (size_t k = 0; k < i; k++) x[i] -= S[i * ld + k] * x[k];
    x[i] /= S[i * ld + i];
  }
  for (size_t i = ld; i-- > 0;) {
    for (size_t k = i + 1; k < ld; k++) x[i] -= S[k * ld + i] * x[k];
    x[i] /= S[i * ld + i];
    z[i] = (double)x[i];
  }
  free(x);
}

double norm(const double *x, size_t n)
{
  double s = 0.0;
  for (size_t i = 0; i < n; i++) s += x[i] * x[i];
  return sqrt(s);
}

/* r = beta - S z; returns |r| / |beta| */
static double residual(const struct graph *g, const long double *S, const double *z, double *r)
{
  size_t n = (size_t)graph_rows(g);
  for (size_t i = 0; i < n; i++) {
    long double sum = g->beta[i];
    for (size_t k = 0; k < n; k++) sum -= S[i * n + k] * z[k];
    r[i] = (double)sum;
  }
  return norm(r, n) / norm(g->beta, n);
}

static double increment_error(const struct graph *g, const double *z, const double *exact)
{
  size_t n = (size_t)g->g.bodies * TREE_Y;
  double(*a)[TREE_Y] = calloc((size_t)g->g.bodies, sizeof *a),
  (*b)[TREE_Y] = calloc((size_t)g->g.bodies, sizeof *b);
  assert_true(a && b);
  graph_increments(g, z, a);
  graph_increments(g, exact, b);
  double size = norm(b[0], n);
  for (size_t i = 0; i < n; i++) a[i / TREE_Y][i % TREE_Y] -= b[i / TREE_Y][i % TREE_Y];
  double error = norm(a[0], n) / size;
  free(a);
  free(b);
  return error;
}

static void judge(struct variant v, int kind, struct quality q, const char *what)
{
  if (!(q.residual < limit[kind] && q.increment < limit[kind]))
    fail_msg("%s, %s, %s: residual %.1e, increment %.1e", what, variant_name(v), kind_name[kind], q.residual,
             q.increment);
  worst[v.isa][kind].residual = fmax(worst[v.isa][kind].residual, q.residual);
  worst[v.isa][kind].increment = fmax(worst[v.isa][kind].increment, q.increment);
}

void reference_new(struct reference *o, const struct graph *g)
{
  size_t n = (size_t)graph_rows(g);
  long double *L = calloc(n * n + 1, sizeof *L);
  *o = (struct reference){g, calloc(n * n + 1, sizeof *o->S), calloc(n + 1, sizeof *o->z)};
  assert_true(o->S && L && o->z);
  graph_dense(g, o->S);
  memcpy(L, o->S, n * n * sizeof *L);
  dense_solve(L, (int)n, g->beta, o->z);
  free(L);
}

/* r: beta - S z */
static struct quality quality_of(const struct reference *f, const double *z, double *r)
{
  return (struct quality){residual(f->g, f->S, z, r), increment_error(f->g, z, f->z)};
}

/* The plain recursion agrees with the dense system. */
static void check_plain(const struct reference *f, const char *what)
{
  const size_t rows = (size_t)graph_rows(f->g);
  double *z = calloc(rows + 1, sizeof *z), *r = calloc(rows + 1, sizeof *r);
  assert_true(z && r);
  plain_solve(f->g, z);
  struct quality q = quality_of(f, z, r);
  if (!(q.residual < limit[PLAIN] && q.increment < limit[PLAIN]))
    fail_msg("%s, plain: residual %.1e, increment %.1e", what, q.residual, q.increment);
  worst_plain.residual = fmax(worst_plain.residual, q.residual);
  worst_plain.increment = fmax(worst_plain.increment, q.increment);
  free(z);
  free(r);
}

void reference_free(struct reference *o)
{
  free(o->S);
  free(o->z);
}

/* The error of the hubs' increments, which the tree computes itself. Refinements of z do not change them. */
static double hub_error(const struct reference *f, double (*e)[TREE_Y], const int *hub_at)
{
  double(*exact)[TREE_Y] = calloc((size_t)f->g->g.bodies + 1, sizeof *exact), off = 0.0;
  assert_non_null(exact);
  graph_increments(f->g, f->z, exact);
  for (int b = 0; b < f->g->g.bodies; b++)
    for (int y = 0; y < TREE_Y && hub_at[b] >= 0; y++)
      off += (e[b][y] + exact[b][y]) * (e[b][y] + exact[b][y]);
  off = sqrt(off) / norm(exact[0], TREE_Y * (size_t)f->g->g.bodies);
  free(exact);
  return off;
}

/* Compares z of a system, alone or beside others, with its reference. With hubs it refines z and compares again. */
static void compare(const struct reference *f, int parts, struct stored *s, double *z, double (*e)[TREE_Y],
                    const char *what)
{
  size_t rows = (size_t)graph_rows(s->graph);
  double *r = calloc(rows + 1, sizeof *r), *more = calloc(rows + 1, sizeof *more);
  bool fast = s->tree->ill_conditioned;
  assert_true(r && more);
  for (int k = 0; k <= (fast ? REFINEMENTS : 0); k++) {
    int row = 0, body = 0;
    if (k > 0) stored_sweep(s, r, NULL, more, e);
    for (size_t i = 0; i < rows && k > 0; i++) z[i] += more[i];
    for (int i = 0; i < parts; i++) {
      struct quality q = quality_of(&f[i], z + row, r + row);
      if (k == 0 && s->tree->hubs > 0) {
        double off = hub_error(&f[i], e + body, s->tree->hub_at + body);
        if (!(off < limit[fast ? HUBS : PLAIN]))
          fail_msg("%s, %s: error of the hubs' increments %.1e", what, variant_name(s->variant), off);
      }
      if (k == 0) judge(s->variant, fast ? HUBS : PLAIN, q, what);
      if (k == REFINEMENTS) judge(s->variant, REFINED, q, what);
      row += graph_rows(f[i].g);
      body += f[i].g->g.bodies;
    }
  }
  free(r);
  free(more);
}

void solve_and_compare(const struct graph *g, const struct reference *f, int parts, struct variant v,
                       const char *what)
{
  size_t n = (size_t)graph_rows(g), bodies = (size_t)g->g.bodies;
  struct stored s;
  double *z = calloc(n + 1, sizeof *z), *once = calloc(n + 1, sizeof *once);
  double(*e)[TREE_Y] = calloc(bodies + 1, sizeof *e);
  assert_true(z && once && e);
  stored_new(&s, g, v);
  assert_int_equal(stored_condense(&s), -1);
  stored_sweep(&s, g->beta, NULL, once, e);
  stored_sweep(&s, g->beta, NULL, z, e);
  assert_memory_equal(once, z, n * sizeof *once);
  if (n > 0) compare(f, parts, &s, z, e, what);
  stored_free(&s);
  free(z);
  free(once);
  free(e);
}

void check_graph(struct graph *g, struct random *random, double compliance, double relative, bool redundant,
                 const char *what)
{
  struct variant v[VARIANTS];
  struct reference f;
  if (redundant || random_below(random, 2)) graph_shuffle(g, random);
  graph_numbers(g, random, compliance, relative, redundant);
  reference_new(&f, g);
  if (graph_rows(g) > 0) check_plain(&f, what);
  for (int i = 0, count = variants(v); i < count; i++) solve_and_compare(g, &f, 1, v[i], what);
  reference_free(&f);
  graph_free(g);
}

int report_worst(void **state)
{
  (void)state;
  printf("plain recursion: largest residual %.1e of beta, largest error of the increments %.1e\n",
         worst_plain.residual, worst_plain.increment);
  for (int isa = 0; isa < ISA_COUNT; isa++)
    for (int k = 0; k < KINDS && isa_supported((enum isa)isa); k++)
      printf("%s, systems %s: largest residual %.1e of beta, largest error of the increments %.1e\n",
             isa_name((enum isa)isa), kind_name[k], worst[isa][k].residual, worst[isa][k].increment);
  return 0;
}
