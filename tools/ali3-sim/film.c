/* SPDX-License-Identifier: MIT
 * At most 30 frames for each simulated second, and every step of the signals that are plotted. */
#include "film.h"

#include "page/one_page.h"
#include "scene/json.h"
#include "signals/states.h"

#include "outfile/outfile.h"

#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>

struct film {
  const char *file;
  const struct settings *settings;
  const struct signals *signals;
  long every; /* steps from frame to frame */
  uint32_t values, plots;
  uint32_t *value; /* (values) signals of a frame */
  uint32_t plot[FILM_PLOTS];
  struct record_bytes frames, dense;
  uint32_t cycles; /* in `dense` */
};

static bool refuse_film(const char *file, const char *text)
{
  fprintf(stderr, "ali3-sim: %s: %s\n", file, text);
  return false;
}

static bool shows_signal(const char *name)
{
  static const char *const globs[] = {"body.*.position.*", "body.*.orientation.*",       "platform.pose.*",
                                      "platform.legs.*",   "platform.legs_normalised.*", "joint.*.force.*"};
  for (size_t i = 0; i < sizeof globs / sizeof *globs; i++)
    if (fnmatch(globs[i], name, 0) == 0) return true;
  return false;
}

/* The signals that are plotted. False after printing the reason. */
static bool choose_plots(struct film *f, const char *globs)
{
  static const char *const usual[] = {"joint.*.position", "energy.total"};
  enum { USUAL_JOINTS = 3 };
  if (globs) {
    int count;
    int *chosen = signals_choose(f->signals, globs, "--signals", &count);
    for (int i = 0; chosen && i < count && f->plots < FILM_PLOTS; i++)
      f->plot[f->plots++] = (uint32_t)chosen[i];
    free(chosen);
    return chosen != NULL;
  }
  for (size_t g = 0; g < sizeof usual / sizeof *usual; g++)
    for (int i = 0; i < f->signals->count && f->plots < USUAL_JOINTS + g; i++)
      if (fnmatch(usual[g], f->signals->signal[i].name, 0) == 0) f->plot[f->plots++] = (uint32_t)i;
  return true;
}

static void film_free(struct film *f)
{
  wire_free(&f->frames);
  wire_free(&f->dense);
  free(f->value);
  free(f);
}

struct film *film_open(const char *file, const char *globs, const struct settings *s,
                       const struct signals *signals)
{
  struct film *f = calloc(1, sizeof *f);
  if (f) *f = (struct film){.file = file, .settings = s, .signals = signals};
  if (f) f->value = calloc((size_t)signals->count + 1, sizeof *f->value);
  if (!f || !f->value) {
    free(f);
    refuse_film(file, "out of memory");
    return NULL;
  }
  f->every = lround(fmax(1, 1 / (FILM_RATE * s->options.dt)));
  for (int i = 0; i < signals->count; i++)
    if (shows_signal(signals->signal[i].name)) f->value[f->values++] = (uint32_t)i;
  if (choose_plots(f, globs)) return f;
  film_free(f);
  return NULL;
}

/* Steps have no time but the simulated one. */
static uint64_t clock_of(double time)
{
  return (uint64_t)fmax(0, time * 1e9);
}

void film_add(struct film *f, long step, const double *values)
{
  /* Signal 0 is the time. */
  const struct wire_row row = {.cycle = (uint64_t)step, .time = values[0], .t_ns = clock_of(values[0])};
  if (f->plots) {
    wire_bytes(&f->dense, &row, sizeof row);
    wire_floats(&f->dense, values, f->plot, f->plots);
    wire_pad(&f->dense);
    f->cycles++;
  }
  if (step % f->every == 0) film_add_frame(f, step, values);
}

void film_add_frame(struct film *f, long number, const double *values)
{
  const double time = values[0];
  const struct wire_frame head = {.cycle = (uint64_t)number,
                                  .time = time,
                                  .t_ns = clock_of(time),
                                  .state = STATE_RUNNING,
                                  .values = f->values};
  const size_t begin = wire_begin(&f->frames, WIRE_FRAME);
  wire_bytes(&f->frames, &head, sizeof head);
  wire_floats(&f->frames, values, f->value, f->values);
  wire_end(&f->frames, begin);
}

static json_t *names_of(const struct film *f, const uint32_t *signal, uint32_t count)
{
  json_t *list = json_array();
  for (uint32_t i = 0; i < count; i++) {
    const struct signal *s = &f->signals->signal[signal[i]];
    json_array_append_new(list, json_pack("[s, s]", s->name, s->unit));
  }
  return list;
}

/* Head, frames, and the plots as one record. */
static void join_records(const struct film *f, struct record_bytes *all)
{
  const char *name = ali3_model_name(f->settings->model);
  const uint32_t dense[2] = {f->cycles, f->plots};
  wire_json(all, WIRE_HEAD,
            json_pack("{s:s, s:s, s:s, s:f, s:f, s:o, s:o, s:b}", "instance", name, "model", name, "hash", "",
                      "period_s", f->settings->options.dt, "rate", (double)FILM_RATE, "signals",
                      names_of(f, f->value, f->values), "dense", names_of(f, f->plot, f->plots), "recorded",
                      1));
  wire_bytes(all, f->frames.byte, f->frames.count);
  if (f->cycles == 0) return;
  const size_t begin = wire_begin(all, WIRE_DENSE);
  wire_bytes(all, dense, sizeof dense);
  wire_bytes(all, f->dense.byte, f->dense.count);
  wire_end(all, begin);
}

static json_t *scene_of(const struct settings *s)
{
  struct scene *scene = scene_new(s->model, s->platform.enabled ? &s->platform.spec.geometry : NULL);
  json_t *o = scene ? scene_json(scene) : NULL;
  if (o) json_object_set_new(o, "visual", scene_visual_json(s->visual, s->visuals, s->model));
  scene_free(scene);
  return o;
}

bool film_close(struct film *f)
{
  char error[300] = "out of memory";
  struct record_bytes all = {0};
  join_records(f, &all);
  json_t *scene = scene_of(f->settings);
  const bool made = scene && !all.failed && !f->frames.failed && !f->dense.failed;
  /* Write the file. */
  FILE *out = made ? outfile_open("--view", f->file) : NULL;
  bool good = out && one_page_write(out, scene, &all, error, sizeof error);
  if (!made || (out && !good)) refuse_film(f->file, error);
  if (out) good = outfile_close(out, "--view", f->file) && good;
  json_decref(scene);
  wire_free(&all);
  film_free(f);
  return good;
}
