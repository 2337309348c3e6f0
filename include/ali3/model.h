/* SPDX-License-Identifier: MIT
 * The model of a mechanism: bodies, joints, loads, forces and sensors. The program adds them one by one, then freezes the model.
 *
 * A frozen model is constant: any number of threads may read it, and any number of ali3_data may run on it. The functions of this
 * header are for set-up: they may allocate, and they are not real-time safe. One thread at a time may add to a model. SI units.
 *
 * All arguments are checked. A call that returns a status returns ALI3_E_ARGUMENT for a NULL pointer. For a NULL model, or an
 * index out of range, a name is NULL, a type is the number of types (ALI3_JOINT_TYPES, ..), a count is 0, and a test is false. */
#ifndef ALI3_MODEL_H
#define ALI3_MODEL_H

#include <ali3/options.h>
#include <ali3/status.h>
#include <ali3/types.h>
#include <stdbool.h>
#include <stddef.h>

ALI3_BEGIN_DECLARATIONS

/* Types of joints. ali3d.yaml(5) has a table of the directions that each type constrains. */
#define ALI3_JOINT_LIST(X)                                                                                   \
  X(ALI3_JOINT_FIXED, "fixed")                                                                               \
  X(ALI3_JOINT_REVOLUTE, "revolute")                                                                         \
  X(ALI3_JOINT_PRISMATIC, "prismatic")                                                                       \
  X(ALI3_JOINT_CYLINDRICAL, "cylindrical")                                                                   \
  X(ALI3_JOINT_UNIVERSAL, "universal")                                                                       \
  X(ALI3_JOINT_SPHERICAL, "spherical")                                                                       \
  X(ALI3_JOINT_PLANAR, "planar")                                                                             \
  X(ALI3_JOINT_POINT_ON_LINE, "point_on_line")                                                               \
  X(ALI3_JOINT_POINT_IN_PLANE, "point_in_plane")                                                             \
  X(ALI3_JOINT_DISTANCE, "distance")

typedef enum {
#define ALI3_JOINT_ENUM(id, text) id,
  ALI3_JOINT_LIST(ALI3_JOINT_ENUM)
#undef ALI3_JOINT_ENUM
      ALI3_JOINT_TYPES
} ali3_joint_type;

/* Name of a joint type as in model files; NULL when out of range. */
const char *ali3_joint_type_name(ali3_joint_type type);
/* True if the type uses axis_a; true if it uses axis_b. */
bool ali3_joint_type_has_axis_a(ali3_joint_type type);
bool ali3_joint_type_has_axis_b(ali3_joint_type type);

/* Rows of a joint that the solve may leave out. along: the row of the point along axis_a (revolute). first, second, third: rows
 * of directions, in the order in which the joint has them (revolute, cylindrical, planar two; universal one; fixed and
 * prismatic three). */
enum ali3_drop { ALI3_DROP_ALONG = 1, ALI3_DROP_FIRST = 2, ALI3_DROP_SECOND = 4, ALI3_DROP_THIRD = 8 };
/* The sum of all rows of a type that the solve may leave out. */
unsigned ali3_joint_type_droppable(ali3_joint_type type);

typedef struct {
  const char *name; /* copied; [A-Za-z0-9_-]+, unique among bodies, not "ground" */
  /* kg, 0 or more. Joints, springs or dampers must hold a body in each direction in which it has no mass, and about each axis
   * about which it has no inertia. */
  double mass;
  double inertia[9];  /* kg m^2, row by row, about the centre of mass, body axes; symmetric */
  double position[3]; /* m, centre of mass, world */
  /* Euler parameters e0 e1 e2 e3, body to world. The norm must be 1 within 1e-3; the model normalises them. */
  double orientation[4];
  double velocity[3];         /* m/s, world */
  double angular_velocity[3]; /* rad/s, body axes */
} ali3_body_spec;

