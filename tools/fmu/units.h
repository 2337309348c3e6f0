/* SPDX-License-Identifier: MIT
 * Units of our files and of FMUs. */
#ifndef FMU_UNITS_H
#define FMU_UNITS_H

#include <stdbool.h>

enum { BASE_UNITS = 8, OWN_BASE_UNITS = 4, UNIT_NAME = 32 };
extern const char *const base_unit[BASE_UNITS]; /* kg m s rad; A K mol cd, which our files do not have */

/* A unit by what it measures: a value x in the unit is factor x + offset in base units. */
struct measure {
  bool known;
  int exponent[BASE_UNITS];
  double factor, offset;
};

/* A unit of our files, "N m/rad", in the form of the standard, "N.m/rad", with its exponents. False: it is none of mechanics. */
bool unit_describe(const char *unit, char name[UNIT_NAME], int exponent[BASE_UNITS]);
/* A unit of our files, or one that an FMU names without its meaning: "N m", "N.m", "m/s^2", "m/s2", "kg.m.s-2"; "" and "1" are
 * numbers without a unit. known is false where the text has another word. */
struct measure unit_measure(const char *unit);
/* Both are known and measure the same quantity: their values differ by a factor and an offset at most. */
bool measures_alike(const struct measure *a, const struct measure *b);

#endif
