/* SPDX-License-Identifier: MIT
 * The plant: the model that the loop steps, its data, and a copy of its initial state. */
#ifndef LOOP_PLANT_H
#define LOOP_PLANT_H

#include <ali3/ali3.h>
#include <stdbool.h>
#include <stddef.h>

struct plant {
  const ali3_model *model; /* frozen */
  ali3_data *data;
  void *block, *image; /* (size bytes) memory of the data, and a copy of it in the initial state */
  size_t size;
  bool restore;  /* the model must return to its initial state */
  bool prepared; /* the last preparation had an effect */
  bool stepped;  /* the stepper ran in this cycle */
  bool restored; /* the model returned to its initial state before the step of this cycle */
  bool warming;  /* the step of this cycle belongs to the warm-up: it is taken back */
  int status;    /* status of this cycle's step; ALI3_OK without a step */
  bool moved;    /* the state of the model changed in this cycle: observe it */
  bool open;     /* the last step left a joint, drive or gear open */
};

/* Set-up. Places the data and resets it. Returns the status of ali3_reset or ALI3_E_MEMORY. The caller calls
 * plant_free() in both cases. */
int plant_init(struct plant *p, const ali3_model *model);
/* Set-up. Saves the present state for plant_restore(). */
void plant_keep(struct plant *p);
void plant_free(struct plant *p);

/* RT. */
void plant_restore(struct plant *p);

#endif
