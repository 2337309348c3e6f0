/* SPDX-License-Identifier: MIT
 * Every request is checked here before libmodbus sees it. An address that does not exist is an exception, not a zero. */
#include "modbus_server/map.h"

#include "base/crc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Registers and bits that may be read: with gaps all of them. */
static int last_address(const struct modbus_map *map, enum wire_table table)
{
  return map->gaps ? UINT16_MAX + 1 : modbus_table_end(&map->table, table);
}

static bool make_registers(struct modbus_map *map)
{
  map->mapping = modbus_mapping_new(last_address(map, TABLE_COIL), last_address(map, TABLE_DISCRETE),
                                    last_address(map, TABLE_HOLDING), last_address(map, TABLE_INPUT));
  map->sample = calloc((size_t)map->samples + 1, sizeof *map->sample);
  map->input = calloc((size_t)map->signals->inputs + 1, sizeof *map->input);
  if (!map->mapping || !map->sample || !map->input) return false;
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
      .signals = signals,
      .block = {WIRE_F32, config->order, 1.0, 0.0},
      .order = config->order,
      .values = signals->count,
      .input_first = signals->input_first,
      .jogs = signals->platform_first >= 0,
      .platform = config->default_map && signals->platform_first >= 0,
      .samples = signals->channels,
      .conditions = !config->default_map                   ? 0
                    : signals->inputs < MAP_CONDITIONS_MAX ? signals->inputs
                                                           : MAP_CONDITIONS_MAX,
      .mirror = config->mirror,
      .gaps = config->gaps == GAPS_ZERO,
      .ignores = config->safe_writes == SAFE_WRITES_IGNORE,
      .owner_ms = config->owner_timeout > 0.0 ? (uint64_t)(1e3 * config->owner_timeout) : MAP_OWNER_MS,
  };
  if (!modbus_table_init(&map->table, config, signals) || !make_registers(map) || !modbus_map_plan(map)) {
    modbus_map_free(map);
    return false;
  }
  /* Values before the first frame. */
  modbus_map_show(map, &(struct frame){.input_age_ms = UINT32_MAX});
  for (int i = 0; i < config->parameters; i++)
    modbus_map_show_parameter(map, config->parameter[i].name, config->parameter[i].value);
  return true;
}

void modbus_map_free(struct modbus_map *map)
{
  if (map->mapping) modbus_mapping_free(map->mapping);
  modbus_table_free(&map->table);
  free(map->run);
  free(map->single);
  free(map->sample);
  free(map->input);
  *map = (struct modbus_map){0};
}

uint16_t map_crc(const uint16_t *at, int n)
{
  uint8_t bytes[2 * (MAP_INPUTS_END - MAP_INPUTS)];
  for (int i = 0; i < n; i++) {
    bytes[2 * i] = (uint8_t)(at[i] >> 8);
    bytes[2 * i + 1] = (uint8_t)at[i];
  }
  return crc16_modbus(bytes, 2 * (size_t)n);
}

static void own_inputs(struct modbus_map *map, uint32_t client)
{
  if (map->owner != client) map->written = 0; /* the new owner must not keep values of the last one alive */
  map->owner = client;
}

/* Every sample has a time of its own, by which the loop tells it from the previous sample. */
static void set_sample(struct modbus_map *map, int channel, const struct input_sample *sample)
{
  struct input_sample *s = &map->sample[channel];
  const uint64_t before_ns = s->t_ns;
  *s = *sample;
  if (s->t_ns == before_ns) s->t_ns++;
}

/* A channel that the owner wrote before may now belong to another source. The write is then refused once, and the
 * channel is dropped. */
static bool may_set_block(struct modbus_map *map, uint32_t written, uint32_t client, uint64_t now_ns,
                          struct map_effect *effect)
{
  uint32_t refused = 0;
  for (int i = 0; i < map->samples && i < MAP_INPUTS_MAX; i++)
    if (written >> i & 1 && !modbus_map_may_set(map, i, client, now_ns, effect)) refused |= UINT32_C(1) << i;
  if (map->owner == client) map->written &= ~refused;
  return refused == 0;
}

/* Channels of the block that act in this state. */
static uint32_t acting_channels(const struct modbus_map *map)
{
  uint32_t acting = 0;
  for (int i = 0; i < map->samples && i < MAP_INPUTS_MAX; i++)
    if (!modbus_map_locked(map) || modbus_map_is_of_rig(map, i)) acting |= UINT32_C(1) << i;
  return acting;
}

