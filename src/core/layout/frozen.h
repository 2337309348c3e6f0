/* SPDX-License-Identifier: MIT
 * Data that freezing adds to a model: links with their rows, the assembly tree, and a description of each tile of bodies or
 * links. Constant after freezing. */
#ifndef LAYOUT_FROZEN_H
#define LAYOUT_FROZEN_H

#include "condensation/condense.h"
#include "dynamics/motion.h"
#include "dynamics/rows.h"
#include "measure/chain.h"
#include "model/model.h"

/* Numbers of a body, in the storage of the tree (struct tree_body): number f of F is at first F + f width + lane. */
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
  AXES_OFF = 4,
  AXES_STEADY = 5,
  AXES_NUMBERS = 6 /* frozen.axes */
};

/* Shapes of links with kernels of their own: X(of, name, rows, sides, result of rows_share_point()). */
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
  LINK_PAIR, /* any other link of two bodies */
  LINK_OTHER /* clang-format on */
};
#undef LINK_NAME

/* Arrays of numbers of bodies: w (BODY_Y numbers), x, frame. */
enum link_field { LINK_Y, LINK_X, LINK_FRAME, LINK_FIELDS };
/* The bodies of one side of all links of a tile. */
struct link_side {
  enum {
    SIDE_BESIDE,   /* in matching lanes of one tile of equal width */
    SIDE_SAME,     /* one body for all lanes: the ground, a hub */
    SIDE_SHUFFLED, /* gathered by `shuffle` */
    SIDE_WIDE,     /* anywhere in tiles of equal width */
    SIDE_APART     /* anywhere */
  } how;
  int at[LINK_FIELDS]; /* number 0 of the body of lane 0 */
  enum {
    LOAD_TILE,   /* lane by lane: bodies read whole tiles */
    LOAD_ROWS,   /* a row for each lane, see num_put_rows() */
    LOAD_NOWHERE /* the ground asks for none */
  } load;
  int load_at;                        /* in solve.end_load */
  const struct lane_shuffle *shuffle; /* in slots */
};

/* A link tile, in addition to its tree_tile. */
struct link_tile {
  const struct tree_tile *tile;
  const double *constant;       /* points of a and b (6), L, then u, v of each primitive (6) */
  const struct tree_body *body; /* (sides, width); the ground in unused lanes */
  enum link_shape shape;
  int residual;   /* index in solve.residual */
  int primitives; /* equal in all lanes, unless lane_by_lane */
  enum primitive_kind primitive[ROWS_PRIMITIVES];
  bool lane_by_lane; /* gears and sliding rows: dynamics/rows.c evaluates one link at a time */
  /* Links with the angle of a joint: ANGLE_NUMBERS and the zero of each, and (width) their joints, by which ali3_data.turn is
   * indexed; an unused lane has the last index there. NULL: no angle. */
  const double *angle;
  const int *joint;
  bool point;  /* rows_share_point() of all links: kernels do not write the constant columns of J */
  bool drives; /* some of its links are drives */
  bool stores[ISA_LANES_MAX]; /* (width) rows_store() */
  bool aligned;               /* all sides are SIDE_BESIDE */
  bool has_points;            /* points that body kernels evaluate: struct body_end.point */
  struct link_side side[ROWS_SIDES];
};

/* One link end of each lane of a body tile. All of these ends lie in one link tile. */
struct body_end {
  int link; /* the link tile */
  int side;
  int load; /* index of the loads in solve.end_load */
  const long long
      *lane; /* (width) lane in which each body finds its end; width: it has none. NULL: its own lane */
  /* For a link tile with points: the point in body axes, (3, width); NULL: no points. The body kernel evaluates the load of these
   * rows and writes solve.point_value for them. */
  const double *point;
  size_t row; /* index of the links in lambda, z, point_value */
};
/* A body tile, in addition to its tree_tile. */
struct body_tile {
  const struct body_end *end; /* in the order of the links */
  int ends;
  int separate; /* copies: the last ends, which the pattern adds up before it adds them to the others; 0: none */
  int rows;     /* largest number of other ends of a body */
  const int
      *row;     /* (rows, width) their offsets in solve.end_load; a missing end: the zeros after all loads */
  int slot, at; /* as in tree_tile */
  size_t y, frame, delta; /* offsets in bytes in w, frame, delta; in x three times y */
  bool aligned;           /* it has ends, and all of them lie in their own lanes of link tiles */
  bool carried;           /* all of its bodies are carried */
  bool has_points;        /* some of its ends have a point */
  bool all_points;        /* all of its ends have a point */
  bool
      self_contained; /* all_points, and nothing else acts on it: between two solves it reads no other tile */
  bool diagonal;      /* the inertias of all its bodies are diagonal */
  bool steady;        /* AXES_STEADY of some of its bodies */
  bool loaded;        /* loads of the model act on some of its bodies */
};

