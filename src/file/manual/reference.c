/* SPDX-License-Identifier: MIT
 * Prints config/reference.yaml, which has every key with its documentation. The file is valid: keys of sections have their
 * default, and each list has one element with the examples of the table. All other keys are commented out. */
#include "manual/manual.h"
#include "settings/values.h"

#include <string.h>

enum { WIDTH = 110 };

struct page {
  FILE *out;
  int indent;
  bool element;        /* the mapping is an element of a list: a dash precedes its first key */
  bool off;            /* all keys are commented out */
  const char *variant; /* off: type of the element; NULL: the key type is printed as other keys */
};

static void print_keys(const struct page *p, const struct section *s);

static void print_comment(const struct page *p, const char *text)
{
  char margin[80];
  snprintf(margin, sizeof margin, "%*s# ", p->indent + (p->element ? 2 : 0), "");
  manual_wrap(p->out, WIDTH, margin, margin, text);
}

/* Prints the choices of the key section.by with which a key may stand. */
static void print_kinds(FILE *out, const struct section *s, unsigned kinds)
{
  const struct key *by = s->key;
  const char *separator = "";
  while (strcmp(by->name, s->by) != 0) by++;
  fprintf(out, " With %s ", by->name);
  for (int i = 0; by->choices[i]; i++) {
    if (!(kinds >> i & 1)) continue;
    fprintf(out, "%s%s", separator, by->choices[i]);
    separator = ", ";
  }
  fputc('.', out);
}

/* Prints type, unit, range and default, and whether the key changes live. */
static void print_facts(const struct page *p, const struct section *s, const struct key *k)
{
  char expected[400], text[900];
  FILE *out = fmemopen(text, sizeof text, "w");
  if (!out) return;
  schema_expected(k, expected, sizeof expected);
  fprintf(out, "%c%s.", expected[0] - 'a' + 'A', expected + 1);
  if (!k->fallback || !*k->fallback)
    fputs(k->fallback ? " Optional." : " Required.", out);
  else
    fprintf(out, " Default: %s.", k->fallback);
  if (k->change == WHILE_RUNNING) fputs(" Changes live.", out);
  if (k->option) fprintf(out, " Option: %s.", k->option);
  if (k->only && s->by) print_kinds(out, s, k->only);
  fclose(out);
  print_comment(p, text);
}

static void print_example(FILE *out, const struct key *k)
{
  const char *text = k->example ? k->example : k->fallback ? k->fallback : "";
  const bool list = !k->example && (k->type == KEY_VECTOR || k->type == KEY_QUATERNION) && *text;
  if (*text) fputs(list ? " [" : " ", out);
  for (; *text; text++)
    if (list && *text == ' ')
      fputs(", ", out);
    else
      fputc(*text, out);
  fputs(list ? "]\n" : "\n", out);
}

/* Prints NAME:, with the dash of an element before its first key. */
static void print_name(const struct page *p, const struct key *k, bool first, bool off)
{
  fprintf(p->out, "%*s%s%s%s:", p->indent + (p->element && !first ? 2 : 0), "", off ? "#" : "",
          p->element && first ? "- " : "", k->name);
}

static void print_list(const struct page *p, const struct key *k)
{
  const struct section *s = k->section;
  const struct page one = {
      .out = p->out, .indent = p->indent + (p->element ? 4 : 2), .element = true, .off = p->off || k->off};
  if (k->example) {
    print_example(p->out, k);
    return;
  }
  fputc('\n', p->out);
  print_keys(&one, s);
  for (int i = 0; i < s->variant_count; i++) {
    struct page off = one;
    off.off = true;
    off.variant = strchr(s->variants[i].title, ' ') + 1;
    fputc('\n', p->out);
    print_comment(&one, s->variants[i].doc);
    print_keys(&off, &s->variants[i]);
  }
}

static void print_key(const struct page *p, const struct section *s, const struct key *k, bool first)
{
  const bool list = k->type == KEY_LIST || k->type == KEY_LIST_FILE;
  const bool has_value = k->example || (!p->element && k->fallback && *k->fallback);
  if (p->variant && strcmp(k->name, "type") == 0) { /* the comment above names the type */
    print_name(p, k, first, true);
    fprintf(p->out, " %s\n", p->variant);
    return;
  }
  print_comment(p, k->doc);
  if (!k->section || list) print_facts(p, s, k);
  print_name(p, k, first, p->off || k->off || (!k->section && !has_value));
  if (list) {
    print_list(p, k);
  } else if (k->section) {
    const struct page below = {.out = p->out, .indent = p->indent + 2};
    fputc('\n', p->out);
    print_keys(&below, k->section);
  } else {
    print_example(p->out, k);
  }
}

static void print_keys(const struct page *p, const struct section *s)
{
  for (int i = 0; i < s->keys; i++) {
    if (p->indent == 0) fputc('\n', p->out);
    print_key(p, s, &s->key[i], i == 0);
  }
}

void manual_print_reference(FILE *out)
{
  const struct page file = {.out = out};
  static const char head[] =
      "This file has every key that a configuration of ali3d may have. ali3d --print-reference prints it, "
      "and "
      "ali3d --check accepts it. The format is YAML 1.2. A JSON file is YAML, too. Units are SI. An unknown "
      "key, a value of the wrong type or out of its range, and an impossible mechanism are errors with file, "
      "line and column, and nothing is started. You may omit keys with a default, optional keys, and every "
      "section except model. The file is read at the start. Keys that change live take effect in the next "
      "cycle after a reload (SIGHUP, systemctl reload). Every other changed key is logged and needs a "
      "restart. "
      "An option of the command line overrides its key.";
  print_comment(&file, head);
  print_keys(&file, &schema_file);
}
