/* SPDX-License-Identifier: MIT
 * Numbers that a peer counts its messages by, in 16 or 32 bits that go round. Pure.
 *
 * Behind means: more than half the circle ahead. A number a little behind is a message that was overtaken on its way. One far
 * behind, or a second one behind that goes on from the first, is a peer that has begun anew; of old messages that are sent
 * again a number cannot tell that. */
#ifndef INPUTS_SEQUENCE_H
#define INPUTS_SEQUENCE_H

#include <stdbool.h>
#include <stdint.h>

enum { SEQUENCE_LATE_MAX = 16 }; /* so far behind it may just be late */

enum sequence_verdict {
  SEQUENCE_NEXT,     /* ahead, whatever was left out */
  SEQUENCE_REPEATED, /* the same again */
  SEQUENCE_LATE,
  SEQUENCE_RESTART,
};

struct sequence {
  uint32_t last, late; /* of what was taken; of what came late after that */
  uint32_t bits;       /* of the numbers so far; 0: none came */
  bool behind;         /* the last one came late */
};

/* RT. Takes a number of 16 or 32 bits. The first one is the next, as is the first with other bits. */
static inline enum sequence_verdict sequence_take(struct sequence *s, uint32_t number, uint32_t bits)
{
  const uint32_t mask = bits < 32 ? (UINT32_C(1) << bits) - 1 : UINT32_MAX, half = mask / 2;
  const bool first = s->bits != bits;
  const uint32_t ahead = (number - s->last) & mask, back = (s->last - number) & mask;
  if (!first && ahead == 0) return SEQUENCE_REPEATED;
  /* A number behind the last one is late, or the first of a sender that started again. */
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
