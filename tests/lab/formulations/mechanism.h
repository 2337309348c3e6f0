/* SPDX-License-Identifier: MIT
 * Mechanisms of rods for the tests of the laboratory: each rod of 1 kg with its local x from its first point to
 * its second. */
#ifndef TESTS_LAB_MECHANISM_H
#define TESTS_LAB_MECHANISM_H

#include "coordinates/problem.h"

#include <ali3/model.h>

enum { MECHANISM_BODIES = 16 };
/* The instant of the start of a problem. */
#define NOW(p) (&(const struct instant){.turn = (p)->turn, .own = (p)->own_start})

struct mechanism {
  ali3_model *m;
  ali3_data *d;
  struct mechanism_pose {
    double x, y, angle;
  } pose[MECHANISM_BODIES];
};

struct mechanism mechanism_new(void);
void mechanism_free(struct mechanism *o);
/* A rod of inertia 0.25, as in paper 5, from (x0, y0) to (x1, y1), at rest. */
int mechanism_rod(struct mechanism *o, const char *name, double x0, double y0, double x1, double y1);
/* A revolute joint about z at a place. */
void mechanism_pin(struct mechanism *o, const char *name, int a, int b, double x, double y);
/* The point at a place of body b on a line through it, `angle` from the x axis. */
void mechanism_slide(struct mechanism *o, const char *name, int a, int b, double x, double y, double angle);
/* Freezes and resets; fails the test where that fails. */
void mechanism_ready(struct mechanism *o);
/* Ground - rod - rod - line through the end of the second, at an angle. */
struct mechanism mechanism_slider(double angle);
/* A chain of `rods` from the ground; closed: its end is on the ground, too. */
struct mechanism mechanism_chain(int rods, bool closed);

/* A four-bar linkage whose coupler carries a loop of three rods and whose first crank carries a branch of two. */
struct mechanism mechanism_with_loop(void);

/* Two bodies of unequal inertia in space and in motion, the first on a spherical joint, the second on it by a joint of
 * this type. */
struct mechanism mechanism_pair(ali3_joint_type type);

/* A number in -1 .. 1. */
double mechanism_random(unsigned *seed);

#endif
