/* SPDX-License-Identifier: MIT
 * The register map for people. Set-up only. */
#include "modbus/map.h"

#include <math.h>
#include <stdio.h>

static void add_row(struct sheet *sheet, const struct entry *e, const struct signals *signals)
{
  char text[128];
  const struct signal *s = e->signal >= 0 ? &signals->signal[e->signal] : NULL;
  struct sheet_modbus row = {.table = e->table,
                             .address = e->address,
                             .wire = e->wire,
                             .writable = e->table == TABLE_COIL || e->table == TABLE_HOLDING,
                             .name = s ? s->name : e->name,
                             .unit = s ? s->unit : e->unit,
                             .text = e->text};
  if (!row.name) return;
  if (!isnan(e->safe)) {
    snprintf(text, sizeof text, "%g while the state is not READY, RUNNING or PAUSED", e->safe);
    row.text = text;
  }
  sheet_add_modbus(sheet, &row);
}

bool modbus_map_sheet(const struct modbus_config *config, const struct signals *signals, struct sheet *sheet)
{
  struct modbus_table t;
  if (!modbus_table_init(&t, config, signals)) return false;
  for (const struct entry *e = t.entry; e < t.entry + t.count; e++) add_row(sheet, e, signals);
  modbus_table_free(&t);
  return sheet_complete(sheet);
}