static int write_block(struct modbus_map *map, const struct mbap_request *r, uint32_t client, uint64_t now_ns,
                       struct map_effect *effect)
{
  const uint16_t *old = map->mapping->tab_registers + MAP_INPUTS;
  uint16_t next[MAP_INPUTS_END - MAP_INPUTS];
  enum { SEQUENCE = MAP_INPUT_SEQUENCE - MAP_INPUTS, CRC = MAP_INPUT_CRC - MAP_INPUTS };
  memcpy(next, old, sizeof next);
  next[CRC] = 0; /* the CRC covers one write only */

  int first = r->write_address - MAP_INPUTS;
  uint32_t written = 0;
  for (int i = 0; i < r->write_count; i++) next[first + i] = mbap_written(r, i, old[first + i]);
  for (int i = first; i < first + r->write_count && i < SEQUENCE; i += 2) {
    if (!isfinite(wire_get(&map->block, next + i))) effect->nonfinite = true;
    written |= UINT32_C(1) << (i / 2);
  }
  if (effect->nonfinite) return MBAP_ILLEGAL_VALUE;
  if (next[CRC] != 0 && next[CRC] != map_crc(next, CRC)) return MBAP_ILLEGAL_VALUE;
  /* In SAFE and FAULT only inputs of the rig act. */
  const uint32_t acting = acting_channels(map), mine = map->owner == client ? map->written : 0;
  const bool stays = modbus_map_locked(map) && (written & ~acting || !((written | mine) & acting));
  if (stays && !map->ignores) return MBAP_DEVICE_FAILURE;
  if (!modbus_map_may_own(map, client, now_ns) && written == 0) return MBAP_BUSY;
  const bool acts = next[SEQUENCE] != old[SEQUENCE];
  const uint32_t pending = acts ? mine : 0;
  if (!may_set_block(map, written | pending, client, now_ns, effect)) return MBAP_BUSY;

  own_inputs(map, client);
  map->written |= written;
  effect->ignored = stays;
  effect->inputs = acts && (!modbus_map_locked(map) || map->written & acting);
  effect->beat = acts && !modbus_map_locked(map);
  for (int i = 0; effect->inputs && i < map->samples && i < MAP_INPUTS_MAX; i++)
    if ((map->written & acting) >> i & 1)
      set_sample(map, i,
                 &(struct input_sample){.value = wire_get(&map->block, next + 2 * (ptrdiff_t)i),
                                        .t_ns = now_ns,
                                        .sequence = next[SEQUENCE],
                                        .counted = 16,
                                        .client = client});
  return 0;
}

/* The value of an entry after the write. */
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
  /* In SAFE and FAULT only inputs of the rig act. */
  const bool locked = modbus_map_locked(map);
  bool stays = false, acts = !locked;
  for (const struct entry *e = range->first; locked && e < range->end; e++) {
    const bool rig = modbus_map_is_of_rig(map, e->signal - map->input_first);
    stays |= !rig;
    acts |= rig;
  }
  if (stays && !map->ignores) return MBAP_DEVICE_FAILURE;
  for (const struct entry *e = range->first; e < range->end; e++)
    if (!modbus_map_may_set(map, e->signal - map->input_first, client, now_ns, effect)) return MBAP_BUSY;

  own_inputs(map, client);
  effect->ignored = stays;
  effect->inputs = acts;
  for (const struct entry *e = range->first; e < range->end; e++) {
    const int channel = e->signal - map->input_first;
    if (!locked || modbus_map_is_of_rig(map, channel))
      set_sample(map, channel,
                 &(struct input_sample){.value = value_after(map, r, e), .t_ns = now_ns, .client = client});
  }
  return 0;
}

/* The parameters that one write covers act as one. The parameter server judges their values. */
static int write_parameters(const struct modbus_map *map, const struct mbap_request *r,
                            const struct entry_range *range, struct map_effect *effect)
{
  if (range->end - range->first > MAP_PARAMETERS_MAX) return MBAP_ILLEGAL_VALUE;
  for (const struct entry *e = range->first; e < range->end; e++) {
    effect->parameter[effect->parameters].name = e->name;
    effect->parameter[effect->parameters++].value = value_after(map, r, e);
    if (!isfinite(value_after(map, r, e))) effect->nonfinite = true;
  }
  if (effect->nonfinite) effect->parameters = 0;
  return effect->nonfinite ? MBAP_ILLEGAL_VALUE : 0;
}

void modbus_map_show_parameter(struct modbus_map *map, const char *name, double value)
{
  const struct modbus_table *t = &map->table;
  for (const struct entry *e = t->entry + t->first[TABLE_HOLDING]; e < t->entry + t->first[TABLE_HOLDING + 1];
       e++)
    if (e->kind == ENTRY_PARAMETER && strcmp(e->name, name) == 0)
      wire_put(&e->wire, value, map->mapping->tab_registers + e->address);
}

