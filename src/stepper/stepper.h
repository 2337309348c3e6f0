/* SPDX-License-Identifier: MIT
 * Inside of the stepper: the frozen part of a model, the fields of ali3_data, and the stages a step is made
 * of. */
#ifndef STEPPER_STEPPER_H
#define STEPPER_STEPPER_H

#include "dca/condense.h"
#include "dynamics/motion.h"
#include "dynamics/rows.h"
#include "model/model.h"

#include <ali3/stepper.h>
#include <stdatomic.h>

/* Numbers of a body, all stored as the tree says (struct tree_body): number f of F at first F + f width + lane. */
enum {
  X_NUMBERS = 21, /* struct body_state */
  FRAME_S = 9,
  FRAME_NUMBERS = 11, /* struct body_frame: R, s, 1/s */
  DELTA_ALPHA = 11,
  DELTA_NUMBERS = 12, /* struct body_delta: r, th, n, alpha */
  BODY_MASS = 0,
  BODY_INERTIA = 1,
  BODY_NUMBERS = 10, /* frozen.constant */
  LOAD_NUMBERS = 6,  /* struct body_load */
  AXES_LOOSE = 3,
  AXES_NUMBERS = 4 /* frozen.axes */
};

/* Shapes of links that kernels have code of their own for: X(of, name, rows, sides, whether rows_share_point()). */
#define LINK_SHAPES(X, of)                                                                                   \
  X(of, SPHERICAL, 3, 2, true)                                                                               \
  X(of, UNIVERSAL, 4, 2, true)                                                                               \
  X(of, REVOLUTE, 5, 2, true)                                                                                \
  X(of, FIXED, 6, 2, true)                                                                                   \
  X(of, SINGLE, 1, 2, false)
#define LINK_NAME(of, name, rows, sides, point) of##name,
enum link_shape {
  /* clang-format off */
  LINK_SHAPES(LINK_NAME, LINK_)
  LINK_PAIR, /* any other of two bodies */
  LINK_OTHER /* clang-format on */
};
#undef LINK_NAME

/* The bodies of a side of all links of a tile. */
enum link_part { LINK_Y, LINK_X, LINK_FRAME, LINK_PARTS }; /* what there is of them: BODY_Y numbers, .. */
struct link_side {
  enum {
    SIDE_BESIDE, /* lane by lane in one tile of the same width */
    SIDE_SAME,   /* one body for all: the ground, a hub */
    SIDE_MIXED,  /* as `mix` says */
    SIDE_WIDE,   /* elsewhere in tiles of the same width */
    SIDE_APART
  } how;
  int at[LINK_PARTS];         /* number 0 of the body of lane 0 */
  const struct lane_mix *mix; /* in slots */
};

/* What a link tile is beside its tree_tile. */
struct link_tile {
  const struct tree_tile *tile;
  const double *constant;       /* points of a and b (6), L, then u, v of each primitive (6) */
  const struct tree_body *body; /* (sides, width); the ground where there is none */
  enum link_shape shape;
  int left;       /* in ali3_data.left */
  int primitives; /* the same ones in all lanes, unless lane_by_lane */
  enum primitive_kind primitive[ROWS_PRIMITIVES];
  bool lane_by_lane; /* rows with coordinates or sliding, by the code of dynamics/rows.c, a link at a time */
  bool point;        /* rows_share_point() of all: kernels leave the constant columns of J alone */
  bool drives;       /* some of its links are drives */
  bool beside;       /* all sides are SIDE_BESIDE */
  bool tips;         /* a point alone, of which the bodies do what they can: struct body_end.point */
  struct link_side side[ROWS_SIDES];
};

