/* SPDX-License-Identifier: MIT
 * A register map without a server, and requests to it, for tests. */
#ifndef TESTS_IO_MODBUS_MAP_RIG_H
#define TESTS_IO_MODBUS_MAP_RIG_H

#include "check.h"
#include "modbus_server/map.h"
#include "modbus_server/modbus_frame.h"

#define MS UINT64_C(1000000)

enum { ALICE = 1, BOB = 2 };

static struct modbus_map map;
static uint8_t frame[FRAME_MAX];
static struct map_effect effect;

static inline int accept_as(const struct map_peer *peer, uint64_t now_ns, size_t n)
{
  struct mbap_request r;
  assert_int_equal(mbap_next(frame, n, &r), MBAP_FRAME);
  assert_int_equal(r.exception, 0);
  int e = modbus_map_accept(&map, &r, peer, now_ns, &effect);
  if (e == 0) { /* the effect of modbus_reply() on the registers */
    uint8_t *bits = map.mapping->tab_bits;
    uint16_t *registers = map.mapping->tab_registers;
    for (int i = 0; i < r.write_count; i++)
      if (r.function == 5 || r.function == 15)
        bits[r.write_address + i] = mbap_coil(&r, i);
      else
        registers[r.write_address + i] = mbap_written(&r, i, registers[r.write_address + i]);
    modbus_map_stored(&map);
  }
  return e;
}
static inline int accept_from(uint32_t client, uint64_t now_ns, size_t n)
{
  return accept_as(&(struct map_peer){.id = client, .access = ACCESS_WRITE}, now_ns, n);
}
static inline int reads(int function, int address, int count)
{
  return accept_from(ALICE, MS, frame_short(frame, 0, function, address, count));
}
static inline int writes(int address, const uint16_t *value, int count)
{
  return accept_from(ALICE, MS, frame_write(frame, 0, address, value, count));
}
static inline int sets_coil(int address, bool on)
{
  return accept_from(ALICE, MS, frame_short(frame, 0, 5, address, on ? 0xff00 : 0));
}
static inline int commands(int code, int argument, int sequence)
{
  return writes(0, (uint16_t[]){(uint16_t)code, (uint16_t)argument, (uint16_t)sequence}, 3);
}
static inline void show_state(uint32_t run_state, uint32_t flags)
{
  modbus_map_show(&map, &(struct frame){.state = run_state, .flags = flags, .input_age_ms = UINT32_MAX});
}

#endif
