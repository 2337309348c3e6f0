/* SPDX-License-Identifier: MIT
 * Reads a configuration, freezes its model and makes its signal table. Set-up only. */
#include "setup/setup.h"

#include "loop/figures.h"

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

struct settings *setup_load(const char *file, const struct settings_overrides *over, FILE *errors)
{
  struct settings_reader *reader = settings_open(file, over, errors);
  if (!reader) return NULL;
  struct settings *s = settings_read_so_far(reader);
  if (ali3_model_freeze(s->model, &s->options) < 0)
    settings_not_frozen(reader);
  else
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
