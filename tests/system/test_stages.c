/* SPDX-License-Identifier: MIT
 * Properties of the stages: any number of workers computes the same bits, and a step neither allocates nor frees memory. */
#include "check.h"
#include "common/heap.h"
#include "common/random.h"
#include "common/sanitized.h"
#include "common/toys.h"
#include "config/setup.h"
#include "rt/pool.h"
#include "rt/realtime.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS = 80, EXPLICIT_METHODS = 5, JOINTED = 2 };
static const char *const explicit_method[EXPLICIT_METHODS] = {"rk4", "dp5", "ab4", "abm8", "dp8"};

static ali3_model *reference_with(const char *name, const struct settings_overrides *over,
                                  struct settings **s)
{
  char file[512];
  snprintf(file, sizeof file, TEST_DATA "/reference/%s.json", name);
  *s = setup_load(file, over, stderr);
  assert_non_null(*s);
  return (*s)->model;
}

static ali3_model *reference(const char *name, bool extrapolate, struct settings **s)
{
  const struct settings_overrides over = {.extrapolate = extrapolate};
  return reference_with(name, &over, s);
}

/* An exec that runs the shares one after the other, the last first, and counts. */
static int runs;

static void backwards(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  int shares = *(const int *)context;
  runs++;
  for (int i = shares - 1; i >= 0; i--) work(arg, i, shares);
}

/* All body states of all steps, one after the other. */
static ali3_body_state *trajectory(const ali3_model *m, const ali3_exec *exec)
{
  size_t bodies = (size_t)ali3_model_bodies(m);
  ali3_data *d = ali3_data_new(m);
  ali3_body_state *x = calloc(bodies * STEPS, sizeof *x);
  assert_true(d && x);
  ali3_data_set_exec(d, exec);
  assert_true(ali3_reset(m, d) >= 0);
  for (int i = 0; i < STEPS; i++) {
    toy_run(m, d, 1);
    for (size_t b = 0; b < bodies; b++) ali3_body_get(m, d, (int)b, &x[(size_t)i * bodies + b]);
  }
  ali3_data_free(d);
  return x;
}

/* Compares with the states of one thread. */
static void same_states(const ali3_model *m, const ali3_body_state *serial, const ali3_exec *exec)
{
  size_t size = (size_t)ali3_model_bodies(m) * STEPS * sizeof *serial;
  ali3_body_state *shared = trajectory(m, exec);
  if (memcmp(serial, shared, size) != 0)
    fail_msg("%d bodies: %d shares change the result", ali3_model_bodies(m), exec->shares);
  free(shared);
}

static void same_bits(const ali3_model *m)
{
  enum { THREADS = 3 };
  int many = 9; /* shares of more threads than most hosts have processors: one thread runs them */
  char error[256];
  ali3_body_state *serial = trajectory(m, NULL);
  for (int workers = 1; workers <= THREADS; workers++) {
    struct pool *pool =
        pool_new(&(struct pool_config){.workers = workers, .first_cpu = -1}, error, sizeof error);
    if (!pool) fail_msg("%s", error);
    ali3_exec exec = *pool_exec(pool);
    exec.worth = 1.0; /* shares all work */
    same_states(m, serial, &exec);
    pool_free(pool);
  }
  same_states(m, serial, &(ali3_exec){&many, many, backwards, 1.0});
  free(serial);
}

TEST(workers_do_not_change_a_bit)
{
  static const char *const names[] = {"four_bar", "chain_128"};
  for (int i = 0; i < 4; i++) {
    struct settings *s;
    same_bits(reference(names[i % 2], i >= 2, &s));
    settings_free(s);
  }
  ali3_model *m = toy_random(4, 400, 30);
  same_bits(m);
  ali3_model_free(m);
}

TEST(workers_do_not_change_a_bit_of_explicit_methods)
{
  for (int i = 0; i < EXPLICIT_METHODS; i++) {
    struct settings *s;
    const struct settings_overrides over = {.method = explicit_method[i]};
    same_bits(reference_with("four_bar", &over, &s));
    settings_free(s);
    same_bits(reference_with("chain_128", &over, &s));
    settings_free(s);
  }
}

