/* SPDX-License-Identifier: MIT
 * Reads a file into a tree of nodes with libfyaml's event parser. Set-up only. */
#include "yaml/yaml.h"

#include "yaml/text_file.h"

#include <assert.h>
#include <libfyaml.h>
#include <stdlib.h>
#include <string.h>

enum { DEPTH_MAX = 32, CHUNK = 1 << 18 };

struct yaml_chunk {
  struct yaml_chunk *next;
  size_t used, size;
  _Alignas(16) char data[];
};

struct anchor {
  const char *name;
  const struct node *node;
};

/* The state of one build. open: the open lists and mappings, innermost last. */
struct builder {
  struct yaml *tree;
  struct report *report;
  int depth;
  struct open {
    struct node *node, *last;
    const char *key; /* a key that waits for its value */
    struct place key_at;
  } open[DEPTH_MAX];
  struct anchor *anchor;
  int anchors, anchor_room;
  bool repeats_key; /* a mapping has a key twice, which was reported */
};

static void *take_memory(struct yaml *t, size_t size)
{
  size = (size + 7) & ~(size_t)7;
  struct yaml_chunk *c = t->chunks;
  if (!c || c->size - c->used < size) {
    size_t room = size > CHUNK ? size : CHUNK;
    c = malloc(sizeof *c + room);
    if (!c) return NULL;
    *c = (struct yaml_chunk){.next = t->chunks, .size = room};
    t->chunks = c;
  }
  void *p = c->data + c->used;
  c->used += size;
  return p;
}

static bool fail_at(struct builder *b, struct place at, const char *text)
{
  report_error(b->report, at, "%s", text);
  return false;
}

static bool fail_tree_memory(struct builder *b)
{
  return fail_at(b, (struct place){0}, "out of memory");
}

/* libfyaml marks quoted texts and aliases after their first character. */
static struct place event_place(struct fy_event *e)
{
  const struct fy_mark *m = fy_event_start_mark(e);
  if (!m) return (struct place){0};
  enum fy_scalar_style style = e->type == FYET_SCALAR ? fy_token_scalar_style(e->scalar.value) : FYSS_ANY;
  bool behind = e->type == FYET_ALIAS || style == FYSS_SINGLE_QUOTED || style == FYSS_DOUBLE_QUOTED;
  return (struct place){.line = m->line + 1, .column = m->column + (behind ? 0 : 1)};
}

const char *yaml_copy_text(struct yaml *t, const char *text, size_t length)
{
  char *copy = take_memory(t, length + 1);
  if (!copy) return NULL;
  memcpy(copy, text, length);
  copy[length] = 0;
  return copy;
}

struct node *yaml_copy_node(struct yaml *t, const struct node *n)
{
  struct node *copy = take_memory(t, sizeof *copy);
  if (!copy) return NULL;
  *copy = *n;
  copy->next = NULL;
  return copy;
}

/* NULL when out of memory. */
static const char *copy_token(struct yaml *t, struct fy_token *token)
{
  size_t length = 0;
  const char *text = token ? fy_token_get_text(token, &length) : "";
  return yaml_copy_text(t, text, length);
}

/* The innermost open list or mapping; NULL at the top. */
static struct open *innermost_open(struct builder *b)
{
  if (b->depth == 0) return NULL;
  struct open *o = &b->open[b->depth - 1];
  assert(o->node);
  return o;
}

static bool awaits_key(struct builder *b)
{
  const struct open *o = innermost_open(b);
  return o && o->node->kind == NODE_MAP && !o->key;
}

/* Hangs a new node at `at` into the innermost open list or mapping. NULL when out of memory. */
static struct node *hang_node(struct builder *b, enum node_kind kind, struct place at)
{
  struct node *n = take_memory(b->tree, sizeof *n);
  if (!n) {
    fail_tree_memory(b);
    return NULL;
  }
  *n = (struct node){.kind = (unsigned char)kind, .at = at, .text = ""};
  struct open *o = innermost_open(b);
  if (!o) {
    b->tree->root = n;
    return n;
  }
  /* A value takes the key that waits for it. */
  n->key = o->key;
  n->key_at = o->key ? o->key_at : at;
  if (at.line == 0) n->at = n->key_at;
  o->key = NULL;
  if (o->last)
    o->last->next = n;
  else
    o->node->first = n;
  o->last = n;
  o->node->count++;
  return n;
}

