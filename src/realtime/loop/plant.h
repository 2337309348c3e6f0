/* SPDX-License-Identifier: MIT
 * The plant: the model that the loop steps, its data, and its initial state. */
#ifndef LOOP_PLANT_H
#define LOOP_PLANT_H

#include "signals/handover.h"

#include <ali3/profile.h>
#include <ali3/stepper.h>
#include <stdbool.h>
#include <stddef.h>

struct plant {
  const ali3_model *model; /* frozen */
  ali3_data *data;         /* a block of `size` bytes */
  size_t size;
  void *initial;    /* the initial state: bytes of ali3_state_save() */
  uint32_t version; /* version of its parameters: 0 at the start */
  bool restore;     /* the model must return to its initial state */
  bool load;        /* the model must take the state that was handed over; never together with restore */
  bool prepared;    /* the last preparation had an effect */
  bool stepped;     /* the stepper ran in this cycle */
  bool restored;    /* the model returned to its initial state before the step of this cycle */
  bool loaded;      /* the model took a state before the step of this cycle */
  bool from_load;   /* the model has not been in its initial state since a load */
  bool warming;     /* the step of this cycle belongs to the warm-up: it is taken back */
  bool tuned;       /* another model came in before the step of this cycle */
  int status;       /* status of this cycle's step; ALI3_OK without a step */
  bool moved;       /* the state of the model changed in this cycle: observe it */
  bool open;        /* the last step left a joint, drive or gear open */
  bool unresolved;  /* the last step did not resolve a rotation */
};

/* Set-up. Makes the data and resets it. Returns the status of ali3_reset or ALI3_E_MEMORY. The caller calls
 * plant_free() in both cases. */
int plant_init(struct plant *p, const ali3_model *model);
/* Set-up. Saves the present state for plant_restore(). */
void plant_keep(struct plant *p);
void plant_free(struct plant *p);

/* RT. */
void plant_restore(struct plant *p);
/* RT. Returns the status of ali3_state_load(); on an error nothing changes. */
int plant_load(struct plant *p, const void *state, size_t size);
/* RT, between two cycles. Carries the motion over and exchanges model, data and initial state with those of the set. On an
 * error, which s->status has, nothing changes. */
void plant_swap(struct plant *p, struct plant_set *s, const ali3_exec *exec, const ali3_probe *probe);

#endif
