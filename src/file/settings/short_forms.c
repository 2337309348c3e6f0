/* SPDX-License-Identifier: MIT
 * The tables of the schema for the expansion of short forms. Set-up only. */
#include "expand/expand.h"
#include "settings/values.h"

#include <stdlib.h>
#include <string.h>

static const struct key *find_in(const struct section *s, const char *name)
{
  for (int i = 0; i < s->keys; i++)
    if (strcmp(s->key[i].name, name) == 0) return &s->key[i];
  return NULL;
}

/* The unit of a coordinate, where the type of the joint decides between two. */
static const char *unit_in(const struct section *s, const struct key *k, const struct node *map)
{
  if (s != &schema_joint || strcmp(k->name, "position") != 0) return k->unit;
  const struct node *type = node_find(map, "type");
  const bool slides = type && type->kind == NODE_SCALAR && strcmp(type->text, "prismatic") == 0;
  return slides ? "m" : "rad";
}

static struct expand_key describe_key(const void *section, const struct node *map, const char *name)
{
  const struct section *s = schema_variant(section, map);
  const struct key *k = find_in(s, name);
  struct expand_key e = {.kind = EXPAND_LATER, .unit = ""};
  if (!k) return e;
  e.unit = unit_in(s, k, map);
  switch (k->type) {
  /* Single values. */
  case KEY_NUMBER:
  case KEY_ANGLE:
  case KEY_INTEGER:
  case KEY_OR_NONE:
  case KEY_WORKERS:
    e.kind = EXPAND_NUMBER;
    break;
  case KEY_BOOL:
  case KEY_CHOICE:
    e.kind = EXPAND_WORD;
    break;
  case KEY_STRING:
    e.kind = EXPAND_TEXT;
    break;
  /* Lists of numbers. */
  case KEY_QUATERNION:
    e.kind = EXPAND_ORIENTATION;
    e.count = 4;
    break;
  case KEY_VECTOR:
  case KEY_INERTIA:
  case KEY_SIX:
  case KEY_TABLE:
  case KEY_SIX_POINTS:
    e.kind = EXPAND_NUMBERS;
    e.count = k->type == KEY_SIX ? 6 : 3;
    break;
  case KEY_SECTION:
  case KEY_ELEMENT:
  case KEY_MAP_LIKE:
    e.kind = EXPAND_MAP;
    e.section = k->section ? k->section : k->like;
    break;
  case KEY_LIST:
  case KEY_LIST_FILE:
  case KEY_LIST_LIKE:
    e.section = k->type == KEY_LIST_LIKE ? k->like : k->section;
    e.kind = e.section == &schema_part ? EXPAND_LATER : EXPAND_LIST;
    break;
  case KEY_VARIABLES:
    /* Parameters beside model.file go to another file, which does not know the names of this one. */
    if (s == &schema_model) e.kind = EXPAND_VALUES;
    break;
  case KEY_COPIES:
    break;
  }
  return e;
}

static bool read_section(const void *section, const struct node *map, void *values, struct report *r)
{
  struct file_values unused = {0};
  const struct section *s = section;
  return schema_read(s, map, values ? values : &unused, r);
}

const struct expand_rules schema_expansion = {
    .describe = describe_key,
    .read = read_section,
    .file = &schema_file,
    .model = &schema_model,
    .part = &schema_part,
    .orientation = &schema_orientation,
    .shape = &schema_shape,
};
