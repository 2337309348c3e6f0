/* SPDX-License-Identifier: MIT
 * Values of the channels at the present time, and the condition of the inputs. RT. */
#include "inputs/inputs.h"

#include <math.h>

/* The watchdog expires: the channel goes on from the value in use. */
static void expire_channel(const struct inputs *in, int channel, uint64_t now_ns)
{
  struct input_channel *ch = &in->channel[channel];
  ch->base = in->value[channel];
  ch->slope = 0.0;
  ch->lapsed = ch->dead = true;
  ch->blends = false;
  ch->dead_ns = now_ns;
  ch->good = 0;
}

static double by_reaction(const struct input_spec *spec, const struct input_range *r,
                          const struct input_channel *ch, uint64_t now_ns)
{
  const double past = inputs_age(ch->dead_ns, now_ns);
  switch (spec->on_timeout) {
  case INPUT_TIMEOUT_HOLD:
    return ch->base;
  case INPUT_TIMEOUT_RAMP:
    return past < spec->ramp ? ch->base + (r->safe - ch->base) * (past / spec->ramp) : r->safe;
  case INPUT_TIMEOUT_SAFE:
    break;
  }
  return r->safe;
}

/* The value by policy, before the blend. */
static double by_policy(const struct inputs *in, const struct input_spec *spec, const struct input_range *r,
                        const struct input_channel *ch, uint64_t now_ns)
{
  const double past = inputs_age(ch->base_ns, now_ns) - spec->hold;
  if (ch->dead) return by_reaction(spec, r, ch, now_ns);
  if (past <= 0.0) return inputs_held(in, r, ch, now_ns);
  switch (spec->policy) {
  case INPUT_HOLD:
    return ch->base;
  case INPUT_RAMP:
  case INPUT_EXTRAPOLATE:
    return past < spec->ramp ? ch->base + (r->safe - ch->base) * (past / spec->ramp) : r->safe;
  case INPUT_SAFE:
    break;
  }
  return r->safe;
}

static double blended_value(const struct input_spec *spec, struct input_channel *ch, double value,
                            uint64_t now_ns)
{
  if (!ch->blends) return value;
  const double gone = inputs_age(ch->blend_ns, now_ns);
  ch->blends = gone < spec->blend;
  return ch->blends ? ch->blend_from + (value - ch->blend_from) * (gone / spec->blend) : value;
}

static double slow_down(const struct input_range *r, double before, double value, double since)
{
  const double most = r->rate * since;
  if (r->rate <= 0.0) return value;
  return value > before + most ? before + most : value < before - most ? before - most : value;
}

static enum input_state latch_channel(struct inputs *in, const struct input_spec *spec, int k,
                                      uint64_t now_ns, double since, uint32_t *limits)
{
  const struct input_range *r = &spec->range[k];
  struct input_channel *ch = &in->channel[spec->first + k];
  double *value = &in->value[spec->first + k];
  const bool past = inputs_age(ch->since_ns, now_ns) > spec->hold;
  if (past && ch->lapsed) ch->good = 0;
  if (past && spec->policy != INPUT_HOLD) inputs_lapse(in, spec->first + k, r, now_ns);

  /* A number between two numbers of the rig is none that the rig sent: its bits could make up a permissive, and a blended
   * pose could hide a following error. */
  const bool exact = input_is_of_rig(spec->kind);
  const double wanted =
      exact ? ch->base : blended_value(spec, ch, by_policy(in, spec, r, ch, now_ns), now_ns);
  const double slowed = exact ? wanted : slow_down(r, *value, wanted, since);
  if (slowed != wanted) *limits |= INPUT_SLOWED;
  *value = inputs_clamp(r, slowed);
  if (ch->clamped && *value != r->safe) *limits |= INPUT_CLAMPED;
  if (!past && !ch->lapsed) return INPUT_FRESH;
  if (ch->dead && ch->good == 0) return INPUT_TIMEOUT;
  return ch->lapsed && ch->good > 0 ? INPUT_RECOVERING : INPUT_STALE;
}

/* An input has the state of its worst channel. */
static bool is_worse(enum input_state a, enum input_state b)
{
  static const int badness[] = {
      [INPUT_NEVER] = 0, [INPUT_FRESH] = 1, [INPUT_RECOVERING] = 2, [INPUT_STALE] = 3, [INPUT_TIMEOUT] = 4};
  return badness[a] > badness[b];
}

