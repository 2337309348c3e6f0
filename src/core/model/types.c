/* SPDX-License-Identifier: MIT
 * Types of joints, forces and sensors, and methods of a step: their names and properties. */
#include <ali3/model.h>
#include <math.h>
#include <string.h>

bool ali3_force_type_on_joint(ali3_force_type type)
{
  return type == ALI3_FORCE_JOINT_SPRING || type == ALI3_FORCE_WINDING || type == ALI3_FORCE_BRAKE ||
         (type >= ALI3_FORCE_STOP && type <= ALI3_FORCE_GEAR);
}

bool ali3_force_type_is_contact(ali3_force_type type)
{
  return type == ALI3_FORCE_SPHERE_PLANE || type == ALI3_FORCE_SPHERE_SPHERE || type == ALI3_FORCE_TYRE;
}

bool ali3_force_type_takes_command(ali3_force_type type)
{
  return type == ALI3_FORCE_MOTOR || type == ALI3_FORCE_DRIVE || type == ALI3_FORCE_CYLINDER ||
         type == ALI3_FORCE_WINDING || type == ALI3_FORCE_BRAKE;
}

ali3_force_spec ali3_force_spec_default(ali3_force_type type)
{
  return (ali3_force_spec){.type = type,
                           .body_a = ALI3_GROUND,
                           .body_b = ALI3_GROUND,
                           .rest = NAN,
                           .lower = -INFINITY,
                           .upper = INFINITY,
                           .slip = 1e-3,
                           .ratio = 1.0,
                           .offset = NAN,
                           .dead_volume = {1e-4, 1e-4},
                           .bulk_modulus = 1.4e9,
                           .flow_drop = 5e5,
                           .pressure = {NAN, NAN},
                           .max_current = INFINITY,
                           .max_voltage = INFINITY,
                           /* tyres */
                           .rolling_radius = NAN,
                           .grip = {1.0, 1.0},
                           .shape = 1.5};
}

const char *ali3_sensor_type_name(ali3_sensor_type type)
{
  static const char *const name[] = {
#define SENSOR_NAME(id, text) text,
      ALI3_SENSOR_LIST(SENSOR_NAME)
#undef SENSOR_NAME
  };
  return (unsigned)type < ALI3_SENSOR_TYPES ? name[type] : NULL;
}

int ali3_sensor_type_readings(ali3_sensor_type type)
{
  if (type == ALI3_SENSOR_IMU) return 6;
  return type > ALI3_SENSOR_IMU && type < ALI3_SENSOR_TYPES;
}

const char *ali3_force_type_name(ali3_force_type type)
{
  static const char *const name[] = {
#define FORCE_NAME(id, text) text,
      ALI3_FORCE_LIST(FORCE_NAME)
#undef FORCE_NAME
  };
  return (unsigned)type < ALI3_FORCE_TYPES ? name[type] : NULL;
}

const char *ali3_joint_type_name(ali3_joint_type type)
{
  static const char *const name[] = {
#define JOINT_NAME(id, text) text,
      ALI3_JOINT_LIST(JOINT_NAME)
#undef JOINT_NAME
  };
  return (unsigned)type < ALI3_JOINT_TYPES ? name[type] : NULL;
}

bool ali3_joint_type_has_axis_a(ali3_joint_type type)
{
  return type != ALI3_JOINT_FIXED && type != ALI3_JOINT_SPHERICAL && type != ALI3_JOINT_DISTANCE;
}

bool ali3_joint_type_has_axis_b(ali3_joint_type type)
{
  return type == ALI3_JOINT_REVOLUTE || type == ALI3_JOINT_CYLINDRICAL || type == ALI3_JOINT_UNIVERSAL ||
         type == ALI3_JOINT_PLANAR;
}

unsigned ali3_joint_type_droppable(ali3_joint_type type)
{
  const unsigned two = ALI3_DROP_FIRST | ALI3_DROP_SECOND;
  switch (type) {
  case ALI3_JOINT_REVOLUTE:
    return two | ALI3_DROP_ALONG;
  case ALI3_JOINT_CYLINDRICAL:
  case ALI3_JOINT_PLANAR:
    return two;
  case ALI3_JOINT_UNIVERSAL:
    return ALI3_DROP_FIRST;
  case ALI3_JOINT_FIXED:
  case ALI3_JOINT_PRISMATIC:
    return two | ALI3_DROP_THIRD;
  default:
    return 0;
  }
}

const char *ali3_method_name(ali3_method method)
{
  static const char *const name[] = {
#define METHOD_NAME(id, text) text,
      ALI3_METHOD_LIST(METHOD_NAME)
#undef METHOD_NAME
  };
  return (unsigned)method < ALI3_METHODS ? name[method] : NULL;
}

bool ali3_method_is_explicit(ali3_method method)
{
  return method == ALI3_METHOD_RK4 || method == ALI3_METHOD_DP5 || method == ALI3_METHOD_AB4 ||
         method == ALI3_METHOD_ABM8 || method == ALI3_METHOD_DP8;
}

int ali3_method_order(ali3_method method)
{
  switch (method) {
  case ALI3_METHOD_RK4:
  case ALI3_METHOD_AB4:
    return 4;
  case ALI3_METHOD_DP5:
    return 5;
  case ALI3_METHOD_ABM8:
  case ALI3_METHOD_DP8:
    return 8;
  default:
    return 2;
  }
}

ali3_method ali3_method_named(const char *name)
{
  int found = 0;
  while (found < ALI3_METHODS && !(name && strcmp(name, ali3_method_name((ali3_method)found)) == 0)) found++;
  return (ali3_method)found;
}
