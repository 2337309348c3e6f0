/* SPDX-License-Identifier: MIT
 * Elements of the cases: bodies in world axes, and joints at a place of the world, with numbers as names. After the first refusal
 * all calls do nothing. */
#ifndef PARTS_H
#define PARTS_H

#include <ali3/model.h>
#include <stdbool.h>
#include <stdint.h>

struct parts {
  ali3_model *m;
  double (*position)[3]; /* (bodies) */
  int bodies, room;
  bool good;
};

bool parts_begin(struct parts *p);
/* Returns the model; NULL, with the reason on stderr, after a refusal. */
ali3_model *parts_end(struct parts *p, const char *name, const ali3_options *options);

void parts_gravity(struct parts *p, double x, double y, double z);
/* Index of a body with three moments of inertia, kg m^2, about the axes of the world. */
int parts_body(struct parts *p, double mass, const double inertia[3], const double position[3]);
/* Index of a body with velocity, m/s, and angular velocity, rad/s. */
int parts_moving(struct parts *p, double mass, const double inertia[3], const double position[3],
                 const double velocity[3], const double turn[3]);
/* A rod: mass length^2/12 about each axis across it; about its length, the inertia of a width of a tenth of the length. */
int parts_rod(struct parts *p, double mass, const double from[3], const double to[3], const double centre[3]);
/* Index of a joint at a place of the world; axes NULL if the type has none. */
int parts_joint(struct parts *p, ali3_joint_type type, int a, int b, const double at[3],
                const double axis_a[3], const double axis_b[3]);
/* Keeps the centres of two bodies at their distance. */
void parts_bar(struct parts *p, int a, int b);
void parts_spring(struct parts *p, int joint, double stiffness, double damping);
void parts_drive(struct parts *p, int joint, double amplitude, double frequency);
void parts_gear(struct parts *p, int joint, int joint_b, double ratio);

/* Random numbers, equal in every run (splitmix64). */
struct random {
  uint64_t state;
};
double random_between(struct random *r, double low, double high);
int random_below(struct random *r, int n);
void random_unit(struct random *r, double o[3]);

#endif
