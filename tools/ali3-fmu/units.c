/* SPDX-License-Identifier: MIT
 * Units of our files in the form of FMI. */
#include "fmu_tool.h"

#include <string.h>

const char *const base_unit[BASE_UNITS] = {"kg", "m", "s", "rad"};

static const struct known_unit {
  const char *word;
  int exponent[BASE_UNITS];
} known_units[] = {
    {"kg", {1, 0, 0, 0}}, {"m", {0, 1, 0, 0}},  {"s", {0, 0, 1, 0}},  {"rad", {0, 0, 0, 1}},
    {"N", {1, 1, -2, 0}}, {"J", {1, 2, -2, 0}}, {"W", {1, 2, -3, 0}}, {"Hz", {0, 0, -1, 0}},
};

/* One word with its power: "m^2". */
static bool add_unit_word(const char *word, size_t length, int sign, int exponent[BASE_UNITS])
{
  int power = 1;
  if (length > 2 && word[length - 2] == '^' && word[length - 1] >= '2' && word[length - 1] <= '9') {
    power = word[length - 1] - '0';
    length -= 2;
  }
  for (size_t k = 0; k < sizeof known_units / sizeof *known_units; k++) {
    const struct known_unit *u = &known_units[k];
    if (strlen(u->word) != length || memcmp(u->word, word, length) != 0) continue;
    for (int i = 0; i < BASE_UNITS; i++) exponent[i] += sign * power * u->exponent[i];
    return true;
  }
  return false;
}

bool unit_describe(const char *unit, char name[UNIT_NAME], int exponent[BASE_UNITS])
{
  size_t used = 0;
  int sign = 1;
  memset(exponent, 0, BASE_UNITS * sizeof *exponent);
  for (const char *c = unit; *c;) {
    const size_t length = strcspn(c, " /");
    if (strncmp(c, "or", length) == 0 || !add_unit_word(c, length, sign, exponent)) return false;
    c += length;
    if (*c == '/' && sign < 0) return false;
    if (*c == '/') sign = -1;
    if (*c) c++;
  }
  /* A dot between factors, and powers without a sign of their own. */
  for (const char *c = unit; *c && used + 1 < UNIT_NAME; c++)
    if (*c != '^') name[used++] = *c == ' ' ? '.' : *c;
  name[used] = '\0';
  return used > 0;
}
