/* SPDX-License-Identifier: MIT
 * Inside of the stepper: the frozen part of a model, the fields of ali3_data, and the stages a step is made
 * of. */
#ifndef STEPPER_STEPPER_H
#define STEPPER_STEPPER_H

#include "dca/condense.h"
#include "dynamics/rows.h"
#include "model/model.h"

#include <ali3/stepper.h>
#include <stdatomic.h>

/* What freezing adds to a model. */
struct frozen {
  struct joint_rows *link; /* (links) the joints of the model, then its springs */
  int links;
  int rows, rigid; /* all of them; those of the joints, which come first */
  int *end_first;  /* (bodies + 1) link ends of each body, in `end` */
  int *end;        /* (2 links) 2 * link + side, ascending per body */
  struct tree *tree;
  struct body_load *load; /* (bodies) sum of the constant torques, and of the forces without their moments */
  int point_loads;        /* forces with a lever arm, which turns with the body */
  int *point_load;        /* (point_loads) index in model.load, by body */
  int *point_load_first;  /* (bodies + 1) */
};

/* All that a step changes of the mechanism. */
struct kept {
  struct body_state *x; /* (n) */
  double *mu;           /* (n) multipliers of the normalisation */
  double *lambda;       /* (m) multipliers of the rows, N or N m */
};

/* Shapes: n bodies, m rows, u = m + 7 hubs unknowns. */
struct ali3_data {
  struct kept now;    /* the state                                          filled by reset, step */
  struct kept last;   /* at the start of the inner step                     filled by inner_prepare */
  struct kept start;  /* at the start of the step; `last` itself where a step is one inner step */
  struct kept coarse; /* result of the long branch                          filled by extrapolation only */
  struct body_frame *frame; /* (n) R and s of now.x                               filled with it */
  struct body_delta
      *delta; /* (n) h M^^^-1                                       filled by reset, step_length */
  double *c;  /* (m) compliance of the rows                         filled by reset, step_length */
  double dt;  /* s, of the inner step that delta and c are made for */
  struct body_load *external; /* (n) loads from outside                             filled by ali3_set_load */
  double *Phi;                /* (m) residual of the rows at now.x */
  double *J;                  /* (m, 2, 7) Jacobian at now.x, body coordinates */
  double *beta;               /* (m) right-hand side of S z = beta */
  double *z;                  /* (u) its solution */
  double (*w)[BODY_Y];        /* (n) free increment, velocity or acceleration */
  double *increment;          /* (n) |dq|^2 of the last iteration */
  double *turn;               /* (joints) joint angle without wrap */
  struct tree_work work;
  const ali3_exec *exec;
  bool prepared;
  bool owned;             /* the block is ali3_data_new()'s */
  atomic_int failed_node; /* pivot that was not positive in this step; -1 */
  ali3_report report;
  ali3_initial initial;
};

/* One stage: `work(stage, share, shares)` over the items of its kind. Serial unless an exec is set and the
 * stage is worth waking it. */
struct stage {
  const ali3_model *m;
  ali3_data *d;
  int level; /* of the tree, where it applies */
};
typedef void stage_work(void *stage, int share, int shares);
void stage_run(struct stage *s, stage_work *work, double flops);
/* The items first .. end of share `share`, as equal as can be. */
static inline void stage_range(int count, int share, int shares, int *first, int *end)
{
  *first = (int)((long long)count * share / shares);
  *end = (int)((long long)count * (share + 1) / shares);
}

/* One step of the trapezoidal rule over d->dt, in two parts (inner.c). RT.
 * inner_prepare: false if a pivot is not positive. inner_iterate: the norm of the last Newton increment;
 * ALI3_OK, ALI3_NOT_CONVERGED or ALI3_E_DIVERGED in *status. */
bool inner_prepare(const ali3_model *m, ali3_data *d);
double inner_iterate(const ali3_model *m, ali3_data *d, int *status);
/* Makes delta and c right for inner steps of dt seconds; step_laws does c of the soft rows alone. */
void inner_step_length(const ali3_model *m, ali3_data *d, double dt);
void inner_step_laws(const ali3_model *m, ali3_data *d);
/* One step of the smallest change in the mass matrix' norm towards Phi = 0 (section 3a; initial state). Needs
 * J, Phi and the factors; leaves frame, but not J and Phi, at the new state. Returns the largest part of the
 * change. */
double stage_position(const ali3_model *m, ali3_data *d);

/* Pieces shared by step and reset. All RT. */
void stage_view(const ali3_data *d, const struct joint_rows *j, struct joint_view *v);
void stage_rows(const ali3_model *m, ali3_data *d);     /* Phi and J at x */
bool stage_condense(const ali3_model *m, ali3_data *d); /* factorise S with J and c; false: see failed_node */
void stage_beta(const ali3_model *m, ali3_data *d);     /* beta = Phi + J w */
void stage_solve(const ali3_model *m, ali3_data *d);    /* z = S^-1 beta */
void stage_velocity(const ali3_model *m, ali3_data *d); /* (40-54) project q' */
void stage_acceleration(const ali3_model *m, ali3_data *d); /* (55-69) project q'' */
void stage_norms(const ali3_model *m, ali3_data *d);        /* constraint norms into the report */
/* o = sum over the body's ends of J' v, v over the rows */
void stage_gather(const ali3_model *m, const ali3_data *d, int body, const double *v, double o[BODY_Y]);
/* (J w) of one row, over both bodies */
double stage_jw(const ali3_data *d, const struct joint_rows *j, int row);
/* The force that the law of a soft link asks for at x, x'. */
double stage_law(const ali3_data *d, const struct joint_rows *j);
/* Constant and external load of a body in the pose of x. */
void stage_load(const ali3_model *m, const ali3_data *d, int body, struct body_load *o);

#endif
