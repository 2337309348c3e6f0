/* SPDX-License-Identifier: MIT
 * Writes a message, as an answer or as the status: without memory of its own, so that a thread that answers never asks the
 * allocator. */
#ifndef OSC_WRITE_H
#define OSC_WRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  OSC_DATAGRAM =
      1472, /* what fits in one Ethernet frame: a fragmented datagram is lost with any of its fragments */
};

struct osc_writer {
  size_t size; /* bytes so far; OSC_DATAGRAM + 1: it did not fit */
  uint8_t bytes[OSC_DATAGRAM];
};

/* Numbers as they stand on the wire. Each returns where the next one goes. */
uint8_t *osc_put_u32(uint8_t *at, uint32_t v);
uint8_t *osc_put_u64(uint8_t *at, uint64_t v);
uint8_t *osc_put_number(uint8_t *at, double v, bool doubles);

/* Begins a message to the address of two parts, either of which may be ""; then the arguments follow, in the order of types.
 */
void osc_write(struct osc_writer *w, const char *prefix, const char *address, const char *types);
void osc_write_i(struct osc_writer *w, int32_t v);
void osc_write_h(struct osc_writer *w, int64_t v);
void osc_write_f(struct osc_writer *w, double v);
void osc_write_s(struct osc_writer *w, const char *s);

/* It is whole. */
bool osc_written(const struct osc_writer *w);

#endif
