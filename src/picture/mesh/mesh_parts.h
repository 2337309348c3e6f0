/* SPDX-License-Identifier: MIT
 * Inside the layer: the readers of the formats, and how they add triangles. */
#ifndef MESH_MESH_PARTS_H
#define MESH_MESH_PARTS_H

#include "mesh/mesh.h"

/* Begins a part; the triangles that follow have its colour. False: there are too many, or no memory is left. */
bool mesh_begin_part(struct mesh *m, int32_t color, char *error, size_t size);
/* Appends a triangle to the last part. False: a corner is not finite, there are too many, or no memory is left. */
bool mesh_add(struct mesh *m, const float corner[9], char *error, size_t size);

bool stl_read(struct mesh *m, const unsigned char *bytes, size_t count, char *error, size_t size);
/* The bytes begin as a binary STL file of this length. */
bool stl_is_binary(const unsigned char *bytes, size_t count, size_t length);
/* The bytes begin as an STL file of text. */
bool stl_is_text(const unsigned char *bytes, size_t count);

bool glb_read(struct mesh *m, const unsigned char *bytes, size_t count, char *error, size_t size);
bool glb_is(const unsigned char *bytes, size_t count);

/* Writes a message and returns false. */
bool mesh_refuse(char *error, size_t size, const char *format, ...) __attribute__((format(printf, 3, 4)));

#endif
