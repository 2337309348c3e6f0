/* SPDX-License-Identifier: MIT */
#include "modbus_server/rtu.h"

#include "base/crc.h"

enum {
  OVERHEAD = 3, /* unit and CRC */
  SHORTEST = 4, /* a frame with a function code only */
  RESPONSE = 128,
  MEI_DEVICE_IDENTIFICATION = 14,
};

static bool crc_is_right(const uint8_t *bytes, size_t length)
{
  return crc16_modbus(bytes, length - 2) == (bytes[length - 2] | bytes[length - 1] << 8);
}

/* Length of a frame with a byte count at `at` and `fixed` other bytes; more than n if the count has not come yet. */
static size_t counted_length(const uint8_t *bytes, size_t n, size_t at, size_t fixed)
{
  return n > at ? fixed + bytes[at] : n + 1;
}

/* Length of the request that begins here; 0 if its function code does not determine the length. */
static size_t request_length(const uint8_t *bytes, size_t n)
{
  /* Lengths include unit, function code and CRC. */
  switch (bytes[1]) {
  case MBAP_READ_COILS:
  case MBAP_READ_DISCRETE:
  case MBAP_READ_HOLDING:
  case MBAP_READ_INPUT:
  case MBAP_WRITE_COIL:
  case MBAP_WRITE_REGISTER:
    return 8;
  case MBAP_WRITE_COILS:
  case MBAP_WRITE_REGISTERS:
    return counted_length(bytes, n, 6, 9);
  case MBAP_MASK_WRITE:
    return 10;
  case MBAP_REPORT_SERVER:
    return 4;
  case MBAP_WRITE_AND_READ:
    return counted_length(bytes, n, 10, 13);
  case MBAP_ENCAPSULATED:
    return bytes[2] == MEI_DEVICE_IDENTIFICATION ? 7 : 0;
  default:
    return 0;
  }
}

/* Length of another unit's answer that begins here; 0 if its function code does not determine the length. */
static size_t response_length(const uint8_t *bytes)
{
  if (bytes[1] >= RESPONSE) return 5; /* an exception */
  switch (bytes[1]) {
  case MBAP_READ_COILS:
  case MBAP_READ_DISCRETE:
  case MBAP_READ_HOLDING:
  case MBAP_READ_INPUT:
  case MBAP_REPORT_SERVER:
  case MBAP_WRITE_AND_READ:
    return 5 + (size_t)bytes[2];
  case MBAP_WRITE_COIL:
  case MBAP_WRITE_REGISTER:
  case MBAP_WRITE_COILS:
  case MBAP_WRITE_REGISTERS:
    return 8;
  case MBAP_MASK_WRITE:
    return 10;
  default:
    return 0;
  }
}

static enum rtu_verdict judge_frame(const uint8_t *bytes, size_t frame, int unit, struct mbap_request *r,
                                    size_t *length)
{
  *length = frame;
  mbap_pdu(bytes + 1, frame - OVERHEAD, r);
  if (bytes[0] == RTU_BROADCAST) /* a broadcast gets no answer, so a read by broadcast is useless */
    return r->exception == 0 && r->write_count > 0 && r->read_count == 0 ? RTU_FRAME : RTU_OTHER;
  return bytes[0] == unit && r->function < RESPONSE ? RTU_FRAME : RTU_OTHER;
}

enum rtu_verdict rtu_next(const uint8_t *bytes, size_t n, int unit, bool quiet, struct mbap_request *r,
                          size_t *length)
{
  if (n < SHORTEST) return quiet ? RTU_BAD : RTU_MORE;
  const bool other = bytes[0] != unit && bytes[0] != RTU_BROADCAST;
  const size_t end[2] = {request_length(bytes, n), other ? response_length(bytes) : 0};
  bool more = false;
  for (int i = 0; i < 2; i++) {
    const size_t frame = end[i];
    if (frame < SHORTEST || frame > RTU_ADU_MAX) continue;
    if (frame <= n && crc_is_right(bytes, frame)) return judge_frame(bytes, frame, unit, r, length);
    more |= frame > n;
  }
  if (end[0] == 0 && end[1] == 0 &&
      n <= RTU_ADU_MAX) { /* unknown function code: only silence ends the frame */
    if (quiet && crc_is_right(bytes, n)) return judge_frame(bytes, n, unit, r, length);
    more = true;
  }
  return more && !quiet ? RTU_MORE : RTU_BAD;
}
