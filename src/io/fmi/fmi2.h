/* SPDX-License-Identifier: MIT
 * The C interface of FMI 2.0 (https://fmi-standard.org) for Co-Simulation, declared from the text of the standard. The standard
 * gives the names. */
#ifndef FMI_FMI2_H
#define FMI_FMI2_H

#include <stddef.h>

typedef void *fmi2Component, *fmi2ComponentEnvironment, *fmi2FMUstate;
typedef unsigned int fmi2ValueReference;
typedef double fmi2Real;
typedef int fmi2Integer, fmi2Boolean;
typedef char fmi2Byte;
typedef const char *fmi2String;

typedef enum { fmi2OK, fmi2Warning, fmi2Discard, fmi2Error, fmi2Fatal, fmi2Pending } fmi2Status;
typedef enum { fmi2ModelExchange, fmi2CoSimulation } fmi2Type;
typedef enum { fmi2DoStepStatus, fmi2PendingStatus, fmi2LastSuccessfulTime, fmi2Terminated } fmi2StatusKind;

typedef struct {
  void (*logger)(fmi2ComponentEnvironment environment, fmi2String name, fmi2Status status,
                 fmi2String category, fmi2String message, ...);
  void *(*allocateMemory)(size_t count, size_t size);
  void (*freeMemory)(void *object);
  void (*stepFinished)(fmi2ComponentEnvironment environment, fmi2Status status);
  fmi2ComponentEnvironment componentEnvironment;
} fmi2CallbackFunctions;

const char *fmi2GetTypesPlatform(void);
const char *fmi2GetVersion(void);
fmi2Status fmi2SetDebugLogging(fmi2Component c, fmi2Boolean on, size_t count, const fmi2String categories[]);
fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging);
void fmi2FreeInstance(fmi2Component c);
fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real start, fmi2Boolean stop_defined, fmi2Real stop);
fmi2Status fmi2EnterInitializationMode(fmi2Component c);
fmi2Status fmi2ExitInitializationMode(fmi2Component c);
fmi2Status fmi2Terminate(fmi2Component c);
fmi2Status fmi2Reset(fmi2Component c);

#define FMI2_TYPE_LIST(X) X(Real) X(Integer) X(Boolean) X(String)
#define FMI2_DECLARE(Type)                                                                                   \
  fmi2Status fmi2Get##Type(fmi2Component c, const fmi2ValueReference reference[], size_t count,              \
                           fmi2##Type value[]);                                                              \
  fmi2Status fmi2Set##Type(fmi2Component c, const fmi2ValueReference reference[], size_t count,              \
                           const fmi2##Type value[]);
FMI2_TYPE_LIST(FMI2_DECLARE)

fmi2Status fmi2GetFMUstate(fmi2Component c, fmi2FMUstate *state);
fmi2Status fmi2SetFMUstate(fmi2Component c, fmi2FMUstate state);
fmi2Status fmi2FreeFMUstate(fmi2Component c, fmi2FMUstate *state);
fmi2Status fmi2SerializedFMUstateSize(fmi2Component c, fmi2FMUstate state, size_t *size);
fmi2Status fmi2SerializeFMUstate(fmi2Component c, fmi2FMUstate state, fmi2Byte bytes[], size_t size);
fmi2Status fmi2DeSerializeFMUstate(fmi2Component c, const fmi2Byte bytes[], size_t size, fmi2FMUstate *state);
fmi2Status fmi2GetDirectionalDerivative(fmi2Component c, const fmi2ValueReference unknown[], size_t unknowns,
                                        const fmi2ValueReference known[], size_t knowns,
                                        const fmi2Real seed[], fmi2Real sensitivity[]);

fmi2Status fmi2SetRealInputDerivatives(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                                       const fmi2Integer order[], const fmi2Real value[]);
fmi2Status fmi2GetRealOutputDerivatives(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                                        const fmi2Integer order[], fmi2Real value[]);
fmi2Status fmi2DoStep(fmi2Component c, fmi2Real point, fmi2Real size, fmi2Boolean no_set_prior);
fmi2Status fmi2CancelStep(fmi2Component c);
fmi2Status fmi2GetStatus(fmi2Component c, fmi2StatusKind kind, fmi2Status *value);
fmi2Status fmi2GetRealStatus(fmi2Component c, fmi2StatusKind kind, fmi2Real *value);
fmi2Status fmi2GetIntegerStatus(fmi2Component c, fmi2StatusKind kind, fmi2Integer *value);
fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value);
fmi2Status fmi2GetStringStatus(fmi2Component c, fmi2StatusKind kind, fmi2String *value);

#endif
