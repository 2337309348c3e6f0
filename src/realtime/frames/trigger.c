/* SPDX-License-Identifier: MIT */
#include "frames/trigger.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TRIGGER_TEXT = TRIGGER_NAME + 64 };

static const char BLANKS[] = " \t";

/* The text without blanks at its ends. */
static char *without_blanks(char *text)
{
  text += strspn(text, BLANKS);
  size_t n = strlen(text);
  while (n > 0 && strchr(BLANKS, text[n - 1])) n--;
  text[n] = '\0';
  return text;
}

/* NAME > LEVEL or NAME < LEVEL. */
static bool parse_signal(char *text, struct trigger *t)
{
  char *sign = strpbrk(text, "<>"), *end;
  if (!sign) return false;
  t->kind = TRIGGER_SIGNAL;
  t->above = *sign == '>';
  *sign = '\0';
  const char *name = without_blanks(text), *level = without_blanks(sign + 1);
  t->level = strtod(level, &end);
  snprintf(t->name, sizeof t->name, "%.*s", (int)sizeof t->name - 1, name);
  return *name && strlen(name) < sizeof t->name && end > level && !*end && isfinite(t->level);
}

static bool parse_condition(char *text, struct trigger *t)
{
  *t = (struct trigger){.kind = TRIGGER_MISS};
  if (strcmp(text, "miss") == 0) return true;
  t->kind = TRIGGER_FAULT;
  return strcmp(text, "fault") == 0 || parse_signal(text, t);
}

int trigger_parse(const char *text, struct trigger to[TRIGGERS], char *error, size_t size)
{
  int count = 0;
  for (const char *at = text;; at++) {
    /* One condition, up to the next comma. */
    char one[TRIGGER_TEXT];
    const size_t n = strcspn(at, ",");
    snprintf(one, sizeof one, "%.*s", (int)(n < sizeof one ? n : sizeof one - 1), at);
    if (count == TRIGGERS) {
      snprintf(error, size, "expected at most %d conditions", TRIGGERS);
      return -1;
    }
    if (n >= sizeof one || !parse_condition(without_blanks(one), &to[count++])) {
      snprintf(error, size, "expected miss, fault, SIGNAL > NUMBER or SIGNAL < NUMBER, found \"%.*s\"",
               (int)(n < 80 ? n : 80), at);
      return -1;
    }
    at += n;
    if (!*at) return count;
  }
}

void trigger_text(const struct trigger *t, char *text, size_t size)
{
  if (t->kind == TRIGGER_SIGNAL)
    snprintf(text, size, "%s %c %.15g", t->name, t->above ? '>' : '<', t->level);
  else
    snprintf(text, size, "%s", t->kind == TRIGGER_MISS ? "miss" : "fault");
}
