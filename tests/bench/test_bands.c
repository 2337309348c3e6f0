/* SPDX-License-Identifier: MIT
 * Random mechanisms come to the same bits in every step with 0 to 7 workers, which share everything that can be shared.
 * An argument gives the number of mechanisms. */
#include "check.h"
#include "parts.h"

#include "rt/pool.h"
#include "rt/realtime.h"

#include <ali3/model.h>
#include <ali3/profile.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { WORKERS = 7, STEPS = 3 };

static int mechanisms = 8;

static const struct mix {
  ali3_joint_type type;
  double stiffness, damping; /* 0: no spring */
} mix[] = {
    {ALI3_JOINT_REVOLUTE, 0.0, 0.0},    {ALI3_JOINT_SPHERICAL, 0.0, 0.0}, {ALI3_JOINT_UNIVERSAL, 0.0, 0.0},
    {ALI3_JOINT_PRISMATIC, 1e4, 300.0}, {ALI3_JOINT_FIXED, 0.0, 0.0},     {ALI3_JOINT_REVOLUTE, 100.0, 3.0},
    {ALI3_JOINT_SPHERICAL, 0.0, 0.0},
};

static void cross_product(double o[3], const double a[3], const double b[3])
{
  for (int i = 0; i < 3; i++) o[i] = a[(i + 1) % 3] * b[(i + 2) % 3] - a[(i + 2) % 3] * b[(i + 1) % 3];
}

/* Adds a body on body `to`, with a joint between. */
static void add_link(struct parts *p, struct random *r, int to, int kinds)
{
  const struct mix *how = &mix[to == ALI3_GROUND ? 1 : random_below(r, kinds)];
  double arm[3], u[3], v[3], w[3], at[3], centre[3];
  const double inertia[3] = {random_between(r, 0.5, 0.9), random_between(r, 0.5, 0.9),
                             random_between(r, 0.5, 0.9)};
  random_unit(r, arm);
  random_unit(r, u);
  random_unit(r, w);
  cross_product(v, u, w);
  for (int k = 0; k < 3; k++) {
    const double from = to == ALI3_GROUND ? 0.0 : p->position[to][k];
    at[k] = from + 0.5 * arm[k];
    centre[k] = from + arm[k];
  }
  const int b = parts_body(p, random_between(r, 0.5, 2.0), inertia, centre);
  const int joint = parts_joint(p, how->type, to, b, at, u, how->type == ALI3_JOINT_UNIVERSAL ? v : u);
  if (how->stiffness > 0.0) parts_spring(p, joint, how->stiffness, how->damping);
}

static void add_tie(struct parts *p, int number, int a, int b)
{
  char name[32];
  ali3_force_spec s = ali3_force_spec_default(ALI3_FORCE_SPRING);
  snprintf(name, sizeof name, "tie%d", number);
  s.name = name;
  s.body_a = a;
  s.body_b = b;
  s.stiffness[0] = 100.0;
  s.damping[0] = 3.0;
  p->good &= ali3_model_add_force(p->m, &s) >= 0;
}

/* A tree of 20 to 420 bodies, of few or many kinds of joints, and springs across it. */
static ali3_model *random_mechanism(int seed)
{
  struct random r = {(uint64_t)seed};
  struct parts p;
  const ali3_options options = ali3_options_default();
  const int bodies = 20 + random_below(&r, 400), near = 1 + random_below(&r, 30),
            kinds = 1 + random_below(&r, sizeof mix / sizeof *mix), springs = random_below(&r, 8);
  assert_true(parts_begin(&p));
  parts_gravity(&p, 0.0, -9.81, 0.0);
  for (int i = 0; i < bodies; i++)
    add_link(&p, &r, i == 0 ? ALI3_GROUND : i - 1 - random_below(&r, i < near ? i : near), kinds);
  for (int i = 0; i < springs; i++) {
    const int a = random_below(&r, bodies - 1);
    add_tie(&p, i, a, a + 1 + random_below(&r, bodies - 1 - a));
  }
  return parts_end(&p, "random", &options);
}

/* FNV-1a over the states of all bodies after each step. */
static uint64_t run(const ali3_model *m, const ali3_exec *exec)
{
  uint64_t hash = UINT64_C(0xcbf29ce484222325);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  ali3_data_set_exec(d, exec);
  assert_true(ali3_reset(m, d) >= 0);
  for (int i = 0; i < STEPS; i++) {
    hash = (hash ^ (uint64_t)ali3_step(m, d)) * UINT64_C(0x100000001b3);
    for (int b = 0; b < ali3_model_bodies(m); b++) {
      ali3_body_state x;
      ali3_body_get(m, d, b, &x);
      const unsigned char *byte = (const unsigned char *)&x;
      for (size_t k = 0; k < sizeof x; k++) hash = (hash ^ byte[k]) * UINT64_C(0x100000001b3);
    }
  }
  ali3_data_free(d);
  return hash;
}

