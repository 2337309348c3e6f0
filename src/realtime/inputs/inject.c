/* SPDX-License-Identifier: MIT
 * Fault injection. RT except injector_init(), injector_free() and injection_find(). */
#include "inputs/inject.h"

#include "base/arena.h"
#include "signals/signals.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The samples of an input in one cycle. */
struct batch {
  struct arrival channel[INPUT_WRENCH_CHANNELS];
};

struct injector_state {
  bool on, acts;
  uint64_t draws;       /* random numbers drawn since it started acting */
  struct batch *stored; /* (spec->cycles) freeze, reorder: one element */
  int next, filled;     /* next element of `stored` to write; number of elements stored */
  bool second;          /* reorder: the next sample goes out first */
};

const char *inject_kind_name(unsigned kind)
{
#define NAME(id, text) [id] = (text),
  static const char *const names[] = {INJECT_KIND_LIST(NAME)};
#undef NAME
  return kind < sizeof names / sizeof *names ? names[kind] : "?";
}

int injection_find(const char *const *name, int count, const char *wanted)
{
  for (int i = 0; i < count; i++)
    if (strcmp(name[i], wanted) == 0) return i;
  return -1;
}

static int arrivals_stored(const struct injection *spec)
{
  return spec->kind == INJECT_DELAY || spec->kind == INJECT_REPLAY ? spec->cycles : 1;
}

bool injector_init(struct injector *j, const struct injection *spec, int count)
{
  *j = (struct injector){.spec = spec, .count = count};
  j->state = aligned_zalloc(((size_t)count + 1) * sizeof *j->state);
  bool ok = j->state;
  for (int i = 0; ok && i < count; i++) {
    j->state[i].on = spec[i].active;
    j->state[i].stored = aligned_zalloc((size_t)arrivals_stored(&spec[i]) * sizeof *j->state[i].stored);
    ok = j->state[i].stored;
  }
  if (!ok) injector_free(j);
  return ok;
}

void injector_free(struct injector *j)
{
  for (int i = 0; i < j->count && j->state; i++) free(j->state[i].stored);
  free(j->state);
  *j = (struct injector){0};
}

bool injector_switch(struct injector *j, uint32_t index, bool on)
{
  if (index >= (uint32_t)j->count) return false;
  j->state[index].on = on;
  return true;
}

/* Freeze and replay repeat samples that were stored before; other kinds must not keep any from an earlier time. */
static void begin_injection(const struct injection *spec, struct injector_state *s)
{
  s->draws = 0;
  s->second = false;
  if (spec->kind == INJECT_FREEZE || spec->kind == INJECT_REPLAY) return;
  memset(s->stored, 0, (size_t)arrivals_stored(spec) * sizeof *s->stored);
  s->next = 0;
}

void injector_begin(struct injector *j, double time, bool running)
{
  j->acts = false;
  for (int i = 0; i < j->count; i++) {
    const struct injection *spec = &j->spec[i];
    struct injector_state *s = &j->state[i];
    const bool in_window =
        !spec->window || (running && time >= spec->from && time - spec->from < spec->length);
    const bool acts = s->on && in_window;
    if (acts && !s->acts) begin_injection(spec, s);
    s->acts = acts;
    j->acts |= acts;
  }
}

bool injector_acts(const struct injector *j, int index)
{
  return j->state[index].acts;
}

