/* SPDX-License-Identifier: MIT
 * A small FMU of a brake, FMI 2.0 and 3.0, for tests of importers. It is as strict about time as an FMU may be, and the parameter
 * `mood` makes it do what FMUs of strangers do: crash, hang, end the process, return errors. mood acts from the time `when` on.
 *
 *   force = -(gain speed + pedal) gear, if on; braking: force is not 0; heat: the energy that it has taken up; count: steps */
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"

#include <fenv.h>
#include <math.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Value references, which the descriptions of the tests repeat. */
enum { PEDAL = 1, SPEED, ON, GEAR, FORCE, BRAKING, COUNT, GAIN, MOOD, WHEN, HEAT, MODE, REFERENCES };

struct brake {
  double value[REFERENCES];
  char mood[32];
  double time, start;
  int version;
  fmi3LogMessageCallback log3;
  fmi2CallbackFunctions of2;
  void *environment;
};

static void say(struct brake *b, int status, const char *text)
{
  if (b->version == 3 && b->log3) b->log3(b->environment, (fmi3Status)status, "brake", text);
  if (b->version == 2 && b->of2.logger)
    b->of2.logger(b->environment, "brake", (fmi2Status)status, "brake", "%s", text);
}

static int is_mood(const struct brake *b, const char *mood)
{
  return strcmp(b->mood, mood) == 0;
}

/* The sanitizer for undefined behaviour would end the process before the fault. */
__attribute__((no_sanitize("undefined"))) static int fault(void)
{
  volatile int *nowhere = NULL;
  return *nowhere; /* NOLINT: that is the point */
}

/* Things that may happen in any step. */
static int behave(struct brake *b)
{
  if (is_mood(b, "crash")) return fault();
  if (is_mood(b, "exit")) exit(7);
  if (is_mood(b, "exit well")) exit(0);
  while (is_mood(b, "hang")) pause();
  if (is_mood(b, "error")) say(b, fmi3Error, "the pressure is negative\nin both circuits");
  if (is_mood(b, "talk")) say(b, fmi3OK, "a word in each step");
  if (is_mood(b, "print")) puts("a line on the standard output");
  if (is_mood(b, "round")) fesetround(FE_UPWARD);
  fflush(stdout);
  return is_mood(b, "error") ? fmi3Error : is_mood(b, "discard") ? fmi3Discard : fmi3OK;
}

static void set_starts(struct brake *b)
{
  b->value[GAIN] = 2.0;
  b->value[GEAR] = 1.0;
  b->value[ON] = 1.0;
}

static struct brake *make(int version, const char *token)
{
  struct brake *b = strcmp(token, "{brake}") == 0 ? calloc(1, sizeof *b) : NULL;
  if (!b) return NULL;
  b->version = version;
  set_starts(b);
  return b;
}

static void work_out(struct brake *b)
{
  double *v = b->value;
  v[FORCE] = v[ON] ? -(v[GAIN] * v[SPEED] + v[PEDAL]) * v[GEAR] : 0.0; /* NOLINT: ON is 0 or 1 */
  v[BRAKING] = v[FORCE] != 0.0;
}

static int start(struct brake *b)
{
  if (is_mood(b, "crash at start")) return fault();
  while (is_mood(b, "hang at start")) pause();
  work_out(b);
  return is_mood(b, "error at start") ? fmi3Error : fmi3OK;
}

/* An FMU may compare the time with its own sum, and with the product of steps and their length. */
static int step(struct brake *b, double at, double size)
{
  char text[200];
  double *v = b->value;
  if (at != b->time || fabs(at - v[COUNT] * size) > 1e-7) { /* NOLINT: equal bits are asked for */
    snprintf(text, sizeof text, "the step begins at %.17g in place of %.17g", at, b->time);
    say(b, fmi3Error, text);
    return fmi3Error;
  }
  const int status = at >= v[WHEN] - 1e-9 ? behave(b) : fmi3OK;
  if (status != fmi3OK) return status;
  work_out(b);
  v[HEAT] = (float)(v[HEAT] + fabs(v[FORCE] * v[SPEED]) * size);
  if (is_mood(b, "nan") && at >= v[WHEN]) v[FORCE] = NAN;
  v[COUNT] += 1.0;
  b->time += size;
  return fmi3OK;
}

static int take_text(struct brake *b, unsigned reference, const char *text)
{
  if (reference != MOOD) return fmi3Error;
  snprintf(b->mood, sizeof b->mood, "%s", text);
  return fmi3OK;
}

