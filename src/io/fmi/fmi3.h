/* SPDX-License-Identifier: MIT
 * The C interface of FMI 3.0 (https://fmi-standard.org), declared from the text of the standard. The standard
 * gives the names. */
#ifndef FMI_FMI3_H
#define FMI_FMI3_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef void *fmi3Instance, *fmi3InstanceEnvironment, *fmi3FMUState;
typedef uint32_t fmi3ValueReference;
typedef float fmi3Float32;
typedef double fmi3Float64;
typedef int8_t fmi3Int8;
typedef uint8_t fmi3UInt8, fmi3Byte;
typedef int16_t fmi3Int16;
typedef uint16_t fmi3UInt16;
typedef int32_t fmi3Int32;
typedef uint32_t fmi3UInt32;
typedef int64_t fmi3Int64;
typedef uint64_t fmi3UInt64;
typedef bool fmi3Boolean, fmi3Clock;
typedef const char *fmi3String;
typedef const fmi3Byte *fmi3Binary;

typedef enum { fmi3OK, fmi3Warning, fmi3Discard, fmi3Error, fmi3Fatal } fmi3Status;
typedef enum {
  fmi3Independent,
  fmi3Constant,
  fmi3Fixed,
  fmi3Tunable,
  fmi3Discrete,
  fmi3Dependent
} fmi3DependencyKind;
typedef enum { fmi3IntervalNotYetKnown, fmi3IntervalUnchanged, fmi3IntervalChanged } fmi3IntervalQualifier;

typedef void (*fmi3LogMessageCallback)(fmi3InstanceEnvironment environment, fmi3Status status,
                                       fmi3String category, fmi3String message);
typedef void (*fmi3ClockUpdateCallback)(fmi3InstanceEnvironment environment);
typedef void (*fmi3IntermediateUpdateCallback)(fmi3InstanceEnvironment environment, fmi3Float64 time,
                                               fmi3Boolean set_requested, fmi3Boolean get_allowed,
                                               fmi3Boolean step_finished, fmi3Boolean can_return_early,
                                               fmi3Boolean *early_return_requested,
                                               fmi3Float64 *early_return_time);
typedef void (*fmi3LockPreemptionCallback)(void);
typedef void (*fmi3UnlockPreemptionCallback)(void);

/* --- all interface types --- */

const char *fmi3GetVersion(void);
fmi3Status fmi3SetDebugLogging(fmi3Instance instance, fmi3Boolean on, size_t count,
                               const fmi3String categories[]);
fmi3Instance fmi3InstantiateModelExchange(fmi3String name, fmi3String token, fmi3String resources,
                                          fmi3Boolean visible, fmi3Boolean logging,
                                          fmi3InstanceEnvironment environment, fmi3LogMessageCallback log);
fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                         fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                         size_t intermediates, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update);
fmi3Instance fmi3InstantiateScheduledExecution(fmi3String name, fmi3String token, fmi3String resources,
                                               fmi3Boolean visible, fmi3Boolean logging,
                                               fmi3InstanceEnvironment environment,
                                               fmi3LogMessageCallback log, fmi3ClockUpdateCallback update,
                                               fmi3LockPreemptionCallback lock,
                                               fmi3UnlockPreemptionCallback unlock);
void fmi3FreeInstance(fmi3Instance instance);
fmi3Status fmi3EnterInitializationMode(fmi3Instance instance, fmi3Boolean tolerance_defined,
                                       fmi3Float64 tolerance, fmi3Float64 start, fmi3Boolean stop_defined,
                                       fmi3Float64 stop);
fmi3Status fmi3ExitInitializationMode(fmi3Instance instance);
fmi3Status fmi3EnterEventMode(fmi3Instance instance);
fmi3Status fmi3Terminate(fmi3Instance instance);
fmi3Status fmi3Reset(fmi3Instance instance);

/* Types with one get and one set function of one form. */
#define FMI3_TYPE_LIST(X)                                                                                    \
  X(Float32)                                                                                                 \
  X(Float64) X(Int8) X(UInt8) X(Int16) X(UInt16) X(Int32) X(UInt32) X(Int64) X(UInt64) X(Boolean) X(String)
#define FMI3_DECLARE(Type)                                                                                   \
  fmi3Status fmi3Get##Type(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,   \
                           fmi3##Type value[], size_t values);                                               \
  fmi3Status fmi3Set##Type(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,   \
                           const fmi3##Type value[], size_t values);
FMI3_TYPE_LIST(FMI3_DECLARE)
fmi3Status fmi3GetBinary(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                         size_t size[], fmi3Binary value[], size_t values);
fmi3Status fmi3SetBinary(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                         const size_t size[], const fmi3Binary value[], size_t values);
fmi3Status fmi3GetClock(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                        fmi3Clock value[]);
fmi3Status fmi3SetClock(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                        const fmi3Clock value[]);

fmi3Status fmi3GetNumberOfVariableDependencies(fmi3Instance instance, fmi3ValueReference reference,
                                               size_t *count);
fmi3Status fmi3GetVariableDependencies(fmi3Instance instance, fmi3ValueReference dependent,
                                       size_t dependent_index[], fmi3ValueReference independent[],
                                       size_t independent_index[], fmi3DependencyKind kind[], size_t count);
