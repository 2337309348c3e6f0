/* SPDX-License-Identifier: MIT
 * Loop code, pure: conversion between the six numbers of a pose, with their derivatives, and the motion of a body.
 *
 * Angles are roll, pitch, yaw as in types.h. Angular velocities and accelerations are in platform axes, as a gyro on the platform
 * measures them. */
#ifndef PLATFORM_POSE_H
#define PLATFORM_POSE_H

#include "platform/types.h"

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

/* Angles of the orientation p relative to the neutral one (Euler parameters of any norm above 0). */
void pose_angles(double angle[3], const double p[4], const double neutral[4]);

/* Reading of an imu at `head` (m, platform axes) on a platform with motion m: specific force, in which gravity counts as an
 * upward acceleration, and angular velocity. */
void pose_felt(double force[3], double w[3], const struct platform_motion *m, const double head[3],
               double gravity);

#endif
