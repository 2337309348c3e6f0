/* SPDX-License-Identifier: MIT */
#include "fmi/instance.h"

#include "fmi/place.h"

#include <ali3/flat.h>
#include <ali3/linear.h>
#include <stdlib.h>
#include <string.h>

/* --- opening --- */

static bool read_model_resource(struct fmu *f, const char *bytes, size_t size, char *why, size_t why_size)
{
  f->base = ali3_model_new();
  if (f->base && ali3_model_flat_read(f->base, bytes, size) >= 0 &&
      ali3_model_freeze(f->base, ali3_model_options(f->base)) >= 0)
    return true;
  snprintf(why, why_size, "resources/model.ali3: %s",
           f->base ? ali3_model_problem(f->base)->text : ali3_status_text(ALI3_E_MEMORY));
  return false;
}

static uint64_t first_bytes(const char token[FMU_TOKEN])
{
  uint64_t hash = 14695981039346656037U; /* FNV-1a */
  for (const char *c = token; *c; c++) hash = (hash ^ (unsigned char)*c) * 1099511628211U;
  return hash;
}

/* Both files, and the token that belongs to them. */
static bool read_resources(struct fmu *f, const char *token, const char *resources, char *why, size_t size)
{
  char *model = NULL, *table = NULL, own[FMU_TOKEN];
  size_t model_size, table_size;
  bool good = fmu_resource_read(resources, "model.ali3", &model, &model_size, why, size) &&
              fmu_resource_read(resources, "variables", &table, &table_size, why, size);
  if (good) {
    fmu_token(model, model_size, table, table_size, own);
    good = token && strcmp(own, token) == 0;
    if (!good)
      snprintf(why, size, "the token is \"%s\", but the resources of this FMU have \"%s\"",
               token ? token : "", own);
  }
  /* The table, then the model that it belongs to. */
  if (good) {
    fmu_token("", 0, table, table_size, own);
    f->table_hash = first_bytes(own);
    good = fmu_table_read(&f->table, table, table_size, why, size) &&
           read_model_resource(f, model, model_size, why, size);
  }
  free(model);
  free(table);
  return good;
}

/* The element of an input exists and takes it. */
static bool is_right_input(const ali3_model *m, const struct fmu_variable *v)
{
  const int e = v->element;
  switch (v->kind) {
  case FMU_LOAD:
    return e >= 0 && e < ali3_model_loads(m) && v->number >= 0 && v->number < 3;
  case FMU_WRENCH:
    return e >= 0 && e < ali3_model_bodies(m) && v->number >= 0 && v->number < 6;
  case FMU_COMMAND:
    return e >= 0 && e < ali3_model_forces(m) && ali3_model_force_takes_command(m, e);
  default:
    return true;
  }
}

static bool connect_variables(struct fmu *f, char *why, size_t size)
{
  for (int i = 0; i < f->table.count; i++) {
    const struct fmu_variable *v = &f->table.variable[i];
    f->signal[i] = v->kind == FMU_SIGNAL ? signals_find(f->signals, v->name) : -1;
    if ((v->kind != FMU_SIGNAL || f->signal[i] >= 0) && is_right_input(f->base, v)) continue;
    snprintf(why, size, "resources/variables: the model has nothing for \"%s\"", v->name);
    return false;
  }
  return true;
}

static bool allocate_instance(struct fmu *f, char *why, size_t size)
{
  const size_t n = (size_t)f->table.count;
  snprintf(why, size, "%s", ali3_status_text(ALI3_E_MEMORY));
  f->model = f->base;
  f->signals = signals_new(f->base, NULL, 0);
  f->data = ali3_data_new(f->base);
  f->observed = f->signals ? calloc((size_t)f->signals->count, sizeof *f->observed) : NULL;
  f->target = calloc(n, sizeof *f->target);
  f->signal = calloc(n, sizeof *f->signal);
  f->wanted = calloc(n, sizeof *f->wanted);
  f->acting = calloc(n, sizeof *f->acting);
  f->given = calloc(n, sizeof *f->given);
  return f->data && f->observed && f->target && f->signal && f->wanted && f->acting && f->given;
}

