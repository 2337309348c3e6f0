/* SPDX-License-Identifier: MIT
 * The stepper: the state of a mechanism, and one fixed time step after another.
 *
 * ali3_data is one block of memory, aligned to 64 bytes; nothing is allocated after it is made. Functions marked RT neither
 * allocate nor lock nor call the system. They take a bounded time and may run in a hard real-time thread. One ali3_data
 * belongs to one thread at a time.
 *
 * Functions marked RT do not check their arguments if the library is built with NDEBUG, as CMake's build types RelWithDebInfo
 * (our default) and Release are: NULL or an index out of range is undefined behaviour there. Build with
 * -DCMAKE_BUILD_TYPE=Debug while you write a program: an assertion then stops it at such a call. All other functions check
 * their arguments: they return ALI3_E_ARGUMENT, NULL or 0, or do nothing. A call may read the state of ALI3_GROUND but not
 * load it. */
#ifndef ALI3_STEPPER_H
#define ALI3_STEPPER_H

#include <ali3/status.h>
#include <ali3/types.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

ALI3_BEGIN_DECLARATIONS

/* Parallel work. The stepper calls run(), which calls work(arg, share, shares) once for every share 0 .. shares - 1, at one time
 * or one after the other, and returns when all calls have returned. The number of shares does not change results. */
typedef struct {
  void *context; /* first argument of run() */
  int shares;
  void (*run)(void *context, void (*work)(void *arg, int share, int shares), void *arg);
  /* Less work than this many floating-point operations is done without run(). 0: 40000, about 1 us of vector code. It changes
   * no result. */
  double worth;
} ali3_exec;

/* Instruction set of the kernels of a frozen model, by its name in ali3_options; "" before freezing. */
const char *ali3_model_isa(const ali3_model *m);

/* Bytes of the block that ali3_data_place() needs for a frozen model. */
size_t ali3_data_size(const ali3_model *m);
/* Places the data in the caller's block, which must be aligned to 64 bytes; the call zeroes it. Returns NULL if the block is too
 * small or not aligned. */
ali3_data *ali3_data_place(const ali3_model *m, void *block, size_t size);
/* Allocates a block and places the data in it. Returns NULL when out of memory. */
ali3_data *ali3_data_new(const ali3_model *m);
/* Frees data of ali3_data_new(). It does nothing to data of ali3_data_place(). */
void ali3_data_free(ali3_data *d);

/* NULL: serial (the default). `exec` must stay valid until it is replaced. */
void ali3_data_set_exec(ali3_data *d, const ali3_exec *exec);

/* Puts the mechanism into its initial state. The reset moves bodies until all joints are closed and all drives are at their
 * start, makes the velocities consistent, then solves accelerations and multipliers. ALI3_MOVED says that bodies or velocities
 * changed; ali3_initial has how far. Bodies that satisfy all joints do not move. Not RT: it iterates until it is done.
 * Returns ALI3_OK or ALI3_MOVED, or
 *   ALI3_E_ASSEMBLE   the joints cannot be closed, or closing them would move a body further than the options
 *                     assembly_position and assembly_angle allow (ali3_initial.too_far). ali3_report names the joint or
 *                     drive that was furthest open before a body moved. Bodies stay in the poses of the model. Or a given
 *                     velocity changed by more than the option assembly_velocity allows (ali3_initial.body_rate).
 *   ALI3_E_SINGULAR   a body without mass, or without inertia about an axis, is not held there (ali3_report.free_direction)
 *   ALI3_E_VIOLATED   the rates that drives begin with contradict each other or the joints (ali3_data_violation())
 *   ALI3_E_STIFF      a force is too stiff for the explicit method (ali3_report.worst_force, longest_step)
 *   ALI3_E_ARGUMENT   an argument is NULL, or m is not frozen */
ali3_status ali3_reset(const ali3_model *m, ali3_data *d);

typedef struct {
  double moved_position;         /* m, largest displacement of a centre of mass */
  double moved_orientation;      /* rad, largest angle by which a body was turned, 0 .. pi */
  double moved_velocity;         /* m/s, largest change */
  double moved_angular_velocity; /* rad/s, largest change */
  int body_position;             /* the body that moved furthest; -1 none */
  int body_orientation;          /* the body that was turned furthest; -1 none */
  /* The given velocity that changed most, relative to it, if that is more than a thousandth. */
  int body_rate;                                  /* -1: none */
  bool rate_turns;                                /* an angular velocity, rad/s; else a velocity, m/s */
  double rate_given, rate_possible, rate_changed; /* amounts before and after, and of the difference */
  bool too_far; /* a body moved further than the options allow, so the reset failed */
} ali3_initial;