/* Balls that fall on a plane and on each other, with friction, and pairs of wheels with a drive and a gear. */
static ali3_model *crowd(int balls, int pairs, bool extrapolate)
{
  ali3_model *m = ali3_model_new();
  struct random random = {11};
  char name[32];
  int body = 0, joint = 0;
  toy_added(m, ali3_model_set_gravity(m, (const double[]){0.0, -9.81, 0.0}));
  for (int i = 0; i < balls; i++, body++) {
    double place[3] = {0.2005 * i, random_between(&random, 0.101, 0.11),
                       random_between(&random, -0.01, 0.01)};
    snprintf(name, sizeof name, "ball%d", i);
    ali3_body_spec ball = toy_body(name, place, 1.0, 0.004);
    random_vector(&random, ball.velocity, 3);
    toy_added(m, ali3_model_add_body(m, &ball));
    for (int other = i - 1; other >= -1 && other >= i - 2; other--) { /* -1: the plane */
      bool plane = other < 0 || other == i - 2;
      ali3_force_spec s = ali3_force_spec_default(plane ? ALI3_FORCE_SPHERE_PLANE : ALI3_FORCE_SPHERE_SPHERE);
      snprintf(name, sizeof name, "contact%d_%d", i, other);
      s.name = name;
      s.body_a = plane ? ALI3_GROUND : other;
      s.body_b = i;
      s.normal[1] = 1.0;
      s.radius_a = s.radius_b = 0.1;
      s.stiffness[0] = i % 2 ? 1e4 : 1e8; /* some are resolved by the step, others too stiff for it */
      s.friction = 0.4;
      toy_added(m, ali3_model_add_force(m, &s));
    }
  }
  for (int i = 0; i < 2 * pairs; i++, body++, joint++) {
    const double place[3] = {i, 1.0, 2.0};
    snprintf(name, sizeof name, "wheel%d", i);
    ali3_body_spec wheel = toy_body(name, place, 1.0, random_between(&random, 0.5, 2.0));
    toy_added(m, ali3_model_add_body(m, &wheel));
    ali3_joint_spec hinge = {.name = name,
                             .type = ALI3_JOINT_REVOLUTE,
                             .body_a = ALI3_GROUND,
                             .body_b = body,
                             .point_a = {i, 1.0, 2.0},
                             .axis_a = {0, 0, 1},
                             .axis_b = {0, 0, 1}};
    toy_added(m, ali3_model_add_joint(m, &hinge));
    ali3_force_spec s = ali3_force_spec_default(i % 2 ? ALI3_FORCE_GEAR : ALI3_FORCE_DRIVE);
    s.name = name;
    s.joint = joint;
    s.joint_b = joint - 1;
    s.ratio = 1.5;
    s.amplitude = 0.5;
    s.frequency = 1.0 + 0.1 * i;
    toy_added(m, ali3_model_add_force(m, &s));
  }
  ali3_options options = ali3_options_default();
  options.dt = 2e-3;
  options.extrapolate = extrapolate;
  toy_freeze_with(m, &options);
  return m;
}

TEST(workers_do_not_change_a_bit_of_contacts_gears_and_drives)
{
  ali3_model *m = crowd(40, 10, false), *extrapolated = crowd(40, 10, true);
  ali3_data *d = ali3_data_new(m);
  int touched = 0;
  realtime_flush_denormals(); /* as in workers: motions that decay pass through denormals */
  assert_true(ali3_reset(m, d) >= 0);
  for (int i = 0; i < STEPS; i++) {
    toy_run(m, d, 1);
    for (int f = 0; f < ali3_model_forces(m); f++) {
      ali3_force_state x;
      ali3_force_get(m, d, f, &x);
      touched += ali3_force_type_is_contact(ali3_model_force_type(m, f)) && x.value > 0.0;
    }
  }
  assert_true(touched > STEPS); /* contacts were closed, so workers had work to differ in */
  ali3_data_free(d);
  same_bits(m);
  same_bits(extrapolated);
  ali3_model_free(m);
  ali3_model_free(extrapolated);
}

