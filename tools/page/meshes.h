/* SPDX-License-Identifier: MIT
 * Mesh files of a scene: a page names a mesh by a number and never by a path. */
#ifndef ALI3_VIEW_MESHES_H
#define ALI3_VIEW_MESHES_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* `visual` is the list of shapes that scene_visual_json() made. */

/* Puts the number of a mesh in place of its folder. Shapes with one file have one number: the index of the first of them. */
void meshes_number(json_t *visual);
/* The extras of a scene with another folder for all of its meshes, as text. To be freed; NULL: out of memory. */
char *meshes_move(const char *extras, const char *folder);
#define MESHES_NONE "no shape of this number has a mesh"
/* The folder and the file of the mesh of a shape, which live as long as the list. False: the shape has none. */
bool meshes_find(const json_t *visual, size_t shape, const char **folder, const char **file);
/* Reads a mesh file in the form of mesh_pack(). To be freed. NULL: the reason in error[size], and the HTTP status in *status.
 * Any thread may call it. */
unsigned char *meshes_load(const char *folder, const char *file, size_t *count, unsigned *status, char *error,
                           size_t size);
/* Reads the mesh of a shape, in the form of mesh_pack(). To be freed. NULL: the reason in error[size], and the HTTP status in
 * *status. Call it before meshes_number(). */
unsigned char *meshes_read(const json_t *visual, size_t shape, size_t *count, unsigned *status, char *error,
                           size_t size);

#endif
