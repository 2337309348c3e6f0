/* SPDX-License-Identifier: MIT
 * Shapes that a model file gives its bodies for pictures. Nothing else reads them. */
#ifndef SCENE_VISUAL_H
#define SCENE_VISUAL_H

#include <stdbool.h>

#define SCENE_SHAPE_LIST(X)                                                                                  \
  X(SCENE_BOX, "box")           /* edges x, y, z */                                                          \
  X(SCENE_SPHERE, "sphere")     /* diameters along x, y, z */                                                \
  X(SCENE_CYLINDER, "cylinder") /* diameters along x and y, length along z */                                \
  X(SCENE_CAPSULE,                                                                                           \
    "capsule")          /* a cylinder with round ends: diameters along x and y, whole length along z */      \
  X(SCENE_TUBE, "tube") /* a cylinder with a hole along z: `inner` times its diameters */                    \
  X(SCENE_CONE, "cone") /* diameters of the base along x and y, height along z, its top at +z */             \
  X(SCENE_MESH, "mesh") /* the triangles of a file, times `scale` */
enum scene_shape {
#define SCENE_SHAPE_ENUM(id, text) id,
  SCENE_SHAPE_LIST(SCENE_SHAPE_ENUM)
#undef SCENE_SHAPE_ENUM
};

enum { SCENE_COLOR = 8 };

struct scene_visual {
  int body; /* index of the model, or ALI3_GROUND */
  enum scene_shape shape;
  double size[3];     /* m, above 0; not of a mesh */
  double position[3]; /* m, centre of the shape in the frame of the body; of a mesh the origin of its file */
  double orientation[4]; /* Euler parameters, shape to body */
  double inner;          /* tube: diameter of its hole as a part of its diameter */
  char color
      [SCENE_COLOR]; /* "#rrggbb"; "": a mesh in the colours of its file, another shape in that of its body */
  bool rods;         /* the rods of the body are drawn, too */
  /* A mesh; NULL for other shapes. mesh/mesh.h reads it. */
  char *file, *folder; /* path below the folder of the model file, and that folder, absolute */
  double scale;        /* m for each unit of length of the file */
  int mirror;          /* 0, 1, 2: the axis of the file whose sign changes; -1: none */
};

#endif