static bool remember_anchor(struct builder *b, struct fy_token *anchor, const struct node *n)
{
  if (!anchor) return true;
  if (b->anchors == b->anchor_room) {
    int room = b->anchor_room ? 2 * b->anchor_room : 16;
    struct anchor *more = realloc(b->anchor, (size_t)room * sizeof *more);
    if (!more) return fail_tree_memory(b);
    b->anchor = more;
    b->anchor_room = room;
  }
  const char *name = copy_token(b->tree, anchor);
  if (!name) return fail_tree_memory(b);
  b->anchor[b->anchors++] = (struct anchor){name, n};
  return true;
}

/* Texts reach terminals and logs. A quoted text can hold any character by an escape such as \x1b. */
static bool check_scalar(struct builder *b, const char *text, struct place at)
{
  for (const unsigned char *p = (const unsigned char *)text; *p; p++) {
    const bool c1 = p[0] == 0xc2 && p[1] >= 0x80 && p[1] < 0xa0;
    if ((*p < ' ' && *p != '\n' && *p != '\t') || *p == 0x7f || c1)
      return fail_at(b, at, "expected a text without control characters; remove the escape sequence");
  }
  return true;
}

static bool build_scalar(struct builder *b, struct fy_event *e)
{
  struct fy_token *value = e->scalar.value;
  bool quoted = value && fy_token_scalar_style(value) != FYSS_PLAIN;
  const char *text = copy_token(b->tree, value);
  if (!text) return fail_tree_memory(b);
  if (!check_scalar(b, text, event_place(e))) return false;

  if (awaits_key(b)) {
    innermost_open(b)->key = text;
    innermost_open(b)->key_at = event_place(e);
    return true;
  }
  /* A missing value has the place of its key: libfyaml 0.7 gives it no mark, libfyaml 0.8 gives it a mark of its own. */
  const bool nothing = !*text && !quoted;
  struct node *n =
      hang_node(b, nothing ? NODE_NOTHING : NODE_SCALAR, nothing ? (struct place){0} : event_place(e));
  if (!n) return false;
  n->text = text;
  n->quoted = quoted;
  return remember_anchor(b, e->scalar.anchor, n);
}

static bool begin_container(struct builder *b, struct fy_event *e, enum node_kind kind,
                            struct fy_token *anchor)
{
  if (awaits_key(b)) return fail_at(b, event_place(e), "expected a word as a key, found a list or a mapping");
  if (b->depth == DEPTH_MAX)
    return fail_at(b, event_place(e), "expected at most 32 lists and mappings inside each other, found more");
  struct node *n = hang_node(b, kind, event_place(e));
  if (!n || !remember_anchor(b, anchor, n)) return false;
  b->open[b->depth++] = (struct open){.node = n};
  return true;
}

static int compare_keys(const void *a, const void *b)
{
  const struct node *x = *(const struct node *const *)a, *y = *(const struct node *const *)b;
  const int order = strcmp(x->key, y->key);
  if (order || x->key_at.line != y->key_at.line) return order ? order : x->key_at.line - y->key_at.line;
  return x->key_at.column - y->key_at.column;
}

static void report_repeated_key(struct builder *b, const struct node *again, const struct node *earlier)
{
  char place[PLACE_SHOWN];
  const char *hint = strcmp(again->key, "<<") == 0 ? ", or write one list, <<: [*a, *b]" : "";
  const bool shown = b->tree->source.shown;
  report_error(b->report, again->key_at, "duplicate key%s%.40s%s: %s has it already; remove one of the two%s",
               shown ? " \"" : "", shown ? again->key : "", shown ? "\"" : "",
               report_place(b->report, earlier->key_at, place), hint);
  b->repeats_key = true;
}

/* Sorted, equal keys are neighbours, and a mapping with many keys takes no time that grows with their square. */
static bool end_mapping(struct builder *b)
{
  const struct node *map = innermost_open(b)->node;
  b->depth--;
  const struct node **sorted = malloc(((size_t)map->count + 1) * sizeof *sorted);
  if (!sorted) return fail_tree_memory(b);
  int n = 0;
  for (const struct node *c = map->first; c; c = c->next) sorted[n++] = c;
  qsort(sorted, (size_t)n, sizeof *sorted, compare_keys);
  for (int i = 1; i < n; i++)
    if (strcmp(sorted[i - 1]->key, sorted[i]->key) == 0) report_repeated_key(b, sorted[i], sorted[i - 1]);
  free(sorted);
  return true;
}

