/* SPDX-License-Identifier: MIT
 * Deliberate faults in the inputs, to test the reactions of bench and loop. Only the faults in the configuration exist.
 * A fault acts while it is switched on and, if it has a window, while the motion is in the window. Pure: equal samples
 * give equal bits, also with random kinds. The set-up allocates, everything else is RT. */
#ifndef INPUTS_INJECT_H
#define INPUTS_INJECT_H

#include "signals/exchange.h"

#include <stdbool.h>
#include <stdint.h>

/* The effect of an injection on the samples of its input, for all channels. */
#define INJECT_KIND_LIST(X)                                                                                  \
  X(INJECT_FREEZE,                                                                                           \
    "freeze")              /* the last values repeat in every cycle with fresh times and without numbers */  \
  X(INJECT_DROP, "drop")   /* samples are lost with a probability */                                         \
  X(INJECT_DELAY, "delay") /* each sample comes `cycles` later, with its original time */                    \
  X(INJECT_STICK, "stick") /* each sample has one value */                                                   \
  X(INJECT_BIAS, "bias")   /* a value is added */                                                            \
  X(INJECT_NOISE, "noise") /* a random value, uniform between -amplitude and amplitude, is added */          \
  X(INJECT_NAN, "nan")     /* each sample is NaN */                                                          \
  X(INJECT_REPLAY, "replay")   /* the last samples repeat with their old numbers, new ones are lost */       \
  X(INJECT_REORDER, "reorder") /* neighbouring samples are exchanged */
enum inject_kind {
#define INJECT_ENUM(id, text) id,
  INJECT_KIND_LIST(INJECT_ENUM)
#undef INJECT_ENUM
};
const char *inject_kind_name(unsigned kind); /* "?" when unknown */

enum { INJECT_CYCLES_MAX = 100, INJECTIONS_MAX = 64 };

struct injection {
  char *name;
  int input; /* index in the declared inputs */
  enum inject_kind kind;
  bool active;         /* on from the start */
  bool window;         /* acts only for `length` after `from`, in s of simulated time, in RUNNING */
  double from, length; /* length may be infinite */
  double probability;  /* of drop */
  int cycles;          /* delay: cycles; replay: samples; 1 .. INJECT_CYCLES_MAX */
  double value;        /* stick, bias: in the unit of the channel */
  double amplitude;    /* of noise */
};

/* Index of an injection by its name; -1: unknown. Not RT. */
int injection_find(const char *const *name, int count, const char *wanted);
/* The argument of COMMAND_INJECT. */
static inline uint32_t injection_argument(int index, bool on)
{
  return (uint32_t)index << 1 | on;
}

/* A sample between a port and a channel. */
struct arrival {
  struct input_sample sample; /* t_ns 0: no sample */
  uint64_t since_ns;          /* start of its age, by the time of the latch */
};

struct injector_state;
struct injector {
  const struct injection *spec; /* (count) */
  int count;
  bool acts; /* an injection acts in this cycle */

  /* private */
  struct injector_state *state; /* (count) */
};

/* Set-up. The list must outlive the result. Returns false when out of memory. */
bool injector_init(struct injector *j, const struct injection *spec, int count);
void injector_free(struct injector *j);

/* Returns false if no injection has this index. */
bool injector_switch(struct injector *j, uint32_t index, bool on);

/* Call at the start of a cycle with the simulated time and whether the state is RUNNING. Then injector_acts() says
 * whether the fault acts. */
void injector_begin(struct injector *j, double time, bool running);
bool injector_acts(const struct injector *j, int index);

/* Passes the samples of an input through its injections. Call it in every cycle. `now`: times of a sample that comes at
 * present. Returns true if a sample was changed. */
bool injector_pass(struct injector *j, int input, struct arrival *arrival, int count,
                   const struct arrival *now);

#endif
