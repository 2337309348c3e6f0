/* SPDX-License-Identifier: MIT
 * The tables of the integrators, for the list in integrators.c. */
#ifndef LAB_INTEGRATORS_H
#define LAB_INTEGRATORS_H

#include "integrators/state.h"

extern const struct integrator integrator_fe, integrator_si, integrator_tr, integrator_nr, integrator_ode45,
    integrator_ode23, integrator_ode113, integrator_nrx, integrator_nrx3;
extern const struct integrator integrator_step, integrator_substeps, integrator_stepx; /* product.c */

/* Common data of fixed-point and Newton iterations: counts, and the rule by which they end. */
struct iteration_rule {
  int done;
  double last; /* increment */
};
enum iteration_end { ITERATION_GOES_ON, ITERATION_CONVERGED, ITERATION_GREW, ITERATION_NUMBER };
/* Judges one more increment. ITERATION_GREW: it is larger than the one before, drop it. */
enum iteration_end iteration_judge(const struct lab_state *s, struct iteration_rule *rule, double increment);
/* Adds the figures of an iteration that has ended to the result. */
void iteration_count(struct lab_state *s, const struct iteration_rule *rule, enum iteration_end end);

/* newton.c: one step of nr from (q, w) over s->h, and how it starts. */
enum lab_status newton_step(struct lab_state *s);
enum lab_status newton_start(struct lab_state *s);

#endif
