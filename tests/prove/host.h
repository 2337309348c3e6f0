/* SPDX-License-Identifier: MIT
 * Replaces <endian.h>, whose conversions Frama-C's C library lacks. The host of the proof is little-endian. */
#ifndef TESTS_PROVE_ENDIAN_H
#define TESTS_PROVE_ENDIAN_H

#include <stdint.h>

static inline uint32_t be32toh(uint32_t v)
{
  return v >> 24 | (v >> 8 & 0xff00) | (v & 0xff00) << 8 | v << 24;
}

static inline uint64_t be64toh(uint64_t v)
{
  return (uint64_t)be32toh((uint32_t)v) << 32 | be32toh((uint32_t)(v >> 32));
}

#endif
