/* SPDX-License-Identifier: MIT
 * The help on a key. Set-up only. */
#include "manual/manual.h"
#include "settings/values.h"

#include "yaml/nearest.h"

#include <string.h>

enum { WIDTH = 80 };

void manual_wrap(FILE *out, int width, const char *first, const char *other, const char *text)
{
  int column = fprintf(out, "%s", first);
  const int margin = column;
  while (*text) {
    const int word = (int)strcspn(text, " ");
    if (column > margin && column + 1 + word > width)
      column = fprintf(out, "\n%s", other) - 1;
    else if (column > margin)
      column += fprintf(out, " ");
    column += fprintf(out, "%.*s", word, text);
    text += word + (text[word] == ' ');
  }
  fputc('\n', out);
}

/* --- every key --- */

static bool walk_section(const struct section *s, const char *above, const struct section *but,
                         bool (*visit)(void *user, const struct key_place *place), void *user);

static bool has_key(const struct section *s, const char *name)
{
  for (int i = 0; s && i < s->keys; i++)
    if (strcmp(s->key[i].name, name) == 0) return true;
  return false;
}

/* Walks the section of a key, the mapping {file: PATH} that may stand for it, and the types of its elements. */
static bool walk_below(const struct key_place *p, bool (*visit)(void *user, const struct key_place *place),
                       void *user)
{
  const struct section *s = p->key->section;
  if (!walk_section(s, p->path, NULL, visit, user)) return false;
  if (p->key->file && !walk_section(p->key->file, p->path, s, visit, user)) return false;
  for (int i = 0; i < s->variant_count; i++) {
    char path[sizeof p->path];
    const char *title = strchr(s->variants[i].title, ' ') + 1;
    snprintf(path, sizeof path, "%.80s.%.30s", p->path, title);
    if (!walk_section(&s->variants[i], path, NULL, visit, user)) return false;
  }
  return true;
}

/* but: a section whose keys are omitted. */
static bool walk_section(const struct section *s, const char *above, const struct section *but,
                         bool (*visit)(void *user, const struct key_place *place), void *user)
{
  for (int i = 0; i < s->keys; i++) {
    struct key_place p = {.section = s, .key = &s->key[i]};
    if (has_key(but, p.key->name)) continue;
    snprintf(p.path, sizeof p.path, "%.80s%s%.30s", above, *above ? "." : "", p.key->name);
    if (!visit(user, &p)) return false;
    if (p.key->section && !walk_below(&p, visit, user)) return false;
  }
  return true;
}

/* Calls `visit` for every key of a file, sections before their keys, until one call returns false. */
static void manual_walk(bool (*visit)(void *user, const struct key_place *place), void *user)
{
  walk_section(&schema_file, "", NULL, visit, user);
}

/* --- the help on one key --- */

static void print_conditions(const struct key_place *p, FILE *out)
{
  if (!p->key->only || !p->section->by) return;
  const struct key *by = p->section->key;
  while (strcmp(by->name, p->section->by) != 0) by++;
  fprintf(out, "  with     %s:", by->name);
  for (int i = 0, any = 0; by->choices[i]; i++)
    if (p->key->only >> i & 1) fprintf(out, "%s %s", any++ ? "," : "", by->choices[i]);
  fputc('\n', out);
}

static void print_change(const struct key *k, FILE *out)
{
  static const char *const text[] = {
      [AT_START] = "after a restart",
      [BY_SIMULATOR] = "after a restart (ali3-sim alone reads it)",
      [BY_OPTION] = "after a restart",
      [WHILE_RUNNING] = "live, with a reload (SIGHUP)",
  };
  fprintf(out, "  changes  %s\n", text[k->change]);
  if (k->option) fprintf(out, "  option   %s overrides it\n", k->option);
}

static void print_value_facts(const struct key_place *p, FILE *out)
{
  const struct key *k = p->key;
  char range[300];
  const char *by_default = !k->fallback ? "none; the key is required" : *k->fallback ? k->fallback : "none";
  schema_range(k, range, sizeof range);
  fprintf(out, "  type     %s\n", k->type == KEY_CHOICE ? "a word" : schema_type(k));
  fprintf(out, "  unit     %s\n", *k->unit ? k->unit : "none");
  manual_wrap(out, WIDTH, "  range    ", "           ", *range ? range : "any");
  fprintf(out, "  default  %s\n", by_default);
  print_change(k, out);
  print_conditions(p, out);
}

