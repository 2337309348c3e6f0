/* SPDX-License-Identifier: MIT */
#include "config/changes.h"

#include "settings/values.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Prints of one mapping: a section of the file, or an element of a list. */
struct mapping_fingerprints {
  const struct section *of;
  char *name;     /* name of the element; "" for a section */
  uint64_t key[]; /* (keys of the section) */
};

/* Prints of all keys of a file, in the order of its table. */
struct key_fingerprints {
  struct part {
    uint64_t text; /* fingerprint of the text of a list without names, or that may stand in its own file */
    struct mapping_fingerprints **map;    /* (maps) one for a section; one for each element of a list */
    struct mapping_fingerprints **sorted; /* (maps) by name */
    int maps;
    struct part *list; /* the model: one for each key of its section, filled for lists */
  } part[SECTION_KEYS_MAX];
};

/* --- taking fingerprints: FNV-1a --- */

static const uint64_t EMPTY = UINT64_C(0xcbf29ce484222325);

static uint64_t mix_bytes(uint64_t fingerprint, const void *bytes, size_t size)
{
  const unsigned char *p = bytes;
  for (size_t i = 0; i < size; i++) fingerprint = (fingerprint ^ p[i]) * UINT64_C(0x100000001b3);
  return fingerprint;
}

/* The byte at the end counts, too: "a" "b" differs from "ab" "". */
static uint64_t mix_text(uint64_t fingerprint, const char *text)
{
  return mix_bytes(fingerprint, text ? text : "", text ? strlen(text) + 1 : 1);
}

static uint64_t mix_node(uint64_t fingerprint, const struct node *n)
{
  if (!n) return fingerprint;
  fingerprint = mix_text(mix_text(mix_bytes(fingerprint, &n->kind, sizeof n->kind), n->key), n->text);
  for (const struct node *c = n->first; c; c = c->next) fingerprint = mix_node(fingerprint, c);
  return mix_text(fingerprint, "");
}

/* A value of any type except texts, tables and mappings. */
union value {
  double number[18];
  int integer;
  bool flag;
  const char *text;
};

static size_t value_size(enum key_type type)
{
  static const size_t size[] = {
      [KEY_NUMBER] = sizeof(double),      [KEY_ANGLE] = sizeof(double),
      [KEY_INTEGER] = sizeof(int),        [KEY_OR_NONE] = sizeof(int),
      [KEY_WORKERS] = sizeof(int),        [KEY_BOOL] = sizeof(bool),
      [KEY_CHOICE] = sizeof(int),         [KEY_VECTOR] = 3 * sizeof(double),
      [KEY_SIX] = 6 * sizeof(double),     [KEY_QUATERNION] = 4 * sizeof(double),
      [KEY_INERTIA] = 9 * sizeof(double), [KEY_SIX_POINTS] = sizeof(union value),
  };
  return (size_t)type < sizeof size / sizeof *size ? size[type] : 0;
}

/* n: the node that gives the value; NULL: the file does not have the key. For a key without a default it counts whether the
 * file has it. */
static uint64_t print_of_key(const struct key *k, const struct node *n, const void *value)
{
  const size_t size = value_size(k->type);
  const bool given = n && k->fallback && !*k->fallback;
  const char *text = NULL;
  if (k->type == KEY_STRING) memcpy(&text, value, sizeof text);
  if (k->type == KEY_STRING) return mix_text(EMPTY + given, text);
  return size ? mix_bytes(EMPTY + given, value, size) : mix_node(EMPTY, n);
}

static struct mapping_fingerprints *new_mapping(const struct section *s, const char *name)
{
  struct mapping_fingerprints *m = calloc(1, sizeof *m + (size_t)s->keys * sizeof *m->key);
  if (!m) return NULL;
  m->of = s;
  m->name = strdup(name);
  if (m->name) return m;
  free(m);
  return NULL;
}

static int find_key(const struct section *s, const char *name)
{
  int i = 0;
  while (i < s->keys && strcmp(s->key[i].name, name) != 0) i++;
  return i < s->keys ? i : -1;
}

/* values: the struct that the section was read into. Options and other keys may override the file. */
static struct mapping_fingerprints *print_of_section(const struct section *s, const struct node *n,
                                                     const char *values)
{
  struct mapping_fingerprints *m = new_mapping(s, "");
  const int enabled = find_key(s, "enabled");
  const bool off = enabled >= 0 && !*(const bool *)(const void *)(values + s->key[enabled].offset);
  for (int i = 0; m && i < s->keys; i++)
    if (!off || i == enabled)
      m->key[i] = print_of_key(&s->key[i], node_find(n, s->key[i].name), values + s->key[i].offset);
  return m;
}

