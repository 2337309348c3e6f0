/* SPDX-License-Identifier: MIT
 * The model of an instance with other parameters. It is made outside of any deadline, at the next step. */
#include "base/bits.h"
#include "fmi/instance.h"
#include "model/copy.h"

#include <ali3/state.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* --- places --- */

static bool find_in_solver(const char *field, bool whole, size_t *at)
{
  if (whole && strcmp(field, "iterations") == 0)
    *at = offsetof(ali3_options, iterations);
  else if (!whole && strcmp(field, "gamma") == 0)
    *at = offsetof(ali3_options, gamma);
  else
    return false;
  return true;
}

static enum spec_element element_of_owner(enum fmu_owner owner)
{
  return owner == FMU_OF_BODY    ? SPEC_OF_BODY
         : owner == FMU_OF_LOAD  ? SPEC_OF_LOAD
         : owner == FMU_OF_FORCE ? SPEC_OF_FORCE
                                 : SPEC_OF_SENSOR;
}

static int count_elements(const ali3_model *m, enum fmu_owner owner)
{
  return owner == FMU_OF_BODY    ? ali3_model_bodies(m)
         : owner == FMU_OF_LOAD  ? ali3_model_loads(m)
         : owner == FMU_OF_FORCE ? ali3_model_forces(m)
                                 : ali3_model_sensors(m);
}

/* Fields of elements hold whole numbers, or numbers in groups: the place of a parameter is one of them. */
static bool find_in_spec(const struct fmu_variable *v, const ali3_model *m, struct fmu_target *target)
{
  const struct spec_fields *fields = &spec_fields[element_of_owner(v->owner)];
  const bool whole = (v->flags & FMU_WHOLE) != 0;
  if (v->element < 0 || v->element >= count_elements(m, v->owner)) return false;
  for (int i = 0; i < fields->fields; i++) {
    const struct spec_field *field = &fields->field[i];
    if (field->kind != (whole ? SPEC_WHOLE : SPEC_NUMBERS) || strcmp(field->name, v->field) != 0) continue;
    target->at = field->at + (size_t)v->number * sizeof(double);
    if (whole) return v->number == 0 && v->mirror < 0;
    if (v->mirror >= 0) target->mirror = field->at + (size_t)v->mirror * sizeof(double);
    return v->number >= 0 && v->number < field->count && v->mirror < field->count;
  }
  return false;
}

bool fmu_find_targets(struct fmu *f, char *why, size_t size)
{
  for (int i = 0; i < f->table.count; i++) {
    const struct fmu_variable *v = &f->table.variable[i];
    struct fmu_target *target = &f->target[i];
    bool good = true;
    target->mirror = SIZE_MAX;
    /* Gravity, options of the solver, then the specs of elements. */
    if (v->kind != FMU_PARAMETER) continue;
    if (v->owner == FMU_OF_MODEL) {
      target->at = (size_t)v->number * sizeof(double);
      good = strcmp(v->field, "gravity") == 0 && v->number >= 0 && v->number < 3;
    } else if (v->owner == FMU_OF_SOLVER) {
      good = find_in_solver(v->field, (v->flags & FMU_WHOLE) != 0, &target->at);
    } else {
      good = v->owner != FMU_OF_NONE && find_in_spec(v, f->base, target);
    }
    if (good) continue;
    snprintf(why, size, "resources/variables: the model has no parameter for \"%s\"", v->name);
    return false;
  }
  return true;
}

/* --- copies --- */

struct tuning_edit {
  const struct fmu *fmu;
  const double *parameter; /* (table.count) */
};

static void put_parameters(const struct tuning_edit *e, enum fmu_owner owner, int element, char *base)
{
  for (int i = 0; i < e->fmu->table.count; i++) {
    const struct fmu_variable *v = &e->fmu->table.variable[i];
    const struct fmu_target *target = &e->fmu->target[i];
    if (v->kind != FMU_PARAMETER || v->owner != owner || v->element != element) continue;
    if (v->flags & FMU_WHOLE) {
      const int whole = (int)e->parameter[i];
      memcpy(base + target->at, &whole, sizeof whole);
      continue;
    }
    memcpy(base + target->at, &e->parameter[i], sizeof(double));
    if (target->mirror != SIZE_MAX) memcpy(base + target->mirror, &e->parameter[i], sizeof(double));
  }
}

