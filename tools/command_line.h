/* SPDX-License-Identifier: MIT
 * The command line of a program: one table of options for the parser and for --help. The completion of bash reads --help, and
 * man/options compares the man page with it. */
#ifndef TOOLS_COMMAND_LINE_H
#define TOOLS_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>

struct command_option {
  const char *name, *value; /* as in --name VALUE; value NULL: a switch */
  const char *text;         /* for --help, without line breaks; name "": a line between options */
  enum {
    OPTION_SWITCH,
    OPTION_TEXT,
    OPTION_TEXTS,
    OPTION_WORD,
    OPTION_NAME,
    OPTION_NUMBER,
    OPTION_COUNT,
    OPTION_LONG,
    OPTION_OTHER
  } kind;
  size_t field;       /* offset in the options of the program */
  const char *words;  /* for OPTION_WORD and OPTION_NAME, as in "names, units or none" */
  double least, most; /* most DBL_MAX: no upper bound */
  /* Reads a word of the kind OPTION_OTHER. Returns false after command_wrong(). options: of the program. */
  bool (*take)(char *word, void *options);
};

/* Texts of an option that may be given several times. */
struct command_texts {
  const char **text; /* (count) to be freed */
  int count;
};

/* An option of a field of type bool; a text that is not empty; any number of texts (struct command_texts); the place of a word in
 * WORDS (int or enum), or the word itself; a double, an int and a long from LEAST to MOST, where DBL_MIN says "above 0"; and any
 * other option. TYPE: the options of the program. */
#define COMMAND_SWITCH(TYPE, FIELD, NAME, TEXT)                                                              \
  {                                                                                                          \
    .name = NAME, .text = TEXT, .kind = OPTION_SWITCH, .field = offsetof(TYPE, FIELD)                        \
  }
#define COMMAND_TEXT(TYPE, FIELD, NAME, VALUE, TEXT)                                                         \
  {                                                                                                          \
    .name = NAME, .value = VALUE, .text = TEXT, .kind = OPTION_TEXT, .field = offsetof(TYPE, FIELD)          \
  }
#define COMMAND_TEXTS(TYPE, FIELD, NAME, VALUE, TEXT)                                                        \
  {                                                                                                          \
    .name = NAME, .value = VALUE, .text = TEXT, .kind = OPTION_TEXTS, .field = offsetof(TYPE, FIELD)         \
  }
#define COMMAND_WORDS(KIND, TYPE, FIELD, NAME, VALUE, WORDS, TEXT)                                           \
  {                                                                                                          \
    .name = NAME, .value = VALUE, .text = TEXT, .kind = KIND, .field = offsetof(TYPE, FIELD), .words = WORDS \
  }
#define COMMAND_WORD(...) COMMAND_WORDS(OPTION_WORD, __VA_ARGS__)
#define COMMAND_NAME(...) COMMAND_WORDS(OPTION_NAME, __VA_ARGS__)
#define COMMAND_BOUNDED(KIND, TYPE, FIELD, NAME, VALUE, LEAST, MOST, TEXT)                                   \
  {                                                                                                          \
    .name = NAME, .value = VALUE, .text = TEXT, .kind = KIND, .field = offsetof(TYPE, FIELD),                \
    .least = LEAST, .most = MOST                                                                             \
  }
#define COMMAND_NUMBER(...) COMMAND_BOUNDED(OPTION_NUMBER, __VA_ARGS__)
#define COMMAND_COUNT(...)  COMMAND_BOUNDED(OPTION_COUNT, __VA_ARGS__)
#define COMMAND_LONG(...)   COMMAND_BOUNDED(OPTION_LONG, __VA_ARGS__)
#define COMMAND_OTHER(TAKE, NAME, VALUE, TEXT)                                                               \
  {                                                                                                          \
    .name = NAME, .value = VALUE, .text = TEXT, .kind = OPTION_OTHER, .take = TAKE                           \
  }
#define COMMAND_HEADING(TEXT)                                                                                \
  {                                                                                                          \
    .name = "", .text = TEXT                                                                                 \
  }

struct command_line {
  const char *name;
  const char *head, *tail;             /* paragraphs of --help before and after the options */
  const struct command_option *option; /* ends with an empty one; --help and --version are added */
  int wrong;                           /* exit status of wrong usage */
};

/* Reads the options; optind is then the first other argument. -1: go on; otherwise the exit status. */
int command_read(const struct command_line *c, int argc, char **argv, void *options);

/* Prints what was expected of an option or argument. Returns false. */
bool command_wrong(const struct command_line *c, const char *what, const char *expected, const char *found);

/* Prints how to get help. Returns the exit status of wrong usage. */
int command_refuse(const struct command_line *c);

#endif
