/* SPDX-License-Identifier: MIT
 * ali3-lab: a model file as a problem. No other file of the laboratory knows the loader of configuration files. */
#include "config/setup.h"
#include "coordinates/problem_make.h"
#include "lab_tool.h"

#include <ali3/model.h>
#include <stdlib.h>
#include <string.h>

struct model_file {
  struct settings *settings;
  ali3_data *data; /* reset: joints are closed */
};

struct model_file *model_file_open(const char *file, const struct command_texts *sets)
{
  const struct settings_overrides over = {.set = sets ? sets->text : NULL, .sets = sets ? sets->count : 0};
  struct model_file *f = calloc(1, sizeof *f);
  char text[1000];
  if (!f) return NULL;
  f->settings = setup_load(file, &over, stderr);
  if (f->settings) f->data = ali3_data_new(f->settings->model);
  if (f->data && ali3_reset(f->settings->model, f->data) >= 0) return f;
  if (f->data) {
    ali3_report_text(f->settings->model, f->data, text, sizeof text);
    fprintf(stderr, "ali3-lab: %s: %s\n", file, text);
  } else if (f->settings) {
    fprintf(stderr, "ali3-lab: out of memory\n");
  }
  model_file_close(f);
  return NULL;
}

void model_file_close(struct model_file *f)
{
  if (!f) return;
  ali3_data_free(f->data);
  if (f->settings) settings_free(f->settings);
  free(f);
}

const ali3_model *model_file_model(const struct model_file *f)
{
  return f->settings->model;
}

double model_file_duration(const struct model_file *f)
{
  return f->settings->duration > 0 ? f->settings->duration : 10;
}

static struct place place_of_refusal(const struct places *p, const struct lab_refusal *why)
{
  if (strcmp(why->element, "body") == 0) return places_get(&p->body, why->index);
  if (strcmp(why->element, "joint") == 0) return places_get(&p->joint, why->index);
  if (strcmp(why->element, "force") == 0) return places_get(&p->force, why->index);
  return p->model;
}

static const char *name_of_refusal(const ali3_model *m, const struct lab_refusal *why)
{
  if (strcmp(why->element, "body") == 0) return ali3_model_body_name(m, why->index);
  if (strcmp(why->element, "joint") == 0) return ali3_model_joint_name(m, why->index);
  if (strcmp(why->element, "force") == 0) return ali3_model_force_name(m, why->index);
  return NULL;
}

bool model_file_make(const struct model_file *f, const struct description *kind, struct problem *p,
                     struct lab_refusal *why)
{
  return problem_make(p, kind, f->settings->model, f->data, why);
}

void model_file_refusal(const struct model_file *f, const struct lab_refusal *why, char *text, size_t size)
{
  const char *name = name_of_refusal(f->settings->model, why);
  snprintf(text, size, "%s%s%s: %s", why->element, name ? " " : "", name ? name : "", why->text);
}

bool model_file_problem(const struct model_file *f, const struct description *kind, struct problem *p)
{
  struct lab_refusal why;
  if (model_file_make(f, kind, p, &why)) return true;
  const struct place at = place_of_refusal(&f->settings->places, &why);
  char text[400];
  model_file_refusal(f, &why, text, sizeof text);
  fprintf(stderr, "%s:%d:%d: error: %s\n", f->settings->places.file, at.line, at.column, text);
  return false;
}
