/* SPDX-License-Identifier: MIT
 * Copies trees, with merge keys resolved and scalars evaluated. A key that the reader of the file does not know stays
 * unchanged, and the reader reports it. */
#include "expand/expand_parts.h"

#include <string.h>

enum { MERGING_MOST = 64 };
static const char merge_key[] = "<<";

static bool adopt_key(struct expander *e, struct node *map, const struct node *n, int origin,
                      struct node **last)
{
  struct node *copy = node_new_like(e, n, origin);
  if (!copy) return false;
  if (*last)
    (*last)->next = copy;
  else
    map->first = copy;
  *last = copy;
  map->count++;
  return true;
}

/* Adds the keys of `from` that neither the mapping itself nor an earlier one has. */
static bool merge_mapping(struct expander *e, struct node *out, const struct node *own,
                          const struct node *from, int origin, struct node **last)
{
  if (e->merging == MERGING_MOST)
    return fail_expansion(e, from->at, "<<: too many merge keys inside each other");
  e->merging++;
  struct node *flat = from->kind == NODE_MAP ? mapping_merge(e, from, origin) : NULL;
  e->merging--;
  if (!flat)
    return from->kind != NODE_MAP &&
           fail_expansion(e, from->at, "<<: expected a mapping, or a list of mappings, to take keys from");
  /* Each key is compared with all others. */
  const long others = (long)own->count + out->count + flat->count;
  if (!expander_charge(e, from->at, flat->count * others / 16)) return false;
  for (struct node *n = flat->first; n; n = n->next)
    if (!node_find(own, n->key) && !node_find(out, n->key) && !adopt_key(e, out, n, origin, last))
      return false;
  return true;
}

struct node *mapping_merge(struct expander *e, const struct node *map, int origin)
{
  struct node *out = node_new_like(e, map, origin), *last = NULL;
  if (!out) return NULL;
  out->first = NULL;
  out->count = 0;
  /* Keys keep their order. Merged keys stand in place of the merge key. */
  for (const struct node *n = map->first; n; n = n->next) {
    if (strcmp(n->key, merge_key) != 0) {
      if (!adopt_key(e, out, n, origin, &last)) return NULL;
      continue;
    }
    if (n->kind != NODE_LIST && !merge_mapping(e, out, map, n, origin, &last)) return NULL;
    for (const struct node *c = n->kind == NODE_LIST ? n->first : NULL; c; c = c->next)
      if (!merge_mapping(e, out, map, c, origin, &last)) return NULL;
  }
  return out;
}

/* Copies the elements of a list of numbers, which may be lists themselves. */
static bool copy_numbers(struct expander *e, struct node *list, const struct expand_key *k,
                         const struct scope *s, int origin, int depth)
{
  const struct expand_key one = {.kind = EXPAND_NUMBER, .unit = k->unit};
  struct node **link = &list->first;
  for (const struct node *n = list->first; n; n = n->next, link = &(*link)->next) {
    *link = node_new_like(e, n, origin);
    if (!*link) return false;
    if (n->kind == NODE_SCALAR) scalar_evaluate(e, *link, &one, s);
    if (n->kind == NODE_LIST && depth < 2 && !copy_numbers(e, *link, k, s, origin, depth + 1)) return false;
  }
  return true;
}

static bool copy_elements(struct expander *e, struct node *list, const struct expand_key *k,
                          const struct scope *s, int origin)
{
  struct node **link = &list->first;
  for (const struct node *n = list->first; n; n = n->next, link = &(*link)->next) {
    *link = n->kind == NODE_MAP ? mapping_evaluate(e, n, k->section, s, origin) : node_new_like(e, n, origin);
    if (!*link) return false;
  }
  return true;
}

/* Replaces a mapping by the four Euler parameters that it describes. */
static bool plain_orientation(struct expander *e, struct node **n, const struct scope *s, int origin)
{
  double p[4];
  struct node *map = mapping_evaluate(e, *n, e->rules->orientation, s, origin);
  if (!map || !orientation_read(e, map, p)) return false;
  struct node holder = {.kind = NODE_MAP, .at = map->at};
  if (!node_put_numbers(e, &holder, map->key, p, 4)) return false;
  struct node *list = holder.first;
  list->at = map->at;
  list->key_at = map->key_at;
  *n = list;
  return true;
}

/* A mapping of names to values, each of them a number, a vector or a text without a name in it. */
static struct node *plain_values(struct expander *e, const struct node *map, const struct scope *s,
                                 int origin)
{
  struct node *from = mapping_merge(e, map, origin), *out = from ? node_new_like(e, from, origin) : NULL;
  for (const struct node *c = out ? from->first : NULL; c; c = c->next) {
    struct value v;
    const struct node empty = {
        .kind = NODE_SCALAR, .at = c->at, .key_at = c->key_at, .key = c->key, .text = ""};
    struct node *place = scalar_value(e, c, s, &v) ? node_new_like(e, &empty, origin) : NULL;
    if (!place) return NULL;
    /* The value takes the place of the empty node, with its line. */
    node_put(out, place);
    if (!(v.text ? node_put_text(e, out, c->key, v.text)
                 : node_put_numbers(e, out, c->key, v.number, v.count)))
      return NULL;
  }
  return out;
}

static struct node *node_evaluate(struct expander *e, const struct node *n, const struct expand_key *k,
                                  const struct scope *s, int origin)
{
  if (n->kind == NODE_MAP && k->kind == EXPAND_VALUES) return plain_values(e, n, s, origin);
  if (n->kind == NODE_MAP && k->kind == EXPAND_MAP) return mapping_evaluate(e, n, k->section, s, origin);
  struct node *copy = node_new_like(e, n, origin);
  if (!copy) return NULL;
  bool good = true;
  if (n->kind == NODE_SCALAR)
    scalar_evaluate(e, copy, k, s);
  else if (n->kind == NODE_LIST && (k->kind == EXPAND_NUMBERS || k->kind == EXPAND_ORIENTATION))
    good = copy_numbers(e, copy, k, s, origin, 0);
  else if (n->kind == NODE_LIST && k->kind == EXPAND_LIST)
    good = copy_elements(e, copy, k, s, origin);
  else if (n->kind == NODE_MAP && k->kind == EXPAND_ORIENTATION)
    good = plain_orientation(e, &copy, s, origin);
  return good ? copy : NULL;
}

struct node *mapping_evaluate(struct expander *e, const struct node *map, const void *section,
                              const struct scope *s, int origin)
{
  struct node *out = mapping_merge(e, map, origin);
  if (!out) return NULL;
  for (struct node **link = &out->first; *link; link = &(*link)->next) {
    struct node *next = (*link)->next;
    const struct expand_key k = e->rules->describe(section, out, (*link)->key);
    *link = node_evaluate(e, *link, &k, s, origin);
    if (!*link) return NULL;
    (*link)->next = next;
  }
  return out;
}
