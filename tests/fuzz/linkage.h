/* SPDX-License-Identifier: MIT
 * Random mechanisms with known freedoms and redundant rows, because they are assembled from known parts. */
#ifndef FUZZ_LINKAGE_H
#define FUZZ_LINKAGE_H

#include "common/random.h"

#include <ali3/ali3.h>

enum { LINKAGE_BODIES = 68, LINKAGE_JOINTS = 100, LINKAGE_PARTS = 4, LINKAGE_ROTORS = 4 };

/* The known facts about a part. */
struct truth {
  int bodies, rows, freedoms, undriven, redundant, singular;
};

/* The pose of a body or joint in the coordinates of the generator. */
struct linkage_body {
  double at[3], R[9];
};
struct linkage_joint {
  ali3_joint_type type;
  int a, b;
  double at[3], axis[3],
      other[3]; /* point on b; axis of a; axis of b, or of a distance joint its point on a */
};

/* A rotor on a bearing, with its rate. */
struct linkage_rotor {
  int body, joint, on;
  double rate; /* rad/s */
};

struct linkage {
  ali3_model *m;
  struct random random;
  uint64_t seed;
  /* From the coordinates of the generator to the file: x = shift + length turn' x, and masses. */
  double length, mass, turn[9], shift[3];
  struct { /* of the part at work, before that */
    double turn[9], shift[3], mass;
    bool uneven; /* some bodies are a million times lighter */
  } part_at;
  struct linkage_body body[LINKAGE_BODIES];
  struct linkage_joint joint[LINKAGE_JOINTS];
  int bodies, joints, drives;
  struct truth truth[LINKAGE_PARTS];
  int parts;
  int part_of[LINKAGE_BODIES];
  struct linkage_rotor rotor[LINKAGE_ROTORS];
  int rotors;
  int conflicts;     /* drives and gears whose rows depend on others */
  int contradicting; /* those among them that contradict others */
  bool driven;
  double heaviest; /* kg */
  char words[1000];
};

/* Makes a mechanism of 1 to 3 parts, not frozen. A seed always gives one mechanism. */
void linkage_make(struct linkage *k, uint64_t seed);
/* Adds up to four balanced rotors of 10 to 1e4 rad/s, on the ground or on any body, before the freeze. */
void linkage_spin(struct linkage *k);

/* For the kinds of parts (linkage_kinds.c). Exits with a message if the model refuses an element. */
void linkage_say(struct linkage *k, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* A body with its centre of mass near `at`, in any orientation. */
int linkage_body(struct linkage *k, const double at[3]);
/* Adds its rows to the known facts of the part. other: see struct linkage_joint; NULL: equals axis. */
int linkage_joint(struct linkage *k, ali3_joint_type type, int a, int b, const double at[3],
                  const double axis[3], const double *other);
int linkage_drive(struct linkage *k, int joint, double speed);
int linkage_gear(struct linkage *k, int joint, int joint_b, double ratio);
int linkage_rows(ali3_joint_type type);
/* Adds one of the following kinds. */
void linkage_part(struct linkage *k);

#endif
