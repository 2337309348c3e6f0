/* SPDX-License-Identifier: MIT
 * Frame to registers, registers to inputs and commands. Everything a client may ask for is judged here,
 * before libmodbus sees the request; holes are exceptions, not zeros.
 *
 * Floats have an encoder of their own: the modbus_set_float family of libmodbus 3.1.6 swaps bytes. */
#include "io/modbus_map.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* Addresses first .. first+count-1 hold values of `width` registers each; ranges without a gap are read as
 * one. */
struct range {
  int first, count, width;
};

/* A request may lie in several ranges, but never in a hole, and never cut a value. */
static bool covered(const struct range *range, int ranges, int address, int count)
{
  int end = address + count;
  while (address < end) {
    const struct range *in = NULL;
    for (int i = 0; i < ranges && !in; i++)
      if (address >= range[i].first && address < range[i].first + range[i].count) in = &range[i];
    if (!in || (address - in->first) % in->width != 0) return false;
    int part = in->first + in->count - address;
    if (part > end - address) part = end - address;
    if (part % in->width != 0) return false;
    address += part;
  }
  return true;
}

static bool readable_input(const struct modbus_map *map, int address, int count)
{
  const struct range range[] = {
      {0, MAP_CYCLE, 1},
      {MAP_CYCLE, MAP_PERIOD - MAP_CYCLE, 2},
      {MAP_PERIOD, MAP_HEAD - MAP_PERIOD, 1},
      {MAP_BODY, MAP_BODY_REGISTERS * map->bodies, 2},
      {MAP_SENSOR, 2 * map->sensors, 2},
  };
  return covered(range, COUNT(range), address, count);
}

static bool holding_exists(int address, int count)
{
  static const struct range range[] = {
      {MAP_COMMAND, MAP_SEQUENCE + 1, 1},
      {MAP_INPUTS, MAP_INPUT_SEQUENCE - MAP_INPUTS, 2},
      {MAP_INPUT_SEQUENCE, MAP_HOLDING - MAP_INPUT_SEQUENCE, 1},
  };
  return covered(range, COUNT(range), address, count);
}

static bool coils_exist(int address, int count)
{
  static const struct range range[] = {{MAP_RUN, MAP_COILS - MAP_RUN, 1}};
  return covered(range, COUNT(range), address, count);
}

static bool discrete_exist(int address, int count)
{
  static const struct range range[] = {{0, MAP_DISCRETE, 1}};
  return covered(range, COUNT(range), address, count);
}

static bool addresses_exist(const struct modbus_map *map, const struct mbap_request *r)
{
  switch (r->function) {
  case MBAP_READ_COILS:
    return coils_exist(r->read_address, r->read_count);
  case MBAP_READ_DISCRETE:
    return discrete_exist(r->read_address, r->read_count);
  case MBAP_READ_INPUT:
    return readable_input(map, r->read_address, r->read_count);
  case MBAP_WRITE_COIL:
  case MBAP_WRITE_COILS:
    return coils_exist(r->write_address, r->write_count);
  default: /* the functions of holding registers; a count of 0 is in no hole */
    return holding_exists(r->read_address, r->read_count) && holding_exists(r->write_address, r->write_count);
  }
}

void map_put_float(uint16_t *at, double v)
{
  float f = fabs(v) <= (double)FLT_MAX ? (float)v : NAN;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  at[0] = (uint16_t)(bits >> 16);
  at[1] = (uint16_t)bits;
}

float map_get_float(const uint16_t *at)
{
  uint32_t bits = (uint32_t)at[0] << 16 | at[1];
  float f;
  memcpy(&f, &bits, sizeof f);
  return f;
}

uint16_t map_crc(const uint16_t *at, int n)
{
  unsigned crc = 0xffff;
  for (int i = 0; i < 2 * n; i++) {
    crc ^= i % 2 ? at[i / 2] & 0xffu : at[i / 2] >> 8;
    for (int bit = 0; bit < 8; bit++) crc = crc & 1 ? crc >> 1 ^ 0xa001 : crc >> 1;
  }
  return (uint16_t)crc;
}

