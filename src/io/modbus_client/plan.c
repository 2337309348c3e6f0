/* SPDX-License-Identifier: MIT */
#include "modbus_client/plan.h"

#include <stdlib.h>

/* The largest request and the largest gap. */
struct reach {
  int registers, bits, gap_registers, gap_bits;
};

static bool alloc_plan(struct modbus_plan *p, const struct wiring *map)
{
  const size_t most = (size_t)map->count + 1;
  *p = (struct modbus_plan){.request = calloc(most, sizeof *p->request),
                            .item = calloc(most, sizeof *p->item)};
  return p->request && p->item;
}

/* Adds the next item in the order of tables and addresses: extends the last request or begins one. */
static void append_item(struct modbus_plan *p, int item, enum wire_table table, int address, int count,
                        const struct reach *reach, int used)
{
  const bool bits = modbus_plan_of_bits(table);
  const int most = bits ? reach->bits : reach->registers, gap = bits ? reach->gap_bits : reach->gap_registers;
  struct modbus_request *last = p->requests ? &p->request[p->requests - 1] : NULL;
  p->item[used] = item;
  if (last && last->table == table) {
    const int end = last->address + last->count;
    const int new_end = address + count > end ? address + count : end;
    if (address - end <= gap && new_end - last->address <= most) {
      last->bridges |= address > end;
      last->count = new_end - last->address;
      last->items++;
      return;
    }
  }
  p->request[p->requests++] =
      (struct modbus_request){.table = table, .address = address, .count = count, .first = used, .items = 1};
}

static void alive_first(struct modbus_plan *p)
{
  for (int i = 1; i < p->requests; i++)
    for (int k = 0; k < p->request[i].items; k++)
      if (p->item[p->request[i].first + k] == PLAN_ALIVE) {
        const struct modbus_request alive = p->request[i];
        for (int j = i; j > 0; j--) p->request[j] = p->request[j - 1];
        p->request[0] = alive;
        return;
      }
}

bool modbus_plan_reads(struct modbus_plan *p, const struct wiring *map, int alive, bool bridge)
{
  const struct reach reach = {.registers = PLAN_READ_REGISTERS,
                              .bits = PLAN_READ_BITS,
                              .gap_registers = bridge ? PLAN_GAP_REGISTERS : 0,
                              .gap_bits = bridge ? PLAN_GAP_BITS : 0};
  if (!alloc_plan(p, map)) return false;
  int used = 0;
  /* The map is sorted; `alive` is inserted at its place. */
  bool waits = alive >= 0;
  for (int i = 0; i <= map->count; i++) {
    const struct wired *w = i < map->count ? &map->item[i] : NULL;
    if (w && !w->input) continue;
    if (waits && (!w || w->table > TABLE_HOLDING || (w->table == TABLE_HOLDING && w->address >= alive))) {
      append_item(p, PLAN_ALIVE, TABLE_HOLDING, alive, 1, &reach, used++);
      waits = false;
    }
    if (w) append_item(p, i, w->table, w->address, wire_registers(w->wire.type), &reach, used++);
  }
  alive_first(p);
  return true;
}

bool modbus_plan_writes(struct modbus_plan *p, const struct wiring *map)
{
  const struct reach reach = {.registers = PLAN_WRITE_REGISTERS, .bits = PLAN_WRITE_BITS};
  if (!alloc_plan(p, map)) return false;
  int used = 0;
  for (int i = 0; i < map->count; i++) {
    const struct wired *w = &map->item[i];
    if (!w->input) append_item(p, i, w->table, w->address, wire_registers(w->wire.type), &reach, used++);
  }
  return true;
}

void modbus_plan_free(struct modbus_plan *p)
{
  free(p->request);
  free(p->item);
  *p = (struct modbus_plan){0};
}
