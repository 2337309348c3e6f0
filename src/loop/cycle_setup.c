/* SPDX-License-Identifier: MIT
 * Setting the loop up: the one place where it allocates. Nothing here is called while it runs. */
#include "loop/cycle_parts.h"

#include "base/arena.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t tuning_size(const struct signals *s)
{
  return sizeof(struct tuning) + (size_t)s->inputs * sizeof(struct input_spec);
}

int cycle_setup(struct cycle *c, const struct cycle_config *config)
{
  memset(c, 0, sizeof *c);
  c->config = *config;
  atomic_init(&c->stop, false);
  atomic_init(&c->at_once, false);
  atomic_init(&c->stuck, false);
  atomic_init(&c->clear, false);
  machine_init(&c->machine, config->max_misses, config->clocking == CLOCKING_LOCKSTEP);
  machine_keep(&c->machine, config->kept.fault, config->kept.disarmed);
  c->latched_by = c->config.kept.who;
  c->latch_client = LATCH_NO_NUMBER;
  for (int i = 0; i < config->signals->inputs; i++) c->machine.waits |= config->signals->input[i].required;
  c->schedule = (struct schedule){.overrun = config->overrun,
                                  .period_ns = config->period_ns,
                                  .catch_up = (uint32_t)config->catch_up,
                                  .pull_ns = config->pull_ns,
                                  .beat_offset_ns = config->beat_offset_ns};
  const struct inputs_config inputs = {.signals = config->signals,
                                       .ports = config->ports,
                                       .period_ns = config->period_ns,
                                       .counters = &config->telemetry->counters,
                                       .injection = config->injection,
                                       .injections = config->injections};
  c->size = ali3_data_size(config->model);
  c->block = aligned_zalloc(c->size);
  c->image = aligned_zalloc(c->size);
  c->head = aligned_zalloc(sizeof *c->head);
  c->values = aligned_zalloc((size_t)config->signals->count * sizeof *c->values);
  c->commands = aligned_zalloc(((size_t)config->ports + 1) * sizeof *c->commands);
  if (!c->block || !c->image || !c->head || !c->values || !c->commands || !inputs_init(&c->inputs, &inputs) ||
      !ring_init(&c->events, sizeof(struct cycle_event), CYCLE_EVENTS) ||
      !ring_init(&c->misses, sizeof(struct miss), CYCLE_MISSES) ||
      !snapshot_init(&c->tuning, tuning_size(config->signals))) {
    return ALI3_E_MEMORY;
  }
  char error[200];
  /* Its limits hold by the clock; and when it parks before the end nobody may beat time any more. */
  if (config->platform && config->clocking != CLOCKING_TIMER) return ALI3_E_ARGUMENT;
  if (!platform_drive_init(&c->drive, config->platform, config->signals, error, sizeof error))
    return ALI3_E_ARGUMENT;
  c->virtual_ns = 1; /* 0 would be no time */
  c->data = ali3_data_place(config->model, c->block, c->size);
  return c->data ? ali3_reset(config->model, c->data) : ALI3_E_MEMORY;
}

static void name_inputs(struct telemetry *t, const struct signals *s)
{
  t->inputs = (uint32_t)(s->inputs < TELEMETRY_INPUTS ? s->inputs : TELEMETRY_INPUTS);
  for (uint32_t i = 0; i < t->inputs; i++) {
    struct input_view *view = &t->input[i];
    snprintf(view->name, sizeof view->name, "%s", s->input[i].name);
    atomic_init(&view->age_ns, UINT64_MAX);
    atomic_init(&view->owner, input_owner_word((struct input_owner){.source = OWNER_NONE}));
  }
}

void cycle_freeze(struct cycle *c, struct pool *pool, bool realtime)
{
  c->realtime = realtime;
  c->pool = pool;
  step_times_init(&c->step_times, c->config.model, &c->config.telemetry->book, pool, c->config.period_ns);
  name_inputs(c->config.telemetry, c->config.signals);
  cycle_show_tuning(c);
  ali3_data_set_exec(c->data, pool ? pool_exec(pool) : NULL);
  ali3_data_set_probe(c->data, &c->step_times.probe);
  inputs_start_from(&c->inputs, c->config.model, c->data);
  memcpy(c->image, c->block, c->size);
  cycle_write_live(
      c); /* a daemon that is killed before its first cycle leaves no less behind than it found */
}

void cycle_tune(struct cycle *c, const struct tuning *tuning)
{
  memcpy(snapshot_begin(&c->tuning), tuning, sizeof *tuning + (size_t)tuning->inputs * sizeof *tuning->input);
  snapshot_publish(&c->tuning);
}

void cycle_free(struct cycle *c)
{
  free(c->block);
  free(c->image);
  free(c->head);
  free(c->values);
  free(c->commands);
  inputs_free(&c->inputs);
  ring_free(&c->events);
  ring_free(&c->misses);
  snapshot_free(&c->tuning);
  memset(c, 0, sizeof *c);
}
