/* SPDX-License-Identifier: MIT
 * Shapes that a model file gives its bodies for pictures. Nothing else reads them. */
#ifndef SCENE_VISUAL_H
#define SCENE_VISUAL_H

#define SCENE_SHAPE_LIST(X)                                                                                  \
  X(SCENE_BOX, "box")           /* edges x, y, z */                                                          \
  X(SCENE_SPHERE, "sphere")     /* diameters along x, y, z */                                                \
  X(SCENE_CYLINDER, "cylinder") /* diameters along x and y, length along z */
enum scene_shape {
#define SCENE_SHAPE_ENUM(id, text) id,
  SCENE_SHAPE_LIST(SCENE_SHAPE_ENUM)
#undef SCENE_SHAPE_ENUM
};

enum { SCENE_COLOR = 8 };

struct scene_visual {
  int body; /* index of the model, or ALI3_GROUND */
  enum scene_shape shape;
  double size[3];          /* m, above 0 */
  double position[3];      /* m, centre of the shape in the frame of the body */
  double orientation[4];   /* Euler parameters, shape to body */
  char color[SCENE_COLOR]; /* "#rrggbb" */
};

#endif
