/* SPDX-License-Identifier: MIT
 * The copy of a cycle in the frame ring: all signals, and what the loop did, so that a replay can do it again. RT. */
#include "loop/cycle_parts.h"

#include <string.h>

static uint32_t action_of(const struct cycle *c)
{
  const struct plant *p = &c->plant;
  return (p->stepped ? FRAMES_STEPPED : 0u) | (p->restored ? FRAMES_RESTORED : 0u) |
         (p->loaded ? FRAMES_LOADED : 0u) | (p->tuned ? FRAMES_TUNED : 0u) |
         (c->machine.state == STATE_INIT ? FRAMES_WARMING : 0u);
}

static uint32_t saturated_ns(uint64_t ns)
{
  return ns < UINT32_MAX ? (uint32_t)ns : UINT32_MAX;
}

static void record_times(struct frames_slot *s, const struct cycle_times *t)
{
  s->wakeup_ns = saturated_ns(t->wakeup_ns);
  s->step_ns = saturated_ns(t->step_ns);
  s->cycle_ns = saturated_ns(t->cycle_ns);
  for (int i = 0; i < PHASES; i++) s->phase_ns[i] = saturated_ns(t->phase_ns[i]);
}

static void record_inputs(struct frames_input *to, const struct inputs *in)
{
  for (int i = 0; i < in->signals->inputs; i++) {
    const struct input_condition *x = &in->condition[i];
    const uint64_t ms = x->age_ns / 1000000;
    to[i].age_ms = x->age_ns == UINT64_MAX ? UINT32_MAX : ms < UINT32_MAX - 1 ? (uint32_t)ms : UINT32_MAX - 1;
    to[i].state = (uint32_t)x->state | x->limits << 8;
  }
}

void cycle_record(struct cycle *c)
{
  struct frames_writer *w = c->config.frames;
  struct frames_slot *s = w ? frames_begin(w) : NULL;
  if (!s) return;
  /* The head of the cycle. */
  const struct frame *f = c->output.head;
  s->cycle = f->cycle;
  s->t_ns = c->times.wake_ns;
  s->time = f->time;
  s->misses = f->misses;
  s->state = f->state;
  s->flags = f->flags;
  s->fault = f->fault;
  s->action = action_of(c);
  s->status = c->plant.status;
  s->parameters = c->plant.version;
  record_times(s, &c->times);
  /* Inputs and all signals. */
  record_inputs(frames_slot_inputs(w->head, s), &c->inputs);
  memcpy(frames_slot_values(w->head, s), f->values, (size_t)f->count * sizeof *f->values);
  frames_commit(w);
}
