/* SPDX-License-Identifier: MIT
 * What a search over the real loop needs of its host: memory that can be copied and put back, and clocks that move by hand. Linked with
 * --wrap of aligned_zalloc, clock_now_ns, clock_boot_ns and usage_now. */
#ifndef TESTS_PROVE_BOX_H
#define TESTS_PROVE_BOX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { BOX_ARENA = 1 << 18 };
#define TENTH UINT64_C(100000000) /* s, the step of the clock */

/* The part that is saved beside the arena. */
struct box {
  size_t used;                /* bytes of the arena */
  uint64_t now_ns, asleep_ns; /* CLOCK_MONOTONIC; how long the machine was suspended so far */
};
extern struct box box;
extern char box_arena[BOX_ARENA];

/* From now on memory comes from the arena, and large pieces from a scratch area that is not saved: rings without a reader. */
void box_open(void);
void box_close(void);
/* The scratch area is empty again. */
void box_clear_scratch(void);
/* Until the next call small pieces come from the scratch area, too. */
void box_use_scratch(bool only);
void box_require(bool good, const char *what);

#endif