static uint16_t saturate(uint64_t v)
{
  return v < 0xffff ? (uint16_t)v : 0xffff;
}

static void show_bodies(struct modbus_map *map, const struct frame *f)
{
  uint16_t *at = map->mapping->tab_input_registers + MAP_BODY;
  const double *state = f->values + map->body_first;
  bool filled = f->count >= (uint32_t)map->values; /* not so before the loop's first frame */
  for (int k = 0; k < map->bodies; k++, state += SIGNALS_BODY, at += MAP_BODY_REGISTERS)
    for (int i = 0; i < MAP_BODY_REGISTERS / 2; i++)
      map_put_float(at + 2 * i, filled ? state[i] : (double)NAN);
}

static void show_sensors(struct modbus_map *map, const struct frame *f)
{
  uint16_t *at = map->mapping->tab_input_registers + MAP_SENSOR;
  bool filled = f->count >= (uint32_t)map->values;
  for (int i = 0; i < map->sensors; i++, at += 2)
    map_put_float(at, filled ? f->values[map->sensor_first + i] : (double)NAN);
}

void modbus_map_show(struct modbus_map *map, const struct frame *f)
{
  uint16_t *at = map->mapping->tab_input_registers;
  at[MAP_STATE] = (uint16_t)f->state;
  at[MAP_STATUS_BITS] = (uint16_t)f->flags;
  at[MAP_FAULT] = (uint16_t)f->fault;
  at[MAP_WARNINGS] = f->flags & (FLAG_INPUT_STALE | FLAG_OVERRUN | FLAG_LIMIT | FLAG_NOT_REALTIME);
  at[MAP_HEARTBEAT] = at[MAP_FRAME_START] = at[MAP_FRAME_END] = (uint16_t)f->cycle;
  at[MAP_CYCLE] = (uint16_t)(f->cycle >> 16);
  at[MAP_CYCLE + 1] = (uint16_t)f->cycle;
  map_put_float(at + MAP_TIME, f->time);
  at[MAP_PERIOD] = saturate(f->period_us);
  at[MAP_LAST_CYCLE] = saturate(f->last_cycle_us);
  at[MAP_MAX_CYCLE] = saturate(f->max_cycle_us);
  at[MAP_OVERRUNS] = saturate(f->misses);
  at[MAP_INPUT_AGE] = saturate(f->input_age_ms);
  at[MAP_STALE_MASK] = (uint16_t)f->stale_mask;
  at[MAP_LAST_COMMAND] = (uint16_t)f->last_command;
  at[MAP_LAST_SEQUENCE] = (uint16_t)f->last_command_id;
  at[MAP_LAST_RESULT] = (uint16_t)f->last_result;
  show_bodies(map, f);
  if (map->sensors > 0) show_sensors(map, f);

  for (int i = 0; i < MAP_DISCRETE; i++) map->mapping->tab_input_bits[i] = f->flags >> i & 1;
  map->mapping->tab_bits[MAP_ESTOP] = (f->flags & FLAG_ESTOP) != 0;
  map->state = f->state;
}

/* Values of all sensors: they stand one after the other in the table. */
static int sensor_values(const struct signals *s)
{
  int values = s->sensors > 0 ? s->sensor_first[s->sensors] - s->sensor_first[0] : 0;
  return values < MAP_SENSORS_MAX ? values : MAP_SENSORS_MAX;
}

