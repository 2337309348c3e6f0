/* SPDX-License-Identifier: MIT
 * Puts frames of the loop into registers. Most values are f32 in long runs, which the set-up plans: a frame of 128
 * bodies then takes about a microsecond. */
#include "modbus_server/map.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { ESTOP_CYCLES = 3 }; /* cycles within which a frame shows an e-stop */
static const uint64_t COIL_HELD_NS =
    UINT64_C(2000000000); /* a coil that is not written for so long is not held */

static uint16_t swap_register_bytes(uint16_t v)
{
  return (uint16_t)(v << 8 | v >> 8);
}

/* Equals wire_put(); inline, so that the order is decided once for a run. */
static inline void put_float(uint16_t *at, double v, enum wire_order order)
{
  const float f = fabs(v) <= (double)FLT_MAX ? (float)v : NAN;
  const bool low_first = order == WIRE_CDAB || order == WIRE_DCBA;
  const bool swap = order == WIRE_BADC || order == WIRE_DCBA;
  uint32_t bits;
  memcpy(&bits, &f, sizeof bits);
  const uint16_t high = (uint16_t)(bits >> 16), low = (uint16_t)bits;
  at[low_first] = swap ? swap_register_bytes(high) : high;
  at[!low_first] = swap ? swap_register_bytes(low) : low;
}

static inline void put_floats(uint16_t *at, const double *v, int n, enum wire_order order)
{
  for (int i = 0; i < n; i++) put_float(at + 2 * (ptrdiff_t)i, v[i], order);
}

static void show_run(uint16_t *at, const double *v, int n, enum wire_order order)
{
  switch (order) {
  case WIRE_ABCD:
    put_floats(at, v, n, WIRE_ABCD);
    break;
  case WIRE_CDAB:
    put_floats(at, v, n, WIRE_CDAB);
    break;
  case WIRE_BADC:
    put_floats(at, v, n, WIRE_BADC);
    break;
  case WIRE_DCBA:
    put_floats(at, v, n, WIRE_DCBA);
    break;
  }
}

static void show_runs(struct modbus_map *map, const double *values)
{
  uint16_t *registers = map->mapping->tab_input_registers;
  for (const struct map_run *r = map->run; r < map->run + map->runs; r++) {
    uint16_t *at = registers + r->address;
    if (values) {
      show_run(at, values + r->signal, r->count, r->order);
      continue;
    }
    for (int i = 0; i < r->count; i++) put_float(at + 2 * (ptrdiff_t)i, NAN, r->order);
  }
}

static bool state_is_live(uint32_t state)
{
  return state == STATE_READY || state == STATE_RUNNING || state == STATE_PAUSED;
}

static uint64_t show_singles(struct modbus_map *map, const double *values, uint32_t state)
{
  uint64_t clamped = 0;
  for (int i = 0; i < map->singles; i++) {
    const struct entry *e = map->single[i];
    double v = values ? values[e->signal] : (double)NAN;
    uint16_t bit;
    if (!state_is_live(state) && !isnan(e->safe)) v = e->safe;
    if (e->table == TABLE_INPUT) {
      clamped += wire_put(&e->wire, v, map->mapping->tab_input_registers + e->address) == WIRE_CLAMPED;
    } else {
      wire_put(&e->wire, v, &bit);
      map->mapping->tab_input_bits[e->address] = bit != 0;
    }
  }
  return clamped;
}

static uint16_t saturate_register(uint64_t v)
{
  return v < 0xffff ? (uint16_t)v : 0xffff;
}

