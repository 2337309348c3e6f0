/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes on a serial line that carries packets of any layout. The first byte is the number of fields, each field
 * takes the next two bytes; then come pieces, each with a byte that says its length, and whether it is a packet whose constants
 * and checksums are right. However the pieces arrive, the receiver finds the packets that one look at the whole stream finds. */
#include "packet_layout.h"
#include "packets/receiver.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { STREAM = 8192, RIGHT = 0x80, LENGTH = 0x7f };
static struct packet_field field[LAYOUT_FIELDS];
static struct input_sample sample[LAYOUT_FIELDS];

static void require(bool holds)
{
  if (!holds) abort();
}

/* Packets in the whole stream. */
static uint64_t count_packets(const struct packet *p, const uint8_t *stream, size_t n)
{
  static struct decoded out;
  const size_t size = (size_t)p->size;
  uint64_t found = 0;
  for (size_t at = 0; at + size <= n;) {
    const bool good = packet_decode(p, stream + at, size, &out) == DECODE_GOOD;
    found += good;
    at += good ? size : 1;
  }
  return found;
}

/* The next piece of the stream at `to`. Returns its length. */
static size_t take_piece(const struct packet *p, const uint8_t **bytes, size_t *n, uint8_t *to)
{
  const uint8_t how = **bytes;
  size_t length = how & RIGHT ? (size_t)p->size : how & LENGTH;
  ++*bytes;
  --*n;
  if (length > *n) length = *n;
  memcpy(to, *bytes, length);
  *bytes += length;
  *n -= length;
  if (!(how & RIGHT) || length != (size_t)p->size) return length;
  layout_constants(p, to);
  layout_sum(p, to);
  return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static struct packet_receiver r;
  static struct port port; /* takes what is refused */
  static uint8_t stream[STREAM];
  struct counters counters = {0};
  struct packet p = {.name = "line", .received = true, .field = field};
  if (n < 1) return 0;
  /* The layout: each signal is a channel of its own. */
  const int fields = *bytes++ % LAYOUT_FIELDS;
  for (n--; p.fields < fields && n >= 2; bytes += 2, n -= 2) layout_add(&p, bytes[0], bytes[1]);
  for (int i = 0; i < p.fields; i++) field[i].signal = i;
  if (p.size == 0) return 0;
  if (!port.inputs.slot[0]) require(port_init(&port, "fuzz", 1, 1, false));
  /* A pair of sockets in place of the line, then the pieces. */
  int end[2];
  require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, end) == 0);
  memset(&r, 0, sizeof r);
  r.packet = &p;
  r.counters = &counters;
  r.port = &port;
  r.socket = -1;
  r.line.fd = end[0];
  size_t used = 0;
  while (n > 0 && used + LENGTH < STREAM && used + (size_t)p.size < STREAM) {
    const size_t length = take_piece(&p, &bytes, &n, stream + used);
    bool reopened;
    require(write(end[1], stream + used, length) == (ssize_t)length);
    used += length;
    receiver_serve(&r, POLLIN, used, sample, &reopened);
    require(!reopened && r.used < (size_t)p.size);
  }
  require(counter_get(&counters.packets_received) == count_packets(&p, stream, used));
  close(end[0]);
  close(end[1]);
  return 0;
}
