/* SPDX-License-Identifier: MIT
 * Macros for the rows of the tables in keys_*.c. A row has a name, the parameters of its type (unit, range, choices), a
 * default, the time at which the value may change, the field it is read into, and its documentation. After the documentation
 * a row may set more fields of struct key: .option, .only, .needed, .example. */
#ifndef SETTINGS_KEYS_H
#define SETTINGS_KEYS_H

#include "yaml/schema.h"

/* Ranges. */
#define ANY           -INFINITY, INFINITY, CLOSED
#define POSITIVE      0, INFINITY, OPEN_MIN
#define NOT_NEGATIVE  0, INFINITY, CLOSED
#define BETWEEN(a, b) (a), (b), CLOSED
#define INSIDE(a, b)  (a), (b), OPEN_MIN | OPEN_MAX

/* Keys without a default. */
#define REQUIRED NULL
#define NONE     ""

/* The bit of a choice of the key section.by, for .only and .needed. */
#define KIND(choice) (1u << (choice))

/* clang-format off */
#define NUMBER(name, unit, range, fallback, change, offset, ...) \
  {(name), KEY_NUMBER, (unit), range, fallback, (change), (offset), .doc = __VA_ARGS__}
#define ANGLE(name, unit, range, fallback, change, offset, ...) \
  {(name), KEY_ANGLE, (unit), range, fallback, (change), (offset), .doc = __VA_ARGS__}
#define INTEGER(name, unit, range, fallback, change, offset, ...) \
  {(name), KEY_INTEGER, (unit), range, fallback, (change), (offset), .doc = __VA_ARGS__}
#define INTEGER_OR_NONE(name, unit, range, fallback, change, offset, ...) \
  {(name), KEY_OR_NONE, (unit), range, fallback, (change), (offset), .doc = __VA_ARGS__}
#define INTEGER_OR_AUTO(name, unit, range, fallback, change, offset, ...) \
  {(name), KEY_WORKERS, (unit), range, fallback, (change), (offset), .doc = __VA_ARGS__}
#define FLAG(name, fallback, change, offset, ...) \
  {(name), KEY_BOOL, "", ANY, fallback, (change), (offset), .doc = __VA_ARGS__}
#define TEXT(name, fallback, change, offset, ...) \
  {(name), KEY_STRING, "", ANY, fallback, (change), (offset), .doc = __VA_ARGS__}
#define CHOICE(name, words, fallback, change, offset, ...) \
  {(name), KEY_CHOICE, "", ANY, fallback, (change), (offset), .choices = (words), .doc = __VA_ARGS__}
#define VECTOR(name, unit, range, fallback, change, offset, ...) \
  {(name), KEY_VECTOR, (unit), range, fallback, (change), (offset), .doc = __VA_ARGS__}
#define QUATERNION(name, fallback, change, offset, ...) \
  {(name), KEY_QUATERNION, "", ANY, fallback, (change), (offset), .doc = __VA_ARGS__}
#define INERTIA(name, unit, fallback, change, offset, ...) \
  {(name), KEY_INERTIA, (unit), ANY, fallback, (change), (offset), .doc = __VA_ARGS__}
#define TABLE(name, unit, fallback, change, offset, ...) \
  {(name), KEY_TABLE, (unit), ANY, fallback, (change), (offset), .doc = __VA_ARGS__}
#define SIX(name, unit, fallback, change, offset, ...) \
  {(name), KEY_SIX, (unit), ANY, fallback, (change), (offset), .doc = __VA_ARGS__}
#define SIX_POINTS(name, unit, fallback, change, offset, ...) \
  {(name), KEY_SIX_POINTS, (unit), ANY, fallback, (change), (offset), .doc = __VA_ARGS__}
/* SUBSECTION: a mapping that is read into the struct of the section. ELEMENT: a mapping with a reader of its own. LIST: a list
 * of mappings with a reader of their own. */
#define SUBSECTION(name, of, ...) \
  {(name), KEY_SECTION, "", ANY, NONE, AT_START, 0, .section = (of), .doc = __VA_ARGS__}
#define ELEMENT(name, of, fallback, ...) \
  {(name), KEY_ELEMENT, "", ANY, fallback, AT_START, 0, .section = (of), .doc = __VA_ARGS__}
#define LIST(name, of, fallback, ...) \
  {(name), KEY_LIST, "", ANY, fallback, AT_START, 0, .section = (of), .doc = __VA_ARGS__}
#define LIST_OR_FILE(name, of, fallback, ...) \
  {(name), KEY_LIST_FILE, "", ANY, fallback, AT_START, 0, .section = (of), .doc = __VA_ARGS__}

#define LIST_LIKE(name, of, fallback, ...) \
  {(name), KEY_LIST_LIKE, "", ANY, fallback, AT_START, 0, .like = (of), .doc = __VA_ARGS__}
#define MAP_LIKE(name, of, fallback, ...) \
  {(name), KEY_MAP_LIKE, "", ANY, fallback, AT_START, 0, .like = (of), .doc = __VA_ARGS__}
#define VARIABLES(name, ...) \
  {(name), KEY_VARIABLES, "", ANY, NONE, AT_START, 0, .doc = __VA_ARGS__}
#define COPIES(name, ...) \
  {(name), KEY_COPIES, "", ANY, NONE, AT_START, 0, .doc = __VA_ARGS__}

#define SECTION(what, table, ...) \
  {.title = (what), .key = (table), .keys = sizeof(table) / sizeof((table)[0]), __VA_ARGS__}
/* clang-format on */

/* Sections and choices that several of these files use. */
extern const struct section schema_platform, schema_rig, schema_osc, schema_modbus;
extern const char *const schema_parities[]; /* enum parity */
extern const char *const schema_axes[];     /* world, body */
extern const char *const schema_mirrors[];  /* axes of a mirror */

/* Sentences that several keys share. */
#define ORIENTATION_FORMS                                                                                    \
  " In place of four numbers: {euler: [a, b, c]}, with {order: zyx} in another order than xyz about "        \
  "turning axes; {axis: [x, y, "                                                                             \
  "z], angle: 30 deg}; or the directions of one or two axes, {z: [0, 1, 0], x: [1, 0, 0]}, of which the "    \
  "first one is exact."

#endif
