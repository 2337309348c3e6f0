/* SPDX-License-Identifier: MIT */
#include "yaml/sets.h"

#include "yaml/nearest.h"

#include <stdlib.h>
#include <string.h>

static const char option_word[] = "--set ";

/* One option on its way into a tree. */
struct set_walk {
  struct yaml *tree;
  struct report *report;
  int index;        /* of the option */
  const char *path; /* the whole KEY */
  size_t done;      /* length of the part of the path that led to the node */
  struct place at;  /* of the option */
  bool may_wait;    /* SETS_EARLY */
};

static bool refuse_set_text(struct report *r, int index, const char *text)
{
  report_error(r, report_option_place(index), "%s", text);
  return false;
}

/* A path is words with one dot between them. */
static bool is_path(const char *text, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (text[i] == '.' && (i == 0 || i + 1 == length || text[i + 1] == '.')) return false;
  return length > 0;
}

bool sets_take(struct sets *s, const char *const *text, int count, struct report *r)
{
  *s = (struct sets){.source = calloc((size_t)count + 1, sizeof *s->source),
                     .include = calloc((size_t)count + 1, sizeof *s->include),
                     .later = calloc((size_t)count + 1, sizeof *s->later)};
  bool good = s->source && s->include && s->later;
  for (int i = 0; good && i < count; i++) {
    const size_t size = sizeof option_word + strlen(text[i]);
    char *file = malloc(size);
    good = file != NULL;
    if (file) snprintf(file, size, "%s%s", option_word, text[i]);
    s->source[s->count++] = (struct source){.file = file, .placeless = true};
  }
  if (!good) {
    report_error(r, (struct place){0}, "out of memory");
    return false;
  }

  /* Find the value behind the path. */
  r->option = s->source;
  r->sets = s;
  for (int i = 0; i < count; i++) {
    const char *equals = strchr(text[i], '=');
    if (!equals || !is_path(text[i], (size_t)(equals - text[i])))
      good = refuse_set_text(r, i,
                             "expected KEY=VALUE, such as solver.iterations=5 or model.bodies.NAME.mass=2");
    else
      s->source[i].text = s->source[i].file + strlen(option_word) + (equals + 1 - text[i]);
    s->source[i].size = s->source[i].text ? strlen(s->source[i].text) : 0;
  }
  return good;
}

void sets_free(struct sets *s)
{
  for (int i = 0; i < s->count; i++) free(s->source[i].file);
  free(s->source);
  free(s->include);
  free(s->later);
  *s = (struct sets){0};
}

/* The place in a list of numbers that x, y, z mean, or xx, yy, zz for three numbers of an inertia. -1: none. */
static int place_of_part(const struct node *list, const char *word)
{
  static const char *const names[][2] = {{"x", "xx"}, {"y", "yy"}, {"z", "zz"}};
  if (list->kind != NODE_LIST || list->count != 3) return -1;
  for (const struct node *n = list->first; n; n = n->next)
    if (n->kind != NODE_SCALAR) return -1;
  for (int i = 0; i < 3; i++)
    if (strcmp(word, names[i][0]) == 0 || strcmp(word, names[i][1]) == 0) return i;
  return -1;
}

/* Reports that an element of a list has no such name. */
static void report_missing_element(const struct set_walk *w, const struct node *list, const char *name)
{
  struct nearest near = {.word = name};
  bool named = false;
  for (const struct node *n = list->first; n; n = n->next) {
    const struct node *word = node_find(n, "name");
    named |= word != NULL;
    if (word && word->kind == NODE_SCALAR) nearest_try(&near, word->text);
  }
  /* Name what the list has: three numbers, elements without names, or others. */
  if (place_of_part(list, "x") == 0)
    report_error(w->report, w->at, "%.*s: its three numbers are x, y and z, as in %.*s.x; found %.60s",
                 (int)w->done, w->path, (int)w->done, w->path, name);
  else if (!named)
    report_error(w->report, w->at, "%.*s: its elements have no names; set the whole list", (int)w->done,
                 w->path);
  else if (near.best)
    report_error(w->report, w->at, "%.*s: no element is named \"%.60s\"; did you mean \"%.60s\"?",
                 (int)w->done, w->path, name, near.best);
  else
    report_error(w->report, w->at, "%.*s: no element is named \"%.60s\"", (int)w->done, w->path, name);
}

static struct node *fail_walk_memory(const struct set_walk *w)
{
  report_error(w->report, w->at, "out of memory");
  return NULL;
}