typedef struct {
  const char *name; /* copied; unique among joints */
  ali3_joint_type type;
  int body_a, body_b;            /* body index or ALI3_GROUND; different */
  double point_a[3], point_b[3]; /* m, in the frame of the body (of the world for the ground) */
  /* In the frames of body_a and body_b. Any length above 0: the model normalises them. A type without axes ignores them. */
  double axis_a[3], axis_b[3];
  double length; /* m, type distance; 0: the distance of the two points in the initial poses */
  /* Types fixed and prismatic: Euler parameters of b in a. All 0: the relative orientation in the initial poses. */
  double relative_orientation[4];
  /* Types revolute (rad) and prismatic (m): value of the joint's coordinate in the initial poses, wherever the points are. The
   * angle grows as b turns about axis_a by the right-hand rule, and counts full turns. The distance grows as point_b moves
   * along axis_a. If a reset moves the bodies, the coordinate changes with them. */
  double position;
  /* Types revolute and prismatic, rad/s or m/s: rate of the coordinate at the start, at which the joint moves body_b (body_a, if
   * body_b is the ground). 0: as the bodies and the other joints have it. */
  double velocity;
  /* Rows that the solve leaves out, a sum of enum ali3_drop. They must be rows that other joints hold in every position
   * (ali3_mechanics_droppable()); their reactions are 0. */
  unsigned dropped;
} ali3_joint_spec;

typedef enum { ALI3_LOAD_FORCE, ALI3_LOAD_TORQUE } ali3_load_type;

typedef struct {
  const char *name; /* copied; unique among loads and forces; NULL: no name */
  ali3_load_type type;
  int body;         /* body index; not the ground */
  double vector[3]; /* N or N m; constant until ali3_set_load() changes it */
  double point[3];  /* m, body frame: the point where the force acts. A torque ignores it */
  bool body_axes;   /* true: vector is in body axes and turns with the body; false: world axes */
} ali3_load_spec;

/* Force elements: connections that are not joints. The step solves them implicitly together with the joints, so a stiff spring
 * needs no shorter step and keeps its static deflection. */
#define ALI3_FORCE_LIST(X)                                                                                   \
  X(ALI3_FORCE_SPRING, "spring_damper")      /* along the line between two points */                         \
  X(ALI3_FORCE_BUSHING, "bushing")           /* along and about the axes of body a */                        \
  X(ALI3_FORCE_JOINT_SPRING, "joint_spring") /* on the coordinate of a joint */                              \
  X(ALI3_FORCE_CABLE, "cable")               /* between two points; pulls, never pushes */                   \
  X(ALI3_FORCE_END_STOP, "end_stop")         /* keeps the distance of two points within limits */            \
  X(ALI3_FORCE_STOP, "stop")                 /* keeps the coordinate of a joint within limits */             \
  X(ALI3_FORCE_FRICTION, "friction")         /* Coulomb and viscous, on the coordinate of a joint */         \
  X(ALI3_FORCE_MOTOR, "motor")               /* force or torque from outside on the coordinate */            \
  X(ALI3_FORCE_DRIVE, "drive") /* coordinate of a joint as a function of time, or from outside */            \
  X(ALI3_FORCE_GEAR, "gear")   /* couples the coordinates of two joints */                                   \
  X(ALI3_FORCE_SPHERE_PLANE, "sphere_plane")   /* contact with friction: plane on a, sphere on b */          \
  X(ALI3_FORCE_SPHERE_SPHERE, "sphere_sphere") /* contact with friction: a sphere on each body */            \
  X(ALI3_FORCE_CYLINDER, "hydraulic_cylinder") /* two chambers of oil and a valve, between two points */     \
  X(ALI3_FORCE_WINDING, "electric_motor")      /* a winding that a voltage drives, on the coordinate */      \
  X(ALI3_FORCE_BRAKE, "brake")                 /* friction on the coordinate, as strong as an input says */  \
  X(ALI3_FORCE_TYRE, "tyre")                   /* a wheel on b that rolls on a plane of a */

typedef enum {
#define ALI3_FORCE_ENUM(id, text) id,
  ALI3_FORCE_LIST(ALI3_FORCE_ENUM)
#undef ALI3_FORCE_ENUM
      ALI3_FORCE_TYPES
} ali3_force_type;

/* Name of a force type as in model files; NULL when out of range. */
const char *ali3_force_type_name(ali3_force_type type);
/* True if the type acts on the coordinate of a revolute or prismatic joint. Every other type acts between two points. */
bool ali3_force_type_on_joint(ali3_force_type type);
/* True for sphere_plane, sphere_sphere and tyre. */
bool ali3_force_type_is_contact(ali3_force_type type);

