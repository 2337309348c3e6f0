/* SPDX-License-Identifier: MIT
 * The mechanism of a configuration file. */
#include "bench.h"

#include "setup/setup.h"

#include <string.h>

ali3_model *file_model(const char *file, const char *isa, bool extrapolate)
{
  const struct settings_overrides over = {.extrapolate = extrapolate,
                                          .isa = strcmp(isa, "auto") == 0 ? NULL : isa};
  struct settings *s = setup_load(file, &over, stderr);
  if (!s) return NULL;
  ali3_model *m = s->model;
  s->model = NULL;
  settings_free(s);
  return m;
}
