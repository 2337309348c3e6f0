/* SPDX-License-Identifier: MIT
 * An importer of FMUs for co-simulation, for check: the functions of the object by their names, with one instance. */
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"
#include "fmu_tool.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

/* Functions of FMI 3 and FMI 2 that check calls: name in both, one list for pointers and look-ups. */
/* clang-format off */
#define IMPORT3_LIST(X) \
  X(InstantiateCoSimulation) X(FreeInstance) X(EnterInitializationMode) X(ExitInitializationMode) X(DoStep) X(Terminate) X(Reset) \
  X(GetFloat64) X(GetFMUState) X(SetFMUState) X(FreeFMUState) X(SerializedFMUStateSize) X(SerializeFMUState) X(DeserializeFMUState)
#define IMPORT2_LIST(X) \
  X(Instantiate) X(FreeInstance) X(SetupExperiment) X(EnterInitializationMode) X(ExitInitializationMode) X(DoStep) X(Terminate) X(Reset) \
  X(GetReal) X(GetFMUstate) X(SetFMUstate) X(FreeFMUstate) X(SerializedFMUstateSize) X(SerializeFMUstate) X(DeSerializeFMUstate)
/* clang-format on */

struct importer {
  const struct description *description;
  void *library;
  void *instance;
  char resources[PATH_MAX + 32];
  fmi2CallbackFunctions callbacks;
  struct {
#define POINTER3(name) __typeof__(&fmi3##name) name;
    IMPORT3_LIST(POINTER3)
  } of3;
  struct {
#define POINTER2(name) __typeof__(&fmi2##name) name;
    IMPORT2_LIST(POINTER2)
  } of2;
};

const char *importer_platform(int version)
{
#if defined(__x86_64__)
  return version == 3 ? "x86_64-linux" : "linux64";
#else
  (void)version;
  return "aarch64-linux";
#endif
}

/* --- messages of the FMU --- */

static void print_message3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                           fmi3String message)
{
  (void)environment, (void)status;
  fprintf(stderr, "the FMU says: %s: %s\n", category ? category : "", message ? message : "");
}

__attribute__((format(printf, 5, 6))) static void print_message2(fmi2ComponentEnvironment environment,
                                                                 fmi2String name, fmi2Status status,
                                                                 fmi2String category, fmi2String message, ...)
{
  va_list arguments;
  (void)environment, (void)name, (void)status;
  fprintf(stderr, "the FMU says: %s: ", category ? category : "");
  va_start(arguments, message);
  vfprintf(stderr, message, arguments);
  va_end(arguments);
  fputc('\n', stderr);
}

/* --- the object --- */

static bool find_function(struct importer *i, const char *name, void *to, char *why, size_t size)
{
  void *symbol = dlsym(i->library, name);
  memcpy(to, &symbol, sizeof symbol);
  if (!symbol) snprintf(why, size, "the object has no function %s", name);
  return symbol != NULL;
}

static bool find_functions(struct importer *i, char *why, size_t size)
{
  bool good = true;
#define FIND3(name) good = good && find_function(i, "fmi3" #name, &i->of3.name, why, size);
#define FIND2(name) good = good && find_function(i, "fmi2" #name, &i->of2.name, why, size);
  if (i->description->version == 3) {
    IMPORT3_LIST(FIND3)
  } else {
    IMPORT2_LIST(FIND2)
  }
  return good;
}

struct importer *importer_open(const struct description *d, const char *folder, char *why, size_t size)
{
  char path[PATH_MAX];
  struct importer *i = calloc(1, sizeof *i);
  snprintf(why, size, "out of memory");
  if (!i) return NULL;
  i->description = d;
  i->callbacks =
      (fmi2CallbackFunctions){.logger = print_message2, .allocateMemory = calloc, .freeMemory = free};
  snprintf(i->resources, sizeof i->resources, "%s%s/resources%s", d->version == 2 ? "file://" : "", folder,
           d->version == 3 ? "/" : "");
  snprintf(path, sizeof path, "%s/binaries/%s/%s.so", folder, importer_platform(d->version), d->identifier);
  /* The object, and its functions. */
  i->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!i->library) snprintf(why, size, "the object cannot be loaded: %s", dlerror());
  if (i->library && find_functions(i, why, size)) return i;
  importer_close(i);
  return NULL;
}