/* A function as a list of points (argument, value). The arguments rise. The model copies the points. */
typedef struct {
  int n;                    /* 0: no table; else 2 or more */
  const double (*point)[2]; /* (n, 2) */
} ali3_table;

/* The coordinate of a force is
 *   - the distance of the two points, m: spring_damper, cable, end_stop, hydraulic_cylinder;
 *   - the coordinate of the joint, rad or m: types that act on a joint;
 *   - the gap of a contact, m.
 * A positive force drives the coordinate down. A hydraulic_cylinder that pushes has a negative one.
 *
 * Besides name and type, a force uses the fields of its row. It ignores all others, NaN in them too, but a finite number beyond
 * the bounds of its field is refused in every field.
 *
 *   type           acts on                          fields
 *   spring_damper  body_a body_b point_a point_b    stiffness damping rest force_table damping_table
 *   bushing        body_a body_b point_a point_b    stiffness damping stiffness[1-5] damping[1-5]
 *   joint_spring   joint                            stiffness damping rest force_table damping_table
 *   cable          body_a body_b point_a point_b    stiffness damping rest
 *   end_stop       body_a body_b point_a point_b    stiffness damping lower upper
 *   stop           joint                            stiffness damping lower upper
 *   friction       joint                            damping friction slip
 *   motor          joint                            (none: ali3_set_command() gives the force)
 *   drive          joint                            offset speed amplitude frequency phase motion external max_rate
 *                                                   max_acceleration
 *   gear           joint joint_b                    ratio
 *   sphere_plane   body_a body_b point_a point_b    stiffness damping friction slip normal radius_b
 *   sphere_sphere  body_a body_b point_a point_b    stiffness damping friction slip radius_a radius_b
 *   hydraulic_cylinder  body_a body_b point_a point_b   damping bore rod retracted stroke dead_volume bulk_modulus leakage
 *                                                   supply tank flow flow_drop overlap lag pressure
 *   electric_motor  joint                           resistance inductance constant max_current max_voltage current
 *   brake          joint                            friction slip
 *   tyre           body_a body_b point_a point_b    stiffness damping normal radius_b axle rolling_radius load slip_stiffness
 *                                                   relaxation grip slip_damping shape curvature
 *
 * Here "stiffness" and "damping" mean element 0. */
