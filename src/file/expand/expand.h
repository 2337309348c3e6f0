/* SPDX-License-Identifier: MIT
 * The short forms of a file, made plain before the file is checked: parameters, expressions, units, merge keys, orientations,
 * shapes, parts that repeat, mirror or come from another file, and poses that follow from joints. The expansion replaces the
 * tree of a file by a tree without short forms, in which every node keeps the place at which a person wrote it. Set-up only. */
#ifndef EXPAND_EXPAND_H
#define EXPAND_EXPAND_H

#include "yaml/yaml.h"

/* The work of an expansion is bounded: a file is refused if its copies would have more nodes than this number plus the number of
 * characters of the file. */
enum {
  EXPAND_NODES_MOST = 1000000,
  EXPAND_DEPTH_MOST = 8,
  EXPAND_COPIES_MOST = 100000,
  EXPAND_FILES_MOST = 64
};

/* Kinds of values that the expansion treats differently. */
enum expand_kind {
  EXPAND_TEXT,    /* ${...} in it is replaced */
  EXPAND_WORD,    /* a word without quotes: true, ramp */
  EXPAND_NUMBER,  /* an expression */
  EXPAND_NUMBERS, /* a list of expressions, or one expression with the value of a vector */
  EXPAND_ORIENTATION,
  EXPAND_MAP,
  EXPAND_LIST,
  EXPAND_VALUES, /* a mapping of names to values: each becomes plain */
  EXPAND_LATER,  /* copied with its own scope: parts, repeat, parameters */
};

struct expand_key {
  enum expand_kind kind;
  const char *unit;    /* numbers: "m"; "": none */
  int count;           /* EXPAND_NUMBERS: length of a vector */
  const void *section; /* EXPAND_MAP and EXPAND_LIST: the section of the mappings */
};

/* The knowledge of the reader of the file. describe: the key of a mapping of a section; other keys of the mapping tell its type.
 * read: reads a mapping of a section into its struct, or only checks it (values NULL); false after a mistake, which is
 * reported. */
struct expand_rules {
  struct expand_key (*describe)(const void *section, const struct node *map, const char *key);
  bool (*read)(const void *section, const struct node *map, void *values, struct report *r);
  const void *file, *model, *part, *orientation, *shape;
};

/* The structs that the sections of the short forms are read into. Numbers that a file does not give are NaN. */
enum { ORIENTATION_ORDERS = 12 };
extern const char *const orientation_orders[ORIENTATION_ORDERS + 1];
struct orientation_values {
  double euler[3], axis[3], angle, x[3], y[3], z[3];
  int order; /* in orientation_orders */
};
enum shape_type { SHAPE_BOX, SHAPE_CYLINDER, SHAPE_TUBE, SHAPE_SPHERE, SHAPE_CONE, SHAPE_ROD, SHAPE_POINT };
struct shape_values {
  int type; /* enum shape_type */
  double mass, density, size[3], radius, inner_radius, length, position[3], orientation[4], from[3], to[3];
  const char *color;
};
enum { MIRROR_NONE, MIRROR_X, MIRROR_Y, MIRROR_Z };
struct part_values {
  const char *use, *prefix, *attach_to;
  int mirror;
  double position[3], orientation[4];
};

/* Memory of an expansion besides the trees: included files, and the origin of each line. It lives as long as the trees. */
struct expansion {
  struct origins origins;
  struct yaml file[EXPAND_FILES_MOST]; /* files that parts use */
  int files;
};

/* Replaces t->root. False after a mistake, which is reported. */
bool expand_tree(struct expansion *x, struct yaml *t, const struct expand_rules *rules, struct report *r);
/* As expand_tree(). given: plain values that replace parameters of the file, from another file; NULL: none. */
bool expand_tree_with(struct expansion *x, struct yaml *t, const struct node *given,
                      const struct source *given_in, const struct expand_rules *rules, struct report *r);
void expansion_free(struct expansion *x);

/* Prints a tree as YAML. */
void expand_print(const struct node *root, FILE *out);

#endif
