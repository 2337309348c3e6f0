/* SPDX-License-Identifier: MIT */
#include "inputs/inputs_bench.h"
#include "check.h"

#include <stddef.h>
#include <string.h>

static bool init(struct bench *b)
{
  return inputs_init(&b->in, &(struct inputs_config){.signals = &b->signals,
                                                     .ports = 2,
                                                     .period_ns = 10 * MS,
                                                     .counters = &b->counters,
                                                     .injection = b->injection,
                                                     .injections = b->injections});
}

int set_up(void **state)
{
  static struct bench b;
  memset(&b, 0, sizeof b);
  static const enum input_policy POLICY[INPUTS] = {INPUT_HOLD, INPUT_RAMP, INPUT_SAFE, INPUT_RAMP};
  for (int i = 0; i < INPUTS; i++) {
    b.spec[i] = (struct input_spec){.name = "push",
                                    .body = i == 2 ? 0 : i,
                                    .policy = POLICY[i],
                                    .hold = 0.05,
                                    .ramp = 0.5,
                                    .recover = 1,
                                    .first = i * INPUT_WRENCH_CHANNELS,
                                    .count = INPUT_WRENCH_CHANNELS};
    for (int k = 0; k < INPUT_WRENCH_CHANNELS; k++)
      b.spec[i].range[k] = k < 3 ? (struct input_range){.lower = -100.0, .upper = 100.0}
                                 : (struct input_range){.lower = -10.0, .upper = 10.0};
  }
  b.spec[WRENCHES].kind = INPUT_VALUE;
  b.spec[WRENCHES].count = 1;
  b.spec[WRENCHES].range[0] = (struct input_range){.lower = -2.0, .upper = 2.0};
  b.signals = (struct signals){.inputs = INPUTS, .input = b.spec, .channels = CHANNELS, .platform_first = -1};
  b.port[0] = &b.osc;
  b.port[1] = &b.modbus;
  if (!port_init(&b.osc, "osc", 1, CHANNELS, false) || !port_init(&b.modbus, "modbus", 1, CHANNELS, false))
    return -1;
  b.osc.source = SOURCE_OSC;
  b.modbus.source = SOURCE_MODBUS;
  *state = &b;
  return init(&b) ? 0 : -1;
}

int tear_down(void **state)
{
  struct bench *b = *state;
  inputs_free(&b->in);
  port_free(&b->osc);
  port_free(&b->modbus);
  return 0;
}

void inject(struct bench *b)
{
  inputs_free(&b->in);
  b->injections = 1;
  assert_true(init(b));
}

static void publish(struct bench *b, int port, int channel, struct input_sample sample)
{
  b->sent[port][channel] = sample;
  memcpy(snapshot_begin(&b->port[port]->inputs), b->sent[port], sizeof b->sent[port]);
  snapshot_publish(&b->port[port]->inputs);
}

void send(struct bench *b, int port, int channel, double value, uint64_t t_ns)
{
  publish(b, port, channel, (struct input_sample){.value = value, .t_ns = t_ns});
}

void send_numbered(struct bench *b, int port, int channel, double value, uint64_t t_ns, uint32_t number)
{
  publish(b, port, channel,
          (struct input_sample){.value = value, .t_ns = t_ns, .sequence = number, .counted = 16});
}

void send_by(struct bench *b, int port, int channel, double value, uint64_t t_ns, uint32_t client)
{
  publish(b, port, channel, (struct input_sample){.value = value, .t_ns = t_ns, .client = client});
}

void send_heartbeat(struct bench *b, int port, int channel, uint64_t t_ns)
{
  struct input_sample sample = b->sent[port][channel];
  sample.alive_ns = t_ns;
  publish(b, port, channel, sample);
}

void latch(struct bench *b, uint64_t now_ns)
{
  injector_begin(&b->in.injector, 0.0, true);
  inputs_take(&b->in, b->port, now_ns, 0);
  inputs_latch(&b->in, now_ns);
}

uint64_t counted(_Atomic uint64_t *counter)
{
  return atomic_exchange(counter, 0);
}
