/* SPDX-License-Identifier: MIT
 * Checks of forces, type by type. */
#include "model/model_parts.h"

#include <ali3/model.h>
#include <string.h>

#define REFUSE(field, ...) model_refuse(m, ALI3_E_MODEL, "force", field, __VA_ARGS__)

static bool has_tables(ali3_force_type type)
{
  return type == ALI3_FORCE_SPRING || type == ALI3_FORCE_JOINT_SPRING;
}

static int check_joint(ali3_model *m, const ali3_force_spec *s, const char *field, int joint)
{
  if (joint < 0 || joint >= m->joints)
    return REFUSE(field, "force '%.60s': expected the index of a joint", s->name);
  ali3_joint_type type = m->joint[joint].spec.type;
  if (type != ALI3_JOINT_REVOLUTE && type != ALI3_JOINT_PRISMATIC)
    return REFUSE(field, "force '%.60s': expected a revolute or prismatic joint, found a %s joint", s->name,
                  ali3_joint_type_name(type));
  return ALI3_OK;
}

static int check_bodies(ali3_model *m, const ali3_force_spec *s)
{
  int status = model_check_body_index(m, "force", "body_a", s->body_a, true);
  if (status < 0) return status;
  status = model_check_body_index(m, "force", "body_b", s->body_b, true);
  if (status < 0) return status;
  if (s->body_a == s->body_b)
    return REFUSE("body_b", "force '%.60s': expected two different bodies, found one body twice", s->name);
  REQUIRE_WITHIN("force", s->name, "point_a", s->point_a, BOUND_LENGTH, "m");
  REQUIRE_WITHIN("force", s->name, "point_b", s->point_b, BOUND_LENGTH, "m");
  return ALI3_OK;
}

static int check_force_table(ali3_model *m, const ali3_force_spec *s, const char *field, const ali3_table *t,
                             double bound)
{
  if (t->n == 0) return ALI3_OK;
  /* First numbers are lengths, rates or times; `bound` limits second numbers. */
  if (t->n < 2 || !t->point)
    return REFUSE(field, "force '%.60s': expected at least two points, found %d", s->name, t->n);
  for (int i = 0; i < t->n; i++) {
    if (!model_all_finite(t->point[i], 2))
      return REFUSE(field, "force '%.60s': expected finite numbers in point %d", s->name, i + 1);
    if (fabs(t->point[i][0]) > BOUND_LENGTH || fabs(t->point[i][1]) > bound)
      return REFUSE(field,
                    "force '%.60s': expected magnitudes of at most %g and %g in point %d, found %g and %g",
                    s->name, BOUND_LENGTH, bound, i + 1, t->point[i][0], t->point[i][1]);
    if (i > 0 && !(t->point[i][0] > t->point[i - 1][0]))
      return REFUSE(
          field,
          "force '%.60s': expected the first numbers to rise from point to point; point %d has %g after %g",
          s->name, i + 1, t->point[i][0], t->point[i - 1][0]);
  }
  return ALI3_OK;
}

/* Checks stiffness and damping. One of them, or a table, is above 0. */
static int check_coefficients(ali3_model *m, const ali3_force_spec *s)
{
  int count = s->type == ALI3_FORCE_BUSHING ? 6 : 1;
  double sum = 0.0;
  for (int i = 0; i < count; i++) {
    bool turns = i >= 3; /* files have other keys for rotations */
    if (!(isfinite(s->stiffness[i]) && s->stiffness[i] >= 0.0))
      return REFUSE(turns ? "rotational_stiffness" : "stiffness",
                    "force '%.60s': expected a stiffness of 0 or more, found %g", s->name, s->stiffness[i]);
    if (!(isfinite(s->damping[i]) && s->damping[i] >= 0.0))
      return REFUSE(turns ? "rotational_damping" : "damping",
                    "force '%.60s': expected a damping of 0 or more, found %g", s->name, s->damping[i]);
    sum += s->stiffness[i] + s->damping[i];
  }
  if (has_tables(s->type) && s->force_table.n + s->damping_table.n > 0) return ALI3_OK;
  if (sum == 0.0)
    return REFUSE("stiffness", "force '%.60s': expected a stiffness or a damping above 0", s->name);
  return ALI3_OK;
}

