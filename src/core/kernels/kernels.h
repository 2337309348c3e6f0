/* SPDX-License-Identifier: MIT
 * The kernels of the stepper: functions over all bodies or all links, tile by tile. RT. Tiles of one stage never depend on
 * each other. The build compiles body_lanes.c and link_lanes.c for each instruction set, with one lane and with all lanes.
 *
 * The two lists name each kernel once, with its flops for a body or a row. The lists generate the enums that stages take,
 * the tables, and the functions over tiles. */
#ifndef KERNELS_KERNELS_H
#define KERNELS_KERNELS_H

#include "kernels/data.h"

/* X(kernel, flops of a body). f is the sum of the end loads of the body; the body kernel itself evaluates the ends at a
 * point. `point` means that the kernel stores the point values of these ends for their rows: the position of the point
 * relative to r; for a velocity or acceleration y they are J y, for accelerations with the velocity terms. body_balance takes
 * r'' and w' of carried bodies from now.x. */
#define BODY_KERNELS(X)                                                                                      \
  X(body_predict, 150.0)   /* predicts now.x from last.x, frame */                                           \
  X(body_frame, 60.0)      /* frame of now.x */                                                              \
  X(body_advance, 100.0)   /* explicit methods: q, q' of now.x from last.x and states.term; frame */         \
  X(body_change, 30.0)     /* increment: largest difference of q'' between now.x and states.term[0] */       \
  X(body_free, 250.0)      /* w = -delta (g + f), f: J'lambda; point + J w; carried: w = 0, carried_rhs */   \
  X(body_free_rest, 250.0) /* body_free for bodies that body_turn has not done */                            \
  X(body_step, 200.0)      /* y = w - delta f, f: J'z, or w + e; mu, now.x, frame; point; |y|^2 */           \
  X(body_turn, 450.0)      /* body_step, body_free; self-contained: q only */                                \
  X(body_load, 250.0)      /* body_free once more for bodies that loads act on, after inputs arrived */      \
  X(body_mean_predict, 200.0) /* body_predict, and the next five, for the energy method: body_mean.h */      \
  X(body_mean_free, 250.0)    /* the end loads are mean loads in world axes */                               \
  X(body_mean_free_rest, 250.0)                                                                              \
  X(body_mean_step, 250.0)                                                                                   \
  X(body_mean_back, 200.0) /* takes the last increment back */                                               \
  X(body_mean_turn, 450.0)                                                                                   \
  X(body_mean_load, 250.0)                                                                                   \
  X(body_position_free, 10.0)     /* w = (0, 0, -Psi/2) */                                                   \
  X(body_position_set, 80.0)      /* now.x, frame; point; increment: largest component of y */               \
  X(body_velocity_free, 60.0)     /* w = (r', w, 0); point, as in every later kernel except body_response */ \
  X(body_velocity_set, 80.0)      /* now.x; w: all components of y' */                                       \
  X(body_velocity_refine, 80.0)   /* w: y' with n = 0; now.x only for bodies with soft rows */               \
  X(body_velocity_whole, 60.0)    /* w = y' */                                                               \
  X(body_acceleration_free, 60.0) /* w = (r'', w', -p'.p') */                                                \
  X(body_balance, 250.0)          /* w as body_acceleration_free, but M y'' = Q - f, f: J'lambda */          \
  X(body_acceleration_felt, 90.0) /* body_acceleration_free; w: less delta f / h in n, f: J'lambda */        \
  X(body_stretch, 60.0)           /* w = delta f in n, else 0, f: J'z */                                     \
  X(body_acceleration_set, 80.0)  /* now.x; w: all components of y'' */                                      \
  X(body_acceleration_refine, 60.0) /* w: y'', corrected; now.x stays */                                     \
  X(body_acceleration_whole, 60.0)  /* w = y'' */                                                            \
  X(body_settle, 60.0)              /* q'' += M^-1 f, f: the sum of the end loads without points */          \
  X(body_response, 40.0)            /* response, and for carried bodies beta; z_first. f: J'z */

/* X(kernel, flops of a row). `rest` names links whose bodies do not evaluate the link's points. */
#define LINK_KERNELS(X)                                                                                      \
  X(link_rows, 60.0)              /* Phi and J at now.x; drives: minus the target */                         \
  X(link_rows_end, 60.0)          /* link_rows, but may keep the old J of links with points */               \
  X(link_rows_push, 60.0)         /* link_rows and link_rest_lambda */                                       \
  X(link_push_rows, 60.0)         /* link_rows_push of the rest, but may keep the old J of rigid links */    \
  X(link_push_lambda, 28.0)       /* end loads J' now.lambda, J of the state */                              \
  X(link_rest_lambda, 28.0)       /* link_push_lambda of the rest */                                         \
  X(link_push_z, 28.0)            /* end loads J' z, J of the state */                                       \
  X(link_rest_z, 28.0)            /* J' z of the rest, J of the factors */                                   \
  X(link_unfelt_beta, 28.0)       /* J w + c z; soft: J w */                                                 \
  X(link_mean_lambda, 60.0)       /* end loads J_mean' now.lambda of the rest, world axes: link_mean.h */    \
  X(link_mean_rows, 90.0)         /* link_mean_lambda with Phi; soft rows, or all for new factors: also J */ \
  X(link_step, 28.0)              /* link_rest_z, and now.lambda += z */                                     \
  X(link_beta, 28.0)              /* Phi + J w, J of the factors; soft: c (law - lambda) + J w */            \
  X(link_position_beta, 28.0)     /* link_beta; soft: J w */                                                 \
  X(link_velocity_beta, 28.0)     /* J w - wanted rate, J of the state; soft, not rigid: resistance */       \
  X(link_acceleration_beta, 84.0) /* J w + bias - wanted acceleration; soft rows as for rates; bias */       \
  X(link_velocity_residual, 28.0) /* largest |J w - wanted rate| of each link, w: all components of y' */    \
  X(link_acceleration_residual, 28.0) /* largest |J w + bias - wanted acceleration|, w: all of y'' */        \
  X(link_residual, 30.0)              /* beta - S z with response, into beta; z_first */                     \
  X(link_rate, 40.0)                  /* soft rows: rate = J y' */                                           \
  X(link_turn,                                                                                               \
    15.0) /* joint angles, each the nearest to the predicted one, so that full turns count: stage_turns() */