const ali3_initial *ali3_data_initial(const ali3_data *d);

/* Opening of a joint or drive: the error of its rows in the poses of the model, before a reset moves a body. */
typedef struct {
  /* m: from point to point, line or plane, or the error of the length. */
  double distance;
  /* rad: the angle between axes that should be parallel (in either direction), the deviation of axes that should be
   * perpendicular, or the error of the relative orientation. */
  double angle;
  bool open; /* distance or angle is more than rounding */
} ali3_opening;

/* Opening of a joint; distance of a drive's start from the coordinate of its joint, without full turns. Other forces are never
 * open. Returns ALI3_OK, or ALI3_E_ARGUMENT if there is no such joint or force or m is not frozen. Thread-safe, not RT. */
ali3_status ali3_joint_opening(const ali3_model *m, int joint, ali3_opening *out);
ali3_status ali3_force_opening(const ali3_model *m, int force, ali3_opening *out);
/* Text of an opening, e.g. joint "q": axes are 90.0 degrees apart. The text is empty if the joint is closed. Returns the length
 * as snprintf() does. Thread-safe, not RT. */
int ali3_joint_opening_text(const ali3_model *m, int joint, char *text, size_t size);
int ali3_force_opening_text(const ali3_model *m, int force, char *text, size_t size);

/* RT. External load on a body in the next steps, until changed: force at the centre of mass (N) and torque (N m), world axes.
 * A reset keeps external loads. */
void ali3_set_wrench(const ali3_model *m, ali3_data *d, int body, const double force[3],
                     const double torque[3]);

/* RT. Replaces the vector of load `load` of the model (N or N m, axes as in its spec) in the next steps, until changed. Its point
 * and axes do not change. A reset restores the model's vector. */
void ali3_set_load(const ali3_model *m, ali3_data *d, int load, const double vector[3]);

/* RT. Force of a motor (N or N m, positive drives its coordinate up) or target of an external drive (rad or m) in the next steps,
 * until changed. After a reset a motor applies 0, and the target of a drive is its coordinate in the initial poses. Other
 * forces ignore the value. */
void ali3_set_command(const ali3_model *m, ali3_data *d, int force, double value);

/* RT. A step has two parts. ali3_prepare() does the work that does not depend on the inputs of the step: prediction, rows,
 * factorisation, and the first of three or more iterations with the inputs of the step before. ali3_feedback() iterates and
 * projects. ali3_step() does both, and skips the first if it is already done. Inputs that are set before or after the prepare
 * give the same bits.
 *
 * Returns ALI3_OK, ALI3_NOT_CONVERGED, ALI3_VIOLATED, ALI3_E_DIVERGED, ALI3_E_SINGULAR, ALI3_E_STIFF or ALI3_E_VIOLATED. On a negative status
 * the state does not change; the search for the drive that caused the failure takes about as long as six steps. ALI3_E_ARGUMENT:
 * a feedback without a prepare, or data without a successful reset. A second prepare does nothing.
 *
 * Between prepare and feedback the data holds the prediction: read states before the first or after the second.
 *
 * ALI3_VIOLATED: a rigid row is open by more than 1e-5, or moves off its constraint by more than 1e-3 per step. Lengths are
 * relative to the size of the mechanism (the longest lever arm of a joint or force), angles are in rad. Well-posed mechanisms
 * stay below 1e-7 and 2e-4 in steps that converge. Usual causes are two drives on one freedom, or a drive that asks for more than
 * the geometry allows. Above ali3_options.violation the step fails with ALI3_E_VIOLATED. */
ali3_status ali3_prepare(const ali3_model *m, ali3_data *d);
ali3_status ali3_feedback(const ali3_model *m, ali3_data *d);
ali3_status ali3_step(const ali3_model *m, ali3_data *d);

/* n steps, up to the first that fails. Returns its status, or the most severe status of the steps. For programs without a clock, and
 * languages in which a call is dear; not RT, because of its length. */
ali3_status ali3_steps(const ali3_model *m, ali3_data *d, int n);

/* RT. Takes a prepare back, so that the data holds the state of the last step again: poses, velocities, accelerations, rows and
 * multipliers have the same bits as before the prepare. Nothing where no prepare is pending, or an argument is NULL. */
void ali3_unprepare(const ali3_model *m, ali3_data *d);

