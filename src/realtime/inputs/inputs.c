/* SPDX-License-Identifier: MIT
 * Values from outside: storage, tuning, forgetting, and handing them to the model. RT except inputs_init(),
 * inputs_free() and inputs_start_from(). */
#include "inputs/inputs.h"

#include "base/arena.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

bool inputs_init(struct inputs *in, const struct inputs_config *config)
{
  const size_t channels = (size_t)config->signals->channels, inputs = (size_t)config->signals->inputs,
               ports = (size_t)config->ports;
  *in = (struct inputs){.signals = config->signals,
                        .counters = config->counters,
                        .ports = config->ports,
                        .period_ns = config->period_ns,
                        .age_ns = UINT64_MAX,
                        .lost = -1};
  /* Allocate one element more than needed: a size of 0 is no error. */
  in->value = aligned_zalloc((channels + 1) * sizeof *in->value);
  in->start = aligned_zalloc((channels + 1) * sizeof *in->start);
  in->channel = aligned_zalloc((channels + 1) * sizeof *in->channel);
  in->seen_ns = aligned_zalloc((ports * channels + 1) * sizeof *in->seen_ns);
  in->came = aligned_zalloc((ports + 1) * sizeof *in->came);
  in->source = aligned_zalloc((ports + 1) * sizeof *in->source);
  in->spec = aligned_zalloc((inputs + 1) * sizeof *in->spec);
  in->condition = aligned_zalloc((inputs + 1) * sizeof *in->condition);
  in->owner = aligned_zalloc((inputs + 1) * sizeof *in->owner);
  in->note = aligned_zalloc((inputs + 1) * sizeof *in->note);
  in->written = aligned_zalloc((channels + 1) * sizeof *in->written);
  if (!in->value || !in->start || !in->channel || !in->seen_ns || !in->came || !in->source || !in->spec ||
      !in->condition || !in->owner || !in->note || !in->written ||
      !injector_init(&in->injector, config->injection, config->injections)) {
    inputs_free(in);
    return false;
  }
  /* No input is set yet. */
  if (inputs) memcpy(in->spec, config->signals->input, inputs * sizeof *in->spec);
  for (size_t i = 0; i < inputs; i++) {
    in->condition[i] = (struct input_condition){.age_ns = UINT64_MAX, .owner = -1};
    in->owner[i].source = OWNER_NONE;
    in->note[i].age_ms = UINT32_MAX;
  }
  for (size_t c = 0; c < channels; c++) in->written[c] = NAN;
  return true;
}

void inputs_free(struct inputs *in)
{
  free(in->value);
  free(in->start);
  free(in->channel);
  free(in->seen_ns);
  free(in->came);
  free(in->source);
  free(in->spec);
  free(in->condition);
  free(in->owner);
  free(in->note);
  free(in->written);
  injector_free(&in->injector);
  *in = (struct inputs){0};
}

void inputs_open_sources(struct inputs *in)
{
  for (int i = 0; i < in->signals->inputs; i++) in->spec[i].sources = 0;
}

void inputs_start_from(struct inputs *in, const ali3_model *m, const ali3_data *d)
{
  for (int i = 0; i < in->signals->inputs; i++) {
    const struct input_spec *spec = &in->signals->input[i];
    ali3_force_state force;
    if (spec->kind != INPUT_VALUE) continue;
    ali3_force_get(m, d, spec->force, &force);
    const bool drive = ali3_model_force_type(m, spec->force) == ALI3_FORCE_DRIVE;
    in->value[spec->first] = in->start[spec->first] = drive ? force.target : 0.0;
  }
}

double inputs_held(const struct inputs *in, const struct input_range *r, const struct input_channel *ch,
                   uint64_t now_ns)
{
  if (ch->slope == 0.0) return ch->base;
  const double most = 2e-9 * (double)in->period_ns, on = inputs_age(ch->taken_ns, now_ns);
  return inputs_clamp(r, ch->base + ch->slope * (on < most ? on : most));
}

void inputs_lapse(const struct inputs *in, int channel, const struct input_range *r, uint64_t now_ns)
{
  struct input_channel *ch = &in->channel[channel];
  if (ch->lapsed) return;
  ch->base = ch->blends ? in->value[channel] : inputs_held(in, r, ch, now_ns);
  ch->slope = 0.0;
  ch->lapsed = true;
  ch->blends = false;
  ch->good = 0;
}

/* True if all channels that were ever set count, and there is one. */
static bool is_fresh(const struct inputs *in, const struct input_spec *spec, uint64_t now_ns)
{
  bool any = false;
  for (int c = spec->first; c < spec->first + spec->count; c++) {
    const struct input_channel *ch = &in->channel[c];
    if (ch->t_ns == 0) continue;
    if (ch->lapsed || inputs_age(ch->since_ns, now_ns) > spec->hold) return false;
    any = true;
  }
  return any;
}

int inputs_missing(const struct inputs *in, uint64_t now_ns)
{
  for (int i = 0; i < in->signals->inputs; i++)
    if (in->spec[i].required && !is_fresh(in, &in->spec[i], now_ns)) return i;
  return -1;
}

/* Values in use stay, unless the new range excludes them: the latch clamps them. A value that is stale by the new
 * settings goes to its new target over the blend, except with the policy safe. */
