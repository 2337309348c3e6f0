/* SPDX-License-Identifier: MIT
 * Units of numbers in files: "mm", "N s/m", "kg/m^3", "deg". Set-up only. */
#ifndef EXPAND_UNITS_H
#define EXPAND_UNITS_H

#include <stdbool.h>
#include <stddef.h>

/* A unit as a factor of SI, factor 10^decimal, and the exponents of its base units. */
enum { UNIT_METRE, UNIT_KILOGRAM, UNIT_SECOND, UNIT_RADIAN, UNIT_BASES };
struct unit {
  double factor;
  int decimal;
  signed char power[UNIT_BASES];
};

/* Reads a unit at the beginning of a text: names with powers, one space or one slash without spaces between them. *end: the
 * first character after it. False with the unknown name in name[size]: the text begins with no unit. */
bool unit_read(const char *text, struct unit *out, const char **end, char *name, size_t size);

/* The names of all units, in any order. NULL after the last one. */
const char *unit_name(int index);

/* True: the two units measure one quantity. */
bool unit_agrees(const struct unit *a, const struct unit *b);

/* Reads the unit of a key, such as "rad or m": of the units that the text names, the one that agrees with `wanted`. False: none
 * agrees, or the key has no unit. */
bool unit_of_key(const char *key_unit, const struct unit *wanted, struct unit *out);

/* The value in SI. text: a decimal number without unit; a power of ten goes into its exponent, so that 12.3 mm has the bits of
 * 12.3e-3. */
double unit_apply_to_text(const struct unit *u, const char *text, size_t length);
double unit_apply(const struct unit *u, double value);

/* a: becomes a b^power. False: an exponent is out of range. */
bool unit_multiply(struct unit *a, const struct unit *b, int power);

#endif
