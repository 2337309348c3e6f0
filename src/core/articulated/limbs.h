/* SPDX-License-Identifier: MIT
 * Accelerations of a mechanism in joint coordinates: the articulated-body recursion (Featherstone). A limb is a body and its
 * inner joint, by which the body hangs on an earlier limb or on the ground. The inner joints are a spanning tree of the joints.
 * Every other rigid link is a closure, whose rows close a loop.
 *
 * All vectors have world axes and belong to the point of the limb: the point of its body at which the inner joint holds it, or
 * the centre of mass of a limb that no joint holds. Two limbs then differ by a shift alone. An inner joint is a row of columns,
 * each a rotation or a translation, that are eliminated one after the other. The bias acceleration of a point is the one that it
 * has while no column accelerates; [al; ac] is how far its acceleration differs from that:
 *
 *   [n; f] = I [al; ac] + bias,  I = [J H; H' M]     a limb with all limbs beyond it
 *   column s:  U = I s,  d = s'U,  I -= U U'/d,  u = -s'bias,  bias += U u/d,  x = (u - U'[al; ac])/d
 *   closures:  V = s'bias of their rows,  S = V'V/d,  (S + c) lambda = J a + bias - wanted,  u -= V lambda
 *
 * plan.c and kernels.c are for set-up; all other functions are for the loop. */
#ifndef ARTICULATED_LIMBS_H
#define ARTICULATED_LIMBS_H

#include "base/arena.h"
#include "base/isa.h"
#include "dynamics/rows.h"

enum { LIMB_COLUMNS = 6, LIMB_UNFELT_MOST = 64 };

/* How an inner joint moves its limb: X(name, columns, coordinates). The columns that turn come first. */
#define LIMB_MOTIONS(X)                                                                                      \
  X(FIXED, 0, 0)                                                                                             \
  X(REVOLUTE, 1, 1)    /* angle */                                                                           \
  X(PRISMATIC, 1, 1)   /* way */                                                                             \
  X(CYLINDRICAL, 2, 2) /* angle, way */                                                                      \
  X(UNIVERSAL, 2, 2)   /* angle about the axis in the earlier limb, angle about the axis in its own body */  \
  X(PLANAR, 3, 3)      /* angle, two ways */                                                                 \
  X(SPHERICAL, 3, 4)   /* Euler parameters of the body */                                                    \
  X(FREE, 6, 7)        /* position and Euler parameters of the body */
#define LIMB_MOTION(name, columns, coordinates) LIMB_##name,
enum limb_motion { LIMB_MOTIONS(LIMB_MOTION) LIMB_MOTION_COUNT };
#undef LIMB_MOTION

struct limb {
  enum limb_motion motion;
  int body;    /* index in the model */
  int joint;   /* index in the model; -1: no joint holds it */
  int parent;  /* earlier limb; 0: the ground */
  double sign; /* 1: the body is body b of the joint; -1: body a */
  bool
      steady; /* it keeps its rate about an axis: AXES_STEADY of layout/frozen.h; the caller of limbs_plan() sets it */
  bool loaded;                         /* a closure acts on it or on a limb beyond it */
  int x, coordinates, column, columns; /* first of its coordinates and columns, and their numbers */
  int half;                            /* first of its half angles */
  int row;                             /* first row of its joint among those of all inner joints */
  int turns;                           /* columns that turn */
  int turning;                         /* the column about the axis in its own body; -1: none */
  double mass, first[3], inertia[6];   /* kg, kg m, kg m^2 (packed): moments about the point, body axes */
  double centre[3];                    /* m, from the point to the centre of mass, body axes */
  double arm
      [3]; /* m, from the point of the earlier limb to the joint at coordinate 0, axes of the earlier limb */
  double rest[4];   /* orientation in the earlier limb at coordinate 0 */
  double axis[3];   /* axis of the joint, body axes */
  double outer[3];  /* the other axis of a universal joint, axes of the earlier limb */
  double way[2][3]; /* directions, axes of the earlier limb */
};

