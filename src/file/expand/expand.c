/* SPDX-License-Identifier: MIT */
#include "expand/expand.h"

#include "expand/expand_parts.h"

#include <stdlib.h>
#include <string.h>

/* Puts the elements of a list back into their mapping. */
static bool put_elements(struct expander *e, struct node *map, const struct elements *all,
                         enum element_list list)
{
  struct node *n = node_child(map, element_list_name[list]);
  if (!n && all->count[list] == 0) return true;
  if (!n) {
    const struct node fresh = {
        .kind = NODE_LIST, .at = map->at, .key_at = map->at, .key = element_list_name[list], .text = ""};
    n = node_new_like(e, &fresh, 0);
    if (!n) return false;
    node_put(map, n);
  }
  if (n->kind != NODE_LIST && all->count[list] > 0)
    return fail_expansion(e, n->at, "expected a list, because a part adds elements to it");
  if (n->kind != NODE_LIST) return true;
  n->first = all->first[list];
  n->count = all->count[list];
  return true;
}

static bool expand_root(struct expander *e, struct yaml *t, const struct node *given,
                        const struct source *given_in)
{
  struct elements all = {0};
  const struct part_source from = {.root = t->root, .given = given, .given_in = given_in};
  struct node *root = file_evaluate(e, &from, &all);
  if (!root || !bodies_place(e, &all) || !pictures_choose(e, &all)) return false;
  struct node *model = node_child(root, "model");
  if (model && model->kind == NODE_MAP) {
    for (int list = 0; list < INPUTS; list++)
      if (!put_elements(e, model, &all, (enum element_list)list)) return false;
    if (!put_elements(e, root, &all, INPUTS)) return false;
  }
  t->root = root;
  return true;
}

bool expand_tree(struct expansion *x, struct yaml *t, const struct expand_rules *rules, struct report *r)
{
  return expand_tree_with(x, t, NULL, NULL, rules, r);
}

bool expand_tree_with(struct expansion *x, struct yaml *t, const struct node *given,
                      const struct source *given_in, const struct expand_rules *rules, struct report *r)
{
  struct expander e = {
      .tree = t, .rules = rules, .x = x, .report = r, .most = EXPAND_NODES_MOST + (long)t->source.size};
  const int before = r->errors;
  r->origins = &x->origins;
  if (!t->root || t->root->kind != NODE_MAP) return true;
  const bool good = expand_root(&e, t, given, given_in);
  if (!good && r->errors == before) report_error(r, t->root->at, "the file cannot be expanded");
  return r->errors == before;
}

void expansion_free(struct expansion *x)
{
  for (int i = 0; i < x->files; i++) yaml_free(&x->file[i]);
  free(x->origins.item);
  *x = (struct expansion){0};
}
