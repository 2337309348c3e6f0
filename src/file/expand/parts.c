/* SPDX-License-Identifier: MIT
 * Parts of a model: elements that stand several times, turned, shifted or reflected, or that another file has. */
#include "expand/expand_parts.h"
#include "yaml/text_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A part on its way: its mapping with merge keys resolved, and where it stands. */
struct part_reading {
  const struct node *map;
  const struct scope *scope;
  int origin, depth;
  struct elements *out;
};

static bool expand_parts(struct expander *e, const struct node *parts, const struct scope *s, int origin,
                         int depth, struct elements *out);

/* --- elements of one mapping --- */

static bool take_elements(struct expander *e, struct node *map, enum element_list list, struct elements *out)
{
  struct node *from = node_child(map, element_list_name[list]);
  if (!from || from->kind != NODE_LIST) return true;
  for (struct node *n = from->first, *next; n; n = next) {
    next = n->next;
    elements_append(out, list, n);
    if (list == BODIES && n->kind == NODE_MAP && !shapes_apply(e, n, out)) return false;
  }
  from->first = NULL;
  from->count = 0;
  return true;
}

/* --- files --- */

static const struct source *source_at(const struct expander *e, int origin)
{
  return origin ? e->x->origins.item[origin - 1].source : &e->tree->source;
}

/* The file that a part uses; each file is read once. NULL after a mistake, which is reported. */
static const struct yaml *part_file(struct expander *e, const struct part_reading *p, const char *path)
{
  struct expansion *x = e->x;
  const struct node *use = node_find(p->map, "use");
  char *file = path_beside(source_at(e, p->origin)->file, path);
  struct yaml *t = NULL;
  for (int i = 0; file && i < x->files && !t; i++)
    if (strcmp(x->file[i].source.file, file) == 0) t = &x->file[i];
  if (!file || (!t && x->files == EXPAND_FILES_MOST)) {
    fail_expansion(e, use->at, file ? "use: the parts of a model come from too many files" : "out of memory");
  } else if (!t) {
    const struct source *here = e->report->source;
    t = &x->file[x->files++];
    bool good = yaml_read_part(t, file, e->report);
    /* Lines of a file that is no model are never shown. */
    t->source.shown = good && node_find(t->root, "model");
    if (good && !t->source.shown)
      good = fail_expansion(e, t->root->at, "expected a model file with the key \"model\", found none");
    e->report->source = here;
    if (!good) {
      t->root = NULL;
      fail_expansion(e, use->at, "use: the file has mistakes, or cannot be read");
    }
  } else if (!t->root) {
    fail_expansion(e, use->at, "use: the file has mistakes, or cannot be read");
  }
  free(file);
  return t && t->root ? t : NULL;
}

/* Values of another file: messages about their names show that file. */
static bool check_values_of_file(struct expander *e, const struct node *parameters,
                                 const struct part_source *from)
{
  const struct source *here = e->report->source;
  if (!from->given_in) return true;
  e->report->source = from->given_in;
  const bool good = scope_check_given(e, parameters, from->given);
  e->report->source = here;
  return good;
}

struct node *file_evaluate(struct expander *e, const struct part_source *from, struct elements *out)
{
  struct scope scope = {0};
  const struct node *parameters = node_find(from->root, "parameters");
  if (parameters && parameters->kind == NODE_MAP) parameters = mapping_merge(e, parameters, from->origin);
  struct node *root = NULL;
  if (check_values_of_file(e, parameters, from) &&
      scope_add(e, &scope, parameters, from->given, from->outside))
    root = mapping_evaluate(e, from->root, e->rules->file, &scope, from->origin);

  /* Take the elements out of the model. */
  struct node *model = root ? node_child(root, "model") : NULL;
  bool good = root != NULL;
  if (good && model && model->kind == NODE_MAP) {
    const struct node *parts = node_find(model, "parts");
    for (int list = 0; good && list < INPUTS; list++)
      good = take_elements(e, model, (enum element_list)list, out);
    good = good && take_elements(e, root, INPUTS, out);
    good = good && (!parts || expand_parts(e, parts, &scope, from->origin, from->depth, out));
    node_remove(model, "parts");
  }
  if (root) node_remove(root, "parameters");
  scope_release(&scope);
  return good ? root : NULL;
}

