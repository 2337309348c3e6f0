/* SPDX-License-Identifier: MIT
 * Texts printed from the tables of keys: help, reference file, schema. */
#ifndef CONFIG_MANUAL_H
#define CONFIG_MANUAL_H

#include "config/schema.h"

#include <stdio.h>

/* A key, and the sections it stands below: "model.joints.type", "model.forces.cable.damping". */
struct key_place {
  char path[120];
  const struct section *section; /* that it is in */
  const struct key *key;
};
/* Calls `visit` for every key of a file, sections before their keys, until one call returns false. */
void manual_walk(bool (*visit)(void *user, const struct key_place *place), void *user);

/* The meaning, type, unit, range and default of the key, and whether it changes live; of a section also the list of its keys.
 * The path may leave out sections where it stays clear: "joints.type", "gamma". "all" stands for every key. False, with a
 * suggestion to `errors`: there is no such key. */
bool manual_print_key(const char *path, FILE *out, FILE *errors);
/* All keys as a JSON Schema (draft-07). False when out of memory. */
bool manual_print_schema(FILE *out);
/* A file that has every key, with what is to be known of it as comments. */
void manual_print_reference(FILE *out);

/* Prints `text` in lines of at most `width` characters; the first begins with `first`, all others with `other`. */
void manual_wrap(FILE *out, int width, const char *first, const char *other, const char *text);

#endif
