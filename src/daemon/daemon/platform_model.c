/* SPDX-License-Identifier: MIT
 * --platform=model: the rig itself as a model, in its park pose. A second daemon with this file stands for the rig. The masses
 * are guesses. */
#include "daemon/platform_model.h"

#include "hexapod/pose.h"
#include "math/vec3.h"
#include "platform/platform.h"

#include <math.h>
#include <stdio.h>

enum { N = PLATFORM_LEGS };

static const double PLATE_MASS = 200.0,
                    LOAD_HEIGHT = 0.3; /* kg, with its load; m, of its centre of mass above the joints */
static const double STEEL = 7850.0;    /* kg/m^3 */
static const double FIXED_MASS = 12.0, MOVING_MASS = 5.0; /* kg: cylinder or crank, rod */
static const double HEADROOM = 1.2;         /* the drives are faster than leg_rate by this factor */
static const double LEG_ACCELERATION = 8.0; /* m/s^2, of the drives */
static const double PART = 0.6;             /* length of a cylinder or rod, relative to the shortest leg */

/* The rig in its park pose, in world axes. */
struct plant {
  const struct platform_spec *spec;
  struct hexapod_state legs;
  double R[9], origin[3]; /* the platform's frame */
  double joint[N][3];     /* joints of the platform */
};

static void put_vector(const double v[3])
{
  printf("[%.12g, %.12g, %.12g]", v[0], v[1], v[2]);
}

static void put_list(const char *name, double (*v)[3])
{
  printf("        %s: [", name);
  for (int i = 0; i < N; i++) {
    if (i) printf(", ");
    put_vector(v[i]);
  }
  printf("]\n");
}

static void put_numbers(const char *name, const double *x)
{
  printf("        %s: [", name);
  for (int i = 0; i < N; i++) printf("%s%.12g", i ? ", " : "", x[i]);
  printf("]\n");
}

static void unit_vector(double v[3])
{
  const double length = sqrt(v3_dot(v, v));
  for (int i = 0; i < 3; i++) v[i] /= length;
}

/* A unit vector across z, level where there is one. */
static void level_across(const double z[3], double across[3])
{
  const double up[3] = {0.0, 0.0, 1.0}, ahead[3] = {1.0, 0.0, 0.0};
  v3_cross(across, up, z);
  if (v3_dot(across, across) < 1e-6) v3_cross(across, z, ahead);
  unit_vector(across);
}

/* The moments of inertia of a rod along z. */
static void rod_inertia(double inertia[3], double mass, double length)
{
  inertia[0] = inertia[1] = mass * length * length / 12.0;
  inertia[2] = 0.02 * inertia[0];
  /* Not denser than steel: a short one is a thick bar. */
  const double section = mass / (STEEL * length), twist = mass * section / 6.0;
  if (twist <= inertia[2]) return;
  inertia[0] = inertia[1] = mass * (length * length + section) / 12.0;
  inertia[2] = twist;
}

static void put_plate(const struct plant *p)
{
  const struct platform_geometry *g = &p->spec->geometry;
  /* Find its radius and its centre of mass. */
  double reach = 0.0, centre[3] = {0.0, 0.0, LOAD_HEIGHT}, at[3];
  for (int i = 0; i < N; i++) reach = fmax(reach, hypot(g->top[i][0], g->top[i][1]));
  m3_mul(at, p->R, centre);
  v3_axpy(at, 1.0, p->origin);
  /* Print its body, and the sensor that gives its pose. */
  printf("  bodies: # platform and load together\n    - {name: platform, mass: %g, inertia: [%.4g, %.4g, "
         "%.4g], position: ",
         PLATE_MASS, 0.4 * PLATE_MASS * reach * reach, 0.4 * PLATE_MASS * reach * reach,
         0.5 * PLATE_MASS * reach * reach);
  put_vector(at);
  const double x[3] = {p->R[0], p->R[3], p->R[6]}, z[3] = {p->R[2], p->R[5], p->R[8]};
  printf(", orientation: {z: ");
  put_vector(z);
  printf(", x: ");
  put_vector(x);
  printf("}}\n  sensors:\n    - {name: top, type: pose, body: platform, point: [0, 0, %g]} # the frame of "
         "the section platform\n",
         -LOAD_HEIGHT);
}

