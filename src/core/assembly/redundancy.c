/* SPDX-License-Identifier: MIT
 * Set-up: whether some multipliers of the rigid rows load no body. With S = c + J delta J', S^-1 c leaves such multipliers, and
 * shrinks all others by c/s, where s is their part of S. Its powers tend to 0, unless rows are redundant. */
#include "assembly/assembly.h"
#include "kernels/elements.h"
#include "stepper/stage.h"

#include <math.h>
#include <string.h>

/* A multiplier for each row in use: no pattern of a mechanism is orthogonal to it. The length in the norm of c is 1 each. */
static void start_anywhere(const ali3_model *m, ali3_data *d, double *lambda)
{
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      const int row = stored_row(j, k);
      lambda[row] = (1.0 + 0.5 * sin(1.7 * i + 2.3 * k)) / sqrt(d->solve.c[row]) * (k % 2 ? -1.0 : 1.0);
    }
  }
}

/* lambda c lambda */
static double size_of(const ali3_model *m, const ali3_data *d, const double *lambda)
{
  double sum = 0.0;
  for (int i = 0; i < m->frozen->rigid_links; i++) {
    const struct joint_rows *j = &m->frozen->link[i];
    for (int k = 0; k < j->count; k++) {
      const int row = stored_row(j, k);
      sum += lambda[row] * d->solve.c[row] * lambda[row];
    }
  }
  return sum;
}

bool redundancy_found(const ali3_model *m, ali3_data *d)
{
  enum { ROUNDS = 8 };
  static const double KEPT = 0.25, /* c/s of 1/2 */
      ROUNDING = 1e-20;
  const struct frozen *f = m->frozen;
  double *lambda = d->last.lambda, before = 0.0, now = 0.0;
  memset(lambda, 0, (size_t)f->rows * sizeof *lambda);
  start_anywhere(m, d, lambda);
  const double first = now = size_of(m, d, lambda);
  for (int round = 0; round < ROUNDS && now > ROUNDING * first; round++) {
    memset(d->solve.beta, 0, (size_t)f->tree->unknowns * sizeof *d->solve.beta);
    f->kernels[1]->norms->less(d->solve.beta, -1.0, d->solve.c, lambda, f->rigid);
    stage_solve(m, d);
    memcpy(lambda, d->solve.z, (size_t)f->rigid * sizeof *lambda);
    before = now;
    now = size_of(m, d, lambda);
  }
  memset(lambda, 0, (size_t)f->rows * sizeof *lambda);
  return now > ROUNDING * first && now > KEPT * before;
}
