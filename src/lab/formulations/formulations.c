/* SPDX-License-Identifier: MIT
 * The list of formulations. */
#include "formulations/formulations.h"

#include <string.h>

const struct formulation *const lab_formulations[] = {&formulation_penalty,
                                                      &formulation_al1,
                                                      &formulation_hamiltonian,
                                                      &formulation_ali3,
                                                      &formulation_product,
                                                      &formulation_em,
                                                      &formulation_em_unprojected,
                                                      &formulation_em_newton,
                                                      &formulation_al1_dca,
                                                      &formulation_al1_dca_projected,
                                                      &formulation_al1_handles,
                                                      &formulation_al1_handles_projected,
                                                      &formulation_al1_dense,
                                                      &formulation_al1_dense_projected,
                                                      &formulation_hdca,
                                                      &formulation_hdca_handles,
                                                      &formulation_hdca_dense,
                                                      &formulation_dca,
                                                      &formulation_dca_handles,
                                                      &formulation_dca_dense,
                                                      NULL};

const struct formulation *lab_find_formulation(const char *name)
{
  for (int i = 0; lab_formulations[i]; i++)
    if (strcmp(lab_formulations[i]->name, name) == 0) return lab_formulations[i];
  return NULL;
}