/* Figures of the last step or reset. */
typedef struct {
  ali3_status status;
  bool retried; /* the step was computed once more, see ali3_options.retry */
  /* Steps since the last one that determined the reactions. A step near a singular position does not, nor one of a mechanism with
   * loops whose joints, drives or gears are open (ALI3_VIOLATED). Forces and torques of joints, drives and gears that further
   * solves would change by more than 2 % then stay as they were, for up to 10 steps; later steps give what they find. */
  int held;
  uint64_t step; /* steps since reset */
  double time;   /* s */
  /* m and rad mixed: norm of the last Newton increment; of explicit methods, the largest component by which the projection of the
   * positions moved a body or a coordinate */
  double increment;
  /* Largest |Phi| of a row, m or 1. After ALI3_E_ASSEMBLE: the largest opening in the poses of the model, m or rad. */
  double position;
  double velocity;     /* largest |Phi_q q' + Phi_t|, m/s or 1/s */
  double acceleration; /* largest |Phi_q q'' - gamma|, m/s^2 or 1/s^2 */
  int worst_joint;     /* the joint with the largest |Phi| or opening; -1 none */
  int worst_force; /* the drive or gear whose |Phi| or opening is larger than that of all joints; -1 none */
  int worst_body;  /* the body with the largest last increment, or the first that is not finite; -1 none */
  /* rad by which worst_joint, or worst_body if that is -1, turns in an inner step that does not resolve it: after ALI3_UNRESOLVED,
   * and after ALI3_VIOLATED, ALI3_E_DIVERGED or ALI3_E_VIOLATED, for which it is the likely cause; otherwise 0. If a bushing passed half a turn
   * in the step, or the points of a spring_damper or end_stop passed each other, worst_force names it, and this is half a turn. */
  double turn;
  /* After ALI3_E_STIFF: the longest inner step, s, at which the method follows worst_force; a longer one lets it grow. */
  double longest_step;
  /* After ALI3_E_SINGULAR at a reset: the directions along and about which (world) worst_body has no mass or no inertia and
   * nothing holds it. */
  double free_direction[6];
} ali3_report;

const ali3_report *ali3_data_report(const ali3_data *d); /* RT */

/* RT. After a reset: what ali3_options.extrapolate does with the springs and dampers of the mechanism. */
typedef struct {
  bool
      combined; /* the steps have order four; false: three inner steps of a third of the length, of order two */
  int stopped; /* the force that keeps the steps from it, because it oscillates too fast; -1: none */
} ali3_extrapolation;
ali3_extrapolation ali3_data_extrapolation(const ali3_data *d);
/* RT. A combined step holds the force, whose motion decays too fast for it, so that it follows without oscillation. */
bool ali3_force_settled(const ali3_model *m, const ali3_data *d, int force);

/* The open rigid rows, after ALI3_VIOLATED, ALI3_E_VIOLATED and ALI3_E_ASSEMBLE; otherwise all figures are 0 and all indices -1.
 * After a step that failed in another way `drive`, `other`, `aim` and `at` are set if drives that ask for more than the joints
 * allow are the cause. */
typedef struct {
  bool rates;           /* the velocities do not agree: all figures below are per second */
  double relative;      /* largest row: lengths over the size of the mechanism, angles in rad */
  int joint, force;     /* the joint, or else the drive or gear, of this row; -1 none */
  double length, angle; /* largest rows of this joint, drive or gear, m and rad */
  int drive, other;     /* drives or gears in the contradiction, largest multiplier first; -1 none */
  double aim, at; /* target and value of the coordinate of `drive`, m or rad; for a gear 0 and the error */
  double limit;   /* limit of `relative`; 0: none, at a reset */
} ali3_violation;

const ali3_violation *ali3_data_violation(const ali3_data *d); /* RT */

/* Text of a violation; empty if no row is open. Returns the length as snprintf() does. `m` must be frozen. Thread-safe, not
 * RT. */
int ali3_violation_text(const ali3_model *m, const ali3_violation *v, char *text, size_t size);

/* One sentence about a rotation that a step did not resolve, from `turn` of a report; empty if that is 0. Returns the length as
 * snprintf() does. Thread-safe, not RT. */
int ali3_turn_text(const ali3_model *m, const ali3_report *r, char *text, size_t size);

/* One sentence about the last report, which names its elements; empty for ALI3_OK. Returns the length as snprintf() does. Not
 * RT. */
int ali3_report_text(const ali3_model *m, const ali3_data *d, char *text, size_t size);

/* RT. State of a body; ALI3_GROUND is at rest in the origin. Here and below every byte of *out is written: equal states have equal
 * bytes. */
