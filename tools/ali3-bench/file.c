/* SPDX-License-Identifier: MIT
 * The mechanism of a configuration file. */
#include "bench.h"

#include "config/setup.h"

#include <string.h>

ali3_model *file_model(const char *file, const struct plan *plan)
{
  const struct settings_overrides over = {.method = plan->method,
                                          .extrapolate = plan->extrapolate,
                                          .isa = strcmp(plan->isa, "auto") == 0 ? NULL : plan->isa};
  struct settings *s = setup_load(file, &over, stderr);
  if (!s) return NULL;
  ali3_model *m = s->model;
  s->model = NULL;
  settings_free(s);
  return m;
}
