/* SPDX-License-Identifier: MIT
 * Steps of an instance. */
#include "fmi/instance.h"

#include <ali3/stepper.h>
#include <math.h>
#include <string.h>

/* Part of a period by which the step of an importer may miss a whole number of periods. */
static const double ROUND = 1e-6;
enum { STEPS_MOST = 1000000 }; /* in one call */

/* --- inputs --- */

/* The value in use after a period, as that of an input of the daemon: its rate, then its range. */
static double latch_value(const struct fmu_variable *v, double before, double wanted, double period)
{
  const double most = v->rate * period;
  if (v->rate > 0.0)
    wanted = wanted > before + most ? before + most : wanted < before - most ? before - most : wanted;
  return wanted < v->lower ? v->lower : wanted > v->upper ? v->upper : wanted;
}

static void latch_fmu_inputs(struct fmu *f)
{
  /* The daemon counts time in nanoseconds. */
  const double period = 1e-9 * (double)(uint64_t)(fmu_period(f) * 1e9 + 0.5);
  for (int i = 0; i < f->table.count; i++) {
    const struct fmu_variable *v = &f->table.variable[i];
    if (fmu_is_input(v->kind) && f->given[i])
      f->acting[i] = latch_value(v, f->acting[i], f->wanted[i], period);
  }
}

/* The components of one vector stand side by side; those that are no inputs are 0. */
void fmu_apply_inputs(struct fmu *f)
{
  for (int i = 0; i < f->table.count;) {
    const struct fmu_variable *v = &f->table.variable[i];
    double vector[6] = {0};
    int next = i + 1;
    if (v->kind == FMU_COMMAND) ali3_set_command(f->model, f->data, v->element, f->acting[i]);
    if (v->kind == FMU_LOAD || v->kind == FMU_WRENCH) {
      for (next = i; next < f->table.count && f->table.variable[next].kind == v->kind &&
                     f->table.variable[next].element == v->element;
           next++)
        vector[f->table.variable[next].number] = f->acting[next];
      if (v->kind == FMU_LOAD)
        ali3_set_load(f->model, f->data, v->element, vector);
      else
        ali3_set_wrench(f->model, f->data, v->element, vector, vector + 3);
    }
    i = next;
  }
}

/* --- steps --- */

/* The number of periods in a step of the importer; 0 after a message. */
static int64_t count_periods(struct fmu *f, double point, double size)
{
  const double period = fmu_period(f), ratio = size / period, now = fmu_now(f);
  if (!(fabs(point - now) < 0.5 * period)) {
    fmu_say(f, FMU_ERROR, FMU_LOG_ERROR,
            "DoStep: expected the communication point %.9g s, which the last step reached, found %.9g s", now,
            point);
    return 0;
  }
  if (ratio >= 0.5 && ratio < STEPS_MOST + 0.5 && fabs(ratio - round(ratio)) < ROUND) return llround(ratio);
  fmu_say(f, FMU_ERROR, FMU_LOG_ERROR,
          "DoStep: expected a step of 1 to %d periods of %.9g s, found %.9g s; export the FMU with --period "
          "to change the period",
          STEPS_MOST, period, size);
  return 0;
}

/* One text in a second of simulated time. */
static void warn_of_step(struct fmu *f)
{
  char text[400];
  if (f->warned >= 0 && (double)(f->steps - f->warned) * fmu_period(f) < 1.0) return;
  f->warned = f->steps;
  ali3_report_text(f->model, f->data, text, sizeof text);
  fmu_say(f, FMU_WARNING, FMU_LOG_WARNING, "the step to %.9g s: %s", fmu_now(f), text);
}

static enum fmu_status step_once(struct fmu *f)
{
  char text[400];
  latch_fmu_inputs(f);
  fmu_apply_inputs(f);
  const int status = ali3_step(f->model, f->data);
  f->fresh = false;
  if (status < 0) {
    ali3_report_text(f->model, f->data, text, sizeof text);
    f->phase = FMU_FAILED;
    return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "the step from %.9g s failed: %s", fmu_now(f), text);
  }
  f->steps++;
  if (status == ALI3_OK) return FMU_OK;
  warn_of_step(f);
  return FMU_WARNING;
}

enum fmu_status fmu_step(struct fmu *f, double point, double size)
{
  enum fmu_status worst = FMU_OK;
  const int64_t periods = count_periods(f, point, size);
  if (periods == 0) return FMU_ERROR;
  if (fmu_is_retuned(f) && fmu_retune(f, true) >= FMU_ERROR) {
    f->phase = FMU_FAILED;
    return FMU_ERROR;
  }
  for (int64_t i = 0; i < periods && worst < FMU_ERROR; i++) {
    const enum fmu_status status = step_once(f);
    if (status > worst) worst = status;
  }
  return worst;
}