/* trusted_age: age in s of the last sample that counted. An input that is not required may be missing. */
static bool is_lost(const struct input_spec *spec, const struct input_condition *now, double trusted_age,
                    uint64_t now_ns)
{
  if (now->state == INPUT_TIMEOUT && spec->on_timeout == INPUT_TIMEOUT_SAFE) return true;
  const double most = spec->fault > 0.0 ? spec->fault : spec->policy == INPUT_SAFE ? spec->hold : INFINITY;
  if (now->state == INPUT_NEVER) return spec->required && inputs_age(now->missing_ns, now_ns) > most;
  return trusted_age > most;
}

static void latch_input(struct inputs *in, int i, uint64_t now_ns, double since)
{
  const struct input_spec *spec = &in->spec[i];
  struct input_condition *now = &in->condition[i];
  const enum input_state before = now->state;
  const bool silent = inputs_are_silent(spec, now, now_ns);
  double trusted_age = 0.0;
  /* The oldest and the worst channel decide. */
  now->state = INPUT_NEVER;
  now->age_ns = UINT64_MAX;
  now->limits = 0;
  for (int k = 0; k < spec->count; k++) {
    const struct input_channel *ch = &in->channel[spec->first + k];
    if (ch->t_ns == 0) continue;
    if (silent && !ch->dead) expire_channel(in, spec->first + k, now_ns);
    const enum input_state state = latch_channel(in, spec, k, now_ns, since, &now->limits);
    const uint64_t age_ns = inputs_later(now_ns, ch->since_ns) ? now_ns - ch->since_ns : 0;
    const double trusted = inputs_age(ch->base_ns, now_ns);
    if (now->age_ns == UINT64_MAX || age_ns > now->age_ns) now->age_ns = age_ns;
    if (trusted > trusted_age) trusted_age = trusted;
    if (is_worse(state, now->state)) now->state = state;
  }
  /* Judge the whole input: missing, lost, stale. */
  now->missing_ns = now->state != INPUT_NEVER ? 0 : now->missing_ns ? now->missing_ns : now_ns;
  if (in->lost < 0 && is_lost(spec, now, trusted_age, now_ns)) in->lost = i;
  if (!input_state_is_stale(now->state)) return;
  in->stale = true;
  if (i < 32) in->stale_mask |= UINT32_C(1) << i;
  if (!input_state_is_stale(before)) counter_add(&in->counters->inputs_stale, 1);
}

/* An owner that has been silent for too long no longer owns the input; the next frame shows that. */
static void show_owner(struct inputs *in, int i, uint64_t now_ns)
{
  const struct input_condition *now = &in->condition[i];
  const bool owned = now->owner >= 0 && inputs_age(now->heard_ns, now_ns) <= inputs_patience(&in->spec[i]);
  in->owner[i] = (struct input_owner){.source = owned ? in->source[now->owner] : OWNER_NONE,
                                      .client = owned ? now->client : 0};
}

/* The condition and the written values of an input, for the frame. */
static void note_input(struct inputs *in, int i)
{
  const struct input_spec *spec = &in->spec[i];
  const struct input_condition *now = &in->condition[i];
  const uint64_t ms = now->age_ns / 1000000;
  in->note[i] = (struct input_note){.state = now->state,
                                    .limits = now->limits,
                                    .age_ms = now->age_ns == UINT64_MAX ? UINT32_MAX
                                              : ms < UINT32_MAX - 1     ? (uint32_t)ms
                                                                        : UINT32_MAX - 1};
  for (int c = spec->first; c < spec->first + spec->count; c++)
    in->written[c] = in->channel[c].t_ns ? in->channel[c].written : (double)NAN;
}

void inputs_latch(struct inputs *in, uint64_t now_ns)
{
  const double since = in->latched_ns ? inputs_age(in->latched_ns, now_ns) : 1e-9 * (double)in->period_ns;
  in->latched_ns = now_ns;
  in->age_ns = UINT64_MAX;
  in->stale_mask = 0;
  in->stale = in->limited = false;
  in->lost = -1;
  for (int i = 0; i < in->signals->inputs; i++) {
    latch_input(in, i, now_ns, since);
    show_owner(in, i, now_ns);
    note_input(in, i);
    const struct input_condition *now = &in->condition[i];
    in->limited |= now->limits != 0;
    if (now->age_ns != UINT64_MAX && (in->age_ns == UINT64_MAX || now->age_ns > in->age_ns))
      in->age_ns = now->age_ns;
  }
}