typedef struct {
  const char *name; /* copied; unique among loads and forces */
  ali3_force_type type;
  /* Forces between two points. A contact has a point of the plane, or the centre of a sphere, as its point. */
  int body_a, body_b;            /* body index or ALI3_GROUND; different */
  double point_a[3], point_b[3]; /* m, in the frame of the body (of the world for the ground) */
  /* Forces on a joint. */
  int joint; /* a revolute or prismatic joint */
  /* N/m and N s/m, or N m/rad and N m s/rad; 0 or more. A bushing has three values along the axes of a, then three about them,
   * for the components of the rotation vector of b since the initial poses, for rotations below 180 degrees. friction: damping
   * is the viscous part. */
  double stiffness[6], damping[6];
  double rest; /* m or rad: coordinate of the slack spring; NaN: the coordinate in the initial poses */
  /* (coordinate - rest, N or N m) replaces the stiffness; (rate, N or N m) replaces the damping. The function is linear between
   * the points, and continues the first and last line beyond them. */
  ali3_table force_table, damping_table;
  double lower, upper; /* m or rad: limits of the coordinate; -INFINITY, INFINITY: no limit */
  double friction;     /* N or N m: Coulomb force; contacts: coefficient */
  double slip;         /* m/s or rad/s, above 0: Coulomb friction is friction v/sqrt(v^2 + slip^2) */
  /* Contacts. */
  double normal[3];          /* out of the plane, in the frame of a; any length above 0 */
  double radius_a, radius_b; /* m, above 0 */
  /* Gears: coordinate of `joint` = ratio * coordinate of `joint_b` + c, where c satisfies this in the initial poses. */
  int joint_b;
  double ratio; /* not 0; rad or m, as the joints have them */
  /* Drives prescribe the coordinate in one of three ways:
   *   - a function of time t: offset + speed t + amplitude sin(2 pi frequency t + phase);
   *   - the cubic spline through `motion` (s; rad or m), at rest at its ends, and constant before and after them;
   *   - external: the value of ali3_set_command(), approached within max_rate and max_acceleration from the coordinate in the
   *     initial poses. */
  double offset;                             /* rad or m; NaN: the coordinate in the initial poses */
  double speed, amplitude, frequency, phase; /* rad/s or m/s; rad or m; Hz; rad */
  ali3_table motion;
  bool external;
  double max_rate, max_acceleration; /* rad/s or m/s; rad/s^2 or m/s^2; above 0 */
  /* Hydraulic cylinders: chamber a drives the points apart, chamber b has the rod. All pressures are gauge pressures.
   *
   * The states of a cylinder are the volumes O of oil in its chambers, as they are at pressure 0. A chamber of the volume V has
   * the pressure E (O/V - 1), and never less than -1 bar: there the oil cavitates, and O stays. A valve of four edges lets oil
   * flow by Q = opening flow sqrt(drop/flow_drop), linear in the drop below flow_drop/100. ali3_set_command() gives the place of
   * the spool, limited to -1 .. 1. Above 0 the supply feeds a and b drains into the tank; below 0 the supply feeds b. */
  double bore, rod;         /* m: diameters of piston and rod; rod: 0 or more, and less than bore */
  double retracted, stroke; /* m, above 0: distance of the points with the rod in; travel of the piston */
  double dead_volume[2];    /* m^3, above 0: oil of chamber a and b beside the travel: ports, hoses */
  double bulk_modulus;      /* Pa, E */
  double leakage;           /* m^3/s/Pa, 0 or more: from chamber to chamber past the piston */
  double supply, tank;      /* Pa; the tank has 0 or more, and the supply at least as much */
  double flow, flow_drop;   /* m^3/s through an edge that is fully open, at this drop in Pa; above 0 */
  /* Part of the full command, between -0.9 and 0.9, after which an edge begins to open. Below 0 all four edges are open around
   * the command 0. */
  double overlap;
  double lag; /* s, 0 or more: time constant of the spool */
  /* Pa, -1e5 or more: chambers a and b at the start. Both NaN: as they hold the mechanism at rest */
  double pressure[2];
  /* Electric motors. The winding has a current i as its state: inductance i' = u - resistance i - constant w. The coordinate has
   * the rate w, and feels the torque or force constant i. ali3_set_command() gives the voltage u. A controller limits it to
   * max_voltage, and lowers it where the current would exceed max_current. */
  double resistance, inductance;   /* Ohm, H; 0 or more, and one of them above 0 */
  double constant;                 /* N m/A or N/A, which is V s/rad or V s/m; above 0 */
  double max_current, max_voltage; /* A, V; above 0; INFINITY: no limit */
  double current;                  /* A, at the start */
  /* A brake is a friction whose Coulomb force is what ali3_set_command() gives, limited to 0 .. friction.
   *
   * Tyres: point_b is the centre of a wheel on body b, which rolls on the plane of a. stiffness and damping are radial. The contact is
   * below the centre, at any camber. The tread has two deflections as its states, along the wheel and across it (elements 0
   * and 1). They fade while it rolls, so that the force approaches the magic formula
   *
   *   F_i = grip_i Fz sin(shape atan((1 - curvature) x + curvature atan(x))) s_i/s,   x = s/shape,   s = |(s_0, s_1)|
   *   s_i = slip_stiffness_i / grip_i times the slip -sliding_i/|rolling|
   *
   * over the way relaxation_i Fz/load, and they are springs of slip_stiffness_i load/relaxation_i while the wheel stands. Above, the
   * rolling is the speed of the wheel's centre, and the sliding that of the tread at rolling_radius. */
  double axle[3];        /* frame of b; any length above 0. axle x normal is forward */
  double rolling_radius; /* m, above 0; NaN: radius_b */
  double load;           /* N, above 0: the load that the wheel is made for */
  double
      slip_stiffness[2];   /* force by slip, or by the tangent of the angle of slip, over the load; above 0 */
  double relaxation[2];    /* m, above 0: relaxation length at that load */
  double grip[2];          /* largest friction over the load; above 0 */
  double slip_damping[2];  /* N s/m, 0 or more: of the deflections at that load */
  double shape, curvature; /* 1 .. 1.95; 1 or less */
} ali3_force_spec;

