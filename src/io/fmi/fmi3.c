/* SPDX-License-Identifier: MIT
 * FMI 3.0 for Co-Simulation: the functions that an FMU of ali3 has. Each enters the floating-point mode of the library, and
 * restores the mode of the importer. */
#include "fmi/fmi3.h"

#include "base/float_mode.h"
#include "fmi/instance.h"

#include <stdlib.h>
#include <string.h>

static const unsigned EVERY_PHASE = (1U << FMU_PHASES) - 1U;

const char *fmi3GetVersion(void)
{
  return "3.0";
}

/* --- instances --- */

static void put_fmi3_message(const struct fmu_log *log, enum fmu_status status, const char *category,
                             const char *text)
{
  union {
    void *call;
    fmi3LogMessageCallback log;
  } u = {.call = log->call};
  u.log(log->environment, (fmi3Status)status, category, text);
}

static struct fmu_log fmi3_log(fmi3InstanceEnvironment environment, fmi3LogMessageCallback call)
{
  union {
    fmi3LogMessageCallback log;
    void *call;
  } u = {.log = call};
  return (struct fmu_log){.put = call ? put_fmi3_message : NULL, .environment = environment, .call = u.call};
}

static fmi3Instance refuse_instance(fmi3InstanceEnvironment environment, fmi3LogMessageCallback call,
                                    const char *text)
{
  if (call) call(environment, fmi3Error, fmu_category_name[FMU_LOG_ERROR], text);
  return NULL;
}

fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log)
{
  (void)name, (void)token, (void)resources, (void)visible, (void)logging;
  return refuse_instance(environment, log,
                         "this FMU is for co-simulation; it cannot be instantiated for model exchange");
}

fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
                                               fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock)
{
  (void)name, (void)token, (void)resources, (void)visible, (void)logging, (void)update, (void)lock,
      (void)unlock;
  return refuse_instance(environment, log,
                         "this FMU is for co-simulation; it cannot be instantiated for scheduled execution");
}

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                         fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                         size_t intermediates, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
  const struct fmu_log to = fmi3_log(environment, log);
  (void)visible, (void)early_return, (void)intermediate, (void)update;
  if (event_mode)
    return refuse_instance(environment, log,
                           "this FMU has no event mode; expected eventModeUsed to be false");
  if (intermediates > 0)
    return refuse_instance(environment, log,
                           "this FMU has no intermediate update; expected no requiredIntermediateVariables");
  const uint64_t mode = float_mode_enter();
  struct fmu *f = fmu_open(name, token, resources, &to);
  float_mode_leave(mode);
  if (f) f->silent[FMU_LOG_EVENTS] = !logging;
  return f;
}

void fmi3FreeInstance(fmi3Instance instance)
{
  fmu_close(instance);
}

fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count,
                               const fmi3String categories[])
{
  struct fmu *f = instance;
  if (!f) return fmi3Error;
  for (int c = 0; c < FMU_CATEGORIES && count == 0; c++) f->silent[c] = !on;
  for (size_t i = 0; i < count; i++) {
    int c = 0;
    while (c < FMU_CATEGORIES &&
           (!categories || !categories[i] || strcmp(fmu_category_name[c], categories[i]) != 0))
      c++;
    if (c == FMU_CATEGORIES)
      return (fmi3Status)fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "SetDebugLogging: no category \"%s\"",
                                 categories && categories[i] ? categories[i] : "");
    f->silent[c] = !on;
  }
  return fmi3OK;
}

/* --- phases --- */

/* A call on an instance, which computes. */
#define FMI3_CALL(f, name, phases, expression)                                                               \
  do {                                                                                                       \
    if (!(f) || !fmu_allows(f, name, phases)) return fmi3Error;                                              \
    const uint64_t mode_ = float_mode_enter();                                                               \
    const enum fmu_status status_ = (expression);                                                            \
    float_mode_leave(mode_);                                                                                 \
    return (fmi3Status)status_;                                                                              \
  } while (0)

fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined,
                                       fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stop_defined,
                                       fmi3Float64 stop)
{
  struct fmu *f = instance;
  (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
  FMI3_CALL(f, "EnterInitializationMode", 1U << FMU_INSTANTIATED, fmu_enter_initialization(f, start));
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance instance)
{
  struct fmu *f = instance;
  FMI3_CALL(f, "ExitInitializationMode", 1U << FMU_INITIALIZATION, fmu_exit_initialization(f));
}

static enum fmu_status terminate_instance(struct fmu *f)
{
  f->phase = FMU_TERMINATED;
  return FMU_OK;
}

fmi3Status fmi3Terminate(fmi3Instance instance)
{
  struct fmu *f = instance;
  FMI3_CALL(f, "Terminate", 1U << FMU_STEPPING, terminate_instance(f));
}

fmi3Status fmi3Reset(fmi3Instance instance)
{
  struct fmu *f = instance;
  FMI3_CALL(f, "Reset", EVERY_PHASE, fmu_reset(f));
}

fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 point, fmi3Float64 size, fmi3Boolean no_set_prior,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_time)
{
  struct fmu *f = instance;
  (void)no_set_prior;
  if (event) *event = false;
  if (terminate) *terminate = false;
  if (early_return) *early_return = false;
  if (!f || !fmu_allows(f, "DoStep", 1U << FMU_STEPPING)) return fmi3Error;
  const uint64_t mode = float_mode_enter();
  const enum fmu_status status = fmu_step(f, point, size);
  if (last_time) *last_time = fmu_now(f);
  float_mode_leave(mode);
  return (fmi3Status)status;
}

/* --- variables --- */

