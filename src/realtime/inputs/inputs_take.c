/* SPDX-License-Identifier: MIT
 * From the ports to the channels: which samples count, and their age. RT. */
#include "inputs/inputs.h"

#include "rt/clock.h"

#include <math.h>

/* One entry per sample of the input, however many channels the sample has. */
struct tally {
  bool repeated, late, restarted, nonfinite;
};

/* Bit k: channel k of the input has a new sample in the port. Each sample is new once, although the port shows it again
 * with every other sample. */
static uint32_t fresh_channels(struct inputs *in, const struct input_spec *spec, int p,
                               const struct input_sample *sample)
{
  uint64_t *seen_ns = in->seen_ns + (size_t)p * (size_t)in->signals->channels + spec->first;
  uint32_t fresh = 0;
  for (int k = 0; k < spec->count; k++) {
    const uint64_t t_ns = sample[spec->first + k].t_ns;
    if (t_ns == seen_ns[k]) continue;
    seen_ns[k] = t_ns;
    if (t_ns > in->epoch_ns) fresh |= UINT32_C(1) << k;
  }
  return fresh;
}

/* The port owns the input; its sequence numbers start with its first sample. */
static void own_input(struct inputs *in, int i, int p)
{
  const struct input_spec *spec = &in->spec[i];
  in->condition[i].owner = p;
  in->condition[i].alive_ns = in->condition[i].beat_ns = 0;
  for (int c = spec->first; c < spec->first + spec->count; c++)
    in->channel[c].sequence = (struct sequence){0};
}

static bool takes_ownership(struct inputs *in, int i, const struct port *port, int p, uint64_t now_ns)
{
  const struct input_spec *spec = &in->spec[i];
  const struct input_condition *known = &in->condition[i];
  if (spec->sources && !(spec->sources >> port->source & 1)) return false;
  if (input_is_of_rig(spec->kind) && port->source == SOURCE_INNER) return false; /* a file is no rig */
  if (known->owner == p) return true;
  if (known->owner >= 0 && inputs_age(known->heard_ns, now_ns) <= inputs_patience(spec)) return false;
  own_input(in, i, p);
  return true;
}

/* Collects the new samples of input i from all ports. */
static void collect_arrivals(struct inputs *in, int i, struct port *const *port, struct arrival *arrival,
                             uint64_t now_ns, bool by_clock)
{
  const struct input_spec *spec = &in->spec[i];
  for (int p = 0; p < in->ports; p++) {
    if (!in->came[p]) continue;
    const struct input_sample *sample = snapshot_value(&port[p]->inputs);
    const uint32_t fresh = fresh_channels(in, spec, p, sample);
    if (fresh == 0) continue;
    if (!takes_ownership(in, i, port[p], p, now_ns)) {
      counter_add(&in->counters->inputs_refused, 1);
      continue;
    }
    for (int k = 0; k < spec->count; k++) {
      const struct input_sample *s = &sample[spec->first + k];
      if (!(fresh >> k & 1)) continue;
      arrival[k] = (struct arrival){.sample = *s, .since_ns = by_clock ? s->t_ns : now_ns};
      in->condition[i].client = s->client;
    }
  }
}

/* Returns false if the sequence number is no sign of life. */
static bool count_on(struct input_channel *ch, const struct input_sample *s, struct tally *t, bool *restarted)
{
  *restarted = false;
  if (s->counted == 0) {
    ch->sequence = (struct sequence){0};
    return true;
  }
  /* A sample counts if its number advances. */
  switch (sequence_take(&ch->sequence, s->sequence, s->counted)) {
  case SEQUENCE_REPEATED:
    t->repeated = true;
    return false;
  case SEQUENCE_LATE:
    t->late = true;
    return false;
  case SEQUENCE_RESTART:
    *restarted = true;
    break;
  case SEQUENCE_NEXT:
    break;
  }
  return true;
}

/* The newest sample counts. Slopes use the times of latches, because two samples may come almost together or in a
 * burst. */
static void rely_on(const struct inputs *in, const struct input_spec *spec, int channel, uint64_t now_ns,
                    bool first)
{
  struct input_channel *ch = &in->channel[channel];
  if (ch->lapsed) {
    ch->lapsed = ch->dead = false;
    ch->blends = spec->blend > 0.0 && !input_is_of_rig(spec->kind);
    ch->blend_from = in->value[channel];
    ch->blend_ns = now_ns;
    ch->slope = 0.0;
  } else if (first || spec->policy != INPUT_EXTRAPOLATE ||
             inputs_age(ch->base_ns, ch->since_ns) > spec->hold) {
    ch->slope = 0.0;
  } else if (inputs_later(now_ns, ch->taken_ns)) {
    ch->slope = (ch->value - ch->base) / inputs_age(ch->taken_ns, now_ns);
  }
  ch->base = ch->value;
  ch->base_ns = ch->since_ns;
  ch->taken_ns = now_ns;
}

