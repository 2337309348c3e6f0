/* SPDX-License-Identifier: MIT
 * Registers and bits of the Modbus server: puts frames of the loop into them and takes writes of clients out of them.
 * No socket, no thread, no clock. ali3-modbus(7) has the complete map. */
#ifndef ALI3_MODBUS_MAP_H
#define ALI3_MODBUS_MAP_H

#include "modbus_server/config.h"
#include "modbus_server/mbap.h"
#include "modbus_server/table.h"
#include "signals/exchange.h"
#include "signals/signals.h"

#include <modbus/modbus.h>

enum {
  /* An owner that writes nothing for this time loses the inputs, unless the configuration or a client sets another. */
  MAP_OWNER_MS = 1000,
  MAP_OWNER_MS_MIN = 50,
  MAP_OWNER_MS_MAX = 60000,
  MAP_SLOT_MAX = 9,       /* argument of the commands save and load */
  MAP_PARAMETERS_MAX = 24 /* of one write */
};

/* Consecutive signals in consecutive registers, as f32 in their own unit; most shown values are in such runs. */
struct map_run {
  int address, signal, count;
  enum wire_order order;
};

/* The source or client that owns an input. */
struct map_ownership {
  struct input_owner owner; /* from the last frame that was shown */
  uint64_t told_ns;         /* last report of a refusal */
};

struct modbus_map {
  const struct signals *signals;
  modbus_mapping_t *mapping; /* the registers */
  struct modbus_table table;
  struct map_run *run; /* (runs) */
  int runs;
  const struct entry **single; /* (singles) shown entries outside the runs */
  int singles;
  struct wire block; /* type and order of a number in the input block */
  int values;        /* in the signal table */
  int input_first;   /* index of the first input in the signal table */
  bool jogs;         /* the map has the registers of the jog */
  bool platform;     /* the map has the registers of the platform */
  bool withheld;     /* the platform is not armed yet, so its motion must not be read */
  enum wire_order order;
  int conditions;          /* inputs whose conditions the map has */
  const struct port *port; /* for the names of owners; NULL: there are none */
  uint32_t state;          /* state in the last frame that was shown */
  bool latched;            /* that frame has a latched e-stop */
  /* Arrival of an e-stop that no frame shows yet; 0: none. The coil reads 1 from this time on. */
  uint64_t estop_ns;
  uint64_t coil_ns[MAP_COILS]; /* last write to each coil, also a refused one */
  int mirror;                  /* holding register of a copy of the input registers; 0 or less: none */
  bool gaps;                   /* what does not exist reads 0 */
  bool ignores;                /* writes that would act are ignored in SAFE and FAULT, not refused */
  uint64_t owner_ms; /* silence after which the owner loses the inputs, unless register 4 says otherwise */

  struct input_sample *sample; /* (samples) input values for the loop */
  int samples;
  uint32_t written;            /* bit i: the owner has written channel i of the block */
  uint32_t owner;              /* client that owns the inputs; 0: none */
  uint64_t owner_ns;           /* time of its last write */
  struct map_ownership *input; /* (signals->inputs) */
};

/* The client that sends a request. */
struct map_peer {
  uint32_t id; /* not 0 */
  enum access access;
  char name[CLIENT_NAME];
};

/* The effects of an accepted write on the loop. */
enum { MAP_COMMANDS_MAX = 5 };
struct map_effect {
  int commands;
  struct {
    uint16_t code, argument, id;
  } command[MAP_COMMANDS_MAX];
  bool estop; /* command[0] is an e-stop, which acts even if the write is refused */
  bool jogs;  /* a command jog */
  uint32_t jog_part;
  double jog_speed;
  int parameters; /* changes that act as one */
  struct {
    const char *name;
    double value;
  } parameter[MAP_PARAMETERS_MAX];
  bool inputs;    /* hand map->sample over to the loop */
  bool beat;      /* the inputs are a numbered frame */
  bool alive;     /* a heartbeat: the owner's inputs have a new sign of life */
  bool ignored;   /* SAFE or FAULT: something of the write was taken without effect */
  bool nonfinite; /* refused because of NaN or infinity */
  bool owned;     /* refused because the input has another owner */
  bool tell;      /* no such refusal was reported within the last second */
  int input;
  struct input_owner owner;
};