static bool is_child(const struct node *parent, const struct node *n, const char *word)
{
  if (parent->kind == NODE_MAP) return strcmp(n->key, word) == 0;
  const struct node *name = node_find(n, "name");
  return name && name->kind == NODE_SCALAR && strcmp(name->text, word) == 0;
}

/* The child at a word of the path. A mapping gets a new key if it has none. NULL after a mistake, which is reported. */
static struct node *take_child(const struct set_walk *w, struct node *parent, const char *word)
{
  if (parent->kind == NODE_NOTHING) parent->kind = NODE_MAP;
  if (parent->kind == NODE_SCALAR) {
    char shown[NODE_SHOWN];
    report_error(w->report, w->at, "%.*s: expected a mapping or a list, found %s", (int)w->done, w->path,
                 node_show(parent, shown));
    return NULL;
  }

  /* Aliases share their children with the anchor: change a copy. */
  struct node **end = &parent->first, *found = NULL;
  int part = place_of_part(parent, word);
  for (const struct node *n = parent->first; n; n = n->next) {
    struct node *copy = yaml_copy_node(w->tree, n);
    if (!copy) return fail_walk_memory(w);
    *end = copy;
    end = &copy->next;
    if (!found && (part-- == 0 || is_child(parent, copy, word))) found = copy;
  }
  if (found) return found;
  if (parent->kind == NODE_LIST && w->may_wait) {
    w->report->sets->later[w->index] = true;
    return NULL;
  }
  if (parent->kind == NODE_LIST) {
    report_missing_element(w, parent, word);
    return NULL;
  }

  /* A part may make the list of elements. */
  const bool last = w->path[(w->done ? w->done + 1 : 0) + strlen(word)] == '=';
  if (w->may_wait && !last &&
      (node_find(parent, "parts") || node_find(node_find(parent, "model"), "parts"))) {
    w->report->sets->later[w->index] = true;
    return NULL;
  }
  /* Add the key. */
  const struct node fresh = {.kind = NODE_NOTHING, .at = w->at, .key_at = w->at, .key = word, .text = ""};
  *end = yaml_copy_node(w->tree, &fresh);
  parent->count++;
  return *end ? *end : fail_walk_memory(w);
}

static void mark_nodes(struct node *n, struct place at)
{
  n->at = n->key_at = at;
  for (struct node *child = n->first; child; child = child->next) mark_nodes(child, at);
}

/* Reads the value, and puts it in the place of a node. */
static void replace_node(const struct set_walk *w, struct node *n)
{
  const struct node *value = yaml_read_text(w->tree, &w->report->option[w->index], w->report);
  if (!value) return;
  struct node put = *value;
  put.key = n->key;
  put.next = n->next;
  *n = put;
  mark_nodes(n, w->at);
}

/* A key of a mapping {file: PATH} stands in the included file. */
static bool stands_in_file(const struct node *n, const char *word)
{
  const struct node *file = node_find(n, "file");
  return file && file->kind == NODE_SCALAR && !node_find(n, word);
}

static void put_option(struct set_walk *w, const char *include)
{
  struct node *n = w->tree->root;
  size_t *included = &w->report->sets->include[w->index];
  while (n) {
    /* Take the next word of the path. */
    const size_t from = w->done ? w->done + 1 : 0, length = strcspn(w->path + from, ".=");
    const char *word = yaml_copy_text(w->tree, w->path + from, length);
    if (!word) {
      fail_walk_memory(w);
      return;
    }
    /* Go on in an included file, or go down. */
    if (!include && stands_in_file(n, word)) {
      *included = w->done;
      return;
    }
    n = take_child(w, n, word);
    w->done = from + length;
    if (w->path[w->done] == '.') continue;
    if (n) replace_node(w, n);
    return;
  }
}

int sets_put(struct yaml *t, const char *path, enum sets_time time, struct report *r)
{
  const struct sets *s = r->sets;
  int put = 0;
  if (!s || !t->root || t->root->kind != NODE_MAP) return 0;
  for (int i = 0; i < s->count; i++) {
    struct set_walk w = {.tree = t,
                         .report = r,
                         .index = i,
                         .path = s->source[i].file + strlen(option_word),
                         .at = report_option_place(i),
                         .may_wait = time == SETS_EARLY};
    /* The option belongs to this tree, and its time has come. */
    const bool here =
        path ? s->include[i] == strlen(path) && strncmp(w.path, path, strlen(path)) == 0 : s->include[i] == 0;
    if (!here || (time == SETS_LATE && !s->later[i])) continue;
    s->later[i] = false;
    put_option(&w, path);
    put++;
  }
  return put;
}