static int check_spring(ali3_model *m, const ali3_force_spec *s)
{
  int status = check_coefficients(m, s);
  if (status < 0) return status;
  if (has_tables(s->type)) status = check_force_table(m, s, "force_table", &s->force_table, BOUND_LOAD);
  if (status < 0) return status;
  if (has_tables(s->type)) status = check_force_table(m, s, "damping_table", &s->damping_table, BOUND_LOAD);
  if (status < 0) return status;
  bool length = s->type == ALI3_FORCE_SPRING || s->type == ALI3_FORCE_CABLE;
  if (isinf(s->rest) || (length && s->rest < 0.0))
    return REFUSE(length ? "rest_length" : "rest", "force '%.60s': expected a finite value%s, found %g",
                  s->name, length ? " of 0 m or more" : "", s->rest);
  return ALI3_OK;
}

static int check_stop(ali3_model *m, const ali3_force_spec *s)
{
  if (!(s->stiffness[0] > 0.0 && isfinite(s->stiffness[0])))
    return REFUSE("stiffness", "force '%.60s': expected a stiffness above 0, found %g", s->name,
                  s->stiffness[0]);
  if (!(s->damping[0] >= 0.0 && isfinite(s->damping[0])))
    return REFUSE("damping", "force '%.60s': expected a damping of 0 or more, found %g", s->name,
                  s->damping[0]);
  if (ali3_force_type_is_contact(s->type)) return ALI3_OK;
  if (!(s->lower < s->upper))
    return REFUSE("upper", "force '%.60s': expected an upper limit above the lower limit, found %g and %g",
                  s->name, s->upper, s->lower);
  if (isinf(s->lower) && isinf(s->upper))
    return REFUSE("upper", "force '%.60s': expected a lower or an upper limit", s->name);
  return ALI3_OK;
}

static int check_slip(ali3_model *m, const ali3_force_spec *s)
{
  if (!(s->friction >= 0.0 && isfinite(s->friction)))
    return REFUSE("friction", "force '%.60s': expected a friction of 0 or more, found %g", s->name,
                  s->friction);
  if (s->friction > 0.0 && !(s->slip > 0.0 && isfinite(s->slip)))
    return REFUSE("slip", "force '%.60s': expected a sliding velocity above 0, found %g", s->name, s->slip);
  if (s->friction > 0.0 && s->slip < BOUND_SLIP_LOW)
    return REFUSE("slip", "force '%.60s': expected a sliding velocity of %g m/s or rad/s or more, found %g",
                  s->name, BOUND_SLIP_LOW, s->slip);
  return ALI3_OK;
}

static int check_friction(ali3_model *m, const ali3_force_spec *s)
{
  int status = check_slip(m, s);
  if (status < 0) return status;
  if (!(s->damping[0] >= 0.0 && isfinite(s->damping[0])))
    return REFUSE("damping", "force '%.60s': expected a damping of 0 or more, found %g", s->name,
                  s->damping[0]);
  if (s->friction + s->damping[0] == 0.0)
    return REFUSE("friction", "force '%.60s': expected a friction or a damping above 0", s->name);
  return ALI3_OK;
}

/* A direction may have any length except 0. */
static int check_force_direction(ali3_model *m, const ali3_force_spec *s, const char *field,
                                 const double v[3])
{
  if (v[0] * v[0] + v[1] * v[1] + v[2] * v[2] > 1e-24) return ALI3_OK;
  return REFUSE(field, "force '%.60s': expected a direction other than 0 0 0", s->name);
}

