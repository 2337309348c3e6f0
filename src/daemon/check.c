/* SPDX-License-Identifier: MIT
 * What --check does, and the words about the initial state that the daemon uses too. */
#include "daemon/check.h"

#include "daemon/options.h"

#include <stdio.h>

void check_initial_text(const ali3_model *m, const ali3_data *d, int status, char *text, size_t size)
{
  const ali3_initial *moved = ali3_initial_get(d);
  const ali3_report *report = ali3_report_get(d);
  text[0] = '\0';
  if (status == ALI3_MOVED) {
    snprintf(text, size, "initial state moved by %.2g m%s%s%s, %.2g rad, %.2g m/s, %.2g rad/s",
             moved->moved_position, moved->body_position >= 0 ? " (body " : "",
             moved->body_position >= 0 ? ali3_model_body_name(m, moved->body_position) : "",
             moved->body_position >= 0 ? ")" : "", moved->moved_orientation, moved->moved_velocity,
             moved->moved_angular_velocity);
  } else if (status == ALI3_E_ASSEMBLE && report->worst_joint >= 0) {
    snprintf(text, size, "%s: joint \"%s\" stays open by %.3g", ali3_status_text(status),
             ali3_model_joint_name(m, report->worst_joint), report->position);
  } else if (status < 0) {
    snprintf(text, size, "%s", ali3_status_text(status));
  }
}

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
  char text[320];
  const int status = ali3_reset(s->model, d);
  check_initial_text(s->model, d, status, text, sizeof text);
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
