/* SPDX-License-Identifier: MIT
 * Values from outside on their way to the model: who may set them, which samples are signs of life, ranges, and the
 * treatment of a channel that goes stale or recovers. Time and the ports' snapshots determine the results: no clock, no
 * waiting. One owner: the loop.
 *
 *   inputs_take    from the ports: source and owner, fault injection, sequence, finite, range, recovery  (inputs_take.c)
 *   inputs_latch   every channel at the present time: watchdog, policy, blend, rate, range, state        (inputs_latch.c)
 *   inputs_apply   to the model
 *
 * A channel past its hold time must recover, except with policy hold: it counts again after spec->recover samples in a
 * row, at most one per cycle, each within hold of the one before (or within two periods, if they are longer), and none
 * of them past hold when the next cycle latches. The very first samples count at once.
 *
 * A value in use of an input of the rig is always one that the rig sent: it has no policy, blend or rate.
 *
 * Time is CLOCK_MONOTONIC, the clock of the samples. Without a clock it is simulated time, and a sample ages from the
 * first inputs_take() that saw it. */
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
  uint64_t t_ns;     /* reception of the newest sample, by the clock; 0: none */
  uint64_t since_ns; /* start of its age */
  double written;    /* its value as it came */
  double value;      /* its value, clamped to the range */
  bool clamped;      /* the value was out of range */
  struct sequence sequence;

  /* The sample that counts: like above, without samples that came while the channel was lapsed. */
  double base, slope;         /* slope: per s, for the policy extrapolate; 0: none */
  uint64_t base_ns, taken_ns; /* start of its age; latch that took it */
  bool lapsed, blends;        /* past its hold, or its sequence restarted: must recover; has just recovered */
  int good;                   /* consecutive samples while lapsed */
  bool dead;         /* lapsed because the watchdog expired; counts until the channel has recovered */
  uint64_t dead_ns;  /* the latch at which it expired */
  double blend_from; /* value in use at the start of the blend */
  uint64_t blend_ns; /* start of the blend */
};

/* Condition of an input. */
struct input_condition {
  enum input_state state;
  uint64_t age_ns;     /* age of its oldest channel ever set; UINT64_MAX: none was set */
  uint32_t limits;     /* enum input_limit */
  uint64_t missing_ns; /* since when no channel is set; 0: one is set */
  uint64_t heard_ns;   /* last sample of its owner */
  uint64_t alive_ns;   /* last heartbeat of its owner, by the same time; 0: none */
  uint64_t beat_ns;    /* that heartbeat as its port tells it */
  int owner;           /* port; -1: none */
  uint32_t client;     /* client of the owner that sent its last sample */
};

struct inputs {
  /* Results of the last latch. */
  double *value; /* (signals->channels) values that act on the model; filled by inputs_latch */
  struct input_condition *condition; /* (signals->inputs) */
  struct input_owner *owner; /* (signals->inputs) source and client whose samples count; for the frame */
  struct input_note *note;   /* (signals->inputs) conditions, for the frame */
  double *written;     /* (signals->channels) newest samples as they came, for the frame; NAN: never set */
  uint64_t age_ns;     /* age of the oldest channel ever set; UINT64_MAX: none was set */
  uint32_t stale_mask; /* bit i: input i of the first 32 is stale or recovering */
  bool stale;          /* an input is stale, the 33rd and later included */
  int lost;            /* input that forces the state SAFE; -1: none */
  bool limited;        /* a value in use is clamped or its rate is limited */
  uint64_t clamped;    /* samples beyond their range since the start */

  struct injector injector; /* call injector_begin() before inputs_take() in every cycle */

  /* private */
  const struct signals *signals;
  struct counters *counters;
  struct input_spec *spec;       /* (signals->inputs) specs of the signals, with tuning */
  struct input_channel *channel; /* (channels) */
  double *start;                 /* (channels) value of a channel that was never set */
  uint64_t *seen_ns;             /* (ports * channels) time of the last sample of each channel in each port */
  bool *came;                    /* (ports) the port has new samples */
  int *source;                   /* (ports) SOURCE_OSC, ... */
  int ports;
  uint64_t period_ns, latched_ns; /* latched_ns: last latch; 0: none yet */
  uint64_t epoch_ns;              /* samples from before this time are forgotten */
};