static void show_head(struct modbus_map *map, const struct frame *f)
{
  uint16_t *at = map->mapping->tab_input_registers;
  const struct wire cycle = {WIRE_U32, map->order, 1.0, 0.0}, exact = {WIRE_F64, map->order, 1.0, 0.0};
  /* State, and the number of the frame at both ends of the head. */
  at[MAP_STATE] = (uint16_t)f->state;
  at[MAP_STATUS_BITS] = (uint16_t)f->flags;
  at[MAP_FAULT] = (uint16_t)f->fault;
  at[MAP_WARNINGS] =
      f->flags & (FLAG_INPUT_STALE | FLAG_OVERRUN | FLAG_LIMIT | FLAG_NOT_REALTIME | FLAG_VIOLATED);
  at[MAP_HEARTBEAT] = at[MAP_FRAME_START] = at[MAP_FRAME_END] = (uint16_t)f->cycle;
  if (map->platform) at[MAP_PLATFORM_END] = (uint16_t)f->cycle;
  wire_put(&cycle, (double)(uint32_t)f->cycle, at + MAP_CYCLE);
  put_float(at + MAP_TIME, f->time, map->order);
  wire_put(&exact, f->time, at + MAP_EXACT_TIME);
  /* Figures of the loop and the last command. */
  at[MAP_PERIOD] = saturate_register(f->period_us);
  at[MAP_LAST_CYCLE] = saturate_register(f->last_cycle_us);
  at[MAP_MAX_CYCLE] = saturate_register(f->max_cycle_us);
  at[MAP_OVERRUNS] = saturate_register(f->misses);
  at[MAP_INPUT_AGE] = modbus_age_code(f->input_age_ms);
  at[MAP_STALE_MASK] = (uint16_t)f->stale_mask;
  at[MAP_LAST_COMMAND] = (uint16_t)f->last_command;
  at[MAP_LAST_SEQUENCE] = (uint16_t)f->last_command_id;
  at[MAP_LAST_RESULT] = (uint16_t)f->last_result;
  at[MAP_RECORDER] = (uint16_t)f->recorder;
  at[MAP_RECORD_LOST] = saturate_register(f->recorder_lost);
  at[MAP_QUALITY] = (f->flags & FLAG_HELD) != 0;
}

/* Node-RED, mbpoll and panels write 1 and never 0, so a coil that nobody repeats falls back to 0 and the next 1 is a command
 * again. Enable falls back only where nothing is enabled: a coil that reads 0 while the mechanism moves would mislead. */
static void release_coils(struct modbus_map *map, const struct frame *f)
{
  static const int PULSES[] = {MAP_RUN, MAP_PAUSE, MAP_RESET, MAP_PARK, MAP_ENABLE};
  const bool still = f->state == STATE_STOPPED || f->state == STATE_SAFE || f->state == STATE_FAULT;
  for (size_t i = 0; i < sizeof PULSES / sizeof *PULSES; i++) {
    const int coil = PULSES[i];
    if (coil == MAP_ENABLE && !still) continue;
    if (f->t_ns > map->coil_ns[coil] + COIL_HELD_NS) map->mapping->tab_bits[coil] = 0;
  }
}

uint64_t modbus_map_show(struct modbus_map *map, const struct frame *f)
{
  /* There are no values before the first frame of the loop. */
  const double *values = f->count >= (uint32_t)map->values ? f->values : NULL;
  show_head(map, f);
  for (int i = 0; i < MAP_DISCRETE; i++) map->mapping->tab_input_bits[i] = f->flags >> i & 1;
  map->latched = (f->flags & FLAG_ESTOP) != 0;
  /* The loop acts on an e-stop at its next wake-up, so a frame of the cycles around the e-stop may not show it. */
  const uint64_t around_ns = ESTOP_CYCLES * (uint64_t)f->period_us * 1000;
  if (map->latched || f->t_ns > map->estop_ns + around_ns) map->estop_ns = 0;
  modbus_map_stored(map);
  release_coils(map, f);
  show_runs(map, values);
  modbus_map_show_owners(map, f);
  modbus_map_show_conditions(map, f);
  map->state = f->state;
  map->withheld = !values || (f->flags & FLAG_WITHHELD);
  const uint64_t clamped = show_singles(map, values, f->state);
  if (map->mirror > 0)
    memcpy(map->mapping->tab_registers + map->mirror, map->mapping->tab_input_registers,
           (size_t)modbus_table_end(&map->table, TABLE_INPUT) * sizeof *map->mapping->tab_registers);
  return clamped;
}

static bool is_plain_float(const struct entry *e)
{
  return e->table == TABLE_INPUT && e->wire.type == WIRE_F32 && e->wire.scale == 1.0 &&
         e->wire.offset == 0.0 && isnan(e->safe);
}

static bool continues_run(const struct map_run *r, const struct entry *e)
{
  return e->address == r->address + 2 * r->count && e->signal == r->signal + r->count &&
         e->wire.order == r->order;
}

bool modbus_map_plan(struct modbus_map *map)
{
  const struct modbus_table *t = &map->table;
  map->run = calloc((size_t)t->count, sizeof *map->run);
  map->single = calloc((size_t)t->count, sizeof *map->single);
  if (!map->run || !map->single) return false;
  for (const struct entry *e = t->entry; e < t->entry + t->count; e++) {
    if (e->kind != ENTRY_SHOWN || e->mirror) continue;
    if (!is_plain_float(e))
      map->single[map->singles++] = e;
    else if (map->runs > 0 && continues_run(&map->run[map->runs - 1], e))
      map->run[map->runs - 1].count++;
    else
      map->run[map->runs++] = (struct map_run){e->address, e->signal, 1, e->wire.order};
  }
  return true;
}