/* The file `mood` in the resources does what the parameter does. */
static void read_mood(struct brake *b, const char *folder)
{
  char path[4200];
  snprintf(path, sizeof path, "%s/mood", folder);
  FILE *in = fopen(path, "r");
  if (in && fgets(b->mood, sizeof b->mood, in)) b->mood[strcspn(b->mood, "\n")] = '\0';
  if (in) fclose(in);
}

/* --- values of every type --- */

/* further: the parameter that FMI 3 adds; ignore: what keeps compilers from complaining of it. */
#define VALUE_FUNCTIONS(prefix, Type, further, ignore)                                                       \
  prefix##Status prefix##Get##Type(void *c, const unsigned reference[], size_t count,                        \
                                   prefix##Type value[] further)                                             \
  {                                                                                                          \
    ignore;                                                                                                  \
    for (size_t i = 0; i < count; i++) {                                                                     \
      if (reference[i] >= REFERENCES) return prefix##Error;                                                  \
      value[i] = (prefix##Type)((struct brake *)c)->value[reference[i]];                                     \
    }                                                                                                        \
    return prefix##OK;                                                                                       \
  }                                                                                                          \
  prefix##Status prefix##Set##Type(void *c, const unsigned reference[], size_t count,                        \
                                   const prefix##Type value[] further)                                       \
  {                                                                                                          \
    ignore;                                                                                                  \
    for (size_t i = 0; i < count; i++) {                                                                     \
      if (reference[i] >= REFERENCES) return prefix##Error;                                                  \
      ((struct brake *)c)->value[reference[i]] = (double)value[i];                                           \
    }                                                                                                        \
    return prefix##OK;                                                                                       \
  }
#define NUMBER_OF_VALUES       , size_t values
#define VALUE_FUNCTIONS3(Type) VALUE_FUNCTIONS(fmi3, Type, NUMBER_OF_VALUES, (void)values)
#define NO_FURTHER
#define VALUE_FUNCTIONS2(Type) VALUE_FUNCTIONS(fmi2, Type, NO_FURTHER, (void)0)
VALUE_FUNCTIONS3(Float64)
VALUE_FUNCTIONS3(Float32)
VALUE_FUNCTIONS3(Int8)
VALUE_FUNCTIONS3(UInt8)
VALUE_FUNCTIONS3(Int16)
VALUE_FUNCTIONS3(UInt16)
VALUE_FUNCTIONS3(Int32)
VALUE_FUNCTIONS3(UInt32)
VALUE_FUNCTIONS3(Int64)
VALUE_FUNCTIONS3(UInt64)
VALUE_FUNCTIONS3(Boolean)
VALUE_FUNCTIONS2(Real)
VALUE_FUNCTIONS2(Integer)
VALUE_FUNCTIONS2(Boolean)

fmi3Status fmi3SetString(fmi3Instance c, const fmi3ValueReference reference[], size_t count,
                         const fmi3String value[], size_t values)
{
  (void)count, (void)values;
  return (fmi3Status)take_text(c, reference[0], value[0]);
}

fmi2Status fmi2SetString(fmi2Component c, const fmi2ValueReference reference[], size_t count,
                         const fmi2String value[])
{
  (void)count;
  return (fmi2Status)take_text(c, reference[0], value[0]);
}

/* --- FMI 3.0 --- */

fmi3Instance fmi3InstantiateCoSimulation(fmi3String name, fmi3String token, fmi3String resources,
                                         fmi3Boolean visible, fmi3Boolean logging, fmi3Boolean event_mode,
                                         fmi3Boolean early_return, const fmi3ValueReference intermediate[],
                                         size_t intermediates, fmi3InstanceEnvironment environment,
                                         fmi3LogMessageCallback log, fmi3IntermediateUpdateCallback update)
{
  (void)name, (void)visible, (void)logging, (void)event_mode, (void)early_return;
  (void)intermediate, (void)intermediates, (void)update;
  if (access(resources, R_OK) != 0) return NULL;
  struct brake *b = make(3, token);
  if (!b) return NULL;
  b->environment = environment;
  b->log3 = log;
  read_mood(b, resources);
  return b;
}

void fmi3FreeInstance(fmi3Instance c)
{
  free(c);
}

fmi3Status fmi3EnterInitializationMode(fmi3Instance c, fmi3Boolean tolerance_defined, fmi3Float64 tolerance,
                                       fmi3Float64 at, fmi3Boolean stop_defined, fmi3Float64 stop)
{
  (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
  ((struct brake *)c)->time = at;
  return fmi3OK;
}

fmi3Status fmi3ExitInitializationMode(fmi3Instance c)
{
  return (fmi3Status)start(c);
}

fmi3Status fmi3DoStep(fmi3Instance c, fmi3Float64 at, fmi3Float64 size, fmi3Boolean no_set_prior,
                      fmi3Boolean *event, fmi3Boolean *terminate, fmi3Boolean *early_return,
                      fmi3Float64 *last_time)
{
  struct brake *b = c;
  (void)no_set_prior;
  *event = *early_return = false;
  const int status = step(b, at, size);
  *terminate = is_mood(b, "end") && at >= b->value[WHEN];
  *last_time = b->time;
  return (fmi3Status)status;
}

fmi3Status fmi3Terminate(fmi3Instance c)
{
  (void)c;
  return fmi3OK;
}

fmi3Status fmi3Reset(fmi3Instance c)
{
  struct brake *b = c;
  memset(b->value, 0, sizeof b->value);
  set_starts(b);
  return fmi3OK;
}

/* Its state stays inside, as its description says. */
fmi3Status fmi3GetFMUState(fmi3Instance c, fmi3FMUState *state)
{
  (void)c, (void)state;
  return fmi3Error;
}

fmi3Status fmi3SetFMUState(fmi3Instance c, fmi3FMUState state)
{
  (void)c, (void)state;
  return fmi3Error;
}

fmi3Status fmi3FreeFMUState(fmi3Instance c, fmi3FMUState *state)
{
  (void)c, (void)state;
  return fmi3Error;
}

fmi3Status fmi3SerializedFMUStateSize(fmi3Instance c, fmi3FMUState state, size_t *size)
{
  (void)c, (void)state, (void)size;
  return fmi3Error;
}

fmi3Status fmi3SerializeFMUState(fmi3Instance c, fmi3FMUState state, fmi3Byte bytes[], size_t size)
{
  (void)c, (void)state, (void)bytes, (void)size;
  return fmi3Error;
}

fmi3Status fmi3DeserializeFMUState(fmi3Instance c, const fmi3Byte bytes[], size_t size, fmi3FMUState *state)
{
  (void)c, (void)bytes, (void)size, (void)state;
  return fmi3Error;
}

/* --- FMI 2.0 --- */

/* A URI with blanks coded, and their folder. */
static int has_folder(const char *uri)
{
  char path[4096];
  size_t n = 0;
  if (strncmp(uri, "file://", 7) != 0 || strchr(uri, ' ')) return 0;
  for (const char *c = uri + 7; *c && n + 1 < sizeof path; c++) {
    const char code[3] = {c[0] == '%' ? c[1] : 0, c[0] == '%' ? c[2] : 0, 0};
    path[n++] = *c == '%' ? (char)strtol(code, NULL, 16) : *c;
    if (*c == '%') c += 2;
  }
  path[n] = '\0';
  return access(path, R_OK) == 0;
}

fmi2Component fmi2Instantiate(fmi2String name, fmi2Type type, fmi2String guid, fmi2String resources,
                              const fmi2CallbackFunctions *functions, fmi2Boolean visible,
                              fmi2Boolean logging)
{
  (void)name, (void)type, (void)visible, (void)logging;
  if (!has_folder(resources)) return NULL;
  struct brake *b = make(2, guid);
  if (!b) return NULL;
  b->of2 = *functions;
  b->environment = functions->componentEnvironment;
  return b;
}

void fmi2FreeInstance(fmi2Component c)
{
  free(c);
}

fmi2Status fmi2SetupExperiment(fmi2Component c, fmi2Boolean tolerance_defined, fmi2Real tolerance,
                               fmi2Real at, fmi2Boolean stop_defined, fmi2Real stop)
{
  (void)tolerance_defined, (void)tolerance, (void)stop_defined, (void)stop;
  ((struct brake *)c)->time = at;
  return fmi2OK;
}

fmi2Status fmi2EnterInitializationMode(fmi2Component c)
{
  (void)c;
  return fmi2OK;
}

fmi2Status fmi2ExitInitializationMode(fmi2Component c)
{
  return (fmi2Status)start(c);
}

fmi2Status fmi2DoStep(fmi2Component c, fmi2Real at, fmi2Real size, fmi2Boolean no_set_prior)
{
  struct brake *b = c;
  (void)no_set_prior;
  const int status = step(b, at, size);
  return is_mood(b, "end") && at >= b->value[WHEN] ? fmi2Discard : (fmi2Status)status;
}

fmi2Status fmi2GetBooleanStatus(fmi2Component c, fmi2StatusKind kind, fmi2Boolean *value)
{
  *value = kind == fmi2Terminated && is_mood(c, "end");
  return fmi2OK;
}

fmi2Status fmi2Terminate(fmi2Component c)
{
  (void)c;
  return fmi2OK;
}
