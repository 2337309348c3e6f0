/* SPDX-License-Identifier: MIT
 * The files of the page, compiled in, and three.js from the folder of Debian's libjs-three. The only files that are ever
 * served: no path from the outside reaches the file system. */
#ifndef ALI3_VIEW_ASSETS_H
#define ALI3_VIEW_ASSETS_H

#include <stddef.h>

struct asset {
  const char *path, *type;
  const char *bytes;
  size_t size;
};

/* NULL: there is no such file. The path is compared as a whole. */
const struct asset *assets_find(const char *path);
/* The scripts of the page in their order; NULL behind the last one. */
const struct asset *assets_script(int i);

/* Reads three.js; the caller frees it. NULL: the reason in error[size]. */
char *assets_three(size_t *size, char *error, size_t error_size);

#endif
