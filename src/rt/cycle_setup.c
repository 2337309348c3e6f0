/* SPDX-License-Identifier: MIT
 * Setting the loop up: the one place where it allocates. Nothing here is called while it runs. */
#include "rt/cycle.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

int cycle_setup(struct cycle *c, const struct cycle_config *config)
{
  memset(c, 0, sizeof *c);
  c->config = *config;
  atomic_init(&c->stop, false);
  machine_init(&c->machine, config->max_misses);
  c->size = ali3_data_size(config->model);
  c->block = aligned_zalloc(c->size);
  c->image = aligned_zalloc(c->size);
  c->values = aligned_zalloc((size_t)config->signals->count * sizeof *c->values);
  if (!c->block || !c->image || !c->values || !inputs_init(&c->inputs, config->signals) ||
      !ring_init(&c->events, sizeof(struct cycle_event), CYCLE_EVENTS)) {
    return ALI3_E_MEMORY;
  }
  c->data = ali3_data_place(config->model, c->block, c->size);
  return c->data ? ali3_reset(config->model, c->data) : ALI3_E_MEMORY;
}

void cycle_freeze(struct cycle *c, const ali3_exec *exec, bool realtime)
{
  c->realtime = realtime;
  ali3_data_set_exec(c->data, exec);
  memcpy(c->image, c->block, c->size);
}

void cycle_free(struct cycle *c)
{
  free(c->block);
  free(c->image);
  free(c->values);
  inputs_free(&c->inputs);
  ring_free(&c->events);
  memset(c, 0, sizeof *c);
}
