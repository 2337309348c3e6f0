/* SPDX-License-Identifier: MIT
 * Set-up of the loop; the only file that allocates. Nothing here runs in the loop. */
#include "loop/cycle_parts.h"

#include "base/arena.h"
#include "rt/clock.h"

#include <ali3/profile.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static size_t tuning_size(const struct signals *s)
{
  return sizeof(struct cycle_tuning) + (size_t)s->inputs * sizeof(struct input_spec);
}

static void init_machine(struct machine *m, const struct cycle_config *config)
{
  machine_init(m, config->settings.clock == CLOCKING_LOCKSTEP);
  machine_keep(m, config->last_run.fault, config->last_run.disarmed);
  for (int i = 0; i < config->signals->inputs; i++) m->waits |= config->signals->input[i].required;
}

static bool init_inputs(struct inputs *in, const struct cycle_config *config)
{
  const struct inputs_config inputs = {.signals = config->signals,
                                       .ports = config->ports,
                                       .period_ns = config->period_ns,
                                       .counters = &config->telemetry->counters,
                                       .injection = config->injection,
                                       .injections = config->injections};
  return inputs_init(in, &inputs);
}

static bool init_output(struct output *o, const struct signals *s)
{
  o->head = aligned_zalloc(sizeof *o->head);
  o->values = aligned_zalloc((size_t)s->count * sizeof *o->values);
  return o->head && o->values;
}

/* Snapshots and rings between the loop and other threads, beside the ports. */
static bool init_exchange(struct cycle *c, const struct signals *s)
{
  atomic_init(&c->inbox.stop, false);
  atomic_init(&c->inbox.at_once, false);
  atomic_init(&c->inbox.stuck, false);
  atomic_init(&c->inbox.clear, false);
  return snapshot_init(&c->inbox.tuning, tuning_size(s)) &&
         ring_init(&c->outbox.events, sizeof(struct cycle_event), CYCLE_EVENTS) &&
         ring_init(&c->outbox.misses, sizeof(struct miss), CYCLE_MISSES) &&
         ring_init(&c->outbox.rides, sizeof(struct ride), CYCLE_RIDES);
}

int cycle_setup(struct cycle *c, const struct cycle_config *config)
{
  memset(c, 0, sizeof *c);
  c->config = *config;
  c->latch = (struct latch){.by = c->config.last_run.who, .client = LATCH_NO_NUMBER};
  init_machine(&c->machine, config);
  schedule_init(&c->schedule, &c->config.settings, config->period_ns);
  c->lockstep.virtual_ns = 1; /* 0 means "no time" */
  c->commands = aligned_zalloc(((size_t)config->ports + 1) * sizeof *c->commands);
  if (!c->commands || !init_exchange(c, config->signals) || !init_output(&c->output, config->signals) ||
      !init_inputs(&c->inputs, config) ||
      !stimuli_init(&c->stimuli, config->stimulus, config->stimuli, config->port_of_stimuli,
                    config->signals->channels, config->period_ns))
    return ALI3_E_MEMORY;
  /* The limits of a platform are in real time. And while it parks at the end, no client may stop the beats. */
  char error[200];
  if (config->platform && config->settings.clock != CLOCKING_TIMER) return ALI3_E_ARGUMENT;
  if (!platform_drive_init(&c->drive, config->platform, config->signals, error, sizeof error))
    return ALI3_E_ARGUMENT;
  rig_drive_init(&c->rig, config->rig, &c->drive, config->signals);
  return plant_init(&c->plant, config->model);
}

static void name_inputs(struct telemetry *t, const struct signals *s)
{
  t->inputs = (uint32_t)(s->inputs < TELEMETRY_INPUTS ? s->inputs : TELEMETRY_INPUTS);
  for (uint32_t i = 0; i < t->inputs; i++) {
    struct input_view *view = &t->input[i];
    snprintf(view->name, sizeof view->name, "%s", s->input[i].name);
    view->channels = (uint32_t)s->input[i].count;
    for (uint32_t k = 0; k < view->channels; k++) atomic_init(&view->channel[k].written, NAN);
    atomic_init(&view->age_ns, UINT64_MAX);
    atomic_init(&view->owner, input_owner_word((struct input_owner){.source = OWNER_NONE}));
  }
}

void cycle_freeze(struct cycle *c, struct pool *pool, bool realtime)
{
  c->realtime = realtime;
  c->workers.pool = pool;
  step_times_init(&c->step_times, c->config.model, &c->config.telemetry->histograms, pool,
                  c->config.period_ns, clock_now_ns);
  name_inputs(c->config.telemetry, c->config.signals);
  cycle_show_tuning(c);
  ali3_data_set_exec(c->plant.data, pool ? pool_exec(pool) : NULL);
  ali3_data_set_probe(c->plant.data, &c->step_times.probe);
  inputs_start_from(&c->inputs, c->config.model, c->plant.data);
  plant_keep(&c->plant);
  cycle_write_live(c); /* a daemon that is killed before its first cycle leaves the state that it found */
}

void cycle_tune(struct cycle *c, const struct cycle_tuning *tuning)
{
  memcpy(snapshot_begin(&c->inbox.tuning), tuning,
         sizeof *tuning + (size_t)tuning->inputs * sizeof *tuning->input);
  snapshot_publish(&c->inbox.tuning);
}

void cycle_free(struct cycle *c)
{
  plant_free(&c->plant);
  free(c->output.head);
  free(c->output.values);
  free(c->commands);
  inputs_free(&c->inputs);
  stimuli_free(&c->stimuli);
  ring_free(&c->outbox.events);
  ring_free(&c->outbox.misses);
  ring_free(&c->outbox.rides);
  snapshot_free(&c->inbox.tuning);
  memset(c, 0, sizeof *c);
}
