/* SPDX-License-Identifier: MIT
 * The model file: what acts on joints, and the inputs of drives and motors. */
#include "import.h"

#include <math.h>

/* URDF gives stops no stiffness: a stop yields this much under the effort of its joint. */
static const double STOP_ANGLE = 0.01, STOP_LENGTH = 0.001; /* rad, m */
/* Without an effort. */
static const double STOP_TORQUE = 100.0, STOP_FORCE = 1000.0; /* N m, N */
static const double STOP_TIME = 0.01;                         /* s: damping over stiffness */
static const double LIMIT_MOST = 1e9;                         /* rad, m: of ali3d */
static const double TARGET_MOST = 1e4;                        /* rad, m: default of the key limit */
static const double STOP_WIDTH = 1e-6; /* half of the way between two limits that are equal */

static bool has_element(const struct robot *r, const struct joint *j)
{
  return !j->dropped && joint_has_coordinate(j) && r->link[j->parent].group != r->link[j->child].group;
}

/* The largest rate of a position drive; 0: not given. */
static double joint_velocity(const struct import *o, const struct joint *j)
{
  return j->has_velocity && j->velocity > 0.0 ? j->velocity : o->velocity;
}

enum drives joint_drive(const struct robot *r, const struct import *o, const struct joint *j)
{
  if (!has_element(r, j) || j->leader != NONE) return DRIVES_NONE;
  if (j->held) return DRIVES_HOLD;
  if (r->motors_named && !j->motor) return DRIVES_NONE;
  switch (o->drives) {
  case DRIVES_POSITION:
    return joint_velocity(o, j) > 0.0 && o->acceleration > 0.0 ? DRIVES_POSITION : DRIVES_HOLD;
  case DRIVES_DEFAULT:
    return DRIVES_HOLD;
  default:
    return o->drives;
  }
}

static void write_number(FILE *out, const char *key, double value)
{
  fprintf(out, ", %s: ", key);
  number_write(out, value);
}

static void begin_force(FILE *out, bool *begun)
{
  if (!*begun) fputs("  forces:\n", out);
  *begun = true;
}

static bool stop_limits(const struct joint *j, double *lower, double *upper, struct notes *n)
{
  /* Joints without a stop. */
  if (j->type == JOINT_CONTINUOUS) {
    if (j->has_lower || j->has_upper)
      note_often(n, j->limit_line, "limits of a continuous joint are not imported");
    return false;
  }
  if (!j->has_lower && !j->has_upper) {
    note_often(n, j->limit_line ? j->limit_line : j->line,
               "a joint without lower and upper limit gets no stop");
    return false;
  }
  if (!j->has_lower || !j->has_upper)
    note(n, j->limit_line, "joint '%.100s': <limit> has no %s, which counts as 0", j->name,
         j->has_lower ? "upper" : "lower");
  if (j->lower > j->upper) {
    note(n, j->limit_line,
         "joint '%.100s': the lower limit %g is above the upper limit %g, so it gets no stop", j->name,
         j->lower, j->upper);
    return false;
  }
  /* Limits that ali3d can have. */
  *lower = j->lower > -LIMIT_MOST ? j->lower : -INFINITY;
  *upper = j->upper < LIMIT_MOST ? j->upper : INFINITY;
  if (isinf(*lower) || isinf(*upper))
    note_often(n, j->limit_line, "a limit beyond %g rad or m counts as no limit", LIMIT_MOST);
  if (isinf(*lower) && isinf(*upper)) return false;
  if (j->lower == j->upper) {
    note(n, j->limit_line, "joint '%.100s': both limits are %g: the stop leaves it %g to either side",
         j->name, j->lower, STOP_WIDTH);
    *lower -= STOP_WIDTH;
    *upper += STOP_WIDTH;
  }
  return *lower < *upper;
}

static void write_stop(const struct joint *j, enum format format, struct notes *n, FILE *out, bool *begun)
{
  double lower, upper;
  if (!stop_limits(j, &lower, &upper, n)) return;
  const bool slides = j->type == JOINT_PRISMATIC;
  const double effort = j->effort > 0.0 && j->effort < 1e12 ? j->effort : slides ? STOP_FORCE : STOP_TORQUE;
  const double stiffness = effort / (slides ? STOP_LENGTH : STOP_ANGLE);
  note_often(n, j->limit_line, "%s: they yield %s under the effort of the joint",
             format == FORMAT_MJCF ? "softness of stops is not imported" : "URDF has no stiffness of stops",
             slides ? "1 mm" : "0.01 rad");
  begin_force(out, begun);
  fprintf(out, "    - {name: \"%s_stop\", type: stop, joint: \"%s\"", j->label, j->label);
  if (isfinite(lower)) write_number(out, "lower", lower);
  if (isfinite(upper)) write_number(out, "upper", upper);
  write_number(out, "stiffness", stiffness);
  write_number(out, "damping", stiffness * STOP_TIME);
  fputs("}\n", out);
}

static void write_friction(const struct joint *j, FILE *out, bool *begun)
{
  if (j->friction == 0.0 && j->damping == 0.0) return;
  begin_force(out, begun);
  fprintf(out, "    - {name: \"%s_friction\", type: friction, joint: \"%s\"", j->label, j->label);
  if (j->friction > 0.0) write_number(out, "friction", j->friction);
  if (j->damping > 0.0) write_number(out, "damping", j->damping);
  fputs("}\n", out);
}

