/* SPDX-License-Identifier: MIT
 * Everything a client may ask for is judged here, before libmodbus sees the request; holes are exceptions, not zeros. */
#include "io/modbus_map.h"

#include "io/rtu.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static int end_of(const struct modbus_map *map, enum wire_table table)
{
  return modbus_table_end(&map->table, table);
}

static bool make_registers(struct modbus_map *map)
{
  map->mapping = modbus_mapping_new(end_of(map, TABLE_COIL), end_of(map, TABLE_DISCRETE),
                                    end_of(map, TABLE_HOLDING), end_of(map, TABLE_INPUT));
  map->sample = calloc((size_t)map->samples + 1, sizeof *map->sample);
  if (!map->mapping || !map->sample) return false;
  uint16_t *at = map->mapping->tab_input_registers;
  for (int i = 0; i < MAP_HEAD; i++) at[i] = MAP_NONE;
  at[MAP_IDENTIFICATION] = MAP_MAGIC;
  at[MAP_MAP_VERSION] = MAP_VERSION;
  return true;
}

bool modbus_map_init(struct modbus_map *map, const struct modbus_config *config,
                     const struct signals *signals)
{
  *map = (struct modbus_map){
      .block = {WIRE_F32, config->order, 1.0, 0.0},
      .order = config->order,
      .values = signals->count,
      .input_first = signals->input_first,
      .platform = config->default_map && signals->platform_first >= 0,
      .samples = signals->channels,
  };
  if (!modbus_table_init(&map->table, config, signals) || !make_registers(map) || !modbus_map_plan(map)) {
    modbus_map_free(map);
    return false;
  }
  modbus_map_show(map, &(struct frame){.input_age_ms = UINT32_MAX});
  return true;
}

void modbus_map_free(struct modbus_map *map)
{
  if (map->mapping) modbus_mapping_free(map->mapping);
  modbus_table_free(&map->table);
  free(map->run);
  free(map->single);
  free(map->sample);
  *map = (struct modbus_map){0};
}

uint16_t map_crc(const uint16_t *at, int n)
{
  uint8_t bytes[2 * (MAP_INPUTS_END - MAP_INPUTS)];
  for (int i = 0; i < n; i++) {
    bytes[2 * i] = (uint8_t)(at[i] >> 8);
    bytes[2 * i + 1] = (uint8_t)at[i];
  }
  return rtu_crc(bytes, 2 * (size_t)n);
}

/* The first writer owns the inputs until it is silent or gone: two writers would fight unseen. */
static bool may_own(const struct modbus_map *map, uint32_t client, uint64_t now_ns)
{
  const uint16_t watchdog = map->mapping->tab_registers[MAP_WATCHDOG];
  const uint64_t silence_ns = (watchdog ? watchdog : MAP_OWNER_MS) * UINT64_C(1000000);
  return map->owner == 0 || map->owner == client || now_ns > map->owner_ns + silence_ns;
}

static void own_inputs(struct modbus_map *map, uint32_t client)
{
  if (map->owner != client) map->written = 0; /* what another peer wrote is not this one's to keep alive */
  map->owner = client;
}

static int write_block(struct modbus_map *map, const struct mbap_request *r, uint32_t client, uint64_t now_ns,
                       struct map_effect *effect)
{
  const uint16_t *old = map->mapping->tab_registers + MAP_INPUTS;
  uint16_t next[MAP_INPUTS_END - MAP_INPUTS];
  enum { SEQUENCE = MAP_INPUT_SEQUENCE - MAP_INPUTS, CRC = MAP_INPUT_CRC - MAP_INPUTS };
  memcpy(next, old, sizeof next);
  next[CRC] = 0; /* holds for the write it came with, not for later ones */

  int first = r->write_address - MAP_INPUTS;
  uint32_t written = 0;
  for (int i = 0; i < r->write_count; i++) next[first + i] = mbap_written(r, i, old[first + i]);
  for (int i = first; i < first + r->write_count && i < SEQUENCE; i += 2) {
    if (!isfinite(wire_get(&map->block, next + i))) effect->nonfinite = true;
    written |= UINT32_C(1) << (i / 2);
  }
  if (effect->nonfinite) return MBAP_ILLEGAL_VALUE;
  if (next[CRC] != 0 && next[CRC] != map_crc(next, CRC)) return MBAP_ILLEGAL_VALUE;
  if (modbus_map_locked(map)) return MBAP_DEVICE_FAILURE;
  if (!may_own(map, client, now_ns)) return MBAP_BUSY;