static int check_contact(ali3_model *m, const ali3_force_spec *s)
{
  /* Check the surface: stiffness, damping, friction. */
  int status = check_stop(m, s);
  if (status < 0) return status;
  status = check_slip(m, s);
  if (status < 0) return status;
  /* Check the shape: one or two spheres. */
  if (!(s->radius_b > 0.0 && isfinite(s->radius_b)))
    return REFUSE("radius_b", "force '%.60s': expected a radius above 0 m, found %g", s->name, s->radius_b);
  if (s->type == ALI3_FORCE_SPHERE_SPHERE) {
    if (!(s->radius_a > 0.0 && isfinite(s->radius_a)))
      return REFUSE("radius_a", "force '%.60s': expected a radius above 0 m, found %g", s->name, s->radius_a);
    return ALI3_OK;
  }
  REQUIRE_FINITE("force", "normal", s->normal);
  return check_force_direction(m, s, "normal", s->normal);
}

static int check_drive(ali3_model *m, const ali3_force_spec *s)
{
  const struct joint *joint = &m->joint[s->joint];
  /* A joint has at most one drive. */
  if (joint->drive > 0)
    return REFUSE("joint",
                  "joint '%.60s' is driven by '%.60s' and '%.60s': expected one drive, remove the other",
                  joint->name, m->force[joint->drive - 1].name, s->name);
  /* A drive has one source of motion: a function, a table or an input. */
  bool function = s->speed != 0.0 || s->amplitude != 0.0, table = s->motion.n != 0;
  if (isinf(s->offset) || !isfinite(s->speed) || !isfinite(s->amplitude) || !isfinite(s->frequency) ||
      !isfinite(s->phase))
    return REFUSE("offset", "force '%.60s': expected finite numbers", s->name);
  if ((function && table) || (function && s->external) || (table && s->external))
    return REFUSE("motion",
                  "force '%.60s': expected either a function, a table or external, found two of them",
                  s->name);
  /* An input may jump, so the drive needs limits. */
  if (s->external) {
    if (!(s->max_rate > 0.0 && isfinite(s->max_rate)))
      return REFUSE("max_rate", "force '%.60s': expected a largest rate above 0, found %g", s->name,
                    s->max_rate);
    if (!(s->max_acceleration > 0.0 && isfinite(s->max_acceleration)))
      return REFUSE("max_acceleration", "force '%.60s': expected a largest acceleration above 0, found %g",
                    s->name, s->max_acceleration);
  }
  return check_force_table(m, s, "motion", &s->motion, BOUND_LENGTH);
}

/* Gears are listed with the joint of the lower index. */
static int gear_place(const ali3_force_spec *s)
{
  return s->joint < s->joint_b ? s->joint : s->joint_b;
}

/* Two gears of different ratios would lock both joints. */
static int check_other_gears(ali3_model *m, const ali3_force_spec *s)
{
  for (int i = m->joint[gear_place(s)].gear; i > 0; i = m->force[i - 1].gear) {
    const ali3_force_spec *o = &m->force[i - 1].spec;
    const bool same = o->joint == s->joint && o->joint_b == s->joint_b;
    if (!same && !(o->joint == s->joint_b && o->joint_b == s->joint)) continue;
    const double ratio = same ? o->ratio : 1.0 / o->ratio;
    if (fabs(s->ratio - ratio) <= 1e-12 * fabs(ratio)) continue;
    return REFUSE(
        "ratio",
        "gears '%.40s' and '%.40s' couple joints '%.40s' and '%.40s' by the ratios %g and %g, which "
        "locks both: remove one of them",
        m->force[i - 1].name, s->name, m->joint[s->joint].name, m->joint[s->joint_b].name, ratio, s->ratio);
  }
  return ALI3_OK;
}

void model_list_force(ali3_model *m, int force)
{
  struct force *f = &m->force[force];
  if (f->spec.type == ALI3_FORCE_DRIVE) m->joint[f->spec.joint].drive = force + 1;
  if (f->spec.type != ALI3_FORCE_GEAR) return;
  struct joint *joint = &m->joint[gear_place(&f->spec)];
  f->gear = joint->gear;
  joint->gear = force + 1;
}

