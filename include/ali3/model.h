/* SPDX-License-Identifier: MIT
 * The model of a mechanism: bodies, joints, loads, sensors. Built element by element, checked, then frozen.
 *
 * A frozen model is constant: any number of threads may read it, any number of ali3_data may run on it.
 * Everything in this header belongs to set-up: it may allocate, and is not real-time safe. SI units.
 *
 * Arguments are checked. Calls that return a status refuse NULL by ALI3_E_ARGUMENT. Where an index is out of range or the
 * model is NULL, names are NULL, types are the number of types (ALI3_JOINT_TYPES, ..), counts are 0, and answers are
 * false. */
#ifndef ALI3_MODEL_H
#define ALI3_MODEL_H

#include <ali3/status.h>
#include <stdbool.h>
#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ALI3_GROUND (-1) /* index of the world, wherever a body index is asked for */

typedef struct ali3_model ali3_model;

/* What a joint holds; ali3d.yaml(5) has the table of rows. */
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
/* True if the type uses axis_a, axis_b respectively. */
bool ali3_joint_type_has_axis_a(ali3_joint_type type);
bool ali3_joint_type_has_axis_b(ali3_joint_type type);

typedef struct {
  const char *name; /* copied; [A-Za-z0-9_-]+, unique among bodies, not "ground" */
  /* 0 or more. What has no mass, or no inertia about an axis, must be held there: by joints, springs, dampers */
  double mass;           /* kg */
  double inertia[9];     /* kg m^2, row by row, about the centre of mass, body axes; symmetric */
  double position[3];    /* m, centre of mass, world */
  double orientation[4]; /* Euler parameters e0 e1 e2 e3, body to world; normalised on entry (within 1e-3) */
  double velocity[3];    /* m/s, world */
  double angular_velocity[3]; /* rad/s, body axes */
} ali3_body_spec;

typedef struct {
  const char *name; /* copied; unique among joints */
  ali3_joint_type type;
  int body_a, body_b;            /* body index or ALI3_GROUND; different */
  double point_a[3], point_b[3]; /* m, in the frame of the body (of the world for the ground) */
  double axis_a[3], axis_b[3];   /* likewise; normalised on entry; ignored where the type has none */
  double length;                 /* m, distance joint; 0: the initial distance */
  double
      relative_orientation[4]; /* Euler parameters of b in a, fixed and prismatic; all 0: as at the start */
  /* Revolute (rad, full turns counted) and prismatic (m): what the coordinate of the joint is in the poses that the model
   * gives, however its points are given. The angle grows as b turns about axis a by the right-hand rule, the distance as
   * point b moves along axis a. A reset that moves the bodies changes the coordinate by as much. */
  double position;
} ali3_joint_spec;

typedef enum { ALI3_LOAD_FORCE, ALI3_LOAD_TORQUE } ali3_load_type;

typedef struct {
  const char *name; /* copied; unique among loads and forces; NULL: none */
  ali3_load_type type;
  int body;
  double vector[3]; /* N or N m; constant, unless ali3_set_load_vector() changes it */
  double point[3];  /* m, body frame; where a force acts, turns with the body; ignored for a torque */
  bool body_axes;   /* vector is in the axes of the body and turns with it; else in those of the world */
} ali3_load_spec;

/* Connections beside the joints. All are implicit in the step: a stiff one neither needs a shorter step nor
 * shifts the static deflection. */
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
  X(ALI3_FORCE_SPHERE_SPHERE, "sphere_sphere") /* likewise of two spheres */

typedef enum {
#define ALI3_FORCE_ENUM(id, text) id,
  ALI3_FORCE_LIST(ALI3_FORCE_ENUM)
#undef ALI3_FORCE_ENUM
      ALI3_FORCE_TYPES
} ali3_force_type;

/* Name of a force type as in model files; NULL when out of range. */
const char *ali3_force_type_name(ali3_force_type type);
/* True if it acts on the coordinate of a joint, revolute or prismatic, and not between two points. */
bool ali3_force_type_on_joint(ali3_force_type type);
/* True for the contacts. */
bool ali3_force_type_is_contact(ali3_force_type type);

/* A function given by points: (n) pairs, first column rising. Copied. */
typedef struct {
  int n; /* 0: none; else 2 or more */
  const double (*point)[2];
} ali3_table;

/* "Coordinate": the distance of the two points of spring_damper, cable, end_stop (m); the coordinate of the
 * joint (rad or m, ali3_joint_spec.position at the start); the gap of a contact (m). A force is positive where it drives the coordinate down. */
