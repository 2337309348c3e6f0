/* SPDX-License-Identifier: MIT
 * Conditions that start a recording, as a person writes them: "body.A.position.x > 0.3, miss, fault". Pure. */
#ifndef FRAMES_TRIGGER_H
#define FRAMES_TRIGGER_H

#include <stdbool.h>
#include <stddef.h>

enum { TRIGGERS = 16, TRIGGER_NAME = 192 };

enum trigger_kind { TRIGGER_SIGNAL, TRIGGER_MISS, TRIGGER_FAULT };

struct trigger {
  enum trigger_kind kind;
  char name[TRIGGER_NAME]; /* signal */
  bool above;              /* a signal counts above the level; else below it */
  double level;            /* in the unit of the signal */
};

/* Reads conditions separated by commas. Returns how many there are; -1 with the reason in error[size]. */
int trigger_parse(const char *text, struct trigger to[TRIGGERS], char *error, size_t size);
/* Writes a condition as trigger_parse() reads it. */
void trigger_text(const struct trigger *t, char *text, size_t size);

#endif
