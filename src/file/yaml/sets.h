/* SPDX-License-Identifier: MIT
 * Values from the command line, --set KEY=VALUE. Each value is put into the tree of the file, so that the readers of the tree
 * check it like a value of the file. Set-up only.
 *
 * KEY is a path of keys and of names of list elements, "model.bodies.A.mass". VALUE is YAML, "[0, 0, -9.81]". A missing key is
 * added. A path that leads into a mapping {file: PATH} goes on in the included file. A later option has priority over an earlier
 * one. */
#ifndef YAML_SETS_H
#define YAML_SETS_H

#include "yaml/yaml.h"

struct sets {
  int count;
  struct source *source; /* (count) .file: the option as messages name it, "--set KEY=VALUE" */
  size_t *include; /* (count) length of the path to the included file that has the key; 0: none is known */
  bool *later;     /* (count) the option names an element that the tree does not have yet */
};

/* Takes texts "KEY=VALUE" and gives them to the report, which names them in messages. The texts live until sets_free(). False
 * after a mistake, which is reported. The caller calls sets_free() in both cases. */
bool sets_take(struct sets *s, const char *const *text, int count, struct report *r);
void sets_free(struct sets *s);

/* When values are put into a tree. SETS_EARLY: before the expansion of its parts, which may make the element that an option
 * names; such an option is left for later. SETS_LATE: only these options. SETS_ONCE: the tree is not expanded. */
enum sets_time { SETS_ONCE, SETS_EARLY, SETS_LATE };

/* Puts values into a tree. path NULL: the tree of the main file. Otherwise the tree of the file that the mapping at `path` of the
 * main file includes; called after the main file. Mistakes are reported. r->sets NULL: does nothing. Returns the number of values
 * that it put in. */
int sets_put(struct yaml *t, const char *path, enum sets_time time, struct report *r);

#endif
