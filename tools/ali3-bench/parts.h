/* SPDX-License-Identifier: MIT
 * What the cases are built of: bodies in the axes of the world, joints at a place of the world, named by
 * number. The first thing refused ends it; all calls after it do nothing. */
#ifndef PARTS_H
#define PARTS_H

#include <ali3/ali3.h>
#include <stdbool.h>
#include <stdint.h>

struct parts {
  ali3_model *m;
  double (*position)[3]; /* (bodies) */
  int bodies, room;
  bool good;
};

bool parts_begin(struct parts *p);
/* Takes the model out; NULL after saying on stderr what was refused. */
ali3_model *parts_end(struct parts *p, const char *name, const ali3_options *options);

void parts_gravity(struct parts *p, double x, double y, double z);
/* Index of a body with three moments of inertia, kg m^2, about the axes of the world. */
int parts_body(struct parts *p, double mass, const double inertia[3], const double position[3]);
/* The same with velocity, m/s, and angular velocity, rad/s. */
int parts_moving(struct parts *p, double mass, const double inertia[3], const double position[3],
                 const double velocity[3], const double turn[3]);
/* A rod: about any axis across it mass length^2/12, along it what a tenth of the length in width gives. */
int parts_rod(struct parts *p, double mass, const double from[3], const double to[3], const double centre[3]);
/* Index of a joint at a place of the world; axes NULL where the type has none. */
int parts_joint(struct parts *p, ali3_joint_type type, int a, int b, const double at[3],
                const double axis_a[3], const double axis_b[3]);
/* Keeps the centres of two bodies at their distance. */
void parts_bar(struct parts *p, int a, int b);
void parts_spring(struct parts *p, int joint, double stiffness, double damping);
void parts_drive(struct parts *p, int joint, double amplitude, double frequency);
void parts_gear(struct parts *p, int joint, int joint_b, double ratio);

/* Numbers that are the same in every run (splitmix64). */
struct random {
  uint64_t state;
};
double random_between(struct random *r, double low, double high);
int random_below(struct random *r, int n);
void random_unit(struct random *r, double o[3]);

#endif
