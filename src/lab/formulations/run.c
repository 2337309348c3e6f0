/* SPDX-License-Identifier: MIT
 * One run, and what is recorded of it. */
#include "coordinates/forces.h"
#include "integrators/linear.h"
#include "integrators/state.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

struct lab_run lab_run_default(void)
{
  return (struct lab_run){.duration = 10,
                          .dt = 0.001,
                          .alpha = 1e7,
                          .omega = 10,
                          .xi = 1,
                          .tolerance = 1e-7,
                          .iterations = 50,
                          .substeps = 2,
                          .rtol = 1e-6,
                          .atol = 1e-6,
                          .speed = 1};
}

const char *lab_status_text(enum lab_status status)
{
  static const char *const text[] = {"completed",
                                     "diverged: the energy is not a number or beyond all bounds",
                                     "singular: a matrix has no factors",
                                     "the step length fell below what the time can tell apart",
                                     "stopped",
                                     "out of memory",
                                     "the step of the product failed; ali3-sim says why"};
  return (size_t)status < sizeof text / sizeof *text ? text[status] : "?";
}

const char *lab_unsuitable(const struct problem *p, const struct lab_run *r, char *text, size_t size)
{
  const struct formulation *f = r->formulation;
  const struct integrator *i = r->integrator;
  const char *why = NULL;
  /* The formulation with this integrator. */
  const bool product = i->needs == NEEDS_PRODUCT;
  const bool newton = i->needs == NEEDS_NEWTON || i->needs == NEEDS_SETTLING;
  if (product != f->product)
    why = product ? "it is a step of the product: use --method product" : "use step, substeps or stepx";
  else if (newton && !f->newton)
    why = "it has no Newton form";
  else if (i->needs == NEEDS_SETTLING && !f->newton->settle)
    why = "it cannot bring an extrapolated state onto the constraints";
  else if (!newton && !product && !f->evaluate)
    why = "it is an implicit rule of its own: use nr";
  else if (i->needs == NEEDS_PURE_RATES && !f->pure)
    why = "its multipliers go on from call to call, so a step cannot be tried twice";
  else if (i->needs == NEEDS_RATES && f->project)
    why = "its projections follow the steps of ode45 and ode23";
  else if (i->history && f->project)
    why = "its projections would change the past from which the rule goes on";
  else if (newton && p->owns > 0)
    why = "it steps no states of forces: use tr, ode45, ode23 or ode113 for a hydraulic_cylinder or an "
          "electric_motor";
  else if (r->reset > 0 && !f->reset)
    why = "it has no impulses that could be reset";
  if (why) {
    snprintf(text, size, "%s with %s: %s", f->name, i->name, why);
    return text;
  }
  /* The formulation in these coordinates. */
  if ((f->needs_rows || (newton && f->newton->needs_rows)) && !p->kind->row_rates)
    why = "it needs natural coordinates";
  if (f->only && f->only != p->kind)
    why = "it is written in other coordinates";
  else if (f->unsuitable)
    why = f->unsuitable(p);
  if (!why) return NULL;
  snprintf(text, size, "%s in %s coordinates: %s", f->name, p->kind->name, why);
  return text;
}