bool modbus_map_init(struct modbus_map *map, const struct signals *signals)
{
  *map = (struct modbus_map){
      .bodies = signals->bodies < MAP_BODIES_MAX ? signals->bodies : MAP_BODIES_MAX,
      .channels = signals->channels < MAP_INPUTS_MAX ? signals->channels : MAP_INPUTS_MAX,
      .sensors = sensor_values(signals),
      .sensor_first = signals->sensors > 0 ? signals->sensor_first[0] : 0,
      .body_first = signals->body_first,
      .values = signals->count,
      .samples = signals->channels,
  };
  int inputs = map->sensors > 0 ? MAP_SENSOR + 2 * map->sensors : MAP_BODY + MAP_BODY_REGISTERS * map->bodies;
  map->mapping = modbus_mapping_new(MAP_COILS, MAP_DISCRETE, MAP_HOLDING, inputs);
  map->sample = calloc((size_t)map->samples + 1, sizeof *map->sample);
  if (!map->mapping || !map->sample) {
    modbus_map_free(map);
    return false;
  }
  uint16_t *at = map->mapping->tab_input_registers;
  for (int i = 0; i < MAP_HEAD; i++) at[i] = MAP_NONE;
  at[MAP_IDENTIFICATION] = MAP_MAGIC;
  at[MAP_MAP_VERSION] = MAP_VERSION;
  modbus_map_show(map, &(struct frame){.input_age_ms = UINT32_MAX});
  return true;
}

void modbus_map_free(struct modbus_map *map)
{
  if (map->mapping) modbus_mapping_free(map->mapping);
  free(map->sample);
  map->mapping = NULL;
  map->sample = NULL;
}

/* SAFE and FAULT are left by a reset only, and made worse by nothing but an e-stop. */
static bool locked(const struct modbus_map *map)
{
  return map->state == STATE_SAFE || map->state == STATE_FAULT;
}

static int add_command(const struct modbus_map *map, struct map_effect *effect, int code, int argument,
                       int id)
{
  if (locked(map) && code != COMMAND_RESET && code != COMMAND_ESTOP) return MBAP_DEVICE_FAILURE;
  int i = effect->commands++;
  effect->command[i].code = (uint16_t)code;
  effect->command[i].argument = (uint16_t)argument;
  effect->command[i].id = (uint16_t)id;
  return 0;
}

static int write_command(const struct modbus_map *map, const struct mbap_request *r,
                         struct map_effect *effect)
{
  uint16_t next[MAP_SEQUENCE + 1];
  memcpy(next, map->mapping->tab_registers, sizeof next);
  for (int i = 0; i < r->write_count; i++) next[r->write_address + i] = mbap_register(r, i);
  if (next[MAP_SEQUENCE] == map->mapping->tab_registers[MAP_SEQUENCE]) return 0;
  int code = next[MAP_COMMAND];
  if (code < COMMAND_INIT || code > COMMAND_INJECT) return MBAP_ILLEGAL_VALUE;
  return add_command(map, effect, code, next[MAP_ARGUMENT], next[MAP_SEQUENCE]);
}

static int write_coils(const struct modbus_map *map, const struct mbap_request *r, struct map_effect *effect)
{
  bool wanted[MAP_COILS] = {false};
  for (int i = 0; i < r->write_count; i++) {
    int coil = r->write_address + i;
    bool edge = coil == MAP_ESTOP || !map->mapping->tab_bits[coil];
    wanted[coil] = edge && mbap_coil(r, i);
  }
  /* Alone: nothing that comes with an e-stop may get it refused, or act after it. */
  if (wanted[MAP_ESTOP]) return add_command(map, effect, COMMAND_ESTOP, 0, 0);
  if (wanted[MAP_RUN] && wanted[MAP_PAUSE]) return MBAP_ILLEGAL_VALUE;

  static const struct {
    int coil, code;
  } order[] = {{MAP_RESET, COMMAND_RESET}, {MAP_PAUSE, COMMAND_PAUSE}, {MAP_RUN, COMMAND_RUN}};
  for (int i = 0; i < COUNT(order); i++) {
    int e = wanted[order[i].coil] ? add_command(map, effect, order[i].code, 0, 0) : 0;
    if (e) return e;
  }
  return 0;
}

/* The first writer owns the inputs until it is silent or gone: two writers would fight unseen. */
static bool may_write_inputs(const struct modbus_map *map, uint32_t client, uint64_t now_ns)
{
  return map->owner == 0 || map->owner == client || now_ns > map->owner_until;
}

