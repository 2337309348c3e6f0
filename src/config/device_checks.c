/* SPDX-License-Identifier: MIT
 * Devices beside each other: lines that several are on, and apparatus that several entries poll. Set-up only. */
#include "config/values.h"
#include "wire/serial.h"

#include <string.h>
#include <sys/stat.h>

enum { UNIT_LINE_MAX = 247, UNIT_ANY = 255 };
static const double LINE_TIMEOUT_MAX =
    5.0; /* s: the end of the daemon waits for an answer under way on a line */

static const struct node *of(const struct node *n, const char *key)
{
  const struct node *found = node_find(n, key);
  return found ? found : n;
}

/* 0 is for all of a line at once, and gets no answer. */
static bool check_unit(const struct modbus_device *d, const struct node *n, struct report *r)
{
  const bool line = d->place.serial.path;
  if (d->unit <= UNIT_LINE_MAX ? d->unit > 0 || !line : d->unit == UNIT_ANY && !line) return true;
  report_error(r, of(n, "unit")->at, "unit: expected a whole number from %d to %d%s, found %d", line ? 1 : 0,
               UNIT_LINE_MAX, line ? " on a serial line" : ", or 255", d->unit);
  return false;
}

static bool check_baud(const struct modbus_device *d, const struct node *n, struct report *r)
{
  if (!d->place.serial.path || serial_has_baud(d->place.serial.baud)) return true;
  report_error(r, of(n, "baud")->at,
               "baud: expected a speed that lines have (9600, 19200, 38400, 57600, 115200 ...), found %d",
               d->place.serial.baud);
  return false;
}

static bool check_timeout(const struct modbus_device *d, const struct node *n, struct report *r)
{
  if (!d->place.serial.path || d->timeout <= LINE_TIMEOUT_MAX) return true;
  report_error(r, of(n, "timeout")->at, "timeout: expected at most %g s on a serial line, found %g",
               LINE_TIMEOUT_MAX, d->timeout);
  return false;
}

/* Two names of one line, which would be driven twice: a link, say, as under /dev/serial. */
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

static bool check_name(const struct modbus_device *d, const struct modbus_device *other, const struct node *n,
                       struct report *r)
{
  if (!d->place.serial.path || !other->place.serial.path ||
      !is_alias(d->place.serial.path, other->place.serial.path))
    return true;
  report_error(r, node_find(n, "serial")->at,
               "serial: another name of the line of device \"%s\": expected %s", other->name,
               other->place.serial.path);
  return false;
}

static bool check_line(const struct modbus_device *d, const struct modbus_device *other, const struct node *n,
                       struct report *r)
{
  const struct serial_place *a = &d->place.serial, *b = &other->place.serial;
  if (!a->path || !b->path || strcmp(a->path, b->path) != 0) return true;
  const char *key = a->baud != b->baud             ? "baud"
                    : a->parity != b->parity       ? "parity"
                    : a->stop_bits != b->stop_bits ? "stop_bits"
                                                   : NULL;
  if (!key) return true;
  report_error(r, of(n, key)->at, "%s: another than that of device \"%s\", which is on the same line", key,
               other->name);
  return false;
}

static bool same_apparatus(const struct modbus_device *a, const struct modbus_device *b)
{
  if (a->unit != b->unit || !a->place.host != !b->place.host) return false;
  if (a->place.host) return a->place.port == b->place.port && strcmp(a->place.host, b->place.host) == 0;
  return strcmp(a->place.serial.path, b->place.serial.path) == 0;
}

static bool overlap(const struct wired *a, const struct wired *b)
{
  return !a->input && !b->input && a->table == b->table &&
         a->address < b->address + wire_registers(b->wire.type) &&
         b->address < a->address + wire_registers(a->wire.type);
}

/* One apparatus may be polled by several entries, each with a period of its own; but two that write one place would undo each
 * other's work. */
static bool check_writes(const struct modbus_device *d, const struct modbus_device *other,
                         const struct node *n, struct report *r)
{
  if (!same_apparatus(d, other)) return true;
  for (int i = 0; i < d->map.count; i++)
    for (int k = 0; k < other->map.count; k++)
      if (overlap(&d->map.item[i], &other->map.item[k])) {
        report_error(r, node_find(n, "map")->at,
                     "map: %s %d is written by device \"%s\" too, which is the same apparatus",
                     wire_table_name(d->map.item[i].table), d->map.item[i].address, other->name);
        return false;
      }
  return true;
}

void device_check(const struct settings *s, int index, const struct node *n, struct report *r)
{
  const struct modbus_device *d = &s->device[index];
  bool right = check_unit(d, n, r) && check_baud(d, n, r) && check_timeout(d, n, r);
  for (int i = 0; i < index && right; i++)
    right = check_name(d, &s->device[i], n, r) && check_line(d, &s->device[i], n, r) &&
            check_writes(d, &s->device[i], n, r);
}

void device_check_server_line(const struct node *list, const char *path, struct report *r)
{
  if (!path || !list || list->kind != NODE_LIST) return;
  for (const struct node *n = list->first; n; n = n->next) {
    const struct node *serial = n->kind == NODE_MAP ? node_find(n, "serial") : NULL;
    if (serial && serial->kind == NODE_SCALAR && is_same_line(serial->text, path))
      report_error(r, serial->at, "serial: the line of the section modbus: expected another one");
  }
}