  own_inputs(map, client);
  map->written |= written;
  effect->inputs = effect->beat = next[SEQUENCE] != old[SEQUENCE];
  for (int i = 0; effect->inputs && i < map->samples && i < MAP_INPUTS_MAX; i++)
    if (map->written >> i & 1)
      map->sample[i] = (struct input_sample){.value = wire_get(&map->block, next + 2 * (ptrdiff_t)i),
                                             .t_ns = now_ns,
                                             .sequence = next[SEQUENCE],
                                             .counted = 16};
  return 0;
}

/* What a write would make of an entry. */
static double value_after(const struct modbus_map *map, const struct mbap_request *r, const struct entry *e)
{
  uint16_t words[4] = {0};
  const int first = e->address - r->write_address;
  if (e->table == TABLE_COIL) {
    words[0] = mbap_coil(r, first);
  } else {
    const uint16_t *old = map->mapping->tab_registers + e->address;
    for (int i = 0; i < wire_registers(e->wire.type); i++) words[i] = mbap_written(r, first + i, old[i]);
  }
  return wire_get(&e->wire, words);
}

static int write_inputs(struct modbus_map *map, const struct mbap_request *r, const struct entry_range *range,
                        uint32_t client, uint64_t now_ns, struct map_effect *effect)
{
  for (const struct entry *e = range->first; e < range->end; e++)
    if (!isfinite(value_after(map, r, e))) effect->nonfinite = true;
  if (effect->nonfinite) return MBAP_ILLEGAL_VALUE;
  if (modbus_map_locked(map)) return MBAP_DEVICE_FAILURE;
  if (!may_own(map, client, now_ns)) return MBAP_BUSY;

  own_inputs(map, client);
  effect->inputs = true;
  for (const struct entry *e = range->first; e < range->end; e++)
    map->sample[e->signal - map->input_first] =
        (struct input_sample){.value = value_after(map, r, e), .t_ns = now_ns};
  return 0;
}

/* Every number is read and written whole, and a write keeps to one kind of them. */
static bool addresses_exist(const struct modbus_map *map, const struct mbap_request *r,
                            struct entry_range *written)
{
  enum wire_table reads = TABLE_HOLDING, writes = TABLE_HOLDING;
  struct entry_range range;
  if (r->function == MBAP_READ_COILS) reads = TABLE_COIL;
  if (r->function == MBAP_READ_DISCRETE) reads = TABLE_DISCRETE;
  if (r->function == MBAP_READ_INPUT) reads = TABLE_INPUT;
  if (r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS) writes = TABLE_COIL;
  if (!modbus_table_range(&map->table, reads, r->read_address, r->read_count, &range) ||
      !modbus_table_range(&map->table, writes, r->write_address, r->write_count, written))
    return false;
  return r->write_count == 0 || written->first->kind == written->end[-1].kind;
}

/* Whoever may only read may still stop the motion. */
static bool only_estop(const struct mbap_request *r)
{
  return (r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS) &&
         r->write_address == MAP_ESTOP && r->write_count == 1;
}

int modbus_map_accept(struct modbus_map *map, const struct mbap_request *r, const struct map_peer *peer,
                      uint64_t now_ns, struct map_effect *effect)
{
  struct entry_range written;
  *effect = (struct map_effect){0};
  modbus_map_find_estop(map, r, effect);
  if (r->write_count > 0 && peer->access != ACCESS_WRITE && !only_estop(r)) return MBAP_ILLEGAL_FUNCTION;
  if (!addresses_exist(map, r, &written)) return MBAP_ILLEGAL_ADDRESS;
  if (r->write_count == 0) return 0;
  int exception;
  if (written.first->kind == ENTRY_CONTROL)
    exception = modbus_map_control(map, r, may_own(map, peer->id, now_ns), effect);
  else if (written.first->kind == ENTRY_BLOCK)
    exception = write_block(map, r, peer->id, now_ns, effect);
  else
    exception = write_inputs(map, r, &written, peer->id, now_ns, effect);
  if (exception == 0 && map->owner == peer->id) map->owner_ns = now_ns;
  return exception;
}

void modbus_map_release(struct modbus_map *map, uint32_t client)
{
  if (map->owner == client) map->owner = 0;
}
