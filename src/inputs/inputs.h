/* SPDX-License-Identifier: MIT
 * Values from outside on their way into the model: who may set them, which samples are signs of life, ranges, and what to do
 * when a channel grows stale and when it comes back. Given the time and the ports' snapshots everything here is determined:
 * no clock, no waiting. One owner: the loop.
 *
 *   inputs_take    from the ports: source and owner, fault injection, sequence, finite, range, recovery  (inputs_take.c)
 *   inputs_latch   every channel brought to the instant: policy, blend, rate, range, state               (inputs_latch.c)
 *   inputs_apply   to the model
 *
 * A channel that is past its hold, unless its policy is hold, has to recover: it counts again after spec->recover samples in
 * a row, at most one in a cycle, each within hold of the one before (within two periods, if they are longer), and none of them
 * past hold when the next cycle latches. The first samples of all count at once.
 *
 * Time is CLOCK_MONOTONIC, as the times of samples are; or, without a clock, some other time, in which a sample is as old as
 * the first inputs_take() that saw it. */
#ifndef INPUTS_INPUTS_H
#define INPUTS_INPUTS_H

#include "inputs/inject.h"
#include "inputs/sequence.h"
#include "signals/counters.h"
#include "signals/exchange.h"
#include "signals/signals.h"

#include <stdbool.h>
#include <stdint.h>

struct input_channel {
  uint64_t t_ns;     /* when the newest sample was received, by the clock; 0: there is none */
  uint64_t since_ns; /* from when it ages */
  double value;      /* of it, within the range */
  bool clamped;      /* it was not */
  struct sequence sequence;

  /* what counts: as above, but for samples that came while the channel was lapsed */
  double base, slope;         /* slope: per s, of the policy extrapolate; 0: none */
  uint64_t base_ns, taken_ns; /* from when it ages; latch that took it */
  bool lapsed, blends;        /* past its hold, or its numbers began anew: has to recover; has just done so */
  int good;                   /* samples in a row while lapsed */
  double blend_from;          /* value in use when the blend began */
  uint64_t blend_ns;          /* when that was */
};

/* Of a whole input. */
struct input_condition {
  enum input_state state;
  uint64_t age_ns;     /* of its oldest channel ever set; UINT64_MAX: none was */
  uint32_t limits;     /* enum input_limit */
  uint64_t missing_ns; /* since when no channel is set; 0: one is */
  uint64_t heard_ns;   /* when its owner was heard last */
  int owner;           /* port; -1: none */
  uint32_t client;     /* of the owner: who sent its last sample */
};

struct inputs {
  /* as of the last latch */
  double *value; /* what acts on the model              (signals->channels)  filled by inputs_latch */
  struct input_condition *condition; /* (signals->inputs) */
  struct input_owner *owner;         /* (signals->inputs) whose samples count; for the frame */
  uint64_t age_ns;                   /* of the oldest channel ever set; UINT64_MAX: none was */
  uint32_t stale_mask;               /* bit i: input i (of the first 32) is stale or recovering */
  bool stale;                        /* some input is, the 33rd and later included */
  int lost;                          /* an input because of which the state has to be SAFE; -1: none */
  bool limited;                      /* a value in use is clamped, or slowed to its rate */
  uint64_t clamped;                  /* samples that came in beyond their range, since the start */

  struct injector injector; /* to be begun before inputs_take(), in every cycle */

  /* private */
  const struct signals *signals;
  struct counters *counters;
  struct input_spec *spec;       /* those of the signals, with what was tuned since   (signals->inputs) */
  struct input_channel *channel; /* (channels) */
  double *start;                 /* what a channel is that was never set  (channels) */
  uint64_t *seen_ns; /* time of the last sample of each channel in each port  (ports * channels) */
  bool *came;        /* what a port has is new  (ports) */
  int *source;       /* SOURCE_OSC, ... of each port  (ports) */
  int ports;
  uint64_t period_ns, latched_ns; /* latched_ns: last latch; 0: none was */
  uint64_t epoch_ns;              /* samples that came before are forgotten */
};

struct inputs_config {
  const struct signals *signals;
  int ports;
  uint64_t period_ns;
  struct counters *counters;
  const struct injection *injection; /* (injections) */
  int injections;
};

/* Set-up. What config points to must live as long as the result. False when out of memory. */
bool inputs_init(struct inputs *in, const struct inputs_config *config);
void inputs_free(struct inputs *in);
/* Set-up, of a model in its initial state: a drive that was never told where to go stays where it stands. */
void inputs_start_from(struct inputs *in, const ali3_model *m, const ali3_data *d);

/* RT. Takes what the ports have. clock_ns: CLOCK_MONOTONIC; virtual_ns: the other time, or 0 where it goes by the clock. An
 * input belongs to the first port that sets it, until its samples are older than 1 s, or hold, if that is longer. */
void inputs_take(struct inputs *in, struct port *const *port, uint64_t clock_ns, uint64_t virtual_ns);

/* RT. Brings every channel to the instant now_ns:
 *   age <= hold: the sample; with INPUT_EXTRAPOLATE the line through the last two that counted, for two periods at most.
 *   Later: INPUT_HOLD the sample; INPUT_RAMP and INPUT_EXTRAPOLATE to the safe value in a straight line over `ramp`;
 * INPUT_SAFE the safe value at once. A channel never set is 0, or that of inputs_start_from(), and never stale. */
void inputs_latch(struct inputs *in, uint64_t now_ns);

/* RT. After inputs_take(): an input that is required and not fresh at the instant; -1: none. */
int inputs_missing(const struct inputs *in, uint64_t now_ns);

/* RT. From now on policies, times, ranges and recovery are those of spec (signals->inputs). */
void inputs_tune(struct inputs *in, const struct input_spec *spec);

/* RT. Hands the values to the model. Inputs on the same body add up: each has loads of its own. */
void inputs_apply(const struct inputs *in, const ali3_model *m, ali3_data *d);

/* RT. All channels as if never set, but for what was received after t_ns; what was not will not come back. */
void inputs_forget(struct inputs *in, uint64_t t_ns);

/* For the files of the inputs. */
/* s of silence after which the input is anybody's. */
static inline double inputs_patience(const struct input_spec *spec)
{
  return spec->hold > 1.0 ? spec->hold : 1.0;
}
static inline double inputs_clamp(const struct input_range *r, double v)
{
  return v < r->lower ? r->lower : v > r->upper ? r->upper : v;
}
static inline double inputs_age(uint64_t since_ns, uint64_t now_ns)
{
  return now_ns > since_ns ? (double)(now_ns - since_ns) / 1e9
                           : 0.0; /* it may have come after now_ns was read */
}
/* What counts, on its way along the slope. */
double inputs_held(const struct inputs *in, const struct input_range *r, const struct input_channel *ch,
                   uint64_t now_ns);
/* The channel has to recover; it goes on from the value in use. */
void inputs_lapse(const struct inputs *in, int channel, const struct input_range *r, uint64_t now_ns);

#endif
