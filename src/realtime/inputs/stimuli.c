/* SPDX-License-Identifier: MIT */
#include "inputs/stimuli.h"

#include "base/arena.h"

#include <stdlib.h>
#include <string.h>

bool stimuli_init(struct stimuli *all, const struct stimulus *table, int count, struct port *port,
                  int channels, uint64_t period_ns)
{
  *all = (struct stimuli){.count = port ? count : 0,
                          .channels = channels,
                          .table = table,
                          .port = port,
                          .period = (double)period_ns * 1e-9};
  all->player = aligned_zalloc(((size_t)all->count + 1) * sizeof *all->player);
  all->sample = aligned_zalloc(((size_t)channels + 1) * sizeof *all->sample);
  for (int i = 0; all->player && i < all->count; i++) all->player[i].plays = table[i].with_motion;
  return all->player && all->sample;
}

void stimuli_free(struct stimuli *all)
{
  free(all->player);
  free(all->sample);
}

static void send_stimuli(struct stimuli *all, uint64_t t_ns)
{
  bool any = false;
  for (int i = 0; i < all->count; i++) {
    struct player *p = &all->player[i];
    const double t = (double)(p->steps + 1) * all->period; /* end of the next step */
    p->plays = p->plays && stimulus_lasts(&all->table[i], t);
    p->sent = p->plays;
    any |= p->plays;
    if (p->plays) stimulus_write(&all->table[i], t, all->sample, t_ns);
  }
  if (!any) return;
  memcpy(snapshot_begin(&all->port->inputs), all->sample, (size_t)all->channels * sizeof *all->sample);
  snapshot_publish(&all->port->inputs);
}

void stimuli_play(struct stimuli *all, bool stepped, uint64_t t_ns)
{
  for (int i = 0; i < all->count; i++) all->player[i].steps += stepped && all->player[i].sent;
  send_stimuli(all, t_ns);
}

bool stimuli_rewind(struct stimuli *all, uint64_t t_ns)
{
  bool late = false;
  for (int i = 0; i < all->count; i++) {
    struct player *p = &all->player[i];
    const bool plays = all->table[i].with_motion, begun = p->sent && p->steps == 0;
    late |= plays && !begun;
    *p = (struct player){.plays = plays, .sent = plays && begun};
  }
  if (late) send_stimuli(all, t_ns);
  return late;
}

bool stimuli_switch(struct stimuli *all, uint32_t argument)
{
  const uint32_t i = argument >> 1;
  if (i >= (uint32_t)all->count) return false;
  all->player[i] = (struct player){.plays = argument & 1};
  return true;
}
