/* SPDX-License-Identifier: MIT
 * The stepper: state of a mechanism, and its advance by one fixed step.
 *
 * ali3_data is one 64-byte aligned block; nothing is allocated after it is made. Functions marked RT neither
 * allocate, lock, nor call the system, take a bounded time, and may run in a hard real-time thread. One
 * ali3_data belongs to one thread at a time.
 *
 * Functions marked RT do not check their arguments in a library that is built with NDEBUG, as CMake's build types
 * RelWithDebInfo (our default) and Release do: an index out of range, or NULL, is undefined there. Build with
 * -DCMAKE_BUILD_TYPE=Debug while you write a program, and an assert stops it at such a call. All other functions check:
 * they return ALI3_E_ARGUMENT, NULL or 0, or do nothing. Where a body is asked for, ALI3_GROUND may be read but not
 * loaded. */
#ifndef ALI3_STEPPER_H
#define ALI3_STEPPER_H

#include <ali3/model.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ali3_data ali3_data;

/* How the core asks for parallel work: run() calls work(arg, share, shares) once for every share 0 ..
 * shares-1, at the same time or one after the other, and returns when all have returned. Results never depend
 * on shares. */
typedef struct {
  void *context;
  int shares;
  void (*run)(void *context, void (*work)(void *arg, int share, int shares), void *arg);
  double worth; /* flops that are worth a run(); 0: 80000, some 2 us in vectors. Changes no result */
} ali3_exec;

/* The instruction set that steps of a frozen model are computed with, by its name in ali3_options; else "". */
const char *ali3_model_isa(const ali3_model *m);

/* Bytes of the block that ali3_data_place() needs for a frozen model. */
size_t ali3_data_size(const ali3_model *m);
/* Lays the data out in the caller's block (64-byte aligned, zeroed by the call). NULL if it does not fit. */
ali3_data *ali3_data_place(const ali3_model *m, void *block, size_t size);
/* The same in memory of its own; NULL when out of memory. */
ali3_data *ali3_data_new(const ali3_model *m);
void ali3_data_free(ali3_data *d); /* only what ali3_data_new() made */

/* NULL: serial (the default). The exec must outlive its use. */
void ali3_data_set_exec(ali3_data *d, const ali3_exec *exec);

/* What a step is doing; for those who measure it. */
typedef enum {
  ALI3_PHASE_PREDICT,  /* state ahead, from the last one */
  ALI3_PHASE_ROWS,     /* residuals, Jacobian and laws of all rows */
  ALI3_PHASE_CONDENSE, /* factorise */
  ALI3_PHASE_SWEEP,    /* solves of the iterations */
  ALI3_PHASE_BODIES,   /* their right-hand sides, and what they move */
  ALI3_PHASE_PROJECT,  /* projections, with their own solves and rows, and whatever ends a step */
  ALI3_PHASE_IDLE,     /* outside of ali3_prepare() and ali3_feedback() */
  ALI3_PHASES
} ali3_phase;

/* How the core, which has no clock, is timed: mark() is called in the thread that steps, with the phase that
 * begins. Phases come again, in each iteration and inner step; a reset has none. Of the branches of an
 * extrapolated step that run side by side only that of three inner steps is reported.
 *
 * run() may be NULL. It is called where a run of the tree's schedule, a stage of stages.h, begins and ends: once when it is condensed, and
 * twice, up and down, in each sweep. Those that may be shared come from all shares, each from its own thread, at the
 * same time; around them, in the thread that steps, ALI3_RUNS_SHARED stands for all of them and the wait for the last
 * share. All others are run by share 0. */
enum { ALI3_RUNS_SHARED = -1 };
typedef struct {
  void *context;
  void (*mark)(void *context, ali3_phase phase);
  void (*run)(void *context, int share, int run, bool begins);
} ali3_probe;

/* NULL: none (the default). The probe must outlive its use; a step is RT only if what it calls is. */
void ali3_data_set_probe(ali3_data *d, const ali3_probe *probe);

/* Puts the mechanism into its initial state. Moves bodies until all joints are closed and all drives are where they
 * begin, makes the velocities consistent (ALI3_MOVED, how far in ali3_initial), then solves accelerations and
 * multipliers. A mechanism that fits is not moved at all. Not RT: it iterates until it is done.
 * Returns ALI3_OK or ALI3_MOVED, or
 *   ALI3_E_ASSEMBLE   the joints cannot be closed, or closing them would move a body further than the options
 *                     assembly_position and assembly_angle allow (ali3_initial.too_far). ali3_report names the joint or
 *                     drive that was furthest open before anything moved. Bodies are where the model has them.
 *   ALI3_E_SINGULAR   something that has no mass is not held
 *   ALI3_E_VIOLATED   the rates that drives begin with contradict each other or the joints (ali3_violation_get())
 *   ALI3_E_ARGUMENT   an argument is NULL, or m is not frozen */
