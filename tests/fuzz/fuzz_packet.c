/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as a received packet of any layout. The first byte is the number of fields, each field takes the next two
 * bytes, the rest is the packet, whose checksums are made right if the first byte says so: a fuzzer does not guess them. Every
 * number of a good packet is finite. */
#include "packets/decode.h"
#include "packets/encode.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { FIELDS = 16, RIGHT = 16, TYPES = PACKET_CRC32 + 1, SIZES = 8 };
static struct packet_field field[FIELDS];
static uint8_t content[SIZES];

/* The field of two bytes, behind the fields before it. */
static void make_field(struct packet *p, uint8_t kind, uint8_t how)
{
  static const enum packet_source sources[] = {PACKET_SIGNAL, PACKET_SIGNAL, PACKET_VALUE, PACKET_COUNTER};
  struct packet_field *f = &field[p->fields++];
  *f = (struct packet_field){.type = kind % TYPES,
                             .little = how & 1,
                             .at = p->size,
                             .source = sources[how >> 1 & 3],
                             .scale = how & 8 ? 1e300 : 1.0,
                             .bytes = content,
                             .from = how >> 4 < p->size ? how >> 4 : 0};
  const int size = packet_type_size(f->type);
  f->size = size ? size : 1 + how % SIZES;
  p->size += f->size;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static struct decoded out;
  struct packet p = {.received = true, .field = field};
  if (n < 1) return 0;
  const int fields = bytes[0] % FIELDS;
  const bool right = bytes[0] & RIGHT;
  size_t at = 1;
  for (; p.fields < fields && at + 2 <= n; at += 2) make_field(&p, bytes[at], bytes[at + 1]);
  /* A copy of its own size, so that a sanitizer sees a byte that is read behind it. */
  const size_t left = n - at;
  uint8_t *packet = malloc(left ? left : 1);
  if (!packet) abort();
  memcpy(packet, bytes + at, left);
  for (int i = 0; right && left == (size_t)p.size && i < p.fields; i++) {
    uint64_t sum = packet_is_checksum(field[i].type) ? packet_checksum(&field[i], packet) : 0;
    for (int k = 0; packet_is_checksum(field[i].type) && k < field[i].size; k++, sum >>= 8)
      packet[field[i].at + (field[i].little ? k : field[i].size - 1 - k)] = (uint8_t)sum;
  }
  const enum decode_result result = packet_decode(&p, packet, left, &out);
  if (result == DECODE_GOOD && left != (size_t)p.size) abort();
  for (int i = 0; result == DECODE_GOOD && i < p.fields; i++)
    if (packet_is_number(field[i].type) && field[i].source == PACKET_SIGNAL && !isfinite(out.value[i]))
      abort();
  free(packet);
  return 0;
}
