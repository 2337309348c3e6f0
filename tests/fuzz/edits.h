/* SPDX-License-Identifier: MIT
 * Changes of a good file, one after the other: a fuzzer that must invent the whole file never comes behind its head. */
#ifndef TESTS_FUZZ_EDITS_H
#define TESTS_FUZZ_EDITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* `size` bytes to be written from `at`. */
struct edit {
  size_t at, size;
  const uint8_t *bytes;
};

/* The next change of a file of `file` bytes: three bytes of place, one of size, then the bytes. False: there is none. */
static inline bool edit_next(const uint8_t **bytes, size_t *n, size_t file, struct edit *e)
{
  enum { HEAD = 4, SIZES = 4 };
  static const size_t size_of[SIZES] = {1, 4, 8, 16};
  if (*n <= HEAD || file == 0) return false;
  const uint8_t *b = *bytes;
  *e = (struct edit){.at = ((size_t)b[0] | (size_t)b[1] << 8 | (size_t)b[2] << 16) % file,
                     .size = size_of[b[3] % SIZES],
                     .bytes = b + HEAD};
  const size_t left = *n - HEAD, room = file - e->at;
  if (e->size > left) e->size = left;
  *bytes += HEAD + e->size;
  *n -= HEAD + e->size;
  if (e->size > room) e->size = room;
  return true;
}

#endif
