/* SPDX-License-Identifier: MIT
 * What the states of every actuator begin with. */
#ifndef ACTUATORS_ACTUATOR_H
#define ACTUATORS_ACTUATOR_H

enum actuator_state {
  ACTUATOR_SUPPLIED, /* J, from outside since the reset */
  ACTUATOR_LOST,     /* J, since the reset */
  ACTUATOR_STATES    /* those of its own follow */
};

/* Actuators step their states by a method of two implicit stages at STAGE and 1 of the step (Alexander's SDIRK): it has order
 * two, and a state that is far faster than the step settles in it, without oscillation. */
#define ACTUATOR_STAGE 0.29289321881345248 /* 1 - 1/sqrt(2) */

#endif
