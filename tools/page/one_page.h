/* SPDX-License-Identifier: MIT
 * A run as one page that needs no server: the files of the page, three.js, the scene and the records in one HTML file. */
#ifndef ALI3_VIEW_ONE_PAGE_H
#define ALI3_VIEW_ONE_PAGE_H

#include "page/wire.h"

#include <stdio.h>

/* Writes the page, with the meshes of the scene. Changes the shapes of the scene as meshes_number() does. False: the reason in
 * error[size]; an error of `out` itself shows in ferror(). */
bool one_page_write(FILE *out, json_t *scene, const struct record_bytes *records, char *error, size_t size);

#endif