/* What a body tile is beside its tree_tile. */
struct body_end { /* one link end of each lane */
  bool aligned;
  const struct lane_at *push; /* (width) loads in ali3_data.push; stride 0 where a lane has fewer ends */
  const struct lane_mix *mix; /* likewise */
  /* Of a link tile with tips, lane by lane: the point in body axes, (3, width); else NULL. What the rows load the body with it
   * works out itself, and leaves in ali3_data.tip what they need of it. */
  const double *point;
  size_t row; /* of the links: in lambda, z, tip */
  int side;
};
struct body_tile {
  const struct body_end *end; /* in the order of the links */
  int ends;
  int slot, at;           /* as in tree_tile */
  size_t push[2];         /* where in ali3_data.push its first two ends are, if aligned */
  size_t y, frame, delta; /* bytes before what it has of w, frame, delta; of x three times that of w */
  bool carried;           /* all of its bodies are */
  bool aligned;           /* it has ends, and all of them are */
  bool tips;              /* some of its ends have a point */
  bool tips_all;          /* all have */
  bool alone;             /* and nothing else acts on it: between two solutions it asks for nobody */
  bool diagonal;          /* the inertia of all its bodies is */
  bool loaded;            /* some body has loads of the model */
};

/* Once for all, what kernels would work out again and again. */
static inline void body_tile_place(struct body_tile *t, int slot)
{
  t->slot = slot;
  t->y = (size_t)slot * BODY_Y * sizeof(double);
  t->frame = (size_t)slot * FRAME_NUMBERS * sizeof(double);
  t->delta = (size_t)slot * DELTA_NUMBERS * sizeof(double);
}

/* A body of the middle of some others, to stand for one that has no mass of its own. */
struct typical {
  double mass, moment; /* kg, kg m^2 */
};

struct step_kernels; /* kernels.h */

/* What freezing adds to a model. */
struct frozen {
  struct joint_rows *link; /* (links) the joints of the model, then its rigid forces, then the others */
  int links, rigid_links;
  int rows, rigid; /* as stored, those of lanes not in use among them: tree.rows, tree.rigid */
  int true_rows;   /* of the links alone */
  double length;   /* m, size of the mechanism: residuals of lengths are judged relative to it */
  double
      rounding; /* m, likewise for residuals of rounding: length, or a hundredth of the largest coordinate */
  int left;     /* rigid links as stored, those of lanes not in use among them */
  int *force_link;     /* (forces) link of each */
  int *stop_beside;    /* (links) of the friction of a joint: the link of the stop of that joint; else -1 */
  int *force_of;       /* (links - joints) the other way round */
  struct drive *drive; /* (drives) */
  int drives;
  bool *carried;           /* (bodies) see dca/tree.h */
  struct typical *typical; /* (bodies) of the bodies that links connect it to */
  int rolling;             /* contacts of spheres with friction */
  bool values;             /* some force takes its value from outside */
  bool switches;           /* some law has corners: factors anew in every iteration */
  bool jumps;              /* some force over a step is not the mean of its ends */
  int *load_first;         /* (bodies + 1) loads of each body, in `load` */
  int *load;               /* (loads) index in model.load, ascending per body */
  struct tree *tree;
  enum isa isa;
  struct tree_solver solver;
  const struct step_kernels *kernels[2]; /* of tiles with one lane, with all */
  struct link_tile *link_tile;           /* (tree.tiles) of tiles with joints */
  struct body_tile *body_tile;           /* (tree.tiles) of tiles with bodies */
  int *tile_of;                          /* (bodies) */
  double *constant; /* (slots, BODY_NUMBERS) mass, inertia; lanes not in use weigh nothing */
  double *
      axes; /* (slots, AXES_NUMBERS) axis that a body may spin about, body frame, or 0; 1: it has no rigid link */
  double *link_constant; /* what link_tile points into */
  void *block[5];        /* what link_tile and body_tile point into */
};

/* A link whose coordinate is prescribed. */
struct drive {
  int link, force;
  double at_start; /* coordinate */
  struct motion motion;
};

/* All that a step changes of the mechanism. n: tree.slots, stored as bodies; m: tree.rows, as joints. */
struct kept {
  double *x;        /* (n, X_NUMBERS) q, q', q'' */
  double *mu;       /* (n) multipliers of the normalisation */
  double *lambda;   /* (m) multipliers of the rows, N or N m */
  double *reaction; /* (m) those that go with the projected accelerations: of second order, lambda of first */
  double *mean;     /* (m) of soft rows whose laws jump: force over the last inner step; else 0 */
};

/* What comes from outside: a copy of external, vector and value of ali3_data. */
struct outside {
  double *external;
  double (*vector)[3];
  double *value;
};

