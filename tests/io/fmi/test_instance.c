/* SPDX-License-Identifier: MIT
 * Instances of an FMU by the functions of both standards: orders of calls, a million steps, thousands of instances, two threads, and
 * the floating-point mode of the importer. */
#include "check.h"
#include "common/folder.h"
#include "common/sanitized.h"
#include "fmi/fmi2.h"
#include "fmi/fmi3.h"
#include "fmi/instance.h"

#include <ali3/flat.h>
#include <ali3/model.h>
#include <fenv.h>
#include <pthread.h>
#include <stdarg.h>
#include <string.h>
#ifdef __SSE2__
#include <immintrin.h>
#endif

enum { TIME, PUSH, MOTOR, POSITION, MASS, STIFFNESS, VARIABLES };
static const double STEP = 0.01;

/* The resources of an FMU: a rod on a joint with a spring and a motor. */
struct resources {
  char token[FMU_TOKEN];
};

static ali3_model *make_model(void)
{
  ali3_model *m = ali3_model_new();
  const double gravity[3] = {0, 0, -9.81};
  ali3_model_set_gravity(m, gravity);
  const int rod = ali3_model_add_body(m, &(ali3_body_spec){.name = "rod",
                                                           .mass = 2,
                                                           .orientation = {1},
                                                           .inertia = {0.2, 0, 0, 0, 0.2, 0, 0, 0, 0.1},
                                                           .position = {0.5}});
  const int joint = ali3_model_add_joint(m, &(ali3_joint_spec){.name = "hinge",
                                                               .type = ALI3_JOINT_REVOLUTE,
                                                               .body_a = ALI3_GROUND,
                                                               .body_b = rod,
                                                               .point_b = {-0.5},
                                                               .axis_a = {0, 1, 0},
                                                               .axis_b = {0, 1, 0}});
  ali3_force_spec spring = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING),
                  motor = ali3_force_spec_default(ALI3_FORCE_MOTOR);
  spring.name = "spring";
  spring.joint = joint;
  spring.stiffness[0] = 20;
  spring.damping[0] = 0.5;
  motor.name = "motor";
  motor.joint = joint;
  assert_true(ali3_model_add_force(m, &spring) >= 0);
  assert_true(ali3_model_add_force(m, &motor) >= 0);
  ali3_options o = ali3_options_default();
  strcpy(o.isa, "baseline");
  assert_int_equal(ali3_model_freeze(m, &o), ALI3_OK);
  return m;
}

static void write_file(const char *name, const void *bytes, size_t size)
{
  FILE *out = fopen(in_folder(name), "wb");
  assert_non_null(out);
  assert_int_equal(fwrite(bytes, 1, size, out), size);
  assert_int_equal(fclose(out), 0);
}

static void make_resources(struct resources *r)
{
  ali3_model *m = make_model();
  struct fmu_table t = {0};
  const struct fmu_variable of[VARIABLES] = {
      [TIME] = {.kind = FMU_TIME, .mirror = -1, .name = (char[]){"time"}},
      [PUSH] = {.kind = FMU_WRENCH,
                .mirror = -1,
                .lower = -100,
                .upper = 100,
                .name = (char[]){"body.rod.force.x"}},
      [MOTOR] = {.kind = FMU_COMMAND,
                 .element = 1,
                 .mirror = -1,
                 .lower = -5,
                 .upper = 5,
                 .rate = 100,
                 .name = (char[]){"input.motor.value"}},
      [POSITION] = {.kind = FMU_SIGNAL, .mirror = -1, .name = (char[]){"joint.hinge.position"}},
      [MASS] = {.kind = FMU_PARAMETER,
                .mirror = -1,
                .owner = FMU_OF_BODY,
                .field = "mass",
                .lower = 0,
                .upper = INFINITY,
                .start = 2,
                .name = (char[]){"body.rod.mass"}},
      [STIFFNESS] = {.kind = FMU_PARAMETER,
                     .mirror = -1,
                     .owner = FMU_OF_FORCE,
                     .field = "stiffness",
                     .lower = 0,
                     .upper = INFINITY,
                     .start = 20,
                     .name = (char[]){"force.spring.stiffness"}},
  };
  for (int i = 0; i < VARIABLES; i++) assert_true(fmu_table_add(&t, &of[i]));
  size_t size;
  char *text = fmu_table_write(&t, &size);
  unsigned char *bytes = malloc(ali3_model_flat_size(m));
  assert_int_equal(ali3_model_flat_write(m, bytes, ali3_model_flat_size(m)), ALI3_OK);
  assert_true(fmu_token(bytes, ali3_model_flat_size(m), text, size, r->token));
  write_file("variables", text, size);
  write_file("model.ali3", bytes, ali3_model_flat_size(m));
  free(text);
  free(bytes);
  fmu_table_free(&t);
  ali3_model_free(m);
}

