/* SPDX-License-Identifier: MIT
 * Texts printed from the tables of keys: help, reference file, schema. */
#ifndef MANUAL_MANUAL_H
#define MANUAL_MANUAL_H

#include "yaml/schema.h"

#include <stdio.h>

/* A key. path: the sections above it and its name, "model.joints.type", "model.forces.cable.damping". */
struct key_place {
  char path[120];
  const struct section *section; /* the section of the key */
  const struct key *key;
};

/* Prints the meaning, type, unit, range and default of the key, and whether it changes live. For a section it also prints the
 * list of its keys. A path may omit sections: "joints.type", "gamma". "all" prints every key. False, with a suggestion to
 * `errors`: no key has the path. */
bool manual_print_key(const char *path, FILE *out, FILE *errors);
/* Prints all keys as a JSON Schema (draft-07). False when out of memory. */
bool manual_print_schema(FILE *out);
/* Prints a file that has every key, with its documentation as comments. */
void manual_print_reference(FILE *out);

/* Prints `text` in lines of at most `width` characters; the first begins with `first`, all others with `other`. */
void manual_wrap(FILE *out, int width, const char *first, const char *other, const char *text);

#endif