/* True for motor, drive, hydraulic_cylinder, electric_motor and brake, which can take a value from ali3_set_command(). A drive takes
 * one only if it is external. */
bool ali3_force_type_takes_command(ali3_force_type type);

/* Defaults for `type`: both bodies the ground, slip 1e-3, ratio 1, no limits, rest and offset from the initial poses; dead
 * volumes of 1e-4 m^3, a bulk modulus of 1.4e9 Pa, a flow_drop of 5e5 Pa, pressures that hold the mechanism, no
 * limits of current and voltage; the rolling radius of a tyre from its radius, a grip of 1, a shape of 1.5; every other field 0. */
ali3_force_spec ali3_force_spec_default(ali3_force_type type);

/* Sensors. A sensor does not change the motion. ali3_sensor_get() gives what a perfect one would show, and
 * ali3_sensor_read() what this one shows. */
#define ALI3_SENSOR_LIST(X)                                                                                  \
  X(ALI3_SENSOR_POINT, "point")         /* motion of a point */                                              \
  X(ALI3_SENSOR_POSE, "pose")           /* motion of a frame */                                              \
  X(ALI3_SENSOR_IMU, "imu")             /* specific force and angular velocity */                            \
  X(ALI3_SENSOR_DISTANCE, "distance")   /* distance of two points: LVDT, rope, laser */                      \
  X(ALI3_SENSOR_ANGLE, "angle")         /* angle of one body about an axis of another: inclinometer */       \
  X(ALI3_SENSOR_ENCODER, "encoder")     /* coordinate of a joint */                                          \
  X(ALI3_SENSOR_LOAD_CELL, "load_cell") /* force or torque of a force element */

typedef enum {
#define ALI3_SENSOR_ENUM(id, text) id,
  ALI3_SENSOR_LIST(ALI3_SENSOR_ENUM)
#undef ALI3_SENSOR_ENUM
      ALI3_SENSOR_TYPES
} ali3_sensor_type;

/* Name of a sensor type as in model files; NULL when out of range. */
const char *ali3_sensor_type_name(ali3_sensor_type type);
/* Numbers that a sensor of this type shows through its measuring chain: 6 for an imu, 0 for a point and a pose, else 1. */
int ali3_sensor_type_readings(ali3_sensor_type type);

/* A sensor uses the fields of its row and ignores all others:
 *
 *   type        fields
 *   point       body point
 *   pose        body point orientation
 *   imu         body point orientation, and the chain: element 0 for the specific force, element 1 for the angular velocity
 *   distance    body body_b point point_b, and the chain
 *   angle       body body_b axis start, and the chain
 *   encoder     joint, and the chain
 *   load_cell   force, and the chain
 *
 * The chain takes one sample at the end of each step. In this order it filters and delays the sample, scales it, adds bias and
 * noise, limits it, and rounds it to a multiple of the resolution. A chain whose fields are all 0 gives the exact value. At the start the filter and the delay hold
 * the first sample, as if the quantity had stood still before. */
