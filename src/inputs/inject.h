/* SPDX-License-Identifier: MIT
 * Faults put into the inputs on purpose, to see what the bench and the loop make of them. Only those that the configuration
 * lists are there; one acts while it is switched on and, if it has a window, the motion is in it. Pure: the same samples
 * give the same bits, also from the kinds that throw dice. Set-up allocates, the rest is RT. */
#ifndef INPUTS_INJECT_H
#define INPUTS_INJECT_H

#include "signals/exchange.h"

#include <stdbool.h>
#include <stdint.h>

/* What an injection does to the samples of its input, all channels alike. */
#define INJECT_KIND_LIST(X)                                                                                  \
  X(INJECT_FREEZE, "freeze") /* the last values go on with fresh times, in every cycle, without numbers */   \
  X(INJECT_DROP, "drop")     /* samples are lost, with some probability */                                   \
  X(INJECT_DELAY, "delay")   /* each comes so many cycles later, with its own time */                        \
  X(INJECT_STICK, "stick")   /* each has the same value */                                                   \
  X(INJECT_BIAS, "bias")     /* a value is added */                                                          \
  X(INJECT_NOISE, "noise")   /* so is one between -amplitude and amplitude, all equally likely */            \
  X(INJECT_NAN, "nan")       /* each is not a number */                                                      \
  X(INJECT_REPLAY,                                                                                           \
    "replay") /* the last ones come again and again with their old numbers, new ones do not */               \
  X(INJECT_REORDER, "reorder") /* neighbours change places */
enum inject_kind {
#define INJECT_ENUM(id, text) id,
  INJECT_KIND_LIST(INJECT_ENUM)
#undef INJECT_ENUM
};
const char *inject_kind_name(unsigned kind); /* "?" when unknown */

enum { INJECT_CYCLES_MAX = 100, INJECTIONS_MAX = 64 };

struct injection {
  char *name;
  int input; /* index among the declared inputs */
  enum inject_kind kind;
  bool active; /* switched on from the start */
  bool window; /* acts only from `from` on for `length`, in s of simulated time, while the state is RUNNING */
  double from, length; /* length may be infinite */
  double probability;  /* drop */
  int cycles;          /* delay: so long; replay: so many samples; 1 .. INJECT_CYCLES_MAX */
  double value;        /* stick, bias: in the unit of the channel */
  double amplitude;    /* noise */
};

/* Index of an injection by its name; -1 unknown. Not RT. */
int injection_find(const char *const *name, int count, const char *wanted);
/* The argument of COMMAND_INJECT. */
static inline uint32_t injection_argument(int index, bool on)
{
  return (uint32_t)index << 1 | on;
}

/* A sample on its way from a port to a channel. */
struct arrival {
  struct input_sample sample; /* t_ns 0: nothing came */
  uint64_t since_ns;          /* from when it ages, by the time of the latch */
};

struct injector_state;
struct injector {
  const struct injection *spec; /* (count) */
  int count;
  bool acts; /* one of them does, in this cycle */

  /* private */
  struct injector_state *state; /* (count) */
};

/* Set-up. The list must live as long as the result. False when out of memory. */
bool injector_init(struct injector *j, const struct injection *spec, int count);
void injector_free(struct injector *j);

/* False: there is none with this index. */
bool injector_switch(struct injector *j, uint32_t index, bool on);

/* Where the motion is at the start of a cycle: simulated time, and whether the state is RUNNING. Afterwards injector_acts()
 * says what has to be told of. */
void injector_begin(struct injector *j, double time, bool running);
bool injector_acts(const struct injector *j, int index);

/* What came for the channels of an input in this cycle, if anything, passes through: to be called in every cycle. `now`: the
 * times of a sample that comes just now. True if it was changed. */
bool injector_pass(struct injector *j, int input, struct arrival *arrival, int count,
                   const struct arrival *now);

#endif
