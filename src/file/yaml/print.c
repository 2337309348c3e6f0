/* SPDX-License-Identifier: MIT */
#include "yaml/print.h"

#include <string.h>

enum { INDENT = 2 };

static void print_indent(FILE *out, int depth)
{
  fprintf(out, "%*s", depth * INDENT, "");
}

void yaml_print_quoted(FILE *out, const char *text)
{
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    if (*text == '\n')
      fputs("\\n", out);
    else if (*text == '\t')
      fputs("\\t", out);
    else
      fputc(*text, out);
  }
  fputc('"', out);
}

/* A word that was not in quotes stays without them, because quotes say that a scalar is no number. */
static void print_word(FILE *out, const char *text, bool quoted)
{
  if (quoted || strpbrk(text, ",[]{}:#\n\"'&*!|>%@`"))
    yaml_print_quoted(out, text);
  else
    fputs(text, out);
}

static bool holds_scalars(const struct node *list)
{
  for (const struct node *n = list->first; n; n = n->next)
    if (n->kind != NODE_SCALAR) return false;
  return true;
}

static void print_scalars(FILE *out, const struct node *list)
{
  fputs(" [", out);
  for (const struct node *n = list->first; n; n = n->next) {
    print_word(out, n->text, n->quoted);
    if (n->next) fputs(", ", out);
  }
  fputs("]\n", out);
}

static void print_value(FILE *out, const struct node *n, int depth);

/* The keys of a mapping; the first one stands behind the "-" of a list if `behind`. */
static void print_mapping(FILE *out, const struct node *map, int depth, bool behind)
{
  for (const struct node *n = map->first; n; n = n->next) {
    if (!behind || n != map->first) print_indent(out, depth);
    print_word(out, n->key, false);
    fputc(':', out);
    print_value(out, n, depth + 1);
  }
}

static void print_elements(FILE *out, const struct node *list, int depth)
{
  for (const struct node *n = list->first; n; n = n->next) {
    print_indent(out, depth);
    fputc('-', out);
    const bool keys = n->kind == NODE_MAP && n->first;
    if (keys) fputc(' ', out);
    if (keys)
      print_mapping(out, n, depth + 1, true);
    else
      print_value(out, n, depth + 1);
  }
}

/* The value behind "key:" or "-", and the end of its line. */
static void print_value(FILE *out, const struct node *n, int depth)
{
  if (n->kind == NODE_SCALAR) {
    fputc(' ', out);
    print_word(out, n->text, n->quoted);
    fputc('\n', out);
  } else if (n->kind == NODE_LIST && holds_scalars(n)) {
    print_scalars(out, n);
  } else if (n->kind == NODE_MAP && !n->first) {
    fputs(" {}\n", out);
  } else {
    fputc('\n', out);
    if (n->kind == NODE_MAP)
      print_mapping(out, n, depth, false);
    else
      print_elements(out, n, depth);
  }
}

void yaml_print(FILE *out, const struct node *map, const char *key, const struct node *other)
{
  for (const struct node *n = map->first; n; n = n->next) {
    print_word(out, n->key, false);
    fputc(':', out);
    print_value(out, key && strcmp(n->key, key) == 0 ? other : n, 1);
  }
}