static int check_gear(ali3_model *m, const ali3_force_spec *s)
{
  int status = check_joint(m, s, "joint_b", s->joint_b);
  if (status < 0) return status;
  if (s->joint == s->joint_b)
    return REFUSE("joint_b", "force '%.60s': expected two different joints, found one joint twice", s->name);
  if (!(isfinite(s->ratio) && s->ratio != 0.0))
    return REFUSE("ratio", "force '%.60s': expected a ratio other than 0, found %g", s->name, s->ratio);
  if (fabs(s->ratio) < 1.0 / BOUND_LENGTH)
    return REFUSE("ratio", "force '%.60s': expected a ratio of magnitude %g or more, found %g", s->name,
                  1.0 / BOUND_LENGTH, s->ratio);
  return check_other_gears(m, s);
}

/* Checks finite numbers only. Earlier checks refuse NaN and infinity for types that do not allow them. */
static int check_within(ali3_model *m, const ali3_force_spec *s, const char *field, double x, double bound,
                        const char *unit)
{
  if (!isfinite(x)) return ALI3_OK;
  return model_check_within(m, "force", s->name, field, &x, 1, bound, unit);
}

static double largest_of(const double v[3])
{
  return fmax(fabs(v[0]), fmax(fabs(v[1]), fabs(v[2])));
}

static int check_bounds(ali3_model *m, const ali3_force_spec *s)
{
  /* List the fields of one number, with their bounds. */
  const struct {
    const char *field;
    double x, bound;
    const char *unit;
  } list[] = {
      {s->type == ALI3_FORCE_JOINT_SPRING ? "rest" : "rest_length", s->rest, BOUND_LENGTH, "m or rad"},
      {"lower", s->lower, BOUND_LENGTH, "m or rad"},
      {"upper", s->upper, BOUND_LENGTH, "m or rad"},
      {"friction", s->friction, BOUND_LOAD, "N or N m"},
      {"slip", s->slip, BOUND_RATE, "m/s or rad/s"},
      {"normal", largest_of(s->normal), BOUND_LENGTH, "m"},
      {"radius_a", s->radius_a, BOUND_LENGTH, "m"},
      {"radius_b", s->radius_b, BOUND_LENGTH, "m"},
      {"ratio", s->ratio, BOUND_LENGTH, "m/rad"},
      {"offset", s->offset, BOUND_LENGTH, "m or rad"},
      {"speed", s->speed, BOUND_RATE, "m/s or rad/s"},
      {"amplitude", s->amplitude, BOUND_LENGTH, "m or rad"},
      {"frequency", s->frequency, BOUND_RATE, "Hz"},
      {"phase", s->phase, BOUND_LENGTH, "rad"},
      {"max_rate", s->max_rate, BOUND_RATE, "m/s or rad/s"},
      {"max_acceleration", s->max_acceleration, BOUND_RATE, "m/s^2 or rad/s^2"},
      /* actuators */
      {"bore", s->bore, BOUND_LENGTH, "m"},
      {"rod", s->rod, BOUND_LENGTH, "m"},
      {"retracted", s->retracted, BOUND_LENGTH, "m"},
      {"stroke", s->stroke, BOUND_LENGTH, "m"},
      {"dead_volume_a", s->dead_volume[0], BOUND_LENGTH, "m^3"},
      {"dead_volume_b", s->dead_volume[1], BOUND_LENGTH, "m^3"},
      {"bulk_modulus", s->bulk_modulus, BOUND_PRESSURE, "Pa"},
      {"leakage", s->leakage, BOUND_RATE, "m^3/s/Pa"},
      {"supply", s->supply, BOUND_PRESSURE, "Pa"},
      {"tank", s->tank, BOUND_PRESSURE, "Pa"},
      {"flow", s->flow, BOUND_RATE, "m^3/s"},
      {"flow_drop", s->flow_drop, BOUND_PRESSURE, "Pa"},
      {"overlap", s->overlap, 1.0, ""},
      {"lag", s->lag, BOUND_RATE, "s"},
      {"pressure_a", s->pressure[0], BOUND_PRESSURE, "Pa"},
      {"pressure_b", s->pressure[1], BOUND_PRESSURE, "Pa"},
      {"resistance", s->resistance, BOUND_RATE, "Ohm"},
      {"inductance", s->inductance, BOUND_RATE, "H"},
      {"constant", s->constant, BOUND_RATE, "N m/A or N/A"},
      {"max_current", s->max_current, BOUND_RATE, "A"},
      {"max_voltage", s->max_voltage, BOUND_RATE, "V"},
      {"current", s->current, BOUND_RATE, "A"},
      /* tyres */
      {"axle", largest_of(s->axle), BOUND_LENGTH, ""},
      {"rolling_radius", s->rolling_radius, BOUND_LENGTH, "m"},
      {"load", s->load, BOUND_LOAD, "N"},
      {"slip_stiffness_along", s->slip_stiffness[0], BOUND_RATE, ""},
      {"slip_stiffness_across", s->slip_stiffness[1], BOUND_RATE, ""},
      {"relaxation_along", s->relaxation[0], BOUND_LENGTH, "m"},
      {"relaxation_across", s->relaxation[1], BOUND_LENGTH, "m"},
      {"grip_along", s->grip[0], BOUND_RATE, ""},
      {"grip_across", s->grip[1], BOUND_RATE, ""},
      {"slip_damping_along", s->slip_damping[0], BOUND_STIFFNESS, "N s/m"},
      {"slip_damping_across", s->slip_damping[1], BOUND_STIFFNESS, "N s/m"},
      {"shape", s->shape, BOUND_RATE, ""},
      {"curvature", s->curvature, BOUND_RATE, ""}};
  /* Check stiffness and damping of three translations and three rotations, then the list. */
  for (int i = 0; i < 6; i++) {
    int status = check_within(m, s, i < 3 ? "stiffness" : "rotational_stiffness", s->stiffness[i],
                              BOUND_STIFFNESS, "N/m or N m/rad");
    if (status < 0) return status;
    status = check_within(m, s, i < 3 ? "damping" : "rotational_damping", s->damping[i], BOUND_STIFFNESS,
                          "N s/m or N m s/rad");
    if (status < 0) return status;
  }
  for (size_t i = 0; i < sizeof list / sizeof *list; i++) {
    int status = check_within(m, s, list[i].field, list[i].x, list[i].bound, list[i].unit);
    if (status < 0) return status;
  }
  return ALI3_OK;
}

