/* SPDX-License-Identifier: MIT
 * Triangles of STL and GLB files, for pictures. The bytes may come from anybody: no file makes a reader fail in another way than
 * with a message. Set-up only. Any thread may call the functions.
 *
 * Lengths and axes stay as the file has them: nothing is scaled or turned. */
#ifndef MESH_MESH_H
#define MESH_MESH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { MESH_MB = 32, MESH_TRIANGLES_MOST = 700000, MESH_PARTS_MOST = 4096, MESH_NO_COLOR = -1 };

/* Triangles of one colour, one behind the other. */
struct mesh_part {
  uint32_t triangles;
  int32_t color; /* 0xrrggbb; MESH_NO_COLOR: the file gives none */
};

struct mesh {
  float *corner; /* (triangles, 3, 3) */
  uint32_t triangles;
  struct mesh_part *part; /* (parts) */
  uint32_t parts;
  uint32_t room; /* triangles that fit into corner */
};

/* Reads the bytes of an STL file, as text or binary, or of a GLB file. The bytes decide which. A mesh has one triangle or more,
 * and all its corners are finite. False: the reason in error[size]. The caller calls mesh_free() in both cases. */
bool mesh_parse(struct mesh *m, const unsigned char *bytes, size_t count, char *error, size_t size);
void mesh_free(struct mesh *m);

/* The form in which a page takes a mesh: u32 1 | u32 parts | u32 triangles | u32 0 | parts times u32 triangles, i32 colour |
 * f32 corners, little endian. To be freed. NULL: out of memory. */
unsigned char *mesh_pack(const struct mesh *m, size_t *count);

/* file.c. A name is the path of a file below a folder: without "..", without a link on its way, and with the ending .stl or .glb.
 * No other file is ever opened. `folder` is absolute. */

/* Looks at the name, the kind, the size and the first bytes of the file. False: the reason in error[size]. */
bool mesh_file_check(const char *folder, const char *name, char *error, size_t size);
/* Reads the whole file. False: the reason in error[size]. The caller calls mesh_free() in both cases. */
bool mesh_file_read(struct mesh *m, const char *folder, const char *name, char *error, size_t size);

#endif
