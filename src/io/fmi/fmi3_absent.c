/* SPDX-License-Identifier: MIT
 * FMI 3.0: functions for variables of other types and for other interface types. The standard wants every function in the object.
 * Without variables, a call for none of them is right; each other call is an error with its reason. */
#include "fmi/fmi3.h"
#include "fmi/instance.h"

static fmi3Status refuse_call(fmi3Instance instance, const char *call, const char *reason)
{
  if (instance) fmu_say(instance, FMU_ERROR, FMU_LOG_ERROR, "%s: %s", call, reason);
  return fmi3Error;
}

/* --- other types --- */

static fmi3Status take_none(fmi3Instance instance, const char *call, size_t references)
{
  if (instance && references == 0) return fmi3OK;
  return refuse_call(instance, call, "this FMU has variables of the types Float64 and Int32 only");
}

#define ABSENT_TYPE_LIST(X)                                                                                  \
  X(Float32) X(Int8) X(UInt8) X(Int16) X(UInt16) X(UInt32) X(Int64) X(UInt64) X(Boolean) X(String)
#define ABSENT_TYPE(Type)                                                                                    \
  fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,   \
                           fmi3##Type value[], size_t values)                                                \
  {                                                                                                          \
    (void)reference, (void)value, (void)values;                                                              \
    return take_none(instance, "Get" #Type, references);                                                     \
  }                                                                                                          \
  fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,   \
                           const fmi3##Type value[], size_t values)                                          \
  {                                                                                                          \
    (void)reference, (void)value, (void)values;                                                              \
    return take_none(instance, "Set" #Type, references);                                                     \
  }
ABSENT_TYPE_LIST(ABSENT_TYPE)

fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                         size_t size[], fmi3Binary value[], size_t values)
{
  (void)reference, (void)size, (void)value, (void)values;
  return take_none(instance, "GetBinary", references);
}

fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                         const size_t size[], const fmi3Binary value[], size_t values)
{
  (void)reference, (void)size, (void)value, (void)values;
  return take_none(instance, "SetBinary", references);
}

fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                        fmi3Clock value[])
{
  (void)reference, (void)value;
  return take_none(instance, "GetClock", references);
}

fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                        const fmi3Clock value[])
{
  (void)reference, (void)value;
  return take_none(instance, "SetClock", references);
}

/* --- clocks --- */

