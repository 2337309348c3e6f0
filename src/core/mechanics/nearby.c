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
/* Limit of pivots off the constraints, between the step and its square. */
static const double LIMIT_LEAST = 3e-5, LIMIT_OF_SQUARE = 2.0;
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
    *most = fmax(*most, fmax(length_of(v), length_of(v + 3)) / g->body[b].length);
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
static bool correct_positions(struct geometry *g, const struct rows_used *used, double limit, double *y,
                              double *v)
{
  struct factor f;
  if (!factor_new(&f, g, used, limit)) return false;
  row_residuals(g, used, y);
  factor_transform(&f, y);
  memset(v, 0, (size_t)g->m->bodies * GEOMETRY_V * sizeof *v);
  factor_solve(&f, y, v);
  geometry_move(g, v);
  factor_free(&f);
  return true;
}

/* Turns the motion of each part that goes against `way` round. */
static void keep_direction(const struct geometry *g, const double *way, const int *part_of_body, int parts,
                           double *along, double *v)
{
  for (int p = 0; p < parts; p++) along[p] = 0.0;
  for (int b = 0; b < g->m->bodies; b++)
    for (int c = 0; c < GEOMETRY_V; c++)
      along[part_of_body[b]] += way[GEOMETRY_V * b + c] * v[GEOMETRY_V * b + c];
  for (int b = 0; b < g->m->bodies; b++)
    for (int c = 0; c < GEOMETRY_V && along[part_of_body[b]] < 0.0; c++) v[GEOMETRY_V * b + c] *= -1.0;
}

bool nearby_stride(struct geometry *g, const struct factor *f, const struct rows_used *used,
                   const int *part_of_body, int parts, struct stride *s)
{
  const double limit = fmax(LIMIT_LEAST, LIMIT_OF_SQUARE * s->length * s->length);
  double *v = calloc((size_t)g->m->bodies * GEOMETRY_V + 1, sizeof *v);
  double *y = calloc((size_t)used->rows + 1, sizeof *y);
  double *largest = calloc((size_t)parts + 1, sizeof *largest);
  bool ok = v && y && largest;
  /* Step by the length in every part, along a motion that the rows allow. */
  if (ok) {
    null_vector(f, y, v);
    if (s->way) keep_direction(g, s->way, part_of_body, parts, largest, v);
    measure_nearby(g, v, part_of_body, parts, largest);
    for (int b = 0; b < g->m->bodies; b++)
      for (int c = 0; c < GEOMETRY_V; c++) {
        double most = largest[part_of_body[b]];
        v[GEOMETRY_V * b + c] *= most > 0.0 ? s->length / most : 0.0;
      }
    if (s->way) memcpy(s->way, v, (size_t)g->m->bodies * GEOMETRY_V * sizeof *v);
    geometry_move(g, v);
  }
  /* Iterate back onto the rows. */
  for (int pass = 0; ok && pass < PASSES; pass++) {
    double most = 0.0;
    ok = correct_positions(g, used, limit, y, v);
    if (!ok) break;
    measure_nearby(g, v, part_of_body, parts, largest);
    for (int p = 0; p < parts; p++) most = fmax(most, largest[p]);
    for (int p = 0; p < parts && s->reached; p++) s->reached[p] = largest[p] <= CLOSE;
    if (!(most > CLOSE)) break;
  }
  free(v);
  free(y);
  free(largest);
  return ok;
}

bool nearby_move(struct geometry *g, const struct factor *f, const struct rows_used *used,
                 const int *part_of_body, int parts)
{
  struct stride s = {.length = STEP};
  return nearby_stride(g, f, used, part_of_body, parts, &s);
}
