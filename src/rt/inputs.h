/* SPDX-License-Identifier: MIT
 * Values from outside on their way into the model: the newest sample of every channel over all ports, limits,
 * and what to do when a channel grows stale. Given the time and the ports' snapshots everything here is
 * determined: no clock, no waiting. One owner: the loop. */
#ifndef RT_INPUTS_H
#define RT_INPUTS_H

#include "signals/exchange.h"
#include "signals/signals.h"

#include <stdbool.h>
#include <stdint.h>

struct inputs {
  /* as of the last latch */
  double *value;         /* what acts on the model              (signals->channels)  filled by inputs_latch */
  uint64_t age_ns;       /* of the oldest channel ever set; UINT64_MAX: none was */
  uint64_t *each_age_ns; /* likewise, of each input    (signals->inputs) */
  uint32_t stale_mask;   /* bit i: input i (of the first 32) is past its hold time */
  bool stale;            /* some input is past its hold time, the 33rd and later included */
  bool stale_safe;       /* one of them has INPUT_SAFE */
  bool limited;          /* a value in use is clamped */
  uint64_t clamped;      /* samples that came in beyond their limit, since the start */

  /* private */
  const struct signals *signals;
  struct input_spec *spec;     /* those of the signals, with what was tuned since   (signals->inputs) */
  struct input_sample *newest; /* after clamping; t_ns 0: none    (channels) */
  uint64_t *since_ns;          /* from when newest[i] ages, by the time of the latch  (channels) */
  bool *clamp;                 /* newest[i] was beyond its limit  (channels) */
  uint64_t epoch_ns;           /* samples that came before are forgotten */
};

/* Set-up. Signals must live as long as the result. False when out of memory. */
bool inputs_init(struct inputs *in, const struct signals *signals);
void inputs_free(struct inputs *in);

/* RT. Takes what the ports have, and brings every channel to the instant now_ns:
 *   age <= hold: the sample.  Later: INPUT_HOLD still the sample; INPUT_RAMP down to 0 in a straight line
 * over `ramp`; INPUT_SAFE 0 at once, and stale_safe is set. A channel never set is 0 and never stale. Where
 * several ports set a channel the newest sample wins. by_clock: now_ns is CLOCK_MONOTONIC, as the times of the samples are;
 * else some other time, in which a sample is as old as the first latch that took it. */
void inputs_latch(struct inputs *in, struct port *const *port, int ports, uint64_t now_ns, bool by_clock);

/* RT. From now on policy, hold, ramp and limits are those of spec (signals->inputs); values in use are clamped to the limits
 * if they are beyond them. */
void inputs_tune(struct inputs *in, const struct input_spec *spec);

/* RT. Hands the values to the model. Inputs on the same body add up: each has loads of its own. */
void inputs_apply(const struct inputs *in, const ali3_model *m, ali3_data *d);

/* RT. All channels as if never set, but for what was received after t_ns; what was not will not come back. */
void inputs_forget(struct inputs *in, uint64_t t_ns);

#endif