static inline bool limb_turns(const struct limb *b, int column)
{
  return column < b->turns;
}

struct limb_column {
  double s[3], Un[3], Uf[3], inverse, u, x;
};
/* A limb at a state. Packed: xx xy xz yy yz zz. */
struct limb_at {
  double p[4], R[9];       /* Euler parameters of length 1, body to world */
  double o[3], r[3];       /* point, and the way to it from the point of the earlier limb */
  double w[3], v[3];       /* angular velocity, velocity of the point */
  double al[3], ac[3];     /* bias accelerations; ac less gravity */
  double J[6], H[9], M[6]; /* inertia */
  double first[3];         /* mass times the way to the centre of mass */
  double n[3], f[3];       /* bias */
  double load[2][3];       /* moment about the point and force, without inertia, gravity and rigid links */
  double dal[3], dac[3];   /* deviations of the accelerations */
  struct limb_column column[LIMB_COLUMNS];
};

/* A row of a closure: its rate is the sum of n . w + f . v over its sides. */
struct closure_row {
  int sides, limb[ROWS_SIDES];
  double n[ROWS_SIDES][3], f[ROWS_SIDES][3];
  double way[ROWS_SIDES][3]; /* from the centre of mass of each side to its point */
  double Phi, bias;
};

struct limb_kernels;
/* The plan of a model. Limb 0 is the ground. */
struct limbs {
  int count; /* with the ground */
  int coordinates, columns, halves;
  int inner_rows; /* of inner joints */
  struct limb *limb;
  int *limb_of;                 /* (bodies + 1) limb of each body; the last one is the ground */
  int closures, rows, *closure; /* rigid links that are no inner joints, and their rows */
  /* (closures) Factor of the compliance. Inner joints are rigid, so a closure has the compliance of all joints of its loop, with
   * their levers: half the square of their number gives the accuracy of rows for all joints (Bricard, four-bars). */
  double *give;
  const struct joint_rows *link; /* links of the model */
  int chunks, padded;            /* rows in vectors of the instruction set, and in numbers */
  const struct limb_kernels *kernels;
};

/* A state in joint coordinates: (3 coordinates) x, x', x'', then (2 halves) cosine and sine of the half angles from which the
 * angles in x count. */
static inline size_t limbs_numbers(const struct limbs *l)
{
  return 3 * (size_t)l->coordinates + 2 * (size_t)l->halves;
}

/* Numbers of limbs_multipliers(): rows of inner joints, rows of closures, limbs. */
static inline size_t limbs_multiplied(const struct limbs *l)
{
  return (size_t)l->inner_rows + (size_t)l->rows + (size_t)l->count;
}

/* The numbers that an evaluation writes. */
struct limbs_work {
  struct limb_at *at;                /* (count) */
  struct closure_row *row;           /* (rows) */
  double *load;                      /* (count, chunks, 6, lanes) loads of unit multipliers */
  double *V;                         /* (columns, padded) */
  double *S;                         /* (rows, padded) S, then its factor */
  double *rhs, *lambda, *before, *c; /* (padded) right-hand side, multipliers, those of before, compliance */
  double *multipliers;               /* limbs_multiplied() */
  double *norm; /* limbs_multiplied() roots of their weights in the norm of multipliers; the caller sets it */
  double *unloading; /* multipliers of closures that load no limb: LIMB_UNFELT_MOST or fewer times (rows) */
  double *unfelt;    /* limbs_multiplied() for each of them */
};

/* One build for each instruction set. */
struct limb_passes {
  /* Places, orientations and columns from the coordinates. */
  void (*pose)(const struct limbs *l, const double *state, struct limb_at *at);
  /* Velocities and bias accelerations. */
  void (*rates)(const struct limbs *l, const double *state, const double gravity[3], struct limb_at *at);
  /* Inertias, and the columns eliminated. False: a column moves no mass. */
  bool (*inertia)(const struct limbs *l, struct limb_at *at);
  /* u of the columns, from the motion and the loads. */
  void (*bias)(const struct limbs *l, struct limb_at *at);
  /* Deviations of the accelerations, from u. */
  void (*outward)(const struct limbs *l, struct limb_at *at);
};
/* V and S, from the rows of the closures. */
typedef void limb_response(const struct limbs *l, struct limbs_work *w);
struct limb_kernels {
  const struct limb_passes *pass;
  limb_response *response;
  int lanes;
};
const struct limb_kernels *limb_kernels(enum isa isa);

