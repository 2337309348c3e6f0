/* SPDX-License-Identifier: MIT
 * The fields of the telemetry block as a table of rows, and their values. */
#ifndef TELEMETRY_FIELDS_H
#define TELEMETRY_FIELDS_H

#include "telemetry/field_lists.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum field_kind {
#define FIELD_ENUM(kind, type, array) FIELD_##kind,
  FIELD_KIND_LIST(FIELD_ENUM)
#undef FIELD_ENUM
      FIELD_BIT /* one bit of the flags */
};

struct telemetry;
struct telemetry_field {
  enum field_kind kind;
  size_t offset, size; /* in struct telemetry */
  uint32_t bit;        /* the bit of a FIELD_BIT */
  bool live;           /* in the live part, under the sequence lock */
  const char *key, *unit, *metric, *text;
};
extern const struct telemetry_field telemetry_field[];
extern const int telemetry_fields;

/* The value of a field. */
struct field_value {
  enum { VALUE_NONE, VALUE_FLAG, VALUE_INTEGER, VALUE_REAL, VALUE_TEXT } type;
  int64_t integer;  /* a flag: 0 or 1; a state: its code */
  double number;    /* a VALUE_REAL in the unit of the field */
  double si;        /* any number in SI units */
  const char *text; /* a VALUE_TEXT or a fault; else NULL */
};
struct field_value telemetry_value(const struct telemetry *t, const struct telemetry_field *f);

#endif
