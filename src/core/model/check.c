/* SPDX-License-Identifier: MIT
 * Checks of the elements of a model. Every refusal names the member, its value and the expected value. */
#include "base/isa.h"
#include "math/dense.h"
#include "math/euler.h"
#include "model/model_parts.h"

#include <ali3/model.h>
#include <float.h>
#include <stdio.h>
#include <string.h>

double model_divisor(const double *x, int n)
{
  double square = 0.0;
  for (int i = 0; i < n; i++) square += x[i] * x[i];
  return fabs(square - 1.0) <= 8.0 * DBL_EPSILON ? 1.0 : sqrt(square);
}

int model_check_within(ali3_model *m, const char *element, const char *name, const char *field,
                       const double *x, int n, double bound, const char *unit)
{
  if (!model_all_finite(x, n))
    return model_refuse(m, ALI3_E_MODEL, element, field,
                        "%s '%.60s': expected finite numbers, found NaN or infinity", element,
                        name ? name : "");
  for (int i = 0; i < n; i++)
    if (fabs(x[i]) > bound)
      return model_refuse(m, ALI3_E_MODEL, element, field,
                          "%s '%.60s': expected a magnitude of at most %g %s, found %g", element,
                          name ? name : "", bound, unit, x[i]);
  return ALI3_OK;
}

int model_check_name(ali3_model *m, const char *element, const struct names *names, const char *name)
{
  if (!name || !*name) return model_refuse(m, ALI3_E_MODEL, element, "name", "expected a name, found none");
  if (strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") != strlen(name))
    return model_refuse(m, ALI3_E_MODEL, element, "name",
                        "expected a name of letters, digits, '_' and '-', found '%.60s'", name);
  if (names_find(names, name) != -2)
    return model_refuse(m, ALI3_E_MODEL, element, "name",
                        "another %s is named '%.60s': expected another name", element, name);
  return ALI3_OK;
}

int model_check_body_index(ali3_model *m, const char *element, const char *field, int body, bool ground)
{
  if (body >= 0 && body < m->bodies) return ALI3_OK;
  if (body == ALI3_GROUND && ground) return ALI3_OK;
  return model_refuse(m, ALI3_E_MODEL, element, field, "expected a body%s",
                      ground ? " or the ground" : ", not the ground");
}

/* A + shift I is positive definite. */
static bool check_positive(const double A[9], double shift)
{
  double L[9];
  memcpy(L, A, sizeof L);
  for (int i = 0; i < 3; i++) L[4 * i] += shift;
  return chol_factor(L, 3, 3);
}

/* A rigid body with this inertia exists if each principal moment is at most the sum of the other two. This holds if tr(J) I -
 * 2 J is positive semidefinite, and no moment is negative then. */
static int check_inertia(ali3_model *m, const char *name, const double J[9], double inverse[9],
                         bool *singular)
{
  static const double ROUNDING = 1e-9, NOTHING = 1e-10;
  double trace = J[0] + J[4] + J[8], T[9], largest = 0.0;
  /* Symmetric up to rounding. */
  for (int i = 0; i < 9; i++) largest = fmax(largest, fabs(J[i]));
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < i; j++)
      if (fabs(J[3 * i + j] - J[3 * j + i]) > 1e-9 * fabs(trace))
        return model_refuse(m, ALI3_E_MODEL, "body", "inertia", "body '%.60s': expected a symmetric matrix",
                            name);
  /* T = trace(J) 1 - 2 J is negative where a principal moment exceeds the sum of the others. */
  for (int i = 0; i < 9; i++) T[i] = -2.0 * J[i];
  for (int i = 0; i < 3; i++) T[4 * i] += trace;
  if (largest > 0.0 && !check_positive(J, ROUNDING * trace))
    return model_refuse(
        m, ALI3_E_MODEL, "body", "inertia",
        "body '%.60s': expected principal moments of inertia of 0 or more, found a negative one", name);
  if (largest > 0.0 && !check_positive(T, ROUNDING * trace))
    return model_refuse(m, ALI3_E_MODEL, "body", "inertia",
                        "body '%.60s': no rigid body has this inertia: expected each principal moment to be "
                        "at most the sum of the other two, "
                        "found one larger than the sum",
                        name);
  /* There is no inverse about an axis without inertia. */
  *singular = largest == 0.0 || !check_positive(J, -NOTHING * trace) || !sym3_inverse(inverse, J) ||
              !model_all_finite(inverse, 9);
  if (*singular) memset(inverse, 0, 9 * sizeof *inverse);
  return ALI3_OK;
}