#define CLOCK_CALL(Name, ...)                                                                                \
  fmi3Status fmi3##Name(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,      \
                        __VA_ARGS__)                                                                         \
  {                                                                                                          \
    (void)reference;                                                                                         \
    if (instance && references == 0) return fmi3OK;                                                          \
    return refuse_call(instance, #Name, "this FMU has no clocks");                                           \
  }
/* The unused arguments have the names of the standard. */
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-parameter"
CLOCK_CALL(GetIntervalDecimal, fmi3Float64 interval[], fmi3IntervalQualifier qualifier[])
CLOCK_CALL(GetIntervalFraction, fmi3UInt64 counter[], fmi3UInt64 resolution[],
           fmi3IntervalQualifier qualifier[])
CLOCK_CALL(GetShiftDecimal, fmi3Float64 shift[])
CLOCK_CALL(GetShiftFraction, fmi3UInt64 counter[], fmi3UInt64 resolution[])
CLOCK_CALL(SetIntervalDecimal, const fmi3Float64 interval[])
CLOCK_CALL(SetIntervalFraction, const fmi3UInt64 counter[], const fmi3UInt64 resolution[])
CLOCK_CALL(SetShiftDecimal, const fmi3Float64 shift[])
CLOCK_CALL(SetShiftFraction, const fmi3UInt64 counter[], const fmi3UInt64 resolution[])

/* --- other interface types, and what modelDescription.xml says is not there --- */

#define ABSENT_CALL(Name, reason, ...)                                                                       \
  fmi3Status fmi3##Name(__VA_ARGS__)                                                                         \
  {                                                                                                          \
    return refuse_call(instance, #Name, reason);                                                             \
  }
#define NO_EVENTS     "this FMU has no event mode"
#define NO_EXCHANGE   "this FMU is for co-simulation, not for model exchange"
#define NO_DERIVATIVE "this FMU has no directional derivatives; ali3-sim --linearise has the linear system"
ABSENT_CALL(EnterEventMode, NO_EVENTS, fmi3Instance instance)
ABSENT_CALL(EvaluateDiscreteStates, NO_EVENTS, fmi3Instance instance)
ABSENT_CALL(UpdateDiscreteStates, NO_EVENTS, fmi3Instance instance, fmi3Boolean *update_needed,
            fmi3Boolean *terminate, fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
            fmi3Boolean *next_defined, fmi3Float64 *next)
ABSENT_CALL(EnterStepMode, NO_EVENTS, fmi3Instance instance)
ABSENT_CALL(EnterConfigurationMode, "this FMU has no structural parameters", fmi3Instance instance)
ABSENT_CALL(ExitConfigurationMode, "this FMU has no structural parameters", fmi3Instance instance)
ABSENT_CALL(GetNumberOfVariableDependencies, "this FMU has no dependencies of variables",
            fmi3Instance instance, fmi3ValueReference reference, size_t *count)
ABSENT_CALL(GetVariableDependencies, "this FMU has no dependencies of variables", fmi3Instance instance,
            fmi3ValueReference dependent, size_t dependent_index[], fmi3ValueReference independent[],
            size_t independent_index[], fmi3DependencyKind kind[], size_t count)
ABSENT_CALL(GetDirectionalDerivative, NO_DERIVATIVE, fmi3Instance instance,
            const fmi3ValueReference unknown[], size_t unknowns, const fmi3ValueReference known[],
            size_t knowns, const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[],
            size_t sensitivities)
ABSENT_CALL(GetAdjointDerivative, NO_DERIVATIVE, fmi3Instance instance, const fmi3ValueReference unknown[],
            size_t unknowns, const fmi3ValueReference known[], size_t knowns, const fmi3Float64 seed[],
            size_t seeds, fmi3Float64 sensitivity[], size_t sensitivities)
ABSENT_CALL(GetOutputDerivatives, "this FMU has no derivatives of outputs", fmi3Instance instance,
            const fmi3ValueReference reference[], size_t references, const fmi3Int32 order[],
            fmi3Float64 value[], size_t values)
ABSENT_CALL(ActivateModelPartition, "this FMU is for co-simulation, not for scheduled execution",
            fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 time)
ABSENT_CALL(EnterContinuousTimeMode, NO_EXCHANGE, fmi3Instance instance)
ABSENT_CALL(CompletedIntegratorStep, NO_EXCHANGE, fmi3Instance instance, fmi3Boolean no_set_prior,
            fmi3Boolean *enter_event_mode, fmi3Boolean *terminate)
ABSENT_CALL(SetTime, NO_EXCHANGE, fmi3Instance instance, fmi3Float64 time)
ABSENT_CALL(SetContinuousStates, NO_EXCHANGE, fmi3Instance instance, const fmi3Float64 state[], size_t states)
ABSENT_CALL(GetContinuousStateDerivatives, NO_EXCHANGE, fmi3Instance instance, fmi3Float64 derivative[],
            size_t states)
ABSENT_CALL(GetEventIndicators, NO_EXCHANGE, fmi3Instance instance, fmi3Float64 indicator[],
            size_t indicators)
ABSENT_CALL(GetContinuousStates, NO_EXCHANGE, fmi3Instance instance, fmi3Float64 state[], size_t states)
ABSENT_CALL(GetNominalsOfContinuousStates, NO_EXCHANGE, fmi3Instance instance, fmi3Float64 nominal[],
            size_t states)
ABSENT_CALL(GetNumberOfEventIndicators, NO_EXCHANGE, fmi3Instance instance, size_t *count)
ABSENT_CALL(GetNumberOfContinuousStates, NO_EXCHANGE, fmi3Instance instance, size_t *count)
#pragma GCC diagnostic pop
