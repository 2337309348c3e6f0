/* SPDX-License-Identifier: MIT
 * Which requests read the inputs of a polled device, and which write what goes to it. Pure; set-up only. */
#ifndef DEVICES_PLAN_H
#define DEVICES_PLAN_H

#include "wire/wire.h"

enum {
  PLAN_READ_REGISTERS = 125, /* in a request, as in the specification */
  PLAN_READ_BITS = 2000,
  PLAN_WRITE_REGISTERS = 123,
  PLAN_WRITE_BITS = 1968,
  PLAN_GAP_REGISTERS = 8, /* that are read along rather than asked around */
  PLAN_GAP_BITS = 64,
  PLAN_ALIVE = -1, /* in place of an item of the map: the register that tells that the device lives */
};

struct modbus_request {
  enum wire_table table;
  int address, count; /* registers or bits */
  bool bridges;       /* it reads some that nobody asked for */
  int first, items;   /* plan->item[first ...]: what is in it, as indices in the map */
};

/* No number is split over two requests. */
struct modbus_plan {
  struct modbus_request *request; /* (requests)  that with PLAN_ALIVE first, else by table and address */
  int requests;
  int *item;
};

/* alive: holding register, or -1. bridge: gaps that are small are read along, where the device has something there. False
 * when out of memory; modbus_plan_free() is due either way. */
bool modbus_plan_reads(struct modbus_plan *p, const struct wiring *map, int alive, bool bridge);
bool modbus_plan_writes(struct modbus_plan *p, const struct wiring *map);
void modbus_plan_free(struct modbus_plan *p);

static inline bool modbus_plan_of_bits(enum wire_table table)
{
  return table == TABLE_COIL || table == TABLE_DISCRETE;
}

#endif
