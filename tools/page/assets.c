/* SPDX-License-Identifier: MIT */
#include "page/assets.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* The assembler copies each file into the program, between two symbols. */
#define ASSET_BYTES(name, file)                                                                              \
  __asm__(".section .rodata\n"                                                                               \
          ".global asset_" #name "\nasset_" #name ":\n.incbin \"" VIEW_PAGE "/" file "\"\n"                  \
          ".global asset_" #name "_end\nasset_" #name "_end:\n.byte 0\n.previous\n");                        \
  extern const char asset_##name[], asset_##name##_end[];

/* Name, file, type. The scripts come last, in the order in which the page loads them. */
#define ASSET_LIST(X)                                                                                        \
  X(index, "index.html", "text/html; charset=utf-8")                                                         \
  X(style, "style.css", "text/css; charset=utf-8")                                                           \
  X(colors, "colors.js", "text/javascript; charset=utf-8")                                                   \
  X(records, "records.js", "text/javascript; charset=utf-8")                                                 \
  X(geometry, "geometry.js", "text/javascript; charset=utf-8")                                               \
  X(orbit, "orbit.js", "text/javascript; charset=utf-8")                                                     \
  X(scene, "scene.js", "text/javascript; charset=utf-8")                                                     \
  X(labels, "labels.js", "text/javascript; charset=utf-8")                                                   \
  X(motion, "motion.js", "text/javascript; charset=utf-8")                                                   \
  X(numbers, "numbers.js", "text/javascript; charset=utf-8")                                                 \
  X(plot, "plot.js", "text/javascript; charset=utf-8")                                                       \
  X(plots, "plots.js", "text/javascript; charset=utf-8")                                                     \
  X(timeline, "timeline.js", "text/javascript; charset=utf-8")                                               \
  X(control, "control.js", "text/javascript; charset=utf-8")                                                 \
  X(source, "source.js", "text/javascript; charset=utf-8")                                                   \
  X(main, "main.js", "text/javascript; charset=utf-8")

#define ASSET_ROW(name, file, kind) ASSET_BYTES(name, file)
ASSET_LIST(ASSET_ROW)
#undef ASSET_ROW

enum { BEFORE_SCRIPTS = 2, THREE_MOST = 16 << 20 };

static struct asset *asset_table(int *count)
{
#define ASSET_ROW(name, file, kind) {.path = "/" file, .type = (kind), .bytes = asset_##name},
  static struct asset table[] = {ASSET_LIST(ASSET_ROW)};
#undef ASSET_ROW
#define ASSET_ROW(name, file, kind) asset_##name##_end,
  static const char *const end[] = {ASSET_LIST(ASSET_ROW)};
#undef ASSET_ROW
  *count = sizeof table / sizeof *table;
  for (int i = 0; i < *count; i++) table[i].size = (size_t)(end[i] - table[i].bytes);
  return table;
}

const struct asset *assets_find(const char *path)
{
  int count;
  const struct asset *table = asset_table(&count);
  if (strcmp(path, "/") == 0) return &table[0];
  for (int i = 0; i < count; i++)
    if (strcmp(path, table[i].path) == 0) return &table[i];
  return NULL;
}

const struct asset *assets_script(int i)
{
  int count;
  const struct asset *table = asset_table(&count);
  return i >= 0 && i + BEFORE_SCRIPTS < count ? &table[i + BEFORE_SCRIPTS] : NULL;
}

char *assets_three(size_t *size, char *error, size_t error_size)
{
  FILE *f = fopen(VIEW_THREE, "re");
  struct stat is;
  const bool sound = f && fstat(fileno(f), &is) == 0 && is.st_size > 0 && is.st_size <= THREE_MOST;
  char *text = sound ? malloc((size_t)is.st_size) : NULL;
  if (text)
    *size = fread(text, 1, (size_t)is.st_size, f);
  else
    snprintf(error, error_size, "%s: %s; install the package libjs-three to see the mechanism", VIEW_THREE,
             f ? "cannot be read" : strerror(errno));
  if (f) fclose(f);
  return text;
}
