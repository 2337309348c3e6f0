/* SPDX-License-Identifier: MIT
 * The "injections" list: faults that may be put into the inputs. Set-up only. */
#include "config/values.h"
#include "yaml/nearest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The keys that only some kinds have. */
static bool check_kind_keys(const struct node *n, enum inject_kind kind, struct report *r)
{
  bool good = true;
  for (int i = 0; i < schema_injection.keys; i++) {
    const struct key *k = &schema_injection.key[i];
    const struct node *given = node_find(n, k->name);
    if (given && k->only && !(k->only >> kind & 1))
      report_error(r, given->key_at, "\"%s\" has no meaning for an injection of kind %s", k->name,
                   inject_kind_name(kind));
    else if (!given && k->needed >> kind & 1)
      report_error(r, n->at, "missing key \"%s\" in an injection of kind %s", k->name,
                   inject_kind_name(kind));
    else
      continue;
    good = false;
  }
  return good;
}

/* -1: none has the name; that is said, unless the inputs have mistakes, for which one may be missing. */
static int find_injected_input(const struct node *input, const struct settings *s, bool complete,
                               struct report *r)
{
  struct nearest near = {.word = input->text};
  for (int i = 0; i < s->inputs; i++) {
    if (strcmp(s->input[i].name, input->text) == 0) return i;
    nearest_try(&near, s->input[i].name);
  }
  if (!complete) return -1;
  report_no_name(r, input, "input", &near);
  return -1;
}

/* False when out of memory; mistakes are in the report. */
static bool read_injection(const struct node *n, struct settings *s, struct names *seen, bool complete,
                           struct report *r)
{
  struct injection_values v = {0};
  if (n->kind != NODE_MAP || !schema_read(&schema_injection, n, &v, r)) return true;
  const struct node *from = node_find(n, "from"), *length = node_find(n, "for");
  if (!check_element_name(r, n, v.name, seen, "injection")) return true;
  const int input = find_injected_input(node_find(n, "input"), s, complete, r);
  if (!check_kind_keys(n, (enum inject_kind)v.kind, r) || input < 0) return true;
  if (s->injections == INJECTIONS_MAX) {
    report_error(r, n->at, "injections: expected %d at most", INJECTIONS_MAX);
    return true;
  }
  /* Into its place. */
  struct injection *injection = &s->injection[s->injections];
  *injection = v.spec;
  injection->input = input;
  injection->kind = (enum inject_kind)v.kind;
  injection->window = from || length;
  if (!length) injection->length = INFINITY;
  injection->name = strdup(v.name);
  if (!injection->name) return false;
  s->injections++;
  return names_add(seen, v.name, s->injections);
}

bool injections_read(const struct node *list, struct settings *s, struct report *r)
{
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  s->injection = calloc(INJECTIONS_MAX, sizeof *s->injection);
  if (!s->injection) return false;
  struct names seen = {0};
  const bool complete = r->errors == 0;
  bool memory = true;
  for (const struct node *n = list->first; n && memory; n = n->next)
    memory = read_injection(n, s, &seen, complete, r);
  names_free(&seen);
  return memory;
}
