/* SPDX-License-Identifier: MIT
 * The deadline book: distributions of the times of a cycle, written by the loop, read by anybody at any time.
 *
 * A histogram has 1 us bins up to 1 ms, then bins that grow by 2^(1/8) up to about 65 s, then one overflow
 * bin; the exact minimum and maximum are kept beside it. It is part of the shared telemetry block: fixed
 * size, no pointers. */
#ifndef RT_BOOK_H
#define RT_BOOK_H

#include <stdatomic.h>
#include <stdint.h>

enum { BOOK_LINEAR = 1000, BOOK_LOG = 128, BOOK_BINS = BOOK_LINEAR + BOOK_LOG + 1 };

/* One writer (the loop). Readers may see a count that lags its bin by one. */
struct histogram {
  _Atomic uint64_t count;
  _Atomic uint64_t last_ns, min_ns, max_ns;
  _Atomic uint64_t max_cycle; /* cycle in which max_ns was seen */
  _Atomic uint64_t bin[BOOK_BINS];
};

#define BOOK_LIST(X)                                                                                         \
  X(wakeup, "from the nominal start of the cycle to the loop running")                                       \
  X(step, "prepare and feedback of the stepper")                                                             \
  X(cycle, "from the nominal start to all work done")

struct book {
#define BOOK_FIELD(name, text) struct histogram name;
  BOOK_LIST(BOOK_FIELD)
#undef BOOK_FIELD
};

void histogram_clear(struct histogram *h);
/* RT. */
void histogram_add(struct histogram *h, uint64_t ns, uint64_t cycle);
/* Lower edge of a bin, ns. */
double histogram_edge(int bin);
/* The value below which the fraction 0 <= f <= 1 of the entries lies (upper edge of the bin, but never above
 * the exact maximum), us; 0 when empty. Not for the loop. */
double histogram_percentile_us(const struct histogram *h, double f);

#endif