#define KERNEL_ENUMERATOR(kernel, flops) KERNEL_##kernel,
enum body_kernel { BODY_KERNELS(KERNEL_ENUMERATOR) BODY_KERNEL_COUNT };
enum link_kernel { LINK_KERNELS(KERNEL_ENUMERATOR) LINK_KERNEL_COUNT };

/* Does tiles tile[0 .. count-1], indices in tree.tile. All tiles have the width that the kernel is built for. */
typedef void step_kernel(const ali3_model *m, ali3_data *d, const int *tile, int count);
#define KERNEL_ENTRY(kernel, flops) [KERNEL_##kernel] = kernel,

/* Functions over arrays of n numbers. */
struct norm_kernels {
  double (*sum)(const double *a, int n);     /* every instruction set sums in the same order */
  double (*largest)(const double *a, int n); /* max |a|; NaN if a number is NaN */
  void (*largest_by_lane)(const double *a, int n, double *o); /* for each lane */
  /* Returns the first index >= `first` with |a| >= value or with NaN; -1: none. */
  int (*find)(const double *a, int first, int n, double value);
  void (*along)(double *o, const double *a, double k, const double *b, int n); /* o = a + k b */
  void (*less)(double *o, double k, const double *a, const double *b,
               int n); /* o -= k a b, number by number */
  /* c += weight[0] (a - c) + weight[1] (b - c) */
  void (*combine)(double *restrict c, const double *a, const double *b, const double weight[2], int n);
};

/* The kernels of one instruction set, with one lane or with all lanes. */
struct step_kernels {
  step_kernel *const *body; /* (BODY_KERNEL_COUNT) */
  step_kernel *const *link; /* (LINK_KERNEL_COUNT) */
  const struct norm_kernels *norms;
};
const struct step_kernels *step_kernels(enum isa isa, int lanes);

/* Functions outside the kernels, one lane after the other. RT. */

/* Links with different code in each lane: coordinates and sliding, by dynamics/rows.c (by_lane.c). by_lane_rows: Phi and J
 * of the lanes in use. by_lane_bias: (rows, width), 0 in unused lanes. by_lane_position: subtracts the targets of drives
 * from Phi. by_lane_aim: subtracts the wanted rate or acceleration from beta. */
void by_lane_rows(const ali3_model *m, ali3_data *d, int tile);
void by_lane_bias(const ali3_model *m, const ali3_data *d, int tile, double *bias);
void by_lane_position(const ali3_model *m, ali3_data *d, int tile);
void by_lane_aim(const ali3_model *m, ali3_data *d, int tile, bool second);
/* Force and torque on each body from the loads of the model and from outside: (WRENCH_NUMBERS, width), 0 in unused lanes. mean:
 * of both ends of the inner step. */
void by_lane_wrench(const ali3_model *m, const ali3_data *d, int tile, bool mean, double *wrench);
/* Loads of now.lambda on the bodies along the mean of the inner step: (sides, 7, width), 0 in unused lanes (dynamics/mean.h). */
void by_lane_mean(const ali3_model *m, const ali3_data *d, int tile, double *load);

/* norms.c. RT. */

/* norm_largest: largest rigid row. norm_largest_residual: largest residual of the links. norm_sum: sum over all rows. */
double norm_largest(const ali3_model *m, const double *row);
double norm_largest_residual(const ali3_model *m, const double *residual);
double norm_sum(const ali3_model *m, const double *row);
/* All rigid rows are smaller than `limit`. */
bool norm_below(const ali3_model *m, const double *row, double limit);
/* Returns the first link, in storage order, with the largest row or with a row that is not finite; -1 if all rows are 0. */
int norm_worst_link(const ali3_model *m, const double *row, double largest);
/* The norm of the increments of all bodies. */
double norm_increment(const ali3_model *m, const double *increment);
/* Returns the first body with the largest increment; `otherwise` if there is none. */
int norm_worst_body(const ali3_model *m, const double *increment, int otherwise);
/* o[c] = the largest |a| of copy c among n numbers; NaN if one of them is NaN. */
void norm_largest_by_copy(const ali3_model *m, const double *a, int n, double o[ISA_LANES_MAX]);
/* Notes the norms of the increments of iteration k in d->copies. goes_on: it is not the last one. */
void norm_note_copies(const ali3_model *m, ali3_data *d, int k, bool goes_on);

#endif
