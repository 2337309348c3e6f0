/* SPDX-License-Identifier: MIT
 * The register map as data: every number that a client can address, by table and address. Built at set-up, then
 * constant. The code that shows values, checks requests and prints the map walks this table. An address without an
 * entry does not exist. */
#ifndef ALI3_MODBUS_TABLE_H
#define ALI3_MODBUS_TABLE_H

#include "modbus_server/config.h"
#include "signals/signals.h"
#include "wire/io_map.h"

enum {
  MAP_MAGIC = 0x4133, /* "A3" */
  MAP_VERSION = 0x0205,
  MAP_NONE = 0xffff,

  MAP_BODIES_MAX = 128,
  MAP_SENSORS_MAX = 1024, /* values of sensors */
  MAP_INPUTS_MAX = 32,    /* channels in the block */
};

/* Input registers (FC 4), the first of each value. */
enum map_input {
  MAP_IDENTIFICATION = 0,
  MAP_MAP_VERSION = 1,
  MAP_STATE = 2,
  MAP_STATUS_BITS = 3,
  MAP_FAULT = 4,
  MAP_WARNINGS = 5, /* the status bits that report trouble and are no state */
  MAP_HEARTBEAT = 6,
  MAP_FRAME_START = 7,
  MAP_CYCLE = 8,   /* u32 */
  MAP_TIME = 10,   /* f32, s */
  MAP_PERIOD = 12, /* us, like the next two */
  MAP_LAST_CYCLE = 13,
  MAP_MAX_CYCLE = 14,
  MAP_OVERRUNS = 15,
  MAP_INPUT_AGE = 16, /* ms */
  MAP_STALE_MASK = 17,
  MAP_LAST_COMMAND = 18,
  MAP_LAST_SEQUENCE = 19,
  MAP_LAST_RESULT = 20,
  MAP_EXACT_TIME = 21, /* f64, s: after some hours an f32 does not change in every cycle */
  MAP_RECORDER = 25,   /* what the recorder does */
  MAP_RECORD_LOST = 26,
  MAP_PLATFORM_STATE = 27, /* enum platform_state; without registers of a platform it has no value */
  MAP_QUALITY = 28,        /* bit 0: reactions are held, see FLAG_HELD */
  MAP_RESERVED = 29,       /* no value, up to the next register */
  MAP_FRAME_END = 31,
  MAP_HEAD = 32,
  /* f32 x24: pose, velocity, acceleration, legs; absent without a platform; busy until it is armed. */
  MAP_PLATFORM = 100,
  MAP_PLATFORM_END = 148, /* number of the frame, repeated */
  MAP_BODY = 1000,        /* f32 x7 each: x y z e0 e1 e2 e3 */
  MAP_BODY_REGISTERS = 14,
  MAP_ACTING = 3000, /* f32 each: the acting values of the input channels */
  MAP_CHANNELS_MAX = 128,
  MAP_SENSOR = 4000,    /* f32 each: the sensor values in the order of the signal table */
  MAP_CONDITION = 7000, /* 20 registers for each input: enum map_condition */
  MAP_CONDITION_REGISTERS = 20,
  MAP_CONDITIONS_MAX = 32,
};

/* Registers of an input's condition. */
enum map_condition {
  MAP_INPUT_STATE,  /* enum input_state */
  MAP_INPUT_LIMITS, /* enum input_limit */
  MAP_INPUT_AGE_MS, /* of its oldest channel */
  MAP_INPUT_OWNER,  /* enum map_owner */
  MAP_OWNER_NAME,   /* its name, two characters to a register, filled with zeros */
};
enum { MAP_OWNER_LETTERS = 2 * (MAP_CONDITION_REGISTERS - MAP_OWNER_NAME) };
enum map_owner { MAP_BY_NOBODY, MAP_BY_OSC, MAP_BY_MODBUS, MAP_BY_DEVICE, MAP_BY_PACKET, MAP_BY_STIMULUS };

