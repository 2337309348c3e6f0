/* SPDX-License-Identifier: MIT */
#include "daemon/print_map.h"

#include "daemon/endpoints.h"
#include "daemon/options.h"
#include "wire/io_map.h"

#include <ali3/ali3.h>
#include <stdio.h>

static bool map_endpoints(const struct settings *s, struct io_map *map)
{
  struct endpoints all;
  bool ok = true;
  endpoints_list(&all, s);
  for (int i = 0; i < ENDPOINTS && ok; i++) {
    const struct endpoint *e = &all.endpoint[i];
    ok = e->count == 0 || e->protocol->map(e, map);
  }
  endpoints_close(&all);
  return ok;
}

int print_map(const struct settings *s, bool json)
{
  struct io_map *map = io_map_new();
  if (!map || !map_endpoints(s, map)) {
    fprintf(stderr, "ali3d: %s\n", ali3_status_text(ALI3_E_MEMORY));
    io_map_free(map);
    return STATUS_FAILED;
  }
  if (json)
    io_map_print_json(map, stdout);
  else
    io_map_print(map, stdout);
  io_map_free(map);
  if (fflush(stdout) == 0 && !ferror(stdout)) return STATUS_OK;
  perror("ali3d: standard output");
  return STATUS_FAILED;
}
