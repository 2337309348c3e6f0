/* SPDX-License-Identifier: MIT */
#include "loop/cycle_times.h"

#include "rt/clock.h"

void cycle_times_begin(struct cycle_times *t, uint64_t start_ns)
{
  t->wake_ns = t->mark_ns = clock_now_ns();
  t->wakeup_ns = t->wake_ns > start_ns ? t->wake_ns - start_ns : 0;
  usage_now(&t->woken);
  t->number++;
}

void cycle_times_mark(struct cycle_times *t, enum phase phase)
{
  const uint64_t now = clock_now_ns();
  t->phase_ns[phase] = now - t->mark_ns;
  t->mark_ns = now;
}

static void learn_mean(uint64_t *usual_ns, uint64_t ns)
{
  *usual_ns = *usual_ns ? *usual_ns - *usual_ns / 16 + ns / 16 : ns;
}

void cycle_times_learn(struct cycle_times *t, uint64_t held_ns)
{
  for (int i = 0; i < PHASES; i++) learn_mean(&t->usual_ns[i], t->phase_ns[i]);
  learn_mean(&t->usual_held_ns, held_ns);
}
