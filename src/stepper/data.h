/* SPDX-License-Identifier: MIT
 * The fields of ali3_data, one struct for each part of the step that owns them. Shapes: n = tree.slots bodies,
 * m = tree.rows rows, u = tree.unknowns, all as the tree stores them. The ground is the last body: identity pose,
 * all else 0. In lanes not in use bodies weigh nothing and rest there, too; rows have J 0, c 1. */
#ifndef STEPPER_DATA_H
#define STEPPER_DATA_H

#include "layout/frozen.h"

#include <ali3/stepper.h>
#include <stdatomic.h>

/* All that a step changes of the mechanism. */
struct state {
  double *x;        /* (n, X_NUMBERS) q, q', q'' */
  double *mu;       /* (n) multipliers of the normalisation */
  double *lambda;   /* (m) multipliers of the rows, N or N m */
  double *reaction; /* (m) those that go with the projected accelerations: of second order, lambda of first */
  double *mean;     /* (m) of soft rows whose laws jump: force over the last inner step; else 0 */
};

/* The rows and the rotations of the bodies, linearised at one state. */
struct linearisation {
  double *J;     /* (tree.jacobian + 1) in body coordinates; the last one 0 */
  double *frame; /* (n, FRAME_NUMBERS) R, s, 1/s; of self-contained bodies R only at the ends of a step */
};

/* The Newmark formulas (paper 3, (13)) for a step dt, with d = q - q_last:
 *   q'  = v_d d + v_v q'_last + v_a q''_last,   q'' = a_d d + a_v q'_last + a_a q''_last */
struct rule {
  double dt; /* s */
  double h;  /* beta dt^2: weight of the mass matrix' inverse in delta */
  double v_d, v_v, v_a, a_d, a_v, a_a;
};

/* Soft rows: what their laws ask for, and which of them a projection counts as rigid. */
struct soft_rows {
  double *law;       /* (m) multiplier that the law of the row asks for; 0 for rigid rows */
  double *Phi_last;  /* (m) Phi at the start of the inner step                  filled by inner_prepare */
  double *rate_last; /* (m) Phi' there                                          filled by inner_prepare */
  double *rate;      /* (m) Phi' at the state                                   filled by soft_rates */
  int *piece;        /* (m) law_piece() there                                   filled by inner_prepare */
  double *mobility;  /* (m) of friction rows: J delta J' as the joints let it   filled by reset */
  double *rate_seen, *lambda_seen; /* (m) of friction rows: in the last iteration; NaN: this is the first */
  bool *stiff;        /* (m) too stiff for the step to follow how the row swings  filled by reset */
  bool *rigid_now;    /* (m) velocities and accelerations are projected on it, as on a rigid row */
  double *rigid_rate; /* (m) the rate that such a row is to have                  filled by soft_settle */
  bool some_stiff;    /* any of stiff */
  atomic_bool corner; /* a row left its smooth piece of the law in this step, or was on none */
};

/* The linear system of an iteration or projection, its solution, and what goes with both. */
struct solve {
  double
      *delta;  /* (n, DELTA_NUMBERS) h M^^^-1, of carried bodies its inverse; alpha   by reset, step_length */
  double *c;   /* (m) compliance of the rows                         filled by reset, step_length */
  double *Phi; /* (m) residual of the rows at now.x */
  double *bias;        /* (m) of the rows, at the velocities of the projection of the accelerations */
  double *w;           /* (n, 7) free increment, velocity or acceleration */
  double *tip[2];      /* (m) of links with tips: what the body of each side makes of its point */
  double *carried_rhs; /* (n, 7) right-hand side of carried bodies; NULL without */
  double *beta;        /* (m, or u with carried bodies) right-hand side of S z = beta */
  double *z;           /* (u) its solution */
  double *z_first;     /* (u) first solution while a solve is refined; like response NULL if !tree.fast */
  double *response;    /* (n, 7) delta J'z, of a solve that is refined */
  double *end_load;    /* (frozen.end_loads + 8) J'v of each link end, v lambda or z; the last ones 0 */
  double *increment;   /* (n) |dq|^2 of the last iteration, or the largest part of a move */
  double *
      residual[2]; /* (frozen.residuals) of each rigid link the largest row of velocities, of accelerations */
  struct tree_work work;
  atomic_int failed_group; /* the first with a pivot that was not positive in the last condensation; -1 */
};

