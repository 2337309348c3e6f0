/* SPDX-License-Identifier: MIT */
#include "daemon/print_map.h"

#include "daemon/endpoints.h"
#include "daemon/options.h"
#include "wire/sheet.h"

#include <ali3/ali3.h>
#include <stdio.h>

static bool map_endpoints(const struct settings *s, struct sheet *sheet)
{
  struct endpoints all;
  bool ok = true;
  endpoints_list(&all, s);
  for (int i = 0; i < ENDPOINTS && ok; i++) {
    const struct endpoint *e = &all.endpoint[i];
    ok = e->count == 0 || e->protocol->map(e, sheet);
  }
  endpoints_close(&all);
  return ok;
}

int print_map(const struct settings *s, bool json)
{
  struct sheet *sheet = sheet_new();
  if (!sheet || !map_endpoints(s, sheet)) {
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
