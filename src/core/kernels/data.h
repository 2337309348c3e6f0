/* SPDX-License-Identifier: MIT
 * This file has the fields of ali3_data, one struct for each part of the step that owns them. Shapes: n = tree.slots bodies,
 * m = tree.rows rows, u = tree.unknowns. All arrays have the order of the tree. The ground is the last body: its pose is the
 * identity, and its other numbers are 0. In unused lanes a body has no mass and stays at rest, and a row has J = 0
 * and c = 1. */
#ifndef KERNELS_DATA_H
#define KERNELS_DATA_H

#include "articulated/limbs.h"
#include "layout/frozen.h"

#include <ali3/model.h>
#include <ali3/profile.h>
#include <ali3/stepper.h>
#include <stdatomic.h>

/* The state of the mechanism: every number that a step changes. */
struct state {
  double *x;        /* (n, X_NUMBERS) q, q', q'' */
  double *mu;       /* (n) multipliers of the normalisation */
  double *lambda;   /* (m) multipliers of the rows, N or N m */
  double *reaction; /* (m) multipliers of the projected accelerations: second order; lambda: first */
  double *mean;     /* (m) soft rows whose laws jump: mean force over the last inner step; else 0 */
  double *own;      /* (frozen.own) states of forces that have states of their own */
};

/* The rows and the rotations of the bodies, linearised at one state. */
struct linearisation {
  double *J;     /* (tree.jacobian + 1) in body coordinates; the last number is 0 */
  double *frame; /* (n, FRAME_NUMBERS) R, s, 1/s; self-contained bodies: R valid at the ends of steps */
};

/* The Newmark formulas (paper 3, (13)) for a step dt, with d = q - q_last:
 *   q'  = v_d d + v_v q'_last + v_a q''_last,   q'' = a_d d + a_v q'_last + a_a q''_last */
struct rule {
  double dt; /* s */
  double h;  /* beta dt^2: factor of the inverse mass matrix in delta */
  double v_d, v_v, v_a, a_d, a_v, a_a;
  double gamma; /* weight of the multiplier in the mean force of the step; 1: the multiplier is the mean */
  bool mean;    /* energy method: multipliers are mean forces, along mean directions */
  /* square of h over the h to which soft.mobility belongs: in branches of an extrapolated step 1, 1/4 and 1/9, else 1 */
  double mobility_scale;
};

/* Soft rows: the multipliers that their laws give, and the rows that a projection treats as rigid. A mechanism without soft
 * rows has none of them, except Phi_last for the energy method. */
struct soft_rows {
  double *law;       /* (m) multiplier that the law of the row gives; rigid rows: 0 */
  double *Phi_last;  /* (m) Phi at the start of the inner step                  filled by inner_prepare */
  double *rate_last; /* (m) Phi' at the start of the inner step               filled by inner_prepare */
  double *rate;      /* (m) Phi' at the state                                   filled by soft_rates */
  int *piece;        /* (m) law_piece() at the start of the inner step        filled by inner_prepare */
  /* (m) friction rows: J delta J' with the joints closed, over a step with rule.mobility_scale 1   filled by reset */
  double *mobility;
  double *rate_seen, *lambda_seen; /* (m) friction rows: values of the last iteration; NaN in the first one */
  bool *stiff;        /* (m) the step is too long to resolve the oscillation of the row   filled by reset */
  bool *rigid_now;    /* (m) the projections of velocities and accelerations treat it as a rigid row */
  double *rigid_rate; /* (m) rate that the projection gives a row of rigid_now   filled by soft_settle */
  bool some_stiff;    /* a row of `stiff` is true */
  atomic_bool corner; /* a row left its smooth piece of the law in this step, or had none at its start */
};

/* Explicit methods (explicit.c): the states at which a step has evaluated accelerations, and what it adds up of them. */
enum { EXPLICIT_STATES = 12, EXPLICIT_TERMS = 13, EXPLICIT_HISTORY = 7 };
struct explicit_base { /* the state and multipliers from which factors and q'' were computed */
  double *x;           /* (n, X_NUMBERS) state of the factors: before the projection of q */
  double *lambda;      /* (m) multipliers before the solve for q'' */
};
struct explicit_states {
  double *x[EXPLICIT_STATES]; /* explicit_numbers() each; Adams methods: first the starts of earlier steps */
  double *left; /* (n, X_NUMBERS) the start as the last step left it        filled if `renewed` */
  struct explicit_base base;          /* that of the state */
  struct explicit_base step_base;     /* that of the start of the step */
  const double *term[EXPLICIT_TERMS]; /* states whose q' and q'' body_advance() adds up */
  double weight[EXPLICIT_TERMS];      /* s */
  double at[EXPLICIT_TERMS];          /* s, time of the term after the start of the inner step */
  double span;                        /* s, time of the sum after the start of the inner step */
  int terms;
  int history;  /* Adams methods: earlier steps whose starts are kept, the last of them in ali3_data.last */
  double jump;  /* Adams methods: recent jumps of accelerations at the start of steps, see is_jump() */
  bool factors; /* the factors belong to the end of the last step */
  bool prepare_factorised; /* the last prepare computed the factors */
  bool factors_serve;      /* the end of the step has the factors of its prediction */
  bool renewed;            /* q'' at the start of the step was computed again */
};

