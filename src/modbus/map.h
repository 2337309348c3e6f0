/* SPDX-License-Identifier: MIT
 * What the registers and bits of the Modbus server do: frames of the loop into them, writes of clients out of them. No socket,
 * no thread, no clock of its own. ali3-modbus(7) has the map in full. */
#ifndef ALI3_MODBUS_MAP_H
#define ALI3_MODBUS_MAP_H

#include "modbus/config.h"
#include "modbus/mbap.h"
#include "modbus/table.h"
#include "signals/exchange.h"
#include "signals/signals.h"

#include <modbus/modbus.h>

enum {
  MAP_OWNER_MS = 1000, /* a writer silent for so long loses the inputs, unless the watchdog says otherwise */
  MAP_WATCHDOG_MIN = 50,   /* ms */
  MAP_WATCHDOG_MAX = 60000 /* ms */
};

/* Signals one after the other, in registers one after the other, as f32 in their own unit: most of what is shown. */
struct map_run {
  int address, signal, count;
  enum wire_order order;
};

/* Who else may set an input. */
struct map_ownership {
  struct input_owner owner; /* as of the frame shown last */
  uint64_t told_ns;         /* when a refusal was last told */
};

struct modbus_map {
  const struct signals *signals;
  modbus_mapping_t *mapping; /* the registers themselves */
  struct modbus_table table;
  struct map_run *run; /* (runs) */
  int runs;
  const struct entry **single; /* (singles) shown, but in no run */
  int singles;
  struct wire block; /* a number of the input block */
  int values;        /* of the signal table */
  int input_first;   /* in it */
  bool platform;     /* its registers are there */
  bool withheld;     /* nobody has armed the platform: its motion is not to be read */
  enum wire_order order;
  uint32_t state; /* of the frame shown last */

  struct input_sample *sample; /* what goes to the loop  (samples) */
  int samples;
  uint32_t written;            /* bit i: the owner has written channel i of the block */
  uint32_t owner;              /* client that writes the inputs; 0: nobody */
  uint64_t owner_ns;           /* its last write */
  struct map_ownership *input; /* (signals->inputs) */
};

/* Who asks. */
struct map_peer {
  uint32_t id; /* not 0 */
  enum access access;
  char name[CLIENT_NAME];
};

/* What an accepted write asks of the loop. */
enum { MAP_COMMANDS_MAX = 4 };
struct map_effect {
  int commands;
  struct {
    uint16_t code, argument, id;
  } command[MAP_COMMANDS_MAX];
  bool estop;     /* command[0] is an e-stop, which acts even where the write is refused */
  bool inputs;    /* hand map->sample over */
  bool beat;      /* they are a numbered frame */
  bool nonfinite; /* refused for NaN or infinity */
  bool owned;     /* refused because the input has another owner */
  bool tell;      /* which was not told within the last second */
  int input;
  struct input_owner owner;
};

/* Set-up. False when out of memory. `signals` must live as long as the map. */
bool modbus_map_init(struct modbus_map *map, const struct modbus_config *config,
                     const struct signals *signals);
void modbus_map_free(struct modbus_map *map);

/* Puts a frame of the loop into the registers. Returns how many values were clamped to the range of their type. */
uint64_t modbus_map_show(struct modbus_map *map, const struct frame *f);
/* Set-up, of modbus_map_init(): finds the runs. False when out of memory. */
bool modbus_map_plan(struct modbus_map *map);

/* Judges a well-formed request and prepares what a write has to do. Returns 0, or the exception to answer
 * with nothing changed and nothing done but effect->estop. The registers keep their old values until modbus_reply() stores the
 * new ones, which it must do. */
int modbus_map_accept(struct modbus_map *map, const struct mbap_request *r, const struct map_peer *peer,
                      uint64_t now_ns, struct map_effect *effect);
/* Code 8 in the command register is an e-stop in every write that contains it, whatever the sequence register says, whoever
 * writes, and whatever else is wrong with the write: two clients that count from 1 must not lose one. Sets effect->estop and its
 * command. */
void modbus_map_find_estop(const struct modbus_map *map, const struct mbap_request *r,
                           struct map_effect *effect);
/* The part of modbus_map_accept() for holding registers 0..5 and our own coils, whose addresses are there. After
 * modbus_map_find_estop(). */
int modbus_map_control(const struct modbus_map *map, const struct mbap_request *r, bool owner,
                       struct map_effect *effect);

/* The part of modbus_map_accept() for ownership. False: the input of the channel belongs to another source or another client; or
 * `from` names others only, and none of them has set it (OWNER_NONE). */
bool modbus_map_may_set(struct modbus_map *map, int channel, uint32_t client, uint64_t now_ns,
                        struct map_effect *effect);
/* The first writer owns the inputs until it is silent or gone: two writers would fight unseen. */
bool modbus_map_may_own(const struct modbus_map *map, uint32_t client, uint64_t now_ns);
/* The owners of a frame. */
void modbus_map_show_owners(struct modbus_map *map, const struct frame *f);

/* The client is gone: its inputs are free for the next writer. */
void modbus_map_release(struct modbus_map *map, uint32_t client);

/* SAFE and FAULT are left by a reset only, and made worse by nothing but an e-stop. */
static inline bool modbus_map_locked(const struct modbus_map *map)
{
  return map->state == STATE_SAFE || map->state == STATE_FAULT;
}

/* Answer to a device identification request (FC 43/14): writes the PDU and returns its length, or minus the
 * exception. */
int modbus_map_identify(const struct mbap_request *r, uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER]);

/* CRC-16/MODBUS of n registers, the high byte of each first. */
uint16_t map_crc(const uint16_t *at, int n);

#endif