typedef struct {
  const char *name; /* copied; unique among sensors */
  ali3_sensor_type type;
  int body;          /* body index; not the ground */
  int body_b;        /* another body, or ALI3_GROUND */
  double point[3];   /* m, frame of `body`: origin of the sensor */
  double point_b[3]; /* m, frame of `body_b` */
  /* Euler parameters, sensor axes to body axes. The norm must be 1 within 1e-3; the model normalises them. The type point
   * ignores them and has the axes of the body. */
  double orientation[4];
  double axis[3]; /* frame of `body_b`; any length above 0 */
  double start;   /* rad: the angle in the initial poses */
  int joint;      /* a revolute or prismatic joint */
  int force;      /* a force element other than a bushing */
  /* The chain. Elements 1 are for the angular velocity of an imu. */
  /* Hz, -3 dB of a Butterworth low-pass, which is exact for inputs that are linear within a step; 0: no filter */
  double cutoff;
  int filter_order; /* 1 or 2; 0 means 1 */
  double delay;     /* s, at most 4096 steps; values between two samples are interpolated */
  /* Standard deviation. The noise of two samples is independent, and at most 6 deviations. */
  double noise[2];
  double lower[2], upper[2]; /* the reading stays between them; equal: no limits */
  double resolution[2];      /* 0: continuous */
  int seed;                  /* another seed gives other noise; sensors of other names have other noise */
  int stuck; /* 0: no; 1: the reading keeps its last value; 2: it is stuck_at. An imu takes 0 and 1. */
  double stuck_at;
  /* Errors of the instrument. The sample is multiplied by 1 + scale_error, -1 to 1, and the bias is added. */
  double scale_error[2];
  double bias;                           /* an imu has the next two instead */
  double force_bias[3], angular_bias[3]; /* of each axis, m/s^2 and rad/s */
} ali3_sensor_spec;

/* Reason of the last refusal, as a sentence and in parts. */
typedef struct {
  ali3_status status;
  const char *element; /* "body", "joint", "load", "force", "sensor", "options", "model"; static string */
  const char *field;   /* key of the wrong field in model files, e.g. "inertia"; static string, or "" */
  char text[240];      /* one sentence: the value that was found and the value that was expected */
} ali3_problem;

/* Returns NULL when out of memory. */
ali3_model *ali3_model_new(void);
void ali3_model_free(ali3_model *m);

/* One line of text without control characters, copied; default "model". */
ali3_status ali3_model_set_name(ali3_model *m, const char *name);
/* m/s^2, world; default 0 0 0. ali3_model_gravity() does nothing if an argument is NULL. */
ali3_status ali3_model_set_gravity(ali3_model *m, const double gravity[3]);
void ali3_model_gravity(const ali3_model *m, double gravity[3]);

/* Each returns the index of the new element, or a negative status with the reason in ali3_model_problem(). A refused element
 * does not change the model. The model copies names and tables, so `spec` may go out of scope. */
int ali3_model_add_body(ali3_model *m, const ali3_body_spec *spec);
int ali3_model_add_joint(ali3_model *m, const ali3_joint_spec *spec);
int ali3_model_add_load(ali3_model *m, const ali3_load_spec *spec);
int ali3_model_add_force(ali3_model *m, const ali3_force_spec *spec);
int ali3_model_add_sensor(ali3_model *m, const ali3_sensor_spec *spec);

/* Sets ali3_joint_spec.dropped of a joint before freezing. ALI3_OK; ALI3_E_ARGUMENT: no such joint; ALI3_E_FROZEN; ALI3_E_MODEL:
 * the type of the joint does not have these rows. */
ali3_status ali3_model_drop_rows(ali3_model *m, int joint, unsigned dropped);

/* A law of the caller for the force of a spring_damper along the line between two points, or of a joint_spring on the coordinate
 * of a joint, such as a muscle or a cylinder. It replaces the stiffness, the damping and the tables of the spec. The
 * spec has its largest slopes as stiffness and damping: a reset judges by them whether the step is short enough for the force.
 *
 * force() returns the force, N or N m, at a coordinate minus its rest, m or rad, and at its rate; a positive force drives the
 * coordinate down. *stiffness and *damping are its derivatives by both; force() may leave them as they are (NaN): the step then
 * takes differences of two more calls each, which keep its order. Derivatives below 0 count as 0 in the factors, so that the
 * iterations converge more slowly there, as they do across a jump of the force. A law with memory of its own keeps it in
 * `context` and advances it between two steps, not in force(): a step calls force() in every iteration, also for states that it
 * then drops.
 *
 * energy() returns the energy that is stored at a coordinate, J, for ali3_energy_get(). NULL: none is stored. The method energy
 * needs three more calls of force(), and takes the mean of the force over the way.
 *
 * Both are part of a step: they may neither allocate nor lock nor call the system, they must take a bounded time, and they are
 * called from the threads that share a step. Equal arguments must give equal results. Two steps of two ali3_data may call them
 * at the same time. */