/* The Newmark formulas (paper 3, (13)) for a step dt, with d = q - q_last:
 *   q'  = v_d d + v_v q'_last + v_a q''_last,   q'' = a_d d + a_v q'_last + a_a q''_last */
struct rule {
  double dt; /* s */
  double h;  /* beta dt^2: weight of the mass matrix' inverse in delta */
  double v_d, v_v, v_a, a_d, a_v, a_a;
};

/* Shapes: n = tree.slots bodies, m = tree.rows rows, u = tree.unknowns, all as the tree stores them. The ground is the
 * last body: identity pose, all else 0. In lanes not in use bodies weigh nothing and rest there, too; rows have J 0, c 1.
 * A twin has what an inner step writes, and a report, for itself; what that only reads belongs to both (data.c). */
struct ali3_data {
  struct kept now;    /* the state                                          filled by reset, step */
  struct kept last;   /* at the start of the inner step                     filled by inner_prepare */
  struct kept start;  /* at the start of the step, with substeps                filled by ali3_prepare */
  ali3_data *twin[2]; /* extrapolated steps: branches of one and of two inner steps; NULL: there are none */
  double *frame;   /* (n, FRAME_NUMBERS) R, s, 1/s of now.x, of bodies alone R only at the ends of a step */
  double *frame_f; /* that of the factors: frame until bodies are moved        set by stage_condense */
  double *frame_other; /* of two frames the one that frame is not */
  double *frame_to;    /* where body kernels that move bodies leave it         set by stage_move */
  double *delta;    /* (n, DELTA_NUMBERS) h M^^^-1, of carried its inverse; alpha     by reset, step_length */
  double *spin;     /* (n, SPIN_NUMBERS) struct body_spin                 filled by body_predict */
  bool *fast;       /* (tree.tiles) some body of it turns fast            likewise */
  double *c;        /* (m) compliance of the rows                         filled by reset, step_length */
  struct rule rule; /* of the inner step that delta and c are made for   filled by reset, step_length */
  double *external; /* (n, LOAD_NUMBERS) loads from outside                   filled by ali3_set_load */
  bool fresh;       /* loads have been set since the right-hand sides of the first iteration were made */
  bool *acted;      /* (tree.tiles) some body has loads of the model, or once had one from outside */
  double *load;     /* (n, LOAD_NUMBERS) all, in tiles with loads of the model    filled by stage_loads */
  double (*vector)[3]; /* (loads) of the loads of the model   filled by reset, ali3_set_load_vector */
  struct outside start_outside; /* external, vector, value as of the last step, if interpolated */
  struct outside end_outside;   /* and as set */
  double (*tangent)[3];         /* (rolling) first direction of sliding at the start of the step */
  double *turn_start;           /* (joints) turn at the start of the step */
  double *Phi;                  /* (m) residual of the rows at now.x */
  double *J;                    /* (tree.jacobian + 1) Jacobian at now.x, body coordinates; the last one 0 */
  double *push;                 /* (tree.load + 7) J'v of each link end, v lambda or z; the last ones 0 */
  double *tip[2];               /* (m) of links with tips: what the body of each side makes of its point */
  double *Jf; /* the one the factors are made of: J until rows are evaluated anew  set by stage_condense */
  double *J_other; /* of two Jacobians the one that J is not */
  double *law;     /* (m) multiplier that the law of a soft row asks for; 0 for rigid ones */
  double *bias;    /* (m) of the rows, at the velocities of the projection of the accelerations */
  double *left[2]; /* (frozen.left) of each rigid link the largest row left of velocities, of accelerations */
  double *Phi_last; /* (m) Phi at the start of the inner step                  filled by inner_prepare */
  double *gives;    /* (m) of rows that rub: J delta J' as the joints let it              filled by reset */
  double *rate_seen, *lambda_seen; /* (m) of such rows: in the last iteration; NaN: this is the first */
  double *rate_last; /* (m) Phi' of soft rows at the start of the inner step      filled by inner_prepare */
  int *piece;        /* (m) law_piece() of soft rows there                          filled by inner_prepare */
  double *hold;      /* (m) the rate that a held row is to have                   filled by soft_settle */
  bool *stiff;       /* (m) too stiff for the step to follow how it swings        filled by reset */
  bool *held;    /* (m) and engaged: velocities and accelerations are projected on it, as on a rigid row */
  double *value; /* (forces) from outside: of motors N or N m, of drives rad or m  filled by ali3_set_value */
  struct reference *from, *aim; /* (drives) at the start of the step, at the end of the inner step */
  double *beta;                 /* (m, or u with carried bodies) right-hand side of S z = beta */
  double *z;                    /* (u) its solution */
  double *z_kept;    /* (u) first solution while a solve is refined; NULL, as response, without hubs */
  double *response;  /* (n, 7) delta J'z, likewise */
  double *pull;      /* (n, 7) right-hand side of carried bodies; NULL without */
  double *w;         /* (n, 7) free increment, velocity or acceleration */
  double *increment; /* (n) |dq|^2 of the last iteration, or the largest part of a move */
  double *turn;      /* (joints) joint angle without wrap */
  struct tree_work work;
  const ali3_exec *exec;
  const ali3_probe *probe;
  bool some_stiff;    /* any of stiff */
  bool combines;      /* extrapolated, and no spring is too stiff for it: extrapolate.c   filled by reset */
  atomic_bool corner; /* a soft row left its smooth piece of the law in this step, or was on none */
  bool midway;        /* the inner step does not end the step: nobody will ask what it leaves of the rows */
  bool started;       /* a reset has succeeded */
  bool prepared;
  bool owned;              /* the block is ali3_data_new()'s */
  atomic_int failed_group; /* the first with a pivot that was not positive in the last condensation; -1 */
  ali3_report report;
  ali3_violation violation;
  ali3_initial initial;
};

