/* SPDX-License-Identifier: MIT
 * What the rows of the tables in keys.c and packet_keys.c are written with. */
#ifndef CONFIG_KEYS_H
#define CONFIG_KEYS_H

#include "config/schema.h"

#define ANY           -INFINITY, INFINITY, CLOSED
#define POSITIVE      0, INFINITY, OPEN_MIN
#define NOT_NEGATIVE  0, INFINITY, CLOSED
#define BETWEEN(a, b) (a), (b), CLOSED
#define INSIDE(a, b)  (a), (b), OPEN_MIN | OPEN_MAX
#define REQUIRED      NULL
#define NONE          ""

/* clang-format off */
#define SECTION(what, table) {(what), (table), sizeof(table) / sizeof((table)[0])}
/* clang-format on */

extern const char *const schema_parities[]; /* none, even, odd: SETTINGS_PARITY */

#endif
