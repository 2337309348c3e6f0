/* SPDX-License-Identifier: MIT
 * The target of the state run, by mode: washout of an imu, a pose sensor as it is, or an input, smoothed.
 * RT. */
#ifndef PLATFORM_LIVE_H
#define PLATFORM_LIVE_H

#include "platform/filter.h"
#include "platform/types.h"
#include "platform/washout.h"

struct platform_input;

/* The numbers of a pose sensor: where each quantity begins. */
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
  struct filter smooth;                         /* of an input, for each coordinate */
  double w;                                     /* rad/s, of that filter */
  double state[PLATFORM_DOF][2];                /* likewise: value, rate */
  double held[PLATFORM_DOF];                    /* the last finite input */
  struct platform_motion last;                  /* the last finite one of the pose sensor */
  double zero_position[3], zero_orientation[4]; /* of that sensor, in the initial state of the model */
  double
      beyond[PLATFORM_DOF]; /* of the washout: back to where it may wind up, from where it was wanted last */
  bool zeroed, bad;         /* bad: not a number came in the last step */
};

/* Set-up. */
void live_init(struct live *l, const struct platform_params *params, double period, const double head[3],
               double gravity);
/* From the next step on. */
void live_tune(struct live *l, const struct platform_params *params, double period);
/* The model is in its initial state: the pose sensor reads neutral there. False if what it reads is no pose:
 * then it is to be asked again. */
bool live_zero(struct live *l, const struct platform_input *in);
/* Filters begin anew, at rest: at neutral, those of an input where it is. */
void live_reset(struct live *l, const struct platform_input *in);
/* The target for the end of the cycle; that of the washout bends before it comes to the limits of position.
 * excess: of the last step, what could be reached less the target. */
void live_step(struct live *l, enum platform_mode mode, const struct platform_input *in,
               const double limit[PLATFORM_DOF], const double excess[PLATFORM_DOF],
               struct platform_motion *target);

#endif
