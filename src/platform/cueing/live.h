/* SPDX-License-Identifier: MIT
 * The target of the state run, by mode: washout of an imu, a pose sensor, or a smoothed input. RT. */
#ifndef CUEING_LIVE_H
#define CUEING_LIVE_H

#include "cueing/filter.h"
#include "cueing/room.h"
#include "cueing/washout.h"
#include "hexapod/hexapod.h"
#include "hexapod/pose.h"
#include "hexapod/types.h"

/* First index of each quantity in the numbers of a pose sensor. */
enum {
  SENSOR_POSITION = 0,
  SENSOR_ORIENTATION = 3,
  SENSOR_VELOCITY = 7,
  SENSOR_SPIN = 10,
  SENSOR_ACCELERATION = 13,
  SENSOR_SPIN_RATE = 16,
  SENSOR_NUMBERS = 19
};

struct live {
  struct washout washout;
  struct room room;                             /* for the travel of the washout */
  struct filter smooth;                         /* low-pass of an input, one for each coordinate */
  double w;                                     /* rad/s, its natural frequency */
  double state[PLATFORM_DOF][2];                /* its states: value, rate */
  double held[PLATFORM_DOF];                    /* last finite input */
  struct platform_motion last;                  /* last finite motion of the pose sensor */
  struct attitude attitude;                     /* of pose and external */
  bool washes_heading;                          /* their yaw returns to 0 */
  double heading, heading_from;                 /* rad: yaw after its washout; yaw of the last step */
  double zero_position[3], zero_orientation[4]; /* pose sensor in the initial state of the model */
  double
      beyond[PLATFORM_DOF]; /* offset from the last target of the washout back to the limit of its wind-up */
  double rot_wn;            /* rad/s, corner of the washout of the heading */
  double period, ride_ramp, ramped; /* s, s; fraction of the ramp that is over */
  bool zeroed, bad;                 /* bad: the last step got NaN or infinity */
};

/* Set-up. */
void live_init(struct live *l, const struct platform_params *params, double period, const double head[3],
               double gravity);
/* Changes the parameters from the next step on. */
void live_tune(struct live *l, const struct platform_params *params, double period);
/* The model is in its initial state: the present reading of the pose sensor becomes neutral. False if the reading is not a pose;
 * the caller then tries again. */
bool live_zero(struct live *l, const struct platform_input *in);
/* Resets the filters to rest at neutral; the filters of an input to rest at its value. */
void live_reset(struct live *l, const struct platform_input *in);
/* Target for the end of the cycle. The travel of the washout yields in time to the ends of the legs and coordinates, and its
 * target bends before it reaches the limits of position. excess: reachable target minus target in the last step. */
void live_step(struct live *l, enum platform_mode mode, const struct platform_input *in,
               const struct hexapod *h, const double limit[PLATFORM_DOF], const double excess[PLATFORM_DOF],
               struct platform_motion *target);

#endif