/* A gap between two taken samples. If only one sample per cycle is seen, samples between them may be missing. */
static bool is_gap(const struct inputs *in, const struct input_spec *spec, uint64_t from_ns, uint64_t to_ns)
{
  const double cycles = 2e-9 * (double)in->period_ns;
  return inputs_age(from_ns, to_ns) > (spec->hold > cycles ? spec->hold : cycles);
}

static void accept_sample(struct inputs *in, const struct input_spec *spec, int k, const struct arrival *a,
                          uint64_t now_ns, struct tally *t)
{
  const struct input_range *r = &spec->range[k];
  struct input_channel *ch = &in->channel[spec->first + k];
  const bool first = ch->t_ns == 0;
  bool restarted;
  if (a->sample.t_ns == 0 || a->sample.t_ns <= in->epoch_ns) return;
  if (!isfinite(
          a->sample
              .value)) { /* the sender refuses NaN; a sample that gets here would spoil the state for good */
    t->nonfinite = true;
    return;
  }
  if (!count_on(ch, &a->sample, t, &restarted)) return;
  if (!first && inputs_later(ch->since_ns, a->since_ns)) return;
  if (restarted && !first && spec->policy != INPUT_HOLD) inputs_lapse(in, spec->first + k, r, now_ns);
  t->restarted |= restarted;

  const bool goes_on = !first && !restarted && !is_gap(in, spec, ch->since_ns, a->since_ns);
  ch->t_ns = a->sample.t_ns;
  ch->since_ns = a->since_ns;
  ch->written = a->sample.value;
  ch->value = inputs_clamp(r, ch->written);
  ch->clamped = ch->value != ch->written;
  in->clamped += ch->clamped;
  if (ch->lapsed) ch->good = goes_on ? ch->good + 1 : 1;
  if (!ch->lapsed || ch->good >= spec->recover) rely_on(in, spec, spec->first + k, now_ns, first);
}

static void count_tally(struct counters *c, const struct tally *t)
{
  if (t->repeated) counter_add(&c->inputs_repeated, 1);
  if (t->late) counter_add(&c->inputs_late, 1);
  if (t->restarted) counter_add(&c->inputs_restarts, 1);
  if (t->nonfinite) counter_add(&c->inputs_nonfinite, 1);
}

/* A heartbeat of the owner. Its port tells it with the samples of the owner's channels. */
static void take_heartbeat(struct inputs *in, int i, struct port *const *port, uint64_t now_ns, bool by_clock)
{
  const struct input_spec *spec = &in->spec[i];
  struct input_condition *known = &in->condition[i];
  if (known->owner < 0 || !in->came[known->owner]) return;
  const struct input_sample *sample = snapshot_value(&port[known->owner]->inputs);
  uint64_t beat_ns = 0;
  for (int k = 0; k < spec->count; k++)
    if (sample[spec->first + k].alive_ns > beat_ns) beat_ns = sample[spec->first + k].alive_ns;
  if (beat_ns == 0 || beat_ns == known->beat_ns) return;
  known->beat_ns = beat_ns;
  known->alive_ns = by_clock ? beat_ns : now_ns;
}

static void take_input(struct inputs *in, int i, struct port *const *port, uint64_t clock_ns, uint64_t now_ns,
                       bool by_clock)
{
  const struct input_spec *spec = &in->spec[i];
  const struct arrival now = {.sample.t_ns = clock_ns, .since_ns = now_ns};
  struct arrival arrival[INPUT_WRENCH_CHANNELS] = {0};
  struct tally tally = {0};
  collect_arrivals(in, i, port, arrival, now_ns, by_clock);
  if (injector_pass(&in->injector, i, arrival, spec->count, &now))
    counter_add(&in->counters->inputs_injected, 1);
  for (int k = 0; k < spec->count; k++) accept_sample(in, spec, k, &arrival[k], now_ns, &tally);
  for (int k = 0; k < spec->count; k++) {
    const struct input_channel *ch = &in->channel[spec->first + k];
    uint64_t *heard_ns = &in->condition[i].heard_ns;
    if (ch->t_ns && (*heard_ns == 0 || inputs_later(ch->since_ns, *heard_ns))) *heard_ns = ch->since_ns;
  }
  take_heartbeat(in, i, port, now_ns, by_clock);
  count_tally(in->counters, &tally);
}

void inputs_take(struct inputs *in, struct port *const *port, uint64_t clock_ns, uint64_t virtual_ns)
{
  bool any = in->injector.count > 0;
  for (int p = 0; p < in->ports; p++) {
    any |= in->came[p] = snapshot_take(&port[p]->inputs);
    in->source[p] = port[p]->source;
  }
  if (!any) return;
  const uint64_t now_ns = virtual_ns ? virtual_ns : clock_ns;
  for (int i = 0; i < in->signals->inputs; i++) take_input(in, i, port, clock_ns, now_ns, virtual_ns == 0);
}
