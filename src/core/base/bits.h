/* SPDX-License-Identifier: MIT
 * Comparison of numbers by their bits. Pure. */
#ifndef BASE_BITS_H
#define BASE_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

/* True if `count` numbers are equal to the bit: 0 and -0 differ, and a NaN equals itself. */
static inline bool same_bits(const double *a, const double *b, size_t count)
{
  return memcmp(a, b, count * sizeof *a) == 0;
}

#endif