static void any_order(ali3_model *m)
{
  int shares = 5;
  const ali3_exec exec = {&shares, shares, backwards, 1.0};
  ali3_data *d = ali3_data_new(m), *serial = ali3_data_new(m);
  assert_true(d && serial);
  ali3_data_set_exec(d, &exec);
  realtime_flush_denormals();
  assert_true(ali3_reset(m, d) >= 0 && ali3_reset(m, serial) >= 0);
  runs = 0;
  for (int i = 0; i < 50; i++) {
    toy_run(m, d, 1);
    toy_run(m, serial, 1);
    for (int b = 0; b < ali3_model_bodies(m); b++) {
      ali3_body_state x, y;
      ali3_body_get(m, d, b, &x);
      ali3_body_get(m, serial, b, &y);
      assert_memory_equal(&x, &y, sizeof x);
    }
  }
  assert_true(runs > 50 * 10); /* the step did ask for help */
  ali3_data_free(d);
  ali3_data_free(serial);
  ali3_model_free(m);
}

/* Nor may two shares write one place: the last one would decide. */
TEST(shares_may_run_in_any_order)
{
  any_order(toy_random(5, 400, 30));
  any_order(crowd(40, 10, false));
  any_order(crowd(40, 10, true));
}

enum { NOBODY = -2 };

/* Records of a probe: the run of each share, and the number of ends of each run. */
struct seen {
  ali3_phase phase;
  int in[5]; /* run of each share; NOBODY: none */
  bool shared;
  int stages, ended[2][400]; /* condensations, sweeps */
  bool helped;               /* a share other than the first ran */
};

static void see_phase(void *context, ali3_phase phase)
{
  ((struct seen *)context)->phase = phase;
}

static void see_run(void *context, int share, int run, bool begins)
{
  struct seen *s = context;
  if (run < 0) {
    assert_int_equal(share, 0);
    assert_true(s->shared == !begins);
    s->shared = begins;
    s->stages += begins && run == ALI3_RUNS_SHARED && s->phase == ALI3_PHASE_SWEEP;
    return;
  }
  assert_true(share == 0 || s->shared);
  assert_int_equal(s->in[share], begins ? NOBODY : run);
  s->in[share] = begins ? run : NOBODY;
  s->helped |= share > 0;
  assert_in_range(run, 0, 399);
  if (!begins && s->phase == ALI3_PHASE_CONDENSE) s->ended[0][run]++;
  if (!begins && s->phase == ALI3_PHASE_SWEEP) s->ended[1][run]++;
}

TEST(a_probe_sees_every_run)
{
  int shares = 5;
  const ali3_exec exec = {&shares, shares, backwards, 1.0};
  ali3_model *m = toy_random(5, 400, 30);
  for (int shared = 0; shared < 2; shared++) {
    ali3_data *d = toy_start(m, ALI3_OK);
    struct seen s = {.phase = ALI3_PHASE_IDLE, .in = {NOBODY, NOBODY, NOBODY, NOBODY, NOBODY}};
    const ali3_probe probe = {.context = &s, .mark = see_phase, .run = see_run};
    ali3_data_set_exec(d, shared ? &exec : NULL);
    ali3_data_set_probe(d, &probe);
    toy_run(m, d, 1);
    int known = 0;
    while (known < 400 && s.ended[0][known]) known++;
    assert_true(known > 5);
    assert_true(s.stages > 0 && s.stages % 2 == 0);
    for (int run = 0; run < 400; run++) { /* up and down: each run ends as often as the shared ones */
      assert_int_equal(s.ended[0][run], run < known);
      assert_int_equal(s.ended[1][run], run < known ? s.stages : 0);
    }
    for (int i = 0; i < 5; i++) assert_int_equal(s.in[i], NOBODY);
    assert_false(s.shared);
    assert_true(s.helped == (shared > 0));
    ali3_data_set_probe(d, NULL);
    ali3_data_free(d);
  }
  ali3_model_free(m);
}

