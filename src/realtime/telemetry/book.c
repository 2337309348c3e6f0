/* SPDX-License-Identifier: MIT
 * Histograms with integer bin arithmetic: the loop adds to them without libm, locks or read-modify-write instructions.
 * There is one writer, so a relaxed load and store suffice. */
#include "telemetry/book.h"

#include <math.h>
#include <stddef.h>

enum { LINEAR_NS = 1000, OCTAVE = 8 };
#define LOG_NS UINT64_C(1000000) /* first edge of the logarithmic bins */

_Static_assert((uint64_t)LINEAR_NS *BOOK_LINEAR == 1000000, "the two kinds of bin meet");
#define FOLLOWS(name, text)                                                                                  \
  _Static_assert(offsetof(struct histograms, name) ==                                                        \
                     offsetof(struct histograms, latch) + PHASE_##name * sizeof(struct histogram),           \
                 "phases lie in their order");
PHASE_LIST(FOLLOWS)
#undef FOLLOWS
_Static_assert(BOOK_LOG % OCTAVE == 0, "whole octaves");

/* round(LOG_NS 2^(j/8)): the lower edges of the first octave; octave o has these edges shifted left by o. */
static const uint64_t octave_ns[OCTAVE] = {1000000, 1090508, 1189207, 1296840,
                                           1414214, 1542211, 1681793, 1834008};

static uint64_t edge_ns(int bin)
{
  if (bin <= BOOK_LINEAR) return (uint64_t)bin * LINEAR_NS;
  int i = bin - BOOK_LINEAR;
  return octave_ns[i % OCTAVE] << (i / OCTAVE);
}

static int bin_of(uint64_t ns)
{
  if (ns < LOG_NS) return (int)(ns / LINEAR_NS);
  if (ns >= LOG_NS << (BOOK_LOG / OCTAVE)) return BOOK_BINS - 1;
  int o = 63 - __builtin_clzll(ns) - 19; /* 2^19 < LOG_NS < 2^20: the octave, or one too many */
  if (ns < LOG_NS << o) o--;
  int j = 0;
  for (int k = 1; k < OCTAVE; k++) j += ns >= octave_ns[k] << o;
  return BOOK_LINEAR + OCTAVE * o + j;
}

static uint64_t load_word(const _Atomic uint64_t *p)
{
  return atomic_load_explicit(p, memory_order_relaxed);
}
static void store_word(_Atomic uint64_t *p, uint64_t v)
{
  atomic_store_explicit(p, v, memory_order_relaxed);
}

void histogram_clear(struct histogram *h)
{
  store_word(&h->count, 0);
  store_word(&h->last_ns, 0);
  store_word(&h->min_ns, 0);
  store_word(&h->max_ns, 0);
  store_word(&h->max_cycle, 0);
  for (int i = 0; i < BOOK_BINS; i++) store_word(&h->bin[i], 0);
}

void histogram_add(struct histogram *h, uint64_t ns, uint64_t cycle)
{
  const uint64_t count = load_word(&h->count);
  _Atomic uint64_t *bin = &h->bin[bin_of(ns)];
  store_word(&h->last_ns, ns);
  if (count == 0 || ns < load_word(&h->min_ns)) store_word(&h->min_ns, ns);
  if (count == 0 || ns > load_word(&h->max_ns)) {
    store_word(&h->max_ns, ns);
    store_word(&h->max_cycle, cycle);
  }
  store_word(bin, load_word(bin) + 1);
  store_word(&h->count, count + 1);
}

const char *phase_name(unsigned phase)
{
#define NAME(name, text) #name,
  static const char *const names[] = {PHASE_LIST(NAME)};
#undef NAME
  return phase < PHASES ? names[phase] : "?";
}

void stopwatch_clear(struct stopwatch *w)
{
  store_word(&w->count, 0);
  store_word(&w->last_ns, 0);
  store_word(&w->sum_ns, 0);
  store_word(&w->max_ns, 0);
  store_word(&w->max_cycle, 0);
}

void stopwatch_add(struct stopwatch *w, uint64_t ns, uint64_t cycle)
{
  store_word(&w->last_ns, ns);
  store_word(&w->sum_ns, load_word(&w->sum_ns) + ns);
  if (load_word(&w->count) == 0 || ns > load_word(&w->max_ns)) {
    store_word(&w->max_ns, ns);
    store_word(&w->max_cycle, cycle);
  }
  store_word(&w->count, load_word(&w->count) + 1);
}

void book_clear(struct histograms *b, uint64_t cycle)
{
#define CLEAR(name, text) histogram_clear(&b->name);
  BOOK_LIST(CLEAR)
#undef CLEAR
  for (uint64_t i = 0; i < b->levels; i++) {
    stopwatch_clear(&b->level[i].wait);
    stopwatch_clear(&b->level[i].busy);
  }
  store_word(&b->cleared, cycle);
}

double histogram_edge(int bin)
{
  return (double)edge_ns(bin);
}

double histogram_percentile_us(const struct histogram *h, double f)
{
  /* Sum the bins instead of taking `count`: the writer may be between the two. */
  uint64_t total = 0;
  for (int i = 0; i < BOOK_BINS; i++) total += load_word(&h->bin[i]);
  if (total == 0) return 0.0;
  const double lowest = (double)load_word(&h->min_ns), highest = (double)load_word(&h->max_ns);
  if (!(f > 0.0)) return lowest * 1e-3;

  const double rank = ceil(fmin(f, 1.0) * (double)total);
  uint64_t below = 0;
  int i = 0;
  for (; i < BOOK_BINS - 1; i++) {
    below += load_word(&h->bin[i]);
    if ((double)below >= rank) break;
  }
  if (i == BOOK_BINS - 1) return highest * 1e-3;
  return fmin(histogram_edge(i + 1), highest) * 1e-3;
}