static inline void step_mark(const ali3_data *d, ali3_phase begins)
{
  if (d->probe) d->probe->mark(d->probe->context, begins);
}

static inline bool step_interpolates(const ali3_model *m)
{
  return m->options.interpolate && m->options.substeps > 1;
}
/* Something has come from outside. */
static inline void step_refresh(ali3_data *d)
{
  d->fresh = true;
  for (int i = 0; i < 2 && d->twin[i]; i++) d->twin[i]->fresh = true;
}
/* What comes from outside, kept aside and brought back. */
void step_keep_outside(const ali3_model *m, const ali3_data *d, struct outside *to);
void step_keep(const ali3_model *m, struct kept *to, const struct kept *from);
int step_worse(int a, int b); /* of two statuses */

/* extrapolate.c. RT; of data that have twins; failed: also of others, which it returns then.
 * lengths: from delta and c as they were set, those of both branches. prepare: ALI3_OK or ALI3_E_SINGULAR. aim: values from
 * outside have arrived, after the prepare. step: from `after` the start of the step on, status and increment as of
 * inner_iterate(), or ALI3_E_SINGULAR; where a report of the twin is negative, that is where it failed. */
enum { EXTRAPOLATE_PARTS = 3 }; /* inner steps of the data's own branch */
void extrapolate_lengths(const ali3_model *m, ali3_data *d);
int extrapolate_prepare(const ali3_model *m, ali3_data *d);
const ali3_data *
extrapolate_failed(const ali3_data *d); /* the branch that failed first; d where no twin did */
void extrapolate_aim(const ali3_model *m, ali3_data *d);
int extrapolate_step(const ali3_model *m, ali3_data *d, double after, bool prepared, double *increment);

/* Flops of a stage below which a barrier costs more than it saves. */
static inline double stage_worth_waking(const ali3_exec *e)
{
  return e->worth > 0.0 ? e->worth : 80000.0; /* about 2 us in lanes */
}
/* There is an exec that can help, and work enough for it. */
bool stage_is_worth_waking(const ali3_data *d, double flops);
/* A stage runs `item` for i = first .. end-1 (bodies, links, or tiles in the tree's order); in shares if an
 * exec is set and `flops`, an estimate of all of it, are worth waking it for. RT. */
typedef void stage_item(const ali3_model *m, ali3_data *d, int i);
void stage_each(const ali3_model *m, ali3_data *d, stage_item *item, int first, int end, double flops);
/* A kernel, by its offset as in STAGE_LINKS (kernels.h), over the tiles of rigid links alone. RT. */
void stage_rigid_links(const ali3_model *m, ali3_data *d, size_t kernel, double flops);

