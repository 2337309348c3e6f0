/* SPDX-License-Identifier: MIT */
#include "command/command_line.h"
#include "base/build_info.h"
#include "command/option_number.h"

#include <ali3/version.h>
#include <float.h>
#include <getopt.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPTIONS_MOST = 64, COLUMNS = 105, NAME_MOST = 26, FIRST_OPTION = 256 };

bool command_wrong(const struct command_line *c, const char *what, const char *expected, const char *found)
{
  fprintf(stderr, "%s: %s: expected %s, found %s\n", c->name, what, expected, *found ? found : "nothing");
  return false;
}

int command_refuse(const struct command_line *c)
{
  fprintf(stderr, "Try %s --help\n", c->name);
  return c->wrong;
}

/* --- help --- */

/* A value that may be left out brings its own sign: --check[=json]. */
static const char *value_gap(const struct command_option *o)
{
  return o->value && strncmp(o->value, "[=", 2) != 0 ? " " : "";
}

static size_t name_width(const struct command_option *o)
{
  return strlen("  --  ") + strlen(o->name) + strlen(value_gap(o)) + (o->value ? strlen(o->value) : 0);
}

/* Words of a text, the first in this column, broken so that further lines begin there, too. */
static void print_wrapped(const char *text, size_t column)
{
  size_t at = column;
  while (*text) {
    const size_t length = strcspn(text, " ");
    if (at > column && at + 1 + length > COLUMNS) {
      printf("\n%*s", (int)column, "");
      at = column;
    } else if (at > column) {
      putchar(' ');
      at++;
    }
    fwrite(text, 1, length, stdout);
    at += length;
    text += length + (text[length] == ' ');
  }
  putchar('\n');
}

/* Each line of the text is a paragraph, whose further lines keep its indent. */
static void print_paragraphs(const char *text)
{
  char line[1200];
  for (size_t length; *text; text += length + (text[length] == '\n')) {
    length = strcspn(text, "\n");
    const size_t indent = strspn(text, " ");
    snprintf(line, sizeof line, "%.*s", (int)(length - indent), text + indent);
    printf("%*s", (int)indent, "");
    print_wrapped(line, indent);
  }
}

static void print_option(const struct command_option *o, size_t column)
{
  const int width = printf("  --%s%s%s", o->name, value_gap(o), o->value ? o->value : "");
  printf(width < (int)column ? "%*s" : "\n%*s", (int)column - (width < (int)column ? width : 0), "");
  print_wrapped(o->text, column);
}

static void command_help(const struct command_line *c)
{
  size_t column = 0;
  for (const struct command_option *o = c->option; o->name; o++)
    if (name_width(o) > column && name_width(o) <= NAME_MOST) column = name_width(o);
  print_paragraphs(c->head);
  putchar('\n');
  for (const struct command_option *o = c->option; o->name; o++) {
    if (*o->name) {
      print_option(o, column);
    } else {
      if (o != c->option) putchar('\n');
      print_paragraphs(o->text);
    }
  }
  if (c->explain)
    print_option(&(struct command_option){.name = "help", .value = "[KEY]", .text = c->explained}, column);
  fputs(c->explain ? "  --version\n\n" : "  --help, --version\n\n", stdout);
  print_paragraphs(c->tail);
}

/* --- parser --- */

static bool read_bounded(const struct command_line *c, const struct command_option *o, const char *label,
                         const char *word, void *field)
{
  const bool whole = o->kind != OPTION_NUMBER;
  char bounds[80];
  double number;
  long count = 0;
  if (whole ? option_count(word, (long)o->least, o->most == DBL_MAX ? LONG_MAX : (long)o->most, &count)
            : option_number(word, o->least, o->most, &number)) {
    if (o->kind == OPTION_LONG)
      *(long *)field = count;
    else if (whole)
      *(int *)field = (int)count;
    else
      *(double *)field = number;
    return true;
  }
  /* Say what the bounds are. */
  if (o->least == DBL_MIN)
    snprintf(bounds, sizeof bounds,
             o->most == DBL_MAX ? "a number above 0" : "a number above 0, at most %.9g", o->most);
  else if (o->most == DBL_MAX)
    snprintf(bounds, sizeof bounds, "a %snumber, %.9g or above", whole ? "whole " : "", o->least);
  else
    snprintf(bounds, sizeof bounds, "a %snumber from %.9g to %.9g", whole ? "whole " : "", o->least, o->most);
  return command_wrong(c, label, bounds, word);
}

/* The place of a word in "names, units or none"; -1: it is none of them. */
static int word_place(const char *words, const char *word)
{
  const size_t length = strlen(word);
  for (int i = 0; *words; i++) {
    const size_t end = strcspn(words, ", ");
    if (end == length && strncmp(words, word, length) == 0) return i;
    words += end;
    words += strncmp(words, " or ", 4) == 0 ? 4 : strspn(words, ", ");
  }
  return -1;
}

