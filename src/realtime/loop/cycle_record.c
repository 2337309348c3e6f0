/* SPDX-License-Identifier: MIT
 * The copy of a cycle in the frame ring: all signals, and what the loop did, so that a replay can do it again. RT. */
#include "loop/cycle_parts.h"

#include <ali3/state.h>
#include <string.h>

static uint32_t action_of(const struct cycle *c)
{
  const struct plant *p = &c->plant;
  return (p->stepped ? FRAMES_STEPPED : 0u) | (p->restored ? FRAMES_RESTORED : 0u) |
         (p->loaded ? FRAMES_LOADED : 0u) | (p->tuned ? FRAMES_TUNED : 0u) |
         (p->stepped && p->warming ? FRAMES_WARMING : 0u) | (c->workers.lost_now ? FRAMES_VOID : 0u);
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
    to[i].age_ms = in->note[i].age_ms;
    to[i].state = in->note[i].state | in->note[i].limits << 8;
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
  if (w->head->tuning) platform_drive_tuning(&c->drive, frames_slot_tuning(w->head, s));
  memcpy(frames_slot_values(w->head, s), f->values, (size_t)f->count * sizeof *f->values);
  frames_commit(w);
}

/* A state costs more than the copy of a frame: while the model moves it comes so rarely that it is beyond the 99.9 % of all
 * cycles. */
static const uint64_t moving_ns = 20 * (uint64_t)1000000000, resting_ns = 1000000000;

void cycle_keep_state(struct cycle *c)
{
  struct frames_writer *w = c->config.frames;
  if (!w || !w->head || c->workers.lost > 0) return;
  if (c->times.number < c->state_due && !c->plant.loaded) return;
  /* A set of parameters may change the size of a state. The ring has room for states of the first model. */
  if (ali3_state_size(c->plant.model) != w->head->model_bytes) return;
  /* A model that waits may be prepared. */
  char *bytes = frames_state_begin(w);
  ali3_unprepare(c->plant.model, c->plant.data);
  if (ali3_state_save(c->plant.model, c->plant.data, bytes) != ALI3_OK) return;
  if (w->head->platform_bytes) platform_drive_save(&c->drive, bytes + w->head->model_bytes);
  frames_state_commit(w, c->times.number);
  const uint64_t pause_ns = machine_steps(&c->machine) ? moving_ns : resting_ns;
  c->state_due = c->times.number + 1 + pause_ns / c->config.period_ns;
}
