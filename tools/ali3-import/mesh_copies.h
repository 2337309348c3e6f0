/* SPDX-License-Identifier: MIT
 * Copies of mesh files, for pictures: ali3-view reads meshes below the folder of the model only. */
#ifndef IMPORT_MESH_COPIES_H
#define IMPORT_MESH_COPIES_H

#include "import.h"

/* The name of the copy of the file of a shape, in memory of the robot. The file is found and read, and not yet copied. NULL: the
 * reason is in error[size]. */
const char *mesh_copy_plan(struct robot *r, const struct shape *s, const struct import *o, char *error,
                           size_t size);
/* Copies all planned files into the folder of --meshes. */
bool mesh_copies_make(const struct robot *r, const struct import *o, struct notes *n);

#endif
