/* SPDX-License-Identifier: MIT
 * Prints a tree as YAML: mappings of the first levels in blocks, elements of lists in one line each. */
#include "expand/expand.h"

#include "expand/expression.h"
#include "yaml/print.h"

#include <string.h>

enum { BLOCK_LEVELS = 2 };

/* Letters, digits and marks that mean nothing to YAML. */
static bool is_plain(const char *text)
{
  static const char mark[] = "_-+./ ()";
  const size_t length = strlen(text);
  for (const char *p = text; *p; p++)
    if (!((*p >= '0' && *p <= '9') || ((*p | 0x20) >= 'a' && (*p | 0x20) <= 'z') || strchr(mark, *p)))
      return false;
  return length > 0 && text[0] != ' ' && text[length - 1] != ' ' && text[0] != '-';
}

static void print_scalar(FILE *out, const struct node *n)
{
  static const char *const word[] = {"true", "false", "null", "~"};
  bool plain = is_plain(n->text) && (!n->quoted || expression_is_word(n->text));
  for (size_t i = 0; i < sizeof word / sizeof *word; i++)
    plain &= !n->quoted || strcmp(n->text, word[i]) != 0;
  if (plain || (!n->quoted && expression_is_decimal(n->text)))
    fputs(n->text, out);
  else
    yaml_print_quoted(out, n->text);
}

static void print_key_name(FILE *out, const char *key)
{
  if (expression_is_word(key))
    fputs(key, out);
  else
    yaml_print_quoted(out, key);
  fputc(':', out);
}

static void print_flow(FILE *out, const struct node *n)
{
  const bool map = n->kind == NODE_MAP;
  if (n->kind == NODE_SCALAR) print_scalar(out, n);
  if (n->kind == NODE_NOTHING) fputs("null", out);
  if (n->kind != NODE_LIST && !map) return;
  fputc(map ? '{' : '[', out);
  for (const struct node *c = n->first; c; c = c->next) {
    if (map) print_key_name(out, c->key);
    if (map) fputc(' ', out);
    print_flow(out, c);
    if (c->next) fputs(", ", out);
  }
  fputc(map ? '}' : ']', out);
}

static void print_block(FILE *out, const struct node *map, int level)
{
  const int indent = 2 * level;
  for (const struct node *n = map->first; n; n = n->next) {
    fprintf(out, "%*s", indent, "");
    print_key_name(out, n->key);
    /* A mapping becomes a block, a list of mappings one line for each of them, any other value a flow. */
    const bool elements = n->kind == NODE_LIST && n->first && n->first->kind == NODE_MAP;
    if (n->kind == NODE_MAP && n->first && level + 1 < BLOCK_LEVELS) {
      fputc('\n', out);
      print_block(out, n, level + 1);
      continue;
    }
    if (n->kind != NODE_NOTHING && !elements) {
      fputc(' ', out);
      print_flow(out, n);
    }
    fputc('\n', out);
    for (const struct node *c = elements ? n->first : NULL; c; c = c->next) {
      fprintf(out, "%*s- ", indent + 2, "");
      print_flow(out, c);
      fputc('\n', out);
    }
  }
}

void expand_print(const struct node *root, FILE *out)
{
  if (root->kind == NODE_MAP)
    print_block(out, root, 0);
  else
    print_flow(out, root);
}
