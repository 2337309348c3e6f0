/* SPDX-License-Identifier: MIT
 * Set-up: a start from poses and velocities of the caller. */
#include "assembly/assembly.h"
#include "kernels/elements.h"

#include <ali3/linear.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Memory of ali3_place(). */
struct placing {
  struct body *body; /* (bodies) with the poses and velocities of the caller */
  double *turn;
  struct reference *reference;
};

static bool allocate_placing(struct placing *p, const ali3_model *m)
{
  *p = (struct placing){.body = calloc((size_t)m->bodies + 1, sizeof *p->body),
                        .turn = calloc((size_t)m->joints + 1, sizeof *p->turn),
                        .reference = calloc((size_t)m->frozen->drives + 1, sizeof *p->reference)};
  return p->body && p->turn && p->reference;
}

static bool take_bodies(const ali3_model *m, const ali3_body_state *body, struct body *to)
{
  for (int b = 0; b < m->bodies; b++) {
    const ali3_body_state *from = &body[b];
    const double norm = sqrt(p_dot(from->orientation, from->orientation));
    double sum = norm;
    for (int i = 0; i < 3; i++) sum += from->position[i] + from->velocity[i] + from->angular_velocity[i];
    if (!isfinite(sum) || !(norm > 0.0)) return false;
    to[b] = m->body[b];
    v3_copy(to[b].spec.position, from->position);
    v3_copy(to[b].spec.velocity, from->velocity);
    v3_copy(to[b].spec.angular_velocity, from->angular_velocity);
    for (int i = 0; i < 4; i++) to[b].spec.orientation[i] = from->orientation[i] / norm;
  }
  return true;
}

/* Full turns count on from the state of d. External drives stay at their targets; without a state they hold their joints where
 * the model has them. */
static void take_coordinates(const ali3_model *m, const ali3_data *d, const struct placing *p)
{
  for (int j = 0; j < m->joints; j++)
    p->turn[j] = d->started ? d->turn[j] : m->frozen->link[j].coordinate[0].zero;
  for (int i = 0; i < m->frozen->drives; i++)
    p->reference[i] =
        d->started ? d->outside.from[i] : (struct reference){m->frozen->drive[i].at_start, 0.0, 0.0};
}

ali3_status place_bodies(const ali3_model *m, ali3_data *d, const ali3_body_state *body, double time)
{
  struct placing p;
  if (!m || !m->frozen || !d || !body || !(time >= 0.0) || !(time / m->options.dt < 0x1p53))
    return ALI3_E_ARGUMENT;
  ali3_status status = ALI3_E_MEMORY;
  if (allocate_placing(&p, m)) {
    status = take_bodies(m, body, p.body) ? ALI3_OK : ALI3_E_ARGUMENT;
    if (status == ALI3_OK) {
      take_coordinates(m, d, &p);
      /* A start reads poses, velocities and limits of the assembly from its model. */
      ali3_model start = *m;
      start.body = p.body;
      start.options.assembly_position = start.options.assembly_angle = INFINITY;
      const struct start_given given = {.step = (uint64_t)llround(time / m->options.dt),
                                        .turn = p.turn,
                                        .reference = p.reference,
                                        .given_rates = true,
                                        .keep_outside = d->started};
      status = start_find(&start, d, &given);
    }
  }
  free(p.body);
  free(p.turn);
  free(p.reference);
  return status;
}
