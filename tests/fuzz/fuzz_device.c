/* SPDX-License-Identifier: MIT
 * libFuzzer: any bytes as the answers of a polled Modbus device, over TCP or on a line. The first byte chooses which. Then come
 * answers: a byte that says what of the frame is right, its length, its bytes. An answer is sent right before the request that it
 * meets. No value that is not finite becomes an input, and nothing counts before the alive register was read. */
#include "base/crc.h"
#include "modbus_client/devices_parts.h"
#include "telemetry/device_view.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum {
  POLLS = 8,
  UNIT = 1,
  CHANNELS = 5,
  OUTPUTS = 2,
  ALIVE = 40,
  ADU = 600,
  MBAP_HEAD = 7,
  RIGHT_HEAD = 1, /* bits of the byte before an answer: head of TCP, or unit and CRC of a line */
  RIGHT_KIND = 2, /* function and number of bytes of a request for registers */
  BITS = 4,       /* of coils */
  REFUSED = 8,    /* function with the bit of an exception */
};

/* Inputs of every table and width, and outputs. */
static struct wired item[] = {
    {.signal = OUTPUTS,
     .input = true,
     .table = TABLE_COIL,
     .address = 3,
     .wire = {WIRE_BIT, WIRE_ABCD, 1, 0}},
    {.signal = OUTPUTS + 1,
     .input = true,
     .table = TABLE_DISCRETE,
     .address = 9,
     .wire = {WIRE_BIT, WIRE_ABCD, 1, 0}},
    {.signal = OUTPUTS + 2,
     .input = true,
     .table = TABLE_HOLDING,
     .address = 42,
     .wire = {WIRE_F32, WIRE_CDAB, 2, 1}},
    {.signal = OUTPUTS + 3,
     .input = true,
     .table = TABLE_HOLDING,
     .address = 50,
     .wire = {WIRE_F64, WIRE_ABCD, 1e300, 0}},
    {.signal = OUTPUTS + 4,
     .input = true,
     .table = TABLE_INPUT,
     .address = 7,
     .wire = {WIRE_I32, WIRE_BADC, 1, 0}},
    {.signal = 0, .table = TABLE_COIL, .address = 20, .wire = {WIRE_BIT, WIRE_ABCD, 1, 0}},
    {.signal = 1, .table = TABLE_HOLDING, .address = 60, .wire = {WIRE_I16, WIRE_ABCD, 0.1, 0}},
};
static char host[] = "127.0.0.1", line[] = "/dev/null", name[] = "plc";
static struct modbus_device device = {
    .name = name, .unit = UNIT, .period = 0.01, .alive = ALIVE, .map = {item, sizeof item / sizeof *item}};

/* The answers that are left, and the ends of the connection. */
static struct {
  const uint8_t *bytes;
  size_t n;
  bool tcp;
  int near, far;
  uint16_t transaction; /* of the request that comes next */
} wire;

static void require(bool holds)
{
  if (!holds) abort();
}

/* The start of an answer that fits the request for registers `asked`. */
static size_t put_kind(uint8_t how, uint8_t *pdu, size_t length)
{
  if (!(how & RIGHT_KIND) || length < 2) return length;
  pdu[0] = (uint8_t)((how & BITS ? 1 : 3) + (length & 1) + (how & REFUSED ? 0x80 : 0));
  pdu[1] = (uint8_t)(length - 2);
  return length;
}

/* libmodbus discards what has arrived, right before a request is sent: the moment for the answer to be there. This definition
 * takes the place of the one in the library. */
int modbus_flush(modbus_t *context)
{
  uint8_t adu[ADU] = {0};
  (void)context;
  while (recv(wire.near, adu, sizeof adu, MSG_DONTWAIT) > 0) continue;
  while (recv(wire.far, adu, sizeof adu, MSG_DONTWAIT) > 0) continue;
  wire.transaction++;
  if (wire.n < 2) return 0;
  const uint8_t how = wire.bytes[0];
  size_t length = wire.bytes[1];
  wire.bytes += 2;
  wire.n -= 2;
  if (length > wire.n) length = wire.n;
  const bool right = how & RIGHT_HEAD;
  const size_t head = !right ? 0 : wire.tcp ? MBAP_HEAD : 1;
  memcpy(adu + head, wire.bytes, length);
  wire.bytes += length;
  wire.n -= length;
  size_t size = head + put_kind(how, adu + head, length);
  /* The head of the frame, and the sum at its end. */
  if (right && wire.tcp) {
    const uint8_t mbap[MBAP_HEAD] = {(uint8_t)(wire.transaction >> 8), (uint8_t)wire.transaction, 0,   0,
                                     (uint8_t)((length + 1) >> 8),     (uint8_t)(length + 1),     UNIT};
    memcpy(adu, mbap, sizeof mbap);
  } else if (right) {
    adu[0] = UNIT;
    const uint16_t crc = crc16_modbus(adu, size);
    adu[size++] = (uint8_t)crc;
    adu[size++] = (uint8_t)(crc >> 8);
  }
  require(send(wire.far, adu, size, MSG_NOSIGNAL) == (ssize_t)size);
  return 0;
}

static void connect_bus(struct bus *b)
{
  int end[2];
  require(socketpair(AF_UNIX, SOCK_STREAM, 0, end) == 0);
  wire.near = end[0];
  wire.far = end[1];
  wire.transaction = 0;
  require(bus_init(b, &device.remote, -1) && modbus_set_socket(b->context, wire.near) == 0);
  b->open = true;
}

static void judge_samples(const struct station *s)
{
  for (int i = 0; i < CHANNELS; i++) {
    require(isfinite(s->sample[i].value));
    require(s->sample[i].t_ns == 0 || (s->counted && s->sample[i].counted == 16));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static const struct signals signals = {
      .count = OUTPUTS + CHANNELS, .channels = CHANNELS, .input_first = OUTPUTS, .platform_first = -1};
  static struct device_view view;
  static struct port port;
  double values[OUTPUTS + CHANNELS] = {1, 2};
  if (!port.inputs.slot[0]) require(port_init(&port, "fuzz", OUTPUTS + CHANNELS, CHANNELS, false));
  if (n < 1) return 0;
  wire.tcp = bytes[0] & 1;
  wire.bytes = bytes + 1;
  wire.n = n - 1;
  device.remote = wire.tcp ? (struct remote_config){.host = host}
                           : (struct remote_config){.serial = {.path = line, .baud = 115200, .stop_bits = 1}};
  device.timeout = 1e-6; /* what will come is there already */
  port_publish(&port, &(struct frame){
                          .t_ns = 1, .state = STATE_RUNNING, .count = OUTPUTS + CHANNELS, .values = values});
  /* Poll until the answers end, or the connection. */
  struct station s;
  struct bus b;
  require(station_init(&s, &device, &signals, &port, &view));
  connect_bus(&b);
  for (int i = 0; i < POLLS && b.open; i++) {
    bool answered;
    station_poll(&s, &b, &answered);
    judge_samples(&s);
  }
  if (b.open) station_leave(&s, &b);
  if (!b.open) wire.near = -1;
  bus_free(&b);
  close(wire.far);
  station_free(&s);
  return 0;
}
