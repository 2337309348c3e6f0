/* SPDX-License-Identifier: MIT */
#include "bench.h"
#include "config/setup.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition)                                                                                     \
  do {                                                                                                       \
    if (!(condition)) {                                                                                      \
      fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition);                                \
      abort();                                                                                               \
    }                                                                                                        \
  } while (0)

static struct fuzz_bench b;

static void say_given(void)
{
  fprintf(stderr, "stat::datagrams_or_frames:      %llu\n", (unsigned long long)b.given);
}

struct fuzz_bench *fuzz_bench(void)
{
  if (b.settings) return &b;
  atexit(say_given);
  b.settings = setup_load(FUZZ_CONFIG, NULL, stderr);
  CHECK(b.settings);
  const struct signals *s = b.settings->signals;
  CHECK(port_init(&b.port, "fuzz", (uint32_t)s->count, (uint32_t)s->channels, false));
  b.values = calloc((size_t)s->count, sizeof *b.values);
  CHECK(b.values);
  b.now_ns = UINT64_C(1000000000);
  return &b;
}

static void check_inputs(struct fuzz_bench *f)
{
  if (!snapshot_take(&f->port.inputs)) return;
  const struct input_sample *sample = snapshot_value(&f->port.inputs);
  for (int i = 0; i < f->settings->signals->channels; i++) {
    CHECK(isfinite(sample[i].value));
    CHECK(sample[i].t_ns <= f->now_ns);
    CHECK(sample[i].counted == 0 || sample[i].counted == 16 || sample[i].counted == 32);
  }
}

void fuzz_cycle(struct fuzz_bench *f)
{
  struct command c;
  uint32_t state = STATE_RUNNING;
  check_inputs(f);
  if (atomic_exchange(&f->port.estop, 0)) state = STATE_SAFE;
  while (ring_pop(&f->port.commands, &c)) {
    CHECK(c.code >= COMMAND_INIT && strcmp(command_name(c.code), "?") != 0);
    if (c.code == COMMAND_ESTOP) state = STATE_SAFE;
    ring_push(&f->port.answers,
              &(struct answer){.code = c.code, .id = c.id, .client = c.client, .result = c.argument % 5});
  }
  const uint32_t count = (uint32_t)f->settings->signals->count;
  f->cycle++;
  for (uint32_t i = 0; i < count; i++) f->values[i] = (double)i + (double)(f->cycle % 7);
  port_publish(&f->port, &(struct frame){.cycle = f->cycle,
                                         .time = 0.01 * (double)f->cycle,
                                         .state = state,
                                         .count = count,
                                         .values = f->values});
  f->now_ns += 10000000;
}