/* The joints of the platform in the frame of its body. */
static void put_joint_lists(const struct plant *p)
{
  const struct platform_geometry *g = &p->spec->geometry;
  double base[N][3], top[N][3], joint[N][3];
  for (int i = 0; i < N; i++) {
    v3_copy(base[i], g->base[i]);
    v3_copy(top[i], g->top[i]);
    v3_copy(joint[i], p->joint[i]);
    top[i][2] -= LOAD_HEIGHT;
  }
  put_list("b", base);
  put_list("t", top);
  put_list("q", joint);
}

static void put_input_and_drive(const struct plant *p, const char *unit)
{
  const struct platform_geometry *g = &p->spec->geometry;
  const double arm = g->crank ? g->crank_length : 1.0;
  printf(
      "      forces: [{name: \"leg_${n}\", type: drive, joint: \"leg_${n}\", external: true, max_rate: %.6g, "
      "max_acceleration: %.6g}]\n"
      "      inputs: [{name: \"leg_${n}\", force: \"leg_${n}\", policy: hold, lower: %.12g, upper: %.12g, "
      "safe: start}] # %s\n",
      HEADROOM * g->leg_rate, LEG_ACCELERATION / arm, g->leg_min, g->leg_max, unit);
}

static void put_legs(const struct plant *p)
{
  const struct platform_geometry *g = &p->spec->geometry;
  const double length = PART * g->leg_min;
  double across[N][3], fixed[3], moving[3];
  /* One axis of each universal joint is level. */
  for (int i = 0; i < N; i++) {
    double leg[3];
    v3_sub(leg, p->joint[i], g->base[i]);
    unit_vector(leg);
    level_across(leg, across[i]);
  }
  put_list("across", across);
  /* Print cylinder and rod, then their joints. */
  rod_inertia(fixed, FIXED_MASS, length);
  rod_inertia(moving, MOVING_MASS, length);
  printf("      parameters: {leg: q - b, z: unit(leg)}\n"
         "      bodies:\n"
         "        - {name: \"cylinder_${n}\", mass: %g, inertia: [%.4g, %.4g, %.4g], position: b + %.6g*z, "
         "orientation: {z: z, x: across}}\n"
         "        - {name: \"rod_${n}\", mass: %g, inertia: [%.4g, %.4g, %.4g], position: q - %.6g*z, "
         "orientation: {z: z, x: across}}\n",
         FIXED_MASS, fixed[0], fixed[1], fixed[2], 0.5 * length, MOVING_MASS, moving[0], moving[1], moving[2],
         0.5 * length);
  printf("      joints:\n"
         "        - {name: \"base_${n}\", type: universal, body_a: ground, body_b: \"cylinder_${n}\", "
         "point_a: b, point_b: [0, 0, -%.6g], axis_a: across, axis_b: [0, 1, 0]}\n"
         "        - {name: \"leg_${n}\", type: prismatic, body_a: \"cylinder_${n}\", body_b: \"rod_${n}\", "
         "point_a: [0, 0, -%.6g], point_b: [0, 0, %.6g], axis_a: [0, 0, 1], position: norm(leg)}\n"
         "        - {name: \"top_${n}\", type: spherical, body_a: \"rod_${n}\", body_b: platform, point_a: "
         "[0, 0, %.6g], point_b: t}\n",
         0.5 * length, 0.5 * length, 0.5 * length, 0.5 * length);
  put_input_and_drive(p, "m, from joint to joint");
}

