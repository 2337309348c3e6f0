/* SPDX-License-Identifier: MIT
 * ali3-lab: what --list prints. */
#include "lab_tool.h"

#include <string.h>

void print_methods(void)
{
  printf("%-22s %-9s %-25s %s\n", "method", "in", "integrators", "what it is");
  /* Formulations, with the integrators that each of them can use. */
  for (int i = 0; lab_formulations[i]; i++) {
    const struct formulation *f = lab_formulations[i];
    char with[60] = "";
    for (int k = 0; lab_integrators[k]; k++) {
      const struct integrator *g = lab_integrators[k];
      const bool fits = g->needs == NEEDS_NEWTON       ? f->newton != NULL
                        : g->needs == NEEDS_PRODUCT    ? f->product
                        : g->needs == NEEDS_SETTLING   ? f->newton && f->newton->settle
                        : g->needs == NEEDS_PURE_RATES ? f->pure && !(g->history && f->project)
                                                       : f->evaluate && !f->project;
      if (fits) snprintf(with + strlen(with), sizeof with - strlen(with), "%s%s", *with ? " " : "", g->name);
    }
    printf("%-22s %-9s %-25s %s; %s\n", f->name,
           f->only         ? f->only->name
           : f->needs_rows ? "natural"
                           : "any",
           with, f->title, f->source);
  }
  /* Integrators, then coordinates. */
  printf("\n");
  for (int k = 0; lab_integrators[k]; k++)
    printf("%-22s %s\n", lab_integrators[k]->name, lab_integrators[k]->title);
  printf("\n");
  for (int k = 0; lab_descriptions[k]; k++)
    printf("%-22s %s\n", lab_descriptions[k]->name, lab_descriptions[k]->title);
}