/* Prints the name and the first sentence. */
static void print_brief(const char *name, const char *doc, FILE *out)
{
  char first[48], sentence[200];
  const char *end = strstr(doc, ". ");
  snprintf(first, sizeof first, "  %-22s ", name);
  snprintf(sentence, sizeof sentence, "%.*s", end ? (int)(end - doc) + 1 : (int)strlen(doc), doc);
  manual_wrap(out, WIDTH, first, "                         ", sentence);
}

static void print_section_keys(const struct section *s, FILE *out)
{
  fputs("\nkeys:\n", out);
  for (int i = 0; i < s->keys; i++) print_brief(s->key[i].name, s->key[i].doc, out);
  for (int i = 0; i < s->variant_count; i++) {
    fputc('\n', out);
    manual_wrap(out, WIDTH, "", "", s->variants[i].doc);
    for (int j = 0; j < s->variants[i].keys; j++)
      print_brief(s->variants[i].key[j].name, s->variants[i].key[j].doc, out);
  }
}

static void print_place(const struct key_place *p, FILE *out)
{
  fprintf(out, "%s\n", p->path);
  manual_wrap(out, WIDTH, "  ", "  ", p->key->doc);
  fputc('\n', out);
  if (p->key->section) {
    fprintf(out, "  type     %s\n", schema_type(p->key));
    fprintf(out, "  default  %s\n", p->key->fallback ? "none" : "none; the key is required");
    print_section_keys(p->key->section, out);
  } else {
    print_value_facts(p, out);
  }
}

struct search {
  const char *path;
  bool (*fits)(const char *path, const char *wanted);
  FILE *out;
  int found;
  struct nearest near;
  char best[sizeof(struct key_place){0}.path];
};

/* The path has the words of `wanted` in their order, and ends with the last of them. */
static bool has_words(const char *path, const char *wanted)
{
  if (!*wanted) return false;
  while (*path && *wanted) {
    const size_t a = strcspn(path, "."), b = strcspn(wanted, ".");
    if (a == b && strncmp(path, wanted, a) == 0) wanted += b + (wanted[b] == '.');
    path += a + (path[a] == '.');
    if (!*wanted && *path) return false;
  }
  return !*wanted;
}

static bool is_end_of_path(const char *path, const char *wanted)
{
  const size_t a = strlen(path), b = strlen(wanted);
  return a >= b && strcmp(path + a - b, wanted) == 0 && (a == b || path[a - b - 1] == '.');
}

/* A key of the type or section that is named: "bushing" or "model.forces.bushing". */
static bool is_member(const char *path, const char *wanted)
{
  const char *last = strrchr(path, '.');
  const size_t a = last ? (size_t)(last - path) : 0, b = strlen(wanted);
  return b > 0 && a >= b && strncmp(path + a - b, wanted, b) == 0 && (a == b || path[a - b - 1] == '.');
}

static bool is_same_path(const char *path, const char *wanted)
{
  return strcmp(path, wanted) == 0;
}

static bool print_fitting(void *user, const struct key_place *place)
{
  struct search *s = user;
  if (!s->fits(place->path, s->path)) return true;
  if (s->found++) fputc('\n', s->out);
  print_place(place, s->out);
  return true;
}

static bool fits_all(const char *path, const char *wanted)
{
  (void)path;
  return strcmp(wanted, "all") == 0;
}

static bool try_nearest(void *user, const struct key_place *place)
{
  struct search *s = user;
  const char *before = s->near.best;
  size_t distance = s->near.distance;
  for (const char *p = place->path; p; p = strchr(p, '.') ? strchr(p, '.') + 1 : NULL) {
    nearest_try(&s->near, p);
    if (s->near.best == before && s->near.distance == distance) continue;
    snprintf(s->best, sizeof s->best, "%s", p);
    before = s->near.best = s->best;
    distance = s->near.distance;
  }
  return true;
}

bool manual_print_key(const char *path, FILE *out, FILE *errors)
{
  bool (*const fits[])(const char *, const char *) = {fits_all, is_same_path, is_end_of_path, is_member,
                                                      has_words};
  struct search s = {.path = path, .out = out, .near.word = path};
  for (size_t i = 0; i < sizeof fits / sizeof *fits && s.found == 0; i++) {
    s.fits = fits[i];
    manual_walk(print_fitting, &s);
  }
  if (s.found) return true;
  manual_walk(try_nearest, &s);
  fprintf(errors, "no key is named \"%.60s\"; %s%s%s\n", path,
          s.near.best ? "did you mean \"" : "--help all prints every key", s.near.best ? s.best : "",
          s.near.best ? "\"?" : "");
  return false;
}
