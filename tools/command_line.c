/* SPDX-License-Identifier: MIT */
#include "command_line.h"
#include "base/build_info.h"
#include "option_number.h"

#include <ali3/ali3.h>
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

static size_t name_width(const struct command_option *o)
{
  return strlen("  --  ") + strlen(o->name) + (o->value ? 1 + strlen(o->value) : 0);
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

static void command_help(const struct command_line *c)
{
  size_t column = 0;
  for (const struct command_option *o = c->option; o->name; o++)
    if (name_width(o) > column && name_width(o) <= NAME_MOST) column = name_width(o);
  print_paragraphs(c->head);
  putchar('\n');
  for (const struct command_option *o = c->option; o->name; o++) {
    if (!*o->name) {
      printf("\n%s\n", o->text);
      continue;
    }
    const int width = printf("  --%s%s%s", o->name, o->value ? " " : "", o->value ? o->value : "");
    printf(width < (int)column ? "%*s" : "\n%*s", (int)column - (width < (int)column ? width : 0), "");
    print_wrapped(o->text, column);
  }
  fputs("  --help, --version\n\n", stdout);
  print_paragraphs(c->tail);
}

/* --- parser --- */

/* "--name" */
static const char *option_words(const struct command_option *o, char words[64])
{
  snprintf(words, 64, "--%s", o->name);
  return words;
}

static bool read_bounded(const struct command_line *c, const struct command_option *o, const char *word,
                         void *field)
{
  const bool whole = o->kind != OPTION_NUMBER;
  char name[64], bounds[80];
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
  return command_wrong(c, option_words(o, name), bounds, word);
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

static bool read_listed(const struct command_line *c, const struct command_option *o, const char *word,
                        void *field)
{
  char name[64];
  const int place = word_place(o->words, word);
  if (place < 0) return command_wrong(c, option_words(o, name), o->words, word);
  if (o->kind == OPTION_WORD)
    *(int *)field = place;
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

static bool read_option_word(const struct command_line *c, const struct command_option *o, char *word,
                             void *options)
{
  char name[64], *field = (char *)options + o->field;
  switch (o->kind) {
  case OPTION_SWITCH:
    *(bool *)field = true;
    return true;
  case OPTION_TEXT:
    *(const char **)(void *)field = word;
    return *word || command_wrong(c, option_words(o, name), o->value, word);
  case OPTION_TEXTS:
    return add_option_text(c, (struct command_texts *)(void *)field, word);
  case OPTION_OTHER:
    return o->take(word, options);
  case OPTION_WORD:
  case OPTION_NAME:
    return read_listed(c, o, word, field);
  /* Numbers have bounds. */
  case OPTION_NUMBER:
  case OPTION_COUNT:
  case OPTION_LONG:
    break;
  }
  return read_bounded(c, o, word, field);
}

int command_read(const struct command_line *c, int argc, char **argv, void *options)
{
  enum { HELP = 1, VERSION };
  struct option table[OPTIONS_MOST + 3] = {{"help", no_argument, NULL, HELP},
                                           {"version", no_argument, NULL, VERSION}};
  /* The table of getopt_long(). */
  for (int i = 0; i < OPTIONS_MOST && c->option[i].name; i++)
    table[2 + i] = (struct option){c->option[i].name, c->option[i].value ? required_argument : no_argument,
                                   NULL, FIRST_OPTION + i};
  /* The words. */
  for (int found; (found = getopt_long(argc, argv, "", table, NULL)) != -1;) {
    if (found == HELP) {
      command_help(c);
      return 0;
    }
    if (found == VERSION) {
      printf("%s " ALI3_VERSION "\n%s\n", c->name, build_info());
      return 0;
    }
    if (found < FIRST_OPTION || !read_option_word(c, &c->option[found - FIRST_OPTION], optarg, options))
      return command_refuse(c);
  }
  return -1;
}
