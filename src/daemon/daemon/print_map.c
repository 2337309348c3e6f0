/* SPDX-License-Identifier: MIT */
#include "daemon/print_map.h"

#include "daemon/endpoints.h"
#include "wire/io_map.h"

#include <ali3/status.h>
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

int print_map(const struct settings *s, const char *path, enum map_format format)
{
  static void (*const print[])(const struct io_map *m,
                               FILE *out) = {[MAP_FORMAT_TEXT] = io_map_print,
                                             [MAP_FORMAT_JSON] = io_map_print_json,
                                             [MAP_FORMAT_CSV] = io_map_print_csv,
                                             [MAP_FORMAT_ST] = io_map_print_st,
                                             [MAP_FORMAT_ST_LOCATED] = io_map_print_st_located,
                                             [MAP_FORMAT_PLCOPEN] = io_map_print_plcopen};
  /* Collect the rows. */
  struct io_map *map = io_map_new();
  if (!map || !map_endpoints(s, map)) {
    fprintf(stderr, "ali3d: %s\n", ali3_status_text(ALI3_E_MEMORY));
    io_map_free(map);
    return STATUS_FAILED;
  }
  /* A list of variables without a variable looks like a list. */
  const bool variables =
      format == MAP_FORMAT_ST || format == MAP_FORMAT_ST_LOCATED || format == MAP_FORMAT_PLCOPEN;
  if (variables && !io_map_has_registers(map)) {
    fprintf(stderr,
            "ali3d: --print-map=%s: %s has no Modbus registers, so there are no variables; add the section "
            "modbus or devices\n",
            format == MAP_FORMAT_PLCOPEN ? "plcopen"
            : format == MAP_FORMAT_ST    ? "st"
                                         : "st-located",
            path);
    io_map_free(map);
    return STATUS_USAGE;
  }
  /* Print the rows. */
  print[format](map, stdout);
  io_map_free(map);
  return STATUS_OK;
}
