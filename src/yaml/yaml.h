/* SPDX-License-Identifier: MIT
 * A YAML file as a tree of nodes that know their line and column. Knows nothing of what the keys mean.
 *
 * Built from libfyaml's events rather than its documents: those give no place for lists and mappings, look
 * for duplicate keys pairwise, and are several times larger. */
#ifndef YAML_YAML_H
#define YAML_YAML_H

#include "yaml/report.h"

#include <stdbool.h>

enum node_kind { NODE_NOTHING, NODE_SCALAR, NODE_LIST, NODE_MAP };

struct node {
  unsigned char kind; /* enum node_kind; NODE_NOTHING: a key without a value */
  bool quoted;        /* a scalar in quotes, or a block: never a number */
  int count;          /* children */
  struct place at, key_at;
  const char *key;    /* in a mapping; NULL otherwise */
  const char *text;   /* of a scalar; "" otherwise */
  struct node *first; /* child; shared with the anchored node where this is an alias */
  struct node *next;  /* sibling */
};

struct yaml {
  struct source source;
  struct node *root;
  struct yaml_chunk *chunks; /* all nodes and texts */
};

/* Reads a regular file. True if it is one well-formed document; otherwise the reasons are reported. Sets r->source.
 * The tree is to be freed in both cases. */
bool yaml_read(struct yaml *t, const char *file, struct report *r);
/* As yaml_read(), but the file may also be a pipe, which is read to its end. */
bool yaml_read_main(struct yaml *t, const char *file, struct report *r);
/* As yaml_read(), of a file that another one names. Messages show no line of it until the caller sets source.shown, once the
 * file has proved to be what it is taken for: a configuration must not print a file of somebody else. */
bool yaml_read_part(struct yaml *t, const char *file, struct report *r);
void yaml_free(struct yaml *t);

/* The child of a mapping with this key; NULL if there is none, or the node is NULL or no mapping. */
const struct node *node_find(const struct node *map, const char *key);

/* The first element of the list under a key of a mapping; NULL if there is none, or it is no list. */
const struct node *node_elements(const struct node *map, const char *key);

/* A word on what a node is, for messages: the text in quotes (shortened), "a list", ... */
enum { NODE_SHOWN = 48 };
const char *node_show(const struct node *n, char text[NODE_SHOWN]);

#endif