/* Norms of the increments of an inner step: the largest up to the first iteration that knows all inputs, of the last iteration,
 * the largest before it; and the part of a single body in the last. */
struct newton {
  double first, last, largest, body;
  int refreshed; /* the iteration whose right-hand sides were made anew after inputs came */
};

/* What users set from outside. */
struct outside_values {
  double *wrench;      /* (n, WRENCH_NUMBERS) on bodies               filled by ali3_set_load */
  double (*vector)[3]; /* (loads) of the loads of the model  filled by reset, ali3_set_load_vector */
  double *command;     /* (forces) of motors N or N m, of drives rad or m     filled by ali3_set_value */
};

struct outside {
  struct outside_values now;   /* as set, or on the way there if interpolated over substeps */
  struct outside_values start; /* at the start of the step */
  struct outside_values end;   /* as set, if interpolated over substeps */
  bool
      early; /* those of the start are in force: the inputs of the step may not have come   set by inner_prepare */
  bool
      again; /* see body_turn                                                       set by stage_acted_bodies */
  bool changed;                 /* something was set since `start` was copied */
  bool fresh;                   /* something was set that the right-hand sides do not know */
  bool *acted;                  /* (tree.tiles) some body has loads of the model, or once had a wrench */
  struct reference *from, *aim; /* (drives) at the start of the step, at the end of the inner step */
};

/* A twin has what an inner step writes, and a report, for itself; what an inner step only reads belongs to both (data.c). */
struct ali3_data {
  struct state now;   /* the state                                          filled by reset, step */
  struct state last;  /* at the start of the inner step                     filled by inner_prepare */
  struct state start; /* at the start of the step, with substeps                filled by ali3_prepare */
  struct linearisation here; /* at the state */
  struct linearisation
      factored; /* that of the factors: `here` until bodies are moved     set by stage_condense */
  struct linearisation spare; /* the one of the two that is not `factored`: bodies are moved into it */
  struct rule rule; /* of the inner step that delta and c are made for   filled by reset, step_length */
  struct solve solve;
  struct newton newton;
  struct soft_rows soft;
  struct outside outside;
  double *spin;         /* (n, SPIN_NUMBERS) struct body_spin                 filled by body_predict */
  bool *fast;           /* (tree.tiles) some body of it turns fast            filled by body_predict */
  double (*tangent)[3]; /* (rolling) first direction of sliding at the start of the step */
  double *turn;         /* (joints + 1) joint angle without wrap; the last one is of no joint */
  double *turn_start;   /* (joints) at the start of the step */
  ali3_data *twin[2];   /* extrapolated steps: branches of one and of two inner steps; NULL: there are none */
  const ali3_exec *exec;
  const ali3_probe *probe;
  bool combines;     /* extrapolated, and no spring is too stiff for it: extrapolate.c   filled by reset */
  bool intermediate; /* the inner step does not end the step: residual norms are not needed */
  bool started;      /* a reset has succeeded */
  bool prepared;
  bool owned; /* the block is ali3_data_new()'s */
  ali3_report report;
  ali3_violation violation;
  ali3_initial initial;
};

static inline void data_mark_phase(const ali3_data *d, ali3_phase begins)
{
  if (d->probe) d->probe->mark(d->probe->context, begins);
}

/* Something was set from outside. */
static inline void data_refresh(ali3_data *d)
{
  d->outside.fresh = d->outside.changed = true;
  for (int i = 0; i < 2 && d->twin[i]; i++) d->twin[i]->outside.fresh = true;
}

static inline const struct outside_values *outside_in_force(const ali3_data *d)
{
  return d->outside.early ? &d->outside.start : &d->outside.now;
}

/* What comes from outside moves in a straight line over the substeps. */
static inline bool data_interpolates(const ali3_model *m)
{
  return m->options.interpolate && m->options.substeps > 1;
}

/* Of two statuses: an error before a warning. */
static inline int status_worse(int a, int b)
{
  return a < 0 || b < 0 ? (a < b ? a : b) : (a > b ? a : b);
}

/* copies.c. RT. */
void state_copy(const ali3_model *m, struct state *to, const struct state *from);
void outside_values_copy(const ali3_model *m, struct outside_values *to, const struct outside_values *from);

#endif
