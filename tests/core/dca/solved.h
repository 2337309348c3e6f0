/* SPDX-License-Identifier: MIT
 * The tree against a dense Cholesky factorisation of the whole system in long double. A hub is eliminated after some
 * of its joints, so stiffnesses up to 1/c pass through its pivot. Up to -log10(c / J delta J') digits are lost there,
 * as in a penalty method. The iterations of a step only need factors that contract. So with hubs that are held fast,
 * the first solution has a looser limit. After refinements with these factors, the strict limit applies. */
#ifndef DCA_SOLVED_H
#define DCA_SOLVED_H

#include "dca/stored.h"

enum { PLAIN, HUBS, REFINED, KINDS };
static const double limit[KINDS] = {1e-7, 0.5, 1e-7};

/* The system of a graph and its solution. */
struct reference {
  const struct graph *g;
  long double *S;
  double *z;
};

void reference_new(struct reference *o, const struct graph *g);
void reference_free(struct reference *o);

/* Condenses, solves twice with one factorisation, compares. f: references of the parts of g. */
void solve_and_compare(const struct graph *g, const struct reference *f, int parts, struct variant v,
                       const char *what);

struct setting {
  double compliance, relative;
  bool redundant;
};
static const struct setting settings[] = {
    {1e-11, 0.0, false}, {0.0, 4e-7, false}, {0.0, 4e-9, false},
    {1e-11, 0.0, true},  {0.0, 4e-7, true},  {0.0, 4e-9, true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

/* Fills numbers for g and checks its tree with all variants. Frees g. */
void check_graph(struct graph *g, struct random *random, double compliance, double relative, bool redundant,
                 const char *what);
/* Prints the largest errors so far. cmocka calls it after all tests. */
int report_worst(void **state);

double norm(const double *x, size_t n);

#endif
