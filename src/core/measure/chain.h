/* SPDX-License-Identifier: MIT
 * The measuring chain of a sensor: from the exact value at the end of each step to the reading that an instrument shows. Pure: a
 * reading follows from the samples since the start, the seed and the number of the step. */
#ifndef MEASURE_CHAIN_H
#define MEASURE_CHAIN_H

#include <ali3/model.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  CHAIN_CHANNELS_MAX = 6, /* of an imu */
  CHAIN_SAMPLES_MAX = 4096,
  /* memory of a channel */
  CHAIN_READING = 0,
  CHAIN_BEFORE = 1, /* the reading one step ago */
  CHAIN_CLIPPED = 2,
  CHAIN_INPUT = 3,  /* the sample one step ago */
  CHAIN_FILTER = 4, /* output of the filter, and its rate over 2 pi cutoff */
  CHAIN_SAMPLES = 6
};

struct chain {
  int channels;
  bool exact;   /* filter, delay, errors, noise, limits and resolution are 0 */
  size_t first; /* memory of the first channel, in ali3_data.measured */
  size_t each;  /* numbers of a channel */
  uint64_t noise;
  /* filter: x = phi x + last u_last + now u, for an input that is linear within the step */
  int order;
  double phi[2][2], last[2], now[2];
  /* delay: `whole` steps and `part` of one; `samples` are stored */
  int samples, whole;
  double part;
};

/* make_chain.c. Set-up. dt: s. False: the delay is longer than CHAIN_SAMPLES_MAX steps. */
bool chain_make(struct chain *c, const char *name, const ali3_sensor_spec *s, double dt);

/* RT. Puts the memory of all channels into the state after an endless time at `value` (channels). */
void chain_begin(const struct chain *c, const ali3_sensor_spec *s, uint64_t step, const double *value,
                 double *memory);
/* RT. Takes the sample of a step. */
void chain_take(const struct chain *c, const ali3_sensor_spec *s, uint64_t step, const double *value,
                double *memory);

#endif
