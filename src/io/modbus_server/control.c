/* SPDX-License-Identifier: MIT
 * Writes to the daemon itself: command registers, owner timeout, coils. Also the device identification. */
#include "modbus_server/map.h"

#include "jog/jog.h"

#include <ali3/version.h>
#include <string.h>

#define COUNT(array) ((int)(sizeof(array) / sizeof *(array)))

/* A release of a jog acts in every state. */
static int add_jog(const struct modbus_map *map, struct map_effect *effect, const struct map_peer *peer,
                   int part, int thousandths)
{
  const bool locked = modbus_map_locked(map) && thousandths != 0;
  if (thousandths < -1000 || thousandths > 1000) return MBAP_ILLEGAL_VALUE;
  if (part > JOG_PARTS || (part == 0 && thousandths != 0)) return MBAP_ILLEGAL_VALUE;
  if (peer->access < ACCESS_JOG) return thousandths == 0 ? 0 : MBAP_ILLEGAL_FUNCTION;
  if (locked && !map->ignores) return MBAP_DEVICE_FAILURE;
  effect->ignored |= locked;
  if (locked) return 0;
  effect->jogs = true;
  effect->jog_part = part > 0 ? (uint32_t)part - 1 : 0;
  effect->jog_speed = 1e-3 * thousandths;
  return 0;
}

static int add_command(const struct modbus_map *map, struct map_effect *effect, int code, int argument,
                       int id)
{
  const bool harmless = code == COMMAND_RESET || code == COMMAND_ESTOP || code == COMMAND_RECORD;
  const bool locked = modbus_map_locked(map) && !harmless;
  if (locked && !map->ignores) return MBAP_DEVICE_FAILURE;
  effect->ignored |= locked;
  int i = effect->commands++;
  effect->command[i].code = (uint16_t)code;
  effect->command[i].argument = (uint16_t)argument;
  effect->command[i].id = (uint16_t)id;
  return 0;
}

static int check_owner_timeout(const uint16_t *old, const uint16_t *next, bool owner)
{
  const int ms = next[MAP_OWNER_TIMEOUT];
  if (ms != 0 && (ms < MAP_OWNER_MS_MIN || ms > MAP_OWNER_MS_MAX)) return MBAP_ILLEGAL_VALUE;
  if (next[MAP_OWNER_ACTION] != 0) return MBAP_ILLEGAL_VALUE;
  return owner || ms == old[MAP_OWNER_TIMEOUT] ? 0 : MBAP_BUSY; /* it guards the inputs of another client */
}

void modbus_map_find_estop(const struct modbus_map *map, const struct mbap_request *r,
                           struct map_effect *effect)
{
  const bool coils = r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS;
  const uint16_t *old = map->mapping->tab_registers;
  if (coils || r->write_address != MAP_COMMAND || r->write_count == 0) return;
  if (mbap_written(r, 0, old[MAP_COMMAND]) != COMMAND_ESTOP) return;
  effect->estop = true;
  add_command(map, effect, COMMAND_ESTOP, 0,
              r->write_count > MAP_SEQUENCE ? mbap_written(r, MAP_SEQUENCE, old[MAP_SEQUENCE])
                                            : old[MAP_SEQUENCE]);
}

static int write_registers(const struct modbus_map *map, const struct mbap_request *r,
                           const struct map_peer *peer, bool owner, struct map_effect *effect)
{
  const uint16_t *old = map->mapping->tab_registers;
  const int end = r->write_address + r->write_count;
  uint16_t next[MAP_CONTROL_MOST] = {0};
  memcpy(next, old, (size_t)(map->jogs ? MAP_CONTROL_MOST : MAP_CONTROL) * sizeof *next);
  for (int i = 0; i < r->write_count; i++)
    next[r->write_address + i] = mbap_written(r, i, old[r->write_address + i]);
  int exception = check_owner_timeout(old, next, owner);
  if (exception == 0 && !effect->estop && r->write_address <= MAP_JOG_SPEED && end > MAP_JOG_SPEED)
    exception = add_jog(map, effect, peer, next[MAP_JOG_PART], (int16_t)next[MAP_JOG_SPEED]);
  if (exception || effect->estop || next[MAP_SEQUENCE] == old[MAP_SEQUENCE]) return exception;
  int code = next[MAP_COMMAND];
  const bool valued = code == COMMAND_PLATFORM || code == COMMAND_JOG; /* this register has no value */
  if (command_name((unsigned)code)[0] == '?' || valued) return MBAP_ILLEGAL_VALUE;
  const bool state = code == COMMAND_SAVE || code == COMMAND_LOAD;
  if (state && next[MAP_ARGUMENT] > MAP_SLOT_MAX) return MBAP_ILLEGAL_VALUE;
  if (code == COMMAND_RECORD && next[MAP_ARGUMENT] >= RECORD_ORDERS) return MBAP_ILLEGAL_VALUE;
  return add_command(map, effect, code, next[MAP_ARGUMENT], next[MAP_SEQUENCE]);
}

