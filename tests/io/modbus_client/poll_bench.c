/* SPDX-License-Identifier: MIT */
#include "modbus_client/poll_bench.h"

#include "rt/clock.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct fake_device fake;
struct modbus_device device[POLLED];
struct device_view view[POLLED];
struct port port[POLLED];
struct endpoint client;

static struct wired item[POLLED][OUTPUTS + CHANNELS];
static struct signals signals = {.count = VALUES, .channels = CHANNELS, .input_first = INPUT_FIRST};

int poll_setup(void **state)
{
  (void)state;
  static char name[POLLED][8] = {"plc", "drive"};
  fake = (struct fake_device){0};
  client = (struct endpoint){0};
  signals.platform_first = -1;
  memset(view, 0, sizeof view);
  for (int d = 0; d < POLLED; d++) {
    device[d] = (struct modbus_device){
        .name = name[d], .unit = FAKE_UNIT, .period = 0.005, .timeout = 10, .alive = -1, .map.item = item[d]};
    if (!port_init(&port[d], name[d], VALUES, CHANNELS, false)) return -1;
  }
  return 0;
}

int poll_teardown(void **state)
{
  (void)state;
  endpoint_stop(&client);
  if (fake.mapping) fake_free(&fake);
  for (int d = 0; d < POLLED; d++) port_free(&port[d]);
  return 0;
}

static struct wired *add(int d, const struct wired *w)
{
  item[d][device[d].map.count] = *w;
  return &item[d][device[d].map.count++];
}

void reads(int d, int channel, enum wire_table table, int address, enum wire_type type)
{
  add(d, &(struct wired){.signal = INPUT_FIRST + channel,
                         .input = true,
                         .table = table,
                         .address = address,
                         .wire = {.type = type, .scale = 1.0},
                         .safe = (double)NAN});
}

struct wired *writes(int d, int signal, enum wire_table table, int address, enum wire_type type)
{
  return add(d, &(struct wired){.signal = signal,
                                .table = table,
                                .address = address,
                                .wire = {.type = type, .scale = 1.0},
                                .safe = (double)NAN});
}

void at_tcp(int d)
{
  device[d].remote = (struct remote_config){.host = "127.0.0.1", .port = fake.port};
}

void at_line(int d, char *path)
{
  device[d].remote = (struct remote_config){.serial = {.path = path, .baud = 115200, .stop_bits = 1}};
}

void has_platform(int first)
{
  signals.platform_first = first;
}

static int by_place(const void *a, const void *b)
{
  const struct wired *x = a, *y = b;
  return x->table != y->table ? (int)x->table - (int)y->table : x->address - y->address;
}

void start_client(int devices)
{
  char error[200] = "";
  for (int d = 0; d < devices; d++) qsort(item[d], (size_t)device[d].map.count, sizeof *item[d], by_place);
  client = (struct endpoint){.protocol = &devices_protocol,
                             .config = device,
                             .count = devices,
                             .signals = &signals,
                             .port = port,
                             .view = view};
  if (!endpoint_start(&client, error, sizeof error)) fail_msg("%s", error);
}

void cycle(enum run_state state, double offset)
{
  cycle_flagged(state, 0, offset);
}

void cycle_flagged(enum run_state state, uint32_t flags, double offset)
{
  double values[VALUES];
  for (int i = 0; i < VALUES; i++) values[i] = i + offset;
  const struct frame f = {
      .t_ns = clock_now_ns(), .state = state, .flags = flags, .count = VALUES, .values = values};
  for (int d = 0; d < POLLED; d++) port_publish(&port[d], &f);
}

struct input_sample sample(int d, int channel)
{
  snapshot_take(&port[d].inputs);
  const struct input_sample *all = snapshot_value(&port[d].inputs);
  return all[channel];
}

uint64_t errors(int d, enum device_error kind)
{
  return counter_get(&view[d].errors[kind]);
}

enum device_state device_state(int d)
{
  return (enum device_state)counter_get(&view[d].state);
}

double ms_since(uint64_t start_ns)
{
  return (double)(clock_now_ns() - start_ns) / 1e6;
}