static void restore_start_values(struct fmu *f)
{
  for (int i = 0; i < f->table.count; i++) {
    f->wanted[i] = f->table.variable[i].start;
    f->given[i] = false;
    if (f->table.variable[i].kind != FMU_PARAMETER) f->acting[i] = f->wanted[i];
  }
  f->phase = FMU_INSTANTIATED;
  f->ready = f->fresh = false;
  f->start = 0.0;
  f->steps = 0;
  f->warned = -1;
}

struct fmu *fmu_open(const char *name, const char *token, const char *resources, const struct fmu_log *log)
{
  char why[600] = "out of memory";
  struct fmu *f = calloc(1, sizeof *f);
  if (!f) return NULL;
  f->log = *log;
  f->name = strdup(name ? name : "");
  f->log.name = f->name;
  /* Resources, room, and what the variables mean. */
  bool good = f->name && read_resources(f, token, resources, why, sizeof why) &&
              allocate_instance(f, why, sizeof why) && connect_variables(f, why, sizeof why) &&
              fmu_find_targets(f, why, sizeof why);
  if (good) {
    restore_start_values(f);
    for (int i = 0; i < f->table.count; i++) f->acting[i] = f->wanted[i];
    return f;
  }
  fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "%s", why);
  fmu_close(f);
  return NULL;
}

void fmu_close(struct fmu *f)
{
  if (!f) return;
  ali3_data_free(f->data);
  if (f->model != f->base) ali3_model_free(f->model);
  ali3_model_free(f->base);
  signals_free(f->signals);
  fmu_table_free(&f->table);
  free(f->observed);
  free(f->target);
  free(f->signal);
  free(f->wanted);
  free(f->acting);
  free(f->given);
  free(f->name);
  free(f);
}

/* --- phases --- */

static void say_moves(struct fmu *f)
{
  const ali3_initial *i = ali3_data_initial(f->data);
  fmu_say(f, FMU_OK, FMU_LOG_EVENTS,
          "the initial poses and velocities were moved onto the joints: by up to %.3g m, %.3g rad, %.3g m/s "
          "and %.3g rad/s",
          i->moved_position, i->moved_orientation, i->moved_velocity, i->moved_angular_velocity);
}

/* The initial state of the model with its parameters. */
static enum fmu_status start_motion(struct fmu *f)
{
  char why[400];
  ali3_problem problem = {0};
  f->ready = f->fresh = false;
  for (int i = 0; i < f->table.count; i++) /* a reset keeps wrenches */
    if (f->table.variable[i].kind == FMU_WRENCH)
      ali3_set_wrench(f->model, f->data, f->table.variable[i].element, (const double[3]){0},
                      (const double[3]){0});
  const int status = ali3_reset(f->model, f->data);
  if (status < 0) {
    ali3_report_text(f->model, f->data, why, sizeof why);
    return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "the mechanism has no initial state: %s", why);
  }
  if (status == ALI3_MOVED) say_moves(f);
  if (f->table.rest && ali3_equilibrium(f->model, f->data, NULL, NULL, &problem) < 0)
    return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "simulation.start: rest: %s", problem.text);
  f->ready = true;
  return FMU_OK;
}

enum fmu_status fmu_make_ready(struct fmu *f)
{
  enum fmu_status status = FMU_OK;
  if (f->ready && !fmu_is_retuned(f)) return FMU_OK;
  if (fmu_is_retuned(f)) status = fmu_retune(f, false);
  if (status < FMU_ERROR) status = start_motion(f);
  if (status >= FMU_ERROR) f->phase = FMU_FAILED;
  return status;
}

enum fmu_status fmu_enter_initialization(struct fmu *f, double start)
{
  if (!(start - start == 0.0)) /* NaN or infinite */
    return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "expected a finite start time");
  f->start = start;
  f->steps = 0;
  f->phase = FMU_INITIALIZATION;
  return fmu_make_ready(f);
}

enum fmu_status fmu_exit_initialization(struct fmu *f)
{
  const enum fmu_status status = fmu_make_ready(f);
  if (status < FMU_ERROR) f->phase = FMU_STEPPING;
  return status;
}

enum fmu_status fmu_reset(struct fmu *f)
{
  restore_start_values(f);
  return FMU_OK;
}
