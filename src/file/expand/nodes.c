/* SPDX-License-Identifier: MIT */
#include "expand/expand_parts.h"

#include <stdlib.h>
#include <string.h>

const char *const element_list_name[ELEMENT_LISTS] = {"bodies",  "joints", "forces",
                                                      "sensors", "visual", "inputs"};

void elements_append(struct elements *e, enum element_list list, struct node *n)
{
  n->key = NULL;
  n->next = NULL;
  if (e->last[list])
    e->last[list]->next = n;
  else
    e->first[list] = n;
  e->last[list] = n;
  e->count[list]++;
}

void elements_join(struct elements *e, const struct elements *more)
{
  for (int list = 0; list < ELEMENT_LISTS; list++)
    for (struct node *n = more->first[list], *next; n; n = next) {
      next = n->next;
      elements_append(e, (enum element_list)list, n);
    }
}

bool fail_expansion(struct expander *e, struct place at, const char *text)
{
  report_error(e->report, at, "%s", text);
  return false;
}

static struct place place_with_origin(struct place at, int origin)
{
  if (at.line > 0 && at.origin == 0) at.origin = origin;
  return at;
}

bool expander_charge(struct expander *e, struct place at, long nodes)
{
  if (e->nodes > e->most) return false;
  e->nodes += nodes;
  return e->nodes <= e->most ||
         fail_expansion(e, at, "the file expands to too many elements; repeat fewer of them");
}

struct node *node_new_like(struct expander *e, const struct node *n, int origin)
{
  if (!expander_charge(e, n->at, 1)) return NULL;
  struct node *copy = yaml_copy_node(e->tree, n);
  if (!copy) {
    fail_expansion(e, n->at, "out of memory");
    return NULL;
  }
  copy->at = place_with_origin(copy->at, origin);
  copy->key_at = place_with_origin(copy->key_at, origin);
  return copy;
}

struct node *node_child(struct node *map, const char *key)
{
  for (struct node *n = map->first; n; n = n->next)
    if (strcmp(n->key, key) == 0) return n;
  return NULL;
}

void node_remove(struct node *map, const char *key)
{
  for (struct node **link = &map->first; *link; link = &(*link)->next)
    if (strcmp((*link)->key, key) == 0) {
      *link = (*link)->next;
      map->count--;
      return;
    }
}

void node_put(struct node *map, struct node *child)
{
  struct node **link = &map->first;
  while (*link && strcmp((*link)->key, child->key) != 0) link = &(*link)->next;
  child->next = *link ? (*link)->next : NULL;
  if (!*link) map->count++;
  *link = child;
}

const char *decimal_text(double v, char text[DECIMAL_SIZE])
{
  char shortest[DECIMAL_SIZE];
  for (int digits = 15; digits <= 17; digits++) {
    snprintf(shortest, sizeof shortest, "%.*g", digits, v == 0 ? 0 : v); /* -0 is no position */
    if (strtod(shortest, NULL) == v) break;
  }
  return memcpy(text, shortest, sizeof shortest);
}

/* at: the node whose place the number has. */
static struct node *new_number(struct expander *e, const struct node *at, double v)
{
  char text[DECIMAL_SIZE];
  const struct node plain = {.kind = NODE_SCALAR, .at = at->at, .key_at = at->at, .text = ""};
  struct node *n = node_new_like(e, &plain, 0);
  if (!n) return NULL;
  decimal_text(v, text);
  n->text = yaml_copy_text(e->tree, text, strlen(text));
  if (n->text) return n;
  fail_expansion(e, at->at, "out of memory");
  return NULL;
}

bool node_put_numbers(struct expander *e, struct node *map, const char *key, const double *v, int count)
{
  const struct node *old = node_child(map, key);
  struct node *n;
  /* The new nodes have the place of the old value, or that of the mapping. */
  if (count == 0) {
    n = new_number(e, old ? old : map, v[0]);
    if (!n) return false;
  } else {
    const struct node list = {.kind = NODE_LIST, .count = count, .at = old ? old->at : map->at, .text = ""};
    n = node_new_like(e, &list, 0);
    if (!n) return false;
    struct node **link = &n->first;
    for (int i = 0; i < count; i++, link = &(*link)->next)
      if (!(*link = new_number(e, n, v[i]))) return false;
  }
  n->key = key;
  n->key_at = old ? old->key_at : map->at;
  node_put(map, n);
  return true;
}

bool node_put_text(struct expander *e, struct node *map, const char *key, const char *text)
{
  const struct node *old = node_child(map, key);
  const struct node plain = {.kind = NODE_SCALAR,
                             .quoted = true,
                             .at = old ? old->at : map->at,
                             .key_at = old ? old->key_at : map->at,
                             .key = key,
                             .text = yaml_copy_text(e->tree, text, strlen(text))};
  struct node *n = plain.text ? node_new_like(e, &plain, 0) : NULL;
  if (n) node_put(map, n);
  return n != NULL;
}

static bool is_number_node(const struct node *n)
{
  return n->kind == NODE_SCALAR && !n->quoted && expression_is_decimal(n->text);
}

bool node_numbers(const struct node *n, double *v, int count)
{
  if (!n) return false;
  if (count == 0) {
    if (is_number_node(n)) *v = strtod(n->text, NULL);
    return is_number_node(n);
  }
  if (n->kind != NODE_LIST || n->count != count) return false;
  for (const struct node *c = n->first; c; c = c->next, v++) {
    if (!is_number_node(c)) return false;
    *v = strtod(c->text, NULL);
  }
  return true;
}

const char *node_text(const struct node *map, const char *key)
{
  const struct node *n = node_find(map, key);
  return n && n->kind == NODE_SCALAR ? n->text : NULL;
}
