/* SPDX-License-Identifier: MIT
 * Stages that follow each other without a solve between them, as one wave over the mechanism: as soon as a tile and its
 * neighbours are done with one stage it goes on with the next, while what it needs is still in the nearest cache. The
 * same kernels on the same numbers as stage by stage: the same bits. For one thread, and for mechanisms whose rows
 * are all rigid: laws come between the stages. */
#ifndef STEPPER_WAVE_H
#define STEPPER_WAVE_H

#include "stepper/kernels.h"

enum wave {
  WAVE_PREDICT, /* predict | rows */
  WAVE_FIRST,   /* push lambda | free | beta */
  WAVE_NEXT,    /* step of the links | of the bodies | rows, push lambda | free | beta */
  WAVE_LAST,    /* the same | the same | rows | velocity free | beta */
  WAVE_AGAIN,   /* push z | velocity set, again | beta */
  WAVE_TURN,    /* push z | velocity set | left | acceleration free | beta */
  WAVE_DONE,    /* push z | acceleration set | left */
  WAVES
};

/* Set-up. Orders of the tiles, into frozen. False: out of memory. */
bool wave_build(struct frozen *f);
void wave_free(struct frozen *f);

/* Whether to go in waves. RT. */
bool wave_applies(const ali3_model *m, const ali3_data *d);
void wave_run(const ali3_model *m, ali3_data *d, enum wave wave); /* RT */

#endif
