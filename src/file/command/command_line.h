/* SPDX-License-Identifier: MIT
 * The command line of a program: one table of options for the parser and for --help. The completion of bash reads --help, and
 * man/options compares the man page with it. */
#ifndef COMMAND_COMMAND_LINE_H
#define COMMAND_COMMAND_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct command_option {
  const char *name, *value; /* as in --name VALUE; "[=VALUE]": may be left out; NULL: a switch */
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
    OPTION_OTHER,
    OPTION_END
  } kind;
  size_t field;       /* offset in the options of the program */
  const char *words;  /* OPTION_WORD, OPTION_NAME: as in "names, units or none" */
  double least, most; /* most DBL_MAX: no upper bound */
  /* OPTION_OTHER: reads the word into the options of the program; NULL: none was given. False after command_wrong(). */
  bool (*take)(char *word, void *options);
  int (*end)(char *word); /* OPTION_END: returns the exit status of the program */
};

/* Texts of an option that may be given several times. */
struct command_texts {
  const char **text; /* (count) to be freed */
  int count;
};

/* Rows of a table. TYPE: the options of the program. FIELD:
 *   SWITCH  bool
 *   TEXT    const char *, not empty
 *   TEXTS   struct command_texts
 *   WORD    int or enum, the place of the word in WORDS; where it may be left out, 1 without it and the place plus 2 with it
 *   NAME    const char *, one of WORDS
 *   NUMBER  double from LEAST to MOST, where DBL_MIN says "above 0"; COUNT: int; LONG: long
 * OTHER has a function that takes the word, END one that ends the program. */
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
#define COMMAND_END(END, NAME, VALUE, TEXT)                                                                  \
  {                                                                                                          \
    .name = NAME, .value = VALUE, .text = TEXT, .kind = OPTION_END, .end = END                               \
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
  /* Offset of a uint64_t in the options of the program, bit i: option i was given; 0: not wanted. */
  size_t given;
  /* For --help KEY: returns the exit status. NULL: --help has no key. */
  int (*explain)(const char *key);
  const char *explained; /* text of --help [KEY] */
};

/* Reads the options; optind is then the first other argument. -1: go on; otherwise the exit status. */
int command_read(const struct command_line *c, int argc, char **argv, void *options);

/* The option was given. */
bool command_given(const struct command_line *c, const void *options, const char *name);

/* All options that were given are among these names, with blanks between them. False after command_wrong() with the first other
 * one; word: the command that has these options. */
bool command_only(const struct command_line *c, const void *options, const char *word, const char *names);

/* Reads a word as the option of this name, and calls it `label` in messages. False after command_wrong(). */
bool command_take(const struct command_line *c, const char *name, const char *label, char *word,
                  void *options);

/* Prints what was expected of an option or argument. Returns false. */
bool command_wrong(const struct command_line *c, const char *what, const char *expected, const char *found);

/* Prints how to get help. Returns the exit status of wrong usage. */
int command_refuse(const struct command_line *c);

#endif
