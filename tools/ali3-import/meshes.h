/* SPDX-License-Identifier: MIT
 * Mesh files of a robot: where they are, and their triangles. */
#ifndef IMPORT_MESHES_H
#define IMPORT_MESHES_H

#include "import.h"
#include "mesh/mesh.h"

/* The path of the file of a shape: package://NAME/... by --package, or by the folders above the robot; file://; or a path
 * below the folder of the robot. False: the reason in error[size]. */
bool mesh_path(char *path, size_t room, const struct shape *s, const struct import *o, char *error,
               size_t size);
/* The caller calls mesh_free() in both cases. */
bool mesh_of_shape(struct mesh *m, const struct shape *s, const struct import *o, char *error, size_t size);

#endif
