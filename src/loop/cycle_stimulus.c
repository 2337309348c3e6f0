/* SPDX-License-Identifier: MIT
 * Tables of measured values that drive inputs. A playing stimulus is one more client of the inputs: each cycle it sends the values
 * for the end of the next step. Its time advances with the steps. RT except stimuli_init() and stimuli_free(). */
#include "loop/cycle_parts.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

bool stimuli_init(struct stimuli *all, const struct cycle_config *config)
{
  all->count = config->port_of_stimuli ? config->stimuli : 0;
  all->player = aligned_zalloc(((size_t)all->count + 1) * sizeof *all->player);
  all->sample = aligned_zalloc(((size_t)config->signals->channels + 1) * sizeof *all->sample);
  for (int i = 0; all->player && i < all->count; i++) all->player[i].plays = config->stimulus[i].with_motion;
  return all->player && all->sample;
}

void stimuli_free(struct stimuli *all)
{
  free(all->player);
  free(all->sample);
}

/* s, the end of the next step. */
static double stimulus_time(const struct cycle *c, const struct player *p)
{
  return (double)(p->steps + 1) * ((double)c->config.period_ns * 1e-9);
}

static void send_values(struct cycle *c, uint64_t t_ns)
{
  struct stimuli *all = &c->stimuli;
  struct port *port = c->config.port_of_stimuli;
  bool any = false;
  for (int i = 0; i < all->count; i++) {
    struct player *p = &all->player[i];
    const struct stimulus *s = &c->config.stimulus[i];
    p->plays = p->plays && stimulus_lasts(s, stimulus_time(c, p));
    p->sent = p->plays;
    any |= p->plays;
    if (p->plays) stimulus_write(s, stimulus_time(c, p), all->sample, t_ns);
  }
  if (!any) return;
  memcpy(snapshot_begin(&port->inputs), all->sample,
         (size_t)c->config.signals->channels * sizeof *all->sample);
  snapshot_publish(&port->inputs);
}

void cycle_play_stimuli(struct cycle *c)
{
  const bool stepped = c->plant.stepped && !c->plant.warming && c->plant.status >= 0;
  for (int i = 0; i < c->stimuli.count; i++)
    c->stimuli.player[i].steps += stepped && c->stimuli.player[i].sent;
  send_values(c, c->times.wake_ns);
}

void cycle_rewind_stimuli(struct cycle *c)
{
  struct stimuli *all = &c->stimuli;
  bool late = false;
  for (int i = 0; i < all->count; i++) {
    struct player *p = &all->player[i];
    const bool plays = c->config.stimulus[i].with_motion, begun = p->sent && p->steps == 0;
    late |= plays && !begun;
    *p = (struct player){.plays = plays, .sent = plays && begun};
  }
  if (!late) return;
  /* The model may step in this cycle, so the first values must come at once. */
  send_values(c, c->times.wake_ns + 1);
  inputs_take(&c->inputs, c->config.port, c->times.wake_ns + 1,
              c->config.settings.clock == CLOCKING_LOCKSTEP ? c->lockstep.virtual_ns : 0);
}

enum command_result cycle_switch_stimulus(struct cycle *c, uint32_t argument)
{
  const uint32_t i = argument >> 1;
  if (i >= (uint32_t)c->stimuli.count) return RESULT_BAD_ARGUMENT;
  c->stimuli.player[i] = (struct player){.plays = argument & 1};
  return RESULT_OK;
}