static struct mapping_fingerprints *print_of_element(const struct section *list_of, const struct node *n,
                                                     const char *name, struct report *r)
{
  const struct section *s = schema_variant(list_of, n);
  struct mapping_fingerprints *m = new_mapping(s, name);
  for (int i = 0; m && i < s->keys; i++) {
    union value value = {0};
    const struct node *given = node_find(n, s->key[i].name);
    if (s->key[i].type == KEY_LIST && s == &schema_model) continue; /* a part of its own */
    if (value_size(s->key[i].type) || s->key[i].type == KEY_STRING)
      schema_read_key(&s->key[i], given, &value, r);
    m->key[i] = print_of_key(&s->key[i], given, &value);
  }
  return m;
}

static int compare_fingerprints(const void *a, const void *b)
{
  const struct mapping_fingerprints *const *x = a, *const *y = b;
  return strcmp((*x)->name, (*y)->name);
}

static bool sort_part(struct part *p)
{
  p->sorted = calloc((size_t)p->maps + 1, sizeof(struct mapping_fingerprints *));
  if (!p->sorted) return false;
  memcpy(p->sorted, p->map, (size_t)p->maps * sizeof(struct mapping_fingerprints *));
  qsort(p->sorted, (size_t)p->maps, sizeof(struct mapping_fingerprints *), compare_fingerprints);
  return true;
}

static bool take_list(struct part *p, const struct key *k, const struct node *n, struct report *r)
{
  const bool named = find_key(k->section, "name") >= 0;
  if (!named) p->text = mix_node(EMPTY, n);
  p->map = calloc((size_t)(n && named ? n->count : 0) + 1, sizeof(struct mapping_fingerprints *));
  if (!p->map) return false;
  for (const struct node *e = n && named ? n->first : NULL; e; e = e->next) {
    const struct node *name = node_find(e, "name");
    p->map[p->maps] = print_of_element(k->section, e, name && name->text ? name->text : "", r);
    if (!p->map[p->maps]) return false;
    p->maps++;
  }
  return sort_part(p);
}

static bool take_model_fingerprints(struct part *p, const struct section *s, const struct node *n,
                                    struct report *r)
{
  p->map = calloc(1, sizeof(struct mapping_fingerprints *));
  p->list = calloc((size_t)s->keys, sizeof *p->list);
  if (!p->map || !p->list) return false;
  p->map[0] = print_of_element(s, n, "", r);
  if (!p->map[0]) return false;
  p->maps = 1;
  for (int i = 0; i < s->keys; i++)
    if (s->key[i].type == KEY_LIST && !take_list(&p->list[i], &s->key[i], node_find(n, s->key[i].name), r))
      return false;
  return sort_part(p);
}

static bool take_part(struct part *p, const struct key *k, const struct node *n, const struct file_values *v,
                      struct report *r)
{
  if (k->type == KEY_ELEMENT) return take_model_fingerprints(p, k->section, n, r);
  if (k->type == KEY_LIST) return take_list(p, k, n, r);
  p->text = k->type == KEY_LIST_FILE ? mix_node(EMPTY, n) : 0;
  p->map = calloc(1, sizeof(struct mapping_fingerprints *));
  if (!p->map) return false;
  if (k->type == KEY_SECTION) p->map[0] = print_of_section(k->section, n, (const char *)v);
  if (k->type == KEY_SECTION && !p->map[0]) return false;
  p->maps = k->type == KEY_SECTION;
  return sort_part(p);
}

struct key_fingerprints *fingerprints_new(const struct file_values *v, const struct node *root,
                                          const struct node *model, const struct report *r)
{
  struct key_fingerprints *p = calloc(1, sizeof *p);
  bool memory = p;
  /* The elements of some lists are judged later, by their readers. Their mistakes are not reported here. */
  struct report silent = {.out = r->out, .source = r->source, .errors = REPORT_MAX, .option = r->option};
  for (int i = 0; memory && i < schema_file.keys; i++) {
    const struct key *k = &schema_file.key[i];
    memory = take_part(&p->part[i], k, k->type == KEY_ELEMENT ? model : node_find(root, k->name), v, &silent);
  }
  if (memory) return p;
  fingerprints_free(p);
  return NULL;
}

static struct mapping_fingerprints *copy_mapping(const struct mapping_fingerprints *m)
{
  struct mapping_fingerprints *copy = new_mapping(m->of, m->name);
  if (copy) memcpy(copy->key, m->key, (size_t)m->of->keys * sizeof *m->key);
  return copy;
}

