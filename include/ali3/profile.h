/* SPDX-License-Identifier: MIT
 * Where the time of a step goes: callbacks at the phases of a step, and the stages of the elimination tree. A condensation runs the
 * stages in ascending order; a sweep runs them up and then down. Consecutive stages are a band. Threads share the stages of a band
 * whose stages do not depend on each other; all other stages run in the thread that steps. The argument `run` of ali3_probe is the
 * index of a stage.
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
 * the share, at one time. Around the runs of band b the thread that steps reports the run ALI3_RUNS_SHARED - b, which includes the
 * wait for the last share. Share 0 does all other runs. */
enum { ALI3_RUNS_SHARED = -1 };
typedef struct {
  void *context;
  void (*mark)(void *context, ali3_phase phase);
  void (*run)(void *context, int share, int run, bool begins);
} ali3_probe;

/* NULL: none (the default). `probe` must stay valid until it is replaced. A step is RT only if its callbacks are. */
void ali3_data_set_probe(ali3_data *d, const ali3_probe *probe);

typedef struct {
  int level; /* in the tree: 0 has no children, every other level comes after its children; the lowest level of the stage */
  int groups;   /* groups of nodes that are condensed side by side */
  int nodes;    /* nodes of the tree in this stage */
  int lanes;    /* lanes that the groups occupy; nodes / lanes is the share in use */
  double flops; /* operations of one condensation */
  /* Estimated times of one condensation, and of one sweep up or down. Threads share a band that takes at least ali3_exec.worth. */
  double condense, sweep;
} ali3_stage;

/* Number of stages. `m` must be frozen. */
int ali3_model_stages(const ali3_model *m);
/* Stage i, from 0. The index is not checked, and `m` must be frozen. */
ali3_stage ali3_model_stage(const ali3_model *m, int i);

typedef struct {
  int first, end;         /* stages first .. end - 1 */
  bool separate;          /* these stages do not depend on each other: threads may share them */
  double condense, sweep; /* as for a stage */
} ali3_band;

/* Number of bands. Each stage is in one band, and depends on stages of lower bands alone, or also on lower stages of its band if
 * that is not separate. `m` must be frozen. */
int ali3_model_bands(const ali3_model *m);
/* Band i, from 0. The index is not checked, and `m` must be frozen. */
ali3_band ali3_model_band(const ali3_model *m, int i);
/* The share, of `shares`, that does stage i where threads share its band. The index is not checked, and `m` must be frozen. */
int ali3_model_stage_share(const ali3_model *m, int i, int shares);

ALI3_END_DECLARATIONS

#endif
