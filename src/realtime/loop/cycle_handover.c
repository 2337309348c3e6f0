/* SPDX-License-Identifier: MIT
 * Between two cycles: another model with the same motion comes in, or the state is copied for a file. RT. */
#include "loop/cycle_parts.h"

#include <ali3/state.h>

enum { FIRST_CYCLES = 2 }; /* they find cold caches: their misses count as grace */

/* All changes of a set act, or none. A warm-up keeps its model. As for a command, the platform keeps its parameters in EXIT. */
static void take_set(struct cycle *c, struct handover *h)
{
  struct platform_params params;
  struct plant_set *s = atomic_load_explicit(&h->set, memory_order_acquire);
  if (!s || (s->model && c->machine.state == STATE_INIT)) return;
  const bool late = s->changes > 0 && c->machine.state == STATE_EXIT;
  s->refused = late ? -1 : platform_drive_judge(&c->drive, s->change, s->changes, &params);
  s->status = s->refused < 0 && !late ? ALI3_OK : ALI3_E_ARGUMENT;
  if (s->refused >= 0 && s->refused < s->changes)
    s->ceiling = platform_drive_ceiling(&c->drive, s->change[s->refused].parameter);
  if (s->status == ALI3_OK && s->model) {
    plant_swap(&c->plant, s, c->workers.pool ? pool_exec(c->workers.pool) : NULL, &c->step_times.probe);
    c->plant.tuned = s->status == ALI3_OK;
    if (c->deadline.grace_left < FIRST_CYCLES) c->deadline.grace_left = FIRST_CYCLES;
  }
  if (s->status == ALI3_OK && s->changes > 0) cycle_tune_platform(c, s, &params);
  s->cycle = c->times.number + 1;
  atomic_store_explicit(&h->set, NULL, memory_order_release);
}

static void give_copy(struct cycle *c, struct handover *h)
{
  struct state_copying *to = &h->copy;
  if (atomic_load_explicit(&h->phase, memory_order_acquire) != COPY_WANTED) return;
  ali3_unprepare(c->plant.model, c->plant.data);
  to->status = ali3_state_save(c->plant.model, c->plant.data, to->bytes);
  to->cycle = c->times.number;
  if (c->drive.there) to->platform = c->drive.setup.spec.params;
  atomic_store_explicit(&h->phase, COPY_DONE, memory_order_release);
}

void cycle_hand_over(struct cycle *c)
{
  c->plant.tuned = false;
  if (!handover_pending(&c->handover)) return;
  take_set(c, &c->handover);
  give_copy(c, &c->handover);
}

enum command_result cycle_load_state(struct cycle *c)
{
  struct plant *p = &c->plant;
  if (!c->handover.state) return RESULT_BAD_ARGUMENT;
  if (plant_load(p, c->handover.state, c->handover.state_size) != ALI3_OK) return RESULT_BAD_ARGUMENT;
  p->loaded = p->from_load = true;
  p->restore = false;
  c->drive.restart = true;
  inputs_start_from(&c->inputs, p->model, p->data);
  return RESULT_OK;
}
