/* SPDX-License-Identifier: MIT
 * The tables of the formulations, each in a file of its own, for the list in formulations.c. */
#ifndef LAB_FORMULATIONS_H
#define LAB_FORMULATIONS_H

#include "integrators/state.h"

extern const struct formulation formulation_penalty, formulation_al1, formulation_hamiltonian,
    formulation_ali3;
extern const struct formulation formulation_hdca, formulation_hdca_handles, formulation_hdca_dense,
    formulation_dca, formulation_dca_handles, formulation_dca_dense;
extern const struct formulation formulation_em, formulation_em_unprojected, formulation_em_newton,
    formulation_product;
extern const struct formulation formulation_al1_dca, formulation_al1_dca_projected, formulation_al1_handles,
    formulation_al1_handles_projected, formulation_al1_dense, formulation_al1_dense_projected;

/* al1.c: M q'' + .. = f with the q' of s->qd and without stabilisation, the multipliers found by updates: how
 * the Newton forms of paper 3 start. */
enum lab_status al1_start_accelerations(struct lab_state *s);

#endif
