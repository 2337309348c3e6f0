/* SPDX-License-Identifier: MIT
 * Loop code: one sample through a measuring chain. */
#include "measure/chain.h"

#include <math.h>

/* The finaliser of SplitMix64 (Steele, Lea, Flood 2014). */
static uint64_t noise_bits(uint64_t x)
{
  x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
  x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
  return x ^ x >> 31;
}

/* A random number of mean 0 and variance 1: the sum of twelve uniform ones less 6, which is close to a normal one and needs no
 * function whose last bit depends on the library. */
static double noise_of(uint64_t stream, uint64_t step)
{
  static const uint64_t GOLDEN = UINT64_C(0x9e3779b97f4a7c15);
  double sum = -6.0;
  for (uint64_t word = 1; word <= 3; word++) {
    const uint64_t bits = noise_bits(stream + (3 * step + word) * GOLDEN);
    for (int i = 0; i < 64; i += 16) sum += ((double)(bits >> i & 0xffff) + 0.5) / 65536.0;
  }
  return sum;
}

static double filter_sample(const struct chain *c, double u, double *memory)
{
  double *x = memory + CHAIN_FILTER;
  const double last = memory[CHAIN_INPUT], x0 = x[0], x1 = x[1];
  memory[CHAIN_INPUT] = u;
  if (c->order == 0) return u;
  for (int i = 0; i < 2; i++)
    x[i] = c->phi[i][0] * x0 + c->phi[i][1] * x1 + c->last[i] * last + c->now[i] * u;
  return x[0];
}

static double delay_sample(const struct chain *c, uint64_t step, double u, double *memory)
{
  double *samples = memory + CHAIN_SAMPLES;
  const uint64_t n = (uint64_t)c->samples;
  if (c->samples == 0) return u;
  samples[step % n] = u;
  const double late = samples[(step + n - (uint64_t)c->whole) % n];
  return c->part == 0.0 ? late : late + c->part * (samples[(step + n - (uint64_t)c->whole - 1) % n] - late);
}

static double channel_bias(const struct chain *c, const ali3_sensor_spec *s, int channel)
{
  if (c->channels == 1) return s->bias;
  return channel < 3 ? s->force_bias[channel] : s->angular_bias[channel - 3];
}

/* Filter, delay, errors, noise, range and resolution of one channel. */
static void take_channel(const struct chain *c, const ali3_sensor_spec *s, uint64_t step, int channel,
                         double u, double *memory)
{
  const int kind = channel / 3;
  const bool limited = s->lower[kind] < s->upper[kind];
  const double sample = delay_sample(c, step, filter_sample(c, u, memory), memory);
  double shown = (1.0 + s->scale_error[kind]) * sample + channel_bias(c, s, channel);
  if (s->noise[kind] > 0.0)
    shown += s->noise[kind] * noise_of(noise_bits(c->noise + (uint64_t)channel), step);
  memory[CHAIN_CLIPPED] = limited && (shown < s->lower[kind] || shown > s->upper[kind]);
  if (limited) shown = fmin(fmax(shown, s->lower[kind]), s->upper[kind]);
  if (s->resolution[kind] > 0.0) {
    shown = s->resolution[kind] * rint(shown / s->resolution[kind]);
    if (limited) shown = fmin(fmax(shown, s->lower[kind]), s->upper[kind]);
  }
  memory[CHAIN_BEFORE] = memory[CHAIN_READING];
  memory[CHAIN_READING] = shown;
}

void chain_begin(const struct chain *c, const ali3_sensor_spec *s, uint64_t step, const double *value,
                 double *memory)
{
  for (int i = 0; i < c->channels; i++, memory += c->each) {
    memory[CHAIN_INPUT] = memory[CHAIN_FILTER] = value[i];
    memory[CHAIN_FILTER + 1] = 0.0;
    for (int k = 0; k < c->samples; k++) memory[CHAIN_SAMPLES + k] = value[i];
    take_channel(c, s, step, i, value[i], memory);
    if (s->stuck == 2) memory[CHAIN_READING] = s->stuck_at;
    memory[CHAIN_BEFORE] = memory[CHAIN_READING];
  }
}

void chain_take(const struct chain *c, const ali3_sensor_spec *s, uint64_t step, const double *value,
                double *memory)
{
  for (int i = 0; i < c->channels; i++, memory += c->each) {
    const double shown = memory[CHAIN_READING];
    take_channel(c, s, step, i, value[i], memory);
    if (s->stuck > 0) memory[CHAIN_READING] = s->stuck == 2 ? s->stuck_at : shown;
  }
}
