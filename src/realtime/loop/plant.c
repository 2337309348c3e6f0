/* SPDX-License-Identifier: MIT */
#include "loop/plant.h"

#include "base/arena.h"

#include <ali3/profile.h>
#include <ali3/state.h>
#include <stdlib.h>
#include <string.h>

int plant_init(struct plant *p, const ali3_model *model)
{
  *p = (struct plant){.model = model, .size = ali3_data_size(model)};
  p->data = ali3_data_new(model);
  p->initial = aligned_zalloc(ali3_state_size(model));
  if (!p->data || !p->initial) return ALI3_E_MEMORY;
  return ali3_reset(model, p->data);
}

void plant_keep(struct plant *p)
{
  ali3_unprepare(p->model, p->data);
  (void)ali3_state_save(p->model, p->data, p->initial);
}

void plant_free(struct plant *p)
{
  ali3_data_free(p->data);
  free(p->initial);
}

static void leave_state(struct plant *p)
{
  p->moved = true;
  p->open = false;
}

void plant_restore(struct plant *p)
{
  (void)ali3_state_load(p->model, p->data, p->initial, ali3_state_size(p->model));
  p->restore = false;
  leave_state(p);
}

int plant_load(struct plant *p, const void *state, size_t size)
{
  const int status = ali3_state_load(p->model, p->data, state, size);
  if (status == ALI3_OK) leave_state(p);
  return status;
}

void plant_swap(struct plant *p, struct plant_set *s, const ali3_exec *exec, const ali3_probe *probe)
{
  ali3_unprepare(p->model, p->data);
  s->status = ali3_state_carry(s->model, s->data, p->model, p->data);
  if (s->status != ALI3_OK) return;
  /* The set gets what the loop used before. */
  const struct plant before = *p;
  ali3_data_set_exec(s->data, exec);
  ali3_data_set_probe(s->data, probe);
  p->model = s->model;
  p->data = s->data;
  p->initial = s->initial;
  p->size = ali3_data_size(p->model);
  p->version = s->version;
  s->model = before.model;
  s->data = before.data;
  s->initial = before.initial;
  ali3_data_set_exec(s->data, NULL);
  ali3_data_set_probe(s->data, NULL);
}
