/* SPDX-License-Identifier: MIT
 * The daemon's side of the frame ring. */
#ifndef FRAMES_WRITER_H
#define FRAMES_WRITER_H

#include "frames/layout.h"
#include "signals/signals.h"
#include "telemetry/telemetry.h"

#include <stdbool.h>

struct frames_writer {
  struct frames_head *head;   /* the mapping; NULL: there is no ring */
  struct frames_slot *slot;   /* the one that is being written */
  uint64_t next;              /* number of that slot */
  struct frames_state *state; /* the one that is being written */
  uint64_t next_state;        /* number of that state */
};

struct frames_plan {
  const struct telemetry *telemetry; /* names the instance: the ring belongs to its owner */
  const ali3_model *model;           /* frozen */
  const struct signals *signals;
  uint64_t period_ns;
  uint64_t start_utc;   /* ns since 1970 at the start of the telemetry */
  double seconds;       /* length of the ring */
  uint64_t limit_bytes; /* largest size of all slots; a ring has at least 1 s of cycles whatever the limit */
  uint64_t platform_bytes;             /* size of the state of the motion platform; 0: there is none */
  uint32_t tuning;                     /* numbers of its mode and parameters */
  const char *version, *config, *yaml; /* yaml NULL: nothing */
  const char *extras;                  /* JSON for pictures; NULL: nothing */
  const char *record;                  /* lines "KEY VALUE" for a recorder; NULL: nothing */
};

/* Set-up, before telemetry_ready(). Makes DIR/ali3-NAME.frames and maps it; every page is allocated. A ring that a killed
 * daemon left goes. False: the reason in error[size]. */
bool frames_create(struct frames_writer *w, const struct frames_plan *plan, char *error, size_t size);
/* Removes and unmaps what frames_create() made. */
void frames_destroy(struct frames_writer *w, const struct telemetry *telemetry);

/* A ring in a file of memory, which nobody fills: the layout of slots and states, and all tables, for frames_open_described().
 * Its descriptor, to be closed; -1: see errno. Set-up. */
int frames_describe(const struct frames_plan *plan);

/* RT, the loop only. Begins the slot of a cycle; the caller fills its fields, inputs and values; then commits. With
 * frames_writer.head NULL begin returns NULL. */
struct frames_slot *frames_begin(struct frames_writer *w);
static inline struct frames_input *frames_slot_inputs(const struct frames_head *h, struct frames_slot *s)
{
  return (struct frames_input *)(void *)((char *)s + h->input_at);
}
static inline double *frames_slot_values(const struct frames_head *h, struct frames_slot *s)
{
  return (double *)(void *)((char *)s + h->values_at);
}
static inline double *frames_slot_tuning(const struct frames_head *h, struct frames_slot *s)
{
  return (double *)(void *)((char *)s + h->tuning_at);
}
void frames_commit(struct frames_writer *w);

/* RT, the loop only. The bytes of the next state, model first, which the caller fills; it commits them with the cycle after
 * which they hold, or writes them again later. */
void *frames_state_begin(struct frames_writer *w);
void frames_state_commit(struct frames_writer *w, uint64_t cycle);

/* One ordinary thread: copies an event and its text, which is shortened to fit, into the ring. w or w->head NULL: nothing. */
void frames_tell(struct frames_writer *w, const struct frames_event *event, const char *text);

#endif