static double seconds_now(void)
{
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void record_largest(double *largest, double x)
{
  if (x > *largest || isnan(x)) *largest = x;
}

/* |Phi|, |Phi'| and |Phi''| of the state, by rows of its own: the formulation's are from before the last
 * correction. */
static void measure_violations(struct lab_state *s, struct lab_sample *o)
{
  const struct problem *p = s->problem;
  const bool accelerates = !s->run->formulation->momenta && !s->run->formulation->no_accelerations;
  /* By the description, or with dense rows. */
  if (p->kind->violations) {
    const struct lab_motion x = {s->q, s->qd, accelerates ? s->wd : NULL, NULL};
    double largest[3] = {NAN, NAN, NAN};
    p->kind->violations(p, &s->now, &x, largest);
    o->position = largest[0];
    o->velocity = largest[1];
    o->acceleration = largest[2];
    return;
  }
  p->kind->rows(p, &s->now, s->q, s->check, s->dPhi_q);
  o->position = largest_entry(s->check, s->m);
  forces_row_time(p, s->now.time, s->check);
  add_product(s->check, 1, s->dPhi_q, s->qd, s->m, s->n);
  o->velocity = largest_entry(s->check, s->m);
  o->acceleration = NAN;
  if (!accelerates) return;
  p->kind->bias(p, &s->now, s->q, s->qd, s->check);
  add_product(s->check, 1, s->dPhi_q, s->wd, s->m, s->n);
  o->acceleration = largest_entry(s->check, s->m);
}

/* False where the energy tells that the run has failed. */
static bool record_state(struct lab_state *s, struct lab_sample *sample)
{
  enum { ENERGY_BOUND = 1000000000 };
  struct lab_result *o = s->result;
  /* Energy, then violations. */
  *sample = (struct lab_sample){.time = s->t};
  s->problem->kind->energy(s->problem, &s->now, s->q, s->qd, &sample->energy.kinetic,
                           &sample->energy.potential);
  const double E = sample->energy.kinetic + sample->energy.potential;
  if (o->steps == 0) o->initial = E;
  o->final = E;
  o->time = s->t;
  record_largest(&o->drift, fabs(E - o->initial));
  if (s->run->violations) {
    measure_violations(s, sample);
    record_largest(&o->position, sample->position);
    record_largest(&o->velocity, sample->velocity);
    record_largest(&o->acceleration, sample->acceleration);
  }
  return o->drift < ENERGY_BOUND;
}

static enum lab_status begin_run(struct lab_state *s)
{
  const struct problem *p = s->problem;
  const struct formulation *f = s->run->formulation;
  memcpy(s->q, p->q, sizeof *s->q * (size_t)s->n);
  for (int i = 0; i < s->n; i++) s->qd[i] = s->run->speed * p->qd[i];
  memcpy(s->w + s->n, p->own_start, sizeof *p->own_start * (size_t)p->owns);
  const enum lab_status status = f->start ? f->start(s) : LAB_OK;
  return status == LAB_OK && s->run->integrator->start ? s->run->integrator->start(s) : status;
}

/* A fixed step goes by its number, so that its length does not add up rounding. */
static bool run_ended(const struct lab_state *s, long planned)
{
  return s->run->integrator->adaptive ? s->t >= s->run->duration : s->result->steps >= planned;
}

/* Resets impulses where a time for it has passed. An integrator with a history starts anew. */
static enum lab_status reset_when_due(struct lab_state *s, double *next)
{
  const struct formulation *f = s->run->formulation;
  if (!(s->run->reset > 0) || !f->reset || s->t < *next * (1 - 1e-12)) return LAB_OK;
  while (*next <= s->t * (1 + 1e-12)) *next += s->run->reset;
  const enum lab_status status = f->reset(s);
  if (status != LAB_OK) return status;
  return s->run->integrator->history ? s->run->integrator->start(s) : state_evaluate(s);
}

static enum lab_status march_to_end(struct lab_state *s, const struct lab_watch *watch)
{
  const struct problem *p = s->problem;
  struct lab_result *o = s->result;
  struct lab_sample sample;
  double next = s->run->reset;
  const long planned = lround(s->run->duration / s->run->dt);
  enum lab_status status = begin_run(s);
  if (status != LAB_OK) return status;
  if (!record_state(s, &sample)) return LAB_DIVERGED;
  if (watch && !watch->step(watch->user, s, &sample)) return LAB_STOPPED;
  /* Step by step. */
  while (!run_ended(s, planned)) {
    status = s->run->integrator->step(s);
    if (status != LAB_OK) return status;
    o->steps++;
    s->t = s->run->integrator->adaptive ? s->t : (double)o->steps * s->run->dt;
    s->now.time = s->t;
    if (p->kind->follow) p->kind->follow(p, s->q, s->turn);
    if (!record_state(s, &sample)) return LAB_DIVERGED;
    if (watch && !watch->step(watch->user, s, &sample)) return LAB_STOPPED;
    status = reset_when_due(s, &next);
    if (status != LAB_OK) return status;
  }
  return LAB_OK;
}

enum lab_status lab_run(const struct problem *p, const struct lab_run *r, const struct lab_watch *watch,
                        struct lab_result *o)
{
  *o = (struct lab_result){.status = LAB_NO_MEMORY};
  struct lab_state *s = state_new(p, r, o);
  if (!s) return LAB_NO_MEMORY;
  const double start = seconds_now();
  o->status = march_to_end(s, watch);
  o->seconds = seconds_now() - start;
  state_free(s);
  return o->status;
}

void lab_body_get(const struct lab_state *s, int body, struct lab_body *o)
{
  s->problem->kind->body(s->problem, s->q, s->qd, body, o);
}
