/* SPDX-License-Identifier: MIT
 * Values of expressions in files: "2*pi/3", "30 deg", "L/2 + 5 mm", "unit(b - a)". Set-up only. */
#ifndef EXPAND_EXPRESSION_H
#define EXPAND_EXPRESSION_H

#include "expand/units.h"

enum { NUMBERS_MOST = 16, REASON_SIZE = 120 };

/* Whether a value measures something. A number without a unit is PURE. A parameter without a unit, and the product of such a
 * parameter, is OPEN: it is in SI units, and every key takes it. */
enum measure { MEASURE_PURE, MEASURE_OPEN, MEASURE_UNIT };

struct value {
  const char *text; /* a text; NULL: numbers */
  int count;        /* numbers of a vector; 0: one number */
  double number[NUMBERS_MOST];
  enum measure measure;
  struct unit unit; /* MEASURE_UNIT: its powers; the numbers are in SI */
};

/* Names of values. Inner scopes hide names of outer ones. */
struct variable {
  const char *name;
  struct value value;
};
struct scope {
  const struct scope *outer;
  struct variable *item; /* (count) */
  int count;
};

/* NULL: no scope has the name. */
const struct value *scope_find(const struct scope *s, const char *name, size_t length);

/* Computes a whole text. False with the reason in why[]: the text is no expression. */
bool expression_evaluate(const char *text, const struct scope *s, struct value *out, char why[REASON_SIZE]);

/* As expression_evaluate(), for the expression at the beginning of a text up to a closing brace. *end: the brace. */
bool expression_in_braces(const char *text, const struct scope *s, struct value *out, const char **end,
                          char why[REASON_SIZE]);

/* A name of letters, digits and underscores that begins with a letter, and is neither a constant nor a function. */
bool expression_is_free_name(const char *text);
/* The whole text is a decimal number, with or without sign. */
bool expression_is_decimal(const char *text);
/* The text is letters, digits, underscores and hyphens, and begins with a letter. */
bool expression_is_word(const char *text);

#endif
