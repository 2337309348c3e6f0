/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as datagrams of OSC. An input is a row of datagrams: two bytes of length, the second of which also says
 * who sends it, then its bytes; the loop makes a cycle after each. Nothing leaves: the socket is none of IP. */
#include "bench.h"

#include "osc/osc_packet.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static struct osc_in *in;
static struct osc_out *out;

static void start(struct fuzz_bench *b)
{
  const struct osc_config *config = &b->settings->osc;
  char error[400] = "";
  int pair[2];
  if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK, 0, pair) != 0) abort();
  const struct osc_space *space = osc_space_new(config, b->settings->signals, error, sizeof error);
  if (space)
    out = osc_out_new(config, space, b->settings->signals, &b->counters, pair[0], error, sizeof error);
  if (out) in = osc_in_new(config, space, b->settings->signals, &b->port, &b->counters, out);
  if (in) return;
  fprintf(stderr, "%s\n", error);
  abort();
}

static void give(struct fuzz_bench *b, const uint8_t *bytes, size_t n, unsigned sender)
{
  /* A copy of its own size, so that reading beyond the end is seen. */
  uint8_t *datagram = malloc(n ? n : 1);
  if (!datagram) abort();
  memcpy(datagram, bytes, n);
  struct inet_address from = {.length = sizeof from.name.v4};
  from.name.v4.sin_family = AF_INET;
  from.name.v4.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  from.name.v4.sin_port = htons((uint16_t)(40000 + sender));
  b->given++;
  osc_in_packet(in, datagram, n, &from, b->now_ns);
  free(datagram);
  fuzz_cycle(b);
  const struct frame *frame;
  const uint32_t answers = ring_count(&b->port.answers);
  if (port_take_frame(&b->port, &frame)) osc_out_frame(out, frame, b->now_ns);
  osc_in_answers(in, answers);
  osc_out_expire(out, b->now_ns);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  struct fuzz_bench *b = fuzz_bench();
  if (!in) start(b);
  for (size_t at = 0; at + 2 <= n;) {
    size_t length = (size_t)(bytes[at] | (bytes[at + 1] & 0x0f) << 8) * 4; /* as all datagrams of OSC */
    const unsigned sender = bytes[at + 1] >> 4;
    at += 2;
    if (length > n - at) length = n - at;
    give(b, bytes + at, length, sender);
    at += length;
  }
  return 0;
}
