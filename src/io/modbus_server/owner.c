/* SPDX-License-Identifier: MIT
 * Ownership of inputs: among the clients of this server, and between Modbus, OSC and devices. The frames of the loop
 * name the owner of each input. */
#include "modbus_server/map.h"

#define NS_PER_MS UINT64_C(1000000)

enum { TELL_MS = 1000 }; /* interval of the reports of refusals, for each input */

bool modbus_map_may_own(const struct modbus_map *map, uint32_t client, uint64_t now_ns)
{
  const uint16_t written = map->mapping->tab_registers[MAP_OWNER_TIMEOUT];
  const uint64_t silence_ns = (written ? written : map->owner_ms) * NS_PER_MS;
  return map->owner == 0 || map->owner == client || now_ns > map->owner_ns + silence_ns;
}

/* Returns signals->inputs if no input has this channel. */
static int input_of(const struct signals *s, int channel)
{
  int i = 0;
  while (i < s->inputs && channel >= s->input[i].first + s->input[i].count) i++;
  return i;
}

bool modbus_map_is_of_rig(const struct modbus_map *map, int channel)
{
  const struct signals *s = map->signals;
  const int i = input_of(s, channel);
  return i < s->inputs && input_is_of_rig(s->input[i].kind);
}

bool modbus_map_may_set(struct modbus_map *map, int channel, uint32_t client, uint64_t now_ns,
                        struct map_effect *effect)
{
  const int i = input_of(map->signals, channel);
  struct map_ownership *in = &map->input[i];
  const uint64_t sources = i < map->signals->inputs ? map->signals->input[i].sources : 0;
  struct input_owner owner = in->owner;
  if (owner.source == SOURCE_MODBUS)
    owner.source = OWNER_NONE; /* one of our own clients; this file knows which */
  if (owner.source == OWNER_NONE && (sources == 0 || sources >> SOURCE_MODBUS & 1)) {
    if (modbus_map_may_own(map, client, now_ns)) return true;
    owner = (struct input_owner){.source = SOURCE_MODBUS, .client = map->owner};
  }

  if (effect->owned) return false; /* one refused input per write is reported */
  effect->owned = true;
  effect->input = i;
  effect->owner = owner;
  effect->tell = in->told_ns == 0 || now_ns > in->told_ns + TELL_MS * NS_PER_MS;
  if (effect->tell) in->told_ns = now_ns;
  return false;
}

void modbus_map_show_owners(struct modbus_map *map, const struct frame *f)
{
  for (int i = 0; i <= map->signals->inputs; i++) map->input[i].owner = frame_owner(f, i);
}
