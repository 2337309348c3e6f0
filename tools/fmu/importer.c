/* SPDX-License-Identifier: MIT
 * An importer of FMUs for co-simulation: the functions of the object by their names. */
#include "fmu/importer.h"

#include "fmi/fmi2.h"
#include "fmi/fmi3.h"

#include <ctype.h>
#include <dlfcn.h>
#include <limits.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Functions that are called: name in both standards, one list for pointers and look-ups. NEEDED: without it the FMU cannot
 * run. */
/* clang-format off */
#define NEEDED3_LIST(X) \
  X(InstantiateCoSimulation) X(FreeInstance) X(EnterInitializationMode) X(ExitInitializationMode) X(DoStep) X(Terminate)
#define FURTHER3_LIST(X) \
  X(Reset) X(GetFMUState) X(SetFMUState) X(FreeFMUState) X(SerializedFMUStateSize) X(SerializeFMUState) X(DeserializeFMUState) \
  X(GetFloat64) X(GetFloat32) X(GetInt8) X(GetUInt8) X(GetInt16) X(GetUInt16) X(GetInt32) X(GetUInt32) X(GetInt64) X(GetUInt64) \
  X(GetBoolean) X(SetFloat64) X(SetFloat32) X(SetInt8) X(SetUInt8) X(SetInt16) X(SetUInt16) X(SetInt32) X(SetUInt32) X(SetInt64) \
  X(SetUInt64) X(SetBoolean) X(SetString)
#define NEEDED2_LIST(X) \
  X(Instantiate) X(FreeInstance) X(SetupExperiment) X(EnterInitializationMode) X(ExitInitializationMode) X(DoStep) X(Terminate)
#define FURTHER2_LIST(X) \
  X(Reset) X(GetFMUstate) X(SetFMUstate) X(FreeFMUstate) X(SerializedFMUstateSize) X(SerializeFMUstate) X(DeSerializeFMUstate) \
  X(GetReal) X(GetInteger) X(GetBoolean) X(SetReal) X(SetInteger) X(SetBoolean) X(SetString) X(GetBooleanStatus)
/* clang-format on */

struct importer {
  const struct description *description;
  void *library;
  void *instance;
  const char *missing;
  importer_log *log;
  void *context;
  char resources[3 * PATH_MAX + 32];
  fmi2CallbackFunctions callbacks;
  struct {
#define POINTER3(name) __typeof__(&fmi3##name) name;
    NEEDED3_LIST(POINTER3) FURTHER3_LIST(POINTER3)
  } of3;
  struct {
#define POINTER2(name) __typeof__(&fmi2##name) name;
    NEEDED2_LIST(POINTER2) FURTHER2_LIST(POINTER2)
  } of2;
};

const char *importer_status_text(int status)
{
  static const char *const text[] = {"OK",
                                     "Warning",
                                     "Discard",
                                     "Error",
                                     "Fatal",
                                     "Pending, which means that it goes on by itself",
                                     "none: the object does not have the function",
                                     "none: the type of the variable cannot hold the value"};
  return status >= 0 && status < (int)(sizeof text / sizeof *text) ? text[status] : "unknown";
}

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

static void print_message(void *context, int status, const char *category, const char *message)
{
  (void)context, (void)status;
  fprintf(stderr, "the FMU says: %s: %s\n", category, message);
}

static void take_message3(fmi3InstanceEnvironment environment, fmi3Status status, fmi3String category,
                          fmi3String message)
{
  const struct importer *i = (const struct importer *)environment;
  if (i) i->log(i->context, (int)status, category ? category : "", message ? message : "");
}

__attribute__((format(printf, 5, 6))) static void take_message2(fmi2ComponentEnvironment environment,
                                                                fmi2String name, fmi2Status status,
                                                                fmi2String category, fmi2String message, ...)
{
  const struct importer *i = (const struct importer *)environment;
  char text[FMU_WHY];
  va_list arguments;
  (void)name;
  if (!i) return;
  va_start(arguments, message);
  if (message)
    vsnprintf(text, sizeof text, message, arguments);
  else
    text[0] = '\0';
  va_end(arguments);
  i->log(i->context, (int)status, category ? category : "", text);
}

/* --- the object --- */

static void find_function(struct importer *i, const char *name, void *to)
{
  void *symbol = dlsym(i->library, name);
  memcpy(to, &symbol, sizeof symbol);
  if (!symbol && !i->missing) i->missing = name;
}

/* False: a function is not there without which nothing runs. */
static bool find_functions(struct importer *i)
{
#define FIND3(name) find_function(i, "fmi3" #name, &i->of3.name);
#define FIND2(name) find_function(i, "fmi2" #name, &i->of2.name);
  bool good;
  if (i->description->version == 3) {
    NEEDED3_LIST(FIND3)
    good = !i->missing;
    FURTHER3_LIST(FIND3)
  } else {
    NEEDED2_LIST(FIND2)
    good = !i->missing;
    FURTHER2_LIST(FIND2)
  }
  return good;
}