/* Set-up. Returns false when out of memory. `signals` must outlive the map. */
bool modbus_map_init(struct modbus_map *map, const struct modbus_config *config,
                     const struct signals *signals);
void modbus_map_free(struct modbus_map *map);

/* Puts a frame of the loop into the registers. Returns how many values were clamped to the range of their type. */
uint64_t modbus_map_show(struct modbus_map *map, const struct frame *f);
/* Set-up, part of modbus_map_init(): finds the runs. Returns false when out of memory. */
bool modbus_map_plan(struct modbus_map *map);

/* Checks a well-formed request and prepares the effects of a write. Returns 0, or the exception to answer; an exception
 * changes nothing and has no effect other than effect->estop. The registers keep their old values until the caller
 * calls modbus_reply(), which stores the new ones. */
int modbus_map_accept(struct modbus_map *map, const struct mbap_request *r, const struct map_peer *peer,
                      uint64_t now_ns, struct map_effect *effect);
/* Code 8 in the command register is an e-stop in every write that contains it. It does not depend on the sequence
 * register, the writer, or errors elsewhere in the write: two clients that both count from 1 must not lose an e-stop.
 * Sets effect->estop and its command. */
void modbus_map_find_estop(const struct modbus_map *map, const struct mbap_request *r,
                           struct map_effect *effect);
/* Part of modbus_map_accept() for holding registers 0..7 and the coils, at addresses that exist. Call
 * modbus_map_find_estop() first. */
int modbus_map_control(const struct modbus_map *map, const struct mbap_request *r,
                       const struct map_peer *peer, bool owner, struct map_effect *effect);

/* Part of modbus_map_accept() for ownership. Returns false if the input of the channel belongs to another source or
 * client, or if its key `from` does not name Modbus and nobody has set it yet (OWNER_NONE). */
bool modbus_map_may_set(struct modbus_map *map, int channel, uint32_t client, uint64_t now_ns,
                        struct map_effect *effect);
/* True if this client may write the inputs. The first writer owns them until it is silent or gone, because two writers
 * would overwrite each other unnoticed. */
bool modbus_map_may_own(const struct modbus_map *map, uint32_t client, uint64_t now_ns);
/* Part of modbus_map_show(): conditions of the inputs. */
void modbus_map_show_conditions(struct modbus_map *map, const struct frame *f);
/* Takes the owners of the inputs from a frame. */
void modbus_map_show_owners(struct modbus_map *map, const struct frame *f);

/* Puts the value of a parameter into its registers; nothing for a name without registers. */
void modbus_map_show_parameter(struct modbus_map *map, const char *name, double value);

/* The client has disconnected: the next writer may own its inputs. */
void modbus_map_release(struct modbus_map *map, uint32_t client);

/* Call after modbus_reply() has stored a write: the e-stop coil reads the latch and not what was written. */
void modbus_map_stored(struct modbus_map *map);

/* True for an input that tells where the rig is or whether it may move. These inputs act in every state: a reset needs
 * them. */
bool modbus_map_is_of_rig(const struct modbus_map *map, int channel);

/* Only a reset leaves SAFE and FAULT; any other command is refused there, except an e-stop. */
static inline bool modbus_map_locked(const struct modbus_map *map)
{
  return map->state == STATE_SAFE || map->state == STATE_FAULT;
}

/* An age in a register: MAP_NONE if no value has come, one less if it is too long. */
static inline uint16_t modbus_age_code(uint32_t ms)
{
  if (ms == UINT32_MAX) return MAP_NONE;
  return ms < MAP_NONE ? (uint16_t)ms : MAP_NONE - 1;
}

/* Answers "report server id" (FC 17): writes the PDU. Returns its length. */
int modbus_map_report(uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER]);
/* Answers a device identification request (FC 43/14): writes the PDU. Returns its length, or minus the exception. */
int modbus_map_identify(const struct mbap_request *r, uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER]);

/* CRC-16/MODBUS of n registers, high byte first. */
uint16_t map_crc(const uint16_t *at, int n);

#endif
