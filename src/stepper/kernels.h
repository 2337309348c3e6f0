/* SPDX-License-Identifier: MIT
 * The kernels of the stepper: what is done to all bodies or all links, a tile at a time. RT. Tiles of one stage never
 * depend on each other. body_lanes.c, link_lanes.c: built for each instruction set, with one lane and with all.
 *
 * The two lists name each kernel once, with its flops for a body or a row. From them come the enums that stages take, the
 * tables, and the functions over tiles. */
#ifndef STEPPER_KERNELS_H
#define STEPPER_KERNELS_H

#include "stepper/data.h"

/* X(kernel, flops of a body). f: the sum of the end loads of the body, and of what it works out itself of those ends that have a
 * point. tip, of these ends: where the point is, from r on (place); J y of a velocity or acceleration y, with what the velocities
 * bring about. */
#define BODY_KERNELS(X)                                                                                      \
  X(body_predict, 150.0) /* now.x ahead of last.x, frame */                                                  \
  X(body_frame, 60.0)    /* frame of now.x */                                                                \
  X(body_free, 250.0)    /* w = -delta (g + f), f: J'lambda; carried: w = 0, carried_rhs = -(g + f);       \
                              tip: place + J w */ \
  X(body_free_rest, 250.0) /* body_free where body_turn has not done it */                                   \
  X(body_step, 200.0) /* y = w - delta f, f: J'z, or w + e; mu, now.x, frame; tip: place;               \
                              increment |y|^2 */    \
  X(body_turn, 450.0) /* body_step, of self-contained bodies only q, and then body_free;   \
                              if outside.again body_free alone */                 \
  X(body_position_free, 10.0)     /* w = (0, 0, -Psi/2) */                                                   \
  X(body_position_set, 80.0)      /* now.x, frame; tip: place; increment: largest part of y */               \
  X(body_velocity_free, 60.0)     /* w = (r', w, 0); tip, as in all that follow but the last */              \
  X(body_velocity_set, 80.0)      /* now.x; w: all of y' */                                                  \
  X(body_velocity_refine, 80.0)   /* w: y' with n = 0; now.x only where soft rows look at it */              \
  X(body_velocity_whole, 60.0)    /* w = y' */                                                               \
  X(body_acceleration_free, 60.0) /* w = (r'', w', -p'.p') */                                                \
  X(body_balance, 250.0)         /* body_acceleration_free, but r'' and w' from the balance of forces      \
                                      M y'' = Q - f, f: J'lambda; of carried bodies as now.x has them */ \
  X(body_acceleration_set, 80.0) /* now.x; w: all of y'' */                                                  \
  X(body_acceleration_whole, 60.0) /* w = y'' */                                                             \
  X(body_settle, 60.0)             /* q'' += M^-1 f, f the sum of the end loads alone */                     \
  X(body_response, 40.0)           /* response, and of carried bodies beta; z_first. f: J'z */

/* X(kernel, flops of a row). rest: of links whose bodies do not work it out themselves. */
#define LINK_KERNELS(X)                                                                                      \
  X(link_rows, 60.0)          /* Phi and J at now.x; drives: less where they aim */                          \
  X(link_rows_end, 60.0)      /* link_rows, but J of links with tips is left as it was */                    \
  X(link_rows_push, 60.0)     /* link_rows and link_push_lambda */                                           \
  X(link_push_rows, 60.0)     /* link_rows_push of the rest, but J of rigid links may be left as it was */   \
  X(link_push_lambda, 28.0)   /* end loads J' now.lambda, J of the state */                                  \
  X(link_rest_lambda, 28.0)   /* link_push_lambda of the rest */                                             \
  X(link_push_z, 28.0)        /* end loads J' z, J of the state */                                           \
  X(link_rest_z, 28.0)        /* J' z of the rest, J of the factors */                                       \
  X(link_step, 28.0)          /* link_rest_z, and now.lambda += z */                                         \
  X(link_beta, 28.0)          /* Phi + J w, J of the factors; soft: c (law - lambda) + J w */                \
  X(link_position_beta, 28.0) /* link_beta; soft: J w */                                                     \
  X(link_velocity_beta, 28.0) /* J w - wanted rate, J of the state; soft and not rigid: as w         \
                                         resists */       \
  X(link_acceleration_beta, 84.0)     /* J w + bias - wanted acceleration, soft as above; bias */            \
  X(link_velocity_residual, 28.0)     /* largest |J w - wanted rate| of each link, w all of y' */            \
  X(link_acceleration_residual, 28.0) /* largest |J w + bias - wanted acceleration|, w all of y'' */         \
  X(link_residual, 30.0)              /* beta - S z with response, into beta; z_first */                     \
  X(link_rate, 40.0)                  /* soft rows: rate = J y' */                                           \
  X(link_turn, 15.0)                  /* joint angles, each nearest to what it was: full turns count */

#define KERNEL_ENUMERATOR(kernel, flops) KERNEL_##kernel,
enum body_kernel { BODY_KERNELS(KERNEL_ENUMERATOR) BODY_KERNEL_COUNT };
enum link_kernel { LINK_KERNELS(KERNEL_ENUMERATOR) LINK_KERNEL_COUNT };

/* Tiles tile[0 .. count-1], indices in tree.tile, all of the width that the kernel is built for. */
typedef void step_kernel(const ali3_model *m, ali3_data *d, const int *tile, int count);
#define KERNEL_ENTRY(kernel, flops) [KERNEL_##kernel] = kernel,

/* Rows of n numbers. */
struct norm_kernels {
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
  step_kernel *const *body; /* (BODY_KERNEL_COUNT) */
  step_kernel *const *link; /* (LINK_KERNEL_COUNT) */
  const struct norm_kernels *norms;
};
const struct step_kernels *step_kernels(enum isa isa, int lanes);

/* Out of kernels, one lane after the other. RT. */

/* Links of which a lane is not like the other: coordinates and sliding, by the code of dynamics/rows.c (by_lane.c).
 * rows: Phi and J of the lanes in use; bias: (rows, width), 0 in lanes not in use; position: Phi
 * less where drives aim; aim: beta less the rate, or the acceleration. */
void by_lane_rows(const ali3_model *m, ali3_data *d, int tile);
void by_lane_bias(const ali3_model *m, const ali3_data *d, int tile, double *bias);
void by_lane_position(const ali3_model *m, ali3_data *d, int tile);
void by_lane_aim(const ali3_model *m, ali3_data *d, int tile, bool second);
/* Force and torque on each body, of the loads of the model and from outside: (WRENCH_NUMBERS, width), 0 in lanes not in use. */
void by_lane_wrench(const ali3_model *m, const ali3_data *d, int tile, double *wrench);

/* norms.c. RT. */

/* Of rigid rows: the largest; of residuals of links: the largest; of all rows: the sum. */
double norm_largest(const ali3_model *m, const double *row);
double norm_largest_residual(const ali3_model *m, const double *residual);
double norm_sum(const ali3_model *m, const double *row);
/* All rigid rows are below `limit`. */
bool norm_below(const ali3_model *m, const double *row, double limit);
/* The first link, as they are stored, that has the largest row, or one that is no number; -1 if all are 0. */
int norm_worst_link(const ali3_model *m, const double *row, double largest);
/* The norm of the increments of all bodies. */
double norm_increment(const ali3_model *m, const double *increment);
/* The first body that has the largest increment; `otherwise` where none is found. */
int norm_worst_body(const ali3_model *m, const double *increment, int otherwise);

#endif
