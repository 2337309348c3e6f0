/* SPDX-License-Identifier: MIT
 * Set-up: how many rows depend on others. */
#include "stepper/storage.h"

#include <math.h>
#include <string.h>

/* The multipliers answer a residual by z = S^-1 beta, and c S^-1 is the part of it that only the compliance decides: 1 for
 * a row that another one already holds, 0 for one that stands alone. The trace counts them, without a threshold, and
 * moves between whole numbers only within some 1e-3 rad of a singular position. */
double ali3_redundant_rows(const ali3_model *m, ali3_data *d)
{
  const struct frozen *f = m->frozen;
  double sum = 0.0;
  if (d->prepared) return NAN;
  penalty_set(m, d, 0.0);
  /* softer than the normalisation of the Euler parameters gives: else that takes its share */
  for (int i = 0; i < f->rigid_links; i++)
    for (int k = 0; k < f->link[i].count; k++) d->c[stored_row(&f->link[i], k)] *= 1e3;
  if (!stage_condense(m, d)) return NAN;
  for (int i = 0; i < f->rigid_links; i++)
    for (int k = 0; k < f->link[i].count; k++) {
      int row = stored_row(&f->link[i], k);
      memset(d->beta, 0, (size_t)f->tree->unknowns * sizeof *d->beta);
      d->beta[row] = 1.0;
      stage_solve(m, d);
      sum += d->c[row] * d->z[row];
    }
  penalty_set(m, d, m->options.alpha);
  if (d->twin[0]) extrapolate_lengths(m, d);
  return sum;
}