static int check_above(ali3_model *m, const ali3_force_spec *s, const char *field, double x, const char *what)
{
  if (x > 0.0 && isfinite(x)) return ALI3_OK;
  return REFUSE(field, "force '%.60s': expected %s above 0, found %g", s->name, what, x);
}

static int check_at_least(ali3_model *m, const ali3_force_spec *s, const char *field, double x,
                          const char *what)
{
  if (x >= 0.0 && isfinite(x)) return ALI3_OK;
  return REFUSE(field, "force '%.60s': expected %s of 0 or more, found %g", s->name, what, x);
}

static int check_cylinder_sizes(ali3_model *m, const ali3_force_spec *s)
{
  int status = check_above(m, s, "bore", s->bore, "a diameter of the piston");
  if (status == ALI3_OK) status = check_at_least(m, s, "rod", s->rod, "a diameter of the rod");
  if (status == ALI3_OK && !(s->rod < s->bore))
    return REFUSE("rod", "force '%.60s': expected a rod thinner than the bore of %g m, found %g m", s->name,
                  s->bore, s->rod);
  if (status == ALI3_OK) status = check_above(m, s, "retracted", s->retracted, "a length");
  if (status == ALI3_OK) status = check_above(m, s, "stroke", s->stroke, "a travel");
  if (status == ALI3_OK) status = check_above(m, s, "dead_volume_a", s->dead_volume[0], "a volume");
  if (status == ALI3_OK) status = check_above(m, s, "dead_volume_b", s->dead_volume[1], "a volume");
  if (status == ALI3_OK) status = check_at_least(m, s, "damping", s->damping[0], "a damping");
  return status;
}