/* Appends the elements of the file that a part uses. */
static bool use_file(struct expander *e, const struct part_reading *p, const char *path,
                     const struct scope *s, int origin, struct elements *out)
{
  const struct yaml *t = part_file(e, p, path);
  if (!t) return false;
  struct origin *o = &e->x->origins.item[origin - 1];
  o->source = &t->source;
  const struct part_source from = {.root = t->root,
                                   .given = node_find(p->map, "parameters"),
                                   .outside = s,
                                   .origin = origin,
                                   .depth = p->depth + 1};
  struct elements own = {0};
  struct node *root = file_evaluate(e, &from, &own);
  if (!root) return false;
  for (struct node *n = own.first[VISUAL]; n; n = n->next)
    if (n->kind == NODE_MAP && !picture_lead(e, n, path)) return false;
  elements_join(out, &own);
  /* The rest of the file is checked and not used. */
  const struct node *model = node_find(root, "model");
  return e->rules->read(e->rules->file, root, NULL, e->report) &&
         e->rules->read(e->rules->model, model, NULL, e->report);
}

/* --- copies --- */

/* A new origin for places of this copy. 0: out of memory, which is reported. */
static int add_origin(struct expander *e, const struct part_reading *p, const char *text)
{
  struct origins *o = &e->x->origins;
  if (o->count == o->room) {
    const int room = 2 * o->room + 16;
    struct origin *more = realloc(o->item, (size_t)room * sizeof *more);
    if (!more) {
      fail_expansion(e, p->map->at, "out of memory");
      return 0;
    }
    o->item = more;
    o->room = room;
  }
  const char *copy = yaml_copy_text(e->tree, text, strlen(text));
  if (!copy) {
    fail_expansion(e, p->map->at, "out of memory");
    return 0;
  }
  o->item[o->count++] = (struct origin){.source = source_at(e, p->origin), .outer = p->map->at, .text = copy};
  return o->count;
}

static bool is_identity(const struct part_values *v)
{
  return v3_dot(v->position, v->position) == 0 && v3_dot(v->orientation + 1, v->orientation + 1) == 0;
}

/* The name of the body that carries the part, at its line in the file of the part. The origin of the copy names the file that it
 * uses. */
static const struct node *host_of_part(const struct part_reading *p, struct node *map)
{
  struct node *host = node_child(map, "attach_to");
  host->at = node_find(p->map, "attach_to")->at;
  host->key_at = host->at;
  return host;
}

/* Appends one copy. s: the scope with the variables of the copy. */
static bool make_copy(struct expander *e, const struct part_reading *p, const struct scope *s, int origin)
{
  struct part_values v = {0};
  struct elements own = {0};
  struct scope inner = {.outer = s};
  const struct node *parameters = node_find(p->map, "parameters"), *parts = node_find(p->map, "parts");
  const bool uses = node_find(p->map, "use") != NULL;
  bool good = uses || scope_add(e, &inner, parameters, NULL, NULL);
  struct node *map = good ? mapping_evaluate(e, p->map, e->rules->part, &inner, origin) : NULL;
  good = map && e->rules->read(e->rules->part, map, &v, e->report);

  /* Collect its elements, then move them. */
  for (int list = 0; good && list < ELEMENT_LISTS; list++)
    good = take_elements(e, map, (enum element_list)list, &own);
  if (good && v.use) good = use_file(e, p, v.use, s, origin, &own);
  if (good && parts) good = expand_parts(e, parts, &inner, origin, p->depth + 1, &own);
  if (good) {
    struct part_motion m = {.prefix = v.prefix, .mirror = v.mirror - MIRROR_X, .moved = !is_identity(&v)};
    if (v.attach_to && strcmp(v.attach_to, "ground") != 0) m.host = host_of_part(p, map);
    memcpy(m.position, v.position, sizeof m.position);
    memcpy(m.orientation, v.orientation, sizeof m.orientation);
    p_normalise(m.orientation);
    good = part_move(e, &own, &m);
  }
  if (good) elements_join(p->out, &own);
  scope_release(&inner);
  return good;
}

/* A number of copies. False after a mistake, which is reported. */
static bool count_copies(struct expander *e, const struct node *n, const struct scope *s, int *count)
{
  struct value v = {0};
  if (!scalar_value(e, n, s, &v)) return false;
  const double copies = v.number[0];
  *count = !v.text && v.count == 0 && copies >= 1 && copies <= EXPAND_COPIES_MOST ? (int)copies : 0;
  if (*count && *count == copies) return true;
  report_error(e->report, n->at, "repeat: expected a whole number from 1 to %d, or lists of values",
               EXPAND_COPIES_MOST);
  return false;
}