/* Computes the offsets of a tile, so that kernels do not repeat it. */
static inline void body_tile_place(struct body_tile *t, int slot)
{
  t->slot = slot;
  t->y = (size_t)slot * BODY_Y * sizeof(double);
  t->frame = (size_t)slot * FRAME_NUMBERS * sizeof(double);
  t->delta = (size_t)slot * DELTA_NUMBERS * sizeof(double);
}

/* Geometric mean of the bodies of a cluster, in place of a body without mass. */
struct typical {
  double mass, moment; /* kg, kg m^2 */
};

struct step_kernels; /* kernels.h */

struct limbs; /* articulated/limbs.h */

struct frozen {
  struct joint_rows *link; /* (links) the joints of the model, then its rigid forces, then soft forces */
  int links, rigid_links;
  int rows, rigid; /* as stored, with unused lanes: tree.rows, tree.rigid */
  int true_rows;   /* without unused lanes */
  double length;   /* m, size of the mechanism: residuals of lengths are relative to it */
  double rounding; /* m, for residuals of rounding: length, or a hundredth of the largest coordinate */
  int end_loads;   /* numbers of the loads of links without points on bodies */
  int point_loads; /* numbers of the loads of links with points, for set-up alone; ROW_NUMBERS zeros lie in between */
  int residuals;       /* rigid links as stored, with unused lanes */
  int *force_link;     /* (forces) link of each force */
  int *stop_beside;    /* (links) for the friction of a joint: link of the stop of that joint; -1: none */
  int *force_of;       /* (links - joints) force of each link */
  struct drive *drive; /* (drives) */
  int drives;
  bool *carried;           /* (bodies) see dca/tree.h */
  struct typical *typical; /* (bodies) mean of the cluster of the body */
  bool asks_stiffness;     /* inputs change the compliance of a row: of an actuator or a brake */
  int rolling;             /* contacts of spheres with friction */
  bool loops;              /* joints, drives and gears join some bodies by more than one way */
  bool values;             /* some force takes its value from outside */
  bool switches;           /* some law has corners: every iteration factorises */
  bool jumps;              /* some force over a step differs from the mean of its ends */
  bool ranges;      /* some forces hold for a range of rotations or lengths: bushings, springs along a line */
  int *loads_first; /* (bodies + 1) loads of each body, in `loads` */
  int *loads;       /* (loads) index in model.load, ascending per body */
  struct chain *chain; /* (sensors) */
  size_t measured;     /* numbers in the memory of all chains */
  int own;             /* states of all forces that have states of their own */
  struct limbs *limbs; /* explicit methods in joint coordinates; NULL: body coordinates */
  struct tree *tree;
  enum isa isa;
  struct tree_solver solver;
  const struct step_kernels *kernels[2]; /* for tiles with one lane, with all lanes */
  struct link_tile *link_tile;           /* (tree.tiles) filled for tiles with joints */
  struct body_tile *body_tile;           /* (tree.tiles) filled for tiles with bodies */
  int *tile_of;                          /* (bodies) */
  double *constant; /* (slots, BODY_NUMBERS) mass, inertia; lanes not in use weigh nothing */
  /* (slots, AXES_NUMBERS) axis that a body may spin about, body frame, or 0; 1: it has no rigid link; 1: its centre of mass, its
   * inertia or a point of a link is off that axis; 1: it is not, and the body is free or in a bearing */
  double *axes;
  double *link_constant; /* what link_tile points into */
  void *block[6];        /* what link_tile and body_tile point into */
};

/* A link with a prescribed coordinate. */
struct drive {
  int link, force;
  double at_start; /* coordinate */
  struct motion motion;
};

#endif
