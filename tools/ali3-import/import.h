/* SPDX-License-Identifier: MIT
 * The stages of an import, in the order in which import_robot() calls them. Each may report an error and return false. */
#ifndef IMPORT_IMPORT_H
#define IMPORT_IMPORT_H

#include "notes.h"
#include "robot.h"

#include <stdio.h>

enum base { BASE_AUTO, BASE_FIXED, BASE_FREE };
enum drives { DRIVES_DEFAULT, DRIVES_HOLD, DRIVES_NONE, DRIVES_POSITION, DRIVES_EFFORT };

/* NAME of package://NAME/... and its folder. */
struct package {
  const char *name, *folder;
};

struct import {
  const char *file;
  enum base base;
  enum drives drives;
  double density;      /* 0: links without mass get none */
  double acceleration; /* rad/s^2 or m/s^2, of position drives; 0: not given */
  double velocity;     /* rad/s or m/s, of position drives whose joint has none; 0: not given */
  const char *pose;    /* file, or NULL */
  const char *loops;   /* file, or NULL */
  const char *meshes;  /* folder for copies of mesh files, or NULL */
  const char *frames;  /* pattern of the links that become sensors, or NULL */
  const struct package *package;
  int packages;
  bool keep_fixed, repair_inertia, strict, armature;
};

/* tree.c: names to indices, one root, parents before children; moments of inertia in the axes of their links. */
bool robot_resolve(struct robot *r, struct notes *n);
/* loops.c: loops, motors and types of joints from a file of their own. */
/* assemble.c: moves the joints until the loops close. */
bool loops_close(struct robot *r, const struct import *o, struct notes *n);
bool loops_read(struct robot *r, const struct import *o, struct notes *n);
/* inertia.c: refuses or repairs what no body can have. */
bool inertia_check(struct robot *r, const struct import *o, struct notes *n);
/* With --repair-inertia: bodies that are points get moments. */
void inertia_fill(struct robot *r, const struct import *o, struct notes *n);
/* Adds b, whose axes are those of the frame `at`, to a. */
void inertia_add(struct inertia *a, const struct inertia *b, const struct frame *at);
/* density.c: gives links without mass the mass of their shapes. */
bool density_apply(struct robot *r, const struct import *o, struct notes *n);
/* groups.c: which links are one body; which body is the ground; which leaves are dropped. */
bool groups_make(struct robot *r, const struct import *o, struct notes *n);
bool groups_prune(struct robot *r, const struct import *o, struct notes *n);
/* start.c: coordinates at the start, and the poses of all links. */
bool start_choose(struct robot *r, const struct import *o, struct notes *n);
/* The coordinates of all joints that follow others. */
void start_follow(struct robot *r);
void start_place(struct robot *r);
/* labels.c: names of bodies and joints for the model. */
bool labels_make(struct robot *r, struct notes *n);
/* write.c, write_forces.c, write_visuals.c, write_parts.c: the model file. */
void model_write(struct robot *r, const struct import *o, struct notes *n, FILE *out);
void forces_write(const struct robot *r, const struct import *o, struct notes *n, FILE *out);
/* write_rotors.c: armature. Only for joints of which joint_has_rotor() is true. */
bool joint_has_rotor(const struct robot *r, const struct import *o, const struct joint *j);
void rotor_body_write(const struct robot *r, const struct joint *j, FILE *out);
void rotor_joint_write(const struct robot *r, const struct joint *j, FILE *out);
void rotor_gear_write(const struct joint *j, FILE *out);
void inputs_write(const struct robot *r, const struct import *o, FILE *out);
void visuals_write(struct robot *r, const struct import *o, struct notes *n, FILE *out);
/* A number in the fewest digits that give its bits, and three of them in brackets. */
void number_write(FILE *out, double x);
void vector_write(FILE *out, const double v[3]);
/* Euler parameters of a rotation. */
void euler_write(FILE *out, const double R[9]);

/* The frame of a link in the body that has it: axes of the root link of the group, origin in the centre of mass. */
struct frame link_in_body(const struct robot *r, int link);
/* How the model treats a moving joint under the options. */
enum drives joint_drive(const struct robot *r, const struct import *o, const struct joint *j);

#endif
