/* SPDX-License-Identifier: MIT */
#include "config/builder.h"
#include "yaml/nearest.h"

#include <string.h>

/* The key of an element that a field of its spec was read from. */
static const struct node *key_of_field(const struct node *element, const char *field)
{
  static const struct {
    const char *field, *key;
  } other[] = {{"point_a", "at"},   {"point_b", "at"},    {"axis_a", "axis"},    {"axis_b", "axis"},
               {"vector", "force"}, {"vector", "torque"}, {"radius_b", "radius"}};
  const struct node *n = node_find(element, field);
  for (size_t i = 0; !n && i < sizeof other / sizeof *other; i++)
    if (strcmp(other[i].field, field) == 0) n = node_find(element, other[i].key);
  return n ? n : element;
}

void report_problem(const struct builder *b, const struct node *element)
{
  const ali3_problem *p = ali3_model_problem(b->model);
  const struct node *n = key_of_field(element, p->field);
  if (n == element)
    report_error(b->report, n->at, "%s", p->text);
  else
    report_error(b->report, n->at, "%s: %s", n->key, p->text);
}

void report_both(const struct builder *b, const struct node *element, const char *key, const char *other)
{
  const struct node *n = node_find(element, key);
  if (n && node_find(element, other))
    report_error(b->report, n->key_at, "\"%s\" stands for \"%s\": expected one of the two, found both", key,
                 other);
}

void keep_place(const struct builder *b, struct place_list *list, int index, const struct node *element)
{
  if (index < 0)
    report_problem(b, element);
  else if (!places_add(list, index, element->at))
    report_error(b->report, element->at, "out of memory");
}

int mechanism_body(const struct names *bodies, const struct node *n, struct report *r)
{
  if (strcmp(n->text, "ground") == 0) return ALI3_GROUND;
  int index = names_find(bodies, n->text);
  if (index != BODY_UNKNOWN) return index;

  struct nearest near = {.word = n->text};
  nearest_try(&near, "ground");
  for (size_t i = 0; i < bodies->room; i++)
    if (bodies->slot[i].key) nearest_try(&near, bodies->slot[i].key);
  if (near.best)
    report_error(r, n->at, "%s: no body is named \"%.40s\"; did you mean \"%.40s\"?", n->key, n->text,
                 near.best);
  else
    report_error(r, n->at, "%s: no body is named \"%.40s\"", n->key, n->text);
  return BODY_UNKNOWN;
}