static struct resources resources;

static int set_up(void **state)
{
  if (make_folder(state) != 0) return -1;
  make_resources(&resources);
  return 0;
}

/* --- calls --- */

static char last_message[800];

static void note_message(fmi3InstanceEnvironment e, fmi3Status s, fmi3String category, fmi3String text)
{
  (void)e, (void)s;
  assert_non_null(category);
  snprintf(last_message, sizeof last_message, "%s", text);
}

static fmi3Instance make_instance(void)
{
  fmi3Instance i = fmi3InstantiateCoSimulation("i", resources.token, folder, false, true, false, false, NULL,
                                               0, NULL, note_message, NULL);
  assert_non_null(i);
  return i;
}

static fmi3Status enter(fmi3Instance i)
{
  return fmi3EnterInitializationMode(i, false, 0, 0, false, 0);
}

static fmi3Status step(fmi3Instance i, int k)
{
  return fmi3DoStep(i, k * STEP, STEP, true, NULL, NULL, NULL, NULL);
}

static double value_of(fmi3Instance i, fmi3ValueReference reference)
{
  double x = NAN;
  assert_int_equal(fmi3GetFloat64(i, &reference, 1, &x, 1), fmi3OK);
  return x;
}

static fmi3Status put_value(fmi3Instance i, fmi3ValueReference reference, double x)
{
  return fmi3SetFloat64(i, &reference, 1, &x, 1);
}

/* Every call in every phase, beside the table of the standard. */
enum call { ENTER, EXIT, GET, GET_OUTPUT, SET, STEP_ONCE, TERMINATE, SAVE_AND_LOAD, RESET, CALLS };

static fmi3Status make_call(fmi3Instance i, enum call call)
{
  const fmi3ValueReference mass = MASS, position = POSITION;
  double x = 0;
  fmi3FMUState state = NULL;
  switch (call) {
  case ENTER:
    return enter(i);
  case EXIT:
    return fmi3ExitInitializationMode(i);
  case GET:
    return fmi3GetFloat64(i, &mass, 1, &x, 1);
  case GET_OUTPUT:
    return fmi3GetFloat64(i, &position, 1, &x, 1);
  case SET:
    return put_value(i, MASS, 2.5);
  case STEP_ONCE:
    return fmi3DoStep(i, value_of(i, TIME), STEP, true, NULL, NULL, NULL, NULL);
  case TERMINATE:
    return fmi3Terminate(i);
  case SAVE_AND_LOAD: {
    fmi3Status status = fmi3GetFMUState(i, &state);
    if (status < fmi3Error) status = fmi3SetFMUState(i, state);
    return fmi3FreeFMUState(i, &state) > status ? fmi3Error : status;
  }
  default:
    return fmi3Reset(i);
  }
}

TEST(orders)
{
  static const bool allowed[][CALLS] = {
      /*                  ENTER  EXIT   GET   OUTPUT SET    STEP   TERM   STATE RESET */
      [FMU_INSTANTIATED] = {true, false, true, false, true, false, false, true, true},
      [FMU_INITIALIZATION] = {false, true, true, true, true, false, false, true, true},
      [FMU_STEPPING] = {false, false, true, true, true, true, true, true, true},
      [FMU_TERMINATED] = {false, false, true, true, false, false, false, true, true},
      [FMU_FAILED] = {false, false, false, false, false, false, false, true, true},
  };
  for (int phase = 0; phase < FMU_PHASES; phase++)
    for (int call = 0; call < CALLS; call++) {
      fmi3Instance i = make_instance();
      if (phase == FMU_FAILED) { /* a mass that the model refuses fails the step */
        put_value(i, MASS, 1e30);
        assert_int_equal(enter(i), fmi3Error);
      } else {
        if (phase >= FMU_INITIALIZATION) assert_int_equal(enter(i), fmi3OK);
        if (phase >= FMU_STEPPING) assert_int_equal(fmi3ExitInitializationMode(i), fmi3OK);
        if (phase == FMU_TERMINATED) assert_int_equal(fmi3Terminate(i), fmi3OK);
      }
      assert_int_equal(((struct fmu *)i)->phase, phase);
      last_message[0] = '\0';
      if (call == STEP_ONCE && phase == FMU_FAILED) {
        assert_int_equal(step(i, 0), fmi3Error);
      } else {
        const fmi3Status status = make_call(i, (enum call)call);
        if ((status < fmi3Error) != allowed[phase][call])
          print_error("phase %d call %d: %s\n", phase, call, last_message);
        assert_int_equal(status < fmi3Error, allowed[phase][call]);
        if (status >= fmi3Error) assert_true(strlen(last_message) > 10);
      }
      /* A reset leads out of every phase. */
      assert_int_equal(fmi3Reset(i), fmi3OK);
      assert_int_equal(enter(i), fmi3OK);
      assert_int_equal(fmi3ExitInitializationMode(i), fmi3OK);
      assert_int_equal(step(i, 0), fmi3OK);
      fmi3FreeInstance(i);
    }
}