typedef struct {
  const char *name; /* copied; unique among loads and forces */
  ali3_force_type type;
  /* those between bodies */
  int body_a, body_b; /* body index or ALI3_GROUND; different */
  double point_a[3],
      point_b[3]; /* m, in the frame of the body (of the world for the ground); contacts: a point
                                    of the plane, the centre of a sphere */
  /* those on joints */
  int joint; /* a revolute or prismatic joint */
  /* N/m, N s/m or N m/rad, N m s/rad, >= 0. Bushing: along the axes of a, then about them (rotations up to
   * some 20 degrees). All others: element 0; friction: damping is the viscous part. */
  double stiffness[6], damping[6];
  double rest; /* spring_damper, joint_spring, cable: where it is slack; NaN: as at the start */
  ali3_table
      force_table; /* spring_damper, joint_spring: (coordinate - rest, N or N m) in place of the stiffness; */
  ali3_table
      damping_table;   /* (rate, N or N m) in place of the damping; lines between points and beyond them */
  double lower, upper; /* stop, end_stop: limits of the coordinate, -+INFINITY: none */
  double friction;     /* friction: Coulomb force, N or N m; contacts: coefficient */
  double slip;         /* m/s or rad/s, > 0: Coulomb friction is friction v/sqrt(v^2 + slip^2) */
  /* contacts */
  double normal[3];          /* sphere_plane: out of the plane, frame of a */
  double radius_a, radius_b; /* m, > 0; radius_a: sphere_sphere */
  /* gear: coordinate of `joint` = ratio * coordinate of `joint_b` + what it is at the start */
  int joint_b;
  double ratio; /* not 0; rad, m as the joints have it */
  /* drive, function of time: offset + speed t + amplitude sin(2 pi frequency t + phase), or the cubic spline
   * through `motion` (s, rad or m), at rest at its ends and held beyond them, or, if external, what
   * ali3_set_value() asks for, approached within the limits from where it stands at the start */
  double offset;                             /* rad or m; NaN: as at the start */
  double speed, amplitude, frequency, phase; /* per s; rad or m; Hz; rad */
  ali3_table motion;
  bool external;
  double max_rate, max_acceleration; /* per s, per s^2; > 0 if external */
} ali3_force_spec;

/* True if it takes a value from outside, ali3_set_value(): motor and drive. */
bool ali3_force_type_takes_value(ali3_force_type type);

/* Fields at which no type but its own looks, slip 1e-3 and no limits: rest and offset as at the start. */
ali3_force_spec ali3_force_spec_default(ali3_force_type type);
/* A place on a body at which the motion is read (ali3_sensor_get). It changes nothing in the motion. */
#define ALI3_SENSOR_LIST(X)                                                                                  \
  X(ALI3_SENSOR_POINT, "point") /* motion of a point */                                                      \
  X(ALI3_SENSOR_POSE, "pose")   /* motion of a frame */                                                      \
  X(ALI3_SENSOR_IMU, "imu")     /* specific force and angular velocity */

typedef enum {
#define ALI3_SENSOR_ENUM(id, text) id,
  ALI3_SENSOR_LIST(ALI3_SENSOR_ENUM)
#undef ALI3_SENSOR_ENUM
      ALI3_SENSOR_TYPES
} ali3_sensor_type;

/* Name of a sensor type as in model files; NULL when out of range. */
const char *ali3_sensor_type_name(ali3_sensor_type type);

typedef struct {
  const char *name; /* copied; unique among sensors */
  ali3_sensor_type type;
  int body;              /* body index; not the ground */
  double point[3];       /* m, where it is mounted, body frame */
  double orientation[4]; /* Euler parameters, sensor axes to body axes; normalised on entry (within 1e-3);
                            ignored for a point, which has the axes of the body */
} ali3_sensor_spec;

typedef struct {
  double dt;      /* s, step length; > 0 */
  int iterations; /* Newton iterations per step, fixed; 1 .. 100 */
  double
      alpha; /* penalty of every rigid row in absolute terms, as in the papers; 0: use compliance. Below some
                        1e3 times 4 m/dt^2 of the inner step the iterations converge slowly, or not at all */
  double compliance; /* of a rigid row, relative to the row's own entry of J delta J^T; 0 < .. < 1 */
  int substeps;      /* equal inner steps that make up one step; 1 .. 1000 */
  bool interpolate; /* what comes from outside moves in a straight line over the substeps, from what it was in
                        the last step; else it is held */
  bool extrapolate; /* each inner step combines one of dt, two of dt/2 and three of dt/3: six times the work,
                        order four in place of two. Where a spring swings in fewer than four steps a period, or a law
                        jumps in the step, the three of dt/3 alone count */
  double
      gamma; /* of the Newmark formulas: 0.5 the trapezoidal rule, of second order and without damping; above,
                up to 1.5, stiff modes die out by (1.5 - gamma)/(0.5 + gamma) a step, and the order is one */
  double beta; /* gamma/2 .. 2; 0: (gamma + 1/2)^2 / 4 */
  /* How far a reset may move the centre of mass of a body (m), and turn a body (rad), to close joints that are open in
   * the poses of the model. INFINITY: any distance or angle. 0: 2 degrees, and 0.005 m or a twentieth of the size of
   * the mechanism, whichever is less; freezing puts the value in. The size is the longest lever arm from a centre of
   * mass to a connection. */
  double assembly_position, assembly_angle;
  double
      violation; /* a rigid row that is open by more than this part of the size of the mechanism, or rad, makes a
                       step fail with ALI3_E_VIOLATED; 1e-5 .. 1e6, or 0: no limit */
  char isa[12]; /* instruction set to compute with: baseline, on x86-64 avx2, avx512; empty: the best that the
                   machine has. Results of two differ by rounding */
} ali3_options;