static int check_cylinder(ali3_model *m, const ali3_force_spec *s)
{
  /* The cylinder and its oil. */
  int status = check_cylinder_sizes(m, s);
  if (status == ALI3_OK) status = check_above(m, s, "bulk_modulus", s->bulk_modulus, "a bulk modulus");
  if (status == ALI3_OK && s->bulk_modulus < 1e6)
    return REFUSE("bulk_modulus", "force '%.60s': expected a bulk modulus of 1e6 Pa or more, found %g",
                  s->name, s->bulk_modulus);
  if (status == ALI3_OK) status = check_at_least(m, s, "leakage", s->leakage, "a leakage");
  /* The valve between supply and tank. */
  if (status == ALI3_OK) status = check_at_least(m, s, "tank", s->tank, "a pressure");
  if (status == ALI3_OK && !(s->supply >= s->tank && isfinite(s->supply)))
    return REFUSE("supply",
                  "force '%.60s': expected a supply of at least the pressure of the tank, %g Pa, found %g Pa",
                  s->name, s->tank, s->supply);
  if (status == ALI3_OK) status = check_above(m, s, "flow", s->flow, "a flow");
  if (status == ALI3_OK) status = check_above(m, s, "flow_drop", s->flow_drop, "a drop of pressure");
  if (status == ALI3_OK) status = check_at_least(m, s, "lag", s->lag, "a time");
  if (status < 0) return status;
  if (!(fabs(s->overlap) <= 0.9))
    return REFUSE("overlap", "force '%.60s': expected an overlap between -0.9 and 0.9, found %g", s->name,
                  s->overlap);
  /* The start. */
  if (isnan(s->pressure[0]) && isnan(s->pressure[1])) return ALI3_OK;
  for (int i = 0; i < 2; i++) {
    const char *field = i == 0 ? "pressure_a" : "pressure_b";
    if (isnan(s->pressure[1 - i]))
      return REFUSE(field, "force '%.60s': expected pressures of both chambers, or of none, found that of %c",
                    s->name, "ab"[i]);
    if (!isnan(s->pressure[i]) && !(s->pressure[i] >= -1e5 && isfinite(s->pressure[i])))
      return REFUSE(field, "force '%.60s': expected a pressure of -1e5 Pa or more in chamber %c, found %g Pa",
                    s->name, "ab"[i], s -> pressure[i]);
  }
  return ALI3_OK;
}

/* A limit, which may be infinite. */
static int check_limit(ali3_model *m, const ali3_force_spec *s, const char *field, double x, const char *what)
{
  return isinf(x) && x > 0.0 ? ALI3_OK : check_above(m, s, field, x, what);
}

static int check_winding(ali3_model *m, const ali3_force_spec *s)
{
  int status = check_at_least(m, s, "resistance", s->resistance, "a resistance");
  if (status == ALI3_OK) status = check_at_least(m, s, "inductance", s->inductance, "an inductance");
  if (status == ALI3_OK && s->resistance + s->inductance == 0.0)
    return REFUSE("resistance", "force '%.60s': expected a resistance or an inductance above 0", s->name);
  if (status == ALI3_OK) status = check_above(m, s, "constant", s->constant, "a constant of the motor");
  if (status == ALI3_OK) status = check_limit(m, s, "max_current", s->max_current, "a largest current");
  if (status == ALI3_OK) status = check_limit(m, s, "max_voltage", s->max_voltage, "a largest voltage");
  if (status == ALI3_OK && !(fabs(s->current) <= s->max_current && isfinite(s->current)))
    return REFUSE("current", "force '%.60s': expected a current within max_current, found %g A", s->name,
                  s->current);
  return status;
}

static int check_brake(ali3_model *m, const ali3_force_spec *s)
{
  const int status = check_slip(m, s);
  return status < 0 ? status : check_above(m, s, "friction", s->friction, "a largest force or torque");
}