/* Explicit methods in joint coordinates (jointed.c): the state and that of the start of the inner step. */
struct joint_states {
  double *now, *last; /* limbs_numbers() */
  double *moved;      /* (coordinates) change of x in the inner step */
  struct limbs_work work;
};

/* The linear system of an iteration or projection, its right-hand sides, and its solution. */
struct solve {
  double *delta; /* (n, DELTA_NUMBERS) h M^^^-1; carried: its inverse; alpha   by reset, step_length */
  double *c;     /* (m) compliance of the rows                         filled by reset, step_length */
  double *Phi;   /* (m) residual of the rows at now.x */
  double *bias;  /* (m) bias of the rows at the velocities that the acceleration projection starts from */
  double *w;     /* (n, 7) free increment, velocity or acceleration */
  double *
      point_value[2]; /* (m) links with points: contribution of the body of each side, see enum point_value */
  double *carried_rhs; /* (n, 7) right-hand side of carried bodies; NULL without carried bodies */
  double *beta;        /* (m, or u with carried bodies) right-hand side of S z = beta */
  double *z;           /* (u) solution of S z = beta */
  double
      *z_first; /* (u) first solution of a refined solve; z_first, response: NULL if !tree.ill_conditioned */
  double *response; /* (n, 7) delta J'z of a solve that is refined */
  /* (frozen.end_loads + 8) J'v of each link end, v: lambda or z; the last 8 are 0. For set-up, the (frozen.point_loads) of links
   * with points follow, in the memory of ali3_data.spin. */
  double *end_load;
  double *increment;   /* (n) |dq|^2 of the last iteration, or the largest component of a move */
  double *travel;      /* (n) the part of |dq|^2 that is translation, m^2 */
  double *residual[2]; /* (frozen.residuals) largest row of each rigid link: velocities, accelerations */
  struct tree_work work;
  atomic_int failed_group; /* first group with a nonpositive pivot in the last condensation; -1: none */
};

/* Norms of the increments of an inner step. `first`: the largest norm up to the first iteration that uses all inputs.
 * `last`: the norm of the last iteration. `largest`: the largest norm before the last iteration. `body`: the norm of one
 * body in the last iteration. */
struct newton {
  double first, last, largest, body;
  bool back;     /* an increment was taken back */
  bool slight;   /* the last increment has grown, but moves no body far */
  int refreshed; /* first iteration whose right-hand sides were recomputed after inputs arrived */
};

/* Norms of each copy: struct newton, norms of the report, and sums that are finite if all numbers are. */
struct by_copy {
  int copies;
  double newton_first[ISA_LANES_MAX], newton_last[ISA_LANES_MAX], newton_largest[ISA_LANES_MAX],
      newton_body[ISA_LANES_MAX];
  double *increment; /* (n) solve.increment of the last iteration */
  double *x; /* (n, X_NUMBERS) bodies of copies whose rows are closed, while the others are projected */
};

/* Values that users set from outside. */
struct outside_values {
  double *wrench;      /* (n, WRENCH_NUMBERS) on bodies               filled by ali3_set_wrench */
  double (*vector)[3]; /* (loads) vectors of the model's loads       filled by reset, ali3_set_load */
  double *command;     /* (forces) motors: N or N m; drives: rad or m     filled by ali3_set_command */
};

struct outside {
  struct outside_values now;   /* values in force; if interpolated, those of this substep */
  struct outside_values start; /* at the start of the step */
  struct outside_values end;   /* values that were set, if interpolated over substeps */
  bool early;   /* `start` is in force: the inputs may not have arrived   set by inner_prepare */
  bool again;   /* body_load() follows body_turn()   set by newton_refresh */
  bool changed; /* a value was set after the copy to `start` */
  bool fresh;   /* a value was set that the right-hand sides do not contain yet */
  bool *acted;  /* (tree.tiles) a body of the tile has loads of the model, or had a wrench at some time */
  struct reference *from, *aim; /* (drives) target at the start of the step, at the end of the inner step */
};

/* A coarse branch has its own copy of the arrays that an inner step writes, and its own report. Both coarse branches share the
 * arrays that an inner step only reads with the data (data.c). */