static bool read_listed(const struct command_line *c, const struct command_option *o, const char *label,
                        const char *word, void *field)
{
  const int place = word ? word_place(o->words, word) : 0;
  const bool may_lack = *o->value == '[';
  if (place < 0) return command_wrong(c, label, o->words, word);
  if (o->kind == OPTION_WORD)
    *(int *)field = !may_lack ? place : word ? place + 2 : 1;
  else
    *(const char **)field = word;
  return true;
}

static bool add_option_text(const struct command_line *c, struct command_texts *t, const char *word)
{
  const char **grown = realloc(t->text, ((size_t)t->count + 1) * sizeof *grown);
  if (!grown) {
    fprintf(stderr, "%s: out of memory\n", c->name);
    return false;
  }
  t->text = grown;
  grown[t->count++] = word;
  return true;
}

static bool read_option_word(const struct command_line *c, const struct command_option *o, const char *label,
                             char *word, void *options)
{
  char *field = (char *)options + o->field;
  switch (o->kind) {
  case OPTION_SWITCH:
    *(bool *)field = true;
    return true;
  case OPTION_TEXT:
    *(const char **)(void *)field = word;
    return *word || command_wrong(c, label, o->value, word);
  case OPTION_TEXTS:
    return add_option_text(c, (struct command_texts *)(void *)field, word);
  case OPTION_OTHER:
    return o->take(word, options);
  case OPTION_WORD:
  case OPTION_NAME:
    return read_listed(c, o, label, word, field);
  /* Numbers have bounds. */
  case OPTION_NUMBER:
  case OPTION_COUNT:
  case OPTION_LONG:
  case OPTION_END:
    break;
  }
  return read_bounded(c, o, label, word, field);
}

static const struct command_option *find_option(const struct command_line *c, const char *name)
{
  const struct command_option *o = c->option;
  while (o->name && strcmp(o->name, name) != 0) o++;
  return o->name ? o : NULL;
}

bool command_take(const struct command_line *c, const char *name, const char *label, char *word,
                  void *options)
{
  const struct command_option *o = find_option(c, name);
  return o ? read_option_word(c, o, label, word, options)
           : command_wrong(c, label, "the name of an option", name);
}

static uint64_t given_bits(const struct command_line *c, const void *options)
{
  uint64_t bits;
  memcpy(&bits, (const char *)options + c->given, sizeof bits);
  return bits;
}

bool command_given(const struct command_line *c, const void *options, const char *name)
{
  const struct command_option *o = find_option(c, name);
  return o && given_bits(c, options) >> (o - c->option) & 1;
}

bool command_only(const struct command_line *c, const void *options, const char *word, const char *names)
{
  char known[700], name[64], expected[80];
  snprintf(known, sizeof known, " %s ", names);
  for (int i = 0; c->option[i].name; i++) {
    if (!(given_bits(c, options) >> i & 1)) continue;
    snprintf(name, sizeof name, " %s ", c->option[i].name);
    if (strstr(known, name)) continue;
    /* Say which option belongs to another command. */
    snprintf(name, sizeof name, "--%s", c->option[i].name);
    snprintf(expected, sizeof expected, "options of %s", word);
    return command_wrong(c, word, expected, name);
  }
  return true;
}

static int print_own_help(const struct command_line *c, char **argv)
{
  const char *key = optarg || !argv[optind] || argv[optind][0] == '-' ? optarg : argv[optind];
  if (c->explain && key) return c->explain(key);
  command_help(c);
  return 0;
}

/* An option of the table. -1: go on; otherwise the exit status. */
static int take_option(const struct command_line *c, int i, void *options)
{
  char label[64];
  const struct command_option *o = &c->option[i];
  if (o->kind == OPTION_END) return o->end(optarg);
  if (c->given) *(uint64_t *)(void *)((char *)options + c->given) |= (uint64_t)1 << i;
  snprintf(label, sizeof label, "--%s", o->name);
  return read_option_word(c, o, label, optarg, options) ? -1 : command_refuse(c);
}

int command_read(const struct command_line *c, int argc, char **argv, void *options)
{
  enum { HELP = 1, VERSION };
  struct option table[OPTIONS_MOST + 3] = {{"help", c->explain ? optional_argument : no_argument, NULL, HELP},
                                           {"version", no_argument, NULL, VERSION}};
  /* The table of getopt_long(). */
  for (int i = 0; i < OPTIONS_MOST && c->option[i].name; i++) {
    const char *value = c->option[i].value;
    const int has = !value ? no_argument : *value == '[' ? optional_argument : required_argument;
    table[2 + i] = (struct option){c->option[i].name, has, NULL, FIRST_OPTION + i};
  }
  /* The words. */
  int status = -1;
  for (int found; status < 0 && (found = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    if (found == HELP) return print_own_help(c, argv);
    if (found == VERSION) {
      printf("%s " ALI3_VERSION "\n%s\n", c->name, build_info());
      return 0;
    }
    status = found < FIRST_OPTION ? command_refuse(c) : take_option(c, found - FIRST_OPTION, options);
  }
  return status;
}
