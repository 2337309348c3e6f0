/* SPDX-License-Identifier: MIT */
#include "bench.h"

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

struct fuzz_bench *fuzz_bench(void)
{
  static struct fuzz_bench b;
  if (b.settings) return &b;
  b.settings = settings_load(FUZZ_CONFIG, NULL, stderr);
  CHECK(b.settings);
  const struct signals *s = b.settings->signals;
  CHECK(port_init(&b.port, "fuzz", (uint32_t)s->count, (uint32_t)s->channels, false));
  b.now_ns = UINT64_C(1000000000);
  return &b;
}

static void check_inputs(struct fuzz_bench *b)
{
  if (!snapshot_take(&b->port.inputs)) return;
  const struct input_sample *sample = snapshot_value(&b->port.inputs);
  for (int i = 0; i < b->settings->signals->channels; i++) {
    CHECK(isfinite(sample[i].value));
    CHECK(sample[i].t_ns <= b->now_ns);
    CHECK(sample[i].counted == 0 || sample[i].counted == 16 || sample[i].counted == 32);
  }
}

void fuzz_cycle(struct fuzz_bench *b)
{
  struct command c;
  uint32_t state = STATE_RUNNING;
  check_inputs(b);
  if (atomic_exchange(&b->port.estop, 0)) state = STATE_SAFE;
  while (ring_pop(&b->port.commands, &c)) {
    CHECK(c.code >= COMMAND_INIT && strcmp(command_name(c.code), "?") != 0);
    if (c.code == COMMAND_ESTOP) state = STATE_SAFE;
    ring_push(&b->port.answers,
              &(struct answer){.code = c.code, .id = c.id, .client = c.client, .result = c.argument % 5});
  }
  struct frame *f = snapshot_begin(&b->port.frames);
  const uint32_t count = (uint32_t)b->settings->signals->count;
  *f = (struct frame){.cycle = ++b->cycle, .time = 0.01 * (double)b->cycle, .state = state, .count = count};
  for (uint32_t i = 0; i < count; i++) f->values[i] = (double)i + (double)(b->cycle % 7);
  snapshot_publish(&b->port.frames);
  b->now_ns += 10000000;
}
