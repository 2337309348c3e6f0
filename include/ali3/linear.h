/* SPDX-License-Identifier: MIT
 * Analysis of a mechanism at a state: its independent motions, mass matrix and Jacobians, a place that the caller chooses, static
 * equilibrium, linearisation, and modes.
 *
 * Every matrix describes the constrained mechanism: joints and gears always hold. Drives hold too, unless a flag releases them.
 * Matrices are dense and stand row by row. Functions of this header allocate and are not real-time safe. They are thread safe as
 * long as nobody changes the same ali3_data at the same time. `problem` may be NULL; after a failure it has the reason. SI
 * units. */
#ifndef ALI3_LINEAR_H
#define ALI3_LINEAR_H

#include <ali3/model.h>
#include <ali3/stepper.h>

ALI3_BEGIN_DECLARATIONS

/* A mechanism with more freedoms is refused with ALI3_E_ARGUMENT: matrices are dense. */
enum { ALI3_FREEDOMS_MOST = 500 };

/* --- motions and masses --- */

enum ali3_freedoms_flags { ALI3_DRIVES_FREE = 1 /* drives do not hold their joints */ };

/* The n independent velocities of the mechanism in the position that d holds. Column k of a twist is the motion in which
 * velocity k is 1 and all others are 0. The velocities are made by elimination. If the caller names joints, the first velocities
 * are the rates of their coordinates, in the order of the list. In a singular position n is the number of independent velocities
 * there, which is larger than the number of independent motions (ali3_mechanics_part.singular). */
typedef struct ali3_freedoms ali3_freedoms;

/* joint: revolute or prismatic joints, `joints` in number. flags: a sum of enum ali3_freedoms_flags. Returns NULL if out of
 * memory, if an argument is wrong, if n is above ALI3_FREEDOMS_MOST, or if the rate of a named joint depends on the rates of
 * those before it; the problem names it. The caller frees the result, which does not refer to d later, but to m. */
ali3_freedoms *ali3_freedoms_new(const ali3_model *m, const ali3_data *d, const int *joint, int joints,
                                 unsigned flags, ali3_problem *problem);
void ali3_freedoms_free(ali3_freedoms *f);
int ali3_freedoms_count(const ali3_freedoms *f);

/* T (6, n): velocity of the centre of mass and angular velocity of a body, world axes, for each independent velocity. */
ali3_status ali3_freedoms_twist(const ali3_freedoms *f, int body, double *T);
/* J (6, n): velocity of a point of a body, and angular velocity, world axes. point: m, body frame. */
ali3_status ali3_freedoms_jacobian(const ali3_freedoms *f, int body, const double point[3], double *J);
/* row (n): rate of the coordinate of a revolute or prismatic joint. */
ali3_status ali3_freedoms_joint(const ali3_freedoms *f, int joint, double *row);
/* M (n, n): mass matrix of the constrained mechanism, the sum of T' M_body T. The kinetic energy is u'M u / 2 for velocities u. A
 * freedom that moves no mass has a row and a column of zeros. */
ali3_status ali3_freedoms_mass(const ali3_freedoms *f, double *M);

/* Puts d into the poses and velocities that the caller gives for each body, at this time: position, orientation, velocity and
 * angular_velocity of body[i] count. Joints and drives move the bodies by any distance until they close, and velocities follow
 * the constraints, as in ali3_reset(); poses and velocities that fit are kept. Accelerations and multipliers are computed for the
 * new state. Values from outside stay if d has been reset before. The time becomes a multiple of the step. Returns the status of
 * ali3_reset(). */
ali3_status ali3_place(const ali3_model *m, ali3_data *d, const ali3_body_state *body, double time);

/* --- static equilibrium --- */

typedef struct {
  /* Passes until the search gives up; 0: 500. Every 60 passes the mechanism may fall by steps of its own. */
  int passes;
  /* true: the nearest equilibrium, which may be unstable. false: an equilibrium to which the mechanism would come if it moved
   * slowly. */
  bool nearest;
} ali3_equilibrium_options;

typedef struct {
  int passes;
  double residual;       /* largest generalised force that is left, relative to the largest load of a body */
  double moved_position; /* m, largest displacement of a centre of mass */
  double moved_orientation; /* rad, largest angle by which a body was turned */
  /* Motions without resistance, such as the rolling of a car on a plane, stay where they are. */
  int indifferent;
  int unstable;      /* motions with a negative stiffness: the equilibrium is not stable */
  int unstable_body; /* the body that moves most in the most unstable motion; -1: none */
  int loose_body;    /* no equilibrium, because nothing holds this body; -1: none */
} ali3_equilibrium_report;

/* Moves the mechanism from the position of d to a static equilibrium and puts d there, at rest, at the time of d. Loads, motors
 * and wrenches from outside act, and drives hold their targets. Friction holds nothing: a mechanism that friction alone holds
 * creeps. options NULL: all 0. report may be NULL. Returns ALI3_OK or ALI3_MOVED; ALI3_E_DIVERGED: no equilibrium was found, and
 * d is where the search ended; ALI3_E_ARGUMENT: an argument is NULL, or no reset of d has succeeded; ALI3_E_MEMORY. */
