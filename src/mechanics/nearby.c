/* SPDX-License-Identifier: MIT
 * Set-up. See nearby.h.
 *
 * For a null vector y of J and the step e, Phi(q + e y) is of order e^2. Pivots of J that are 0 in every position are of
 * order e^2 there, too. Pivots that are 0 in q only are of order e, and the limit lies between. Newton steps then lead back
 * onto the constraints; at a bifurcation they lead to one of the branches, at a distance of order e. */
#include "mechanics/nearby.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const double STEP = 1e-3; /* rad, or lengths of the body: largest motion of a body in a part */
static const double STEP_PIVOT_LIMIT =
    3e-5;                          /* limit of pivots off the constraints, between STEP and its square */
static const double CLOSE = 1e-11; /* Newton's method ends at a smaller step */
enum { PASSES = 12 };

/* A motion that the constraints allow. */
static void null_vector(const struct factor *f, const double *zero, double *v)
{
  for (int b = 0; b < f->bodies; b++)
    for (int c = f->pivots[b].rank; c < GEOMETRY_V; c++) {
      size_t at = (size_t)(GEOMETRY_V * b + f->pivots[b].column[c]);
      v[at] = geometry_scatter(at);
    }
  factor_solve(f, zero, v);
}

static double length_of(const double *v)
{
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

/* The largest motion of a body in each part: rotations, and displacements relative to the length of the body. */
static void measure_nearby(const struct geometry *g, const double *v, const int *part_of_body, int parts,
                           double *largest)
{
  for (int p = 0; p < parts; p++) largest[p] = 0.0;
  for (int b = 0; b < g->m->bodies; b++, v += GEOMETRY_V) {
    double *most = &largest[part_of_body[b]];
    *most = fmax(*most, fmax(length_of(v), length_of(v + 3)) / g->place[b].length);
  }
}

static void row_residuals(const struct geometry *g, const struct rows_used *used, double *y)
{
  for (int i = 0; i < g->m->frozen->rigid_links; i++) {
    struct geometry_rows rows;
    if (!used->link[i]) continue;
    geometry_rows(g, i, &rows);
    for (int k = 0; k < rows.count; k++) y[used->first[i] + k] = -rows.Phi[k];
  }
}

/* One Newton step with the pivots above the limit. Free columns stay 0. */
static bool correct_positions(struct geometry *g, const struct rows_used *used, double *y, double *v)
{
  struct factor f;
  if (!factor_new(&f, g, used, STEP_PIVOT_LIMIT)) return false;
  row_residuals(g, used, y);
  factor_transform(&f, y);
  memset(v, 0, (size_t)g->m->bodies * GEOMETRY_V * sizeof *v);
  factor_solve(&f, y, v);
  geometry_move(g, v);
  factor_free(&f);
  return true;
}

bool nearby_move(struct geometry *g, const struct factor *f, const struct rows_used *used,
                 const int *part_of_body, int parts)
{
  double *v = calloc((size_t)g->m->bodies * GEOMETRY_V + 1, sizeof *v);
  double *y = calloc((size_t)used->rows + 1, sizeof *y);
  double *largest = calloc((size_t)parts + 1, sizeof *largest);
  bool ok = v && y && largest;
  /* Step by STEP in every part, along a motion that the rows allow. */
  if (ok) {
    null_vector(f, y, v);
    measure_nearby(g, v, part_of_body, parts, largest);
    for (int b = 0; b < g->m->bodies; b++)
      for (int c = 0; c < GEOMETRY_V; c++) {
        double most = largest[part_of_body[b]];
        v[GEOMETRY_V * b + c] *= most > 0.0 ? STEP / most : 0.0;
      }
    geometry_move(g, v);
  }
  /* Iterate back onto the rows. */
  for (int pass = 0; ok && pass < PASSES; pass++) {
    double most = 0.0;
    ok = correct_positions(g, used, y, v);
    if (!ok) break;
    measure_nearby(g, v, part_of_body, parts, largest);
    for (int p = 0; p < parts; p++) most = fmax(most, largest[p]);
    if (!(most > CLOSE)) break;
  }
  free(v);
  free(y);
  free(largest);
  return ok;
}
