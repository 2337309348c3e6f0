/* SPDX-License-Identifier: MIT */
#include "expand/units.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREE (3.14159265358979323846 / 180.0)
#define TURN   (2.0 * 3.14159265358979323846)

/* Exponents of m, kg, s, rad. */
static const struct named_unit {
  const char *name;
  struct unit unit;
} known_units[] = {
    {"m", {1, 0, {1, 0, 0, 0}}},
    {"mm", {1, -3, {1, 0, 0, 0}}},
    {"cm", {1, -2, {1, 0, 0, 0}}},
    {"dm", {1, -1, {1, 0, 0, 0}}},
    {"um", {1, -6, {1, 0, 0, 0}}},
    {"km", {1, 3, {1, 0, 0, 0}}},
    {"in", {0.0254, 0, {1, 0, 0, 0}}},
    {"ft", {0.3048, 0, {1, 0, 0, 0}}},
    {"kg", {1, 0, {0, 1, 0, 0}}},
    {"g", {1, -3, {0, 1, 0, 0}}},
    {"t", {1, 3, {0, 1, 0, 0}}},
    {"s", {1, 0, {0, 0, 1, 0}}},
    {"ms", {1, -3, {0, 0, 1, 0}}},
    {"us", {1, -6, {0, 0, 1, 0}}},
    {"min", {60, 0, {0, 0, 1, 0}}},
    {"h", {3600, 0, {0, 0, 1, 0}}},
    {"rad", {1, 0, {0, 0, 0, 1}}},
    {"mrad", {1, -3, {0, 0, 0, 1}}},
    {"deg", {DEGREE, 0, {0, 0, 0, 1}}},
    {"rev", {TURN, 0, {0, 0, 0, 1}}},
    {"rpm", {TURN / 60, 0, {0, 0, -1, 1}}},
    {"Hz", {1, 0, {0, 0, -1, 0}}},
    {"kHz", {1, 3, {0, 0, -1, 0}}},
    {"N", {1, 0, {1, 1, -2, 0}}},
    {"kN", {1, 3, {1, 1, -2, 0}}},
    {"MN", {1, 6, {1, 1, -2, 0}}},
    {"Nm", {1, 0, {2, 1, -2, 0}}},
    {"kNm", {1, 3, {2, 1, -2, 0}}},
    {"J", {1, 0, {2, 1, -2, 0}}},
    {"W", {1, 0, {2, 1, -3, 0}}},
    {"kW", {1, 3, {2, 1, -3, 0}}},
    {"Pa", {1, 0, {-1, 1, -2, 0}}},
    {"kPa", {1, 3, {-1, 1, -2, 0}}},
    {"MPa", {1, 6, {-1, 1, -2, 0}}},
    {"GPa", {1, 9, {-1, 1, -2, 0}}},
    {"bar", {1, 5, {-1, 1, -2, 0}}},
};

const char *unit_name(int index)
{
  return (size_t)index < sizeof known_units / sizeof *known_units ? known_units[index].name : NULL;
}

enum { POWER_MOST = 12 };

bool unit_multiply(struct unit *a, const struct unit *b, int power)
{
  for (int i = 0; i < UNIT_BASES; i++) {
    const int sum = a->power[i] + b->power[i] * power;
    if (abs(sum) > POWER_MOST) return false;
    a->power[i] = (signed char)sum;
  }
  for (int i = 0; i < abs(power); i++) a->factor = power > 0 ? a->factor * b->factor : a->factor / b->factor;
  a->decimal += b->decimal * power;
  return true;
}

bool unit_agrees(const struct unit *a, const struct unit *b)
{
  return memcmp(a->power, b->power, sizeof a->power) == 0;
}

static size_t unit_name_length(const char *text)
{
  size_t n = 0;
  while ((text[n] >= 'a' && text[n] <= 'z') || (text[n] >= 'A' && text[n] <= 'Z')) n++;
  return n;
}

static const struct unit *find_unit(const char *name, size_t length)
{
  for (size_t i = 0; i < sizeof known_units / sizeof *known_units; i++)
    if (strlen(known_units[i].name) == length && strncmp(known_units[i].name, name, length) == 0)
      return &known_units[i].unit;
  return NULL;
}

/* A name with a power, "m^2". NULL: the text begins with no unit, or its power is out of range. */
static const char *read_unit_power(const char *p, bool below, struct unit *out)
{
  const size_t length = unit_name_length(p);
  const struct unit *u = length ? find_unit(p, length) : NULL;
  if (!u) return NULL;
  p += length;
  int power = 1;
  if (*p == '^') {
    const bool minus = p[1] == '-';
    const char *digit = p + 1 + minus;
    if (*digit < '1' || *digit > '9') return NULL;
    power = (*digit - '0') * (minus ? -1 : 1);
    p = digit + 1;
  }
  return unit_multiply(out, u, below ? -power : power) ? p : NULL;
}

bool unit_read(const char *text, struct unit *out, const char **end, char *name, size_t size)
{
  *out = (struct unit){.factor = 1};
  const char *p = read_unit_power(text, false, out);
  if (!p) {
    snprintf(name, size, "%.*s", (int)unit_name_length(text), text);
    return false;
  }
  /* A further name follows a slash or one space. A space before anything else ends the unit. */
  while (*p == '/' || *p == ' ') {
    struct unit more = *out;
    const char *next = read_unit_power(p + 1, *p == '/', &more);
    if (!next) break;
    *out = more;
    p = next;
  }
  *end = p;
  return true;
}

bool unit_of_key(const char *key_unit, const struct unit *wanted, struct unit *out)
{
  char unknown[8];
  for (const char *p = key_unit; *p;) {
    const char *end;
    if (unit_read(p, out, &end, unknown, sizeof unknown) && (!*end || strchr(" ,", *end)) &&
        unit_agrees(out, wanted))
      return true;
    /* The next alternative follows "or" or a comma. */
    const char *word = strstr(p, " or "), *comma = strstr(p, ", ");
    if (!word && !comma) break;
    p = comma && (!word || comma < word) ? comma + 2 : word + 4;
  }
  return false;
}

double unit_apply(const struct unit *u, double value)
{
  const double ten = pow(10.0, abs(u->decimal));
  return (u->decimal < 0 ? value / ten : value * ten) * u->factor;
}

double unit_apply_to_text(const struct unit *u, const char *text, size_t length)
{
  char digits[64];
  const char *e = memchr(text, 'e', length);
  if (!e) e = memchr(text, 'E', length);
  const size_t mantissa = e ? (size_t)(e - text) : length;
  if (mantissa > sizeof digits - 16) return unit_apply(u, strtod(text, NULL));
  snprintf(digits, sizeof digits, "%.*se%ld", (int)mantissa, text,
           (e ? strtol(e + 1, NULL, 10) : 0) + (long)u->decimal);
  return strtod(digits, NULL) * u->factor;
}
