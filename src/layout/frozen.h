/* SPDX-License-Identifier: MIT
 * What freezing adds to a model: links with their rows, the assembly tree, and what each tile of bodies or links is. Constant
 * once it is made. */
#ifndef LAYOUT_FROZEN_H
#define LAYOUT_FROZEN_H

#include "dca/condense.h"
#include "dynamics/motion.h"
#include "dynamics/rows.h"
#include "model/model.h"

/* Numbers of a body, all stored as the tree says (struct tree_body): number f of F at first F + f width + lane. */
enum {
  X_NUMBERS = 21, /* struct body_state */
  FRAME_S = 9,
  FRAME_NUMBERS = 11, /* struct body_frame: R, s, 1/s */
  DELTA_ALPHA = 11,
  DELTA_NUMBERS = 12, /* struct body_delta: r, th, n, alpha */
  BODY_MASS = 0,
  BODY_INERTIA = 1,
  BODY_NUMBERS = 10,  /* frozen.constant */
  WRENCH_NUMBERS = 6, /* struct wrench */
  AXES_LOOSE = 3,
  AXES_NUMBERS = 4 /* frozen.axes */
};

/* Shapes of links that kernels have code of their own for: X(of, name, rows, sides, whether rows_share_point()). */
#define LINK_SHAPES(X, of)                                                                                   \
  X(of, SPHERICAL, 3, 2, true)                                                                               \
  X(of, UNIVERSAL, 4, 2, true)                                                                               \
  X(of, REVOLUTE, 5, 2, true)                                                                                \
  X(of, FIXED, 6, 2, true)                                                                                   \
  X(of, SINGLE, 1, 2, false)
#define LINK_NAME(of, name, rows, sides, point) of##name,
enum link_shape {
  /* clang-format off */
  LINK_SHAPES(LINK_NAME, LINK_)
  LINK_PAIR, /* any other of two bodies */
  LINK_OTHER /* clang-format on */
};
#undef LINK_NAME

/* The bodies of a side of all links of a tile. */
enum link_part { LINK_Y, LINK_X, LINK_FRAME, LINK_PARTS }; /* what there is of them: BODY_Y numbers, .. */
struct link_side {
  enum {
    SIDE_BESIDE, /* lane by lane in one tile of the same width */
    SIDE_SAME,   /* one body for all: the ground, a hub */
    SIDE_MIXED,  /* as `mix` says */
    SIDE_WIDE,   /* elsewhere in tiles of the same width */
    SIDE_APART
  } how;
  int at[LINK_PARTS]; /* number 0 of the body of lane 0 */
  enum {
    LOAD_TILE,   /* lane by lane: bodies read whole tiles */
    LOAD_ROWS,   /* a row for each lane, see num_put_rows() */
    LOAD_NOWHERE /* the ground asks for none */
  } load;
  int load_at;                /* in solve.end_load */
  const struct lane_mix *mix; /* in slots */
};

/* What a link tile is beside its tree_tile. */
struct link_tile {
  const struct tree_tile *tile;
  const double *constant;       /* points of a and b (6), L, then u, v of each primitive (6) */
  const struct tree_body *body; /* (sides, width); the ground where there is none */
  enum link_shape shape;
  int residual;   /* in solve.residual */
  int primitives; /* the same ones in all lanes, unless lane_by_lane */
  enum primitive_kind primitive[ROWS_PRIMITIVES];
  bool lane_by_lane; /* gears and sliding, by the code of dynamics/rows.c, a link at a time */
  /* of joints with an angle, and of what acts on one: its ANGLE_NUMBERS and its zero, and (width) the joint, whose place in
   * ali3_data.turn is the last one where a lane is not in use; else NULL */
  const double *angle;
  const int *joint;
  bool point;    /* rows_share_point() of all: kernels leave the constant columns of J alone */
  bool drives;   /* some of its links are drives */
  bool aligned;  /* all sides are SIDE_BESIDE */
  bool has_tips; /* a point alone, of which the bodies do what they can: struct body_end.point */
  struct link_side side[ROWS_SIDES];
};