static void tune_channel(struct inputs *in, const struct input_spec *spec, int k)
{
  const struct input_range *r = &spec->range[k];
  struct input_channel *ch = &in->channel[spec->first + k];
  const double value = in->value[spec->first + k];
  const bool stale = ch->lapsed || inputs_age(ch->since_ns, in->latched_ns) > spec->hold;
  if (ch->t_ns == 0) return;
  if (ch->dead) { /* the reaction goes on from the value in use */
    ch->base = value;
    ch->dead_ns = in->latched_ns;
  } else if (ch->lapsed && spec->policy == INPUT_HOLD) { /* the policy hold has no way back */
    ch->base = value;
    ch->lapsed = ch->blends = false;
  } else if (stale && spec->policy != INPUT_HOLD) {
    inputs_lapse(in, spec->first + k, r, in->latched_ns);
    ch->blends = spec->policy != INPUT_SAFE;
    ch->blend_from = value;
    ch->blend_ns = in->latched_ns;
  }
  if (spec->policy != INPUT_EXTRAPOLATE) ch->slope = 0.0;
  const double base = inputs_clamp(r, ch->base);
  ch->clamped |= base != ch->base;
  ch->base = base;
}

/* True if both specs lead a stale channel to one value. */
static bool leads_alike(const struct input_spec *a, const struct input_spec *b)
{
  bool alike =
      a->policy == b->policy && a->hold == b->hold && a->ramp == b->ramp && a->on_timeout == b->on_timeout;
  for (int k = 0; k < a->count; k++) {
    const struct input_range *x = &a->range[k], *y = &b->range[k];
    alike &= x->lower == y->lower && x->upper == y->upper && x->safe == y->safe;
  }
  return alike;
}

void inputs_tune(struct inputs *in, const struct input_spec *spec)
{
  for (int i = 0; i < in->signals->inputs; i++) {
    struct input_spec *own = &in->spec[i];
    const bool alike = leads_alike(own, &spec[i]);
    own->policy = spec[i].policy;
    own->hold = spec[i].hold;
    own->ramp = spec[i].ramp;
    own->fault = spec[i].fault;
    own->watchdog = spec[i].watchdog;
    own->on_timeout = spec[i].on_timeout;
    own->recover = spec[i].recover;
    own->blend = spec[i].blend;
    memcpy(own->range, spec[i].range, sizeof own->range);
    for (int k = 0; k < own->count && !alike; k++) tune_channel(in, own, k);
  }
}

void inputs_apply(const struct inputs *in, const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < in->signals->inputs; i++) {
    const struct input_spec *spec = &in->signals->input[i];
    const double *value = in->value + spec->first;
    switch (spec->kind) {
    case INPUT_VALUE:
      ali3_set_command(m, d, spec->force, value[0]);
      break;
    case INPUT_WRENCH:
      ali3_set_load(m, d, spec->load, value);
      ali3_set_load(m, d, spec->load + 1, value + 3);
      break;
    case INPUT_POSE:     /* used by the platform: see platform_drive.c */
    case INPUT_RIG_POSE: /* used by the rig: see rig_drive.c */
    case INPUT_RIG_LEGS:
    case INPUT_RIG_NUMBER:
      break;
    }
  }
}

/* A time of 0 means "never" and stays. The machine may have started later than by_ns ago: then the time wraps around zero, see
 * inputs_later(). */
static void set_back(uint64_t *t_ns, uint64_t by_ns)
{
  if (*t_ns == 0) return;
  *t_ns -= by_ns;
  if (*t_ns == 0) *t_ns = 1;
}

void inputs_pass_time(struct inputs *in, uint64_t ns)
{
  for (int c = 0; c < in->signals->channels; c++) {
    struct input_channel *ch = &in->channel[c];
    set_back(&ch->since_ns, ns);
    set_back(&ch->base_ns, ns);
    set_back(&ch->taken_ns, ns);
    set_back(&ch->dead_ns, ns);
    set_back(&ch->blend_ns, ns);
  }
  for (int i = 0; i < in->signals->inputs; i++) {
    set_back(&in->condition[i].heard_ns, ns);
    set_back(&in->condition[i].alive_ns, ns);
    set_back(&in->condition[i].missing_ns, ns);
  }
}

static void forget_channel(struct input_channel *ch, uint64_t t_ns)
{
  if (ch->t_ns <= t_ns) {
    *ch = (struct input_channel){0};
    return;
  }
  ch->base = ch->value; /* like a first sample */
  ch->base_ns = ch->since_ns;
  ch->slope = 0.0;
  ch->lapsed = ch->blends = ch->dead = false;
  ch->good = 0;
}

void inputs_forget(struct inputs *in, uint64_t t_ns)
{
  for (int i = 0; i < in->signals->inputs; i++) {
    const struct input_spec *spec = &in->spec[i];
    bool any = false;
    if (input_is_of_rig(spec->kind)) continue; /* a reset does not change the rig */
    for (int c = spec->first; c < spec->first + spec->count; c++) {
      forget_channel(&in->channel[c], t_ns);
      in->value[c] = in->start[c];
      any |= in->channel[c].t_ns != 0;
    }
    if (!any) in->condition[i].owner = -1;
  }
  if (t_ns > in->epoch_ns) in->epoch_ns = t_ns;
}
