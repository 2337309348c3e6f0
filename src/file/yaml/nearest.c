/* SPDX-License-Identifier: MIT
 * Edit distance. The case of letters does not count: Ground equals ground. Set-up only. */
#include "yaml/nearest.h"

#include <stdbool.h>
#include <string.h>

enum { LONGEST = 63 };

static size_t fewer_changes(size_t a, size_t b)
{
  return a < b ? a : b;
}

static bool same_letter(char a, char b)
{
  return (a | 0x20) == (b | 0x20);
}

/* Number of letters to change, add, remove, or swap with their neighbour. */
static size_t distance_of(const char *a, const char *b)
{
  size_t rows = strlen(a), columns = strlen(b);
  if (rows > LONGEST || columns > LONGEST) return LONGEST;
  size_t row[3][LONGEST + 1]; /* i - 2, i - 1, i in turn */
  for (size_t j = 0; j <= columns; j++) row[0][j] = j;
  for (size_t i = 1; i <= rows; i++) {
    const size_t *above = row[(i - 1) % 3];
    size_t *now = row[i % 3];
    now[0] = i;
    for (size_t j = 1; j <= columns; j++) {
      size_t change = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
      now[j] = fewer_changes(change, fewer_changes(now[j - 1], above[j]) + 1);
      if (i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]))
        now[j] = fewer_changes(now[j], row[(i - 2) % 3][j - 2] + 1);
    }
  }
  return row[rows % 3][columns];
}

void nearest_try(struct nearest *n, const char *candidate)
{
  size_t d = distance_of(n->word, candidate), enough = (strlen(n->word) + 2) / 3;
  if (d > enough || d >= strlen(candidate) || (n->best && d >= n->distance)) return;
  n->best = candidate;
  n->distance = d;
}