/* Projector onto the axes without inertia: all axes if J is 0, otherwise the one axis about which a body may have none. */
static void find_weightless(const double J[9], double P[9])
{
  double best = 0.0, trace = J[0] + J[4] + J[8];
  for (int i = 0; i < 9; i++) P[i] = trace == 0.0 && i % 4 == 0;
  for (int i = 0; i < 3 && trace > 0.0; i++) {
    double n[3];
    v3_cross(n, J + 3 * i, J + 3 * ((i + 1) % 3));
    double square = v3_dot(n, n);
    if (square <= best) continue;
    best = square;
    for (int r = 0; r < 3; r++)
      for (int c = 0; c < 3; c++) P[3 * r + c] = n[r] * n[c] / square;
  }
}

int model_check_body(ali3_model *m, const ali3_body_spec *s, struct body *out)
{
  /* Check the name, which is not that of the world. */
  int status = model_check_name(m, "body", &m->body_names, s->name);
  if (status < 0) return status;
  if (strcmp(s->name, "ground") == 0)
    return model_refuse(m, ALI3_E_MODEL, "body", "name", "'ground' is the world; expected another name");
  /* Check each number. */
  if (!(isfinite(s->mass) && s->mass >= 0.0))
    return model_refuse(m, ALI3_E_MODEL, "body", "mass",
                        "body '%.60s': expected a mass of 0 kg or more, found %g", s->name, s->mass);
  if (s->mass > BOUND_MASS || (s->mass > 0.0 && s->mass < BOUND_MASS_LOW))
    return model_refuse(m, ALI3_E_MODEL, "body", "mass",
                        "body '%.60s': expected a mass of 0, or from %g to %g kg, found %g", s->name,
                        BOUND_MASS_LOW, BOUND_MASS, s->mass);
  REQUIRE_WITHIN("body", s->name, "inertia", s->inertia, BOUND_INERTIA, "kg m^2");
  REQUIRE_WITHIN("body", s->name, "position", s->position, BOUND_LENGTH, "m");
  REQUIRE_FINITE("body", "orientation", s->orientation);
  REQUIRE_WITHIN("body", s->name, "velocity", s->velocity, BOUND_RATE, "m/s");
  REQUIRE_WITHIN("body", s->name, "angular_velocity", s->angular_velocity, BOUND_RATE, "rad/s");
  const double norm = model_divisor(s->orientation, 4);
  if (fabs(norm - 1.0) > 1e-3)
    return model_refuse(m, ALI3_E_MODEL, "body", "orientation",
                        "body '%.60s': expected Euler parameters of norm 1, found norm %g", s->name, norm);
  /* The spec, with the inertia made exactly symmetric. */
  *out = (struct body){.spec = *s};
  out->spec.name = NULL;
  status = check_inertia(m, s->name, s->inertia, out->inertia_inverse, &out->singular);
  if (out->singular) find_weightless(s->inertia, out->weightless);
  out->singular |= s->mass == 0.0;
  if (status < 0) return status;
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      out->spec.inertia[3 * i + j] = 0.5 * (s->inertia[3 * i + j] + s->inertia[3 * j + i]);
  for (int i = 0; i < 4; i++) out->spec.orientation[i] = s->orientation[i] * (1.0 / norm);
  return ALI3_OK;
}

static int check_axis(ali3_model *m, const char *name, const char *field, const double in[3], double out[3])
{
  const double norm = model_divisor(in, 3);
  if (!(isfinite(norm) && norm > 1e-9))
    return model_refuse(m, ALI3_E_MODEL, "joint", field,
                        "joint '%.60s': expected an axis of length above 0, found length %g", name, norm);
  for (int i = 0; i < 3; i++) out[i] = in[i] / norm;
  return ALI3_OK;
}