TEST(a_small_mechanism_wakes_nobody)
{
  int shares = 2;
  const ali3_exec exec = {&shares, shares, backwards, 0.0};
  ali3_model *m = toy_chain(4, true, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_data_set_exec(d, &exec);
  runs = 0;
  toy_run(m, d, 10);
  assert_int_equal(runs, 0);
  ali3_data_free(d);
  ali3_model_free(m);
}

#if !TEST_SANITIZED
static void takes_no_memory(const ali3_model *m, const ali3_exec *exec)
{
  const double force[3] = {1.0, 2.0, 3.0}, none[3] = {0.0}, wild[3] = {1e300, 0.0, 0.0};
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_data_set_exec(d, exec);
  toy_run(m, d, 1);
  long before = heap_calls();
  int worst = 0;
  for (int i = 0; i < 100; i++) {
    ali3_body_state x;
    ali3_joint_state j;
    ali3_energy e;
    ali3_set_wrench(m, d, 0, force, none);
    int status = i % 2 ? ali3_step(m, d) : (ali3_prepare(m, d) < 0 ? -1 : ali3_feedback(m, d));
    worst = status < worst ? status : worst;
    ali3_body_get(m, d, 1, &x);
    ali3_joint_get(m, d, 1, &j);
    ali3_energy_get(m, d, &e);
  }
  ali3_set_wrench(m, d, 0, wild, none);
  int diverged = ali3_step(m, d); /* a failed step allocates nothing, too */
  long after = heap_calls();
  assert_int_equal(after, before);
  assert_int_equal(worst, 0);
  assert_int_equal(diverged, ALI3_E_DIVERGED);
  ali3_data_free(d);
}
#endif

TEST(a_step_takes_no_memory)
{
#if TEST_SANITIZED
  printf("skip: the allocator of a sanitizer cannot be replaced\n");
  skip();
#else
  struct settings *s, *of_method[EXPLICIT_METHODS];
  ali3_model *by_method[EXPLICIT_METHODS];
  for (int i = 0; i < EXPLICIT_METHODS; i++)
    by_method[i] =
        reference_with("chain_16", &(struct settings_overrides){.method = explicit_method[i]}, &of_method[i]);
  /* a tree, and a loop with a redundant row */
  static const char *const jointed_case[JOINTED] = {"chain_16", "bricard"};
  struct settings *of_case[JOINTED];
  ali3_model *jointed[JOINTED][EXPLICIT_METHODS];
  for (int k = 0; k < JOINTED; k++) {
    const ali3_model *base = reference(jointed_case[k], false, &of_case[k]);
    ali3_options o = *ali3_model_options(base);
    o.coordinates = ALI3_COORDINATES_JOINT;
    for (int i = 0; i < EXPLICIT_METHODS; i++) {
      o.method = ali3_method_named(explicit_method[i]);
      jointed[k][i] = toy_copy_with(base, &o);
      assert_int_equal(ali3_model_coordinates(jointed[k][i]), ALI3_COORDINATES_JOINT);
    }
  }
  ali3_model *m = toy_random(6, 300, 20), *extrapolated = reference("chain_128", true, &s);
  char error[256];
  struct pool *pool = pool_new(&(struct pool_config){.workers = 2, .first_cpu = -1}, error, sizeof error);
  assert_non_null(pool);
  for (int shared = 0; shared < 2; shared++) {
    const ali3_exec *exec = shared ? pool_exec(pool) : NULL;
    takes_no_memory(m, exec);
    takes_no_memory(extrapolated, exec);
    for (int i = 0; i < EXPLICIT_METHODS; i++) takes_no_memory(by_method[i], exec);
    for (int i = 0; i < JOINTED * EXPLICIT_METHODS; i++)
      takes_no_memory(jointed[i / EXPLICIT_METHODS][i % EXPLICIT_METHODS], exec);
  }
  pool_free(pool);
  for (int i = 0; i < EXPLICIT_METHODS; i++) settings_free(of_method[i]);
  for (int i = 0; i < JOINTED * EXPLICIT_METHODS; i++)
    ali3_model_free(jointed[i / EXPLICIT_METHODS][i % EXPLICIT_METHODS]);
  for (int k = 0; k < JOINTED; k++) settings_free(of_case[k]);
  ali3_model_free(m);
  settings_free(s);
  long seen = heap_calls();
  void *volatile p = malloc(1);
  free(p);
  assert_true(heap_calls() > seen); /* the counter works */
#endif
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_do_not_change_a_bit),
      cmocka_unit_test(workers_do_not_change_a_bit_of_explicit_methods),
      cmocka_unit_test(workers_do_not_change_a_bit_of_contacts_gears_and_drives),
      cmocka_unit_test(shares_may_run_in_any_order),
      cmocka_unit_test(a_probe_sees_every_run),
      cmocka_unit_test(a_small_mechanism_wakes_nobody),
      cmocka_unit_test(a_step_takes_no_memory),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