static bool has_equal_counts(struct fmu *f, const char *call, size_t references, size_t values)
{
  if (references == values) return true;
  fmu_say(f, FMU_ERROR, FMU_LOG_ERROR,
          "%s: every variable has one value; found %zu references and %zu values", call, references, values);
  return false;
}

fmi3Status fmi3GetFloat64(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                          fmi3Float64 value[], size_t values)
{
  struct fmu *f = instance;
  if (f && !has_equal_counts(f, "GetFloat64", references, values)) return fmi3Error;
  FMI3_CALL(f, "GetFloat64", EVERY_PHASE, fmu_get(f, reference, references, false, value));
}

fmi3Status fmi3SetFloat64(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                          const fmi3Float64 value[], size_t values)
{
  struct fmu *f = instance;
  if (f && !has_equal_counts(f, "SetFloat64", references, values)) return fmi3Error;
  FMI3_CALL(f, "SetFloat64", EVERY_PHASE, fmu_set(f, reference, references, false, value));
}

/* One by one: an FMU has a few integers at most. */
static enum fmu_status get_whole_numbers(struct fmu *f, const fmi3ValueReference *reference, size_t count,
                                         fmi3Int32 *value)
{
  if (count > 0 && (!reference || !value)) return fmu_get(f, NULL, count, true, NULL);
  for (size_t i = 0; i < count; i++) {
    double x;
    const enum fmu_status status = fmu_get(f, &reference[i], 1, true, &x);
    if (status >= FMU_ERROR) return status;
    value[i] = (fmi3Int32)x;
  }
  return FMU_OK;
}

static enum fmu_status set_whole_numbers(struct fmu *f, const fmi3ValueReference *reference, size_t count,
                                         const fmi3Int32 *value)
{
  if (count > 0 && (!reference || !value)) return fmu_set(f, NULL, count, true, NULL);
  for (size_t i = 0; i < count; i++) {
    const double x = value[i];
    const enum fmu_status status = fmu_set(f, &reference[i], 1, true, &x);
    if (status >= FMU_ERROR) return status;
  }
  return FMU_OK;
}

fmi3Status fmi3GetInt32(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                        fmi3Int32 value[], size_t values)
{
  struct fmu *f = instance;
  if (f && !has_equal_counts(f, "GetInt32", references, values)) return fmi3Error;
  FMI3_CALL(f, "GetInt32", EVERY_PHASE, get_whole_numbers(f, reference, references, value));
}

fmi3Status fmi3SetInt32(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                        const fmi3Int32 value[], size_t values)
{
  struct fmu *f = instance;
  if (f && !has_equal_counts(f, "SetInt32", references, values)) return fmi3Error;
  FMI3_CALL(f, "SetInt32", EVERY_PHASE, set_whole_numbers(f, reference, references, value));
}

/* --- states --- */

/* The bytes of a state with their number in front. */
struct fmi3_state {
  size_t size;
  unsigned char bytes[];
};

static struct fmi3_state *allocate_fmi3_state(struct fmu *f, size_t size)
{
  struct fmi3_state *s = malloc(sizeof *s + size);
  if (s)
    s->size = size;
  else
    fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "a state of %zu bytes: out of memory", size);
  return s;
}

/* *state NULL: makes one; else writes over it. */
static enum fmu_status take_fmi3_state(struct fmu *f, fmi3FMUState *state)
{
  if (!state) return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "GetFMUState: expected a place for the state");
  struct fmi3_state *s = *state ? *state : allocate_fmi3_state(f, fmu_state_size(f));
  if (!s) return FMU_ERROR;
  const enum fmu_status status = fmu_state_save(f, s->bytes);
  if (status < FMU_ERROR)
    *state = s;
  else if (!*state)
    free(s);
  return status;
}

fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state)
{
  struct fmu *f = instance;
  FMI3_CALL(f, "GetFMUState", EVERY_PHASE, take_fmi3_state(f, state));
}

static enum fmu_status put_fmi3_state(struct fmu *f, const struct fmi3_state *s)
{
  if (!s) return fmu_say(f, FMU_ERROR, FMU_LOG_ERROR, "SetFMUState: expected a state, found NULL");
  return fmu_state_load(f, s->bytes, s->size);
}

fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state)
{
  struct fmu *f = instance;
  FMI3_CALL(f, "SetFMUState", EVERY_PHASE, put_fmi3_state(f, state));
}

fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state)
{
  if (!instance) return fmi3Error;
  if (!state) return fmi3OK;
  free(*state);
  *state = NULL;
  return fmi3OK;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t *size)
{
  const struct fmi3_state *s = state;
  if (!instance || !s || !size) return fmi3Error;
  *size = s->size;
  return fmi3OK;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
  const struct fmi3_state *s = state;
  if (!instance || !s || !bytes) return fmi3Error;
  if (size != s->size)
    return (fmi3Status)fmu_say(instance, FMU_ERROR, FMU_LOG_ERROR,
                               "SerializeFMUState: expected room for %zu bytes, found %zu", s->size, size);
  memcpy(bytes, s->bytes, size);
  return fmi3OK;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState *state)
{
  struct fmu *f = instance;
  if (!f || !bytes || !state) return fmi3Error;
  if (size != fmu_state_size(f))
    return (fmi3Status)fmu_say(f, FMU_ERROR, FMU_LOG_ERROR,
                               "DeserializeFMUState: a state of this FMU has %zu bytes, found %zu",
                               fmu_state_size(f), size);
  struct fmi3_state *s = allocate_fmi3_state(f, size);
  if (!s) return fmi3Error;
  memcpy(s->bytes, bytes, size);
  *state = s;
  return fmi3OK;
}
