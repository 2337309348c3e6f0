/* SPDX-License-Identifier: MIT */
#include "daemon/print_map.h"

#include "daemon/bench.h"
#include "daemon/options.h"
#include "daemon/osc_setup.h"
#include "io/modbus_map.h"
#include "io/osc_sheet.h"
#include "io/sheet.h"

#include <ali3/ali3.h>
#include <stdio.h>

static bool add_modbus(const struct settings *s, struct sheet *sheet)
{
  const struct modbus_config config = bench_modbus_config(s);
  return !s->modbus.enabled || modbus_map_sheet(&config, s->signals, sheet);
}

int print_map(const struct settings *s, bool json)
{
  struct sheet *sheet = sheet_new();
  struct osc_setup osc = {0};
  const bool described =
      !s->osc.enabled || (sheet && osc_setup(&osc, s) && osc_sheet(&osc.config, s->signals, sheet));
  osc_setup_free(&osc);
  if (!described || !sheet || !add_modbus(s, sheet) || !sheet_complete(sheet)) {
    fprintf(stderr, "ali3d: %s\n", ali3_status_text(ALI3_E_MEMORY));
    sheet_free(sheet);
    return STATUS_FAILED;
  }
  if (json)
    sheet_print_json(sheet, stdout);
  else
    sheet_print(sheet, stdout);
  sheet_free(sheet);
  if (fflush(stdout) == 0 && !ferror(stdout)) return STATUS_OK;
  perror("ali3d: standard output");
  return STATUS_FAILED;
}