static void write_spring(const struct joint *j, FILE *out, bool *begun)
{
  if (!(j->stiffness > 0.0)) return;
  begin_force(out, begun);
  fprintf(out, "    - {name: \"%s_spring\", type: joint_spring, joint: \"%s\"", j->label, j->label);
  write_number(out, "stiffness", j->stiffness);
  write_number(out, "rest", j->rest);
  fputs("}\n", out);
}

static void write_gear(const struct robot *r, const struct joint *j, FILE *out, bool *begun)
{
  if (j->leader == NONE) return;
  begin_force(out, begun);
  fprintf(out, "    - {name: \"%s_gear\", type: gear, joint: \"%s\", joint_b: \"%s\"", j->label, j->label,
          r->joint[j->leader].label);
  write_number(out, "ratio", j->multiplier);
  fputs("}\n", out);
}

static void write_drive(const struct robot *r, const struct import *o, const struct joint *j, struct notes *n,
                        FILE *out, bool *begun)
{
  const enum drives drive = joint_drive(r, o, j);
  if (j->has_velocity && j->velocity > 0.0 && drive != DRIVES_POSITION)
    note_often(n, j->limit_line,
               "the largest velocity of a joint is used with --drives position and --acceleration only");
  if (o->drives == DRIVES_POSITION && drive == DRIVES_HOLD && !j->held)
    note(n, j->line, "joint '%.100s' is held at the start: a position drive needs %s", j->name,
         o->acceleration > 0.0 ? "a velocity above 0, or --velocity" : "--acceleration");
  if (o->drives == DRIVES_DEFAULT && drive == DRIVES_HOLD && !j->held)
    note_often(n, j->line, "a drive holds the joint at its start; --drives says otherwise");
  /* Write it. */
  if (drive == DRIVES_NONE) return;
  begin_force(out, begun);
  if (drive == DRIVES_EFFORT) {
    fprintf(out, "    - {name: \"%s_motor\", type: motor, joint: \"%s\"}\n", j->label, j->label);
    if (!(j->effort > 0.0))
      note(n, j->line, "joint '%.100s' has no effort above 0: its motor has the limit of the program",
           j->name);
    return;
  }
  fprintf(out, "    - {name: \"%s_drive\", type: drive, joint: \"%s\"", j->label, j->label);
  if (drive == DRIVES_POSITION) {
    fputs(", external: true", out);
    write_number(out, "max_rate", joint_velocity(o, j));
    write_number(out, "max_acceleration", o->acceleration);
  }
  fputs("}\n", out);
}

void forces_write(const struct robot *r, const struct import *o, struct notes *n, FILE *out)
{
  bool begun = false;
  for (int k = 0; k < r->joints; k++) {
    const struct joint *j = &r->joint[r->order[k]];
    if (!has_element(r, j)) continue;
    write_drive(r, o, j, n, out, &begun);
    write_gear(r, j, out, &begun);
    write_stop(j, r->format, n, out, &begun);
    write_spring(j, out, &begun);
    write_friction(j, out, &begun);
    if (!joint_has_rotor(r, o, j)) continue;
    begin_force(out, &begun);
    rotor_gear_write(j, out);
  }
}

/* The range of a target; the default of ali3d where a limit has no place in it. */
static void write_range(const struct joint *j, FILE *out)
{
  const bool limited = j->type != JOINT_CONTINUOUS && (j->has_lower || j->has_upper) && j->lower < j->upper;
  const double lower = limited ? fmax(j->lower, -LIMIT_MOST) : -TARGET_MOST,
               upper = limited ? fmin(j->upper, LIMIT_MOST) : TARGET_MOST;
  const double most = fmax(fmax(fabs(lower), fabs(upper)), fabs(j->position));
  if (most > TARGET_MOST) write_number(out, "limit", most);
  if (!limited) return;
  write_number(out, "lower", fmin(lower, j->position));
  write_number(out, "upper", fmax(upper, j->position));
}

void inputs_write(const struct robot *r, const struct import *o, FILE *out)
{
  bool begun = false;
  for (int k = 0; k < r->joints; k++) {
    const struct joint *j = &r->joint[r->order[k]];
    const enum drives drive = joint_drive(r, o, j);
    if (drive != DRIVES_POSITION && drive != DRIVES_EFFORT) continue;
    /* A motor takes any value up to its effort, a drive any position within the limits. */
    if (!begun) fputs("inputs:\n", out);
    begun = true;
    fprintf(out, "  - {name: \"%s\", force: \"%s_%s\"", j->label, j->label,
            drive == DRIVES_EFFORT ? "motor" : "drive");
    if (drive == DRIVES_EFFORT) {
      if (j->effort > 0.0) write_number(out, "limit", j->effort);
      if (j->motor_lower < j->motor_upper && j->motor_lower != -j->motor_upper) {
        write_number(out, "lower", j->motor_lower);
        write_number(out, "upper", j->motor_upper);
      }
    } else {
      fputs(", policy: hold", out);
      write_range(j, out);
      write_number(out, "safe", j->position);
    }
    fputs("}\n", out);
  }
}
