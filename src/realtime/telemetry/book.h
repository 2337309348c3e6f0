/* SPDX-License-Identifier: MIT
 * Distributions of the times of a cycle. The loop writes them, any thread or tool reads them at any time.
 *
 * A histogram has bins of 1 us up to 1 ms, then bins that grow by 2^(1/8) up to about 65 s, then one overflow bin. The
 * exact minimum and maximum stand beside the bins. It is part of the shared telemetry block: fixed size, no pointers. */
#ifndef TELEMETRY_BOOK_H
#define TELEMETRY_BOOK_H

#include <stdatomic.h>
#include <stdint.h>

enum { BOOK_LINEAR = 1000, BOOK_LOG = 128, BOOK_BINS = BOOK_LINEAR + BOOK_LOG + 1 };

/* One writer, the loop. A reader may see a count that lags the bins by one. */
struct histogram {
  _Atomic uint64_t count;
  _Atomic uint64_t last_ns, min_ns, max_ns;
  _Atomic uint64_t max_cycle; /* cycle of max_ns */
  _Atomic uint64_t bin[BOOK_BINS];
};

/* The phases of a cycle, in their order. */
#define PHASE_LIST(X)                                                                                        \
  X(latch, "commands and inputs taken")                                                                      \
  X(feedback, "iterations and projections of the step")                                                      \
  X(observe, "sensors, energy, all other signals")                                                           \
  X(platform, "cueing, limits and states of the motion platform")                                            \
  X(publish, "frames handed to the protocols")                                                               \
  X(record, "the cycle copied into the frame ring")                                                          \
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

/* A time of a cycle without a distribution. One writer. */
struct stopwatch {
  _Atomic uint64_t count;
  _Atomic uint64_t last_ns, sum_ns, max_ns;
  _Atomic uint64_t max_cycle; /* cycle of max_ns */
};

/* Times of the pieces of work of a step. WAIT: from handing a piece to a worker to its start, the longest in the cycle.
 * BUSY: the work of the cycle; for a shared piece the work of the slowest share. Measured in one cycle of
 * STEP_TIMES_EVERY. */
struct book_level {
  char name[24];
  uint32_t shared; /* 1: workers share the piece */
  uint32_t nodes;  /* nodes of the tree; 0: the piece works on bodies and links */
  struct stopwatch wait, busy;
};
enum { LEVELS_MAX = 48 };

/* The histogram of a phase is book_histogram(b, phase). */
struct histograms {
#define BOOK_FIELD(name, text) struct histogram name;
  BOOK_LIST(BOOK_FIELD)
#undef BOOK_FIELD
  _Atomic uint64_t cleared; /* cycle of the last clear; 0: the start */
  uint64_t levels;          /* constant once the loop runs */
  struct book_level level[LEVELS_MAX];
};

static inline struct histogram *book_histogram(struct histograms *b, enum phase phase)
{
  return &b->latch + phase;
}

/* RT, but takes some 10 us per histogram. */
void book_clear(struct histograms *b, uint64_t cycle);

void stopwatch_clear(struct stopwatch *w);
void stopwatch_add(struct stopwatch *w, uint64_t ns, uint64_t cycle); /* RT */

void histogram_clear(struct histogram *h);
/* RT. */
void histogram_add(struct histogram *h, uint64_t ns, uint64_t cycle);
/* Lower edge of a bin, ns. */
double histogram_edge(int bin);
/* The value below which the fraction 0 <= f <= 1 of the entries lies, us: the upper edge of its bin, limited to the
 * exact maximum. 0 for an empty histogram. Not for the loop. */
double histogram_percentile_us(const struct histogram *h, double f);

#endif