/* Arguments that no importer should give. */
TEST(wrong_arguments)
{
  fmi3Instance i = make_instance();
  double x[2] = {0};
  const fmi3ValueReference far = 4711, two[2] = {MASS, POSITION};
  assert_int_equal(fmi3GetFloat64(i, &far, 1, x, 1), fmi3Error);
  assert_non_null(strstr(last_message, "4711"));
  assert_int_equal(fmi3GetFloat64(i, two, 2, x, 1), fmi3Error);
  assert_int_equal(fmi3GetFloat64(i, NULL, 1, x, 1), fmi3Error);
  assert_int_equal(fmi3SetFloat64(i, two, 2, NULL, 2), fmi3Error);
  assert_int_equal(fmi3GetInt32(i, NULL, 3, NULL, 3), fmi3Error);
  assert_int_equal(fmi3GetInt32(i, NULL, 0, NULL, 0), fmi3OK);
  assert_int_equal(put_value(i, POSITION, 1), fmi3Error);
  assert_int_equal(put_value(i, TIME, 1), fmi3Error);
  x[0] = 3, x[1] = 1; /* all or nothing */
  assert_int_equal(fmi3SetFloat64(i, two, 2, x, 2), fmi3Error);
  assert_true(value_of(i, MASS) == 2.0);
  assert_int_equal(fmi3GetString(i, NULL, 0, NULL, 0), fmi3OK);
  assert_int_equal(fmi3GetString(i, two, 1, NULL, 1), fmi3Error);
  assert_int_equal(fmi3EnterEventMode(i), fmi3Error);
  assert_int_equal(fmi3GetNumberOfContinuousStates(i, NULL), fmi3Error);
  assert_int_equal(fmi3SetFMUState(i, NULL), fmi3Error);
  assert_int_equal(fmi3GetFMUState(i, NULL), fmi3Error);
  assert_int_equal(fmi3EnterInitializationMode(i, false, 0, NAN, false, 0), fmi3Error);
  fmi3FreeInstance(i);
  fmi3FreeInstance(NULL);
  assert_int_equal(fmi3Reset(NULL), fmi3Error);
  assert_int_equal(step(NULL, 0), fmi3Error);
  assert_null(fmi3InstantiateModelExchange("", "", "", false, false, NULL, note_message));
  assert_null(fmi3InstantiateCoSimulation("", resources.token, folder, false, false, true, false, NULL, 0,
                                          NULL, NULL, NULL));
  assert_null(
      fmi3InstantiateCoSimulation(NULL, NULL, NULL, false, false, false, false, NULL, 0, NULL, NULL, NULL));
}

/* Categories of messages can be turned off and on. */
TEST(logging)
{
  fmi3Instance i = make_instance();
  const char *errors = "logStatusError", *none = "none";
  last_message[0] = '\0';
  assert_int_equal(fmi3SetDebugLogging(i, false, 1, &errors), fmi3OK);
  assert_int_equal(step(i, 0), fmi3Error);
  assert_string_equal(last_message, "");
  assert_int_equal(fmi3SetDebugLogging(i, true, 0, NULL), fmi3OK);
  assert_int_equal(fmi3SetDebugLogging(i, true, 1, &none), fmi3Error);
  assert_non_null(strstr(last_message, "none"));
  fmi3FreeInstance(i);
}

