/* SPDX-License-Identifier: MIT
 * The stages of the elimination tree of a frozen model. A program uses them to show where the time of a step goes. A condensation
 * runs the stages in ascending order; a sweep runs them up and then down. The argument `run` of ali3_probe is the index of a
 * stage. All functions are thread-safe. */
#ifndef ALI3_STAGES_H
#define ALI3_STAGES_H

#include <ali3/types.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  int level;    /* in the tree: 0 has no children, every other level comes after its children */
  int groups;   /* groups of nodes that are condensed side by side */
  int nodes;    /* nodes of the tree in this stage */
  int lanes;    /* lanes that the groups occupy; nodes / lanes is the share in use */
  double flops; /* operations of one condensation */
} ali3_stage;

/* Number of stages. `m` must be frozen. */
int ali3_model_stages(const ali3_model *m);
/* Stages 0 .. n - 1 do not depend on each other: threads may share them. Returns n. `m` must be frozen. */
int ali3_model_stages_shared(const ali3_model *m);
/* Stage i, from 0. The index is not checked, and `m` must be frozen. */
ali3_stage ali3_model_stage(const ali3_model *m, int i);

#ifdef __cplusplus
}
#endif

#endif
