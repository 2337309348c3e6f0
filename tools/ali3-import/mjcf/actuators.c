/* SPDX-License-Identifier: MIT
 * MJCF: an actuator gives its joint a motor. Its gear scales the motor, and its ranges limit it. */
#include "convert.h"

#include <math.h>

static bool is_motor(const mjModel *m, int index)
{
  return m->actuator_gaintype[index] == mjGAIN_FIXED && m->actuator_biastype[index] == mjBIAS_NONE &&
         m->actuator_dyntype[index] == mjDYN_NONE;
}

/* kp (control - position) - kv velocity */
static bool is_servo(const mjModel *m, int index)
{
  const mjtNum *bias = m->actuator_biasprm + mjNBIAS * (ptrdiff_t)index;
  return m->actuator_gaintype[index] == mjGAIN_FIXED && m->actuator_biastype[index] == mjBIAS_AFFINE &&
         m->actuator_dyntype[index] == mjDYN_NONE && bias[0] == 0.0 && bias[1] < 0.0;
}

/* The range of the force on the joint. */
static void take_range(const mjModel *m, int index, struct joint *j)
{
  const double gear = m->actuator_gear[6 * (ptrdiff_t)index],
               gain = gear * m->actuator_gainprm[mjNGAIN * (ptrdiff_t)index];
  const mjtNum *control = m->actuator_ctrlrange + 2 * (ptrdiff_t)index,
               *force = m->actuator_forcerange + 2 * (ptrdiff_t)index;
  /* Both ranges hold. */
  double lower = -INFINITY, upper = INFINITY;
  if (m->actuator_ctrllimited[index]) {
    lower = fmin(gain * control[0], gain * control[1]);
    upper = fmax(gain * control[0], gain * control[1]);
  }
  if (m->actuator_forcelimited[index]) {
    lower = fmax(lower, fmin(gear * force[0], gear * force[1]));
    upper = fmin(upper, fmax(gear * force[0], gear * force[1]));
  }
  if (!(lower < upper) || !isfinite(lower) || !isfinite(upper)) return;
  j->motor_lower = lower;
  j->motor_upper = upper;
  j->effort = fmax(fabs(lower), fabs(upper));
  j->has_effort = true;
}

void convert_actuators(struct convert *c)
{
  const mjModel *m = c->m;
  for (int i = 0; i < m->nu; i++) {
    const int line = mjcf_line(&c->lines, MJCF_ACTUATOR, i, m->nu, model_name(c, m->name_actuatoradr, i));
    const int kind = m->actuator_trntype[i], id = m->actuator_trnid[2 * (ptrdiff_t)i];
    const bool on_joint = (kind == mjTRN_JOINT || kind == mjTRN_JOINTINPARENT) && id >= 0 && id < m->njnt;
    struct joint *j = on_joint ? &c->robot->joint[c->joint[id]] : NULL;
    if (!j || !joint_has_coordinate(j)) {
      note_often(c->notes, line, "actuators of tendons, sites, bodies and ball joints are not imported");
      continue;
    }
    c->robot->motors_named = true;
    if (j->motor) {
      note(c->notes, line, "joint '%.100s' has a second actuator, which is not imported", j->name);
      continue;
    }
    /* The motor acts on the joint, so its input counts behind the gear. */
    j->motor = true;
    j->motor_gear = m->actuator_gear[6 * (ptrdiff_t)i];
    if (is_motor(m, i)) {
      take_range(m, i, j);
      if (j->motor_gear != 1.0 && c->options->drives == DRIVES_EFFORT)
        note_often(c->notes, line, "the input of a motor is the force on its joint: control times gear");
    } else if (is_servo(m, i)) {
      note_often(
          c->notes, line,
          "gains of a position actuator are not imported; --drives position follows its target exactly");
    } else {
      note_often(c->notes, line, "the law of an actuator that is no motor is not imported");
    }
  }
}
