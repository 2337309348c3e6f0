/* SPDX-License-Identifier: MIT
 * Values from outside: newest sample, limits, staleness. RT but for inputs_init() and inputs_free(). */
#include "rt/inputs.h"

#include "base/arena.h"
#include "rt/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool inputs_init(struct inputs *in, const struct signals *signals)
{
  const size_t channels = (size_t)signals->channels;
  *in = (struct inputs){.signals = signals, .age_ns = UINT64_MAX};
  in->value = aligned_zalloc((channels + 1) * sizeof *in->value);
  in->newest = aligned_zalloc((channels + 1) * sizeof *in->newest);
  in->since_ns = aligned_zalloc((channels + 1) * sizeof *in->since_ns);
  in->clamp = aligned_zalloc((channels + 1) * sizeof *in->clamp);
  in->spec = aligned_zalloc(((size_t)signals->inputs + 1) * sizeof *in->spec);
  in->each_age_ns = aligned_zalloc(((size_t)signals->inputs + 1) * sizeof *in->each_age_ns);
  if (!in->value || !in->newest || !in->since_ns || !in->clamp || !in->spec || !in->each_age_ns) {
    inputs_free(in);
    return false;
  }
  if (signals->inputs) memcpy(in->spec, signals->input, (size_t)signals->inputs * sizeof *in->spec);
  return true;
}

void inputs_free(struct inputs *in)
{
  free(in->value);
  free(in->newest);
  free(in->since_ns);
  free(in->clamp);
  free(in->spec);
  free(in->each_age_ns);
  *in = (struct inputs){0};
}

/* Limit of channel k of an input. */
static double limit_of(const struct input_spec *spec, int k)
{
  if (spec->kind == INPUT_VALUE) return spec->limit_value;
  return k < 3 ? spec->limit_force : spec->limit_torque;
}

/* Samples are clamped once, when they come in, so that `clamped` counts samples and not cycles. */
static void merge_input(struct inputs *in, const struct input_spec *spec, const struct input_sample *sample,
                        uint64_t since_ns)
{
  for (int k = 0; k < spec->count; k++) {
    const int c = spec->first + k;
    if (sample[c].t_ns <= in->newest[c].t_ns || sample[c].t_ns <= in->epoch_ns) continue;
    const double limit = limit_of(spec, k), v = sample[c].value;
    if (!isfinite(v))
      continue; /* the sender refuses these; one that slips by would spoil the state for good */
    in->clamp[c] = fabs(v) > limit;
    in->clamped += in->clamp[c];
    in->newest[c].t_ns = sample[c].t_ns;
    in->since_ns[c] = since_ns ? since_ns : sample[c].t_ns;
    in->newest[c].value = in->clamp[c] ? copysign(limit, v) : v;
  }
}

/* since_ns 0: from when they came. */
static void merge(struct inputs *in, const struct input_sample *sample, uint64_t since_ns)
{
  for (int i = 0; i < in->signals->inputs; i++) merge_input(in, &in->spec[i], sample, since_ns);
}

static double value_at_age(const struct input_spec *spec, double value, double age)
{
  if (age <= spec->hold) return value;
  switch (spec->policy) {
  case INPUT_HOLD:
    return value;
  case INPUT_RAMP:
    return age < spec->hold + spec->ramp ? value * (1.0 - (age - spec->hold) / spec->ramp) : 0.0;
  case INPUT_SAFE:
    break;
  }
  return 0.0;
}

static void latch_input(struct inputs *in, int i, uint64_t now_ns)
{
  const struct input_spec *spec = &in->spec[i];
  uint64_t *oldest = &in->each_age_ns[i];
  *oldest = UINT64_MAX;
  for (int c = spec->first; c < spec->first + spec->count; c++) {
    const struct input_sample *n = &in->newest[c];
    in->value[c] = 0.0;
    if (n->t_ns == 0) continue;
    const uint64_t since_ns = in->since_ns[c];
    const uint64_t age_ns =
        now_ns > since_ns ? now_ns - since_ns : 0; /* it may have come after now_ns was read */
    const double age = (double)age_ns / (double)NS_PER_S;
    in->value[c] = value_at_age(spec, n->value, age);
    in->limited |= in->clamp[c] && in->value[c] != 0.0;
    if (*oldest == UINT64_MAX || age_ns > *oldest) *oldest = age_ns;
    if (age <= spec->hold) continue;
    in->stale = true;
    in->stale_safe |= spec->policy == INPUT_SAFE;
    if (i < 32) in->stale_mask |= UINT32_C(1) << i;
  }
}

void inputs_latch(struct inputs *in, struct port *const *port, int ports, uint64_t now_ns, bool by_clock)
{
  for (int p = 0; p < ports; p++) {
    if (snapshot_take(&port[p]->inputs)) merge(in, snapshot_value(&port[p]->inputs), by_clock ? 0 : now_ns);
  }
  in->age_ns = UINT64_MAX;
  in->stale_mask = 0;
  in->stale = in->stale_safe = in->limited = false;
  for (int i = 0; i < in->signals->inputs; i++) {
    latch_input(in, i, now_ns);
    const uint64_t age_ns = in->each_age_ns[i];
    if (age_ns != UINT64_MAX && (in->age_ns == UINT64_MAX || age_ns > in->age_ns)) in->age_ns = age_ns;
  }
}

void inputs_tune(struct inputs *in, const struct input_spec *spec)
{
  for (int i = 0; i < in->signals->inputs; i++) {
    struct input_spec *own = &in->spec[i];
    own->policy = spec[i].policy;
    own->hold = spec[i].hold;
    own->ramp = spec[i].ramp;
    own->limit_force = spec[i].limit_force;
    own->limit_torque = spec[i].limit_torque;
    own->limit_value = spec[i].limit_value;
    for (int k = 0; k < own->count; k++) {
      struct input_sample *n = &in->newest[own->first + k];
      const double limit = limit_of(own, k);
      if (fabs(n->value) <= limit) continue;
      n->value = copysign(limit, n->value);
      in->clamp[own->first + k] = true;
    }
  }
}

void inputs_apply(const struct inputs *in, const ali3_model *m, ali3_data *d)
{
  for (int i = 0; i < in->signals->inputs; i++) {
    const struct input_spec *spec = &in->signals->input[i];
    const double *value = in->value + spec->first;
    if (spec->kind == INPUT_VALUE) {
      ali3_set_value(m, d, spec->force, value[0]);
      continue;
    }
    ali3_set_load_vector(m, d, spec->load, value);
    ali3_set_load_vector(m, d, spec->load + 1, value + 3);
  }
}

void inputs_forget(struct inputs *in, uint64_t t_ns)
{
  for (int c = 0; c < in->signals->channels; c++) {
    if (in->newest[c].t_ns > t_ns) continue;
    in->newest[c] = (struct input_sample){0};
    in->clamp[c] = false;
    in->value[c] = 0.0;
  }
  if (t_ns > in->epoch_ns) in->epoch_ns = t_ns;
}
