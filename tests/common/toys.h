/* SPDX-License-Identifier: MIT
 * Toys: small mechanisms that tests step. A refusal fails the test. */
#ifndef COMMON_TOYS_H
#define COMMON_TOYS_H

#include <ali3/ali3.h>
#include <stdint.h>

/* Returns the index; a negative status fails the test with the problem of the model. */
int toy_added(const ali3_model *m, int index);

/* A body at rest with unit orientation: mass kg, inertia a multiple of the unit matrix, kg m^2. */
ali3_body_spec toy_body(const char *name, const double position[3], double mass, double inertia);
int toy_spherical(ali3_model *m, const char *name, int a, const double point_a[3], int b,
                  const double point_b[3]);
/* Default options except dt. */
void toy_freeze(ali3_model *m, double dt);
/* Default options except dt, and a reset may move bodies by any distance. */
void toy_freeze_apart(ali3_model *m, double dt);
void toy_freeze_with(ali3_model *m, const ali3_options *options);
/* The mechanism of another model, frozen with these options. */
ali3_model *toy_copy_with(const ali3_model *m, const ali3_options *options);
/* Data of a frozen model after a reset, which must return `status`. */
ali3_data *toy_start(const ali3_model *m, int status);
/* Does steps, none of which may fail. */
void toy_run(const ali3_model *m, ali3_data *d, int steps);

/* A chain of links of 1 m, 1 kg, 1 kg m^2 along x, with spherical joints and gravity along -y, at rest. Frozen. grounded: a joint
 * holds the first end. */
ali3_model *toy_chain(int links, bool grounded, double dt);
/* A chain of two unlike bodies in space, with all lengths times `length`, all masses times `mass`, and gravity times `length`:
 * equal motions in other units. */
ali3_model *toy_double_pendulum(double length, double mass, double dt);
ali3_model *toy_double_pendulum_with(double length, double mass, const ali3_options *options);
/* `bodies` at random places. Spherical joints connect them to a random tree; `extra` more joints close loops, and one holds the
 * first body. Frozen, 10 ms. */
ali3_model *toy_random(uint64_t seed, int bodies, int extra);
ali3_model *toy_random_with(uint64_t seed, int bodies, int extra, const ali3_options *options);

#endif