/* keys: those of the section with the lists of p. */
static bool copy_part(struct part *to, const struct part *from, int keys)
{
  to->text = from->text;
  to->map = calloc((size_t)from->maps + 1, sizeof(struct mapping_fingerprints *));
  if (!to->map) return false;
  for (; to->maps < from->maps; to->maps++) {
    to->map[to->maps] = copy_mapping(from->map[to->maps]);
    if (!to->map[to->maps]) return false;
  }
  if (from->list) to->list = calloc((size_t)keys, sizeof *to->list);
  for (int i = 0; from->list && i < keys; i++)
    if (!to->list || !copy_part(&to->list[i], &from->list[i], 0)) return false;
  return sort_part(to);
}

struct key_fingerprints *fingerprints_copy(const struct key_fingerprints *p)
{
  struct key_fingerprints *copy = calloc(1, sizeof *copy);
  bool memory = copy;
  for (int i = 0; p && memory && i < schema_file.keys; i++) {
    const struct section *s = schema_file.key[i].section;
    memory = copy_part(&copy->part[i], &p->part[i], s ? s->keys : 0);
  }
  if (memory) return copy;
  fingerprints_free(copy);
  return NULL;
}

static void free_part(struct part *p, int keys)
{
  for (int m = 0; m < p->maps; m++) {
    free(p->map[m]->name);
    free(p->map[m]);
  }
  for (int i = 0; p->list && i < keys; i++) free_part(&p->list[i], 0);
  free(p->map);
  free(p->sorted);
  free(p->list);
}

void fingerprints_free(struct key_fingerprints *p)
{
  for (int i = 0; p && i < schema_file.keys; i++)
    free_part(&p->part[i], schema_file.key[i].section ? schema_file.key[i].section->keys : 0);
  free(p);
}

void fingerprints_add_file(struct key_fingerprints *p, const char *section, const char *key,
                           const struct node *list)
{
  if (!p) return;
  const int i = find_key(&schema_file, section ? section : key);
  uint64_t *fingerprint =
      section ? &p->part[i].map[0]->key[find_key(schema_file.key[i].section, key)] : &p->part[i].text;
  if (*fingerprint) *fingerprint = mix_node(*fingerprint, list); /* else the section is not enabled */
}

/* --- comparison --- */

struct name_list {
  char *text;
  size_t size, used; /* used: of the names that fit */
  int count, cut;    /* names, and those of them that did not fit */
  bool live;         /* names of the keys that take effect at once; else of all other keys that differ */
  const char *above; /* "model." or "" */
  bool by_itself;    /* see struct section */
};

enum { MORE = 24 }; /* ", and 2147483647 more" */

static void add_name(struct name_list *l, const char *section, const char *element, const char *key)
{
  char name[400];
  const int n = snprintf(name, sizeof name, "%s%s%s%s%s%s%s", l->count++ ? ", " : "", l->above, section,
                         *element ? "." : "", element, *key ? "." : "", key);
  const bool fits = !l->cut && n < (int)sizeof name && l->used + (size_t)n + MORE < l->size;
  if (fits)
    memcpy(l->text + l->used, name, (size_t)n + 1);
  else
    l->cut++;
  l->used += fits ? (size_t)n : 0;
}

static void end_names(struct name_list *l)
{
  if (l->cut && l->size > l->used)
    snprintf(l->text + l->used, l->size - l->used, l->used ? ", and %d more" : "%d keys", l->cut);
}

static bool key_differs(const struct mapping_fingerprints *a, const struct mapping_fingerprints *b, int key)
{
  return a->key[key] != b->key[key] && a->of->key[key].change != BY_SIMULATOR;
}

/* If other keys of the mapping differ, its live keys take effect with the restart that those need, unless they apply by
 * themselves. */
static bool is_applied(const struct mapping_fingerprints *a, const struct mapping_fingerprints *b,
                       bool by_itself)
{
  if (a->of != b->of) return false;
  for (int i = 0; i < a->of->keys && !by_itself; i++)
    if (key_differs(a, b, i) && a->of->key[i].change != WHILE_RUNNING) return false;
  return true;
}

