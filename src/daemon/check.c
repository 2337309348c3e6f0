/* SPDX-License-Identifier: MIT
 * What --check does. */
#include "daemon/check.h"

#include "daemon/options.h"

#include <stdio.h>

/* Loads of the model as the file has it: those of the inputs are counted as inputs. */
static int own_loads(const struct settings *s)
{
  int loads = ali3_model_loads(s->model);
  for (int i = 0; i < s->inputs; i++)
    if (s->input[i].kind == INPUT_WRENCH) loads -= 2;
  return loads;
}

int check_file(const char *file, const struct settings *s)
{
  ali3_data *d = ali3_data_new(s->model);
  if (!d) {
    fprintf(stderr, "ali3d: %s\n", ali3_status_text(ALI3_E_MEMORY));
    return STATUS_FAILED;
  }
  char text[400];
  const int status = ali3_reset(s->model, d);
  ali3_report_text(s->model, d, text, sizeof text);
  if (status < 0) {
    fprintf(stderr, "%s: error: %s\n", file, text);
  } else {
    printf("%s: ok: %s: bodies %d, joints %d, rows %d, loads %d, inputs %d, period %g s%s%s\n", file,
           ali3_model_name(s->model), ali3_model_bodies(s->model), ali3_model_joints(s->model),
           ali3_model_rows(s->model), own_loads(s), s->inputs, s->options.dt, text[0] ? "; " : "", text);
  }
  ali3_data_free(d);
  return status < 0 ? STATUS_USAGE : STATUS_OK;
}
