/* SPDX-License-Identifier: MIT
 * The "devices" list: Modbus devices that are polled. Set-up only. */
#include "config/values.h"
#include "signals/exchange.h"

#include <stdlib.h>
#include <string.h>

/* Where it is: over the network, or on a line. */
static bool check_place(const struct node *n, const struct device_values *v, struct report *r)
{
  const struct node *host = node_find(n, "host"), *serial = node_find(n, "serial");
  if (!host && !serial) {
    report_error(r, n->at, "missing key \"host\" (or \"serial\") in a device");
    return false;
  }
  if (host && serial) {
    report_error(r, serial->key_at,
                 "a device is on the network or on a serial line: expected one of the two keys, found both");
    return false;
  }
  static const char *const of_line[] = {"baud", "parity", "stop_bits", NULL}, *const of_network[] = {"port",
                                                                                                     NULL};
  const struct node *stray;
  for (const char *const *key = host ? of_line : of_network; *key; key++)
    if ((stray = node_find(n, *key))) {
      report_error(r, stray->key_at, "\"%s\" has no meaning for a device %s", *key,
                   host ? "on the network" : "on a serial line");
      return false;
    }
  return !host || check_address(r, v->host, host);
}

/* A section osc or modbus sets one of its channels by its own map. */
static bool is_mapped(const struct settings *s, const struct input_spec *spec)
{
  const int first = s->signals->input_first + spec->first, end = first + spec->count;
  const struct wiring *registers = &s->modbus.map;
  const struct mapping *addresses = &s->osc.map;
  bool mapped = false;
  for (int i = 0; i < registers->count; i++)
    mapped |=
        registers->item[i].input && registers->item[i].signal >= first && registers->item[i].signal < end;
  for (int i = 0; i < addresses->count; i++)
    mapped |=
        addresses->item[i].input && addresses->item[i].signal >= first && addresses->item[i].signal < end;
  return mapped;
}

/* A value has to last until the next one comes, though one answer may be late. */
static void check_hold(const struct modbus_device *d, const struct input_spec *spec, const struct node *n,
                       struct report *r)
{
  const struct node *period = node_find(n, "period");
  if (spec->hold >= 2.0 * d->period) return;
  report_error(r, (period ? period : node_find(n, "map"))->at,
               "period: input \"%.40s\" holds a value for %g s: expected half of that or less, found %g%s",
               spec->name, spec->hold, d->period, period ? "" : ", its default");
}

/* The inputs a device sets have no other source. */
static void claim_inputs(struct settings *s, const struct modbus_device *d, int index, const struct node *n,
                         struct report *r)
{
  const struct node *map = node_find(n, "map");
  for (int i = 0; i < s->inputs; i++) {
    const struct input_spec *known = &s->signals->input[i];
    bool mine = false;
    for (int k = 0; k < d->map.count; k++) {
      const int channel = d->map.item[k].signal - s->signals->input_first;
      mine |= d->map.item[k].input && channel >= known->first && channel < known->first + known->count;
    }
    if (!mine) continue;
    if (known->sources >> SOURCE_DEVICE)
      report_error(r, map->at, "map: input \"%.40s\" is set by another device already", known->name);
    else if (known->sources)
      report_error(
          r, map->at,
          "map: input \"%.40s\" has a \"from\", but what a device sets has no other source: leave one "
          "of the two out",
          known->name);
    else if (is_mapped(s, known))
      report_error(
          r, map->at,
          "map: input \"%.40s\" is in the map of osc or modbus, but what a device sets has no other source",
          known->name);
    check_hold(d, known, n, r);
    s->signals->input[i].sources = s->input[i].sources = UINT64_C(1) << (SOURCE_DEVICE + index);
  }
}

/* False when out of memory; mistakes are in the report. */
static bool read_device(const struct node *n, struct settings *s, struct names *seen, struct report *r)
{
  struct device_values v = {.device.alive = -1};
  if (n->kind != NODE_MAP || !schema_read(&schema_device, n, &v, r)) return true;
  const struct node *name = node_find(n, "name"), *map = node_find(n, "map");
  if (!is_name(v.name)) {
    report_error(r, name->at, NAME_EXPECTED, NAME_LENGTH_MAX, v.name);
    return true;
  }
  if (names_find(seen, v.name) >= 0) {
    report_error(r, name->at, "name: two devices are named \"%s\"", v.name);
    return true;
  }
  if (!check_place(n, &v, r)) return true;
  if (s->devices == DEVICES_MAX) {
    report_error(r, n->at, "devices: expected %d at most", DEVICES_MAX);
    return true;
  }
  struct modbus_device *d = &s->device[s->devices++];
  *d = v.device;
  d->name = strdup(v.name);
  d->place.host = v.host ? strdup(v.host) : NULL;
  d->place.serial.path = v.serial ? strdup(v.serial) : NULL;
  if (!d->name || (v.host && !d->place.host) || (v.serial && !d->place.serial.path)) return false;
  const struct wiring_rules rules = {.order = (enum wire_order)v.word_order};
  if (!wiring_read(map, &rules, s->signals, &d->map, r)) return false;
  if (d->map.count == 0 && map->count == 0) report_error(r, map->at, "map: expected one entry at least");
  device_check(s, s->devices - 1, n, r);
  claim_inputs(s, d, s->devices - 1, n, r);
  return names_add(seen, v.name, s->devices);
}

bool devices_read(const struct node *list, struct settings *s, struct report *r)
{
  if (!list || list->kind != NODE_LIST || list->count == 0) return true;
  s->device = calloc(DEVICES_MAX, sizeof *s->device);
  if (!s->device) return false;
  struct names seen = {0};
  bool memory = true;
  for (const struct node *n = list->first; n && memory; n = n->next) memory = read_device(n, s, &seen, r);
  names_free(&seen);
  return memory;
}
