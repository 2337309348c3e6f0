/* SPDX-License-Identifier: MIT
 * The list "devices": Modbus devices that the daemon polls. Several devices may share a line, and several entries may poll one
 * device. Set-up only. */
#include "config/wiring.h"
#include "signals/exchange.h"
#include "wire/serial.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* --- checks of a device, and of a device with earlier ones --- */

enum { UNIT_LINE_MAX = 247, UNIT_ANY = 255 };
static const double LINE_TIMEOUT_MAX = 5.0; /* s: the daemon waits for an answer on a line before it ends */

static const struct node *node_or_element(const struct node *n, const char *key)
{
  const struct node *found = node_find(n, key);
  return found ? found : n;
}

/* On a line unit 0 is a broadcast, which no device answers. */
static bool check_unit(const struct modbus_device *d, const struct node *n, struct report *r)
{
  const bool line = d->remote.serial.path || d->remote.rtu;
  if (d->unit <= UNIT_LINE_MAX ? d->unit > 0 || !line : d->unit == UNIT_ANY && !line) return true;
  report_error(r, node_or_element(n, "unit")->at, "unit: expected a whole number from %d to %d%s, found %d",
               line ? 1 : 0, UNIT_LINE_MAX,
               d->remote.rtu ? " with framing: rtu"
               : line        ? " on a serial line"
                             : ", or 255",
               d->unit);
  return false;
}

static bool check_baud(const struct modbus_device *d, const struct node *n, struct report *r)
{
  if (!d->remote.serial.path || serial_has_baud(d->remote.serial.baud)) return true;
  report_error(r, node_or_element(n, "baud")->at,
               "baud: expected a speed that lines have (9600, 19200, 38400, 57600, 115200 ...), found %d",
               d->remote.serial.baud);
  return false;
}

static bool check_timeout(const struct modbus_device *d, const struct node *n, struct report *r)
{
  if (!d->remote.serial.path || d->timeout <= LINE_TIMEOUT_MAX) return true;
  report_error(r, node_or_element(n, "timeout")->at,
               "timeout: expected at most %g s on a serial line, found %g", LINE_TIMEOUT_MAX, d->timeout);
  return false;
}

/* Two paths name one line, such as a link below /dev/serial, and the daemon would open it twice. */
static bool is_alias(const char *a, const char *b)
{
  struct stat x, y;
  return strcmp(a, b) != 0 && stat(a, &x) == 0 && stat(b, &y) == 0 && S_ISCHR(x.st_mode) &&
         S_ISCHR(y.st_mode) && x.st_rdev == y.st_rdev;
}

bool is_same_line(const char *a, const char *b)
{
  return strcmp(a, b) == 0 || is_alias(a, b);
}

static bool check_line_name(const struct modbus_device *d, const struct modbus_device *other,
                            const struct node *n, struct report *r)
{
  if (!d->remote.serial.path || !other->remote.serial.path ||
      !is_alias(d->remote.serial.path, other->remote.serial.path))
    return true;
  report_error(r, node_find(n, "serial")->at, "serial: this is the line of device \"%s\"; write it as %s",
               other->name, other->remote.serial.path);
  return false;
}

static bool check_line_settings(const struct modbus_device *d, const struct modbus_device *other,
                                const struct node *n, struct report *r)
{
  const struct serial_config *a = &d->remote.serial, *b = &other->remote.serial;
  if (!a->path || !b->path || strcmp(a->path, b->path) != 0) return true;
  const char *key = a->baud != b->baud             ? "baud"
                    : a->parity != b->parity       ? "parity"
                    : a->stop_bits != b->stop_bits ? "stop_bits"
                                                   : NULL;
  if (!key) return true;
  report_error(r, node_or_element(n, key)->at,
               "%s: differs from device \"%s\" on this line: expected one value for both", key, other->name);
  return false;
}

static bool is_one_port(const struct modbus_device *a, const struct modbus_device *b)
{
  return a->remote.host && b->remote.host && a->remote.port == b->remote.port &&
         strcmp(a->remote.host, b->remote.host) == 0;
}

static bool check_framing(const struct modbus_device *d, const struct modbus_device *other,
                          const struct node *n, struct report *r)
{
  if (!is_one_port(d, other) || d->remote.rtu == other->remote.rtu) return true;
  report_error(r, node_or_element(n, "framing")->at,
               "framing: differs from device \"%s\" at this port: expected one value for both", other->name);
  return false;
}

static bool is_one_device(const struct modbus_device *a, const struct modbus_device *b)
{
  if (a->unit != b->unit || !a->remote.host != !b->remote.host) return false;
  if (a->remote.host) return is_one_port(a, b);
  return strcmp(a->remote.serial.path, b->remote.serial.path) == 0;
}

static bool registers_overlap(const struct wired *a, const struct wired *b)
{
  return !a->input && !b->input && a->table == b->table &&
         a->address < b->address + wire_registers(b->wire.type) &&
         b->address < a->address + wire_registers(a->wire.type);
}

/* Several entries may poll one device with different periods. If two of them wrote one register, they would overwrite each
 * other. */