typedef struct {
  void *context; /* first argument of both; it must stay valid until the model is freed */
  double (*force)(void *context, double coordinate, double rate, double *stiffness, double *damping);
  double (*energy)(void *context, double coordinate);
} ali3_law;

/* Gives a force a law, before freezing. A saved state does not contain what `context` points to, and ali3_model_flat_write()
 * writes the stiffness and damping of the spec in place of the law. ALI3_OK; ALI3_E_ARGUMENT: a pointer is NULL, or there is no
 * such force; ALI3_E_FROZEN; ALI3_E_MODEL: forces of this type cannot have a law. */
ali3_status ali3_model_set_law(ali3_model *m, int force, const ali3_law *law);

/* Checks the mechanism as a whole, builds the assembly tree, and makes the model constant. options NULL:
 * ali3_options_default(). Returns ALI3_OK; ALI3_E_ARGUMENT if m is NULL; or another negative status with the reason in
 * ali3_model_problem(). */
ali3_status ali3_model_freeze(ali3_model *m, const ali3_options *options);

/* The reason of the last negative status of a call on this model. */
const ali3_problem *ali3_model_problem(const ali3_model *m);

const char *ali3_model_name(const ali3_model *m);
const ali3_options *ali3_model_options(const ali3_model *m);
int ali3_model_bodies(const ali3_model *m);
int ali3_model_joints(const ali3_model *m);
int ali3_model_loads(const ali3_model *m);
int ali3_model_forces(const ali3_model *m);
int ali3_model_sensors(const ali3_model *m);
int ali3_model_rows(const ali3_model *m); /* scalar equations of all joints and forces; 0 before freezing */
/* Estimate of the floating-point operations of one step in the assembly tree, from the sizes of its nodes. It counts the
 * factorisations and solves that the options demand, without those that a state may add, and without the evaluation of rows
 * and bodies. 0 before freezing. */
double ali3_model_flops(const ali3_model *m);
/* The unknowns of a step: ALI3_COORDINATES_JOINT, or ALI3_COORDINATES_BODY, also before freezing. */
ali3_coordinates ali3_model_coordinates(const ali3_model *m);
const char *ali3_model_body_name(const ali3_model *m, int body); /* ALI3_GROUND: "ground" */
const char *ali3_model_joint_name(const ali3_model *m, int joint);
const char *ali3_model_force_name(const ali3_model *m, int force);
ali3_force_type ali3_model_force_type(const ali3_model *m, int force);
/* True for a motor, a hydraulic_cylinder, an electric_motor, a brake and an external drive: ali3_set_command() has an effect on it. */
bool ali3_model_force_takes_command(const ali3_model *m, int force);
/* True if the coordinate of the force is an angle. */
bool ali3_model_force_turns(const ali3_model *m, int force);
const char *ali3_model_sensor_name(const ali3_model *m, int sensor);
ali3_sensor_type ali3_model_sensor_type(const ali3_model *m, int sensor);
ali3_joint_type ali3_model_joint_type(const ali3_model *m, int joint);
/* The spec of an element, with normalised axes and orientations. Names and tables belong to the model. Added to another model in
 * the same order, the specs give an equal model. */
ali3_body_spec ali3_model_body_spec(const ali3_model *m, int body);
ali3_joint_spec ali3_model_joint_spec(const ali3_model *m, int joint);
ali3_load_spec ali3_model_load_spec(const ali3_model *m, int load);
ali3_force_spec ali3_model_force_spec(const ali3_model *m, int force);
ali3_sensor_spec ali3_model_sensor_spec(const ali3_model *m, int sensor);
int ali3_model_find_body(const ali3_model *m,
                         const char *name); /* "ground": ALI3_GROUND; unknown: ALI3_NONE */
int ali3_model_find_joint(const ali3_model *m, const char *name);  /* unknown: ALI3_NONE */
int ali3_model_find_load(const ali3_model *m, const char *name);   /* unknown, or a force: ALI3_NONE */
int ali3_model_find_force(const ali3_model *m, const char *name);  /* unknown, or a load: ALI3_NONE */
int ali3_model_find_sensor(const ali3_model *m, const char *name); /* unknown: ALI3_NONE */

ALI3_END_DECLARATIONS
#endif
