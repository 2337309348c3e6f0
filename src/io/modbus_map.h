/* SPDX-License-Identifier: MIT
 * The register map: what the registers and bits of the Modbus server mean. No socket, no thread, no clock of
 * its own.
 *
 * Zero-based addresses; 32-bit values take two registers, high word first, floats are IEEE 754 binary32. A
 * value is read and written whole. 0xFFFF and NaN: no value. The map in full is in the README. */
#ifndef IO_MODBUS_MAP_H
#define IO_MODBUS_MAP_H

#include "io/mbap.h"
#include "signals/exchange.h"
#include "signals/signals.h"

#include <modbus/modbus.h>

enum {
  MAP_MAGIC = 0x4133, /* "A3" */
  MAP_VERSION = 0x0100,
  MAP_NONE = 0xffff,

  MAP_BODIES_MAX = 128,
  MAP_SENSORS_MAX = 1024, /* values of sensors */
  MAP_INPUTS_MAX = 32,    /* channels that can be written */
  MAP_OWNER_MS = 1000,    /* a writer silent for so long loses the inputs */
};

/* Input registers (FC 4), the first of each value. */
enum map_input {
  MAP_IDENTIFICATION = 0,
  MAP_MAP_VERSION = 1,
  MAP_STATE = 2,
  MAP_STATUS_BITS = 3,
  MAP_FAULT = 4,
  MAP_WARNINGS = 5, /* those status bits that tell of trouble without being a state */
  MAP_HEARTBEAT = 6,
  MAP_FRAME_START = 7,
  MAP_CYCLE = 8,   /* u32 */
  MAP_TIME = 10,   /* f32, s */
  MAP_PERIOD = 12, /* us, as the next two */
  MAP_LAST_CYCLE = 13,
  MAP_MAX_CYCLE = 14,
  MAP_OVERRUNS = 15,
  MAP_INPUT_AGE = 16, /* ms */
  MAP_STALE_MASK = 17,
  MAP_LAST_COMMAND = 18,
  MAP_LAST_SEQUENCE = 19,
  MAP_LAST_RESULT = 20,
  MAP_FRAME_END = 31,
  MAP_HEAD = 32,
  MAP_BODY = 1000, /* f32 x7 each: x y z e0 e1 e2 e3 */
  MAP_BODY_REGISTERS = 14,
  MAP_SENSOR = 4000, /* f32 each: the values of the sensors in the order of the signal table */
};

/* Holding registers (FC 3, 6, 16, 23). */
enum map_holding {
  MAP_COMMAND = 0,
  MAP_ARGUMENT = 1,
  MAP_SEQUENCE = 2,         /* the command is sent when this changes */
  MAP_INPUTS = 100,         /* f32 x32 */
  MAP_INPUT_SEQUENCE = 164, /* the inputs go to the loop when this changes */
  MAP_INPUT_CRC = 165,      /* 0 unused, else CRC-16/MODBUS of registers 100..164, high byte of each first */
  MAP_HOLDING = 166,
};

/* Coils (FC 1, 5, 15); each acts when a 1 follows a 0, the e-stop on every 1. Read: what was last written;
 * the e-stop: whether it is latched. */
enum map_coil { MAP_RUN = 1, MAP_PAUSE = 2, MAP_ESTOP = 3, MAP_RESET = 4, MAP_COILS = 5 };
enum { MAP_DISCRETE = 16 }; /* discrete inputs (FC 2): the status bits */

struct modbus_map {
  modbus_mapping_t *mapping; /* the registers themselves */
  int bodies, channels;      /* shown, writable */
  int sensors, sensor_first; /* values of sensors shown, the first one in a frame */
  int body_first, values;    /* of the signal table */
  uint32_t state;            /* of the frame shown last */

  struct input_sample *sample; /* what goes to the loop  (samples) */
  int samples;
  uint32_t written;     /* bit i: the owner has written channel i */
  uint32_t owner;       /* client that writes the inputs; 0: nobody */
  uint64_t owner_until; /* ns */
};

/* What an accepted write asks of the loop. */
struct map_effect {
  int commands;
  struct {
    uint16_t code, argument, id;
  } command[3];
  bool inputs;    /* hand map->sample over */
  bool nonfinite; /* refused for NaN or infinity */
};

/* Set-up. False when out of memory. */
bool modbus_map_init(struct modbus_map *map, const struct signals *signals);
void modbus_map_free(struct modbus_map *map);

/* Puts a frame of the loop into the registers. */
void modbus_map_show(struct modbus_map *map, const struct frame *f);

/* Judges a well-formed request and prepares what a write has to do. Returns 0, or the exception to answer
 * with nothing changed. The registers keep their old values until modbus_reply() has stored the new ones, and
 * must get them. `client` is not 0. */
int modbus_map_accept(struct modbus_map *map, const struct mbap_request *r, uint32_t client, uint64_t now_ns,
                      struct map_effect *effect);

/* The client is gone: its inputs are free for the next writer. */
void modbus_map_release(struct modbus_map *map, uint32_t client);

/* Answer to a device identification request (FC 43/14): writes the PDU and returns its length, or minus the
 * exception. */
int modbus_map_identify(const struct mbap_request *r, uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER]);

/* The two words of a number that fits a float; NaN for any other. */
void map_put_float(uint16_t *at, double v);
float map_get_float(const uint16_t *at);
/* CRC-16/MODBUS of n registers, the high byte of each first. */
uint16_t map_crc(const uint16_t *at, int n);

#endif