static void put_cranks(const struct plant *p)
{
  const struct platform_geometry *g = &p->spec->geometry;
  double axis[N][3], ahead[N][3], fixed[3], moving[3];
  /* A crank turns about a level axis. */
  for (int i = 0; i < N; i++) {
    const double c = cos(g->crank_heading[i]), s = sin(g->crank_heading[i]), angle = p->legs.leg[i];
    const double turned[3] = {c * cos(angle), s * cos(angle), sin(angle)}, across[3] = {s, -c, 0.0};
    v3_copy(ahead[i], turned);
    v3_copy(axis[i], across); /* a positive angle turns the crank up */
  }
  put_list("axis", axis);
  put_list("ahead", ahead);
  /* Print crank and rod, then their joints. */
  rod_inertia(fixed, FIXED_MASS, g->crank_length);
  rod_inertia(moving, MOVING_MASS, g->rod_length);
  printf("      parameters: {tip: b + %.12g*ahead, z: unit(q - tip)}\n"
         "      bodies:\n"
         "        - {name: \"crank_${n}\", mass: %g, inertia: [%.4g, %.4g, %.4g], position: b + %.6g*ahead, "
         "orientation: {z: axis, x: ahead}}\n"
         "        - {name: \"rod_${n}\", mass: %g, inertia: [%.4g, %.4g, %.4g], position: 0.5*(tip + q), "
         "orientation: {z: z, x: axis}}\n",
         g->crank_length, FIXED_MASS, fixed[2], fixed[0], fixed[1], 0.5 * g->crank_length, MOVING_MASS,
         moving[0], moving[1], moving[2]);
  printf("      joints:\n"
         "        - {name: \"leg_${n}\", type: revolute, body_a: ground, body_b: \"crank_${n}\", at: b, "
         "axis: axis, position: start}\n"
         "        - {name: \"tip_${n}\", type: universal, body_a: \"crank_${n}\", body_b: \"rod_${n}\", at: "
         "tip, axis_a: [0, 0, 1], axis_b: [0, 1, 0]}\n"
         "        - {name: \"top_${n}\", type: spherical, body_a: \"rod_${n}\", body_b: platform, at: q}\n");
  put_input_and_drive(p, "rad, angle of the crank");
}

void platform_model(const struct platform_spec *spec, const char *file)
{
  struct hexapod h;
  struct plant p = {.spec = spec};
  char error[300];
  /* The rig in its park pose, which the reader of the file has checked. */
  hexapod_init(&h, &spec->geometry, error, sizeof error);
  hexapod_solve(&h, spec->park, NULL, &p.legs);
  pose_rotation(p.R, spec->park + 3);
  v3_copy(p.origin, spec->park);
  p.origin[2] += spec->geometry.height;
  for (int i = 0; i < N; i++) {
    m3_mul(p.joint[i], p.R, spec->geometry.top[i]);
    v3_axpy(p.joint[i], 1.0, p.origin);
  }
  /* The file. */
  printf("# The rig of %s in its park pose, by ali3d --platform=model. Masses, inertias and the limits of "
         "the drives are\n"
         "# guesses: put in those of the rig. The drives take the signals platform.legs.1 to .6 of the "
         "daemon that moves the rig.\n"
         "# x to the front, y to the left, z up; the base frame is the world.\n"
         "model:\n  name: rig\n  gravity: [0, 0, %.12g]\n",
         file, -(spec->gravity > 0.0 ? spec->gravity : 9.81));
  put_plate(&p);
  printf("  parts:\n    - repeat: # leg n, with its joints b of the base, t of the platform in its body, q "
         "of the platform now\n"
         "        n: [1, 2, 3, 4, 5, 6]\n");
  put_joint_lists(&p);
  put_numbers("start", p.legs.leg);
  if (spec->geometry.crank)
    put_cranks(&p);
  else
    put_legs(&p);
  printf("simulation: {duration: 60}\n");
}
