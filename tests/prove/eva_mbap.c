/* SPDX-License-Identifier: MIT
 * Frama-C's Eva on src/io/modbus_server/mbap.c: any bytes, with every length from 0 to one more than the longest frame, as a stream and as
 * a single PDU. The buffer before the bytes is not initialised and ends with them, so that every read outside them is an
 * alarm. */
#include "modbus_server/mbap.h"
#include <__fc_builtin.h>

#ifndef LONGEST
#define LONGEST (MBAP_ADU_MAX + 1)
#endif

static void next_of_stream(const uint8_t *bytes, size_t n)
{
  struct mbap_request r;
  if (mbap_next(bytes, n, &r) != MBAP_FRAME) return;
  /*@ check length: MBAP_HEADER < r.length <= n && r.length <= MBAP_ADU_MAX; */
}

static void read_value(const struct mbap_request *r, int i)
{
  if (r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS)
    (void)mbap_coil(r, i);
  else
    (void)mbap_written(r, i, (uint16_t)Frama_C_interval(0, UINT16_MAX));
}

/* mbap_next() gives mbap_pdu() the PDU without the bytes after it, so n is the length of the PDU here. The function reads every
 * value of a well formed request as modbus_server/map.c and modbus_server/control.c do. */
static void values_of_pdu(uint8_t *pdu, size_t n)
{
  static const uint8_t LAST[] = {4, 5, 6, 14, 15, 16, 21, 22, 23, 255}; /* from each range of functions */
  int first = 0;
  /*@ loop unroll 10; */
  for (int i = 0; i < (int)10; i++) {
    struct mbap_request r;
    pdu[0] = (uint8_t)Frama_C_interval(first, LAST[i]);
    first = LAST[i] + 1;
    mbap_pdu(pdu, n, &r);
    if (r.write_count > 0) read_value(&r, Frama_C_interval(0, r.write_count - 1));
  }
}

int main(void)
{
  /*@ loop unroll LONGEST + 1; */
  for (size_t n = 0; n <= LONGEST; n++) {
    uint8_t buffer[LONGEST];
    uint8_t *bytes = buffer + (LONGEST - n);
    if (n > 0) Frama_C_make_unknown((char *)bytes, n);
    next_of_stream(bytes, n);
    if (n > 0) values_of_pdu(bytes, n);
  }
  return 0;
}
