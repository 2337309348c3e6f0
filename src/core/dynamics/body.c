/* SPDX-License-Identifier: MIT
 * Loop code: the functions of body.h that are not inline. */
#include "dynamics/body.h"

#include <ali3/model.h>

const struct body_state body_ground = {.p = {1.0, 0.0, 0.0, 0.0}};
const struct body_frame body_ground_frame = {
    .R = {1.0, 0, 0, 0, 1.0, 0, 0, 0, 1.0}, .s = 1.0, .inverse = 1.0};

void body_residual(const struct body *b, const struct body_state *x, const struct body_frame *f,
                   const double gravity[3], const struct wrench *load, double mu_total, double g[BODY_Y])
{
  body_rhs(b->spec.mass, b->spec.inertia, false, x, f, gravity, mu_total, g);
  body_add_wrench(f, load, g);
  for (int y = 0; y < BODY_Y; y++) g[y] = -g[y];
}