static bool build_alias(struct builder *b, struct fy_event *e)
{
  if (awaits_key(b)) return fail_at(b, event_place(e), "expected a word as a key, found an alias");
  const char *name = copy_token(b->tree, e->alias.anchor);
  if (!name) return fail_tree_memory(b);
  const struct node *target = NULL;
  for (int i = b->anchors - 1; i >= 0 && !target; i--)
    if (strcmp(b->anchor[i].name, name) == 0) target = b->anchor[i].node;
  if (!target)
    return fail_at(b, event_place(e), "expected an alias of an anchor above it, found an unknown name");
  for (int i = 0; i < b->depth; i++)
    if (b->open[i].node == target)
      return fail_at(b, event_place(e),
                     "expected an alias of another node, found an alias inside its own anchor");

  /* The alias has the content of its target. */
  struct node *n = hang_node(b, target->kind, event_place(e));
  if (!n) return false;
  n->quoted = target->quoted;
  n->count = target->count;
  n->text = target->text;
  n->first = target->first;
  return true;
}

static bool take_event(struct builder *b, struct fy_event *e)
{
  /* Tags are refused, because they can have any meaning. */
  static const char no_tags[] = "expected a value without a tag (!...), found a tag";
  switch (e->type) {
  case FYET_SCALAR:
    return e->scalar.tag ? fail_at(b, event_place(e), no_tags) : build_scalar(b, e);
  case FYET_SEQUENCE_START:
    return e->sequence_start.tag ? fail_at(b, event_place(e), no_tags)
                                 : begin_container(b, e, NODE_LIST, e->sequence_start.anchor);
  case FYET_MAPPING_START:
    return e->mapping_start.tag ? fail_at(b, event_place(e), no_tags)
                                : begin_container(b, e, NODE_MAP, e->mapping_start.anchor);
  case FYET_SEQUENCE_END:
    b->depth--;
    return true;
  case FYET_MAPPING_END:
    return end_mapping(b);
  case FYET_ALIAS:
    return build_alias(b, e);
  case FYET_DOCUMENT_START:
    return b->tree->root
               ? fail_at(b, event_place(e), "expected one document, found the start of another document")
               : true;
  default:
    return true;
  }
}

