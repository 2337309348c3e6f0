/* SPDX-License-Identifier: MIT
 * Loop code: functions that process the links of a tile one after the other. */
#include "dynamics/mean.h"
#include "kernels/elements.h"
#include "kernels/kernels.h"

#include <string.h>

/* NULL: an unused lane */
static const struct joint_rows *link_of(const struct frozen *f, int tile, int lane)
{
  int link = stored_item(f->tree, &f->tree->tile[tile], lane);
  return link < 0 ? NULL : &f->link[link];
}

static void scatter_lane(double *o, const double *from, int numbers, int width)
{
  for (int i = 0; i < numbers; i++) o[i * width] = from[i];
}

void by_lane_rows(const ali3_model *m, ali3_data *d, int tile)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  struct link_view view;
  double Phi[ROWS_MAX], J[ROWS_MAX * ROWS_SIDES * BODY_Y];
  for (int lane = 0; lane < t->width; lane++) {
    const struct joint_rows *j = link_of(m->frozen, tile, lane);
    if (!j) continue;
    link_view_fill(m, d, j, &view);
    rows_evaluate(j, &view.v, Phi, J);
    if (j->drive >= 0) Phi[0] -= d->outside.aim[j->drive].position;
    scatter_lane(d->solve.Phi + t->at + lane, Phi, j->count, t->width);
    scatter_lane(d->here.J + t->jacobian + lane, J, j->count * j->sides * BODY_Y, t->width);
  }
}

void by_lane_bias(const ali3_model *m, const ali3_data *d, int tile, double *bias)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  struct link_view view;
  double own[ROWS_MAX];
  memset(bias, 0, (size_t)(t->rows * t->width) * sizeof *bias);
  for (int lane = 0; lane < t->width; lane++) {
    const struct joint_rows *j = link_of(m->frozen, tile, lane);
    if (!j) continue;
    link_view_fill(m, d, j, &view);
    rows_bias(j, &view.v, own);
    scatter_lane(bias + lane, own, j->count, t->width);
  }
}

void by_lane_aim(const ali3_model *m, ali3_data *d, int tile, bool second)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  for (int lane = 0; lane < t->width; lane++) {
    const struct joint_rows *j = link_of(m->frozen, tile, lane);
    int drive = j ? j->drive : -1;
    if (drive >= 0)
      d->solve.beta[t->at + lane] -= second ? d->outside.aim[drive].acceleration : d->outside.aim[drive].rate;
  }
}

void by_lane_position(const ali3_model *m, ali3_data *d, int tile)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  for (int lane = 0; lane < t->width; lane++) {
    const struct joint_rows *j = link_of(m->frozen, tile, lane);
    if (j && j->drive >= 0) d->solve.Phi[t->at + lane] -= d->outside.aim[j->drive].position;
  }
}

void by_lane_mean(const ali3_model *m, const ali3_data *d, int tile, double *load)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  memset(load, 0, (size_t)(t->sides * BODY_Y * t->width) * sizeof *load);
  for (int lane = 0; lane < t->width; lane++) {
    const struct joint_rows *j = link_of(m->frozen, tile, lane);
    struct link_view start, end;
    double own[ROWS_SIDES][BODY_Y], lambda[ROWS_MAX];
    if (!j) continue;
    link_view_last(m, d, j, &start);
    link_view_fill(m, d, j, &end);
    for (int k = 0; k < j->count; k++) lambda[k] = d->now.lambda[stored_row(j, k)];
    rows_mean_load(j, &start.v, &end.v, lambda, own);
    scatter_lane(load + lane, own[0], j->sides * BODY_Y, t->width);
  }
}

void by_lane_wrench(const ali3_model *m, const ali3_data *d, int tile, bool mean, double *wrench)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  memset(wrench, 0, (size_t)(WRENCH_NUMBERS * t->width) * sizeof *wrench);
  for (int lane = 0; lane < t->width; lane++) {
    int body = stored_item(m->frozen->tree, t, lane);
    struct wrench own;
    if (body < 0) continue;
    body_wrench(m, d, body, mean, &own);
    scatter_lane(wrench + lane, (const double *)&own, WRENCH_NUMBERS, t->width);
  }
}