void importer_close(struct importer *i)
{
  if (!i) return;
  if (i->instance && i->description->version == 3) i->of3.FreeInstance(i->instance);
  if (i->instance && i->description->version == 2) i->of2.FreeInstance(i->instance);
  if (i->library) dlclose(i->library);
  free(i);
}

/* --- calls --- */

int importer_initialise(struct importer *i)
{
  int status;
  if (i->description->version == 3) {
    status = (int)i->of3.EnterInitializationMode(i->instance, false, 0.0, 0.0, false, 0.0);
    return status >= fmi3Error ? status : (int)i->of3.ExitInitializationMode(i->instance);
  }
  status = (int)i->of2.SetupExperiment(i->instance, 0, 0.0, 0.0, 0, 0.0);
  if (status < fmi2Error) status = (int)i->of2.EnterInitializationMode(i->instance);
  return status >= fmi2Error ? status : (int)i->of2.ExitInitializationMode(i->instance);
}

int importer_start(struct importer *i)
{
  const struct description *d = i->description;
  if (d->version == 3)
    i->instance = i->of3.InstantiateCoSimulation("check", d->token, i->resources, false, false, false, false,
                                                 NULL, 0, NULL, print_message3, NULL);
  else
    i->instance = i->of2.Instantiate("check", fmi2CoSimulation, d->token, i->resources, &i->callbacks, 0, 0);
  return i->instance ? importer_initialise(i) : -1;
}

int importer_step(struct importer *i, double at, double size)
{
  bool event, terminate, early;
  double last;
  if (i->description->version == 3)
    return (int)i->of3.DoStep(i->instance, at, size, false, &event, &terminate, &early, &last);
  return (int)i->of2.DoStep(i->instance, at, size, 0);
}

int importer_get(struct importer *i, const unsigned *reference, size_t count, double *value)
{
  if (i->description->version == 3)
    return (int)i->of3.GetFloat64(i->instance, reference, count, value, count);
  return (int)i->of2.GetReal(i->instance, reference, count, value);
}

int importer_get_state(struct importer *i, void **state)
{
  *state = NULL;
  return i->description->version == 3 ? (int)i->of3.GetFMUState(i->instance, state)
                                      : (int)i->of2.GetFMUstate(i->instance, state);
}

int importer_set_state(struct importer *i, void *state)
{
  return i->description->version == 3 ? (int)i->of3.SetFMUState(i->instance, state)
                                      : (int)i->of2.SetFMUstate(i->instance, state);
}

int importer_free_state(struct importer *i, void **state)
{
  return i->description->version == 3 ? (int)i->of3.FreeFMUState(i->instance, state)
                                      : (int)i->of2.FreeFMUstate(i->instance, state);
}

unsigned char *importer_serialise(struct importer *i, void *state, size_t *size)
{
  const bool three = i->description->version == 3;
  int status = three ? (int)i->of3.SerializedFMUStateSize(i->instance, state, size)
                     : (int)i->of2.SerializedFMUstateSize(i->instance, state, size);
  unsigned char *bytes = status < fmi3Error ? malloc(*size + 1) : NULL;
  if (!bytes) return NULL;
  status = three ? (int)i->of3.SerializeFMUState(i->instance, state, bytes, *size)
                 : (int)i->of2.SerializeFMUstate(i->instance, state, (char *)bytes, *size);
  if (status < fmi3Error) return bytes;
  free(bytes);
  return NULL;
}

int importer_deserialise(struct importer *i, const unsigned char *bytes, size_t size, void **state)
{
  *state = NULL;
  return i->description->version == 3
             ? (int)i->of3.DeserializeFMUState(i->instance, bytes, size, state)
             : (int)i->of2.DeSerializeFMUstate(i->instance, (const char *)bytes, size, state);
}

int importer_reset(struct importer *i)
{
  return i->description->version == 3 ? (int)i->of3.Reset(i->instance) : (int)i->of2.Reset(i->instance);
}

int importer_terminate(struct importer *i)
{
  return i->description->version == 3 ? (int)i->of3.Terminate(i->instance)
                                      : (int)i->of2.Terminate(i->instance);
}
