/* SPDX-License-Identifier: MIT
 * Loop code: what is done to the links of a tile one after the other. */
#include "stepper/kernels.h"

#include "math/vec3.h"

#include <string.h>

/* A link by itself, with copies of its bodies. */
struct alone {
  const struct joint_rows *j;
  struct joint_view v;
  struct body_state x[ROWS_SIDES];
  struct body_frame f[ROWS_SIDES];
};

static void copy_numbers(double *o, const double *from, const struct tree_body *at, int numbers)
{
  from += (size_t)at->first * (size_t)numbers + (size_t)at->lane;
  for (int f = 0; f < numbers; f++) o[f] = from[f * at->width];
}

/* NULL: a lane not in use */
static const struct joint_rows *link_of(const struct frozen *f, int tile, int lane)
{
  int link = f->tree->item[f->tree->tile[tile].item_first + lane];
  return link < 0 ? NULL : &f->link[link];
}

static bool take(const ali3_model *m, const ali3_data *d, int tile, int lane, struct alone *o)
{
  const struct frozen *f = m->frozen;
  const struct joint_rows *j = o->j = link_of(f, tile, lane);
  if (!j) return false;
  for (int k = 0; k < 2; k++) o->v.turn[k] = j->joint[k] < 0 ? 0.0 : d->turn[j->joint[k]];
  v3_copy(o->v.tangent, j->rolling < 0 ? body_ground.r : d->tangent[j->rolling]);
  for (int side = 0; side < j->sides; side++) {
    const struct tree_body *at = &f->link_tile[tile].side[side][lane];
    copy_numbers((double *)&o->x[side], d->now.x, at, X_NUMBERS);
    copy_numbers((double *)&o->f[side], d->frame, at, FRAME_NUMBERS);
    o->v.x[side] = &o->x[side];
    o->v.f[side] = &o->f[side];
  }
  return true;
}

static void scatter(double *o, const double *from, int numbers, int width)
{
  for (int i = 0; i < numbers; i++) o[i * width] = from[i];
}

void by_lane_rows(const ali3_model *m, ali3_data *d, int tile)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  struct alone a;
  double Phi[ROWS_MAX], J[ROWS_MAX * ROWS_SIDES * BODY_Y];
  for (int lane = 0; lane < t->width; lane++) {
    if (!take(m, d, tile, lane, &a)) continue;
    rows_evaluate(a.j, &a.v, Phi, J);
    if (a.j->drive >= 0) Phi[0] -= d->aim[a.j->drive].position;
    scatter(d->Phi + t->at + lane, Phi, a.j->count, t->width);
    scatter(d->J + t->jacobian + lane, J, a.j->count * a.j->sides * BODY_Y, t->width);
  }
}

void by_lane_bias(const ali3_model *m, const ali3_data *d, int tile, double *bias)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  struct alone a;
  double own[ROWS_MAX];
  memset(bias, 0, (size_t)(t->rows * t->width) * sizeof *bias);
  for (int lane = 0; lane < t->width; lane++) {
    if (!take(m, d, tile, lane, &a)) continue;
    rows_bias(a.j, &a.v, own);
    scatter(bias + lane, own, a.j->count, t->width);
  }
}

void by_lane_aim(const ali3_model *m, ali3_data *d, int tile, bool second)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  for (int lane = 0; lane < t->width; lane++) {
    const struct joint_rows *j = link_of(m->frozen, tile, lane);
    int drive = j ? j->drive : -1;
    if (drive >= 0) d->beta[t->at + lane] -= second ? d->aim[drive].acceleration : d->aim[drive].rate;
  }
}

void by_lane_position(const ali3_model *m, ali3_data *d, int tile)
{
  const struct tree_tile *t = &m->frozen->tree->tile[tile];
  for (int lane = 0; lane < t->width; lane++) {
    const struct joint_rows *j = link_of(m->frozen, tile, lane);
    if (j && j->drive >= 0) d->Phi[t->at + lane] -= d->aim[j->drive].position;
  }
}