static void own_inputs(struct modbus_map *map, uint32_t client, uint64_t now_ns)
{
  if (map->owner != client) map->written = 0; /* what another peer wrote is not this one's to keep alive */
  map->owner = client;
  map->owner_until = now_ns + MAP_OWNER_MS * UINT64_C(1000000);
}

static int write_inputs(struct modbus_map *map, const struct mbap_request *r, uint32_t client,
                        uint64_t now_ns, struct map_effect *effect)
{
  const uint16_t *old = map->mapping->tab_registers + MAP_INPUTS;
  uint16_t next[MAP_HOLDING - MAP_INPUTS];
  enum { SEQUENCE = MAP_INPUT_SEQUENCE - MAP_INPUTS, CRC = MAP_INPUT_CRC - MAP_INPUTS };
  memcpy(next, old, sizeof next);
  next[CRC] = 0; /* holds for the write it came with, not for later ones */

  int first = r->write_address - MAP_INPUTS;
  uint32_t written = 0;
  for (int i = 0; i < r->write_count; i++) next[first + i] = mbap_register(r, i);
  for (int i = first; i < first + r->write_count && i < SEQUENCE; i += 2) {
    if (!isfinite(map_get_float(next + i))) effect->nonfinite = true;
    written |= UINT32_C(1) << (i / 2);
  }
  if (effect->nonfinite) return MBAP_ILLEGAL_VALUE;
  if (next[CRC] != 0 && next[CRC] != map_crc(next, CRC)) return MBAP_ILLEGAL_VALUE;
  if (locked(map)) return MBAP_DEVICE_FAILURE;
  if (!may_write_inputs(map, client, now_ns)) return MBAP_BUSY;

  own_inputs(map, client, now_ns);
  map->written |= written;
  effect->inputs = next[SEQUENCE] != old[SEQUENCE];
  for (int i = 0; effect->inputs && i < map->channels; i++)
    if (map->written >> i & 1)
      map->sample[i] = (struct input_sample){.value = (double)map_get_float(next + 2 * i), .t_ns = now_ns};
  return 0;
}

int modbus_map_accept(struct modbus_map *map, const struct mbap_request *r, uint32_t client, uint64_t now_ns,
                      struct map_effect *effect)
{
  *effect = (struct map_effect){0};
  if (!addresses_exist(map, r)) return MBAP_ILLEGAL_ADDRESS;
  if (r->write_count == 0) return 0;
  if (r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS) return write_coils(map, r, effect);
  if (r->write_address < MAP_INPUTS) return write_command(map, r, effect);
  return write_inputs(map, r, client, now_ns, effect);
}

void modbus_map_release(struct modbus_map *map, uint32_t client)
{
  if (map->owner == client) map->owner = 0;
}

int modbus_map_identify(const struct mbap_request *r, uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER])
{
  static const char *const object[] = {"ali3", "ali3d", ALI3_VERSION}; /* vendor, product, revision */
  enum { STREAM_MAX = 3, INDIVIDUAL = 4, CONFORMITY = 0x81 };
  int code = r->data[0], first = r->data[1], last = COUNT(object) - 1;
  if (code < 1 || code > INDIVIDUAL) return -MBAP_ILLEGAL_VALUE;
  if (first > last) {
    if (code == INDIVIDUAL) return -MBAP_ILLEGAL_ADDRESS;
    first = 0; /* as the specification has it for a stream */
  }
  if (code == INDIVIDUAL) last = first;

  int n = 0;
  pdu[n++] = MBAP_ENCAPSULATED;
  pdu[n++] = 14;
  pdu[n++] = (uint8_t)code;
  pdu[n++] = CONFORMITY;
  pdu[n++] = 0; /* no more follows */
  pdu[n++] = 0;
  pdu[n++] = (uint8_t)(last - first + 1);
  for (int i = first; i <= last; i++) {
    size_t length = strlen(object[i]);
    pdu[n++] = (uint8_t)i;
    pdu[n++] = (uint8_t)length;
    memcpy(pdu + n, object[i], length);
    n += (int)length;
  }
  return n;
}
