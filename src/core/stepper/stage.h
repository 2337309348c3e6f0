/* SPDX-License-Identifier: MIT
 * A stage runs one function over all bodies or all links. It is split into shares if an exec is set and the work pays for
 * waking the workers. RT. */
#ifndef STEPPER_STAGE_H
#define STEPPER_STAGE_H

#include "kernels/kernels.h"

/* Flops of a stage below which a barrier costs more than it saves. */
static inline double stage_worth_waking(const ali3_exec *e)
{
  return e->worth > 0.0 ? e->worth : 40000.0; /* about 1 us in lanes */
}
/* There is an exec with workers, and the work pays for waking them. */
bool stage_is_worth_waking(const ali3_data *d, double flops);

/* Calls the work once for every share, as the exec does it, in the floating-point mode of the library. */
typedef void share_of_work(void *arg, int share, int shares);
void stage_share(const ali3_exec *exec, share_of_work *work, void *arg);

/* Runs one kernel over all tiles with bodies, with links, with rigid links or with soft links. */
void stage_bodies(const ali3_model *m, ali3_data *d, enum body_kernel kernel);
void stage_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel);
void stage_rigid_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel);
void stage_soft_links(const ali3_model *m, ali3_data *d, enum link_kernel kernel);
/* Runs a kernel that moves the bodies. The factors keep the linearisation that they were computed from. */
void stage_move(const ali3_model *m, ali3_data *d, enum body_kernel kernel);

/* Calls `item` for i = first .. end-1 (bodies, links, or tiles in the tree's order). flops is an estimate of the whole work. */
typedef void stage_item(const ali3_model *m, ali3_data *d, int i);
void stage_each(const ali3_model *m, ali3_data *d, stage_item *item, int first, int end, double flops);

/* Phi and J at the state. */
void stage_rows(const ali3_model *m, ali3_data *d);
/* These stages follow stage_move(). stage_rows_end: may keep the old J of links with points. stage_rows_push: also writes the
 * end loads J' now.lambda, and may not store J of rigid rows. */
void stage_rows_end(const ali3_model *m, ali3_data *d);
void stage_rows_push(const ali3_model *m, ali3_data *d);

/* Joint angles at the state, the nearest to those that the rates since the start of the inner step predict. span: the time since
 * then, or 0 for the angles nearest to those at the start. */
void stage_turns(const ali3_model *m, ali3_data *d, double span);

/* The input of the condensation: J and frames of the factors, delta and c. */
struct tree_matrix stage_matrix(const ali3_data *d);
/* Factorises S with J and c at the state. False: a pivot is not positive, see solve.failed_group. */
bool stage_condense(const ali3_model *m, ali3_data *d);
/* z = S^-1 beta, refined once if tree.ill_conditioned is set. The solve destroys beta. */
void stage_solve(const ali3_model *m, ali3_data *d);

#endif
