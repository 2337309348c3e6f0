/* SPDX-License-Identifier: MIT
 * The figures of a motion platform for commissioning: legs, travel, rates, angles of joints. Set-up only, pure. */
#ifndef RIG_SURVEY_H
#define RIG_SURVEY_H

#include "platform/platform.h"

/* The legs at one pose. */
struct survey_pose {
  double pose[PLATFORM_DOF];   /* m, rad */
  double leg[PLATFORM_LEGS];   /* m or rad */
  double joint[PLATFORM_LEGS]; /* rad, largest angle of a joint of the leg from neutral */
  double margin;
  bool reached; /* within the limits of legs, joints and margin */
};

/* One coordinate alone, the others at neutral. */
struct survey_axis {
  double low, high;        /* m or rad: as far as the legs allow, beyond the limits of the parameters too */
  double limit;            /* limit of the parameters in both directions */
  double rate, rate_limit; /* per s: as leg_rate allows at neutral; limit of the parameters */
  double
      leg_acceleration; /* m/s^2 or rad/s^2: of the busiest leg at neutral, with the acceleration of the parameters */
};

enum { SURVEY_PAIRS = PLATFORM_DOF * (PLATFORM_DOF - 1) / 2 };
/* Two coordinates together. */
struct survey_pair {
  int a, b;
  double
      part; /* all four corners reach this part of the travels alone, clipped to the limits; 1: all of it */
};

struct survey {
  struct survey_pose neutral, park, low, high; /* low, high: heave alone at the end of its travel */
  struct survey_axis axis[PLATFORM_DOF];
  struct survey_pair pair[SURVEY_PAIRS];
};

/* The platform was initialised. */
void survey_make(struct survey *s, const struct platform *p);

#endif