int model_check_dropped(ali3_model *m, const char *name, ali3_joint_type type, unsigned dropped)
{
  if ((dropped & ~ali3_joint_type_droppable(type)) == 0) return ALI3_OK;
  return model_refuse(
      m, ALI3_E_MODEL, "joint", "dropped",
      "joint '%.60s': a joint of type %s does not have all rows of the set %u, which the solve "
      "should leave out; expected a subset of %u",
      name, ali3_joint_type_name(type), dropped, ali3_joint_type_droppable(type));
}

static void set_sides(struct joint *j)
{
  const ali3_joint_spec *s = &j->spec;
  j->body[0] = s->body_a;
  j->body[1] = s->body_b;
  memcpy(j->point[0], s->point_a, sizeof j->point[0]);
  memcpy(j->point[1], s->point_b, sizeof j->point[1]);
  memcpy(j->axis[0], s->axis_a, sizeof j->axis[0]);
  memcpy(j->axis[1], s->axis_b, sizeof j->axis[1]);
}

int model_check_joint(ali3_model *m, const ali3_joint_spec *s, struct joint *out)
{
  /* Check the name, the type and the two bodies. */
  int status = model_check_name(m, "joint", &m->joint_names, s->name);
  if (status < 0) return status;
  if ((unsigned)s->type >= ALI3_JOINT_TYPES)
    return model_refuse(m, ALI3_E_MODEL, "joint", "type", "joint '%.60s': expected a type of joint, found %d",
                        s->name, (int)s->type);
  status = model_check_body_index(m, "joint", "body_a", s->body_a, true);
  if (status < 0) return status;
  status = model_check_body_index(m, "joint", "body_b", s->body_b, true);
  if (status < 0) return status;
  if (s->body_a == s->body_b)
    return model_refuse(m, ALI3_E_MODEL, "joint", "body_b",
                        "joint '%.60s': expected two different bodies, found one body twice", s->name);
  /* Points and coordinate. */
  REQUIRE_WITHIN("joint", s->name, "point_a", s->point_a, BOUND_LENGTH, "m");
  REQUIRE_WITHIN("joint", s->name, "point_b", s->point_b, BOUND_LENGTH, "m");
  REQUIRE_FINITE("joint", "relative_orientation", s->relative_orientation);
  if (!isfinite(s->position))
    return model_refuse(m, ALI3_E_MODEL, "joint", "position",
                        "joint '%.60s': expected a finite coordinate, found %g", s->name, s->position);
  if (!isfinite(s->velocity))
    return model_refuse(m, ALI3_E_MODEL, "joint", "velocity",
                        "joint '%.60s': expected a finite rate, found %g", s->name, s->velocity);
  /* The spec, without fields that its type does not have. */
  const bool axis_a = ali3_joint_type_has_axis_a(s->type), axis_b = ali3_joint_type_has_axis_b(s->type);
  *out = (struct joint){.spec = *s};
  ali3_joint_spec *own = &out->spec;
  own->name = NULL;
  if (s->type != ALI3_JOINT_REVOLUTE && s->type != ALI3_JOINT_PRISMATIC) own->velocity = 0.0;
  status = model_check_dropped(m, s->name, s->type, s->dropped);
  if (status < 0) return status;
  memset(own->axis_a, 0, sizeof own->axis_a);
  memset(own->axis_b, 0, sizeof own->axis_b);
  if (axis_a && (status = check_axis(m, s->name, "axis_a", s->axis_a, own->axis_a)) < 0) return status;
  if (axis_b && (status = check_axis(m, s->name, "axis_b", s->axis_b, own->axis_b)) < 0) return status;
  if (s->type == ALI3_JOINT_DISTANCE && !(isfinite(s->length) && s->length >= 0.0))
    return model_refuse(m, ALI3_E_MODEL, "joint", "length",
                        "joint '%.60s': expected a length above 0 m, found %g", s->name, s->length);
  if (s->type == ALI3_JOINT_DISTANCE)
    REQUIRE_NUMBER("joint", s->name, "length", s->length, BOUND_LENGTH, "m");
  /* Normalise the relative orientation; 0 means the orientation at the start. */
  const double norm = model_divisor(s->relative_orientation, 4);
  if (norm != 0.0 && fabs(norm - 1.0) > 1e-3)
    return model_refuse(m, ALI3_E_MODEL, "joint", "relative_orientation",
                        "joint '%.60s': expected Euler parameters of norm 1, found norm %g", s->name, norm);
  for (int i = 0; i < 4; i++)
    own->relative_orientation[i] = norm != 0.0 ? s->relative_orientation[i] / norm : 0.0;
  set_sides(out);
  return ALI3_OK;
}