/* t += h in doubles over a million steps. */
TEST(a_million_steps)
{
  fmi3Instance i = make_instance();
  double t = 0, last = 0;
  const int steps = 1000000 / (TEST_SANITIZED ? 10 : 1);
  enter(i);
  fmi3ExitInitializationMode(i);
  for (int k = 0; k < steps; k++) {
    const fmi3Status status = fmi3DoStep(i, t, STEP, true, NULL, NULL, NULL, &last);
    if (status >= fmi3Error) print_error("step %d: %s\n", k, last_message);
    assert_true(status < fmi3Error);
    t += STEP;
  }
  assert_near(last, steps * STEP, 1e-9);
  fmi3FreeInstance(i);
}

/* The rate of an input counts in each period of a step. */
TEST(inputs)
{
  fmi3Instance a = make_instance(), b = make_instance();
  for (int k = 0; k < 2; k++) {
    fmi3Instance i = k ? a : b;
    enter(i);
    fmi3ExitInitializationMode(i);
    put_value(i, MOTOR, 50); /* limit 5, rate 100 per s */
    put_value(i, PUSH, 3);
  }
  for (int k = 0; k < 10; k++) assert_int_equal(step(a, k), fmi3OK);
  assert_int_equal(fmi3DoStep(b, 0, 10 * STEP, true, NULL, NULL, NULL, NULL), fmi3OK);
  assert_true(value_of(a, POSITION) == value_of(b, POSITION));
  assert_true(((struct fmu *)a)->acting[MOTOR] == 5.0);
  assert_true(value_of(a, MOTOR) == 50.0); /* as it was set */
  fmi3FreeInstance(a);
  fmi3FreeInstance(b);
}

/* Thousands of instances, in different phases, leave no memory behind (with a sanitizer). */
TEST(many_instances)
{
  enum { INSTANCES = 10000, KEPT = 50 };
  fmi3Instance kept[KEPT] = {0};
  for (int n = 0; n < INSTANCES; n++) {
    fmi3Instance *i = &kept[n % KEPT];
    fmi3FMUState saved = NULL;
    fmi3FreeInstance(*i);
    *i = make_instance();
    if (n % 3 == 0) continue;
    if (n % 5 == 0) put_value(*i, STIFFNESS, 10 + n);
    assert_int_equal(enter(*i), fmi3OK);
    if (n % 3 == 1) continue;
    fmi3ExitInitializationMode(*i);
    step(*i, 0);
    assert_int_equal(fmi3GetFMUState(*i, &saved), fmi3OK);
    put_value(*i, MASS, 3);
    step(*i, 1);
    assert_int_equal(fmi3SetFMUState(*i, saved), fmi3OK);
    assert_int_equal(step(*i, 1), fmi3OK);
    fmi3FreeFMUState(*i, &saved);
  }
  for (int n = 0; n < KEPT; n++) fmi3FreeInstance(kept[n]);
}

/* --- threads --- */

struct thread_run {
  double position[200];
};

static void *run_alone(void *of)
{
  struct thread_run *r = of;
  fmi3Instance i = fmi3InstantiateCoSimulation("t", resources.token, folder, false, false, false, false, NULL,
                                               0, NULL, NULL, NULL);
  enter(i);
  fmi3ExitInitializationMode(i);
  for (int k = 0; k < 200; k++) {
    const fmi3ValueReference reference = POSITION;
    if (k == 100) put_value(i, STIFFNESS, 40);
    step(i, k);
    fmi3GetFloat64(i, &reference, 1, &r->position[k], 1);
  }
  fmi3FreeInstance(i);
  return NULL;
}

TEST(two_threads)
{
  struct thread_run run[2], alone;
  pthread_t thread[2];
  run_alone(&alone);
  for (int k = 0; k < 2; k++) assert_int_equal(pthread_create(&thread[k], NULL, run_alone, &run[k]), 0);
  for (int k = 0; k < 2; k++) pthread_join(thread[k], NULL);
  for (int k = 0; k < 2; k++) assert_memory_equal(&run[k], &alone, sizeof alone);
  assert_true(alone.position[199] != 0.0);
}

/* --- the floating-point mode --- */

