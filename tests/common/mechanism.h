/* SPDX-License-Identifier: MIT
 * Mechanisms that tests step. Everything that is refused fails the test. */
#ifndef COMMON_MECHANISM_H
#define COMMON_MECHANISM_H

#include <ali3/ali3.h>
#include <stdint.h>

/* The index, or the test fails with the model's own words. */
int mechanism_added(const ali3_model *m, int index);

/* A body at rest with unit orientation: mass kg, inertia a multiple of the unit matrix, kg m^2. */
ali3_body_spec mechanism_body(const char *name, const double position[3], double mass, double inertia);
int mechanism_spherical(ali3_model *m, const char *name, int a, const double point_a[3], int b,
                        const double point_b[3]);
void mechanism_freeze(ali3_model *m, double dt);
/* Data of a frozen model, reset; the status must be `status`. */
ali3_data *mechanism_start(const ali3_model *m, int status);
/* Steps, each of which must not fail. */
void mechanism_run(const ali3_model *m, ali3_data *d, int steps);

/* Links of 1 m, 1 kg, 1 kg m^2 along x, spherical joints, gravity along -y; at rest. Frozen. grounded: the
 * first end is held. */
ali3_model *mechanism_chain(int links, bool grounded, double dt);
/* The same with two unlike bodies in space, all lengths times `length`, all masses times `mass`, gravity
 * scaled with the length: the same motion in other units. */
ali3_model *mechanism_double_pendulum(double length, double mass, double dt);
/* `bodies` at random places, joined by spherical joints to a random tree with `extra` more joints that close
 * loops; the first body is held. Frozen, 10 ms. */
ali3_model *mechanism_random(uint64_t seed, int bodies, int extra);

#endif
