/* SPDX-License-Identifier: MIT
 * The output of a cycle: values of the model, frames, answers. RT. */
#include "loop/cycle_parts.h"

#include "rt/clock.h"

#include <string.h>

/* Observe only after a step or a restore; at other times the model may be prepared for the next step and has no
 * consistent state. The last values are then still valid, except the inputs. */
void cycle_observe(struct cycle *c)
{
  const struct signals *s = c->config.signals;
  const struct plant *p = &c->plant;
  double *values = c->output.values;
  if (p->moved)
    signals_observe(s, p->model, p->data, c->inputs.value, values);
  else
    memcpy(values + s->input_first, c->inputs.value, (size_t)s->channels * sizeof *values);
  if (s->figures) figures_take(&c->figures, &c->schedule, c->config.telemetry, values + s->figure_first);
}

static uint32_t saturated_u32(uint64_t v)
{
  return v < UINT32_MAX ? (uint32_t)v : UINT32_MAX;
}

/* UINT32_MAX means "none was set": larger ages saturate one below. */
static uint32_t frame_age_ms(uint64_t age_ns)
{
  const uint64_t most = UINT32_MAX - 1, ms = age_ns / 1000000;
  if (age_ns == UINT64_MAX) return UINT32_MAX;
  return (uint32_t)(ms < most ? ms : most);
}

void cycle_compose(struct cycle *c)
{
  const struct cycle_config *g = &c->config;
  const struct answer *last = &c->output.last;
  /* Values and owners stay in place: the frame points to them. */
  *c->output.head = (struct frame){
      .cycle = c->times.number,
      .time = ali3_data_report(c->plant.data)->time,
      .state = c->machine.state,
      .flags = cycle_flags(c),
      .fault = c->machine.fault,
      .period_us = saturated_u32(g->period_ns / 1000),
      .last_cycle_us = saturated_u32(c->times.cycle_ns / 1000),
      .max_cycle_us = saturated_u32(c->figures.max_cycle_ns / 1000),
      .misses = c->figures.misses,
      .input_age_ms = frame_age_ms(c->inputs.age_ns),
      .stale_mask = c->inputs.stale_mask,
      .last_command = last->code,
      .last_command_id = last->id,
      .last_result = last->result,
      .recorder = __atomic_load_n(&g->telemetry->recorder, __ATOMIC_RELAXED),
      .recorder_lost = saturated_u32(__atomic_load_n(&g->telemetry->recorder_lost, __ATOMIC_RELAXED)),
      .inputs = (uint32_t)g->signals->inputs,
      .count = (uint32_t)g->signals->count,
      .values = c->output.values,
      .owner = c->inputs.owner,
      .note = c->inputs.note,
      .written = c->inputs.written,
      .channels = (uint32_t)g->signals->channels,
  };
}

void output_answer(struct output *o, struct port *port, const struct answer *a)
{
  o->last = *a;
  ring_push(&port->answers, a);
}

void cycle_publish(struct cycle *c)
{
  const struct cycle_config *g = &c->config;
  struct frame *head = c->output.head;
  struct lockstep *l = &c->lockstep;
  if (l->done) {
    if (l->answer.result == RESULT_OK) l->answer.cycle = head->cycle;
    head->last_command = l->answer.code;
    head->last_command_id = l->answer.id;
    head->last_result = l->answer.result;
  }
  head->t_ns = clock_now_ns();
  for (int p = 0; p < g->ports; p++) port_publish(g->port[p], head);
  if (l->done) output_answer(&c->output, g->port[l->port], &l->answer);
  l->done = false;
  machine_shown(&c->machine, head->state, head->fault, head->t_ns);
  /* After all frames are out, so that no port waits for the wake-up of another. */
  for (int p = 0; p < g->ports; p++) port_wake(g->port[p]);
}
