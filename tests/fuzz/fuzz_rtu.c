/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as those of a Modbus RTU line, for the parser alone. The first byte tells whether the line has
 * fallen silent, and whether the last two bytes become the CRC of those before them, which a fuzzer does not guess. */
#include "base/crc.h"
#include "modbus_server/rtu.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { UNIT = 1, QUIET = 1, RIGHT_CRC = 2 }; /* bits of the first byte */

static void need(bool holds)
{
  if (!holds) abort();
}

static void judge(const uint8_t *line, size_t n, bool quiet)
{
  struct mbap_request r;
  size_t length = 0;
  switch (rtu_next(line, n, UNIT, quiet, &r, &length)) {
  case RTU_FRAME:
    need(line[0] == UNIT || line[0] == RTU_BROADCAST);
    need(length >= 4 && length <= n && length <= RTU_ADU_MAX);
    for (int i = 0; i < r.write_count; i++)
      if (r.function != MBAP_WRITE_COIL && r.function != MBAP_WRITE_COILS) (void)mbap_written(&r, i, 0);
    break;
  case RTU_OTHER:
    need(length >= 4 && length <= n && length <= RTU_ADU_MAX);
    break;
  case RTU_MORE:
    need(!quiet && n <= RTU_ADU_MAX);
    break;
  default:
    break;
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  if (n < 2) return 0;
  const size_t length = n - 1;
  uint8_t *line = malloc(length); /* its exact size, so that a sanitizer sees an access beyond it */
  if (!line) abort();
  memcpy(line, bytes + 1, length);
  if ((bytes[0] & RIGHT_CRC) && length > 2) {
    const uint16_t crc = crc16_modbus(line, length - 2);
    line[length - 2] = (uint8_t)crc;
    line[length - 1] = (uint8_t)(crc >> 8);
  }
  judge(line, length, bytes[0] & QUIET);
  free(line);
  return 0;
}
