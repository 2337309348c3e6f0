/* SPDX-License-Identifier: MIT
 * The records that a page receives, live or inside a page of its own. A record is
 *
 *   u32 bytes | u8 kind | u8 version | u16 0 | payload
 *
 * little endian, padded to 8 bytes; `bytes` counts all of it. ali3-view(1) lists the payloads. */
#ifndef ALI3_VIEW_WIRE_H
#define ALI3_VIEW_WIRE_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WIRE_VERSION = 2 };
enum wire_kind {
  WIRE_STILL = 0, /* nothing new for a second; no payload */
  WIRE_HEAD = 1,  /* JSON: names of the values */
  WIRE_FRAME = 2, /* struct wire_frame, then f32 values */
  WIRE_LOOP = 3,  /* struct wire_loop */
  WIRE_EVENT = 4, /* JSON */
  WIRE_GONE = 5,  /* JSON: the reason; the stream ends */
  WIRE_DENSE =
      6, /* u32 cycles, u32 values, then for each cycle struct wire_row and f32 values, padded to 8 */
};

struct wire_row {
  uint64_t cycle;
  double time;   /* s, simulated */
  uint64_t t_ns; /* CLOCK_MONOTONIC of the cycle */
};

struct wire_frame {
  uint64_t cycle;
  double time;   /* s, simulated */
  uint64_t t_ns; /* CLOCK_MONOTONIC of the cycle */
  uint32_t state, flags, fault, values;
};

/* Largest times since the last record, ns. */
struct wire_loop {
  uint32_t wakeup, step, cycle, cycles;
  uint64_t misses;
};

/* Bytes that grow. After a failed allocation `failed` is set and nothing is added. */
struct record_bytes {
  unsigned char *byte;
  size_t count, room;
  bool failed;
};

void wire_free(struct record_bytes *w);
/* Begins a record; wire_end() pads it and fills in its length. Returns where it begins. */
size_t wire_begin(struct record_bytes *w, enum wire_kind kind);
void wire_end(struct record_bytes *w, size_t begin);
void wire_bytes(struct record_bytes *w, const void *bytes, size_t count);
/* Converts doubles to f32; a number beyond the range becomes infinite. */
void wire_floats(struct record_bytes *w, const double *value, const uint32_t *index, uint32_t count);
void wire_pad(struct record_bytes *w);
/* A record whose payload is JSON. Releases the object. */
void wire_json(struct record_bytes *w, enum wire_kind kind, json_t *object);

#endif