/* dt 0.01, iterations 3, alpha 0, compliance 4e-9, substeps 1, extrapolate false, gamma 0.5, beta 0, assembly_position and
 * assembly_angle 0, violation 0.1, isa empty */
ali3_options ali3_options_default(void);

/* What was wrong with the element last refused, in words and in parts. */
typedef struct {
  int status;
  const char *element; /* "body", "joint", "load", "force", "sensor", "options", "model"; static string */
  const char *field; /* what is wrong, by its key in model files, e.g. "inertia"; static string, "" if none */
  char text[240];    /* one sentence: what was expected, what was found */
} ali3_problem;

/* Returns NULL when out of memory. */
ali3_model *ali3_model_new(void);
void ali3_model_free(ali3_model *m);

/* One line of text without control characters, copied; default "model". */
int ali3_model_set_name(ali3_model *m, const char *name);
int ali3_model_set_gravity(ali3_model *m, const double gravity[3]); /* m/s^2, world; default 0 */
void ali3_model_gravity(const ali3_model *m, double gravity[3]);    /* likewise */

/* Each returns the index of the new element, or a negative status, the reason in ali3_model_problem().
 * A refused element leaves the model as it was. */
int ali3_model_add_body(ali3_model *m, const ali3_body_spec *spec);
int ali3_model_add_joint(ali3_model *m, const ali3_joint_spec *spec);
int ali3_model_add_load(ali3_model *m, const ali3_load_spec *spec);
int ali3_model_add_force(ali3_model *m, const ali3_force_spec *spec);
int ali3_model_add_sensor(ali3_model *m, const ali3_sensor_spec *spec);

/* Checks the whole, builds the assembly tree, and makes the model constant. options NULL: ali3_options_default().
 * Returns ALI3_OK or a negative status: ALI3_E_ARGUMENT where m is NULL. */
int ali3_model_freeze(ali3_model *m, const ali3_options *options);

/* The reason of the last negative status of a call on this model. */
const ali3_problem *ali3_model_problem(const ali3_model *m);

const char *ali3_model_name(const ali3_model *m);
const ali3_options *ali3_model_options(const ali3_model *m);
int ali3_model_bodies(const ali3_model *m);
int ali3_model_joints(const ali3_model *m);
int ali3_model_loads(const ali3_model *m);
int ali3_model_forces(const ali3_model *m);
int ali3_model_sensors(const ali3_model *m);
int ali3_model_rows(const ali3_model *m); /* of a frozen model */
/* Floating-point operations of one step in the assembly tree, an estimate from the sizes of its nodes: all
 * factorisations and solves that the options ask for, but none that a state may add. Rows and bodies are not
 * counted. Of a frozen model; else 0. */
double ali3_model_flops(const ali3_model *m);
const char *ali3_model_body_name(const ali3_model *m, int body); /* ALI3_GROUND: "ground" */
const char *ali3_model_joint_name(const ali3_model *m, int joint);
const char *ali3_model_force_name(const ali3_model *m, int force);
ali3_force_type ali3_model_force_type(const ali3_model *m, int force);
/* ali3_set_value() means something to it: a motor, or a drive that is led from outside. */
bool ali3_model_force_takes_value(const ali3_model *m, int force);
bool ali3_model_force_turns(const ali3_model *m, int force); /* its coordinate is an angle */
const char *ali3_model_sensor_name(const ali3_model *m, int sensor);
ali3_sensor_type ali3_model_sensor_type(const ali3_model *m, int sensor);
ali3_joint_type ali3_model_joint_type(const ali3_model *m, int joint);
int ali3_model_find_body(const ali3_model *m, const char *name);   /* "ground": ALI3_GROUND; unknown: -2 */
int ali3_model_find_joint(const ali3_model *m, const char *name);  /* unknown: -2 */
int ali3_model_find_load(const ali3_model *m, const char *name);   /* unknown, or a force: -2 */
int ali3_model_find_force(const ali3_model *m, const char *name);  /* unknown, or a load: -2 */
int ali3_model_find_sensor(const ali3_model *m, const char *name); /* unknown: -2 */

#ifdef __cplusplus
}
#endif
#endif
