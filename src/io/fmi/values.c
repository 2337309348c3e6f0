/* SPDX-License-Identifier: MIT
 * Variables of an instance. */
#include "fmi/instance.h"

#include <math.h>

static const unsigned SETTABLE = 1U << FMU_INSTANTIATED | 1U << FMU_INITIALIZATION | 1U << FMU_STEPPING;
static const unsigned READABLE =
    1U << FMU_INSTANTIATED | 1U << FMU_INITIALIZATION | 1U << FMU_STEPPING | 1U << FMU_TERMINATED;

/* The variable of a reference; NULL after a message. */
static const struct fmu_variable *find_variable(struct fmu *f, const char *call, uint32_t reference,
                                                bool whole)
{
  if (reference >= (uint32_t)f->table.count) {
    fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "%s: expected a value reference from 0 to %d, found %u", call,
            f->table.count - 1, (unsigned)reference);
    return NULL;
  }
  const struct fmu_variable *v = &f->table.variable[reference];
  if (((v->flags & FMU_WHOLE) != 0) == whole) return v;
  fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "%s: the variable \"%s\" (value reference %u) is %s", call, v->name,
          (unsigned)reference, whole ? "a real number" : "an integer");
  return NULL;
}

/* --- reading --- */

/* Signals need the initial state, which a parameter that was set since changes. */
static enum fmu_status observe_signals(struct fmu *f)
{
  const enum fmu_status status = f->phase == FMU_INITIALIZATION ? fmu_make_ready(f) : FMU_OK;
  if (status >= FMU_ERROR) return status;
  if (f->phase == FMU_INSTANTIATED)
    return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "outputs have no values before EnterInitializationMode");
  if (!f->ready) return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "outputs have no values without a state");
  if (!f->fresh) signals_observe(f->signals, f->model, f->data, NULL, f->observed);
  f->fresh = true;
  return status;
}

enum fmu_status fmu_get(struct fmu *f, const uint32_t *reference, size_t count, bool whole, double *value)
{
  if (!fmu_allows(f, "a Get function", READABLE)) return FMU_ERROR;
  if (count > 0 && (!reference || !value))
    return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "a Get function: expected two arrays, found NULL");
  enum fmu_status status = FMU_OK;
  for (size_t i = 0; i < count; i++) {
    const struct fmu_variable *v = find_variable(f, "a Get function", reference[i], whole);
    if (!v) return FMU_ERROR;
    /* Before the first signal, the state of the model. */
    if (v->kind == FMU_SIGNAL && (!f->fresh || f->phase <= FMU_INITIALIZATION)) {
      const enum fmu_status seen = observe_signals(f);
      if (seen >= FMU_ERROR) return seen;
      if (seen > status) status = seen;
    }
    value[i] = v->kind == FMU_TIME     ? fmu_now(f)
               : v->kind == FMU_SIGNAL ? f->observed[f->signal[reference[i]]]
                                       : f->wanted[reference[i]];
  }
  return status;
}

/* --- setting --- */

static bool is_allowed_value(const struct fmu_variable *v, double x)
{
  if (!isfinite(x) || ((v->flags & FMU_WHOLE) && x != floor(x))) return false;
  if (x < v->lower || (x == v->lower && v->flags & FMU_OPEN_LOWER)) return false;
  return !(x > v->upper || (x == v->upper && v->flags & FMU_OPEN_UPPER));
}

static bool check_setting(struct fmu *f, const struct fmu_variable *v, double x)
{
  if (v->kind == FMU_TIME || v->kind == FMU_SIGNAL)
    fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "a Set function: \"%s\" is no input and no parameter", v->name);
  else if (fmu_is_input(v->kind) && !isfinite(x))
    fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "a Set function: \"%s\": expected a finite number", v->name);
  else if (v->kind == FMU_PARAMETER && !is_allowed_value(v, x))
    fmu_say(f, FMU_ERROR, FMU_LOG_ERROR,
            "a Set function: \"%s\": expected %s %s %.6g and %s %.6g, found %.6g", v->name,
            v->flags & FMU_WHOLE ? "a whole number" : "a number",
            v->flags & FMU_OPEN_LOWER ? "above" : "from", v->lower,
            v->flags & FMU_OPEN_UPPER ? "below" : "at most", v->upper, x);
  else
    return true;
  return false;
}

enum fmu_status fmu_set(struct fmu *f, const uint32_t *reference, size_t count, bool whole,
                        const double *value)
{
  if (!fmu_allows(f, "a Set function", SETTABLE)) return FMU_ERROR;
  if (count > 0 && (!reference || !value))
    return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "a Set function: expected two arrays, found NULL");
  /* Nothing changes if one of them is refused. */
  for (size_t i = 0; i < count; i++) {
    const struct fmu_variable *v = find_variable(f, "a Set function", reference[i], whole);
    if (!v || !check_setting(f, v, value[i])) return FMU_ERROR;
  }
  for (size_t i = 0; i < count; i++) {
    f->wanted[reference[i]] = value[i];
    f->given[reference[i]] = true;
  }
  return FMU_OK;
}
