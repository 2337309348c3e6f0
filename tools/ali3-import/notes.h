/* SPDX-License-Identifier: MIT
 * What an import says: errors, and a note for every loss and every guess. Each line begins with the file and its line. */
#ifndef IMPORT_NOTES_H
#define IMPORT_NOTES_H

#include <stdbool.h>
#include <stdio.h>

enum { NOTE_KINDS_MOST = 64 };

/* Notes of one kind, which are printed as one line. */
struct note_kind {
  char text[160];
  int line, count; /* line of the first one */
};

struct notes {
  const char *file;
  FILE *to; /* NULL: nothing is printed */
  bool failed;
  int count; /* of lines with a note */
  struct note_kind kind[NOTE_KINDS_MOST];
  int kinds;
};

/* Prints FILE:LINE: and the text, and marks the import as failed. Returns false. Line 0: the whole file. */
bool note_error(struct notes *n, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Prints FILE:LINE: note: and the text. */
void note(struct notes *n, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
/* Counts a note whose text many elements share. note_flush() prints each text once, with the first line and the number. */
void note_often(struct notes *n, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));
void note_flush(struct notes *n);

#endif
