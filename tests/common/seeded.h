/* SPDX-License-Identifier: MIT
 * Assertions of seeded tests: a failure names its seed. After <cmocka.h>. */
#ifndef COMMON_SEEDED_H
#define COMMON_SEEDED_H

#define check(seed, what)                                                                                    \
  do {                                                                                                       \
    if (!(what)) fail_msg("seed %d: not %s", (seed), #what);                                                 \
  } while (0)

#endif
