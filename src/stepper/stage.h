/* SPDX-License-Identifier: MIT
 * Stages: what is done to all bodies or all links, in shares if an exec is set and the work is worth waking it for. RT. */
#ifndef STEPPER_STAGE_H
#define STEPPER_STAGE_H

#include "stepper/kernels.h"

/* Flops of a stage below which a barrier costs more than it saves. */
static inline double stage_worth_waking(const ali3_exec *e)
{
  return e->worth > 0.0 ? e->worth : 80000.0; /* about 2 us in lanes */
}
/* There is an exec that can help, and work enough for it. */
bool stage_is_worth_waking(const ali3_data *d, double flops);

/* One kernel over all tiles with bodies, with links, with rigid or with soft links. */
void stage_bodies(const ali3_model *m, ali3_data *d, enum body_kernel kernel);
void stage_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel);
void stage_rigid_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel);
void stage_soft_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel);
/* One that moves the bodies: the factors keep the linearisation they were made of. */
void stage_move(const ali3_model *m, ali3_data *d, enum body_kernel kernel);
/* The right-hand sides of bodies that loads act on, anew: at the prediction, or, turned, after body_turn. */
void stage_acted_bodies(const ali3_model *m, ali3_data *d, bool turned);

/* `item` for i = first .. end-1 (bodies, links, or tiles in the tree's order); flops: an estimate of all of it. */
typedef void stage_item(const ali3_model *m, ali3_data *d, int i);
void stage_each(const ali3_model *m, ali3_data *d, stage_item *item, int first, int end, double flops);

/* Phi and J at the state. */
void stage_rows(const ali3_model *m, ali3_data *d);
/* After stage_move(). end: J of links with tips may be left as it was. push: also end loads J' now.lambda; J of rigid rows may
 * not be stored. */
void stage_rows_end(const ali3_model *m, ali3_data *d);
void stage_rows_push(const ali3_model *m, ali3_data *d);

/* What the condensation reads: J and frames of the factors, delta and c. */
struct tree_matrix stage_matrix(const ali3_data *d);
/* Factorises S with J and c at the state; false: see solve.failed_group. */
bool stage_condense(const ali3_model *m, ali3_data *d);
/* z = S^-1 beta, refined once if the tree holds hubs fast; beta is lost. */
void stage_solve(const ali3_model *m, ali3_data *d);

#endif
