/* SPDX-License-Identifier: MIT
 * Where the time of a step goes: callbacks at the phases of a step, and the stages of the elimination tree. A condensation runs the
 * stages in ascending order; a sweep runs them up and then down. The argument `run` of ali3_probe is the index of a stage.
 *
 * This header is not stable: phases and stages show how the solver works inside, and may change in every version. */
#ifndef ALI3_PROFILE_H
#define ALI3_PROFILE_H

#include <ali3/stepper.h>

ALI3_BEGIN_DECLARATIONS

/* Phases of a step, for programs that measure it. */
typedef enum {
  ALI3_PHASE_PREDICT,  /* prediction of the state at the end of the step */
  ALI3_PHASE_ROWS,     /* residuals, Jacobian and laws of all rows */
  ALI3_PHASE_CONDENSE, /* factorisation */
  ALI3_PHASE_SWEEP,    /* solves of the iterations */
  ALI3_PHASE_BODIES,   /* right-hand sides and increments of the iterations */
  ALI3_PHASE_PROJECT,  /* projections with their solves and rows, and the end of the step */
  ALI3_PHASE_IDLE,     /* outside ali3_prepare() and ali3_feedback() */
  ALI3_PHASES
} ali3_phase;

/* Callbacks that time a step, since the library has no clock. mark() runs in the thread that steps, with the phase that begins.
 * A phase returns in each iteration and inner step; a reset has none. With extrapolation, only the branch of three inner steps
 * is reported.
 *
 * run() may be NULL. It is called at the beginning and at the end of each run of the tree's schedule (a stage): once
 * per condensation, and twice per sweep, up and down. The runs that threads share are reported by every share, from the thread of
 * the share, at one time. Around them the thread that steps reports ALI3_RUNS_SHARED, which includes the wait for the last share.
 * Share 0 does all other runs. */
enum { ALI3_RUNS_SHARED = -1 };
typedef struct {
  void *context;
  void (*mark)(void *context, ali3_phase phase);
  void (*run)(void *context, int share, int run, bool begins);
} ali3_probe;

/* NULL: none (the default). `probe` must stay valid until it is replaced. A step is RT only if its callbacks are. */
void ali3_data_set_probe(ali3_data *d, const ali3_probe *probe);

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

ALI3_END_DECLARATIONS

#endif
