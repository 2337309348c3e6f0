/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as data of Modbus clients. The first byte selects the client, one of four, with its rights, over
 * TCP or on the line, and whether it disconnects afterwards. It also selects whether each frame gets a correct header;
 * a byte then gives its length. Every complete frame is judged, answered by libmodbus into a socket without a reader,
 * and acted on. The loop makes a cycle after each. */
#include "bench.h"

#include "base/crc.h"
#include "modbus_server/rtu.h"
#include "modbus_server/service.h"

#include <modbus/modbus.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum {
  UNIT = 1,
  CLIENT = 3,
  READER = 4,
  LINE = 8,
  GONE = 16,
  FRAMED = 32,
  CLIENTS = 4
}; /* bits of the first byte */

enum { LINE_BYTES = 200 }; /* any byte may be the first of a frame, whose CRC takes time */

static struct modbus_service service;
static struct map_peer peer[CLIENTS];
static modbus_t *tcp, *rtu;
static int pair[2];

static void start(struct fuzz_bench *b)
{
  const struct modbus_config *config = &b->settings->modbus;
  service.port = &b->port;
  service.counters = &b->counters;
  if (!modbus_map_init(&service.map, config, b->settings->signals)) abort();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0) abort();
  tcp = modbus_new_tcp("127.0.0.1", 1502);
  rtu = modbus_new_rtu("/dev/null", 115200, 'N', 8, 1);
  if (!tcp || !rtu || modbus_set_slave(rtu, UNIT) != 0) abort();
  modbus_set_socket(tcp, pair[0]);
  modbus_set_socket(rtu, pair[0]);
  for (int i = 0; i < CLIENTS; i++) modbus_service_meet(&service, &peer[i]);
}

/* length: the length of the request for libmodbus */
static void answer(struct fuzz_bench *b, modbus_t *context, const struct map_peer *from, const uint8_t *frame,
                   const struct mbap_request *r, size_t length, bool silent)
{
  uint8_t pdu[MBAP_ADU_MAX - MBAP_HEADER], sink[2 * MBAP_ADU_MAX];
  int n = 0;
  b->given++;
  const int exception = modbus_service_judge(&service, from, r, b->now_ns, pdu, &n);
  if (exception < 0 || exception > 11 || n > (int)sizeof pdu) abort();
  if (n == 0 && !silent) {
    const int sent = exception ? modbus_reply_exception(context, frame, (unsigned)exception)
                               : modbus_reply(context, frame, (int)length, service.map.mapping);
    if (sent <= 0 || sent > MBAP_ADU_MAX || recv(pair[1], sink, sizeof sink, 0) != sent) abort();
  }
  fuzz_cycle(b);
  modbus_service_refresh(&service);
}

static void over_tcp(struct fuzz_bench *b, const struct map_peer *from, const uint8_t *stream, size_t n)
{
  struct mbap_request r;
  for (size_t at = 0; at < n && mbap_next(stream + at, n - at, &r) == MBAP_FRAME; at += r.length)
    answer(b, tcp, from, stream + at, &r, r.length, false);
}

static void framed(struct fuzz_bench *b, const struct map_peer *from, const uint8_t *pdus, size_t n)
{
  uint8_t frame[MBAP_ADU_MAX];
  for (size_t at = 0; at < n;) {
    size_t length = 1 + pdus[at++] % 30; /* longer ones come without this */
    if (length > n - at) length = n - at;
    memcpy(frame, (const uint8_t[]){0, 1, 0, 0, 0, (uint8_t)(length + 1), UNIT}, MBAP_HEADER);
    memcpy(frame + MBAP_HEADER, pdus + at, length);
    over_tcp(b, from, frame, MBAP_HEADER + length);
    at += length;
  }
}

/* Serves the bytes of the line and corrects the CRC of each frame that lacks only it, because a fuzzer does not guess a
 * CRC. */
static void on_the_line(struct fuzz_bench *b, const struct map_peer *from, uint8_t *stream, size_t n)
{
  struct mbap_request r;
  for (size_t at = 0; at < n;) {
    size_t length = 0, left = n - at < RTU_ADU_MAX ? n - at : RTU_ADU_MAX;
    const size_t guess = left > 3 ? 4 + stream[at] % (left - 3) : 0;
    if (guess && stream[at] % 4 == UNIT) {
      const uint16_t crc = crc16_modbus(stream + at, guess - 2);
      stream[at + guess - 2] = (uint8_t)crc;
      stream[at + guess - 1] = (uint8_t)(crc >> 8);
    }
    switch (rtu_next(stream + at, left, UNIT, true, &r, &length)) {
    case RTU_FRAME:
      if (length < 4 || length > left) abort();
      answer(b, rtu, from, stream + at, &r, length, stream[at] == RTU_BROADCAST);
      at += length;
      break;
    case RTU_OTHER:
      if (length == 0 || length > left) abort();
      at += length;
      break;
    default:
      at++;
    }
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  struct fuzz_bench *b = fuzz_bench();
  if (!tcp) start(b);
  if (n < 2) return 0;
  struct map_peer *from = &peer[bytes[0] & CLIENT];
  from->access = bytes[0] & READER ? ACCESS_READ : ACCESS_WRITE;
  uint8_t *stream = malloc(n - 1); /* its exact size, so that a sanitizer sees an access beyond it */
  if (!stream) abort();
  memcpy(stream, bytes + 1, n - 1);
  if (bytes[0] & LINE)
    on_the_line(b, from, stream, n - 1 < LINE_BYTES ? n - 1 : LINE_BYTES);
  else if (bytes[0] & FRAMED)
    framed(b, from, stream, n - 1);
  else
    over_tcp(b, from, stream, n - 1);
  if (bytes[0] & GONE) modbus_map_release(&service.map, from->id);
  free(stream);
  return 0;
}