static bool check_writes(const struct modbus_device *d, const struct modbus_device *other,
                         const struct node *n, struct report *r)
{
  if (!is_one_device(d, other)) return true;
  for (int i = 0; i < d->map.count; i++)
    for (int k = 0; k < other->map.count; k++)
      if (registers_overlap(&d->map.item[i], &other->map.item[k])) {
        report_error(r, node_find(n, "map")->at,
                     "map: %s %d is written by entry \"%s\" for this device already; remove one of the two",
                     wire_table_name(d->map.item[i].table), d->map.item[i].address, other->name);
        return false;
      }
  return true;
}

/* Checks one device, and compares it with earlier devices. */
static void check_device(const struct settings *s, int index, const struct node *n, struct report *r)
{
  const struct modbus_device *d = &s->device[index];
  bool right = check_unit(d, n, r) && check_baud(d, n, r) && check_timeout(d, n, r);
  for (int i = 0; i < index && right; i++)
    right = check_line_name(d, &s->device[i], n, r) && check_line_settings(d, &s->device[i], n, r) &&
            check_framing(d, &s->device[i], n, r) && check_writes(d, &s->device[i], n, r);
}

void device_check_server_line(const struct node *list, const char *path, struct report *r)
{
  if (!path || !list || list->kind != NODE_LIST) return;
  for (const struct node *n = list->first; n; n = n->next) {
    const struct node *serial = n->kind == NODE_MAP ? node_find(n, "serial") : NULL;
    if (serial && serial->kind == NODE_SCALAR && is_same_line(serial->text, path))
      report_error(r, serial->at, "serial: the section modbus serves this line: expected another line");
  }
}

/* --- the list --- */

/* A device has either a host or a serial line, and no key of the other. */
static bool check_device_place(const struct node *n, const struct device_values *v, struct report *r)
{
  const struct node *host = node_find(n, "host"), *serial = node_find(n, "serial");
  if (!host && !serial) {
    report_error(
        r, n->at,
        "missing key \"host\" (or \"serial\") in a device: expected a numeric address such as 192.168.0.10");
    return false;
  }
  if (host && serial) {
    report_error(r, serial->key_at,
                 "a device is on the network or on a serial line: expected one of the two keys, found both");
    return false;
  }
  /* Report keys of the other place. */
  static const char *const of_line[] = {"baud", "parity", "stop_bits", NULL}, *const of_network[] = {
                                                                                  "port", "framing", NULL};
  const struct node *stray;
  for (const char *const *key = host ? of_line : of_network; *key; key++)
    if ((stray = node_find(n, *key))) {
      report_error(r, stray->key_at, "\"%s\" has no meaning for a device %s; remove it", *key,
                   host ? "on the network" : "on a serial line");
      return false;
    }
  return !host || check_address(r, v->host, host);
}

/* The map of the section osc or modbus sets a channel of this input. */
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

/* A value lasts until the next value arrives, even if one answer is late. */
static void check_hold(const struct modbus_device *d, const struct input_spec *spec, const struct node *n,
                       struct report *r)
{
  const struct node *period = node_find(n, "period");
  if (spec->watchdog > 0.0 && spec->watchdog < 2.0 * d->period)
    report_error(
        r, (period ? period : node_find(n, "map"))->at,
        "period: input \"%.40s\" has a watchdog of %g s: expected at most half of that time, found %g%s",
        spec->name, spec->watchdog, d->period, period ? "" : ", its default");
  if (spec->hold >= 2.0 * d->period) return;
  report_error(
      r, (period ? period : node_find(n, "map"))->at,
      "period: input \"%.40s\" holds a value for %g s: expected at most half of that time, found %g%s",
      spec->name, spec->hold, d->period, period ? "" : ", its default");
}

/* An input that a device sets has no other source. */
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
    /* Report every other source of an input that this device sets. */
    if (!mine) continue;
    if (known->sources >> SOURCE_DEVICE)
      report_error(r, map->at,
                   "map: another device sets input \"%.40s\" already: expected one device for each input",
                   known->name);
    else if (known->sources)
      report_error(r, map->at,
                   "map: input \"%.40s\" has the key \"from\", and an input that a device sets has no other "
                   "source; remove one of the two",
                   known->name);
    else if (is_mapped(s, known))
      report_error(r, map->at,
                   "map: input \"%.40s\" is in the map of osc or modbus, and an input that a device sets has "
                   "no other source; remove "
                   "one of the two",
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
  const struct node *map = node_find(n, "map");
  if (!check_element_name(r, n, v.name, seen, "device")) return true;
  if (!check_device_place(n, &v, r)) return true;
  if (s->devices == DEVICES_MAX) {
    report_error(r, n->at, "devices: expected at most %d", DEVICES_MAX);
    return true;
  }
  /* Fill in the device, with copies of the texts. */
  struct modbus_device *d = &s->device[s->devices++];
  *d = v.device;
  d->remote.rtu = v.host && v.framing == FRAMING_RTU;
  d->name = strdup(v.name);
  d->remote.host = v.host ? strdup(v.host) : NULL;
  d->remote.serial.path = v.serial ? strdup(v.serial) : NULL;
  if (!d->name || (v.host && !d->remote.host) || (v.serial && !d->remote.serial.path)) return false;
  /* Read its map, and compare it with the maps of earlier devices. */
  const struct wiring_rules rules = {.order = (enum wire_order)v.word_order};
  if (!wiring_read(map, &rules, s->signals, &d->map, r)) return false;
  if (d->map.count == 0 && map->count == 0) report_error(r, map->at, "map: expected at least one entry");
  check_device(s, s->devices - 1, n, r);
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
