/* SPDX-License-Identifier: MIT
 * Methods and options of a step, with which ali3_model_freeze() makes a model constant. */
#ifndef ALI3_OPTIONS_H
#define ALI3_OPTIONS_H

#include <ali3/export.h>
#include <stdbool.h>

ALI3_BEGIN_DECLARATIONS

/* Methods of a step. ali3d.yaml(5) says for which mechanism each of them suits. */
#define ALI3_METHOD_LIST(X)                                                                                  \
  X(ALI3_METHOD_ALI3, "ali3")     /* index-3 augmented Lagrangian with Newmark's formulas and projections */ \
  X(ALI3_METHOD_ENERGY, "energy") /* keeps momentum, and energy up to the projection of velocities */        \
  X(ALI3_METHOD_RK4, "rk4")       /* explicit: Runge and Kutta, order four */                                \
  X(ALI3_METHOD_DP5, "dp5")       /* explicit: Dormand and Prince, order five */                             \
  X(ALI3_METHOD_AB4, "ab4") /* explicit: Adams and Bashforth, order four, for inputs that are smooth */      \
  X(ALI3_METHOD_ABM8,                                                                                        \
    "abm8") /* explicit: Adams, Bashforth and Moulton, order eight, also for smooth inputs */                \
  X(ALI3_METHOD_DP8, "dp8") /* explicit: Prince and Dormand, order eight */

typedef enum {
#define ALI3_METHOD_ENUM(id, text) id,
  ALI3_METHOD_LIST(ALI3_METHOD_ENUM)
#undef ALI3_METHOD_ENUM
      ALI3_METHODS
} ali3_method;

/* Name of a method as in configuration files; NULL when out of range. */
const char *ali3_method_name(ali3_method method);
/* The method of a name; ALI3_METHODS if there is none, or name is NULL. */
ali3_method ali3_method_named(const char *name);
/* True for methods that evaluate accelerations at known states, without iterations. Springs, stops and friction that are stiff
 * for the step are refused with ALI3_E_STIFF; a model with bodies without mass is refused by ali3_model_freeze(). */
bool ali3_method_is_explicit(ali3_method method);
/* Order of a method without extrapolation, with gamma 0.5. */
int ali3_method_order(ali3_method method);

/* Unknowns of the explicit methods. */
#define ALI3_COORDINATES_LIST(X)                                                                             \
  X(ALI3_COORDINATES_AUTO, "auto")   /* the ones in which a step takes less time, by an estimate */          \
  X(ALI3_COORDINATES_BODY, "body")   /* poses of the bodies, as in all other methods */                      \
  X(ALI3_COORDINATES_JOINT, "joint") /* freedoms of a spanning tree of joints; the other joints close loops */

typedef enum {
#define ALI3_COORDINATES_ENUM(id, text) id,
  ALI3_COORDINATES_LIST(ALI3_COORDINATES_ENUM)
#undef ALI3_COORDINATES_ENUM
      ALI3_COORDINATES
} ali3_coordinates;

typedef struct {
  ali3_method method; /* energy needs gamma 0.5 and beta 0 */
  double dt;          /* s, step length; 1e-9 .. 1e6 */
  int iterations;     /* Newton iterations per step, fixed; 1 .. 100 */
  /* Penalty of every rigid row, as in the papers; 0: use compliance. Below about 1e3 * 4 m/dt^2, with dt of the inner step, the
   * iterations converge slowly or not at all. */
  double alpha;
  double compliance; /* compliance of a rigid row, relative to its diagonal of J delta J^T; between 0 and 1 */
  int substeps;      /* equal inner steps per step; 1 .. 1000 */
  /* true: over the substeps, loads and values from outside change linearly from their values in the last step. false: they are
   * constant over the step. */
  bool interpolate;
  /* true: each inner step combines one of dt, two of dt/2 and three of dt/3. This is 5.7 times the work, and order four instead
   * of two. Where a spring oscillates with fewer than four steps per period, or a law jumps in the step, the result is that of
   * the three steps of dt/3: ali3_data_extrapolation(). A damped spring whose motion decays too fast is held instead. */
  bool extrapolate;
  /* Newmark's gamma; 0.5: the trapezoidal rule, of second order and without damping. Above 0.5, up to 1.5, stiff modes decay by
   * the factor (1.5 - gamma)/(0.5 + gamma) per step, and the order is one. */
  double gamma;
  double beta; /* Newmark's beta; gamma/2 .. 2; 0: (gamma + 1/2)^2 / 4 */
  /* Largest distance (m) and angle (rad) by which a reset may move the centre of mass of a body and turn it, to close joints
   * that are open in the initial poses. INFINITY: no limit. 0: 2 degrees, and the smaller of 0.005 m and a twentieth of the size
   * of the mechanism; ali3_model_freeze() replaces the 0 by that value. The size is the longest lever arm from a centre of mass
   * to a connection. */
  double assembly_position, assembly_angle;
  /* Largest change, m/s or rad/s, of a velocity that the model gives to a body or joint and that the joints do not allow.
   * INFINITY: no limit. 0: a tenth of the given velocity; no limit in a model that has bodies without mass. */
  double assembly_velocity;
  /* A step fails with ALI3_E_VIOLATED if a rigid row is open by more than this fraction of the size of the mechanism (lengths)
   * or by more than this many rad (angles); 1e-5 .. 1e6; 0: no limit. */
  double violation;
  /* n, a power of two up to 64: a step that fails, did not converge or is violated is computed once more from its start, with n
   * inner steps in place of one, whatever time that takes. If that fails, the result of the first attempt counts, which takes the
   * time of another step. 0: one attempt. */
  int retry;
  /* Instruction set of the kernels: baseline, and on x86-64 avx2 or avx512; empty: the best one of this machine. Results of two
   * instruction sets differ by rounding. */
  char isa[12];
  /* Unknowns of the methods rk4, dp5, dp8, ab4 and abm8; all other methods ignore it. */
  ali3_coordinates coordinates;
} ali3_options;

/* method ali3, dt 0.01, iterations 3, alpha 0, compliance 4e-9, substeps 1, interpolate and extrapolate false, gamma 0.5, beta 0,
 * assembly_position, assembly_angle and assembly_velocity 0, violation 0.1, retry 0, isa empty, coordinates auto */
ali3_options ali3_options_default(void);

ALI3_END_DECLARATIONS

#endif
