/* SPDX-License-Identifier: MIT
 * The product's own stepper as a method: libali3 on a copy of the model, with the options of the model file and the
 * step of the run. Its iterations count as calls. */
#include "coordinates/forces.h"
#include "formulations/formulations.h"
#include "integrators/integrators.h"
#include "math/euler.h"
#include "model/model.h"

#include <ali3/stepper.h>
#include <stdlib.h>
#include <string.h>

enum { EXTRAPOLATED_INNER_STEPS = 6 }; /* branches of one, two and three inner steps */

struct product {
  ali3_model *model;
  ali3_data *data;
  int calls; /* of a step */
};

static void release_product(void *own)
{
  struct product *o = own;
  ali3_data_free(o->data);
  ali3_model_free(o->model);
  free(o);
}

/* The specs of all elements that move the model; names and tables stay those of `from`. */
static bool copy_specs(ali3_model *to, const ali3_model *from, double speed)
{
  bool good = true;
  for (int i = 0; i < from->bodies && good; i++) {
    ali3_body_spec spec = ali3_model_body_spec(from, i);
    for (int k = 0; k < 3; k++) {
      spec.velocity[k] *= speed;
      spec.angular_velocity[k] *= speed;
    }
    good = ali3_model_add_body(to, &spec) >= 0;
  }
  /* Joints, then what loads the bodies. */
  for (int i = 0; i < from->joints && good; i++) {
    ali3_joint_spec spec = ali3_model_joint_spec(from, i);
    spec.velocity *= speed;
    good = ali3_model_add_joint(to, &spec) >= 0;
  }
  for (int i = 0; i < from->loads && good; i++) {
    const ali3_load_spec spec = ali3_model_load_spec(from, i);
    good = ali3_model_add_load(to, &spec) >= 0;
  }
  for (int i = 0; i < from->forces && good; i++) {
    const ali3_force_spec spec = ali3_model_force_spec(from, i);
    good = ali3_model_add_force(to, &spec) >= 0;
  }
  return good;
}

static bool copy_model(struct product *o, const ali3_model *from, const ali3_options *options, double speed)
{
  double gravity[3];
  o->model = ali3_model_new();
  ali3_model_gravity(from, gravity);
  return o->model && ali3_model_set_gravity(o->model, gravity) == ALI3_OK &&
         copy_specs(o->model, from, speed) && ali3_model_freeze(o->model, options) == ALI3_OK &&
         (o->data = ali3_data_new(o->model));
}

static void *make_product(const struct lab_state *s, int substeps, bool extrapolate)
{
  struct product *o = calloc(1, sizeof *o);
  ali3_options options = *ali3_model_options(s->problem->model);
  if (!o) return NULL;
  options.dt = s->run->dt;
  options.substeps = substeps;
  options.extrapolate = extrapolate;
  o->calls = options.iterations * substeps * (extrapolate ? EXTRAPOLATED_INNER_STEPS : 1);
  if (copy_model(o, s->problem->model, &options, s->run->speed)) return o;
  release_product(o);
  return NULL;
}

static void *make_plain(const struct lab_state *s)
{
  return make_product(s, 1, false);
}

static void *make_substeps(const struct lab_state *s)
{
  return make_product(s, s->run->substeps, false);
}

static void *make_extrapolated(const struct lab_state *s)
{
  return make_product(s, 1, true);
}

/* q, q' and q'' of the laboratory: p'' = G'w'/2 - |w|^2 p/4 */
static void take_state(struct lab_state *s, const struct product *o)
{
  enum { BODY = 7 };
  if (s->problem->owns > 0) forces_own_read(o->model, o->data, s->w + s->n);
  for (int b = 0; b < s->problem->bodies; b++) {
    ali3_body_state x;
    const int at = BODY * b;
    ali3_body_get(o->model, o->data, b, &x);
    memcpy(s->q + at, x.position, sizeof x.position);
    memcpy(s->q + at + 3, x.orientation, sizeof x.orientation);
    memcpy(s->w + at, x.velocity, sizeof x.velocity);
    p_from_rotation(s->w + at + 3, x.orientation, 1, x.angular_velocity, 0);
    memcpy(s->wd + at, x.acceleration, sizeof x.acceleration);
    p_from_rotation(s->wd + at + 3, x.orientation, 1, x.angular_acceleration,
                    -0.25 * v3_dot(x.angular_velocity, x.angular_velocity));
  }
}

static enum lab_status product_start(struct lab_state *s)
{
  const struct product *o = s->integrator_own;
  if (ali3_reset(o->model, o->data) < 0) return LAB_REFUSED;
  take_state(s, o);
  return LAB_OK;
}

static enum lab_status product_step(struct lab_state *s)
{
  const struct product *o = s->integrator_own;
  const int status = ali3_step(o->model, o->data);
  s->result->calls += o->calls;
  if (status == ALI3_NOT_CONVERGED) s->result->unsolved++;
  if (status == ALI3_E_DIVERGED) return LAB_DIVERGED;
  if (status == ALI3_E_SINGULAR) return LAB_SINGULAR;
  if (status < 0) return LAB_REFUSED;
  take_state(s, o);
  return LAB_OK;
}

static void product_reactions(const struct lab_state *s, struct lab_reaction *o)
{
  const struct product *own = s->integrator_own;
  for (int i = 0; i < ali3_model_joints(own->model); i++) {
    ali3_joint_state joint;
    ali3_joint_get(own->model, own->data, i, &joint);
    memcpy(o[i].force, joint.force, sizeof joint.force);
    memcpy(o[i].torque, joint.torque, sizeof joint.torque);
  }
}

const struct formulation formulation_product = {.name = "product",
                                                .title = "the stepper of ali3d, by libali3",
                                                .source = "paper 1",
                                                .product = true,
                                                .only = &description_absolute,
                                                .reactions = product_reactions};

const struct integrator integrator_step = {.name = "step",
                                           .title = "product: one inner step a step",
                                           .needs = NEEDS_PRODUCT,
                                           .make = make_plain,
                                           .release = release_product,
                                           .start = product_start,
                                           .step = product_step};
const struct integrator integrator_substeps = {.name = "substeps",
                                               .title = "product: several inner steps a step",
                                               .needs = NEEDS_PRODUCT,
                                               .make = make_substeps,
                                               .release = release_product,
                                               .start = product_start,
                                               .step = product_step};
const struct integrator integrator_stepx = {
    .name = "stepx",
    .title = "product: a step extrapolated from one, two and three inner steps",
    .needs = NEEDS_PRODUCT,
    .make = make_extrapolated,
    .release = release_product,
    .start = product_start,
    .step = product_step};