static int shared_bands(const ali3_model *m)
{
  int bands = 0;
  while (bands < ali3_model_bands(m) && ali3_model_band(m, bands).separate) bands++;
  return bands;
}

TEST(workers_change_no_bit_of_a_random_mechanism)
{
  struct pool *pool[WORKERS];
  ali3_exec exec[WORKERS];
  int several = 0;
  realtime_flush_denormals();
  for (int i = 0; i < WORKERS; i++) {
    char error[256];
    pool[i] = pool_new(&(struct pool_config){.workers = i + 1, .first_cpu = -1}, error, sizeof error);
    if (!pool[i]) fail_msg("%s", error);
    exec[i] = *pool_exec(pool[i]);
    exec[i].worth = 1.0;
  }
  for (int seed = 1; seed <= mechanisms; seed++) {
    ali3_model *m = random_mechanism(seed);
    if (!m) fail_msg("mechanism %d", seed);
    const uint64_t alone = run(m, NULL);
    for (int i = 0; i < WORKERS; i++)
      if (run(m, &exec[i]) != alone) fail_msg("mechanism %d: other bits with %d workers", seed, i + 1);
    several += shared_bands(m) > 1;
    ali3_model_free(m);
  }
  for (int i = 0; i < WORKERS; i++) pool_free(pool[i]);
  assert_true(3 * several > mechanisms); /* there was something to share */
}

/* A worker that dies in a run of a band. */
struct killer {
  const ali3_model *m;
  int band;
  atomic_bool done;
  atomic_int ended; /* the sanitizer does not know that the pool has this from the kernel */
};

static void ignore_phase(void *context, ali3_phase phase)
{
  (void)context;
  (void)phase;
}

static void end_worker(void *context, int share, int stage, bool begins)
{
  struct killer *k = context;
  if (share == 0) (void)atomic_load(&k->ended); /* at the end of the band, before its memory is used again */
  if (share == 0 || stage < 0 || !begins) return;
  const ali3_band band = ali3_model_band(k->m, k->band);
  if (stage < band.first || stage >= band.end || atomic_exchange(&k->done, true)) return;
  atomic_fetch_add(&k->ended, 1);
  pthread_exit(NULL);
}

/* A mechanism in which two threads share at least three bands. */
static ali3_model *many_bands(void)
{
  for (int seed = 1; seed <= 200; seed++) {
    ali3_model *m = random_mechanism(seed);
    assert_non_null(m);
    if (shared_bands(m) > 2) return m;
    ali3_model_free(m);
  }
  fail_msg("no mechanism has three shared bands");
  return NULL;
}

/* Kills a worker in this band of the first step. The pool knows that and which one, and its other threads go on to the bits of one
 * thread. False: no worker has a run of the band. */
static bool survives_a_death(const ali3_model *m, int band, int workers, uint64_t alone)
{
  char error[256];
  struct pool *pool =
      pool_new(&(struct pool_config){.workers = workers, .first_cpu = -1}, error, sizeof error);
  if (!pool) fail_msg("%s", error);
  ali3_exec exec = *pool_exec(pool);
  exec.worth = 1.0;
  struct killer killer = {.m = m, .band = band};
  const ali3_probe probe = {&killer, ignore_phase, end_worker};
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  assert_true(ali3_reset(m, d) >= 0);
  ali3_data_set_exec(d, &exec);
  ali3_data_set_probe(d, &probe);
  int last = -1;
  assert_int_equal(pool_lost(pool, &last), 0);
  ali3_step(m, d); /* its result counts for nothing */
  const bool died = atomic_load(&killer.done);
  assert_int_equal(pool_lost(pool, &last), died);
  assert_true(!died || (last > 0 && last <= workers));
  ali3_data_free(d);
  if (run(m, &exec) != alone) fail_msg("other bits after a death in band %d with %d workers", band, workers);
  assert_int_equal(pool_lost(pool, &last), died);
  pool_free(pool);
  return died;
}

TEST(a_worker_that_dies_in_a_band_is_noticed)
{
  ali3_model *m = many_bands();
  const uint64_t alone = run(m, NULL);
  int died = 0;
  for (int band = 0; band < shared_bands(m); band++)
    for (int workers = 1; workers <= 3; workers += 2) {
      const bool dies = survives_a_death(m, band, workers, alone);
      const ali3_band b = ali3_model_band(m, band);
      if (!dies && b.end - b.first > 1)
        fail_msg("no worker has a run of band %d with %d workers", band, workers);
      died += dies;
    }
  assert_true(died >= 3);
  ali3_model_free(m);
}

int main(int argc, char **argv)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(workers_change_no_bit_of_a_random_mechanism),
      cmocka_unit_test(a_worker_that_dies_in_a_band_is_noticed),
  };
  if (argc > 1) mechanisms = atoi(argv[1]);
  return cmocka_run_group_tests(tests, NULL, NULL);
}
