/* SPDX-License-Identifier: MIT
 * Toys: small mechanisms that tests step. Everything that is refused fails the test. */
#ifndef COMMON_TOYS_H
#define COMMON_TOYS_H

#include <ali3/ali3.h>
#include <stdint.h>

/* The index, or the test fails with the model's own words. */
int toy_added(const ali3_model *m, int index);

/* A body at rest with unit orientation: mass kg, inertia a multiple of the unit matrix, kg m^2. */
ali3_body_spec toy_body(const char *name, const double position[3], double mass, double inertia);
int toy_spherical(ali3_model *m, const char *name, int a, const double point_a[3], int b,
                  const double point_b[3]);
/* Default options but for dt; all options. */
void toy_freeze(ali3_model *m, double dt);
/* The same, and a reset may move bodies as far as it takes. */
void toy_freeze_apart(ali3_model *m, double dt);
void toy_freeze_with(ali3_model *m, const ali3_options *options);
/* Data of a frozen model, reset; the status must be `status`. */
ali3_data *toy_start(const ali3_model *m, int status);
/* Steps, each of which must not fail. */
void toy_run(const ali3_model *m, ali3_data *d, int steps);

/* Links of 1 m, 1 kg, 1 kg m^2 along x, spherical joints, gravity along -y; at rest. Frozen. grounded: the
 * first end is held. */
ali3_model *toy_chain(int links, bool grounded, double dt);
/* The same with two unlike bodies in space, all lengths times `length`, all masses times `mass`, gravity
 * scaled with the length: the same motion in other units. */
ali3_model *toy_double_pendulum(double length, double mass, double dt);
ali3_model *toy_double_pendulum_with(double length, double mass, const ali3_options *options);
/* `bodies` at random places, joined by spherical joints to a random tree with `extra` more joints that close
 * loops; the first body is held. Frozen, 10 ms. */
ali3_model *toy_random(uint64_t seed, int bodies, int extra);

#endif
