/* SPDX-License-Identifier: MIT
 * What one ordinary thread and the loop hand to each other between two cycles: a changed model, a copy of the state, a state to
 * load. Neither side waits. */
#ifndef SIGNALS_HANDOVER_H
#define SIGNALS_HANDOVER_H

#include "cueing/params.h"

#include <ali3/types.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* A new value of the motion platform: a row of params_table. */
struct platform_change {
  uint32_t parameter;
  double value;
};

/* A set of changed parameters, all of which act from one cycle on, or none: a model with them, its data after a reset, and its
 * initial state as bytes of ali3_state_save(); beside it changes of the motion platform. */
struct plant_set {
  const ali3_model *model; /* NULL: the model does not change */
  ali3_data *data;
  void *initial;
  uint32_t version;                     /* version of the parameters, as the frames show it */
  const struct platform_change *change; /* (changes) */
  int changes;
  /* Filled by the loop. */
  int status; /* ALI3_OK: the loop took the set, and model, data and initial are those that it used before */
  double ceiling; /* of the refused change, as platform_drive_ceiling() says */
  int refused; /* index of the change that the platform refuses; `changes`: they contradict each other; -1: none */
  uint64_t cycle; /* first cycle with the new set */
};

enum state_copy_phase { COPY_IDLE, COPY_WANTED, COPY_DONE };

struct state_copying {
  void *bytes; /* room for ali3_state_size() of the model in use */
  /* Filled by the loop. */
  int status; /* of ali3_state_save() */
  uint64_t cycle;
  struct platform_params platform; /* present parameters; zeros without a platform */
};

struct handover {
  _Atomic(struct plant_set *) set; /* the thread stores a set, the loop takes it and stores NULL */
  atomic_int phase;                /* enum state_copy_phase: WANTED by the thread, DONE by the loop */
  struct state_copying copy;       /* owned by the loop while WANTED */
  /* The state that COMMAND_LOAD loads. The thread writes it before it sends the command, and waits for the answer. */
  const void *state; /* NULL: none */
  size_t state_size;
};

static inline bool handover_pending(const struct handover *h)
{
  return atomic_load_explicit(&h->set, memory_order_relaxed) != NULL ||
         atomic_load_explicit(&h->phase, memory_order_relaxed) == COPY_WANTED;
}

#endif