typedef struct {
  double position[3], orientation[4];              /* centre of mass, world; Euler parameters body to world */
  double velocity[3], angular_velocity[3];         /* world; body axes */
  double acceleration[3], angular_acceleration[3]; /* world; body axes */
} ali3_body_state;
void ali3_body_get(const ali3_model *m, const ali3_data *d, int body, ali3_body_state *out);

typedef struct {
  double force[3], torque[3]; /* load of the joint on body_b at point_b, world axes, N and N m */
  double position, velocity;  /* coordinate: revolute rad with full turns, prismatic m; other types 0 */
  bool held;                  /* the step did not determine force and torque, see ali3_report.held */
} ali3_joint_state;
void ali3_joint_get(const ali3_model *m, const ali3_data *d, int joint, ali3_joint_state *out);

typedef struct {
  double position, rate; /* coordinate, see ali3_force_spec; m, m/s or rad, rad/s; bushing: 0 */
  /* N or N m. A positive value drives the coordinate down; for a motor, drive, contact, hydraulic_cylinder or electric_motor it
   * drives it up; bushing: 0. */
  double value;
  double target;              /* drive: present target, m or rad */
  double force[3], torque[3]; /* load on body_b at point_b, world axes, N and N m; gear: 0 */
  /* hydraulic_cylinder, electric_motor and tyre; else 0. */
  double supplied; /* J, from supply and tank or from the voltage since the reset, less what went back */
  double lost;     /* J, to throttles, leakage and damping, to resistance, or to sliding since the reset */
  /* hydraulic_cylinder; else 0. */
  double pressure[2]; /* Pa, chambers a and b */
  double flow[2];     /* m^3/s through the valve into chambers a and b, as oil at pressure 0 */
  double spool;       /* -1 .. 1 */
  /* electric_motor; else 0. */
  double current, voltage; /* A, and the voltage that acts, V */
  /* tyre; else 0. */
  double along, across; /* N, on the wheel: forward, and across it in the plane */
  double slip;          /* -sliding/|rolling|, at most 10; 0 at standstill */
  double slip_angle;    /* rad, above 0 if the contact slides against `across`; 0 at standstill */
} ali3_force_state;
void ali3_force_get(const ali3_model *m, const ali3_data *d, int force, ali3_force_state *out);

/* RT. Motion of a point that is fixed to a body: m, m/s, m/s^2, world axes. point: m, body frame. */
typedef struct {
  double position[3], velocity[3], acceleration[3];
} ali3_point_state;
void ali3_point_get(const ali3_model *m, const ali3_data *d, int body, const double point[3],
                    ali3_point_state *out);

/* RT. The exact quantities at a sensor, computed from the present state. A sensor with a body fills in the motion of its frame, whatever
 * its type; in the others these numbers are 0. */
typedef struct {
  double position[3], orientation[4];              /* world; Euler parameters sensor axes to world */
  double velocity[3], angular_velocity[3];         /* world; sensor axes */
  double acceleration[3], angular_acceleration[3]; /* world; sensor axes */
  double specific_force[3];                        /* m/s^2, acceleration minus gravity, sensor axes */
  /* distance: m. angle: rad, `start` and the turn of `body` about the axis since the initial poses, as body_b sees it, between -pi and
   * pi. encoder: coordinate of the joint, rad with full turns or m. load_cell: ali3_force_state.value. Other types: 0. */
  double value;
  double rate; /* of value, per s; load_cell: 0 */
} ali3_sensor_state;
void ali3_sensor_get(const ali3_model *m, const ali3_data *d, int sensor, ali3_sensor_state *out);

/* RT. The values that a sensor shows at the end of its measuring chain, see ali3_sensor_spec: the sample of the last step, or of the
 * start. */
typedef struct {
  double value[6]; /* imu: specific force and angular velocity, sensor axes; point, pose: 0; else element 0 */
  /* Rate of value[0], per s: its change in the last step; exact if the chain does nothing. imu, load_cell: 0. */
  double rate;
  bool good; /* no number is at a limit of its range, and the sensor is not stuck */
} ali3_reading;
void ali3_sensor_read(const ali3_model *m, const ali3_data *d, int sensor, ali3_reading *out);

/* RT. Energy of the mechanism, J. Potential energy is that of gravity, 0 at the world's origin, and of springs, oil, windings and treads, 0 at rest.
 * A mechanism that neither inputs nor drives nor other dampers move keeps total - supplied + lost. */
typedef struct {
  double kinetic, potential, total;
  double supplied,
      lost; /* sums over cylinders, electric motors and tyres since the reset, see ali3_force_state */
} ali3_energy;
void ali3_energy_get(const ali3_model *m, const ali3_data *d, ali3_energy *out);

ALI3_END_DECLARATIONS
#endif
