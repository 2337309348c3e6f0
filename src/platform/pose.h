/* SPDX-License-Identifier: MIT
 * Loop code, pure: what the six numbers of a pose and their derivatives mean for a body.
 *
 * Angles are roll, pitch, yaw as in types.h. Angular velocities and accelerations are in the axes of the
 * platform, as a gyro on it shows them. */
#ifndef PLATFORM_POSE_H
#define PLATFORM_POSE_H

#include "platform/types.h"

/* R = Rz(yaw) Ry(pitch) Rx(roll): turns platform axes into base axes. */
void pose_rotation(double R[9], const double angle[3]);
/* Likewise, and the angular velocity in base axes from the rates of the angles; rate NULL: not that. */
void pose_attitude(double R[9], double w[3], const double angle[3], const double rate[3]);

/* Angular velocity w from the rates of the angles, and the angular acceleration from these and their
 * accelerations. */
void pose_spin(double w[3], const double angle[3], const double rate[3]);
void pose_spin_rate(double wd[3], const double angle[3], const double rate[3], const double acceleration[3]);

/* And back. Near a pitch of a quarter turn roll and yaw are one: from 87 degrees on what comes out is finite,
 * not exact. */
void pose_angle_rates(double rate[3], const double angle[3], const double w[3]);
void pose_angle_accelerations(double acceleration[3], const double angle[3], const double rate[3],
                              const double wd[3]);

/* Angles of the orientation p (Euler parameters, of any length but 0) as seen from the neutral one. */
void pose_angles(double angle[3], const double p[4], const double neutral[4]);

/* What an imu at `head` (m, platform axes) on a platform that moves so would show: specific force, where
 * gravity counts as an acceleration upwards, and angular velocity. */
void pose_felt(double force[3], double w[3], const struct platform_motion *m, const double head[3],
               double gravity);

#endif
