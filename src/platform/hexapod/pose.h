/* SPDX-License-Identifier: MIT
 * Loop code, pure: conversion between the six numbers of a pose, with their derivatives, and the motion of a body.
 *
 * Angles are roll, pitch, yaw as in types.h. Angular velocities and accelerations are in platform axes, as a gyro on the platform
 * measures them. */
#ifndef HEXAPOD_POSE_H
#define HEXAPOD_POSE_H

#include "hexapod/types.h"

#include <stdbool.h>

/* R = Rz(yaw) Ry(pitch) Rx(roll): turns platform axes into base axes. */
void pose_rotation(double R[9], const double angle[3]);
/* R as in pose_rotation(), and the angular velocity in base axes from the rates of the angles; rate NULL: R only. */
void pose_attitude(double R[9], double w[3], const double angle[3], const double rate[3]);

/* Angular velocity w from the rates of the angles; angular acceleration wd from their rates and accelerations. */
void pose_spin(double w[3], const double angle[3], const double rate[3]);
void pose_spin_rate(double wd[3], const double angle[3], const double rate[3], const double acceleration[3]);

/* The inverse functions. At a pitch of 90 degrees roll and yaw coincide: from 87 degrees on the result is finite, but not
 * exact. */
void pose_angle_rates(double rate[3], const double angle[3], const double w[3]);
void pose_angle_accelerations(double acceleration[3], const double angle[3], const double rate[3],
                              const double wd[3]);

/* Angles of the orientation R, with a pitch from -90 to 90 degrees. */
void pose_angles_of(double angle[3], const double R[9]);
/* The orientation p relative to the neutral one (Euler parameters of any norm above 0). */
void pose_relative(double R[9], const double p[4], const double neutral[4]);
/* Angles of the orientation p relative to the neutral one (Euler parameters of any norm above 0). */
void pose_angles(double angle[3], const double p[4], const double neutral[4]);

/* Reading of an imu at `head` (m, platform axes) on a platform with motion m: specific force, in which gravity counts as an
 * upward acceleration, and angular velocity. */
void pose_felt(double force[3], double w[3], const struct platform_motion *m, const double head[3],
               double gravity);

/* The target angles for an orientation that moves without bounds, of a vehicle that turns, rolls and loops:
 *
 *   pitch   elevation of the x axis, from -90 to 90 degrees
 *   roll    follows on without a jump; beyond 90 degrees it leads back, so that a vehicle upside down has the roll 0
 *   yaw     goes on beyond 180 degrees
 *
 * These are the Euler angles of the orientation wherever roll and pitch are below 80 degrees, apart from whole turns of yaw. At a
 * pitch of 90 degrees Euler angles have no meaning: roll and yaw then stay, and follow on at ATTITUDE_MOST times the rate of the
 * rotation. No smooth rotation gives a step of an angle. */
#define ATTITUDE_MOST                                                                                        \
  6.0 /* largest rate of an angle relative to that of the rotation; 1 / cos 80.4 degrees */
#define ATTITUDE_LEAST                                                                                       \
  0.02 /* rad/s: rate of a rotation as which a slower one counts, so that the angles arrive */

struct attitude {
  bool known;
  double R[9];      /* rotation matrix at the last step */
  double roll, yaw; /* rad, unwrapped */
};

/* Result of a step. */
struct attitude_target {
  double angle[3];     /* rad: roll, pitch, yaw */
  double principal[3]; /* rad: the Euler angles, with a pitch from -90 to 90 degrees */
  double
      way; /* 1, or -1 beyond a roll of 90 degrees: the rate of the roll relative to that of the principal one */
  double lag[3]; /* rad/s: rate of an angle that does not follow exactly */
  bool lags;     /* roll and yaw have to catch up */
};

/* Takes the orientation R, as in pose_rotation(), at the end of a period (s). */
void attitude_step(struct attitude *a, const double R[9], double period, struct attitude_target *o);

#endif
