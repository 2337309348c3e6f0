/* SPDX-License-Identifier: MIT
 * External loads: newest sample, limits, staleness. RT but for inputs_init() and inputs_free(). */
#include "rt/inputs.h"

#include "base/arena.h"
#include "rt/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

bool inputs_init(struct inputs *in, const struct signals *signals)
{
  const size_t channels = (size_t)signals->channels, inputs = (size_t)signals->inputs;
  *in = (struct inputs){.signals = signals, .age_ns = UINT64_MAX};
  in->value = aligned_zalloc((channels + 1) * sizeof *in->value);
  in->newest = aligned_zalloc((channels + 1) * sizeof *in->newest);
  in->clamp = aligned_zalloc((channels + 1) * sizeof *in->clamp);
  in->body = aligned_zalloc((inputs + 1) * sizeof *in->body);
  in->slot = aligned_zalloc((inputs + 1) * sizeof *in->slot);
  in->load = aligned_zalloc((inputs + 1) * INPUT_CHANNELS * sizeof *in->load);
  if (!in->value || !in->newest || !in->clamp || !in->body || !in->slot || !in->load) {
    inputs_free(in);
    return false;
  }
  for (int i = 0; i < signals->inputs; i++) {
    int b = 0;
    while (b < in->bodies && in->body[b] != signals->input[i].body) b++;
    if (b == in->bodies) in->body[in->bodies++] = signals->input[i].body;
    in->slot[i] = b;
  }
  return true;
}

void inputs_free(struct inputs *in)
{
  free(in->value);
  free(in->newest);
  free(in->clamp);
  free(in->body);
  free(in->slot);
  free(in->load);
  *in = (struct inputs){0};
}

/* Limit of a channel: the first three of an input are force, the last three torque. */
static double limit_of(const struct signals *s, int channel)
{
  const struct input_spec *spec = &s->input[channel / INPUT_CHANNELS];
  return channel % INPUT_CHANNELS < 3 ? spec->limit_force : spec->limit_torque;
}

/* Samples are clamped once, when they come in, so that `clamped` counts samples and not cycles. */
static void merge(struct inputs *in, const struct input_sample *sample)
{
  for (int c = 0; c < in->signals->channels; c++) {
    if (sample[c].t_ns <= in->newest[c].t_ns || sample[c].t_ns <= in->epoch_ns) continue;
    const double limit = limit_of(in->signals, c), v = sample[c].value;
    if (!isfinite(v))
      continue; /* the sender refuses these; one that slips by would spoil the state for good */
    in->clamp[c] = fabs(v) > limit;
    in->clamped += in->clamp[c];
    in->newest[c].t_ns = sample[c].t_ns;
    in->newest[c].value = in->clamp[c] ? copysign(limit, v) : v;
  }
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

void inputs_latch(struct inputs *in, struct port *const *port, int ports, uint64_t now_ns)
{
  const struct signals *s = in->signals;
  for (int p = 0; p < ports; p++) {
    if (snapshot_take(&port[p]->inputs)) merge(in, snapshot_value(&port[p]->inputs));
  }
  in->age_ns = UINT64_MAX;
  in->stale_mask = 0;
  in->stale = in->stale_safe = in->limited = false;
  for (int c = 0; c < s->channels; c++) {
    const struct input_sample *n = &in->newest[c];
    in->value[c] = 0.0;
    if (n->t_ns == 0) continue;
    const int i = c / INPUT_CHANNELS;
    const struct input_spec *spec = &s->input[i];
    const uint64_t age_ns =
        now_ns > n->t_ns ? now_ns - n->t_ns : 0; /* it may have come after now_ns was read */
    const double age = (double)age_ns / (double)NS_PER_S;
    in->value[c] = value_at_age(spec, n->value, age);
    in->limited |= in->clamp[c] && in->value[c] != 0.0;
    if (in->age_ns == UINT64_MAX || age_ns > in->age_ns) in->age_ns = age_ns;
    if (age <= spec->hold) continue;
    in->stale = true;
    in->stale_safe |= spec->policy == INPUT_SAFE;
    if (i < 32) in->stale_mask |= UINT32_C(1) << i;
  }
}

void inputs_apply(struct inputs *in, const ali3_model *m, ali3_data *d)
{
  const struct signals *s = in->signals;
  for (int k = 0; k < in->bodies * INPUT_CHANNELS; k++) in->load[k] = 0.0;
  for (int i = 0; i < s->inputs; i++) {
    double *sum = in->load + in->slot[i] * INPUT_CHANNELS;
    for (int k = 0; k < INPUT_CHANNELS; k++) sum[k] += in->value[i * INPUT_CHANNELS + k];
  }
  for (int b = 0; b < in->bodies; b++) {
    const double *sum = in->load + b * INPUT_CHANNELS;
    ali3_set_load(m, d, in->body[b], sum, sum + 3);
  }
}

void inputs_forget(struct inputs *in, uint64_t now_ns)
{
  const size_t channels = (size_t)in->signals->channels;
  memset(in->newest, 0, channels * sizeof *in->newest);
  memset(in->clamp, 0, channels * sizeof *in->clamp);
  memset(in->value, 0, channels * sizeof *in->value);
  in->epoch_ns = now_ns;
}