fmi3Status fmi3GetFMUState(fmi3Instance instance, fmi3FMUState *state);
fmi3Status fmi3SetFMUState(fmi3Instance instance, fmi3FMUState state);
fmi3Status fmi3FreeFMUState(fmi3Instance instance, fmi3FMUState *state);
fmi3Status fmi3SerializedFMUStateSize(fmi3Instance instance, fmi3FMUState state, size_t *size);
fmi3Status fmi3SerializeFMUState(fmi3Instance instance, fmi3FMUState state, fmi3Byte bytes[], size_t size);
fmi3Status fmi3DeserializeFMUState(fmi3Instance instance, const fmi3Byte bytes[], size_t size,
                                   fmi3FMUState *state);
fmi3Status fmi3GetDirectionalDerivative(fmi3Instance instance, const fmi3ValueReference unknown[],
                                        size_t unknowns, const fmi3ValueReference known[], size_t knowns,
                                        const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[],
                                        size_t sensitivities);
fmi3Status fmi3GetAdjointDerivative(fmi3Instance instance, const fmi3ValueReference unknown[],
                                    size_t unknowns, const fmi3ValueReference known[], size_t knowns,
                                    const fmi3Float64 seed[], size_t seeds, fmi3Float64 sensitivity[],
                                    size_t sensitivities);
fmi3Status fmi3EnterConfigurationMode(fmi3Instance instance);
fmi3Status fmi3ExitConfigurationMode(fmi3Instance instance);

/* --- clocks and events --- */

fmi3Status fmi3GetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference reference[],
                                  size_t references, fmi3Float64 interval[],
                                  fmi3IntervalQualifier qualifier[]);
fmi3Status fmi3GetIntervalFraction(fmi3Instance instance, const fmi3ValueReference reference[],
                                   size_t references, fmi3UInt64 counter[], fmi3UInt64 resolution[],
                                   fmi3IntervalQualifier qualifier[]);
fmi3Status fmi3GetShiftDecimal(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                               fmi3Float64 shift[]);
fmi3Status fmi3GetShiftFraction(fmi3Instance instance, const fmi3ValueReference reference[],
                                size_t references, fmi3UInt64 counter[], fmi3UInt64 resolution[]);
fmi3Status fmi3SetIntervalDecimal(fmi3Instance instance, const fmi3ValueReference reference[],
                                  size_t references, const fmi3Float64 interval[]);
fmi3Status fmi3SetIntervalFraction(fmi3Instance instance, const fmi3ValueReference reference[],
                                   size_t references, const fmi3UInt64 counter[],
                                   const fmi3UInt64 resolution[]);
fmi3Status fmi3SetShiftDecimal(fmi3Instance instance, const fmi3ValueReference reference[], size_t references,
                               const fmi3Float64 shift[]);
fmi3Status fmi3SetShiftFraction(fmi3Instance instance, const fmi3ValueReference reference[],
                                size_t references, const fmi3UInt64 counter[], const fmi3UInt64 resolution[]);
fmi3Status fmi3EvaluateDiscreteStates(fmi3Instance instance);
fmi3Status fmi3UpdateDiscreteStates(fmi3Instance instance, fmi3Boolean *update_needed, fmi3Boolean *terminate,
                                    fmi3Boolean *nominals_changed, fmi3Boolean *values_changed,
                                    fmi3Boolean *next_defined, fmi3Float64 *next);

/* --- model exchange --- */

fmi3Status fmi3EnterContinuousTimeMode(fmi3Instance instance);
fmi3Status fmi3CompletedIntegratorStep(fmi3Instance instance, fmi3Boolean no_set_prior,
                                       fmi3Boolean *enter_event_mode, fmi3Boolean *terminate);
fmi3Status fmi3SetTime(fmi3Instance instance, fmi3Float64 time);
fmi3Status fmi3SetContinuousStates(fmi3Instance instance, const fmi3Float64 state[], size_t states);
fmi3Status fmi3GetContinuousStateDerivatives(fmi3Instance instance, fmi3Float64 derivative[], size_t states);
fmi3Status fmi3GetEventIndicators(fmi3Instance instance, fmi3Float64 indicator[], size_t indicators);
fmi3Status fmi3GetContinuousStates(fmi3Instance instance, fmi3Float64 state[], size_t states);
fmi3Status fmi3GetNominalsOfContinuousStates(fmi3Instance instance, fmi3Float64 nominal[], size_t states);
fmi3Status fmi3GetNumberOfEventIndicators(fmi3Instance instance, size_t *count);
fmi3Status fmi3GetNumberOfContinuousStates(fmi3Instance instance, size_t *count);

/* --- co-simulation and scheduled execution --- */

fmi3Status fmi3EnterStepMode(fmi3Instance instance);
fmi3Status fmi3GetOutputDerivatives(fmi3Instance instance, const fmi3ValueReference reference[],
                                    size_t references, const fmi3Int32 order[], fmi3Float64 value[],
                                    size_t values);
fmi3Status fmi3DoStep(fmi3Instance instance, fmi3Float64 point, fmi3Float64 size, fmi3Boolean no_set_prior,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_time);
fmi3Status fmi3ActivateModelPartition(fmi3Instance instance, fmi3ValueReference clock, fmi3Float64 time);

#endif