static void compare_mappings(const char *section, const struct mapping_fingerprints *a,
                             const struct mapping_fingerprints *b, struct name_list *l)
{
  if (a->of != b->of) {
    if (!l->live) add_name(l, section, a->name, a->of->by ? a->of->by : "type");
    return;
  }
  const bool applied = is_applied(a, b, l->by_itself);
  for (int i = 0; i < a->of->keys; i++) {
    const struct key *k = &a->of->key[i];
    if (!key_differs(a, b, i) || (applied && k->change == WHILE_RUNNING) != l->live) continue;
    add_name(l, section, a->name, k->name);
    if (strcmp(k->name, "enabled") == 0) return; /* the others follow from it */
  }
}

static struct mapping_fingerprints *find_element(const struct part *p, const char *name)
{
  const struct mapping_fingerprints key = {.name = (char *)name}, *wanted = &key;
  struct mapping_fingerprints **found =
      p->maps ? bsearch(&wanted, p->sorted, (size_t)p->maps, sizeof *p->sorted, compare_fingerprints) : NULL;
  return found ? *found : NULL;
}

static void compare_parts(const struct key *of, const struct part *a, const struct part *b,
                          struct name_list *l)
{
  /* Elements of both lists, and elements of a alone. */
  const int before = l->count;
  bool moved = false;
  for (int i = 0; i < a->maps; i++) {
    const struct mapping_fingerprints *other = find_element(b, a->map[i]->name);
    if (other) compare_mappings(of->name, a->map[i], other, l);
    if (!other && !l->live) add_name(l, of->name, a->map[i]->name, "");
    moved |= other && (i >= b->maps || other != b->map[i]);
  }
  if (l->live) return;

  /* Elements of b alone; lists that differ in order or text only. */
  for (int i = 0; i < b->maps; i++)
    if (!find_element(a, b->map[i]->name)) add_name(l, of->name, b->map[i]->name, "");
  if (a->text != b->text || (moved && l->count == before)) add_name(l, of->name, "", "");
}

static void compare_key_parts(const struct key *of, const struct part *a, const struct part *b,
                              struct name_list *l)
{
  l->by_itself = of->section && of->section->by_itself;
  l->above = "";
  compare_parts(of, a, b, l);
  l->above = "model.";
  for (int i = 0; a->list && i < of->section->keys; i++)
    if (a->list[i].map) compare_parts(&of->section->key[i], &a->list[i], &b->list[i], l);
}

bool settings_same_section(const struct settings *a, const struct settings *b, const char *name)
{
  const int i = find_key(&schema_file, name);
  struct name_list l = {0};
  compare_key_parts(&schema_file.key[i], &a->fingerprints->part[i], &b->fingerprints->part[i], &l);
  return l.count == 0;
}

bool settings_same_element(const struct settings *a, const struct settings *b, const char *list,
                           const char *name)
{
  const int i = find_key(&schema_file, list);
  const struct mapping_fingerprints *x = find_element(&a->fingerprints->part[i], name),
                                    *y = find_element(&b->fingerprints->part[i], name);
  return x && y && is_applied(x, y, schema_file.key[i].section->by_itself);
}

int settings_changes(const struct settings *a, const struct settings *b, bool while_running, char *text,
                     size_t size)
{
  struct name_list l = {.text = text, .size = size, .live = while_running};
  if (size) text[0] = '\0';
  for (int i = 0; i < schema_file.keys; i++)
    compare_key_parts(&schema_file.key[i], &a->fingerprints->part[i], &b->fingerprints->part[i], &l);
  end_names(&l);
  return l.count;
}

static void keep_part(struct part *to, const struct part *from, bool by_itself)
{
  for (int m = 0; m < to->maps; m++) {
    struct mapping_fingerprints *x = to->map[m], *y = find_element(from, x->name);
    if (!y || !is_applied(x, y, by_itself)) continue;
    for (int k = 0; k < x->of->keys; k++)
      if (x->of->key[k].change == WHILE_RUNNING) x->key[k] = y->key[k];
  }
}

void settings_keep_changes(struct settings *held, const struct settings *read)
{
  for (int i = 0; i < schema_file.keys; i++) {
    const struct section *s = schema_file.key[i].section;
    const struct part *from = &read->fingerprints->part[i];
    struct part *to = &held->fingerprints->part[i];
    keep_part(to, from, s && s->by_itself);
    for (int k = 0; to->list && k < s->keys; k++) keep_part(&to->list[k], &from->list[k], s->by_itself);
  }
}

void settings_keep_key(struct settings *held, const struct settings *read, const char *section,
                       const char *key)
{
  const int i = find_key(&schema_file, section), k = find_key(schema_file.key[i].section, key);
  held->fingerprints->part[i].map[0]->key[k] = read->fingerprints->part[i].map[0]->key[k];
}