enum { TURN_NUMBERS = 19 }; /* of struct body_turn: body_mean.h */
struct ali3_data {
  struct state now;   /* the state                                          filled by reset, step */
  struct state last;  /* at the start of the inner step                     filled by inner_prepare */
  struct state start; /* at the start of the step, with substeps                filled by ali3_prepare */
  struct linearisation here; /* at the state */
  struct linearisation
      factored;               /* belongs to the factors; `here` until bodies move   set by stage_condense */
  struct linearisation spare; /* the buffer that is not `factored`: bodies move into it */
  struct rule rule;           /* inner step that delta and c are valid for   filled by reset, step_length */
  struct solve solve;
  struct newton newton;
  struct soft_rows soft;
  struct outside outside;
  struct explicit_states states;
  struct joint_states joints; /* in place of now.x and last.x, whose bodies follow */
  double *spin;               /* (n, SPIN_NUMBERS) struct body_spin                 filled by body_predict
                         * energy method: (n, TURN_NUMBERS) struct body_turn filled by body_mean_predict */
  bool *fast;           /* (tree.tiles) a body of the tile turns fast            filled by body_predict */
  double (*tangent)[3]; /* (rolling) first direction of sliding at the start of the step */
  double *turn;         /* (joints + 1) joint angle without wrap; the last number has no joint
                         * inside an inner step: the angle that link_turn() predicts */
  double *turn_last;    /* (joints + 1) at the start of the inner step */
  double turn_span;     /* s, link_turn(): time since then; 0: joints turn by less than half a turn */
  atomic_bool quick;    /* a body turned by more than quick2 (body_tiles.h) at the start of the inner step */
  struct turn_limits {
    double fast2, steady2,
        quick2; /* |p'|^2 of bodies that may be fast, and in a steady tile; that sets `quick` */
  } limits;     /* they depend on the length of an inner step */
  struct turned {
    double turn;            /* rad in an inner step; 0: every rotation is resolved */
    int body, joint, force; /* one of them; the others are -1 */
  } turned;         /* the largest rotation of the step that is not resolved      filled by rotation_judge */
  double *measured; /* (frozen.measured) memory of the measuring chains   filled by stepper/sensor.c */
  double *turn_start;   /* (joints) at the start of the step */
  double *Phi_start;    /* (m) solve.Phi before the prepare: ali3_unprepare */
  double *J_start;      /* (rolling, STORED_J) their rows of here.J before the prepare */
  ali3_data *coarse[2]; /* extrapolated steps: branches of one and of two inner steps; else NULL */
  const ali3_exec *exec;
  const ali3_probe *probe;
  bool taken_back; /* an increment of this branch was taken back: newton_back()   cleared by start_coarse */
  bool combines;   /* extrapolated, and no spring is too stiff for it: extrapolate.c   filled by reset */
  bool to_be_combined; /* last inner step of a branch: accelerations follow after the combination */
  int stopped;    /* the force because of which an extrapolated step does not combine; -1   filled by reset */
  bool at_start;  /* a reset evaluates laws: no time passes for the states of forces */
  bool redundant; /* some multipliers of the rigid rows load no body; alpha 0   filled by reset */
  bool intermediate; /* intermediate inner step: residual norms are not needed */
  int substeps;      /* inner steps of this step: options.substeps, or retry times as many */
  int failed;        /* status of the prepare: the feedback tries a step again that failed there */
  bool started;      /* a reset has succeeded */
  bool prepared;
  bool owned; /* ali3_data_new() allocated the block */
  ali3_report report;
  ali3_violation violation;
  ali3_initial initial;
  struct by_copy *copies; /* the lanes are runs of their own; NULL: one mechanism */
};

static inline void data_mark_phase(const ali3_data *d, ali3_phase begins)
{
  if (d->probe) d->probe->mark(d->probe->context, begins);
}

/* Marks that a value was set from outside, for the data and its coarse branches. */
static inline void data_refresh(ali3_data *d)
{
  d->outside.fresh = d->outside.changed = true;
  for (int i = 0; i < 2 && d->coarse[i]; i++) d->coarse[i]->outside.fresh = true;
}

static inline const struct outside_values *outside_in_force(const ali3_data *d)
{
  return d->outside.early ? &d->outside.start : &d->outside.now;
}

static inline bool data_is_explicit(const ali3_model *m)
{
  return ali3_method_is_explicit(m->options.method);
}

/* The unknowns are those of joints. */
static inline bool data_is_jointed(const ali3_model *m)
{
  return m->frozen->limbs != NULL;
}

/* Values from outside change linearly over the substeps. */
static inline bool data_interpolates(const ali3_model *m)
{
  return m->options.interpolate && m->options.substeps > 1;
}

/* Returns the more severe of two statuses: an error precedes a warning. */
static inline int status_worse(int a, int b)
{
  return a < 0 || b < 0 ? (a < b ? a : b) : (a > b ? a : b);
}

/* elements.c. RT. */
void state_copy(const ali3_model *m, struct state *to, const struct state *from);
void outside_values_copy(const ali3_model *m, struct outside_values *to, const struct outside_values *from);

#endif
