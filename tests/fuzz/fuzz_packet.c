/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as a received packet of any layout. The first byte is the number of fields, each field takes the next two
 * bytes, the rest is the packet, whose checksums are made right if the first byte says so: a fuzzer does not guess them. Every
 * number of a good packet is finite. */
#include "packet_layout.h"
#include "packets/decode.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { RIGHT = LAYOUT_FIELDS };
static struct packet_field field[LAYOUT_FIELDS];

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static struct decoded out;
  struct packet p = {.received = true, .field = field};
  if (n < 1) return 0;
  const int fields = bytes[0] % LAYOUT_FIELDS;
  const bool right = bytes[0] & RIGHT;
  size_t at = 1;
  for (; p.fields < fields && at + 2 <= n; at += 2) layout_add(&p, bytes[at], bytes[at + 1]);
  /* A copy of its own size, so that a sanitizer sees a byte that is read behind it. */
  const size_t left = n - at;
  uint8_t *packet = malloc(left ? left : 1);
  if (!packet) abort();
  memcpy(packet, bytes + at, left);
  if (right && left == (size_t)p.size) layout_sum(&p, packet);
  const enum decode_result result = packet_decode(&p, packet, left, &out);
  if (result == DECODE_GOOD && left != (size_t)p.size) abort();
  for (int i = 0; result == DECODE_GOOD && i < p.fields; i++)
    if (packet_is_number(field[i].type) && field[i].source == PACKET_SIGNAL && !isfinite(out.value[i]))
      abort();
  free(packet);
  return 0;
}
