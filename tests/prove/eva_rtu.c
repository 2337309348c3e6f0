/* SPDX-License-Identifier: MIT
 * Frama-C's Eva on src/io/modbus_server/rtu.c, with src/io/modbus_server/mbap.c: any bytes of a line, with every length from 1 to one more than the
 * longest frame, for any unit. The buffer before the bytes is not initialised and ends with them, so that every read outside them
 * is an alarm. */
#include "modbus_server/rtu.h"
#include <__fc_builtin.h>

#ifndef LONGEST
#define LONGEST (RTU_ADU_MAX + 1)
#endif

static void next_of_line(const uint8_t *bytes, size_t n, bool quiet)
{
  struct mbap_request r;
  size_t length = 0;
  const enum rtu_verdict verdict = rtu_next(bytes, n, Frama_C_interval(1, 247), quiet, &r, &length);
  if (verdict != RTU_FRAME && verdict != RTU_OTHER) return;
  /*@ check length: 4 <= length <= n && length <= RTU_ADU_MAX; */
}

int main(void)
{
  /*@ loop unroll LONGEST + 1; */
  for (size_t n = 1; n <= LONGEST; n++) {
    uint8_t buffer[LONGEST];
    uint8_t *bytes = buffer + (LONGEST - n);
    Frama_C_make_unknown((char *)bytes, n);
    next_of_line(bytes, n, false);
    next_of_line(bytes, n, true);
  }
  return 0;
}
