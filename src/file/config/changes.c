/* SPDX-License-Identifier: MIT */
#include "config/changes.h"

#include "config/values.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

/* Prints of one mapping: a section of the file, or an element of a list. */
struct mapping_prints {
  char *name;     /* name of the element; "" for a section */
  uint64_t key[]; /* (keys of the section) */
};

/* Prints of all keys of a file, in the order of its table. */
struct key_prints {
  struct part {
    uint64_t text;               /* print of the text: the model, or a list that may stand in its own file */
    struct mapping_prints **map; /* (maps) one for a section; one for each element of a list */
    int maps;
  } part[SECTION_KEYS_MAX];
};

/* --- taking prints: FNV-1a --- */

static const uint64_t EMPTY = UINT64_C(0xcbf29ce484222325);

static uint64_t mix_bytes(uint64_t print, const void *bytes, size_t size)
{
  const unsigned char *p = bytes;
  for (size_t i = 0; i < size; i++) print = (print ^ p[i]) * UINT64_C(0x100000001b3);
  return print;
}

/* The byte at the end counts, too: "a" "b" differs from "ab" "". */
static uint64_t mix_text(uint64_t print, const char *text)
{
  return mix_bytes(print, text ? text : "", text ? strlen(text) + 1 : 1);
}

static uint64_t mix_node(uint64_t print, const struct node *n)
{
  if (!n) return print;
  print = mix_text(mix_text(mix_bytes(print, &n->kind, sizeof n->kind), n->key), n->text);
  for (const struct node *c = n->first; c; c = c->next) print = mix_node(print, c);
  return mix_text(print, "");
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

static struct mapping_prints *new_mapping(const struct section *s, const char *name)
{
  struct mapping_prints *m = calloc(1, sizeof *m + (size_t)s->keys * sizeof *m->key);
  if (!m) return NULL;
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
static struct mapping_prints *print_of_section(const struct section *s, const struct node *n,
                                               const char *values)
{
  struct mapping_prints *m = new_mapping(s, "");
  const int enabled = find_key(s, "enabled");
  const bool off = enabled >= 0 && !*(const bool *)(const void *)(values + s->key[enabled].offset);
  for (int i = 0; m && i < s->keys; i++)
    if (!off || i == enabled)
      m->key[i] = print_of_key(&s->key[i], node_find(n, s->key[i].name), values + s->key[i].offset);
  return m;
}

static struct mapping_prints *print_of_element(const struct section *s, const struct node *n,
                                               struct report *r)
{
  const struct node *name = node_find(n, "name");
  struct mapping_prints *m = new_mapping(s, name && name->text ? name->text : "");
  for (int i = 0; m && i < s->keys; i++) {
    union value value = {0};
    const struct node *given = node_find(n, s->key[i].name);
    if (value_size(s->key[i].type) || s->key[i].type == KEY_STRING)
      schema_read_key(&s->key[i], given, &value, r);
    m->key[i] = print_of_key(&s->key[i], given, &value);
  }
  return m;
}

static bool take_part(struct part *p, const struct key *k, const struct node *n, const struct file_values *v,
                      struct report *r)
{
  const int maps = k->type == KEY_SECTION ? 1 : k->type == KEY_LIST && n ? n->count : 0;
  p->text = k->type == KEY_ELEMENT || k->type == KEY_LIST_FILE ? mix_node(EMPTY, n) : 0;
  p->map = calloc((size_t)maps + 1, sizeof(struct mapping_prints *));
  if (!p->map) return false;
  const struct node *element = k->type == KEY_LIST && n ? n->first : NULL;
  for (; p->maps < maps; p->maps++) {
    p->map[p->maps] =
        element ? print_of_element(k->section, element, r) : print_of_section(k->section, n, (const char *)v);
    if (!p->map[p->maps]) return false;
    if (element) element = element->next;
  }
  return true;
}

struct key_prints *prints_new(const struct file_values *v, const struct node *root, const struct node *model,
                              const struct report *r)
{
  struct key_prints *p = calloc(1, sizeof *p);
  bool memory = p;
  /* The elements of some lists are judged later, by their readers. Their mistakes are not reported here. */
  struct report silent = {.out = r->out, .source = r->source, .errors = REPORT_MAX, .option = r->option};
  for (int i = 0; memory && i < schema_file.keys; i++) {
    const struct key *k = &schema_file.key[i];
    memory = take_part(&p->part[i], k, k->type == KEY_ELEMENT ? model : node_find(root, k->name), v, &silent);
  }
  if (memory) return p;
  prints_free(p);
  return NULL;
}

static struct mapping_prints *copy_mapping(const struct section *s, const struct mapping_prints *m)
{
  struct mapping_prints *copy = new_mapping(s, m->name);
  if (copy) memcpy(copy->key, m->key, (size_t)s->keys * sizeof *m->key);
  return copy;
}

struct key_prints *prints_copy(const struct key_prints *p)
{
  struct key_prints *copy = calloc(1, sizeof *copy);
  bool memory = copy;
  for (int i = 0; p && memory && i < schema_file.keys; i++) {
    const struct part *from = &p->part[i];
    struct part *to = &copy->part[i];
    to->text = from->text;
    to->map = calloc((size_t)from->maps + 1, sizeof(struct mapping_prints *));
    memory = to->map;
    for (; memory && to->maps < from->maps; to->maps += memory) {
      to->map[to->maps] = copy_mapping(schema_file.key[i].section, from->map[to->maps]);
      memory = to->map[to->maps];
    }
  }
  if (memory) return copy;
  prints_free(copy);
  return NULL;
}

void prints_free(struct key_prints *p)
{
  for (int i = 0; p && i < schema_file.keys; i++) {
    for (int m = 0; m < p->part[i].maps; m++) {
      free(p->part[i].map[m]->name);
      free(p->part[i].map[m]);
    }
    free(p->part[i].map);
  }
  free(p);
}

void prints_add_file(struct key_prints *p, const char *section, const char *key, const struct node *list)
{
  if (!p) return;
  const int i = find_key(&schema_file, section ? section : key);
  uint64_t *print =
      section ? &p->part[i].map[0]->key[find_key(schema_file.key[i].section, key)] : &p->part[i].text;
  if (*print) *print = mix_node(*print, list); /* else the section is not enabled */
}

/* --- comparison --- */

struct name_list {
  char *text;
  size_t size, used;
  int count;
};

static void add_name(struct name_list *l, const char *section, const char *element, const char *key)
{
  const size_t room = l->used < l->size ? l->size - l->used : 0;
  const int n = snprintf(l->text + (room ? l->used : 0), room, "%s%s%s%s%s%s", l->count++ ? ", " : "",
                         section, *element ? "." : "", element, *key ? "." : "", key);
  l->used += n > 0 ? (size_t)n : 0;
}

static void compare_mappings(const struct key *of, const struct mapping_prints *a,
                             const struct mapping_prints *b, bool while_running, struct name_list *l)
{
  for (int i = 0; i < of->section->keys; i++) {
    const struct key *k = &of->section->key[i];
    if (a->key[i] == b->key[i] || k->change == BY_SIMULATOR || (k->change == WHILE_RUNNING) != while_running)
      continue;
    add_name(l, of->name, a->name, k->name);
    if (strcmp(k->name, "enabled") == 0) return; /* the others follow from it */
  }
}

/* likely: index to try first. */
static const struct mapping_prints *find_element(const struct part *p, const char *name, int likely)
{
  if (likely < p->maps && strcmp(p->map[likely]->name, name) == 0) return p->map[likely];
  for (int i = 0; i < p->maps; i++)
    if (strcmp(p->map[i]->name, name) == 0) return p->map[i];
  return NULL;
}

static void compare_parts(const struct key *of, const struct part *a, const struct part *b,
                          bool while_running, struct name_list *l)
{
  /* Elements of both lists, and elements of a alone. */
  const int before = l->count;
  bool moved = false;
  for (int i = 0; i < a->maps; i++) {
    const struct mapping_prints *other = find_element(b, a->map[i]->name, i);
    if (other) compare_mappings(of, a->map[i], other, while_running, l);
    if (!other && !while_running) add_name(l, of->name, a->map[i]->name, "");
    moved |= other && (i >= b->maps || other != b->map[i]);
  }
  if (while_running) return;

  /* Elements of b alone; lists that differ in order or text only. */
  for (int i = 0; i < b->maps; i++)
    if (!find_element(a, b->map[i]->name, i)) add_name(l, of->name, b->map[i]->name, "");
  if (a->text != b->text || (moved && l->count == before)) add_name(l, of->name, "", "");
}

static bool same_parts(const struct key *of, const struct part *a, const struct part *b)
{
  struct name_list l = {0};
  compare_parts(of, a, b, false, &l);
  return l.count == 0;
}

/* A section that differs in other keys needs a restart, and its live keys take effect then. */
static bool is_applied(const struct key *of, const struct part *a, const struct part *b)
{
  return !of->section || of->section->by_itself || same_parts(of, a, b);
}

bool settings_same_section(const struct settings *a, const struct settings *b, const char *name)
{
  const int i = find_key(&schema_file, name);
  return same_parts(&schema_file.key[i], &a->prints->part[i], &b->prints->part[i]);
}

int settings_changes(const struct settings *a, const struct settings *b, bool while_running, char *text,
                     size_t size)
{
  struct name_list l = {.text = text, .size = size};
  if (size) text[0] = '\0';
  for (int i = 0; i < schema_file.keys; i++) {
    const struct key *k = &schema_file.key[i];
    const struct part *x = &a->prints->part[i], *y = &b->prints->part[i];
    if (!while_running || is_applied(k, x, y)) compare_parts(k, x, y, while_running, &l);
  }
  return l.count;
}

void settings_keep_changes(struct settings *held, const struct settings *read)
{
  for (int i = 0; i < schema_file.keys; i++) {
    const struct key *of = &schema_file.key[i];
    const struct part *from = &read->prints->part[i], *to = &held->prints->part[i];
    if (!is_applied(of, to, from)) continue;
    for (int m = 0; m < to->maps && m < from->maps; m++)
      for (int k = 0; k < of->section->keys; k++)
        if (of->section->key[k].change == WHILE_RUNNING) to->map[m]->key[k] = from->map[m]->key[k];
  }
}

void settings_keep_key(struct settings *held, const struct settings *read, const char *section,
                       const char *key)
{
  const int i = find_key(&schema_file, section), k = find_key(schema_file.key[i].section, key);
  held->prints->part[i].map[0]->key[k] = read->prints->part[i].map[0]->key[k];
}

void settings_keep_text(struct settings *held, const struct settings *read, const char *section)
{
  const int i = find_key(&schema_file, section);
  held->prints->part[i].text = read->prints->part[i].text;
}
