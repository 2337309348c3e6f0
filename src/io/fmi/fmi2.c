/* SPDX-License-Identifier: MIT
 * FMI 2.0 for Co-Simulation, by the functions of FMI 3.0: both standards mean the same calls, with other names and arguments. */
#include "fmi/fmi2.h"

#include "base/float_mode.h"
#include "fmi/fmi3.h"
#include "fmi/instance.h"

const char *fmi2GetTypesPlatform(void)
{
  return "default";
}

const char *fmi2GetVersion(void)
{
  return "2.0";
}

/* --- instances --- */

static void put_fmi2_message(const struct fmu_log *log, enum fmu_status status, const char *category,
                             const char *text)
{
  const fmi2CallbackFunctions *functions = log->call;
  functions->logger(log->environment, log->name, (fmi2Status)status, category, "%s", text);
}

/* The standard says that the functions of the importer stay valid while the instance exists. */
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging)
{
  union {
    const fmi2CallbackFunctions *functions;
    void *call;
  } u = {.functions = functions};
  const bool logs = functions && functions->logger;
  const struct fmu_log log = {.put = logs ? put_fmi2_message : NULL,
                              .environment = functions ? functions->componentEnvironment : NULL,
                              .call = u.call,
                              .name = name ? name : ""};
  (void)visible;
  /* Model exchange would need derivatives of states. */
  if (type != fmi2CoSimulation) {
    if (logs)
      log.put(&log, FMU_ERROR, fmu_category_name[FMU_LOG_ERROR],
              "this FMU is for co-simulation; it cannot be instantiated for model exchange");
    return NULL;
  }
  const uint64_t mode = float_mode_enter();
  struct fmu *f = fmu_open(name, guid, resources, &log);
  float_mode_leave(mode);
  if (f) f->silent[FMU_LOG_EVENTS] = !logging;
  return f;
}

void fmi2FreeInstance(fmi2Component c)
{
  fmi3FreeInstance(c);
}

fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[])
{
  return (fmi2Status)fmi3SetDebugLogging(c, on != 0, count, categories);
}

/* --- phases --- */

/* The standard wants this call before the initialization mode. */
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop)
{
  struct fmu *f = c;
  (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
  if (!f || !fmu_allows(f, "SetupExperiment", 1U << FMU_INSTANTIATED)) return fmi2Error;
  f->start = start;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
  const struct fmu *f = c;
  return (fmi2Status)fmi3EnterInitializationMode(c, false, 0.0, f ? f->start : 0.0, false, 0.0);
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
  return (fmi2Status)fmi3ExitInitializationMode(c);
}

fmi2Status fmi2Terminate(fmi2Component c)
{
  return (fmi2Status)fmi3Terminate(c);
}

fmi2Status fmi2Reset(fmi2Component c)
{
  return (fmi2Status)fmi3Reset(c);
}

/* --- variables --- */

fmi2Status fmi2GetReal(fmi2Component c, const fmi2ValueReference reference[], size_t count, fmi2Real value[])
{
  return (fmi2Status)fmi3GetFloat64(c, reference, count, value, count);
}

fmi2Status fmi2SetReal(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                       const fmi2Real value[])
{
  return (fmi2Status)fmi3SetFloat64(c, reference, count, value, count);
}

fmi2Status fmi2GetInteger(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                          fmi2Integer value[])
{
  return (fmi2Status)fmi3GetInt32(c, reference, count, value, count);
}

fmi2Status fmi2SetInteger(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                          const fmi2Integer value[])
{
  return (fmi2Status)fmi3SetInt32(c, reference, count, value, count);
}

fmi2Status fmi2GetBoolean(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                          fmi2Boolean value[])
{
  (void)value;
  return (fmi2Status)fmi3GetBoolean(c, reference, count, NULL, count);
}

fmi2Status fmi2SetBoolean(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                          const fmi2Boolean value[])
{
  (void)value;
  return (fmi2Status)fmi3SetBoolean(c, reference, count, NULL, count);
}

fmi2Status fmi2GetString(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                         fmi2String value[])
{
  return (fmi2Status)fmi3GetString(c, reference, count, value, count);
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                         const fmi2String value[])
{
  return (fmi2Status)fmi3SetString(c, reference, count, value, count);
}

/* --- states --- */

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state)
{
  return (fmi2Status)fmi3GetFMUState(c, state);
}

fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state)
{
  return (fmi2Status)fmi3SetFMUState(c, state);
}

fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state)
{
  return (fmi2Status)fmi3FreeFMUState(c, state);
}

fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size)
{
  return (fmi2Status)fmi3SerializedFMUStateSize(c, state, size);
}

fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size)
{
  return (fmi2Status)fmi3SerializeFMUState(c, state, (fmi3Byte *)bytes, size);
}

fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state)
{
  return (fmi2Status)fmi3DeserializeFMUState(c, (const fmi3Byte *)bytes, size, state);
}

/* --- derivatives --- */

fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns,
                                        const fmi2Real seed[], fmi2Real sensitivity[])
{
  return (fmi2Status)fmi3GetDirectionalDerivative(c, unknown, unknowns, known, knowns, seed, knowns,
                                                  sensitivity, unknowns);
}

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                                       const fmi2Integer order[], const fmi2Real value[])
{
  (void)reference, (void)order, (void)value;
  if (!c) return fmi2Error;
  if (count == 0) return fmi2OK;
  return (fmi2Status)fmu_say(c, FMU_ERROR, FMU_LOG_ERROR, "this FMU does not interpolate inputs");
}

fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                                        const fmi2Integer order[], fmi2Real value[])
{
  return (fmi2Status)fmi3GetOutputDerivatives(c, reference, count, order, value, count);
}

/* --- steps: none of them runs in the background --- */

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real point, fmi2Real size, fmi2Boolean no_set_prior)
{
  return (fmi2Status)fmi3DoStep(c, point, size, no_set_prior != 0, NULL, NULL, NULL, NULL);
}

static fmi2Status refuse_status(fmi2Component c, const char *call)
{
  if (!c) return fmi2Error;
  return (fmi2Status)fmu_say(c, FMU_ERROR, FMU_LOG_ERROR,
                             "%s: DoStep of this FMU returns when the step is done, so no step is pending",
                             call);
}

fmi2Status fmi2CancelStep(fmi2Component c)
{
  return refuse_status(c, "CancelStep");
}

fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status *value)
{
  (void)kind, (void)value;
  return refuse_status(c, "GetStatus");
}

fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *value)
{
  const struct fmu *f = c;
  if (!f || kind != fmi2LastSuccessfulTime || !value) return refuse_status(c, "GetRealStatus");
  *value = fmu_now(f);
  return fmi2OK;
}

fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind, fmi2Integer *value)
{
  (void)kind, (void)value;
  return refuse_status(c, "GetIntegerStatus");
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value)
{
  const struct fmu *f = c;
  if (!f || kind != fmi2Terminated || !value) return refuse_status(c, "GetBooleanStatus");
  *value = 0;
  return fmi2OK;
}

fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String *value)
{
  (void)kind, (void)value;
  return refuse_status(c, "GetStringStatus");
}
