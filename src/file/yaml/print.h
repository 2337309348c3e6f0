/* SPDX-License-Identifier: MIT
 * Writes a tree of nodes as YAML that reads back to an equal tree. Set-up only. */
#ifndef YAML_PRINT_H
#define YAML_PRINT_H

#include "yaml/yaml.h"

#include <stdio.h>

/* Writes a mapping, one key on each line. `key` is a key of it whose value is replaced by `other`; NULL: none. */
void yaml_print(FILE *out, const struct node *map, const char *key, const struct node *other);

/* Writes a scalar in double quotes with escapes, so that every character and every line break stays. */
void yaml_print_quoted(FILE *out, const char *text);

#endif
