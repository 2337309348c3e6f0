/* SPDX-License-Identifier: MIT
 * Single bodies and links, taken out of their tiles; forces with states of their own. RT. */
#ifndef KERNELS_ELEMENTS_H
#define KERNELS_ELEMENTS_H

#include "kernels/data.h"
#include "layout/storage.h"

static inline struct body_frame stored_frame(const ali3_model *m, const ali3_data *d, int body)
{
  struct body_frame o;
  stored_get(m, d->here.frame, FRAME_NUMBERS, body, (double *)&o);
  return o;
}

static inline struct body_delta stored_delta(const ali3_model *m, const ali3_data *d, int body)
{
  struct body_delta o;
  stored_get(m, d->solve.delta, DELTA_NUMBERS, body, (double *)&o);
  return o;
}

static inline void stored_set_delta(const ali3_model *m, ali3_data *d, int body,
                                    const struct body_delta *from)
{
  stored_set(m, d->solve.delta, DELTA_NUMBERS, body, (const double *)from);
}

/* A single link, gathered from its tile. */
struct link_view {
  struct joint_view v; /* points into the other fields */
  struct body_state x[ROWS_SIDES];
  struct body_frame f[ROWS_SIDES];
};
void link_view_fill(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, struct link_view *o);
/* The link at the start of the inner step. */
void link_view_last(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, struct link_view *o);
/* Returns (J w) of one row of a link, summed over its bodies. */
double link_jw(const ali3_model *m, const ali3_data *d, const double *J, const struct joint_rows *j, int k);
/* Names a rigid link (joint or force) in the report as the worst one. -1: none. */
void link_name_worst(const ali3_model *m, ali3_report *report, int link);

/* The states of a force that has states of its own; NULL: it has none. */
static inline const double *link_own(const struct state *s, const struct joint_rows *j)
{
  return j->own < 0 ? NULL : s->own + j->own;
}

/* Rolls the directions of sliding of spheres on from their current values. */
void links_roll(const ali3_model *m, ali3_data *d);

static inline bool body_is_carried(const ali3_model *m, int body)
{
  return m->frozen->tree->carried_at[body] >= 0;
}
/* o = the sum of the end loads of a body. */
void body_end_loads(const ali3_model *m, const ali3_data *d, int body, double o[BODY_Y]);
/* Adds `part` times the force and torque of the loads of the model to o, for a body with the rotation R. */
void body_add_loads(const ali3_model *m, const struct outside_values *outside, int body, const double R[9],
                    double part, struct wrench *o);
/* Force and torque on a body from the loads of the model and from outside, in the pose of the state. mean: the mean of this pose
 * and of the pose at the start of the inner step. */
void body_wrench(const ali3_model *m, const ali3_data *d, int body, bool mean, struct wrench *o);

/* --- forces with states of their own, in the iterations of an inner step and at its end. RT --- */

/* Mean of a multiplier over the inner step. */
static inline double soft_mean(const ali3_data *d, int row)
{
  return d->last.lambda[row] + d->rule.gamma * (d->now.lambda[row] - d->last.lambda[row]);
}

/* RT. The mobility of a friction row over the inner step, as the reset found it. */
static inline double soft_mobility(const ali3_data *d, int row)
{
  return d->rule.mobility_scale * d->soft.mobility[row];
}

/* The multiplier of a cylinder or a winding at the end of the inner step, or its mean over the step for the method energy.
 * *slope: its derivative by the coordinate over the step. */
double actuated_cylinder(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, double rate,
                         double *slope);
double actuated_winding(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, double *slope);
/* The mean multiplier over the step of row k of a tyre, a row of sliding. *tight: the slope relative to the mobility, by the mean
 * rate. */
double actuated_tyre(const ali3_data *d, const struct joint_rows *j, int k, double *slope, double *tight);
/* Writes the states at the end of the inner step. True: the step crosses a corner. */
bool actuated_advance(const ali3_model *m, ali3_data *d, const struct joint_rows *j);

#endif