/* What a body tile is beside its tree_tile. */
struct body_end { /* one link end of each lane, all in one tile */
  int link;       /* the tile */
  int side;
  int load; /* in solve.end_load */
  const long long
      *lane; /* (width) where each body finds it; the width where it has none. NULL: in its own lane */
  /* Of a link tile with tips, lane by lane: the point in body axes, (3, width); else NULL. What the rows load the body with it
   * works out itself, and leaves in solve.tip what they need of it. */
  const double *point;
  size_t row; /* of the links: in lambda, z, tip */
};
struct body_tile {
  const struct body_end *end; /* in the order of the links */
  int ends;
  int rows;       /* the most of all other ends of a body */
  const int *row; /* (rows, width) where they are in solve.end_load; none: the zeros behind all loads */
  int slot, at;   /* as in tree_tile */
  size_t y, frame, delta; /* bytes before what it has of w, frame, delta; of x three times that of w */
  bool aligned;           /* it has ends, and all of them are in their own lanes of tiles */
  bool carried;           /* all of its bodies are */
  bool has_tips;          /* some of its ends have a point */
  bool tips_all;          /* all have */
  bool self_contained;    /* and nothing else acts on it: between two solutions it asks for nobody */
  bool diagonal;          /* the inertia of all its bodies is */
  bool loaded;            /* some body has loads of the model */
};

/* Once for all, what kernels would work out again and again. */
static inline void body_tile_place(struct body_tile *t, int slot)
{
  t->slot = slot;
  t->y = (size_t)slot * BODY_Y * sizeof(double);
  t->frame = (size_t)slot * FRAME_NUMBERS * sizeof(double);
  t->delta = (size_t)slot * DELTA_NUMBERS * sizeof(double);
}

/* A body of the middle of some others, to stand for one that has no mass of its own. */
struct typical {
  double mass, moment; /* kg, kg m^2 */
};

struct step_kernels; /* kernels.h */

/* What freezing adds to a model. */
struct frozen {
  struct joint_rows *link; /* (links) the joints of the model, then its rigid forces, then the others */
  int links, rigid_links;
  int rows, rigid; /* as stored, those of lanes not in use among them: tree.rows, tree.rigid */
  int true_rows;   /* of the links alone */
  double length;   /* m, size of the mechanism: residuals of lengths are judged relative to it */
  double
      rounding;  /* m, likewise for residuals of rounding: length, or a hundredth of the largest coordinate */
  int end_loads; /* numbers of all loads of links on bodies */
  int residuals; /* rigid links as stored, those of lanes not in use among them */
  int *force_link;     /* (forces) link of each */
  int *stop_beside;    /* (links) of the friction of a joint: the link of the stop of that joint; else -1 */
  int *force_of;       /* (links - joints) the other way round */
  struct drive *drive; /* (drives) */
  int drives;
  bool *carried;           /* (bodies) see dca/tree.h */
  struct typical *typical; /* (bodies) of the bodies that links connect it to */
  int rolling;             /* contacts of spheres with friction */
  bool values;             /* some force takes its value from outside */
  bool switches;           /* some law has corners: factors anew in every iteration */
  bool jumps;              /* some force over a step is not the mean of its ends */
  int *loads_first;        /* (bodies + 1) loads of each body, in `loads` */
  int *loads;              /* (loads) index in model.load, ascending per body */
  struct tree *tree;
  enum isa isa;
  struct tree_solver solver;
  const struct step_kernels *kernels[2]; /* of tiles with one lane, with all */
  struct link_tile *link_tile;           /* (tree.tiles) of tiles with joints */
  struct body_tile *body_tile;           /* (tree.tiles) of tiles with bodies */
  int *tile_of;                          /* (bodies) */
  double *constant; /* (slots, BODY_NUMBERS) mass, inertia; lanes not in use weigh nothing */
  double *
      axes; /* (slots, AXES_NUMBERS) axis that a body may spin about, body frame, or 0; 1: it has no rigid link */
  double *link_constant; /* what link_tile points into */
  void *block[6];        /* what link_tile and body_tile point into */
};

/* A link whose coordinate is prescribed. */
struct drive {
  int link, force;
  double at_start; /* coordinate */
  struct motion motion;
};

#endif
