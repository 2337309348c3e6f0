/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as a stream of Modbus TCP, for the parser alone. Every value of a well-formed request is read,
 * and must lie inside the frame. */
#include "modbus_server/mbap.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static void need(bool holds)
{
  if (!holds) abort();
}

static void read_values(const struct mbap_request *r)
{
  unsigned sum = 0;
  for (int i = 0; i < r->write_count; i++)
    sum += r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS ? mbap_coil(r, i)
                                                                             : mbap_written(r, i, 0x5a5a);
  need(sum <= UINT16_MAX * (unsigned)r->write_count);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  struct mbap_request r;
  for (size_t at = 0; at < n && mbap_next(bytes + at, n - at, &r) == MBAP_FRAME; at += r.length) {
    need(r.length > MBAP_HEADER && r.length <= MBAP_ADU_MAX && r.length <= n - at);
    need(r.exception <= MBAP_ILLEGAL_VALUE && (r.exception == 0 || r.write_count + r.read_count == 0));
    read_values(&r);
  }
  return 0;
}
