/* SPDX-License-Identifier: MIT */
#include "daemon/print_map.h"

#include "daemon/bench.h"
#include "daemon/options.h"
#include "daemon/osc_setup.h"
#include "modbus/map.h"
#include "osc/describe.h"
#include "packets/sheet.h"
#include "wire/sheet.h"

#include <ali3/ali3.h>
#include <stdio.h>

static bool add_modbus(const struct settings *s, struct sheet *sheet)
{
  const struct modbus_config config = bench_modbus_config(s);
  return !s->modbus.enabled || modbus_map_sheet(&config, s->signals, sheet);
}

static void add_device(const struct settings *s, const struct settings_device *d, struct sheet *sheet)
{
  char place[400];
  if (d->host)
    snprintf(place, sizeof place, "%s at %s:%d, unit %d", d->name, d->host, d->port, d->unit);
  else
    snprintf(place, sizeof place, "%s on %s, unit %d", d->name, d->serial.path, d->unit);
  for (int i = 0; i < d->map.count; i++) {
    const struct wired *w = &d->map.item[i];
    sheet_add_modbus(sheet, &(struct sheet_modbus){.device = place,
                                                   .table = w->table,
                                                   .address = w->address,
                                                   .wire = w->wire,
                                                   .writable = !w->input,
                                                   .name = s->signals->signal[w->signal].name,
                                                   .unit = s->signals->signal[w->signal].unit,
                                                   .text = w->input ? "ali3d reads it" : "ali3d writes it"});
  }
  if (d->alive >= 0)
    sheet_add_modbus(sheet, &(struct sheet_modbus){.device = place,
                                                   .table = TABLE_HOLDING,
                                                   .address = d->alive,
                                                   .wire = {WIRE_U16, WIRE_ABCD, 1.0, 0.0},
                                                   .name = "alive",
                                                   .text = "ali3d reads it: has to change"});
}

static void print_text(const struct settings *s, const struct sheet *sheet)
{
  sheet_print(sheet, stdout);
  if (!sheet_is_empty(sheet) && s->packets > 0) putchar('\n');
  packet_sheet_print(s->packet, s->packets, s->signals, stdout);
}

static void print_json(const struct settings *s, const struct sheet *sheet)
{
  putchar('{');
  sheet_print_json_members(sheet, stdout);
  fputs(", \"packets\": ", stdout);
  packet_sheet_print_json(s->packet, s->packets, s->signals, stdout);
  fputs("}\n", stdout);
}

int print_map(const struct settings *s, bool json)
{
  struct sheet *sheet = sheet_new();
  struct osc_setup osc = {0};
  const bool described =
      !s->osc.enabled || (sheet && osc_setup(&osc, s) && osc_sheet(&osc.config, s->signals, sheet));
  osc_setup_free(&osc);
  const bool mapped = described && sheet && add_modbus(s, sheet);
  for (int i = 0; mapped && i < s->devices; i++) add_device(s, &s->device[i], sheet);
  if (!mapped || !sheet_complete(sheet)) {
    fprintf(stderr, "ali3d: %s\n", ali3_status_text(ALI3_E_MEMORY));
    sheet_free(sheet);
    return STATUS_FAILED;
  }
  if (json)
    print_json(s, sheet);
  else
    print_text(s, sheet);
  sheet_free(sheet);
  if (fflush(stdout) == 0 && !ferror(stdout)) return STATUS_OK;
  perror("ali3d: standard output");
  return STATUS_FAILED;
}