#ifdef __SSE2__
static void run_in_mode(int rounding, bool flush, struct thread_run *r)
{
  fesetround(rounding);
  if (flush) _mm_setcsr(_mm_getcsr() | 0x8040);
  const unsigned before = _mm_getcsr() & ~0x3fu; /* without the flags of exceptions */
  fmi3Instance i = make_instance();
  assert_int_equal(_mm_getcsr() & ~0x3fu, before);
  enter(i);
  fmi3ExitInitializationMode(i);
  for (int k = 0; k < 200; k++) {
    fmi3FMUState state = NULL;
    if (k == 100) put_value(i, STIFFNESS, 40);
    step(i, k);
    r->position[k] = value_of(i, POSITION);
    fmi3GetFMUState(i, &state);
    fmi3SetFMUState(i, state);
    fmi3FreeFMUState(i, &state);
    assert_int_equal(_mm_getcsr() & ~0x3fu, before);
    assert_int_equal(fegetround(), rounding);
  }
  fmi3FreeInstance(i);
  fesetround(FE_TONEAREST);
  _mm_setcsr(_mm_getcsr() & ~0x8040u);
}

TEST(floating_point_mode)
{
  struct thread_run want, found;
  run_in_mode(FE_TONEAREST, false, &want);
  for (int k = 0; k < 6; k++) {
    static const int rounding[] = {FE_UPWARD, FE_DOWNWARD, FE_TOWARDZERO};
    run_in_mode(rounding[k % 3], k < 3, &found);
    assert_memory_equal(&found, &want, sizeof want);
  }
}
#endif

/* --- FMI 2 --- */

static int calls_of_logger;

__attribute__((format(printf, 5, 6))) static void note_message2(fmi2ComponentEnvironment e, fmi2String name,
                                                                fmi2Status s, fmi2String category,
                                                                fmi2String format, ...)
{
  va_list arguments;
  assert_true(e == (void *)&calls_of_logger);
  assert_string_equal(name, "two");
  (void)s, (void)category;
  va_start(arguments, format);
  vsnprintf(last_message, sizeof last_message, format, arguments);
  va_end(arguments);
  calls_of_logger++;
}

TEST(version_two)
{
  const fmi2CallbackFunctions functions = {.logger = note_message2, .componentEnvironment = &calls_of_logger};
  fmi3Instance three = make_instance();
  const fmi2ValueReference position = POSITION;
  double x, last;
  assert_null(fmi2Instantiate("two", fmi2ModelExchange, resources.token, folder, &functions, 0, 0));
  assert_int_equal(calls_of_logger, 1);
  fmi2Component two = fmi2Instantiate("two", fmi2CoSimulation, resources.token, folder, &functions, 0, 1);
  assert_non_null(two);
  assert_int_equal(fmi2DoStep(two, 0, STEP, 1), fmi2Error);
  assert_int_equal(fmi2SetupExperiment(two, 1, 1e-6, 3.0, 0, 0), fmi2OK);
  assert_int_equal(fmi2EnterInitializationMode(two), fmi2OK);
  assert_int_equal(fmi2ExitInitializationMode(two), fmi2OK);
  enter(three);
  fmi3ExitInitializationMode(three);
  for (int k = 0; k < 20; k++) {
    assert_int_equal(fmi2DoStep(two, 3.0 + k * STEP, STEP, 1), fmi2OK);
    step(three, k);
  }
  assert_int_equal(fmi2GetReal(two, &position, 1, &x), fmi2OK);
  assert_true(x == value_of(three, POSITION));
  assert_int_equal(fmi2GetRealStatus(two, fmi2LastSuccessfulTime, &last), fmi2OK);
  assert_near(last, 3.2, 1e-12);
  assert_int_equal(fmi2CancelStep(two), fmi2Error);
  assert_int_equal(fmi2SetRealInputDerivatives(two, &position, 1, (const int[]){1}, &x), fmi2Error);
  assert_int_equal(fmi2Terminate(two), fmi2OK);
  fmi2FreeInstance(two);
  fmi3FreeInstance(three);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(orders),
      cmocka_unit_test(wrong_arguments),
      cmocka_unit_test(logging),
      cmocka_unit_test(inputs),
      cmocka_unit_test(many_instances),
      cmocka_unit_test(two_threads),
#ifdef __SSE2__
      cmocka_unit_test(floating_point_mode),
#endif
      cmocka_unit_test(version_two),
      cmocka_unit_test(a_million_steps),
  };
  return cmocka_run_group_tests(tests, set_up, remove_folder);
}