int ali3_reset(const ali3_model *m, ali3_data *d);

typedef struct {
  double moved_position;         /* m, largest displacement of a centre of mass */
  double moved_orientation;      /* rad, largest angle by which a body was turned, 0 .. pi */
  double moved_velocity;         /* m/s, largest change */
  double moved_angular_velocity; /* rad/s, largest change */
  int body_position;             /* the body that moved furthest; -1 none */
  int body_orientation;          /* the body that was turned furthest; -1 none */
  bool too_far;                  /* a body moved further than the options allow: the reset was refused */
} ali3_initial;

const ali3_initial *ali3_initial_get(const ali3_data *d);

/* How far a connection is open in the poses that the model gives, before a reset moves anything. */
typedef struct {
  double
      distance; /* m: between the points, from the line or plane to the point, or of the length from its value */
  double angle; /* rad: of the axes from parallel (either way round) or perpendicular, of the relative
                      orientation from its value */
  bool open;    /* one of them is more than rounding */
} ali3_opening;

/* How far a joint is open in the poses of the model; how far a drive begins from the coordinate of its joint, without full turns.
 * Forces that are no drives are never open. Returns ALI3_OK, or ALI3_E_ARGUMENT where there is no such joint or force, or m
 * is not frozen. Thread-safe, not RT. */
int ali3_joint_opening(const ali3_model *m, int joint, ali3_opening *out);
int ali3_force_opening(const ali3_model *m, int force, ali3_opening *out);
/* The same in words, such as: joint "q": axes are 90.0 degrees apart. Empty where it is closed. Length as of snprintf(). */
int ali3_joint_opening_text(const ali3_model *m, int joint, char *text, size_t size);
int ali3_force_opening_text(const ali3_model *m, int force, char *text, size_t size);

/* RT. External load on a body, in the next steps until changed: force at the centre of mass and torque, world
 * axes. */
void ali3_set_load(const ali3_model *m, ali3_data *d, int body, const double force[3],
                   const double torque[3]);

/* RT. Replaces the vector (N or N m, axes as in its spec) of load `load` of the model, in the next steps
 * until changed. Point and axes stay. A reset brings the model's vector back. */
void ali3_set_load_vector(const ali3_model *m, ali3_data *d, int load, const double vector[3]);

/* RT. What a motor applies (N or N m, positive drives its coordinate up), or where an external drive is to go
 * (rad or m), in the next steps until changed. After a reset a motor applies 0 and a drive stays where it is.
 * Other forces do not look at it. */
void ali3_set_value(const ali3_model *m, ali3_data *d, int force, double value);

/* RT. One step = prepare (all that does not depend on the inputs of the step: predict, rows, factorise, the first of three or
 * more iterations with the inputs of the step before), then feedback (iterate, project). It does not matter whether inputs are
 * set before or after the prepare. Returns ALI3_OK, ALI3_NOT_CONVERGED, ALI3_VIOLATED, ALI3_E_DIVERGED, ALI3_E_SINGULAR,
 * ALI3_E_VIOLATED. On a negative status the state stays as it was before the step; finding the drive that caused it takes
 * as long as some six steps more.
 *
 * ALI3_VIOLATED: a rigid row is open by more than 1e-5, or moves by more than 1e-3 in a step, of the size of the mechanism
 * (the longest lever arm of a joint or force) where it is a length, of 1 rad where it is an angle. Well-posed mechanisms
 * stay below 1e-7 and 2e-4 in steps that converge. Usual causes are two drives on one freedom, or a drive that asks for
 * more than the geometry allows. Above ali3_options.violation the step fails with ALI3_E_VIOLATED. Between prepare and feedback the data holds the
 * prediction: read states before the one or after the other. A second prepare does nothing; a feedback without
 * one returns ALI3_E_ARGUMENT, as does a prepare or step of data that no reset has brought into an initial state. */
int ali3_prepare(const ali3_model *m, ali3_data *d);
int ali3_feedback(const ali3_model *m, ali3_data *d);
int ali3_step(const ali3_model *m, ali3_data *d); /* both; skips the prepare if it is done already */