int model_check_load(ali3_model *m, const ali3_load_spec *s, struct load *out)
{
  int status = s->name ? model_check_name(m, "load", &m->force_names, s->name) : ALI3_OK;
  if (status < 0) return status;
  if (s->type != ALI3_LOAD_FORCE && s->type != ALI3_LOAD_TORQUE)
    return model_refuse(m, ALI3_E_MODEL, "load", "type", "load '%.60s': expected a type of load, found %d",
                        s->name ? s->name : "", (int)s->type);
  status = model_check_body_index(m, "load", "body", s->body, false);
  if (status < 0) return status;
  REQUIRE_WITHIN("load", s->name, "vector", s->vector, BOUND_LOAD, "N or N m");
  REQUIRE_WITHIN("load", s->name, "point", s->point, BOUND_LENGTH, "m");
  *out = (struct load){.spec = *s};
  out->spec.name = NULL;
  return ALI3_OK;
}

/* The name is empty, or an instruction set that this machine has. */
static int check_isa(ali3_model *m, const ali3_options *o)
{
  char known[80] = "";
  size_t end = 0;
  enum isa isa;
  /* The field may lack its end. An empty name means the best instruction set. */
  if (!memchr(o->isa, '\0', sizeof o->isa))
    return model_refuse(m, ALI3_E_MODEL, "options", "isa", "expected a name that ends with a 0");
  if (!o->isa[0]) return ALI3_OK;
  /* List all names for the message. */
  for (int i = 0; i < ISA_COUNT && end < sizeof known; i++)
    end +=
        (size_t)snprintf(known + end, sizeof known - end, "%s%s", i > 0 ? ", " : "", isa_name((enum isa)i));
  if (!isa_from_name(o->isa, &isa))
    return model_refuse(m, ALI3_E_MODEL, "options", "isa",
                        "expected one of %s, or an empty name for the best one, found '%s'", known, o->isa);
  if (!isa_built(isa))
    return model_refuse(m, ALI3_E_MODEL, "options", "isa",
                        "this build has no kernels for %s; choose %s, or build with -DALI3_ISAS=all", o->isa,
                        isa_name(isa_best()));
  if (!isa_supported(isa))
    return model_refuse(
        m, ALI3_E_MODEL, "options", "isa",
        "this machine does not have the instruction set %s; choose %s, the best of %s that it has", o->isa,
        isa_name(isa_best()), known);
  return ALI3_OK;
}