/* A number in [0, 1): a hash (splitmix64) of the number of the draw. */
static double draw_uniform(struct injector_state *s, int index)
{
  static const uint64_t SEED = UINT64_C(0xa113d), GOLDEN = UINT64_C(0x9e3779b97f4a7c15);
  uint64_t z = SEED + ((uint64_t)index << 40) + GOLDEN * ++s->draws;
  z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
  return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

static bool has_arrival(const struct arrival *a, int count)
{
  for (int k = 0; k < count; k++)
    if (a[k].sample.t_ns) return true;
  return false;
}

static void store_arrivals(const struct injection *spec, struct injector_state *s, const struct arrival *a,
                           int count)
{
  if (spec->kind == INJECT_FREEZE) {
    for (int k = 0; k < count; k++)
      if (a[k].sample.t_ns) s->stored->channel[k] = a[k];
  } else if (spec->kind == INJECT_REPLAY && has_arrival(a, count)) {
    if (s->filled < spec->cycles) s->next = s->filled;
    memcpy(s->stored[s->next].channel, a, (size_t)count * sizeof *a);
    s->next = (s->next + 1) % spec->cycles;
    if (s->filled < spec->cycles) s->filled++;
  }
}

/* Gives the samples the time of the present. */
static void refresh_times(struct arrival *a, int count, const struct arrival *now)
{
  for (int k = 0; k < count; k++) {
    if (a[k].sample.t_ns == 0) continue;
    a[k].sample.t_ns = now->sample.t_ns;
    a[k].since_ns = now->since_ns;
  }
}

static void swap_arrivals(struct arrival *a, struct arrival *b, int count)
{
  for (int k = 0; k < count; k++) {
    const struct arrival other = a[k];
    a[k] = b[k];
    b[k] = other;
  }
}

static void freeze_arrivals(struct injector_state *s, struct arrival *a, int count, const struct arrival *now)
{
  memcpy(a, s->stored->channel, (size_t)count * sizeof *a);
  for (int k = 0; k < count; k++) a[k].sample.counted = 0;
  refresh_times(a, count, now);
}

static void replay_arrivals(const struct injection *spec, struct injector_state *s, struct arrival *a,
                            int count, const struct arrival *now)
{
  if (s->filled == 0) {
    memset(a, 0, (size_t)count * sizeof *a);
    return;
  }
  if (s->filled < spec->cycles && s->next >= s->filled) s->next = 0;
  memcpy(a, s->stored[s->next].channel, (size_t)count * sizeof *a);
  s->next = (s->next + 1) % s->filled;
  refresh_times(a, count, now);
}

static void reorder_arrivals(struct injector_state *s, struct arrival *a, int count)
{
  if (!s->second) swap_arrivals(a, s->stored->channel, count);
  s->second = !s->second;
}

static void change_values(const struct injection *spec, struct injector_state *s, int index,
                          struct arrival *a, int count)
{
  for (int k = 0; k < count; k++) {
    double *value = &a[k].sample.value;
    if (a[k].sample.t_ns == 0) continue;
    if (spec->kind == INJECT_STICK) *value = spec->value;
    if (spec->kind == INJECT_BIAS) *value += spec->value;
    if (spec->kind == INJECT_NOISE) *value += spec->amplitude * (2.0 * draw_uniform(s, index) - 1.0);
    if (spec->kind == INJECT_NAN) *value = NAN;
  }
}

/* Returns true if a sample was or is there to change. */
static bool act_on_arrivals(const struct injection *spec, struct injector_state *s, int index,
                            struct arrival *a, int count, const struct arrival *now)
{
  /* Faults of time first: they decide which samples arrive. */
  const bool came = has_arrival(a, count);
  switch (spec->kind) {
  case INJECT_FREEZE:
    freeze_arrivals(s, a, count, now);
    break;
  case INJECT_DELAY:
    swap_arrivals(a, s->stored[s->next].channel, count);
    s->next = (s->next + 1) % spec->cycles;
    break;
  case INJECT_REPLAY:
    replay_arrivals(spec, s, a, count, now);
    break;
  case INJECT_REORDER:
    if (came) reorder_arrivals(s, a, count);
    break;
  case INJECT_DROP:
    if (!came || draw_uniform(s, index) >= spec->probability) return false;
    memset(a, 0, (size_t)count * sizeof *a);
    break;
  case INJECT_STICK:
  case INJECT_BIAS:
  case INJECT_NOISE:
  case INJECT_NAN:
    change_values(spec, s, index, a, count);
    break;
  }
  return came || has_arrival(a, count);
}

bool injector_pass(struct injector *j, int input, struct arrival *arrival, int count,
                   const struct arrival *now)
{
  bool changed = false;
  for (int i = 0; i < j->count; i++) {
    if (j->spec[i].input != input) continue;
    if (j->state[i].acts)
      changed |= act_on_arrivals(&j->spec[i], &j->state[i], i, arrival, count, now);
    else
      store_arrivals(&j->spec[i], &j->state[i], arrival, count);
  }
  return changed;
}