ali3_status ali3_equilibrium(const ali3_model *m, ali3_data *d, const ali3_equilibrium_options *options,
                             ali3_equilibrium_report *report, ali3_problem *problem);

/* --- linearisation --- */

typedef enum {
  ALI3_PORT_WRENCH, /* input: force (component 0-2, N) and torque (3-5, N m) on a body, world axes */
  ALI3_PORT_LOAD,   /* input: component 0-2 of the vector of a load */
  ALI3_PORT_COMMAND, /* input: force of a motor, N or N m; acceleration of the target of a drive, rad/s^2 or m/s^2 */
  ALI3_PORT_BODY,  /* output: component i is number i of ali3_body_state */
  ALI3_PORT_JOINT, /* output: number i of ali3_joint_state: force, torque, position, velocity */
  ALI3_PORT_FORCE, /* output: number i of ali3_force_state: position, rate, value, target, force, torque */
  ALI3_PORT_SENSOR /* output: number i of ali3_sensor_state */
} ali3_port_kind;

typedef struct {
  ali3_port_kind kind;
  int element;   /* body, load, force, joint or sensor */
  int component; /* 0 for a command */
} ali3_port;

/* Inputs and outputs of the linear system. */
typedef struct {
  const ali3_port *input;
  int inputs;
  const ali3_port *output;
  int outputs;
  const int *joint; /* joints whose coordinates and rates are states, before other ones */
  int joints;
} ali3_ports;

/* x' = A x + B u,  y = C x + D u, for small deviations from the state: x (2 n) = (displacements, velocities) along the n
 * independent velocities of ali3_freedoms_new(). The coordinate of a drive with an input is free, and it is the first of the
 * states if there is one; the input is the acceleration of its target, so that no input is differentiated. All other drives
 * hold. */
typedef struct {
  int states, inputs, outputs; /* states: 2 n */
  double *A, *B, *C, *D;       /* (states, states), (states, inputs), (outputs, states), (outputs, inputs) */
  /* Estimate of the error of A, relative to its largest number. */
  double error;
  /* Forces at a corner of their law: stops and contacts at their limit, tables at a point, cables that are just slack. There A
   * has the slope of the side on which the law itself puts the state. */
  int corners;
  int *corner; /* (corners) forces */
} ali3_linear;

/* Linearises the mechanism at the state of d, which may move. Each force law contributes its slope at that state, and so do a
 * stiff stop and sticking friction. Returns ALI3_OK; ALI3_E_ARGUMENT: an argument is NULL or out of
 * range, or no reset of d has succeeded; ALI3_E_SINGULAR: a freedom moves no mass, and the problem names a body; ALI3_E_MEMORY. */
ali3_status ali3_linearise(const ali3_model *m, const ali3_data *d, const ali3_ports *ports, ali3_linear *out,
                           ali3_problem *problem);
/* Frees the matrices that ali3_linearise() allocated, and clears the struct. */
void ali3_linear_free(ali3_linear *l);
/* Eigenvalues of A: pole (states, 2), real and imaginary part, rad/s, in the order of rising magnitude. ALI3_OK; ALI3_E_MEMORY;
 * ALI3_E_DIVERGED: the iteration did not converge. */
ali3_status ali3_linear_poles(const ali3_linear *l, double *pole);

/* --- modes --- */

typedef struct {
  double frequency; /* Hz, of the motion without damping; 0: no stiffness, or a negative one */
  double damping;   /* damping ratio of this mode for itself; 0 without a frequency */
  double stiffness; /* rad^2/s^2, square of the angular frequency; negative: the mode grows */
  int body;         /* the body that moves most: points at the distance of the size of the mechanism */
} ali3_mode;

/* The modes of the mechanism about the position of d, as if it were at rest and in balance. Modes with damping follow from A of
 * ali3_linearise(). */
typedef struct ali3_modes ali3_modes;
/* NULL: as ali3_freedoms_new(). Freedoms without mass follow the others without inertia. */
ali3_modes *ali3_modes_new(const ali3_model *m, const ali3_data *d, unsigned flags, ali3_problem *problem);
void ali3_modes_free(ali3_modes *s);
int ali3_modes_count(const ali3_modes *s);
/* Mode i, in the order of rising stiffness. ALI3_OK or ALI3_E_ARGUMENT. */
ali3_status ali3_modes_get(const ali3_modes *s, int i, ali3_mode *out);
/* Motion of a body in mode i: displacement of its centre of mass and rotation, world axes. The mode has the modal mass 1. */
ali3_status ali3_modes_shape(const ali3_modes *s, int i, int body, double twist[6]);

ALI3_END_DECLARATIONS
#endif
