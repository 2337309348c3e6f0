/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as what clients of the Modbus server send. Every whole frame is judged, answered by libmodbus into a
 * socket that nobody is behind, and acted on; the loop makes a cycle after each. */
#include "bench.h"

#include "io/modbus_map.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

static struct modbus_map map;
static modbus_t *context;
static int pair[2];

static void start(struct fuzz_bench *b)
{
  context = modbus_new_tcp("127.0.0.1", 1502);
  if (!context || !modbus_map_init(&map, b->settings->signals)) abort();
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, pair) != 0) abort();
  modbus_set_socket(context, pair[0]);
}

static void act(struct fuzz_bench *b, const struct map_effect *effect, uint32_t client)
{
  for (int i = 0; i < effect->commands; i++)
    port_command(&b->port, &(struct command){.code = effect->command[i].code,
                                             .argument = effect->command[i].argument,
                                             .id = effect->command[i].id,
                                             .client = client,
                                             .t_ns = b->now_ns});
  if (!effect->inputs) return;
  memcpy(snapshot_begin(&b->port.inputs), map.sample, (size_t)map.samples * sizeof *map.sample);
  snapshot_publish(&b->port.inputs);
}

static void answer(struct fuzz_bench *b, const uint8_t *frame, const struct mbap_request *r, uint32_t client)
{
  uint8_t pdu[MBAP_ADU_MAX], sink[2 * MBAP_ADU_MAX];
  struct map_effect effect;
  int exception = r->exception;
  if (exception == 0 && r->function == MBAP_ENCAPSULATED) {
    if (modbus_map_identify(r, pdu) > MBAP_ADU_MAX - MBAP_HEADER) abort();
    return;
  }
  if (exception == 0) exception = modbus_map_accept(&map, r, client, b->now_ns, &effect);
  if (exception < 0 || exception > 11) abort();
  const int sent = exception ? modbus_reply_exception(context, frame, (unsigned)exception)
                             : modbus_reply(context, frame, (int)r->length, map.mapping);
  if (sent <= 0 || sent > MBAP_ADU_MAX || recv(pair[1], sink, sizeof sink, 0) != sent) abort();
  if (!exception) act(b, &effect, client);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  struct fuzz_bench *b = fuzz_bench();
  if (!context) start(b);
  if (n == 0) return 0;
  const uint32_t client = 1 + (bytes[0] & 3);
  uint8_t *stream = malloc(n); /* of its own size, so that reading beyond the end is seen */
  if (!stream) abort();
  memcpy(stream, bytes + 1, n - 1);
  struct mbap_request r;
  for (size_t at = 0; at < n - 1 && mbap_next(stream + at, n - 1 - at, &r) == MBAP_FRAME; at += r.length) {
    answer(b, stream + at, &r, client);
    fuzz_cycle(b);
    const struct frame *f;
    if (port_take_frame(&b->port, &f)) modbus_map_show(&map, f);
  }
  if (bytes[0] & 4) modbus_map_release(&map, client);
  free(stream);
  return 0;
}