/* Holding registers (FC 3, 6, 16, 22, 23). */
enum map_holding {
  MAP_COMMAND = 0,
  MAP_ARGUMENT = 1,
  MAP_SEQUENCE = 2,         /* the command is sent when this changes */
  MAP_CLIENT_HEARTBEAT = 3, /* any write keeps its client the owner of the inputs */
  MAP_OWNER_TIMEOUT =
      4, /* ms of silence after which the owner loses the inputs; 0: that of the configuration */
  MAP_OWNER_ACTION = 5, /* 0: no further action */
  MAP_CONTROL = 6,      /* number of these registers */
  /* Only with a platform: each write of the speed is a command jog, which a client repeats. */
  MAP_JOG_PART = 6,  /* 0: none; 1 to 6: surge to yaw; 7 to 12: legs */
  MAP_JOG_SPEED = 7, /* thousandths of full speed */
  MAP_CONTROL_MOST = 8,
  MAP_INPUTS = 100,         /* f32 x32 */
  MAP_INPUT_SEQUENCE = 164, /* the inputs go to the loop when this changes */
  MAP_INPUT_CRC = 165,      /* 0: unused, else CRC-16/MODBUS of registers 100..164, high byte first */
  MAP_INPUTS_END = 166,
};

/* Coils (FC 1, 5, 15). Each acts when a 1 follows a 0; enable and record also act when a 0 follows a 1; the e-stop acts on every
 * 1. A read returns the last written value; for the e-stop it returns whether it is latched. */
enum map_coil { MAP_ENABLE, MAP_RUN, MAP_PAUSE, MAP_ESTOP, MAP_RESET, MAP_PARK, MAP_RECORD, MAP_COILS };
enum { MAP_DISCRETE = 16 }; /* discrete inputs (FC 2): the status bits */

enum entry_kind {
  ENTRY_HEAD,      /* words about the daemon, read only */
  ENTRY_CONTROL,   /* written by clients: commands, owner timeout, coils */
  ENTRY_BLOCK,     /* input block: goes to the loop when its sequence changes */
  ENTRY_SHOWN,     /* a signal */
  ENTRY_CONDITION, /* the condition of an input, read only */
  ENTRY_INPUT,     /* an input channel: goes to the loop when it is written */
  ENTRY_PARAMETER, /* a parameter of the model: goes to the parameter server when it is written */
};

struct entry {
  enum entry_kind kind;
  enum wire_table table;
  int address;
  struct wire wire;
  int signal;              /* index in the signal table; -1: none */
  int input;               /* ENTRY_CONDITION: index of the input */
  int mirror;              /* > 0: a read-only copy of the input register at address - mirror */
  double value;            /* what a parameter has at the start */
  double safe;             /* value outside READY, RUNNING and PAUSED, see struct wired */
  const char *name;        /* name of an entry without a signal; NULL: not listed */
  const char *unit, *text; /* unit of an entry without a signal */
};

struct modbus_table {
  struct entry *entry; /* (count) by table and address, disjoint */
  int count;
  int first[TABLE_INPUT + 2]; /* first entry of each table, then the end */
};

/* Set-up. Returns false when out of memory. */
bool modbus_table_init(struct modbus_table *t, const struct modbus_config *config,
                       const struct signals *signals);
void modbus_table_free(struct modbus_table *t);

/* The address after the last register or bit of a table. */
int modbus_table_end(const struct modbus_table *t, enum wire_table table);

/* The entries at `count` addresses from `address` on. modbus_table_range() returns false if an address does not exist
 * or a number is covered in part. */
struct entry_range {
  const struct entry *first, *end;
};
bool modbus_table_range(const struct modbus_table *t, enum wire_table table, int address, int count,
                        struct entry_range *range);

/* The entries of which a part lies at these addresses. */
void modbus_table_touched(const struct modbus_table *t, enum wire_table table, int address, int count,
                          struct entry_range *range);

/* Set-up: adds a row for every number of the table. Returns false when out of memory. */
bool modbus_io_map(const struct modbus_config *config, const struct signals *signals, struct io_map *map);

#endif
