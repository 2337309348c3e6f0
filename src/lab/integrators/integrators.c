/* SPDX-License-Identifier: MIT
 * The list of integrators. */
#include "integrators/integrators.h"

#include <string.h>

const struct integrator *const lab_integrators[] = {&integrator_fe,
                                                    &integrator_si,
                                                    &integrator_tr,
                                                    &integrator_nr,
                                                    &integrator_nrx,
                                                    &integrator_nrx3,
                                                    &integrator_ode45,
                                                    &integrator_ode23,
                                                    &integrator_ode113,
                                                    &integrator_step,
                                                    &integrator_substeps,
                                                    &integrator_stepx,
                                                    NULL};

const struct integrator *lab_find_integrator(const char *name)
{
  for (int i = 0; lab_integrators[i]; i++)
    if (strcmp(lab_integrators[i]->name, name) == 0) return lab_integrators[i];
  return NULL;
}
