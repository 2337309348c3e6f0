/* SPDX-License-Identifier: MIT
 * A YAML file as a tree of nodes that know their line and column. This layer does not know the meaning of keys.
 *
 * The tree comes from libfyaml's events instead of its documents. Documents have no place of lists and mappings, compare keys
 * pairwise to find duplicates, and are several times larger. */
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
  const char *key;  /* in a mapping; NULL otherwise */
  const char *text; /* of a scalar; "" otherwise */
  const char *written,
      *why; /* for messages: the text of the file, if it was an expression; a remark on it. NULL: none */
  struct node *first; /* child; an alias shares it with the anchored node */
  struct node *next;  /* sibling */
};

struct yaml {
  struct source source;
  struct node *root;
  struct yaml_chunk *chunks; /* all nodes and texts */
  bool lent;                 /* the source belongs to another tree */
};

/* Reads a regular file. True if it is one well-formed document; otherwise the mistakes are reported. Sets r->source. The caller
 * frees the tree in both cases. */
bool yaml_read(struct yaml *t, const char *file, struct report *r);
/* As yaml_read(). The file may also be a pipe, which is read to its end. */
bool yaml_read_main(struct yaml *t, const char *file, struct report *r);
/* As yaml_read(), for a file that another file names. Messages show no line of it until the caller sets source.shown, after the
 * file proved to have the expected keys: a configuration must not print any other file of the machine. */
bool yaml_read_part(struct yaml *t, const char *file, struct report *r);
/* A tree of its own over the nodes of `from`, which lives longer. Its root may change, and no node below it. Sets r->source.
 * False when out of memory. */
bool yaml_share(struct yaml *t, const struct yaml *from, struct report *r);
void yaml_free(struct yaml *t);

/* Reads a text into nodes that a tree owns. NULL after a mistake, which is reported. */
const struct node *yaml_read_text(struct yaml *t, const struct source *s, struct report *r);
/* Copies that the tree owns. A node has no next node and shares its children. NULL when out of memory. */
struct node *yaml_copy_node(struct yaml *t, const struct node *n);
const char *yaml_copy_text(struct yaml *t, const char *text, size_t length);

/* The child of a mapping with this key. NULL: the mapping does not have the key, or map is NULL or no mapping. */
const struct node *node_find(const struct node *map, const char *key);
/* node_find() of a key in a section of the mapping; NULL also without the section. */
const struct node *node_in_section(const struct node *map, const char *section, const char *key);

/* The first element of the list under a key of a mapping. NULL: there is no list, or it is empty. */
const struct node *node_elements(const struct node *map, const char *key);

/* A node in messages: its text, shortened, or "a list", "a mapping", "nothing". */
enum { NODE_SHOWN = 48 };
const char *node_show(const struct node *n, char text[NODE_SHOWN]);

#endif
