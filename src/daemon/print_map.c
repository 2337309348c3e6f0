/* SPDX-License-Identifier: MIT */
#include "daemon/print_map.h"

#include "daemon/options.h"
#include "io/sheet.h"

#include <ali3/ali3.h>
#include <stdio.h>

int print_map(const struct settings *s, bool json)
{
  (void)s;
  struct sheet *sheet = sheet_new();
  if (!sheet || !sheet_complete(sheet)) {
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
