/* SPDX-License-Identifier: MIT
 * Reads a configuration, freezes its model and makes its signal table. Set-up only. */
#include "config/setup.h"

#include "findings/choose.h"
#include "findings/choose_rows.h"
#include "loop/figures.h"

#include <ali3/linear.h>
#include <math.h>
#include <stdio.h>

/* Signals of the model, the inputs, the platform and the loop. NULL when out of memory. */
static struct signals *make_signals(const struct settings *s)
{
  int figures;
  struct signal *figure = figures_list(s->model, &figures);
  if (!figure) return NULL;
  const struct signals_more more = {.platform = s->platform.enabled ? &s->platform.spec.geometry : NULL,
                                    .rig = s->rig.enabled,
                                    .figure = figure,
                                    .figures = figures};
  struct signals *signals = signals_new_with(s->model, s->input, s->inputs, &more);
  figures_free(figure, figures);
  return signals;
}

/* The imu of a washout must feel gravity along its z axis, or the platform tilts and sinks at rest. */
static bool check_gravity(struct settings_reader *reader, const struct settings *s)
{
  static const double tolerance = 0.7, most_sine = 0.26; /* m/s^2; 15 degrees */
  const struct platform_setup *p = &s->platform;
  if (!p->enabled || p->spec.mode != PLATFORM_WASHOUT || p->imu < 0) return true;
  ali3_data *d = ali3_data_new(s->model);
  ali3_sensor_state imu;
  double gravity[3], felt[3];
  /* A model that cannot be assembled is reported later. */
  const bool assembled = d && ali3_reset(s->model, d) >= 0;
  if (assembled) ali3_sensor_get(s->model, d, p->imu, &imu);
  ali3_data_free(d);
  if (!assembled) return true;
  /* The reading at rest, in the axes of the sensor. */
  ali3_model_gravity(s->model, gravity);
  const double *e = imu.orientation;
  const double R[3][3] = {
      {1 - 2 * (e[2] * e[2] + e[3] * e[3]), 2 * (e[1] * e[2] - e[0] * e[3]), 2 * (e[1] * e[3] + e[0] * e[2])},
      {2 * (e[1] * e[2] + e[0] * e[3]), 1 - 2 * (e[1] * e[1] + e[3] * e[3]), 2 * (e[2] * e[3] - e[0] * e[1])},
      {2 * (e[1] * e[3] - e[0] * e[2]), 2 * (e[2] * e[3] + e[0] * e[1]),
       1 - 2 * (e[1] * e[1] + e[2] * e[2])}};
  for (int c = 0; c < 3; c++) felt[c] = -(R[0][c] * gravity[0] + R[1][c] * gravity[1] + R[2][c] * gravity[2]);
  const double size = sqrt(felt[0] * felt[0] + felt[1] * felt[1] + felt[2] * felt[2]);
  const bool upright = felt[2] > 0.0 && hypot(felt[0], felt[1]) <= most_sine * size;
  if (fabs(size - 9.81) <= tolerance && upright) return true;
  settings_refuse(
      reader, "platform", "imu",
      "at the start it reads (%.2f, %.2f, %.2f) m/s^2 at rest: the washout expects some (0, 0, 9.81); set "
      "model.gravity to 9.81 m/s^2 downwards, or turn the sensor so that its z axis points up",
      felt[0], felt[1], felt[2]);
  return false;
}

/* Leaves rows out as solver.redundant says. */
static void choose_redundant_rows(struct settings *s)
{
  struct rows_choice choice;
  const enum redundant how = (enum redundant)s->redundant;
  if (how == REDUNDANT_KEEP || !s->model) return;
  ali3_options options = s->options;
  if (options.iterations < 0) options.iterations = ali3_options_default().iterations; /* auto */
  choose_rows(s->model, &options, how, &choice);
  choose_rows_text(&choice, how, s->rows, sizeof s->rows);
}

/* Replaces the word auto of solver.iterations by a number. */
static void choose_number_of_iterations(struct settings *s)
{
  struct iterations_choice choice;
  if (s->options.iterations >= 0 || !s->model) return;
  choose_iterations(s->model, &s->options, &choice);
  s->options.iterations = choice.iterations;
  choose_iterations_text(&choice, s->options.dt, s->iterations, sizeof s->iterations);
}

int setup_rest(const struct settings *s, const ali3_model *m, ali3_data *d, char *why, size_t size)
{
  ali3_problem problem = {0};
  if (s->start != START_REST) return ALI3_OK;
  const int status = ali3_equilibrium(m, d, NULL, NULL, &problem);
  if (status < 0) snprintf(why, size, "simulation.start: rest: %s", problem.text);
  return status;
}

int setup_start(const struct settings *s, const ali3_model *m, ali3_data *d, char *why, size_t size)
{
  const int status = ali3_reset(m, d);
  if (status < 0) ali3_report_text(m, d, why, size);
  return status < 0 ? status : setup_rest(s, m, d, why, size);
}

struct settings *setup_load(const char *file, const struct settings_overrides *over, FILE *errors)
{
  struct settings_reader *reader = settings_open(file, over, errors);
  if (!reader) return NULL;
  struct settings *s = settings_read_so_far(reader);
  choose_redundant_rows(s);
  choose_number_of_iterations(s);
  if (ali3_model_freeze(s->model, &s->options) < 0)
    settings_not_frozen(reader);
  else if (check_gravity(reader, s))
    settings_connect(reader, make_signals(s));
  return settings_close(reader);
}

bool setup_expand(const char *file, const struct settings_overrides *over, FILE *out, FILE *errors)
{
  struct settings_reader *reader = settings_open(file, over, errors);
  if (!reader) return false;
  settings_print_plain(reader, out);
  struct settings *s = settings_close(reader);
  settings_free(s);
  return s != NULL;
}
