/* SPDX-License-Identifier: MIT */
#include "expand/expand_parts.h"
#include "yaml/nearest.h"

#include <stdlib.h>
#include <string.h>

enum { VARIABLES_MOST = 1000 };

void scope_release(struct scope *s)
{
  free(s->item);
  s->item = NULL;
  s->count = 0;
}

bool scope_add_value(struct expander *e, struct scope *s, const struct node *name, const struct value *v)
{
  if (!expression_is_free_name(name->key)) {
    report_error(
        e->report, name->key_at,
        "parameter \"%.40s\": expected a name of letters, digits and _ that is neither pi nor a function",
        name->key);
    return false;
  }
  /* Append it. */
  struct variable *more =
      s->count < VARIABLES_MOST ? realloc(s->item, ((size_t)s->count + 1) * sizeof *more) : NULL;
  if (!more) {
    report_error(e->report, name->key_at, "expected at most %d parameters, found more", VARIABLES_MOST);
    return false;
  }
  s->item = more;
  s->item[s->count++] = (struct variable){.name = name->key, .value = *v};
  return true;
}

bool scope_check_given(struct expander *e, const struct node *parameters, const struct node *given)
{
  if (given && given->kind != NODE_MAP)
    return fail_expansion(e, given->at,
                          "parameters: expected a mapping of names to values, such as {L: 0.35}");
  for (const struct node *g = given ? given->first : NULL; g; g = g->next) {
    if (node_find(parameters, g->key)) continue;
    struct nearest near = {.word = g->key};
    for (const struct node *p = parameters ? parameters->first : NULL; p; p = p->next)
      nearest_try(&near, p->key);
    if (near.best)
      report_error(e->report, g->key_at, "the file has no parameter \"%.40s\"; did you mean \"%.40s\"?",
                   g->key, near.best);
    else
      report_error(e->report, g->key_at, "the file has no parameter \"%.40s\"", g->key);
    return false;
  }
  return true;
}

bool scope_add(struct expander *e, struct scope *s, const struct node *parameters, const struct node *given,
               const struct scope *outside)
{
  if (parameters && parameters->kind != NODE_MAP)
    return fail_expansion(e, parameters->at,
                          "parameters: expected a mapping of names to values, such as {L: 0.35}");
  if (!scope_check_given(e, parameters, given)) return false;
  for (const struct node *p = parameters ? parameters->first : NULL; p; p = p->next) {
    struct value v;
    const struct node *other = node_find(given, p->key);
    if (!(other ? scalar_value(e, other, outside, &v) : scalar_value(e, p, s, &v))) return false;
    if (!scope_add_value(e, s, p, &v)) return false;
  }
  return true;
}