/* libfyaml ends the stream at a byte that is no UTF-8, without an error, and the rest of the file would be lost. */
static bool check_text(struct builder *b)
{
  const unsigned char *s = (const unsigned char *)b->tree->source.text;
  size_t size = b->tree->source.size;
  struct place at = {.line = 1, .column = 1};
  for (size_t i = 0; i < size;) {
    unsigned char c = s[i];
    size_t length = c < 0x80                ? 1
                    : c >= 0xc2 && c < 0xe0 ? 2
                    : (c & 0xf0) == 0xe0    ? 3
                    : c >= 0xf0 && c < 0xf5 ? 4
                                            : 0;
    bool good = length > 0 && length <= size - i;
    for (size_t k = 1; good && k < length; k++) good = (s[i + k] & 0xc0) == 0x80;
    /* Refuse other bytes and control characters. */
    if (!good) return fail_at(b, at, "expected UTF-8 text, found another byte");
    if ((c < ' ' && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
      return fail_at(b, at, "expected text, found a control character");
    i += length;
    at = c == '\n' ? (struct place){.line = at.line + 1, .column = 1}
                   : (struct place){.line = at.line, .column = at.column + 1};
  }
  return true;
}

static void swallow_message(struct fy_diag *diag, void *user, const char *text, size_t size)
{
  (void)diag, (void)user, (void)text, (void)size;
}

static struct fy_diag *quiet_diag(void)
{
  struct fy_diag_cfg config;
  fy_diag_cfg_default(&config);
  config.fp = NULL;
  config.output_fn = swallow_message;
  struct fy_diag *diag = fy_diag_create(&config);
  if (diag) fy_diag_set_collect_errors(diag, true);
  return diag;
}

static bool report_collected(struct builder *b, struct fy_diag *diag)
{
  void *iterator = NULL;
  int found = 0;
  for (struct fy_diag_error *e; (e = fy_diag_errors_iterate(diag, &iterator)); found++) {
    const size_t own = strcspn(e->msg, "'\""); /* text of the file follows */
    const size_t length = b->tree->source.shown ? strlen(e->msg) : own;
    report_error(b->report, (struct place){.line = e->line, .column = e->column}, "%.*s", (int)length,
                 e->msg);
  }
  return found > 0 ? false : fail_at(b, (struct place){0}, "expected a YAML file, found something else");
}

static bool build_tree_of_events(struct builder *b)
{
  struct fy_diag *diag = quiet_diag();
  struct fy_parse_cfg config = {.flags = FYPCF_JSON_NONE | FYPCF_DEFAULT_VERSION_1_2, .diag = diag};
  struct fy_parser *parser = diag ? fy_parser_create(&config) : NULL;
  const struct source *s = &b->tree->source;
  bool good = false;

  /* Take events until a mistake or the end. */
  if (!parser || fy_parser_set_string(parser, s->text, s->size)) {
    fail_tree_memory(b);
  } else {
    good = true;
    for (struct fy_event *e; good && (e = fy_parser_parse(parser)); fy_parser_event_free(parser, e))
      good = take_event(b, e);
    if (good && fy_parser_get_stream_error(parser)) good = report_collected(b, diag);
    if (good && !b->tree->root)
      good = fail_at(b, (struct place){0},
                     s->placeless ? "expected a value, found nothing"
                                  : "expected a mapping with the key \"model\", found nothing");
    good &= !b->repeats_key;
  }
  fy_parser_destroy(parser);
  fy_diag_destroy(diag);
  return good;
}

static bool read_tree(struct yaml *t, const char *file, bool shown, bool pipe, struct report *r)
{
  char why[200];
  *t = (struct yaml){.source = {.file = strdup(file), .shown = shown}};
  r->source = &t->source;
  struct builder b = {.tree = t, .report = r};
  if (!t->source.file) return false;

  if (!text_file_read(&t->source, file, pipe, why, sizeof why)) {
    report_error(r, (struct place){0}, "%s", why);
    return false;
  }
  bool good = check_text(&b) && build_tree_of_events(&b);
  free(b.anchor);
  return good;
}

const struct node *yaml_read_text(struct yaml *t, const struct source *s, struct report *r)
{
  struct yaml part = {.source = *s, .chunks = t->chunks};
  struct builder b = {.tree = &part, .report = r};
  const struct source *held = r->source;
  r->source = s;
  const bool good = check_text(&b) && build_tree_of_events(&b);
  r->source = held;
  t->chunks = part.chunks;
  free(b.anchor);
  return good ? part.root : NULL;
}

bool yaml_read(struct yaml *t, const char *file, struct report *r)
{
  return read_tree(t, file, true, false, r);
}

bool yaml_read_main(struct yaml *t, const char *file, struct report *r)
{
  return read_tree(t, file, true, true, r);
}

bool yaml_read_part(struct yaml *t, const char *file, struct report *r)
{
  return read_tree(t, file, false, false, r);
}

bool yaml_share(struct yaml *t, const struct yaml *from, struct report *r)
{
  *t = (struct yaml){.source = from->source, .lent = true};
  r->source = &t->source;
  t->root = yaml_copy_node(t, from->root);
  return t->root != NULL;
}

void yaml_free(struct yaml *t)
{
  for (struct yaml_chunk *c = t->chunks, *next; c; c = next) {
    next = c->next;
    free(c);
  }
  if (!t->lent) {
    free(t->source.file);
    free(t->source.text);
  }
  *t = (struct yaml){0};
}

const struct node *node_find(const struct node *map, const char *key)
{
  if (!map || map->kind != NODE_MAP) return NULL;
  for (const struct node *n = map->first; n; n = n->next)
    if (strcmp(n->key, key) == 0) return n;
  return NULL;
}

const struct node *node_in_section(const struct node *map, const char *section, const char *key)
{
  return node_find(node_find(map, section), key);
}

const struct node *node_elements(const struct node *map, const char *key)
{
  const struct node *n = node_find(map, key);
  return n && n->kind == NODE_LIST ? n->first : NULL;
}

const char *node_show(const struct node *n, char text[NODE_SHOWN])
{
  switch (n->kind) {
  case NODE_NOTHING:
    return "nothing";
  case NODE_LIST:
    return "a list";
  case NODE_MAP:
    return "a mapping";
  default:
    break;
  }
  const char *quote = n->quoted ? "\"" : "", *shown = n->written ? n->written : n->text;
  bool whole = strlen(shown) < NODE_SHOWN - 8;
  snprintf(text, NODE_SHOWN, "%s%.*s%s%s", quote, NODE_SHOWN - 8, shown, whole ? "" : "...", quote);
  return text;
}