struct inputs_config {
  const struct signals *signals;
  int ports;
  uint64_t period_ns;
  struct counters *counters;
  const struct injection *injection; /* (injections) */
  int injections;
};

/* Set-up. The objects in config must outlive the result. Returns false when out of memory. */
bool inputs_init(struct inputs *in, const struct inputs_config *config);
void inputs_free(struct inputs *in);
/* Set-up. Every input takes values from every port, whatever `from`, devices and packets the file has: for a program that plays
 * the part of all clients. */
void inputs_open_sources(struct inputs *in);
/* RT, with a model before its motion begins: a drive without a target stays in place, and a motor without a value gives 0. */
void inputs_start_from(struct inputs *in, const ali3_model *m, const ali3_data *d);

/* RT. Takes new samples from the ports. clock_ns: CLOCK_MONOTONIC; virtual_ns: simulated time, or 0 with a clock. An
 * input belongs to the first port that sets it, until its samples are older than 1 s or hold, whichever is longer. */
void inputs_take(struct inputs *in, struct port *const *port, uint64_t clock_ns, uint64_t virtual_ns);

/* RT. Brings every channel to the time now_ns:
 *   age <= hold: the sample; INPUT_EXTRAPOLATE: the line through the last two samples that counted, for two periods at most.
 *   later: INPUT_HOLD: the sample; INPUT_RAMP and INPUT_EXTRAPOLATE: a straight line to the safe value over `ramp`;
 *          INPUT_SAFE: the safe value at once.
 * A channel that was never set is 0, or the value of inputs_start_from(), and never stale. */
void inputs_latch(struct inputs *in, uint64_t now_ns);

/* RT. Call after inputs_take(). Returns a required input that is not fresh at this time; -1: none. */
int inputs_missing(const struct inputs *in, uint64_t now_ns);

/* RT. Sets policies, times, ranges and recovery from spec (signals->inputs). */
void inputs_tune(struct inputs *in, const struct input_spec *spec);

/* RT. Hands the values to the model. Inputs on one body add up, because each has its own loads. */
void inputs_apply(const struct inputs *in, const ali3_model *m, ali3_data *d);

/* RT. CLOCK_MONOTONIC stood still for this time: all samples are older by it. */
void inputs_pass_time(struct inputs *in, uint64_t ns);

/* RT. All channels become unset, except for samples received after t_ns. Forgotten samples never come back. */
void inputs_forget(struct inputs *in, uint64_t t_ns);

/* Shared by the files of the inputs. */
/* Seconds of silence after which any source may own the input. */
static inline double inputs_patience(const struct input_spec *spec)
{
  return spec->hold > 1.0 ? spec->hold : 1.0;
}
static inline double inputs_clamp(const struct input_range *r, double v)
{
  return v < r->lower ? r->lower : v > r->upper ? r->upper : v;
}
/* True if instant a is later than instant b. After inputs_pass_time() an instant may lie before the start of the machine,
 * where it wraps around zero: compare instants of inputs by this function only. */
static inline bool inputs_later(uint64_t a_ns, uint64_t b_ns)
{
  return (int64_t)(a_ns - b_ns) > 0;
}
static inline double inputs_age(uint64_t since_ns, uint64_t now_ns)
{
  return inputs_later(now_ns, since_ns) ? (double)(now_ns - since_ns) / 1e9
                                        : 0.0; /* the sample may have come after now_ns was read */
}
/* The value that counts, extrapolated along the slope. */
double inputs_held(const struct inputs *in, const struct input_range *r, const struct input_channel *ch,
                   uint64_t now_ns);
/* True if the watchdog of the input has expired. */
static inline bool inputs_are_silent(const struct input_spec *spec, const struct input_condition *c,
                                     uint64_t now_ns)
{
  const bool beats = c->alive_ns && inputs_later(c->alive_ns, c->heard_ns);
  const uint64_t heard_ns = beats ? c->alive_ns : c->heard_ns;
  return spec->watchdog > 0.0 && inputs_age(heard_ns, now_ns) > spec->watchdog;
}
/* The channel must recover; it continues from the value in use. */
void inputs_lapse(const struct inputs *in, int channel, const struct input_range *r, uint64_t now_ns);

#endif
