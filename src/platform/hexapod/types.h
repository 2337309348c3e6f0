/* SPDX-License-Identifier: MIT
 * Types that the parts of the platform block share: poses, parameters, geometry.
 *
 * Frames: x forward, y left, z up. The origin of the platform's frame is the reference point of motion. A pose is the pose of
 * this frame in the base frame, less the height at neutral: surge, sway, heave (m) along the axes of the base, and roll, pitch,
 * yaw (rad), Euler angles ZYX. R = Rz(yaw) Ry(pitch) Rx(roll) turns platform axes into base axes. Positive pitch turns about y,
 * nose down. Velocities and accelerations of a pose are the derivatives of these six numbers. */
#ifndef HEXAPOD_TYPES_H
#define HEXAPOD_TYPES_H

#include <stdbool.h>

enum { PLATFORM_DOF = 6, PLATFORM_LEGS = 6 };

extern const char *const platform_coordinate_name[PLATFORM_DOF]; /* "surge" to "yaw" */

/* Six coordinates with rates and accelerations: m and rad, per s, per s^2. */
struct platform_motion {
  double p[PLATFORM_DOF], v[PLATFORM_DOF], a[PLATFORM_DOF];
};

/* Sources of the target. */
#define PLATFORM_MODE_LIST(X)                                                                                \
  X(PLATFORM_POSE, "pose")         /* a pose sensor of the model */                                          \
  X(PLATFORM_WASHOUT, "washout")   /* an imu of the model, through the classical washout */                  \
  X(PLATFORM_EXTERNAL, "external") /* an input */
enum platform_mode {
#define PLATFORM_ENUM(id, text) id,
  PLATFORM_MODE_LIST(PLATFORM_ENUM)
#undef PLATFORM_ENUM
};

/* Parameters that may change while the platform moves: field, count of numbers, unit, least, greatest, default (as in a file).
 * The struct holds them in these units; platform code converts them to SI once, when it adopts them. */
#define PLATFORM_PARAM_LIST(X)                                                                               \
  X(gain_lin, 3, "", 0, 1.5, "0.44 0.44 0.5")                                                                \
  X(gain_rot, 3, "", 0, 1.5, "0.6 0.6 0.6")                                                                  \
  X(in_limit_lin, 3, "m/s^2", 0.1, 100, "10 10 10")                                                          \
  X(in_limit_rot, 3, "rad/s", 0.01, 10, "1 1 1")                                                             \
  X(hp_wn, 3, "rad/s", 0.2, 6, "2.5 2.5 3")                                                                  \
  X(hp_zeta, 1, "", 0.3, 2, "1")                                                                             \
  X(hp_wb, 3, "rad/s", 0, 2, "0 0 0.3")                                                                      \
  X(lp_wn, 1, "rad/s", 0.2, 30, "5")                                                                         \
  X(lp_zeta, 1, "", 0.3, 2, "1")                                                                             \
  X(rot_wn, 1, "rad/s", 0.2, 3, "1")                                                                         \
  X(rot_zeta, 1, "", 0.3, 2, "1")                                                                            \
  X(tilt_rate, 1, "deg/s", 0.1, 20, "3")                                                                     \
  X(tilt_acc, 1, "deg/s^2", 1, 1000, "8")                                                                    \
  X(tilt_jerk, 1, "deg/s^3", 5, 100000, "80")                                                                \
  X(tilt_max, 1, "deg", 0, 40, "10")                                                                         \
  X(knee, 1, "", 0.1, 1, "0.8")                                                                              \
  X(pos_max, 3, "m", 0.001, 10, "0.2 0.2 0.15")                                                              \
  X(ang_max, 3, "deg", 0.1, 80, "18 18 20")                                                                  \
  X(vel_max, 3, "m/s", 0.001, 10, "0.4 0.4 0.3")                                                             \
  X(ang_vel_max, 3, "deg/s", 0.1, 500, "30 30 40")                                                           \
  X(acc_max, 3, "m/s^2", 0.01, 100, "4 4 4")                                                                 \
  X(ang_acc_max, 3, "deg/s^2", 1, 10000, "300 300 300")                                                      \
  X(jerk_max, 3, "m/s^3", 0.1, 10000, "100 100 100")                                                         \
  X(ang_jerk_max, 3, "deg/s^3", 10, 1000000, "6000 6000 6000")                                               \
  X(engage_time, 1, "s", 2, 30, "5")                                                                         \
  X(park_time, 1, "s", 2, 30, "5")                                                                           \
  X(fault_time, 1, "s", 0.5, 30, "1")                                                                        \
  X(blend, 1, "s", 0.1, 10, "1")                                                                             \
  X(smooth_hz, 1, "Hz", 1, 50, "10")                                                                         \
  X(ride_ramp, 1, "s", 0, 120, "0")
struct platform_params {
#define PLATFORM_FIELD(name, count, unit, least, greatest, text) double name[count];
  PLATFORM_PARAM_LIST(PLATFORM_FIELD)
#undef PLATFORM_FIELD
};

/* Limits of the magnitude of each coordinate and of its derivatives, SI. */
struct platform_limits {
  double pos[PLATFORM_DOF], vel[PLATFORM_DOF], acc[PLATFORM_DOF], jerk[PLATFORM_DOF];
};

/* Six legs that change their length (m), or six cranks that turn (rad), each with a rod of constant
 * length. */
struct platform_geometry {
  bool crank;
  double base[PLATFORM_LEGS][3];   /* m, base frame: joints of the legs, centres of the cranks' axes */
  double top[PLATFORM_LEGS][3];    /* m, platform frame: joints */
  double height;                   /* m, height of the platform's frame above the base frame at neutral */
  double crank_length, rod_length; /* m */
  /* rad, about z of the base: direction of a crank at the angle 0. A positive angle turns it up. */
  double crank_heading[PLATFORM_LEGS];
  double leg_min, leg_max; /* m or rad, for each leg or crank */
  double leg_rate;         /* m/s or rad/s */
  double joint_max;        /* rad, largest angle of a joint from its direction at neutral */
  double margin;           /* smallest determinant of the Jacobian, relative to its value at neutral */
};

/* Orders to the platform, each from some states of the daemon. */
enum platform_request {
  PLATFORM_TO_PARK,    /* INIT, STOPPED, EXIT */
  PLATFORM_TO_NEUTRAL, /* READY */
  PLATFORM_TO_RUN,     /* RUNNING */
  PLATFORM_TO_FREEZE,  /* PAUSED */
  PLATFORM_TO_FAULT,   /* FAULT: neutral, then park */
  PLATFORM_TO_JOG,     /* STOPPED, while a person jogs */
  PLATFORM_TO_SAFE,    /* SAFE: park, after braking at the limits */
};
/* True if a moving platform brakes at its limits for this request. For any other one it comes to rest softly first. */
static inline bool platform_request_brakes(enum platform_request request)
{
  return request == PLATFORM_TO_FREEZE || request == PLATFORM_TO_FAULT || request == PLATFORM_TO_SAFE;
}

/* Input of one cycle. */
struct platform_input {
  enum platform_request request;
  bool restart;             /* the model was reset since the last step */
  double specific_force[3]; /* m/s^2, of the imu in its own axes: x forward, y left, z up; 0 0 9.81 at rest */
  double angular_velocity[3]; /* rad/s */
  const double *sensor;       /* the 19 numbers of the pose sensor; NULL: no sensor */
  double external[PLATFORM_DOF];
  const struct platform_motion
      *jog; /* PLATFORM_TO_JOG: target at the end of the cycle; NULL: hold the pose */
};

#endif
