/* SPDX-License-Identifier: MIT
 * Units of our files in the form of FMI, and units of FMUs. */
#include "fmu/units.h"

#include <stdlib.h>
#include <string.h>

const char *const base_unit[BASE_UNITS] = {"kg", "m", "s", "rad", "A", "K", "mol", "cd"};

static const struct known_unit {
  const char *word;
  int exponent[OWN_BASE_UNITS];
} known_units[] = {
    {"kg", {1, 0, 0, 0}}, {"m", {0, 1, 0, 0}},  {"s", {0, 0, 1, 0}},  {"rad", {0, 0, 0, 1}},
    {"N", {1, 1, -2, 0}}, {"J", {1, 2, -2, 0}}, {"W", {1, 2, -3, 0}}, {"Hz", {0, 0, -1, 0}},
};

/* One word with its power: "m^2", or "m2" and "s-2" in the form of the standard. */
static bool add_unit_word(const char *word, size_t length, int sign, int exponent[BASE_UNITS])
{
  size_t letters = 0;
  while (letters < length && !strchr("^-0123456789", word[letters])) letters++;
  int power = 1;
  if (letters < length) {
    char *end;
    power = (int)strtol(word + letters + (word[letters] == '^'), &end, 10);
    if (end != word + length || power < -9 || power > 9) return false;
  }
  for (size_t k = 0; k < sizeof known_units / sizeof *known_units; k++) {
    const struct known_unit *u = &known_units[k];
    if (strlen(u->word) != letters || memcmp(u->word, word, letters) != 0) continue;
    for (int i = 0; i < OWN_BASE_UNITS; i++) exponent[i] += sign * power * u->exponent[i];
    return true;
  }
  return false;
}

/* Words with blanks or dots between them, and at most one slash. */
static bool add_unit_words(const char *unit, int exponent[BASE_UNITS])
{
  int sign = 1;
  memset(exponent, 0, BASE_UNITS * sizeof *exponent);
  for (const char *c = unit; *c;) {
    const size_t length = strcspn(c, " ./");
    const bool one = length == 1 && c == unit && c[0] == '1'; /* "1/s" */
    if (!one && !add_unit_word(c, length, sign, exponent)) return false;
    c += length;
    if (*c == '/' && sign < 0) return false;
    if (*c == '/') sign = -1;
    if (*c) c++;
  }
  return true;
}

bool unit_describe(const char *unit, char name[UNIT_NAME], int exponent[BASE_UNITS])
{
  size_t used = 0;
  if (!add_unit_words(unit, exponent)) return false;
  /* A dot between factors, and powers without a sign of their own. */
  for (const char *c = unit; *c && used + 1 < UNIT_NAME; c++)
    if (*c != '^') name[used++] = *c == ' ' ? '.' : *c;
  name[used] = '\0';
  return used > 0;
}

struct measure unit_measure(const char *unit)
{
  struct measure m = {.factor = 1.0};
  m.known = add_unit_words(unit, m.exponent);
  return m;
}

bool measures_alike(const struct measure *a, const struct measure *b)
{
  return a->known && b->known && memcmp(a->exponent, b->exponent, sizeof a->exponent) == 0;
}
