/* SPDX-License-Identifier: MIT
 * What --check does. */
#include "daemon/check.h"

#include "daemon/options.h"

#include <stdio.h>

/* Forces of the model as the file has it: the loads of inputs are counted as inputs. */
static int own_forces(const struct settings *s)
{
  int forces = ali3_model_loads(s->model) + ali3_model_forces(s->model);
  for (int i = 0; i < s->inputs; i++)
    if (s->input[i].kind == INPUT_WRENCH) forces -= 2;
  return forces;
}

enum { ROWS_TO_ASK = 3000 }; /* of larger models the question takes long */

int check_file(const char *file, const struct settings *s)
{
  ali3_data *d = ali3_data_new(s->model);
  if (!d) {
    fprintf(stderr, "ali3d: %s\n", ali3_status_text(ALI3_E_MEMORY));
    return STATUS_FAILED;
  }
  char text[700], lines[60];
  const int status = ali3_reset(s->model, d);
  ali3_report_text(s->model, d, text, sizeof text);
  if (status < 0) {
    settings_drive_lines(s, ali3_violation_get(d), lines, sizeof lines);
    fprintf(stderr, "%s: error: %s%s\n", file, text, lines);
  } else {
    char redundant[40] = "";
    if (ali3_model_rows(s->model) <= ROWS_TO_ASK)
      snprintf(redundant, sizeof redundant, " (redundant %.0f)", ali3_redundant_rows(s->model, d));
    printf("%s: ok: %s: bodies %d, joints %d, forces %d, rows %d%s, inputs %d, %s%s%speriod %g s%s%s\n", file,
           ali3_model_name(s->model), ali3_model_bodies(s->model), ali3_model_joints(s->model), own_forces(s),
           ali3_model_rows(s->model), redundant, s->inputs, s->platform.enabled ? "platform " : "",
           s->platform.enabled ? platform_mode_name(s->platform.setup.spec.mode) : "",
           s->platform.enabled ? ", " : "", s->options.dt, text[0] ? "; " : "", text);
  }
  ali3_data_free(d);
  return status < 0 ? STATUS_USAGE : STATUS_OK;
}