/* One step over d->rule.dt, in two parts (inner.c). RT.
 * inner_prepare: false if a pivot is not positive. inner_iterate: the norm of the last Newton increment;
 * ALI3_OK, ALI3_NOT_CONVERGED or ALI3_E_DIVERGED in *status. */
void inner_rule(const ali3_model *m, double dt, struct rule *rule);
bool inner_prepare(const ali3_model *m, ali3_data *d);
double inner_iterate(const ali3_model *m, ali3_data *d, int *status);
/* Lets the drives aim at the time `after` the start of the step; Phi follows. targets: a value from outside has
 * arrived. */
void inner_aim(const ali3_model *m, ali3_data *d, double after, bool targets);
/* Makes delta, and c of the rigid rows, right for inner steps of dt seconds. */
void inner_step_length(const ali3_model *m, ali3_data *d, double dt);
/* penalty.c, set-up. delta of every body and the compliance of every row for the inner step, 1/alpha as in the papers
 * or, alpha 0, relative to the row's own entry of J delta J', so that one number serves all sizes and units; the
 * normalisation gets its penalty the same way. Soft rows are opened: while the initial state is found they take
 * no part in it, but where they hold a carried body. */
void penalty_set(const ali3_model *m, ali3_data *d, double alpha);
void penalty_open(const ali3_model *m, ali3_data *d);
void penalty_find_stiff(const ali3_model *m, ali3_data *d); /* needs the factors, soft rows open */
bool penalty_find_gives(const ali3_model *m, ali3_data *d); /* after it; false: a pivot is not positive */
/* Stiffness of a law over an inner step; spring: without its damping. 0: it does not spring. */
double penalty_stiffness(const struct law *law, const struct rule *rule, bool spring);
/* J delta J' of row k of a link, rule.h times the inverse of its effective mass: of its bodies alone, and as the rigid
 * rows let them move. The latter needs the factors, soft rows open, and spoils w. */
double penalty_entry(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, int k);
double penalty_mobility(const ali3_model *m, ali3_data *d, const struct joint_rows *j, int k);
/* carried.c, set-up. Initial velocities of carried bodies; false: something does not hold them. carried_report():
 * which body, and in which direction, after a failed condensation. */
bool carried_velocities(const ali3_model *m, ali3_data *d);
void carried_report(const ali3_model *m, ali3_data *d);
/* project.c. RT. They need Phi, J and the factors. position: one step towards Phi = 0, which leaves frame,
 * but not Phi and J, at the new state; returns the largest part of the change. norms: what is left, into the
 * report. */
double project_position(const ali3_model *m, ali3_data *d);
void project_velocity(const ali3_model *m, ali3_data *d);
void project_velocity_twice(const ali3_model *m, ali3_data *d);
void project_acceleration(const ali3_model *m, ali3_data *d);
/* The same after q'' was made anew from the balance of forces at q, q' and lambda. */
void project_balance(const ali3_model *m, ali3_data *d);
/* Right after project_acceleration(); lambda: the multipliers that went with the accelerations before. */
void project_reactions(const ali3_model *m, ali3_data *d, const double *lambda);
void project_norms(const ali3_model *m, ali3_data *d);
/* After it: so are reactions, lengths and gaps. What is no number or infinite stays so in a sum. */
bool project_finite(const ali3_model *m, const ali3_data *d);
/* Each body, joint, force and sensor as read from outside. False: names the first that is not, in the report. Set-up. */
bool data_finite(const ali3_model *m, ali3_data *d);
/* left of a state that does not come from these projections. */
void project_left(const ali3_model *m, ali3_data *d);

/* violation.c. RT. none: nothing is open. judge: after project_norms(), ALI3_OK, ALI3_VIOLATED or ALI3_E_VIOLATED, and
 * d->violation. measure: of the positions as they are. at_start: the velocities that the drives ask for contradict each
 * other. blame: at the last good state, with the aims of a step that failed: the drives that cannot go there; leaves
 * another state behind. locate: once the last good state and its aims are back, where those drives are. */