static int check_tread(ali3_model *m, const ali3_force_spec *s)
{
  static const char *const field[][2] = {{"slip_stiffness_along", "slip_stiffness_across"},
                                         {"relaxation_along", "relaxation_across"},
                                         {"grip_along", "grip_across"},
                                         {"slip_damping_along", "slip_damping_across"}};
  int status = check_above(m, s, "load", s->load, "a load");
  /* both directions */
  for (int i = 0; i < 2 && status == ALI3_OK; i++) {
    status = check_above(m, s, field[0][i], s->slip_stiffness[i], "a stiffness");
    if (status == ALI3_OK) status = check_above(m, s, field[1][i], s->relaxation[i], "a length");
    if (status == ALI3_OK) status = check_above(m, s, field[2][i], s->grip[i], "a friction");
    if (status == ALI3_OK) status = check_at_least(m, s, field[3][i], s->slip_damping[i], "a damping");
  }
  if (status < 0) return status;
  /* the formula */
  if (!(s->shape >= 1.0 && s->shape <= 1.95))
    return REFUSE("shape", "force '%.60s': expected a shape between 1 and 1.95, found %g", s->name, s->shape);
  if (!(s->curvature <= 1.0 && isfinite(s->curvature)))
    return REFUSE("curvature", "force '%.60s': expected a curvature of 1 or less, found %g", s->name,
                  s->curvature);
  return ALI3_OK;
}

static int check_tyre(ali3_model *m, const ali3_force_spec *s)
{
  int status = check_stop(m, s);
  if (status == ALI3_OK) status = check_above(m, s, "radius", s->radius_b, "a radius");
  if (status == ALI3_OK && !isnan(s->rolling_radius))
    status = check_above(m, s, "rolling_radius", s->rolling_radius, "a radius");
  if (status < 0) return status;
  REQUIRE_FINITE("force", "normal", s->normal);
  REQUIRE_FINITE("force", "axle", s->axle);
  status = check_force_direction(m, s, "normal", s->normal);
  if (status == ALI3_OK) status = check_force_direction(m, s, "axle", s->axle);
  return status == ALI3_OK ? check_tread(m, s) : status;
}

int model_check_force(ali3_model *m, const ali3_force_spec *s, struct force *out)
{
  static int (*const check[ALI3_FORCE_TYPES])(ali3_model *, const ali3_force_spec *) = {
      [ALI3_FORCE_SPRING] = check_spring,
      [ALI3_FORCE_BUSHING] = check_coefficients,
      [ALI3_FORCE_JOINT_SPRING] = check_spring,
      [ALI3_FORCE_CABLE] = check_spring,
      [ALI3_FORCE_END_STOP] = check_stop,
      [ALI3_FORCE_STOP] = check_stop,
      [ALI3_FORCE_FRICTION] = check_friction,
      [ALI3_FORCE_DRIVE] = check_drive,
      [ALI3_FORCE_GEAR] = check_gear,
      [ALI3_FORCE_SPHERE_PLANE] = check_contact,
      [ALI3_FORCE_SPHERE_SPHERE] = check_contact,
      [ALI3_FORCE_CYLINDER] = check_cylinder,
      [ALI3_FORCE_WINDING] = check_winding,
      [ALI3_FORCE_BRAKE] = check_brake,
      [ALI3_FORCE_TYRE] = check_tyre};
  int status = model_check_name(m, "force", &m->force_names, s->name);
  if (status < 0) return status;
  if ((unsigned)s->type >= ALI3_FORCE_TYPES)
    return REFUSE("type", "force '%.60s': expected a type of force, found %d", s->name, (int)s->type);
  /* Check the joint or the bodies, then the fields of the type. */
  status = ali3_force_type_on_joint(s->type) ? check_joint(m, s, "joint", s->joint) : check_bodies(m, s);
  if (status < 0) return status;
  if (check[s->type]) status = check[s->type](m, s);
  if (status == ALI3_OK) status = check_bounds(m, s);
  if (status < 0) return status;
  /* Copy. Tables that the type ignores are not checked, and not copied. */
  *out = (struct force){.spec = *s};
  out->spec.name = NULL;
  if (!has_tables(s->type)) out->spec.force_table = out->spec.damping_table = (ali3_table){0};
  if (s->type != ALI3_FORCE_DRIVE) out->spec.motion = (ali3_table){0};
  return ALI3_OK;
}
