/* SPDX-License-Identifier: MIT
 * Tiles made by hand, for tests of kernels: two of bodies, with another body at random in every lane, and one of links between
 * them. */
#ifndef STEPPER_SCENE_H
#define STEPPER_SCENE_H

#include "common/random.h"
#include "stepper/kernels.h"

enum { SEEDS = 10, ENDS = 3, W = ISA_LANES_MAX, TILES = 3, A = 0, B = 1, LINKS = 2 };

/* Two tiles of bodies, one of links between them, and the ground. */
struct scene {
  int lanes, slots;
  struct tree tree;
  struct tree_tile tile[TILES];
  struct tree_body body[2 * W + 1]; /* as the tree has them, last the ground */
  struct tree_body side[ROWS_SIDES][W], bodies[ROWS_SIDES * W];
  int item[TILES * W];
  struct lane_at push[TILES][ENDS][W];
  struct body_end end[TILES][ENDS];
  struct body_tile body_tile[TILES];
  struct link_tile link_tile[TILES];
  struct joint_rows link[W];
  struct frozen f;
  ali3_model m;
  ali3_data d;
  bool held[ROWS_MAX * W], acted[TILES], fast[TILES];
  struct reference aim[W];
  double turn[2 * W];
  double *constant; /* of the links */
  void *block[32];
  int blocks;
  struct random random;
  char what[120];
};

/* Bodies with two ends each, and room for links of so many rows and sides. */
void scene_make(struct scene *s, int lanes, int rows, int sides, int seed);
void scene_free(struct scene *s);

/* Storage that goes with the scene, at random or 0. */
double *scene_numbers(struct scene *s, size_t count, bool random);
struct tree_body scene_ground(const struct scene *s);
struct tree_body scene_body(const struct scene *s, int tile, int lane);
/* The numbers of one body, out of storage and in. */
void scene_get(double *o, const double *from, struct tree_body at, int count);
void scene_put(double *to, const double *from, struct tree_body at, int count);

/* Each body tile with ends on both sides of the links, in turn; together: lane by lane, or else one that some lanes lack
 * and others have elsewhere. */
void scene_place_ends(struct scene *s, int ends, bool together);

/* Fails the test, in the words of the scene, unless they are the same but for fused multiplications. */
void scene_close(const struct scene *s, const char *name, int lane, int i, double got, double wanted);

/* Every instruction set of this machine, with one lane and with all. */
typedef void check(const struct step_kernels *k, int lanes, int seed, const char *isa);
void scene_everywhere(check *what);

#endif
