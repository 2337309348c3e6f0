/* SPDX-License-Identifier: MIT
 * The conditions of inputs in registers: state, limits, age and owner. */
#include "modbus_server/map.h"

#include <string.h>

static enum map_owner owner_code(struct input_owner owner)
{
  if (owner.source == OWNER_NONE) return MAP_BY_NOBODY;
  if (owner.source == SOURCE_OSC) return MAP_BY_OSC;
  if (owner.source == SOURCE_MODBUS) return MAP_BY_MODBUS;
  if (owner.source == SOURCE_PACKETS) return MAP_BY_PACKET;
  return owner.source == SOURCE_INNER ? MAP_BY_STIMULUS : MAP_BY_DEVICE;
}

static void put_name(uint16_t *at, const char *name)
{
  char text[MAP_OWNER_LETTERS + 1] = "";
  memcpy(text, name, strnlen(name, MAP_OWNER_LETTERS));
  for (int i = 0; i < MAP_OWNER_LETTERS; i += 2)
    at[i / 2] = (uint16_t)((unsigned char)text[i] << 8 | (unsigned char)text[i + 1]);
}

void modbus_map_show_conditions(struct modbus_map *map, const struct frame *f)
{
  for (int i = 0; i < map->conditions; i++) {
    uint16_t *at =
        map->mapping->tab_input_registers + MAP_CONDITION + (ptrdiff_t)(MAP_CONDITION_REGISTERS * i);
    const struct input_note note = frame_note(f, i);
    const struct input_owner owner = frame_owner(f, i);
    char name[CLIENT_NAME] = "";
    if (map->port) port_owner_text(map->port, owner, name, sizeof name);
    at[MAP_INPUT_STATE] = (uint16_t)note.state;
    at[MAP_INPUT_LIMITS] = (uint16_t)note.limits;
    at[MAP_INPUT_AGE_MS] = modbus_age_code(note.age_ms);
    at[MAP_INPUT_OWNER] = owner_code(owner);
    put_name(at + MAP_OWNER_NAME, name);
  }
}