/* What the last step (or reset) saw. */
typedef struct {
  int status;
  uint64_t step;    /* steps since reset */
  double time;      /* s */
  double increment; /* norm of the last Newton increment, m and rad mixed */
  double position; /* largest |Phi| of a row, m or 1; after ALI3_E_ASSEMBLE how far open as given, m or rad */
  double velocity; /* largest |Phi_q q' + Phi_t| */
  double acceleration;      /* largest |Phi_q q'' - gamma| */
  int worst_joint;          /* of position; after ALI3_E_ASSEMBLE the one furthest open as given; -1 none */
  int worst_force;          /* the drive or gear that is worse than all joints; -1 none */
  int worst_body;           /* largest last increment, or the one that went non-finite; -1 none */
  double free_direction[6]; /* after ALI3_E_SINGULAR at a reset: along and about what (world) nothing holds
                               worst_body, which has no mass or no inertia there */
} ali3_report;

const ali3_report *ali3_report_get(const ali3_data *d); /* RT */

/* Which rigid rows are open, after ALI3_VIOLATED, ALI3_E_VIOLATED and ALI3_E_ASSEMBLE; else all 0, indices -1. After a
 * step that failed in another way `drive`, `other`, `aim` and `at` may be set: drives that ask for more than the joints
 * allow are the cause then. */
typedef struct {
  bool rates;           /* the velocities do not agree: all figures below are per second */
  double relative;      /* largest row: lengths over the size of the mechanism, angles in rad */
  int joint, force;     /* the joint, or else the drive or gear, that this row belongs to; -1 */
  double length, angle; /* its largest rows, m and rad */
  int drive, other;     /* drives or gears in the contradiction, the one that carries most first; -1 none */
  double aim,
      at;       /* where `drive` asks its joint to be, and where it is: m or rad; of a gear 0 and the error */
  double limit; /* of `relative`; 0: none, at a reset */
} ali3_violation;

const ali3_violation *ali3_violation_get(const ali3_data *d); /* RT */

/* The same in words; empty where nothing is open. Length as of snprintf(). `m`: frozen. Any thread; not RT. */
int ali3_violation_text(const ali3_model *m, const ali3_violation *v, char *text, size_t size);

/* The last report in one sentence, with the elements it is about by name; empty for ALI3_OK. Length as of
 * snprintf(). Not RT. */
int ali3_report_text(const ali3_model *m, const ali3_data *d, char *text, size_t size);

/* RT. Reading the state. */
typedef struct {
  double position[3], orientation[4];              /* centre of mass, world; Euler parameters body to world */
  double velocity[3], angular_velocity[3];         /* world; body axes */
  double acceleration[3], angular_acceleration[3]; /* world; body axes */
} ali3_body_state;
void ali3_body_get(const ali3_model *m, const ali3_data *d, int body, ali3_body_state *out);

typedef struct {
  double force[3], torque[3]; /* load of the joint on body_b at point_b, world axes, N and N m */
  double position, velocity; /* joint coordinate: revolute rad without wrap, prismatic m; 0 for other types */
} ali3_joint_state;
void ali3_joint_get(const ali3_model *m, const ali3_data *d, int joint, ali3_joint_state *out);

typedef struct {
  double position, rate; /* coordinate, see ali3_force_spec; bushing: 0. m, m/s or rad, rad/s */
  double value;  /* N or N m: above 0 drives the position down; motor, drive, contact: up; bushing: 0 */
  double target; /* drive: where it aims now, m or rad */
  double force[3], torque[3]; /* load on body_b at point_b, world axes, N and N m; gear: 0 */
} ali3_force_state;
void ali3_force_get(const ali3_model *m, const ali3_data *d, int force, ali3_force_state *out);

/* RT. A material point of a body; `point` m, body frame. All in world axes: m, m/s, m/s^2. */
typedef struct {
  double position[3], velocity[3], acceleration[3];
} ali3_point_state;
void ali3_point_get(const ali3_model *m, const ali3_data *d, int body, const double point[3],
                    ali3_point_state *out);

/* RT. Everything at the place of a sensor, whatever its type: the first six as of a body. */
typedef struct {
  double position[3], orientation[4];              /* world; Euler parameters sensor axes to world */
  double velocity[3], angular_velocity[3];         /* world; sensor axes */
  double acceleration[3], angular_acceleration[3]; /* world; sensor axes */
  double specific_force[3];                        /* m/s^2, acceleration minus gravity, sensor axes */
} ali3_sensor_state;
void ali3_sensor_get(const ali3_model *m, const ali3_data *d, int sensor, ali3_sensor_state *out);

typedef struct {
  double kinetic, potential,
      total; /* J; potential: gravity, 0 at the world's origin, and springs, 0 at rest */
} ali3_energy;
void ali3_energy_get(const ali3_model *m, const ali3_data *d, ali3_energy *out);

#ifdef __cplusplus
}
#endif
#endif
