/* SPDX-License-Identifier: MIT
 * Random states of a body. */
#ifndef COMMON_STATES_H
#define COMMON_STATES_H

#include "common/random.h"
#include "dynamics/body.h"

/* size: norm of p. With another norm than 1, every formula has to hold with p'p = size^2 and p'pd not 0. */
static inline void state_random(struct random *r, struct body_state *x, struct body_frame *f, double size)
{
  random_vector(r, x->r, 3);
  random_unit(r, x->p, 4);
  for (int i = 0; i < 4; i++) x->p[i] *= size;
  random_vector(r, x->rd, 3);
  random_vector(r, x->pd, 4);
  random_vector(r, x->rdd, 3);
  random_vector(r, x->pdd, 4);
  body_frame_update(f, x);
}

/* q + t q'; rates and accelerations do not change */
static inline struct body_state state_along(const struct body_state *x, double t)
{
  struct body_state o = *x;
  for (int i = 0; i < 3; i++) o.r[i] += t * x->rd[i];
  for (int i = 0; i < 4; i++) o.p[i] += t * x->pd[i];
  return o;
}

#endif