int model_check_options(ali3_model *m, const ali3_options *o)
{
  /* Check the method and the step. */
  if (!ali3_method_name(o->method))
    return model_refuse(m, ALI3_E_MODEL, "options", "method", "expected an ali3_method, found %d",
                        (int)o->method);
  if (!(isfinite(o->dt) && o->dt > 0.0))
    return model_refuse(m, ALI3_E_MODEL, "options", "dt", "expected a step above 0 s, found %g", o->dt);
  if (o->dt < BOUND_STEP_LOW || o->dt > BOUND_STEP)
    return model_refuse(m, ALI3_E_MODEL, "options", "dt", "expected a step from %g to %g s, found %g",
                        BOUND_STEP_LOW, BOUND_STEP, o->dt);
  /* Check the solver. */
  if (o->iterations < 1 || o->iterations > 100)
    return model_refuse(m, ALI3_E_MODEL, "options", "iterations", "expected 1 to 100 iterations, found %d",
                        o->iterations);
  if (!(isfinite(o->alpha) && o->alpha >= 0.0))
    return model_refuse(m, ALI3_E_MODEL, "options", "alpha",
                        "expected a penalty above 0, or 0 for the relative compliance, found %g", o->alpha);
  if (!(o->compliance > 0.0 && o->compliance < 1.0))
    return model_refuse(m, ALI3_E_MODEL, "options", "compliance",
                        "expected a compliance between 0 and 1, found %g", o->compliance);
  if (o->substeps < 1 || o->substeps > 1000)
    return model_refuse(m, ALI3_E_MODEL, "options", "substeps", "expected 1 to 1000 substeps, found %d",
                        o->substeps);
  if (o->retry < 0 || o->retry > 64 || o->retry == 1 || (o->retry & (o->retry - 1)) != 0)
    return model_refuse(m, ALI3_E_MODEL, "options", "retry",
                        "expected 0, or 2, 4, 8, 16, 32 or 64 inner steps in place of one, found %d",
                        o->retry);
  if ((unsigned)o->coordinates >= ALI3_COORDINATES)
    return model_refuse(m, ALI3_E_MODEL, "options", "coordinates", "expected an ali3_coordinates, found %d",
                        (int)o->coordinates);
  /* Check the rule of integration. */
  if (!(o->gamma >= 0.5 && o->gamma <= 1.5))
    return model_refuse(m, ALI3_E_MODEL, "options", "gamma", "expected 0.5 to 1.5, found %g", o->gamma);
  if (o->beta != 0.0 && !(o->beta >= 0.5 * o->gamma && o->beta <= 2.0))
    return model_refuse(m, ALI3_E_MODEL, "options", "beta", "expected 0, or gamma/2 = %g to 2, found %g",
                        0.5 * o->gamma, o->beta);
  if (o->method == ALI3_METHOD_ENERGY && (o->gamma != 0.5 || o->beta != 0.0))
    return model_refuse(m, ALI3_E_MODEL, "options", o->gamma != 0.5 ? "gamma" : "beta",
                        "the method energy has formulas of its own: expected gamma 0.5 and beta 0, or the "
                        "method ali3; found gamma %g and beta %g",
                        o->gamma, o->beta);
  if (o->extrapolate && (o->gamma != 0.5 || (o->beta != 0.0 && o->beta != 0.25)))
    return model_refuse(m, ALI3_E_MODEL, "options", "extrapolate",
                        "extrapolate needs the trapezoidal rule: expected gamma 0.5 and beta 0 or 0.25");
  if (o->extrapolate && ali3_method_is_explicit(o->method))
    return model_refuse(m, ALI3_E_MODEL, "options", "extrapolate",
                        "the method %s is of order %d without extrapolation: expected extrapolate false",
                        ali3_method_name(o->method), ali3_method_order(o->method));
  /* Check the limits of assembly and violation. */
  if (!(o->assembly_velocity >= 0.0))
    return model_refuse(m, ALI3_E_MODEL, "options", "assembly_velocity",
                        "expected a velocity of 0 m/s or more, found %g", o->assembly_velocity);
  if (!(o->assembly_position >= 0.0))
    return model_refuse(m, ALI3_E_MODEL, "options", "assembly_position",
                        "expected a distance of 0 m or more, found %g", o->assembly_position);
  if (!(o->assembly_angle >= 0.0))
    return model_refuse(m, ALI3_E_MODEL, "options", "assembly_angle",
                        "expected an angle of 0 rad or more, found %g", o->assembly_angle);
  if (o->violation != 0.0 && !(o->violation >= 1e-5 && o->violation <= 1e6))
    return model_refuse(m, ALI3_E_MODEL, "options", "violation",
                        "expected 1e-5 to 1e6 of the size of the mechanism, or 0 for no limit; found %g",
                        o->violation);
  return check_isa(m, o);
}
