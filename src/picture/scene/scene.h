/* SPDX-License-Identifier: MIT
 * What a picture of a mechanism shows, found from its model alone: a box and rods for each body, joints with their axes, force
 * elements, and the legs of the motion platform. Pictures and pages draw it; nothing here draws.
 *
 * Lengths are in m. A point or axis of a body is in the frame of the body, whose origin is its centre of mass; for ALI3_GROUND
 * it is in the world. An orientation is Euler parameters e0 e1 e2 e3, body to world. Set-up only: the calls allocate. Any number
 * of threads may read a scene. */
#ifndef SCENE_SCENE_H
#define SCENE_SCENE_H

#include "hexapod/types.h"
#include "scene/visual.h"

#include <ali3/model.h>
#include <stdbool.h>

struct scene_body {
  const char *name;                   /* of the model */
  double mass;                        /* kg */
  double position[3], orientation[4]; /* in the poses of the model */
  /* The solid of uniform density with the mass and inertia of the body: a sphere if its moments are equal, a cylinder along its
   * third axis if two of them are, or a box. edge: the lengths of its edges or its diameters; axes: a rotation, row by row, whose
   * columns are their directions in body axes. A solid that is longer than the points of the body reach is drawn smaller, and a
   * sphere much smaller, and no point where a rod of the body ends is inside, so that it does not hide the mechanism; an edge is
   * at least SCENE_THINNEST of the size of the scene. A body without mass has no solid, and neither has a body with two rods,
   * which shows as a bar. */
  bool has_box;
  enum scene_shape solid;
  double edge[3], axes[9];
};

/* A rod of a body, from its centre of mass to a point where a joint or a force holds it. */
struct scene_rod {
  int body;
  double from[3], to[3];
};

struct scene_joint {
  const char *name;
  ali3_joint_type type;
  int body[2];        /* a, b */
  double point[2][3]; /* in the frames of a and b */
  double axis[2][3];  /* unit; only where the type has this axis */
  bool has_axis[2];
};

/* An element between two points. Forces on joints are not listed: they have no place of their own. */
struct scene_force {
  const char *name;
  ali3_force_type type;
  int body[2];
  double point[2][3];
  double normal[3]; /* sphere_plane and tyre: out of the plane, in the frame of a; unit */
  double radius[2]; /* contacts: radius of the sphere, or of the wheel, on a and on b; 0: none */
  double axle[3];   /* tyre: in the frame of b; unit */
};

struct scene {
  const char *name;       /* of the model */
  double gravity[3];      /* m/s^2 */
  double up[3];           /* against gravity; z without gravity; unit */
  double low[3], high[3]; /* box around all centres of mass and all points, in the poses of the model */
  double size;            /* diagonal of this box, at least SCENE_SMALLEST */
  double thickness;       /* radius of a rod */
  int bodies, rods, joints, forces;
  struct scene_body *body;   /* (bodies) in the order of the model */
  struct scene_rod *rod;     /* (rods) by body */
  struct scene_joint *joint; /* (joints) in the order of the model */
  struct scene_force *force; /* (forces) */
  bool has_platform;
  struct platform_geometry platform; /* in the base frame of the rig, which is not the world */
  double neutral[PLATFORM_LEGS];     /* its legs at neutral, m or rad */
};

enum { SCENE_COLORS = 8 };
/* Colour of a body, "#rrggbb": those of the first SCENE_COLORS bodies differ. body: index or ALI3_GROUND. */
const char *scene_color(int body);

#define SCENE_THINNEST 0.01
#define SCENE_SMALLEST 0.01 /* m */

/* The scene of a model, frozen or not. platform NULL: no motion platform. The model must outlive the scene. NULL: out of
 * memory. The caller calls scene_free(). */
struct scene *scene_new(const ali3_model *m, const struct platform_geometry *platform);
void scene_free(struct scene *s);

/* The point of a body in the world, in the poses of the model. body: index or ALI3_GROUND. */
void scene_place(const struct scene *s, int body, const double point[3], double world[3]);
/* The direction of a body in the world, in the poses of the model. */
void scene_direction(const struct scene *s, int body, const double axis[3], double world[3]);
/* The end of a crank at an angle (rad), in the base frame. leg: 0 .. 5. Any thread may call it. */
void scene_crank_tip(const struct platform_geometry *g, int leg, double angle, double tip[3]);

#endif
