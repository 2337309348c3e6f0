/* SPDX-License-Identifier: MIT
 * One definition for the formulations of paper 2, which differ in the solver of their links (links/links.h). */
#ifndef LAB_LINK_FORMULATION_H
#define LAB_LINK_FORMULATION_H

#include "formulations/formulations.h"
#include "links/links.h"

/* featherstone.c. Reactions at (q, q') by a solve for accelerations: the multipliers of Hamiltonian DCA are impulses, whose rates
 * these are (paper 2, section 3.4). */
enum lab_status links_multipliers(const struct lab_state *s, double *lambda, double *qdd);

/* Defines formulation_ID. The arguments after `is_oracle` are the fields in which Hamiltonian DCA and Featherstone's DCA
 * differ. */
#define LINK_FORMULATION(id, solver_table, name_text, title_text, refuses, is_oracle, ...)                   \
  static void *make_##id(const struct problem *p)                                                            \
  {                                                                                                          \
    return link_work_new(p, &solver_table);                                                                  \
  }                                                                                                          \
  const struct formulation formulation_##id = {.name = name_text,                                            \
                                               .title = title_text,                                          \
                                               .pure = true,                                                 \
                                               .oracle = is_oracle,                                          \
                                               .only = &description_joint,                                   \
                                               .unsuitable = refuses,                                        \
                                               .make = make_##id,                                            \
                                               .release = link_work_free,                                    \
                                               .multipliers = links_multipliers,                             \
                                               __VA_ARGS__};

#endif