static void edit_element(const void *of, enum spec_element element, int index, void *spec)
{
  if (element == SPEC_OF_BODY) put_parameters(of, FMU_OF_BODY, index, spec);
  if (element == SPEC_OF_LOAD) put_parameters(of, FMU_OF_LOAD, index, spec);
  if (element == SPEC_OF_FORCE) put_parameters(of, FMU_OF_FORCE, index, spec);
  if (element == SPEC_OF_SENSOR) put_parameters(of, FMU_OF_SENSOR, index, spec);
}

ali3_model *fmu_tuned_model(const struct fmu *f, const double *parameter, const char *isa, char *why,
                            size_t size)
{
  const struct tuning_edit edit = {f, parameter};
  ali3_options options = *ali3_model_options(f->base);
  double gravity[3];
  ali3_model *m = ali3_model_new();
  snprintf(why, size, "%s", ali3_status_text(ALI3_E_MEMORY));
  if (!m) return NULL;
  /* Gravity and options, then the elements. */
  ali3_model_gravity(f->base, gravity);
  put_parameters(&edit, FMU_OF_MODEL, 0, (char *)gravity);
  put_parameters(&edit, FMU_OF_SOLVER, 0, (char *)&options);
  if (isa) snprintf(options.isa, sizeof options.isa, "%s", isa);
  int status = ali3_model_set_gravity(m, gravity);
  if (status >= 0) status = model_copy_edited(m, f->base, &(struct model_edit){edit_element, &edit});
  if (status >= 0) status = ali3_model_freeze(m, &options);
  if (status >= 0) return m;
  snprintf(why, size, "%s", ali3_model_problem(m)->text);
  ali3_model_free(m);
  return NULL;
}

/* --- the model in use --- */

double fmu_period(const struct fmu *f)
{
  return ali3_model_options(f->base)->dt;
}

bool fmu_is_retuned(const struct fmu *f)
{
  for (int i = 0; i < f->table.count; i++)
    if (f->table.variable[i].kind == FMU_PARAMETER && !same_bits(&f->wanted[i], &f->acting[i], 1))
      return true;
  return false;
}

static bool has_file_parameters(const struct fmu *f)
{
  for (int i = 0; i < f->table.count; i++) {
    const struct fmu_variable *v = &f->table.variable[i];
    if (v->kind == FMU_PARAMETER && !same_bits(&f->wanted[i], &v->start, 1)) return false;
  }
  return true;
}

/* A reset makes penalties and stiff rows of the new model; then the motion goes on. */
static int carry_motion(const struct fmu *f, const ali3_model *m, ali3_data *d, char *why, size_t size)
{
  int status = ali3_reset(m, d);
  if (status < 0)
    ali3_report_text(m, d, why, size);
  else
    status = ali3_state_carry(m, d, f->model, f->data);
  if (status == ALI3_E_STATE || status == ALI3_E_ARGUMENT)
    snprintf(why, size, "%s", ali3_status_text(status));
  return status;
}

enum fmu_status fmu_retune(struct fmu *f, bool carry)
{
  char why[400];
  ali3_model *m = has_file_parameters(f) ? f->base : fmu_tuned_model(f, f->wanted, NULL, why, sizeof why);
  ali3_data *d = m ? ali3_data_new(m) : NULL;
  if (m && !d) snprintf(why, sizeof why, "%s", ali3_status_text(ALI3_E_MEMORY));
  /* The old model stays if the new one cannot go on. */
  if (!d || (carry && carry_motion(f, m, d, why, sizeof why) < 0)) {
    ali3_data_free(d);
    if (m != f->base) ali3_model_free(m);
    return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "the parameters are refused: %s", why);
  }
  ali3_data_free(f->data);
  if (f->model != f->base) ali3_model_free(f->model);
  f->model = m;
  f->data = d;
  f->ready = carry;
  f->fresh = false;
  for (int i = 0; i < f->table.count; i++)
    if (f->table.variable[i].kind == FMU_PARAMETER) f->acting[i] = f->wanted[i];
  return fmu_say(f, FMU_OK, FMU_LOG_EVENTS, "the model has new parameters from %.9g s on", fmu_now(f));
}