/* Set-up. NULL: out of memory. link: (joints + forces) links of the model, of which the first `rigid` ones are rigid. */
struct limbs *limbs_plan(const ali3_model *m, const struct joint_rows *link, int rigid, enum isa isa);
void limbs_free(struct limbs *l);
void limbs_place(const struct limbs *l, struct limbs_work *w, struct arena *a);
void limbs_begin(const struct limbs *l, struct limbs_work *w);

/* advance.c. A sum of an explicit method: x and x' at the start, and weights times x' and x'' of states. */
struct limb_sum {
  int terms;
  const double *const *term;       /* states */
  const double *weight, *at, span; /* s: weights, times of the states after the start, time of the sum */
  const double dt;                 /* s, inner step */
};
/* now: the sum of `last`, a start, and of the terms. */
void limbs_advance(const struct limbs *l, const double *last, const struct limb_sum *s, double *now);
/* The largest part of the motion of an inner step that a formula of order four misses, m or rad: rows do not open where a tree
 * diverges. moved: (coordinates) change of x. */
double limbs_missed(const struct limbs *l, const double *last, const double *now, const double *moved,
                    double dt);

/* joint_state.c. The coordinates of a limb and their rates, as far as the bodies keep to the joint. */
void limbs_from_body(const struct limbs *l, int limb, const struct body_state *body,
                     const struct body_state *parent, double *state);
/* The angles count from the present ones. */
void limbs_rebase(const struct limbs *l, double *state);
/* x'' of the state, from the deviations. */
void limbs_accelerate(const struct limbs *l, const struct limb_at *at, const double gravity[3],
                      double *state);
/* Adds the deviations to x, or to x', as changes of position or velocity. Returns the largest one, m or rad, or per s. */
double limbs_add(const struct limbs *l, const struct limb_at *at, bool rates, double *state);
/* The body of a limb. */
void limb_body(const struct limb *b, const struct limb_at *at, const double gravity[3], struct body_state *x);
/* transmit.c. After an evaluation: multipliers of all rows, those of inner joints from the wrenches that they transmit, and
 * J_n'lambda of each limb: limbs_multiplied() numbers. lambda: (rows) of the closures; inertia: false, loads of lambda alone. */
void limbs_multipliers(const struct limbs *l, struct limbs_work *w, const double *lambda, bool inertia,
                       double *o);
/* With redundant rows: takes the part out of the multipliers that loads no body. They are then the smallest ones in `norm`. */
void limbs_smallest(const struct limbs *l, struct limbs_work *w, double *all);

/* closures.c. Phi and n, f of the rows at the poses; turn: (joints) expected angles. Then their bias at the velocities. */
void closures_rows(const struct limbs *l, struct limbs_work *w, const double *turn);
void closures_bias(const struct limbs *l, struct limbs_work *w);
/* V, and the factor of S + c. False: a pivot is not positive. */
bool closures_factor(const struct limbs *l, struct limbs_work *w);
void closures_solve(const struct limbs *l, const struct limbs_work *w, double *x);
/* J v of row k; J a + bias, with the deviations or without. */
double closure_rate(const struct limbs_work *w, int k);
double closure_acceleration(const struct limbs_work *w, int k, bool deviations);
/* o += V'u/d, the part of u in the accelerations of the rows. */
void closures_free(const struct limbs *l, const struct limbs_work *w, double *o);
/* u = keep u - V x: loads of multipliers x. */
void closures_load(const struct limbs *l, struct limbs_work *w, const double *x, double keep);

#endif
