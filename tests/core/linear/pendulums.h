/* SPDX-License-Identifier: MIT
 * Planar pendulums: uniform rods or points in a row, on hinges about z, in gravity along -y. */
#ifndef LINEAR_PENDULUMS_H
#define LINEAR_PENDULUMS_H

#include "check.h"
#include "common/toys.h"

#include <math.h>
#include <stdio.h>

static const double PENDULUM_G = 9.81;

/* Link i has length[i], mass[i] at half of the length, inertia[i] about z, and angle[i] from the vertical. Not frozen. */
static inline ali3_model *pendulum(int links, const double *length, const double *mass, const double *inertia,
                                   const double *angle)
{
  ali3_model *m = ali3_model_new();
  double at[3] = {0};
  ali3_model_set_gravity(m, (const double[]){0, -PENDULUM_G, 0});
  for (int i = 0; i < links; i++) {
    char name[20];
    const double c = cos(0.5 * angle[i]), s = sin(0.5 * angle[i]);
    const double half[2] = {0.5 * length[i] * sin(angle[i]), -0.5 * length[i] * cos(angle[i])};
    const double arm = 0.5 * length[i], below = i ? 0.5 * length[i - 1] : 0.0;
    snprintf(name, sizeof name, "rod%d", i);
    const double position[3] = {at[0] + half[0], at[1] + half[1], 0};
    ali3_body_spec b = toy_body(name, position, mass[i], inertia[i]);
    b.orientation[0] = c;
    b.orientation[3] = s;
    toy_added(m, ali3_model_add_body(m, &b));
    snprintf(name, sizeof name, "hinge%d", i);
    ali3_joint_spec j = {.name = name,
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = i - 1,
                         .body_b = i,
                         .point_a = {0, -below, 0},
                         .point_b = {0, arm, 0},
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1},
                         .position = angle[i] - (i ? angle[i - 1] : 0.0)};
    toy_added(m, ali3_model_add_joint(m, &j));
    for (int k = 0; k < 2; k++) at[k] += 2.0 * half[k];
  }
  return m;
}

/* Mass matrix of a double pendulum in its two joint angles, as textbooks have it: the second angle is relative. */
static inline void double_pendulum_mass(const double *length, const double *mass, const double *inertia,
                                        double relative, double M[4])
{
  const double l1 = length[0], c1 = 0.5 * l1, c2 = 0.5 * length[1], cosine = cos(relative);
  M[3] = inertia[1] + mass[1] * c2 * c2;
  M[1] = M[2] = M[3] + mass[1] * l1 * c2 * cosine;
  M[0] = inertia[0] + mass[0] * c1 * c1 + inertia[1] + mass[1] * (l1 * l1 + c2 * c2 + 2 * l1 * c2 * cosine);
}

#endif
