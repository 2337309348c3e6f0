/* SPDX-License-Identifier: MIT
 * The cycles since the last states. A file may begin at any cycle, and states are rare: its replay begins with the newest state
 * ahead of it, and with the cycles in between. */
#include "recording/run_file.h"

#include <stdlib.h>
#include <string.h>

static const size_t MOST_BYTES = 64000000; /* a model that is paused for long has no new state */

void acted_take(struct acted *a, const struct frames_reader *r, const struct frames_slot *slot)
{
  const struct frames_head *h = &r->head;
  *a = (struct acted){
      .cycle = slot->cycle, .action = slot->action, .state = slot->state, .parameters = slot->parameters};
  memcpy(a->number, frames_values(r, slot) + h->channel_first, h->channels * sizeof(double));
  memcpy(a->number + h->channels, frames_tuning(r, slot), h->tuning * sizeof(double));
}

bool history_open(struct history *h, const struct frames_reader *r, uint64_t before)
{
  uint64_t states = 0;
  *h = (struct history){.ring = r, .before = before, .row_bytes = acted_bytes(r)};
  if (!frames_states_written(r, &states)) return false;
  h->next_state = states > r->head.states - 1 ? states - (r->head.states - 1) : 0;
  return true;
}

static void forget_rows(struct history *h)
{
  for (int i = 0; i < h->states; i++) free(h->state[i]);
  h->states = 0;
  h->rows = 0;
}

void history_close(struct history *h)
{
  forget_rows(h);
  free(h->state);
  free(h->row);
  *h = (struct history){0};
}

/* Drops the oldest state, and the rows up to the next one. */
static void drop_oldest(struct history *h)
{
  const uint64_t cycle = h->state[1]->cycle;
  size_t n = 0;
  while (n < h->rows && history_row(h, n)->cycle <= cycle) n++;
  memmove(h->row, h->row + n * h->row_bytes, (h->rows - n) * h->row_bytes);
  h->rows -= n;
  free(h->state[0]);
  memmove(h->state, h->state + 1, (size_t)--h->states * sizeof *h->state);
}

/* States whose cycle is here. Returns the one of the last cycle. */
static const struct frames_state *take_states(struct history *h)
{
  const struct frames_state *newest = NULL;
  /* At most one ring of states: a stranger's ring may claim that each of them was overtaken. */
  for (uint64_t looks = 0; looks <= h->ring->head.states; looks++) {
    struct frames_state *s = malloc(h->ring->head.state_bytes),
                        **more = realloc(h->state, ((size_t)h->states + 1) * sizeof(struct frames_state *));
    if (more) h->state = more;
    const enum frames_got got = s && more ? frames_take_state(h->ring, h->next_state, s) : FRAMES_NOT_YET;
    if (got == FRAMES_OVERTAKEN) h->next_state++;
    if (got != FRAMES_WHOLE || s->cycle > h->last_cycle) {
      free(s);
      if (got == FRAMES_OVERTAKEN) continue;
      return newest;
    }
    h->next_state++;
    /* A state ahead of the rows begins them anew, unless cycles between are missing. */
    const bool follows = h->rows > 0 ? s->cycle + 1 >= history_row(h, 0)->cycle : s->cycle == h->last_cycle;
    if (follows) {
      h->state[h->states++] = s;
      if (s->cycle == h->last_cycle) newest = s;
    } else {
      free(s);
    }
  }
  return newest;
}

static void append_row(struct history *h, const struct frames_slot *slot)
{
  if (h->rows == h->room) {
    const size_t room = h->room ? 2 * h->room : 256;
    char *more = room * h->row_bytes <= MOST_BYTES ? realloc(h->row, room * h->row_bytes) : NULL;
    if (!more) { /* files that begin now have no state until the next one comes */
      forget_rows(h);
      return;
    }
    h->row = more;
    h->room = room;
  }
  acted_take((struct acted *)(void *)(h->row + h->rows++ * h->row_bytes), h->ring, slot);
}

const struct frames_state *history_add(struct history *h, const struct frames_slot *slot)
{
  if (slot->cycle <= h->last_cycle) return NULL;
  if (slot->cycle != h->last_cycle + 1) forget_rows(h);
  if (h->rows == 0 && h->states == 0) {
    /* The state ahead of the first row may be in the ring. */
    h->last_cycle = slot->cycle - 1;
    take_states(h);
  }
  h->last_cycle = slot->cycle;
  append_row(h, slot);
  const struct frames_state *state = take_states(h);
  const uint64_t oldest = slot->cycle > h->before ? slot->cycle - h->before : 0;
  while (h->states > 1 && h->state[1]->cycle < oldest) drop_oldest(h);
  return state;
}

const struct frames_state *history_find(const struct history *h, uint64_t cycle, size_t *first, size_t *count)
{
  int newest = h->states - 1;
  while (newest >= 0 && h->state[newest]->cycle >= cycle) newest--;
  *first = *count = 0;
  if (newest < 0) return NULL;
  while (*first < h->rows && history_row(h, *first)->cycle <= h->state[newest]->cycle) ++*first;
  while (*first + *count < h->rows && history_row(h, *first + *count)->cycle < cycle) ++*count;
  return h->state[newest];
}
