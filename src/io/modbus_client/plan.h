/* SPDX-License-Identifier: MIT
 * Plans the requests that read a polled device and those that write to it. Pure; set-up only. */
#ifndef DEVICES_PLAN_H
#define DEVICES_PLAN_H

#include "wire/wire.h"

enum {
  PLAN_READ_REGISTERS = 125, /* in one request, by the specification */
  PLAN_READ_BITS = 2000,
  PLAN_WRITE_REGISTERS = 123,
  PLAN_WRITE_BITS = 1968,
  PLAN_GAP_REGISTERS = 8, /* gaps up to this size are read along instead of splitting the request */
  PLAN_GAP_BITS = 64,
  PLAN_ALIVE = -1, /* stands for the alive register, which is no item of the map */
};

struct modbus_request {
  enum wire_table table;
  int address, count; /* registers or bits */
  bool bridges;       /* it reads registers in a gap */
  int first, items;   /* plan->item[first ...]: items in the request, as indices in the map */
};

/* No request splits a number. */
struct modbus_plan {
  /* Array of `requests`: first the request with PLAN_ALIVE, then the others by table and address. */
  struct modbus_request *request;
  int requests;
  int *item;
};

/* `alive`: holding register, or -1. `bridge`: small gaps are read along, which the device must allow. Returns false
 * when out of memory; the caller calls modbus_plan_free() in both cases. */
bool modbus_plan_reads(struct modbus_plan *p, const struct wiring *map, int alive, bool bridge);
bool modbus_plan_writes(struct modbus_plan *p, const struct wiring *map);
void modbus_plan_free(struct modbus_plan *p);

static inline bool modbus_plan_of_bits(enum wire_table table)
{
  return table == TABLE_COIL || table == TABLE_DISCRETE;
}

#endif
