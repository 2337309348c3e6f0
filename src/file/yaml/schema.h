/* SPDX-License-Identifier: MIT
 * The schema of configuration files: tables with one row per key, in keys_*.c. From them come the reader, defaults, range
 * checks, messages, the comparison at a reload, the help on keys, the JSON Schema, config/reference.yaml and ali3d.yaml(5). */
#ifndef YAML_SCHEMA_H
#define YAML_SCHEMA_H

#include "yaml/yaml.h"

#include <math.h>

enum key_type {
  KEY_NUMBER,     /* double */
  KEY_ANGLE,      /* double, rad; "30 deg" is read as well */
  KEY_INTEGER,    /* int */
  KEY_OR_NONE,    /* int: an integer, or the word none for -1 */
  KEY_WORKERS,    /* int: an integer, or the word auto for -1 */
  KEY_BOOL,       /* bool */
  KEY_STRING,     /* const char *, into the tree */
  KEY_CHOICE,     /* int: place in .choices */
  KEY_VECTOR,     /* double[3] */
  KEY_QUATERNION, /* double[4] */
  KEY_INERTIA,    /* double[9], from 3 rows of 3 or from the 3 on the diagonal */
  KEY_TABLE,      /* ali3_table, from two pairs or more; the caller frees .point */
  KEY_SIX,        /* double[6] */
  KEY_SIX_POINTS, /* double[6][3] */
  KEY_LIST_LIKE,  /* a list of mappings of .like */
  KEY_MAP_LIKE,   /* a mapping of .like */
  KEY_VARIABLES,  /* a mapping of names to values, for the expansion */
  KEY_COPIES,     /* a number of copies, or a mapping of names to lists, for the expansion */
  KEY_SECTION,    /* a mapping read by .section into the same struct */
  KEY_ELEMENT,    /* a mapping of .section, read elsewhere */
  KEY_LIST,       /* a list of mappings of .section, read elsewhere */
  KEY_LIST_FILE,  /* a KEY_LIST, or a mapping that names the file with the list */
};

/* The ends that do not belong to a range. */
enum key_ends { CLOSED = 0, OPEN_MIN = 1, OPEN_MAX = 2 };

/* When a value may change. */
enum key_change {
  AT_START,      /* read once, when the program starts */
  BY_SIMULATOR,  /* BY_OPTION, and only ali3-sim reads it */
  BY_OPTION,     /* AT_START, and an option of the command line overrides the file */
  WHILE_RUNNING, /* AT_START, and with SIGHUP: see cycle_tune() */
};

struct key {
  const char *name;
  enum key_type type;
  const char *unit; /* "": none */
  double min, max;  /* numbers, integers, and the components of a vector */
  enum key_ends ends;
  const char
      *fallback; /* the default in the form of the file; "": optional without a default; NULL: required */
  enum key_change change;
  size_t offset;   /* in the struct that the section is read into */
  const char *doc; /* meaning, in sentences that do not repeat the other fields */
  const char *const *choices;
  const struct section *section;
  const struct section
      *like;    /* KEY_LIST_LIKE, KEY_MAP_LIKE: the section, which documents its keys at another place */
  bool off;     /* config/reference.yaml has the section in comments */
  bool derived; /* a required key that a short form may give in the file */
  const struct section *file; /* KEY_LIST_FILE: section of the mapping that names a file */
  const char *option;         /* BY_OPTION: the option of the command line */
  const char *example;        /* a value in config/reference.yaml in place of the default */
  unsigned only,
      needed; /* bits of the choices of section.by: the key may stand with these (0: all), and must stand */
};

enum { SECTION_KEYS_MAX = 64 };
struct section {
  const char *title; /* for messages: "a body" */
  const struct key *key;
  int keys;
  const char *doc;
  bool by_itself; /* true: live keys take effect even if other keys of the section changed */
  const char *by; /* the key whose choice decides which keys may stand; NULL: all may stand */
  const struct section
      *variants; /* sections that replace this one for the choices from variant_first on; NULL: none */
  int variant_first, variant_count;
};

/* Reads a mapping into `base`: first the defaults, then the keys of the node. map NULL: only the defaults. Reports every
 * mistake, and returns false if there was one: also a key that its choice of section.by does not take, and one that it needs. A
 * key with a mistake keeps its default. */
bool schema_read(const struct section *s, const struct node *map, void *base, struct report *r);

/* The section of a mapping with its choice of section.by: one of the variants, or s. */
const struct section *schema_variant(const struct section *s, const struct node *map);

/* Reads one key to `at` instead of into its struct. n NULL: the default. */
bool schema_read_key(const struct key *k, const struct node *n, void *at, struct report *r);

/* The value of a KEY_ANGLE is written in degrees. */
bool schema_in_degrees(const struct node *n);

/* The text of a type, of a range or of the choices ("": any value), and of all with the unit: "a number > 0 (kg)". */
const char *schema_type(const struct key *k);
const char *schema_range(const struct key *k, char *text, size_t size);
const char *schema_expected(const struct key *k, char *text, size_t size);

#endif
