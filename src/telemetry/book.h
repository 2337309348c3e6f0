/* SPDX-License-Identifier: MIT
 * The deadline book: distributions of the times of a cycle, written by the loop, read by anybody at any time.
 *
 * A histogram has 1 us bins up to 1 ms, then bins that grow by 2^(1/8) up to about 65 s, then one overflow
 * bin; the exact minimum and maximum are kept beside it. It is part of the shared telemetry block: fixed
 * size, no pointers. */
#ifndef TELEMETRY_BOOK_H
#define TELEMETRY_BOOK_H

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

/* The phases of a cycle, in their order. */
#define PHASE_LIST(X)                                                                                        \
  X(latch, "commands and inputs taken")                                                                      \
  X(feedback, "iterations and projections of the step")                                                      \
  X(observe, "sensors, energy, all other signals")                                                           \
  X(platform, "cueing, limits and states of the motion platform")                                            \
  X(publish, "frames handed to the protocols")                                                               \
  X(account, "book and telemetry of the cycle before")                                                       \
  X(prepare, "the part of the next step that needs no inputs")

enum phase {
#define PHASE_ENUM(name, text) PHASE_##name,
  PHASE_LIST(PHASE_ENUM)
#undef PHASE_ENUM
      PHASES
};
const char *phase_name(unsigned phase); /* "?" when unknown */

#define BOOK_LIST(X)                                                                                         \
  X(wakeup, "from the nominal start of the cycle to the loop running")                                       \
  PHASE_LIST(X)                                                                                              \
  X(step, "prepare and feedback of the stepper")                                                             \
  X(cycle, "from the nominal start to all work done")

/* A time of a cycle without its distribution. One writer. */
struct stopwatch {
  _Atomic uint64_t count;
  _Atomic uint64_t last_ns, sum_ns, max_ns;
  _Atomic uint64_t max_cycle; /* cycle in which max_ns was seen */
};

/* Where a step's time goes. WAIT: from handing a piece of work to a worker to its start, the longest in the cycle.
 * BUSY: the work of the cycle, of a shared piece that of the slowest share; of one cycle in STEP_TIMES_EVERY. */
struct book_level {
  char name[24];
  uint32_t shared; /* 1: workers take part */
  uint32_t nodes;  /* of the tree; 0: bodies and links */
  struct stopwatch wait, busy;
};
enum { LEVELS_MAX = 48 };

/* One phase's histogram is book_histogram(b, phase). */
struct histograms {
#define BOOK_FIELD(name, text) struct histogram name;
  BOOK_LIST(BOOK_FIELD)
#undef BOOK_FIELD
  _Atomic uint64_t cleared; /* cycle in which it was cleared last; 0: at the start */
  uint64_t levels;          /* constant once the loop runs */
  struct book_level level[LEVELS_MAX];
};

static inline struct histogram *book_histogram(struct histograms *b, enum phase phase)
{
  return &b->latch + phase;
}

/* RT, but long: some 10 us for each histogram. */
void book_clear(struct histograms *b, uint64_t cycle);

void stopwatch_clear(struct stopwatch *w);
void stopwatch_add(struct stopwatch *w, uint64_t ns, uint64_t cycle); /* RT */

void histogram_clear(struct histogram *h);
/* RT. */
void histogram_add(struct histogram *h, uint64_t ns, uint64_t cycle);
/* Lower edge of a bin, ns. */
double histogram_edge(int bin);
/* The value below which the fraction 0 <= f <= 1 of the entries lies (upper edge of the bin, but never above
 * the exact maximum), us; 0 when empty. Not for the loop. */
double histogram_percentile_us(const struct histogram *h, double f);

#endif