const char *importer_missing(const struct importer *i)
{
  return i->missing;
}

/* FMI 3 wants a path, and FMI 2 a URI, where a blank is %20. */
static void name_resources(struct importer *i, const char *folder)
{
  if (i->description->version == 3) {
    snprintf(i->resources, sizeof i->resources, "%s/resources/", folder);
    return;
  }
  size_t used = (size_t)snprintf(i->resources, sizeof i->resources, "file://");
  for (const char *c = folder; *c && used + 16 < sizeof i->resources; c++)
    used += (size_t)snprintf(i->resources + used, 4,
                             isalnum((unsigned char)*c) || strchr("/-._~", *c) ? "%c" : "%%%02X",
                             (unsigned char)*c);
  snprintf(i->resources + used, sizeof i->resources - used, "/resources");
}

struct importer *importer_open(const struct description *d, const char *folder, importer_log *log,
                               void *context, char why[FMU_WHY])
{
  char path[PATH_MAX];
  struct importer *i = calloc(1, sizeof *i);
  if (!i) {
    fmu_fail(why, "out of memory");
    return NULL;
  }
  i->description = d;
  i->log = log ? log : print_message;
  i->context = context;
  i->callbacks = (fmi2CallbackFunctions){
      .logger = take_message2, .allocateMemory = calloc, .freeMemory = free, .componentEnvironment = i};
  name_resources(i, folder);
  snprintf(path, sizeof path, "%s/binaries/%s/%s.so", folder, importer_platform(d->version), d->identifier);
  /* The object, and its functions. */
  i->library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (!i->library)
    fmu_fail(why, "the object cannot be loaded: %s", dlerror());
  else if (find_functions(i))
    return i;
  else
    fmu_fail(why, "the object has no function %s", i->missing);
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

bool importer_instantiate(struct importer *i, const char *name)
{
  const struct description *d = i->description;
  if (d->version == 3)
    i->instance = i->of3.InstantiateCoSimulation(name, d->token, i->resources, false, false, false, false,
                                                 NULL, 0, i, take_message3, NULL);
  else
    i->instance = i->of2.Instantiate(name, fmi2CoSimulation, d->token, i->resources, &i->callbacks, 0, 0);
  return i->instance != NULL;
}

int importer_initialise(struct importer *i)
{
  int status, worst;
  if (i->description->version == 3) {
    status = (int)i->of3.EnterInitializationMode(i->instance, false, 0.0, 0.0, false, 0.0);
    worst = status;
    if (status < fmi3Error) status = (int)i->of3.ExitInitializationMode(i->instance);
  } else {
    status = (int)i->of2.SetupExperiment(i->instance, 0, 0.0, 0.0, 0, 0.0);
    worst = status;
    if (status < fmi2Error) status = (int)i->of2.EnterInitializationMode(i->instance);
    worst = status > worst ? status : worst;
    if (status < fmi2Error) status = (int)i->of2.ExitInitializationMode(i->instance);
  }
  return status > worst ? status : worst;
}

/* FMI 3 returns the time that it reached. An FMU that compares it with the next call gets its own number back. */
static double next_time(double at, double size, double last)
{
  const double end = at + size;
  return fabs(last - end) <= 1e-6 * size ? last : end;
}

int importer_step(struct importer *i, double at, double size, double *next, bool *ends)
{
  bool event = false, terminate = false, early = false;
  double last = NAN;
  int status;
  if (i->description->version == 3) {
    status = (int)i->of3.DoStep(i->instance, at, size, false, &event, &terminate, &early, &last);
    *next = next_time(at, size, last);
    *ends = terminate;
    return status;
  }
  status = (int)i->of2.DoStep(i->instance, at, size, 0);
  *next = at + size;
  fmi2Boolean ended = 0;
  *ends = status == fmi2Discard && i->of2.GetBooleanStatus &&
          i->of2.GetBooleanStatus(i->instance, fmi2Terminated, &ended) == fmi2OK && ended;
  return status;
}

int importer_reset(struct importer *i)
{
  if (i->description->version == 3) return i->of3.Reset ? (int)i->of3.Reset(i->instance) : IMPORTER_ABSENT;
  return i->of2.Reset ? (int)i->of2.Reset(i->instance) : IMPORTER_ABSENT;
}

int importer_terminate(struct importer *i)
{
  return i->description->version == 3 ? (int)i->of3.Terminate(i->instance)
                                      : (int)i->of2.Terminate(i->instance);
}

/* --- values --- */

/* Least and largest doubles that a type holds. */
static const double least_of[] = {
    [FMU_Float64] = -INFINITY, [FMU_Float32] = -3.4028234663852886e38,
    [FMU_Int8] = INT8_MIN,     [FMU_Int16] = INT16_MIN,
    [FMU_Int32] = INT32_MIN,   [FMU_Int64] = -9223372036854775808.0,
    [FMU_Boolean] = -INFINITY,
};
static const double most_of[] = {
    [FMU_Float64] = INFINITY,
    [FMU_Float32] = 3.4028234663852886e38,
    [FMU_Int8] = INT8_MAX,
    [FMU_UInt8] = UINT8_MAX,
    [FMU_Int16] = INT16_MAX,
    [FMU_UInt16] = UINT16_MAX,
    [FMU_Int32] = INT32_MAX,
    [FMU_UInt32] = UINT32_MAX,
    [FMU_Int64] = 9223372036854774784.0,
    [FMU_UInt64] = 18446744073709549568.0,
    [FMU_Boolean] = INFINITY,
};

static bool fits_type(enum fmu_type type, double value)
{
  return value >= least_of[type] && value <= most_of[type];
}

static int get_number3(struct importer *i, const struct read_variable *v, double *value)
{
  switch (v->kind) {
#define GET_CASE(Type)                                                                                       \
  case FMU_##Type: {                                                                                         \
    fmi3##Type x = 0;                                                                                        \
    if (!i->of3.Get##Type) return IMPORTER_ABSENT;                                                           \
    const int status = (int)i->of3.Get##Type(i->instance, &v->reference, 1, &x, 1);                          \
    *value = (double)x;                                                                                      \
    return status;                                                                                           \
  }
    FMU_NUMBER_LIST(GET_CASE)
#undef GET_CASE
  default:
    return IMPORTER_ABSENT;
  }
}

static int set_number3(struct importer *i, const struct read_variable *v, double value)
{
  switch (v->kind) {
#define SET_CASE(Type)                                                                                       \
  case FMU_##Type: {                                                                                         \
    const fmi3##Type x = (fmi3##Type)value;                                                                  \
    if (!i->of3.Set##Type) return IMPORTER_ABSENT;                                                           \
    return (int)i->of3.Set##Type(i->instance, &v->reference, 1, &x, 1);                                      \
  }
    FMU_NUMBER_LIST(SET_CASE)
#undef SET_CASE
  default:
    return IMPORTER_ABSENT;
  }
}

int importer_get_one(struct importer *i, const struct read_variable *v, double *value)
{
  int whole = 0, status;
  *value = NAN;
  if (i->description->version == 3) return get_number3(i, v, value);
  if (v->kind == FMU_Float64)
    return i->of2.GetReal ? (int)i->of2.GetReal(i->instance, &v->reference, 1, value) : IMPORTER_ABSENT;
  if (v->kind == FMU_Boolean) {
    if (!i->of2.GetBoolean) return IMPORTER_ABSENT;
    status = (int)i->of2.GetBoolean(i->instance, &v->reference, 1, &whole);
    whole = whole != 0;
  } else {
    if (!i->of2.GetInteger) return IMPORTER_ABSENT;
    status = (int)i->of2.GetInteger(i->instance, &v->reference, 1, &whole);
  }
  *value = (double)whole;
  return status;
}

int importer_set_one(struct importer *i, const struct read_variable *v, double value)
{
  if (v->kind > FMU_Boolean) return IMPORTER_ABSENT;
  if (v->kind == FMU_Boolean) value = value != 0.0;
  if (v->kind > FMU_Float32) value = nearbyint(value);
  if (!fits_type(v->kind, value)) return IMPORTER_UNFIT;
  if (i->description->version == 3) return set_number3(i, v, value);
  /* FMI 2 has three types. */
  const int whole = v->kind == FMU_Float64 ? 0 : (int)value;
  if (v->kind == FMU_Float64)
    return i->of2.SetReal ? (int)i->of2.SetReal(i->instance, &v->reference, 1, &value) : IMPORTER_ABSENT;
  if (v->kind == FMU_Boolean)
    return i->of2.SetBoolean ? (int)i->of2.SetBoolean(i->instance, &v->reference, 1, &whole)
                             : IMPORTER_ABSENT;
  return i->of2.SetInteger ? (int)i->of2.SetInteger(i->instance, &v->reference, 1, &whole) : IMPORTER_ABSENT;
}

int importer_set_text(struct importer *i, const struct read_variable *v, const char *text)
{
  if (i->description->version == 3)
    return i->of3.SetString ? (int)i->of3.SetString(i->instance, &v->reference, 1, &text, 1)
                            : IMPORTER_ABSENT;
  return i->of2.SetString ? (int)i->of2.SetString(i->instance, &v->reference, 1, &text) : IMPORTER_ABSENT;
}

int importer_get(struct importer *i, const unsigned *reference, size_t count, double *value)
{
  if (i->description->version == 3)
    return i->of3.GetFloat64 ? (int)i->of3.GetFloat64(i->instance, reference, count, value, count)
                             : IMPORTER_ABSENT;
  return i->of2.GetReal ? (int)i->of2.GetReal(i->instance, reference, count, value) : IMPORTER_ABSENT;
}

/* --- states; importer_missing() tells whether the functions are there --- */

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