static int write_coils(const struct modbus_map *map, const struct mbap_request *r, struct map_effect *effect)
{
  bool rises[MAP_COILS] = {false}, disables = false, ends_record = false;
  for (int i = 0; i < r->write_count; i++) {
    int coil = r->write_address + i;
    bool was = map->mapping->tab_bits[coil], is = mbap_coil(r, i);
    rises[coil] = is && (coil == MAP_ESTOP || !was);
    /* In SAFE and FAULT nothing moves, so there is nothing to stop; a stop would make the daemon refuse a reset in one
     * write. */
    if (coil == MAP_ENABLE) disables = was && !is && !modbus_map_locked(map);
    if (coil == MAP_RECORD) ends_record = was && !is;
  }
  /* The e-stop is the only command of its write: nothing beside it may cause its refusal or act after it. */
  if (rises[MAP_ESTOP]) return add_command(map, effect, COMMAND_ESTOP, 0, 0);
  const bool go = rises[MAP_ENABLE] || rises[MAP_RUN], halt = disables || rises[MAP_PAUSE] || rises[MAP_PARK];
  if (go && halt) return MBAP_ILLEGAL_VALUE;

  const struct {
    bool wanted;
    int code, argument;
  } order[] = {
      {rises[MAP_RECORD], COMMAND_RECORD, RECORD_START},
      {ends_record, COMMAND_RECORD, RECORD_STOP},
      {rises[MAP_RESET], COMMAND_RESET, 0},
      {rises[MAP_PAUSE], COMMAND_PAUSE, 0},
      {disables, COMMAND_STOP, 0},
      {rises[MAP_PARK], COMMAND_PARK, 0},
      {rises[MAP_ENABLE], COMMAND_ARM, 0},
      {rises[MAP_RUN], COMMAND_RUN, 0},
  };
  _Static_assert(MAP_COMMANDS_MAX >= 5, "record, reset, pause, stop and park fit");
  for (int i = 0; i < COUNT(order); i++) {
    if (!order[i].wanted) continue;
    /* An ignored coil sends nothing: its edge is over when a reset has come. */
    if (map->ignores && modbus_map_locked(map) && order[i].code != COMMAND_RESET &&
        order[i].code != COMMAND_RECORD) {
      effect->ignored = true;
      continue;
    }
    const int e = add_command(map, effect, order[i].code, order[i].argument, 0);
    if (e) return e;
  }
  return 0;
}

int modbus_map_control(const struct modbus_map *map, const struct mbap_request *r,
                       const struct map_peer *peer, bool owner, struct map_effect *effect)
{
  const bool coils = r->function == MBAP_WRITE_COIL || r->function == MBAP_WRITE_COILS;
  return coils ? write_coils(map, r, effect) : write_registers(map, r, peer, owner, effect);
}

void modbus_map_stored(struct modbus_map *map)
{
  map->mapping->tab_bits[MAP_ESTOP] = map->latched || map->estop_ns != 0;
}

int modbus_map_report(uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER])
{
  static const char name[] = "ali3d " ALI3_VERSION;
  enum { SERVER_ID = 0xa3, SERVES = 0xff }; /* whatever the state of the mechanism */
  const uint8_t length = sizeof name - 1;
  pdu[0] = MBAP_REPORT_SERVER;
  pdu[1] = (uint8_t)(2 + length);
  pdu[2] = SERVER_ID;
  pdu[3] = SERVES;
  memcpy(pdu + 4, name, length);
  return 4 + length;
}

int modbus_map_identify(const struct mbap_request *r, uint8_t pdu[static MBAP_ADU_MAX - MBAP_HEADER])
{
  static const char *const object[] = {"ali3", "ali3d", ALI3_VERSION}; /* vendor, product, revision */
  enum { STREAM_MAX = 3, INDIVIDUAL = 4, CONFORMITY = 0x81 };
  int code = r->data[0], first = r->data[1], last = COUNT(object) - 1;
  if (code < 1 || code > INDIVIDUAL) return -MBAP_ILLEGAL_VALUE;
  if (first > last) {
    if (code == INDIVIDUAL) return -MBAP_ILLEGAL_ADDRESS;
    first = 0; /* the specification restarts a stream at object 0 */
  }
  if (code == INDIVIDUAL) last = first;

  int n = 0;
  pdu[n++] = MBAP_ENCAPSULATED;
  pdu[n++] = 14;
  pdu[n++] = (uint8_t)code;
  pdu[n++] = CONFORMITY;
  pdu[n++] = 0; /* "more follows": no */
  pdu[n++] = 0;
  pdu[n++] = (uint8_t)(last - first + 1);
  for (int i = first; i <= last; i++) {
    size_t length = strlen(object[i]);
    pdu[n++] = (uint8_t)i;
    pdu[n++] = (uint8_t)length;
    memcpy(pdu + n, object[i], length);
    n += (int)length;
  }
  return n;
}