/* The number of copies of a mapping {variable: list or number}. */
static bool count_columns(struct expander *e, const struct node *repeat, const struct scope *s, int *count)
{
  *count = 0;
  for (const struct node *c = repeat->first; c; c = c->next) {
    int copies = c->count;
    if (c->kind == NODE_SCALAR && !count_copies(e, c, s, &copies)) return false;
    if (c->kind != NODE_SCALAR && c->kind != NODE_LIST)
      return fail_expansion(e, c->at, "repeat: expected a list with one value for each copy");
    if (c != repeat->first && copies != *count) {
      report_error(e->report, c->at, "repeat: expected %d values as in the other lists, found %d", *count,
                   copies);
      return false;
    }
    *count = copies;
  }
  return (*count >= 1 && *count <= EXPAND_COPIES_MOST) ||
         fail_expansion(e, repeat->at, "repeat: expected at least one variable with at least one value");
}

/* The variables of copy `index`, from 0. cell: the element of each list, moved on to the next one. */
static bool add_copy_variables(struct expander *e, const struct node *repeat, const struct scope *s,
                               const struct node **cell, int index, struct scope *out)
{
  int column = 0;
  for (const struct node *c = repeat->first; c; c = c->next, column++) {
    struct value v = {.number = {index + 1}, .measure = MEASURE_OPEN};
    if (c->kind == NODE_LIST) {
      if (!scalar_value(e, cell[column], s, &v)) return false;
      cell[column] = cell[column]->next;
    }
    if (!scope_add_value(e, out, c, &v)) return false;
  }
  return true;
}

static bool repeat_part(struct expander *e, const struct part_reading *p, const struct node *repeat)
{
  const struct node plain = {.key = "i", .key_at = repeat->at, .kind = NODE_SCALAR};
  const struct node by_number = {
      .kind = NODE_MAP, .count = 1, .first = (struct node *)&plain, .at = repeat->at};
  int count;
  if (repeat->kind == NODE_MAP ? !count_columns(e, repeat, p->scope, &count)
                               : !count_copies(e, repeat, p->scope, &count))
    return false;
  const struct node *columns = repeat->kind == NODE_MAP ? repeat : &by_number;
  const struct node **cell = calloc((size_t)columns->count + 1, sizeof *cell);
  int column = 0;
  for (const struct node *c = columns->first; cell && c; c = c->next) cell[column++] = c->first;
  bool good = cell || fail_expansion(e, repeat->at, "out of memory");

  /* Make the copies one after the other. */
  for (int i = 0; good && i < count; i++) {
    struct scope s = {.outer = p->scope};
    char text[60];
    snprintf(text, sizeof text, "in copy %d of this part", i + 1);
    const int origin = add_origin(e, p, text);
    good = origin && add_copy_variables(e, columns, p->scope, cell, i, &s) && make_copy(e, p, &s, origin);
    scope_release(&s);
  }
  free(cell);
  return good;
}

static bool expand_part(struct expander *e, const struct node *n, const struct scope *s, int origin,
                        int depth, struct elements *out)
{
  struct part_reading p = {.scope = s, .origin = origin, .depth = depth, .out = out};
  if (n->kind != NODE_MAP)
    return fail_expansion(e, n->at, "expected the keys of a part, such as use, repeat or bodies");
  if (depth == EXPAND_DEPTH_MOST)
    return fail_expansion(e, n->at,
                          "parts stand inside each other more than 8 deep; does a file use itself?");
  p.map = mapping_merge(e, n, origin);
  if (!p.map) return false;
  const struct node *repeat = node_find(p.map, "repeat");
  if (repeat) return repeat_part(e, &p, repeat);
  const bool uses = node_find(p.map, "use") != NULL;
  const int own = uses ? add_origin(e, &p, "in this part") : origin;
  return (own || !uses) && make_copy(e, &p, s, own);
}

static bool expand_parts(struct expander *e, const struct node *parts, const struct scope *s, int origin,
                         int depth, struct elements *out)
{
  if (parts->kind != NODE_LIST) return fail_expansion(e, parts->at, "parts: expected a list of parts");
  for (const struct node *n = parts->first; n; n = n->next)
    if (!expand_part(e, n, s, origin, depth, out)) return false;
  return true;
}
