/* SPDX-License-Identifier: MIT
 * The kernels of the stepper: what is done to all bodies or all links, a tile at a time. RT. Tiles of one stage never
 * depend on each other. body_lanes.c, link_lanes.c: built for each instruction set, with one lane and with all. */
#ifndef STEPPER_KERNELS_H
#define STEPPER_KERNELS_H

#include "stepper/stepper.h"

/* Tiles tile[0 .. count-1], indices in tree.tile, all of the width that the kernel is built for. */
typedef void step_kernel(const ali3_model *m, ali3_data *d, const int *tile, int count);

/* f: the sum of push over the body's ends, and of what it works out itself of those that have a point. tip, of these: where the
 * point is, from r on (place); J y of a velocity or acceleration y, with what the velocities bring about. */
struct step_body_kernels {
  step_kernel *body_predict;            /* now.x ahead of last.x, frame */
  step_kernel *body_frame;              /* frame of now.x */
  step_kernel *body_free;               /* w = -delta (g + f), f: J'lambda; carried: w = 0, pull = -(g + f);
                                           tip: place + J w */
  step_kernel *body_free_rest;          /* the same where body_turn() has not done it */
  step_kernel *body_step;               /* y = w - delta f, f: J'z, or w + e; mu, now.x, frame; tip: place;
                                           increment |y|^2 */
  step_kernel *body_turn;               /* the same, but of bodies alone only q, and then body_free() */
  step_kernel *body_position_free;      /* w = (0, 0, -Psi/2) */
  step_kernel *body_position_set;       /* now.x, frame; tip: place; increment: largest part of y */
  step_kernel *body_velocity_free;      /* w = (r', w, 0); tip, as in all that follow but the last */
  step_kernel *body_velocity_set;       /* now.x; w: all of y' */
  step_kernel *body_velocity_refine;    /* w: y' with n = 0; now.x only where soft rows look at it */
  step_kernel *body_velocity_whole;     /* w = y' */
  step_kernel *body_acceleration_free;  /* w = (r'', w', -p'.p') */
  step_kernel *body_balance;            /* the same, r'' and w' from the balance of forces M y'' = Q - f,
                                           f: J'lambda; of carried bodies as now.x has them */
  step_kernel *body_acceleration_set;   /* now.x; w: all of y'' */
  step_kernel *body_acceleration_whole; /* w = y'' */
  step_kernel *body_response;           /* response, and of carried bodies beta; z_kept. f: J'z */
};

/* rest: of what the bodies do not work out themselves. */
struct step_link_kernels {
  step_kernel *link_rows;          /* Phi and J at now.x; drives: less where they aim */
  step_kernel *link_rows_end;      /* the same, but that J of links with tips is left as it was */
  step_kernel *link_rows_push;     /* link_rows and link_push_lambda */
  step_kernel *link_push_rows;     /* the same of the rest, but that J of rigid links may be left as it was */
  step_kernel *link_push_lambda;   /* push = J' now.lambda, J of the state */
  step_kernel *link_rest_lambda;   /* the same of the rest */
  step_kernel *link_push_z;        /* push = J' z, J of the factors */
  step_kernel *link_rest_z;        /* the same of the rest */
  step_kernel *link_step;          /* the same, and now.lambda += z */
  step_kernel *link_beta;          /* Phi + J w, J of the factors; soft: c (law - lambda) + J w */
  step_kernel *link_position_beta; /* the same; soft: J w */
  step_kernel *link_velocity_beta; /* J w - wanted rate, J of the state; soft and not held: as w resists */
  step_kernel *link_acceleration_beta; /* J w + bias - wanted acceleration, likewise; bias */
  step_kernel *link_velocity_left;     /* left: largest |J w - wanted rate| of each link, w all of y' */
  step_kernel *link_acceleration_left; /* left: largest |J w + bias - wanted acceleration|, w all of y'' */
  step_kernel *link_residual;          /* beta - S z with response, into beta; z_kept */
};

/* Rows of n numbers. */
struct step_norm_kernels {
  double (*sum)(const double *a, int n);     /* in one order for all instruction sets */
  double (*largest)(const double *a, int n); /* |a|; NaN if one is */
  /* the next from `first` on with |a| >= value, or NaN; -1: none */
  int (*find)(const double *a, int first, int n, double value);
  void (*along)(double *o, const double *a, double k, const double *b, int n); /* o = a + k b */
  /* c = a/12 - 4/3 b + 9/4 c */
  void (*combine)(double *restrict c, const double *a, const double *b, int n);
};

/* Of one instruction set with one lane or with all. */
struct step_kernels {
  const struct step_body_kernels *bodies;
  const struct step_link_kernels *links;
  const struct step_norm_kernels *norms;
};
const struct step_kernels *step_kernels(enum isa isa, int lanes);

/* The shape that link kernels do a tile as. */
static inline enum link_shape link_shape(int rows, int sides, bool point)
{
#define LINK_MATCH(of, name, n, s, p)                                                                        \
  if (rows == (n) && sides == (s) && point == (p)) return of##name;
  LINK_SHAPES(LINK_MATCH, LINK_)
#undef LINK_MATCH
  return sides == 2 ? LINK_PAIR : LINK_OTHER;
}

/* A side of links with these bodies, one in each lane. */
struct link_side link_side(const struct tree_body *body, int width);

/* Links of which a lane is not like the other: coordinates and sliding, by the code of dynamics/rows.c (by_lane.c). RT.
 * rows: Phi and J of the lanes in use; bias: (rows, width), 0 in lanes not in use; position: Phi
 * less where drives aim; aim: beta less the rate, or the acceleration. */
void by_lane_rows(const ali3_model *m, ali3_data *d, int tile);
void by_lane_bias(const ali3_model *m, const ali3_data *d, int tile, double *bias);
void by_lane_position(const ali3_model *m, ali3_data *d, int tile);
void by_lane_aim(const ali3_model *m, ali3_data *d, int tile, bool second);

/* All tiles with bodies, or with links; `kernel` is the offset in its table. flops: an estimate of all of it. */
#define STAGE_BODIES(m, d, kernel, flops)                                                                    \
  stage_bodies(m, d, offsetof(struct step_body_kernels, kernel), flops)
#define STAGE_LINKS(m, d, kernel, flops) stage_links(m, d, offsetof(struct step_link_kernels, kernel), flops)
void stage_bodies(const ali3_model *m, ali3_data *d, size_t kernel, double flops);
/* One that moves the bodies: the factors keep the frames they were made with. */
#define STAGE_MOVE(m, d, kernel, flops) stage_move(m, d, offsetof(struct step_body_kernels, kernel), flops)
void stage_move(const ali3_model *m, ali3_data *d, size_t kernel, double flops);
void stage_links(const ali3_model *m, ali3_data *d, size_t kernel, double flops);

/* norms.c. RT. Of rigid rows: the largest, or of links the same of `left`; whether all are below `limit`; the first link, as they are stored, that has the
 * largest, or one that is no number, -1 if all are 0. Of the increments: the norm; the first body that has the largest. */
double norm_largest(const ali3_model *m, const double *row);
double norm_sum(const ali3_model *m, const double *row); /* over all rows */
double norm_largest_left(const ali3_model *m, const double *left);
bool norm_below(const ali3_model *m, const double *row, double limit);
int norm_worst_link(const ali3_model *m, const double *row, double largest);
double norm_increment(const ali3_model *m, const ali3_data *d);
int norm_worst_body(const ali3_model *m, const ali3_data *d);

#endif
