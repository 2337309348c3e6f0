/* SPDX-License-Identifier: MIT
 * Sequence numbers of a peer's messages, 16 or 32 bits that wrap. Pure.
 *
 * A number is behind if it lies more than half the circle ahead. A number a little behind belongs to a message that was
 * overtaken. A number far behind, or a second number behind that continues the first, belongs to a peer that has
 * restarted; the numbers cannot tell a restart from old messages that are sent again. */
#ifndef INPUTS_SEQUENCE_H
#define INPUTS_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { SEQUENCE_LATE_MAX = 16 }; /* a number at most this far behind may be late */

enum sequence_verdict {
  SEQUENCE_NEXT,     /* ahead, with or without a gap */
  SEQUENCE_REPEATED, /* equal to the last one */
  SEQUENCE_LATE,
  SEQUENCE_RESTART,
};

struct sequence {
  uint32_t last, late; /* last number taken; last number that came late after it */
  uint32_t bits;       /* width of the numbers so far; 0: none came */
  bool behind;         /* the last number came late */
};

/* RT. Takes a number of 16 or 32 bits. The first number, and the first one of another width, is a next one. */
static inline enum sequence_verdict sequence_take(struct sequence *s, uint32_t number, uint32_t bits)
{
  const uint32_t mask = bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX, half = mask / 2;
  const bool first = s->bits != bits;
  const uint32_t ahead = (number - s->last) & mask, back = (s->last - number) & mask;
  if (!first && ahead == 0) return SEQUENCE_REPEATED;
  /* A number behind the last one is late, or the first one of a restarted sender. */
  enum sequence_verdict verdict = SEQUENCE_NEXT;
  if (!first && ahead > half) {
    const uint32_t on = (number - s->late) & mask;
    const bool goes_on = s->behind && on > 0 && on <= half;
    if (s->behind && on == 0) return SEQUENCE_REPEATED;
    if (!goes_on && back <= SEQUENCE_LATE_MAX) {
      s->late = number;
      s->behind = true;
      return SEQUENCE_LATE;
    }
    verdict = SEQUENCE_RESTART;
  }
  *s = (struct sequence){.last = number & mask, .bits = bits};
  return verdict;
}

#endif