#define VIOLATION_POSITION 1e-5 /* of the size of the mechanism, or rad: see ali3_step() */
#define VIOLATION_VELOCITY 1e-3 /* per step, likewise */
void violation_none(ali3_violation *v);
int violation_judge(const ali3_model *m, ali3_data *d);
bool violation_at_start(const ali3_model *m, ali3_data *d);
void violation_blame(const ali3_model *m, ali3_data *d);
void violation_locate(const ali3_model *m, ali3_data *d);

/* soft.c. RT. start: at the start of an inner step, where its soft rows are; laws: law, and compliance in the step, of the soft rows; settle: after the iterations, multipliers and
 * accelerations of laws that jump as they are at the end of the step; hold: after the projection of the
 * accelerations, the multipliers of held rows that go with them. */
void soft_start(const ali3_model *m, ali3_data *d);
void soft_laws(const ali3_model *m, ali3_data *d, int iteration); /* 0: at the prediction */
void soft_settle(const ali3_model *m, ali3_data *d);
void soft_open(const ali3_model *m, ali3_data *d);
void soft_hold(const ali3_model *m, ali3_data *d);
/* Into now.lambda: what the laws of all soft rows ask for, as they stand and move; held and stiff rows keep theirs. */
void soft_end_loads(const ali3_model *m, ali3_data *d);
/* Into now.lambda: the forces of laws that jump of one link, as it stands and moves. */
void soft_end(const ali3_model *m, ali3_data *d, const struct joint_rows *j);

/* stage.c. RT. */
void stage_rows(const ali3_model *m, ali3_data *d); /* Phi and J at the state */
/* The same after stage_move(), but that of links with tips J may be left as it was. */
void stage_rows_end(const ali3_model *m, ali3_data *d);
void stage_rows_push(const ali3_model *m,
                     ali3_data *d); /* and push = J' now.lambda; of rigid rows J may not be kept */
bool stage_condense(const ali3_model *m,
                    ali3_data *d); /* factorise S with J and c; false: see failed_group */
void stage_solve(const ali3_model *m,
                 ali3_data *d); /* z = S^-1 beta, refined once if the tree has hubs; beta is lost */

/* single.c. RT. */
/* A link by itself. */
struct link_view {
  struct joint_view v; /* points into the others */
  struct body_state x[ROWS_SIDES];
  struct body_frame f[ROWS_SIDES];
};
void stage_view(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, struct link_view *o);
/* Phi' of its rows at the state, (count). */
void stage_rate(const ali3_model *m, const ali3_data *d, const struct joint_rows *j, double *rate);
/* Names a rigid link in the report as the worst: joint or force. -1: none. */
void stage_name_worst(const ali3_model *m, ali3_data *d, int link);
/* The directions of sliding of spheres go on from where they are. */
void stage_roll(const ali3_model *m, ali3_data *d);
/* Joint angles count full turns: each is taken nearest to what it was. */
void stage_unwrap(const ali3_model *m, ali3_data *d);
/* push := J'v of a link, v over all rows. */
void stage_push(const struct joint_rows *j, const double *J, const double *v, double *push);
/* o = the sum of push over the body's ends */
void stage_pushed(const ali3_model *m, const ali3_data *d, int body, double o[BODY_Y]);
static inline bool stage_carried(const ali3_model *m, int body)
{
  return m->frozen->tree->carried_at[body] >= 0;
}
/* (J w) of one row of a link, over its bodies */
double stage_jw(const ali3_model *m, const ali3_data *d, const double *J, const struct joint_rows *j, int k);
/* All loads on a body, those of the model and those from outside, in the pose of the state. */
void stage_load(const ali3_model *m, const ali3_data *d, int body, struct body_load *o);
/* Into d->load, for all body tiles on which loads of the model act. */
void stage_loads(const ali3_model *m, ali3_data *d);

/* layout.c, set-up. Where everything lies, from the tree: links, tiles and constants of f. False: out of memory, or
 * an excess was found. */
bool layout_build(const ali3_model *m, struct frozen *f, struct tree_excess *excess);
void layout_free(struct frozen *f);

/* axes.c, set-up. frozen.axes; false: out of memory. */
bool axes_fill(const ali3_model *m, struct frozen *f);

#endif