/* A request must cover numbers completely, and a write must stay within one kind of entry. */
static bool addresses_exist(const struct modbus_map *map, const struct mbap_request *r,
                            struct entry_range *read, struct entry_range *written)
{
  enum wire_table reads = TABLE_HOLDING, writes = TABLE_HOLDING;
  if (r->function == MBAP_READ_COILS) reads = TABLE_COIL;
  if (r->function == MBAP_READ_DISCRETE) reads = TABLE_DISCRETE;
  if (r->function == MBAP_READ_INPUT) reads = TABLE_INPUT;
  if (r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS) writes = TABLE_COIL;
  if (map->gaps)
    modbus_table_touched(&map->table, reads, r->read_address, r->read_count, read);
  else if (!modbus_table_range(&map->table, reads, r->read_address, r->read_count, read))
    return false;
  if (r->read_address + r->read_count > UINT16_MAX + 1 ||
      !modbus_table_range(&map->table, writes, r->write_address, r->write_count, written))
    return false;
  /* A copy of an input register is read only. */
  for (const struct entry *e = written->first; e < written->end; e++)
    if (e->mirror) return false;
  return r->write_count == 0 || written->first->kind == written->end[-1].kind;
}

/* A rig that polls would move to the value that stands for "no value". */
static bool shows_withheld(const struct modbus_map *map, const struct entry_range *range)
{
  for (const struct entry *e = range->first; map->withheld && e < range->end; e++)
    if (signals_is_motion(map->signals, e->signal)) return true;
  return false;
}

/* A client without write access may still stop the motion. */
static bool only_estop(const struct mbap_request *r)
{
  return (r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS) &&
         r->write_address == MAP_ESTOP && r->write_count == 1;
}

static bool covers_heartbeat(const struct mbap_request *r)
{
  const bool coils = r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS;
  return !coils && r->write_address <= MAP_CLIENT_HEARTBEAT &&
         r->write_address + r->write_count > MAP_CLIENT_HEARTBEAT;
}

/* The watchdogs of the client's inputs begin anew. */
static void show_life(struct modbus_map *map, uint32_t client, uint64_t now_ns, struct map_effect *effect)
{
  for (int c = 0; c < map->samples; c++) {
    if (map->sample[c].t_ns == 0 || map->sample[c].client != client) continue;
    map->sample[c].alive_ns = now_ns;
    effect->alive = true;
  }
}

/* A master that repeats its coils holds them, also while its writes are refused. */
static void note_coils(struct modbus_map *map, const struct mbap_request *r, uint64_t now_ns)
{
  if (r->function != MBAP_WRITE_COIL && r->function != MBAP_WRITE_COILS) return;
  for (int i = 0; i < r->write_count && r->write_address + i < MAP_COILS;
       i++) /* a map of the user's own has more coils */
    map->coil_ns[r->write_address + i] = now_ns;
}

int modbus_map_accept(struct modbus_map *map, const struct mbap_request *r, const struct map_peer *peer,
                      uint64_t now_ns, struct map_effect *effect)
{
  struct entry_range read, written;
  *effect = (struct map_effect){0};
  /* Exceptions for everybody and for this client. An e-stop in the request acts in any case. */
  modbus_map_find_estop(map, r, effect);
  if (effect->estop) map->estop_ns = now_ns;
  if (r->write_count > 0 && peer->access < ACCESS_WRITE && !only_estop(r)) return MBAP_ILLEGAL_FUNCTION;
  if (!addresses_exist(map, r, &read, &written)) return MBAP_ILLEGAL_ADDRESS;
  if (shows_withheld(map, &read)) return MBAP_BUSY;
  if (r->write_count == 0) return 0;
  note_coils(map, r, now_ns);
  /* The kind of the first entry decides what the write does. */
  int exception;
  if (written.first->kind == ENTRY_CONTROL)
    exception = modbus_map_control(map, r, peer, modbus_map_may_own(map, peer->id, now_ns), effect);
  else if (written.first->kind == ENTRY_BLOCK)
    exception = write_block(map, r, peer->id, now_ns, effect);
  else if (written.first->kind == ENTRY_PARAMETER)
    exception = write_parameters(map, r, &written, effect);
  else
    exception = write_inputs(map, r, &written, peer->id, now_ns, effect);
  if (exception == 0 && map->owner == peer->id) map->owner_ns = now_ns;
  if (exception == 0 && written.first->kind == ENTRY_CONTROL && covers_heartbeat(r))
    show_life(map, peer->id, now_ns, effect);
  if (effect->commands > 0 && effect->command[0].code == COMMAND_ESTOP) map->estop_ns = now_ns;
  return exception;
}

void modbus_map_release(struct modbus_map *map, uint32_t client)
{
  if (map->owner == client) map->owner = 0;
}
