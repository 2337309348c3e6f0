/* SPDX-License-Identifier: MIT
 * What the parts of the platform block share: poses, parameters, geometry.
 *
 * Frames: x forward, y left, z up. The pose of the platform is that of its frame (whose origin is the
 * reference point of motion) in the base frame, less the height at neutral: surge, sway, heave (m) along the
 * axes of the base, and roll, pitch, yaw (rad), the Euler angles ZYX: R = Rz(yaw) Ry(pitch) Rx(roll) turns
 * platform axes into base axes. Pitch is positive nose down, as it turns about y. Velocities and
 * accelerations of a pose are the derivatives of these six numbers. */
#ifndef PLATFORM_TYPES_H
#define PLATFORM_TYPES_H

#include <stdbool.h>

enum { PLATFORM_DOF = 6, PLATFORM_LEGS = 6 };

extern const char *const platform_coordinate_name[PLATFORM_DOF]; /* "surge" to "yaw" */

/* Six coordinates that move: m and rad, and per s, per s^2. */
struct platform_motion {
  double p[PLATFORM_DOF], v[PLATFORM_DOF], a[PLATFORM_DOF];
};

/* What the target of the motion is made from. */
#define PLATFORM_MODE_LIST(X)                                                                                \
  X(PLATFORM_POSE, "pose")         /* a pose sensor of the model, as it is */                                \
  X(PLATFORM_WASHOUT, "washout")   /* an imu of the model, through the classical washout */                  \
  X(PLATFORM_EXTERNAL, "external") /* an input */
enum platform_mode {
#define PLATFORM_ENUM(id, text) id,
  PLATFORM_MODE_LIST(PLATFORM_ENUM)
#undef PLATFORM_ENUM
};

/* Parameters that may change while the platform moves: field, numbers, unit, least, greatest, default (as
 * written in a file). In the units of this list: platform code turns them into SI once, when they are
 * adopted. */
#define PLATFORM_PARAM_LIST(X)                                                                               \
  X(gain_lin, 3, "", 0, 1.5, "0.5 0.5 0.5")                                                                  \
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
  X(tilt_acc, 1, "deg/s^2", 1, 1000, "30")                                                                   \
  X(tilt_max, 1, "deg", 0, 40, "10")                                                                         \
  X(knee, 1, "", 0.1, 1, "0.6")                                                                              \
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
  X(smooth_hz, 1, "Hz", 1, 50, "10")
struct platform_params {
#define PLATFORM_FIELD(name, count, unit, least, greatest, text) double name[count];
  PLATFORM_PARAM_LIST(PLATFORM_FIELD)
#undef PLATFORM_FIELD
};

/* SI, by coordinate: each is kept within plus and minus this. */
struct platform_limits {
  double pos[PLATFORM_DOF], vel[PLATFORM_DOF], acc[PLATFORM_DOF], jerk[PLATFORM_DOF];
};

/* Six legs that change their length (m), or six cranks that turn (rad), each with a rod of constant
 * length. */
struct platform_geometry {
  bool crank;
  double base[PLATFORM_LEGS][3];   /* m, joints in the base frame; of cranks their axes' centres */
  double top[PLATFORM_LEGS][3];    /* m, joints in the platform frame */
  double height;                   /* m, of the platform's frame above that of the base at neutral */
  double crank_length, rod_length; /* m */
  double crank_heading
      [PLATFORM_LEGS];     /* rad, about z of the base: where a crank points at the angle 0; positive: up */
  double leg_min, leg_max; /* m or rad: of each leg or crank */
  double leg_rate;         /* m/s or rad/s */
  double joint_max;        /* rad, largest angle of a joint from where it stands at neutral */
  double margin;           /* least determinant of the Jacobian, as a part of that at neutral */
};

#endif
