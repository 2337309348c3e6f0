/* SPDX-License-Identifier: MIT
 * The branches of extrapolated steps: equal bits for any assignment to workers, and the state after a branch fails. */
#include "common/points.h"
#include "kernels/elements.h"

#include <stdlib.h>

enum { SPRINGS = 1, CARRIED = 2, DRIVES = 4, ALL = 7, KINDS = 5 };
static const int kind[KINDS] = {0, SPRINGS, CARRIED, DRIVES, ALL};

static ali3_method method; /* of extrapolated() */

static ali3_options extrapolated(int substeps, bool interpolate)
{
  ali3_options o = ali3_options_default();
  o.method = method;
  o.extrapolate = true;
  o.substeps = substeps;
  o.interpolate = interpolate;
  return o;
}

static int wheel(ali3_model *m, int i, double at)
{
  char name[32];
  snprintf(name, sizeof name, "wheel%d", i);
  ali3_body_spec b = toy_body(name, (const double[]){i, at, 0}, 1.0, 0.5 + 0.01 * i);
  int body = toy_added(m, ali3_model_add_body(m, &b));
  ali3_joint_spec hinge = {.name = name,
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = ALI3_GROUND,
                           .body_b = body,
                           .point_a = {i, at, 0},
                           .axis_a = {0, 0, 1},
                           .axis_b = {0, 0, 1}};
  return toy_added(m, ali3_model_add_joint(m, &hinge));
}

static ali3_force_spec on_joint(ali3_force_type type, int joint, const char *name)
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = name;
  s.joint = joint;
  return s;
}

/* A wheel that oscillates and one that a drive moves. */
static void add_drives(ali3_model *m, int i)
{
  char name[32];
  snprintf(name, sizeof name, "shake%d", i);
  ali3_force_spec s = on_joint(ALI3_FORCE_DRIVE, wheel(m, 2 * i, 1.0), name);
  s.amplitude = 0.3;
  s.frequency = 1.0 + 0.05 * i;
  toy_added(m, ali3_model_add_force(m, &s));
  snprintf(name, sizeof name, "lead%d", i);
  s = on_joint(ALI3_FORCE_DRIVE, wheel(m, 2 * i + 1, 1.0), name);
  s.external = true;
  s.max_rate = 2.0;
  s.max_acceleration = 20.0;
  toy_added(m, ali3_model_add_force(m, &s));
}

/* A sprung wheel with a motor. */
static void add_springs(ali3_model *m, int i)
{
  char name[32];
  int joint = wheel(m, 1000 + i, 2.0);
  spring(m, joint, 20.0 + i, 0.3);
  snprintf(name, sizeof name, "motor%d", i);
  ali3_force_spec s = on_joint(ALI3_FORCE_MOTOR, joint, name);
  toy_added(m, ali3_model_add_force(m, &s));
}

/* A point without mass between a spring and a damper. */
static void add_carried(ali3_model *m, int i)
{
  char name[32];
  snprintf(name, sizeof name, "light%d", i);
  int light = point(m, name, 0.0, 0, 0, 1.0, 0);
  spring(m, slide(m, name, ALI3_GROUND, light, 0), 80.0 + i, 0);
  snprintf(name, sizeof name, "heavy%d", i);
  spring(m, slide(m, name, light, point(m, name, 2.0, 0, 0, 1.0, 0), 0), 0, 5.0);
}

/* A chain of `links`, with `links` further mechanisms. */
static ali3_model *mechanism(int links, int kinds, const ali3_options *o)
{
  ali3_model *m = falling();
  char name[32];
  for (int i = 0; i < links; i++) {
    snprintf(name, sizeof name, "b%d", i);
    ali3_body_spec b = toy_body(name, (const double[]){i + 0.5, 0, 0}, 1.0, 0.4);
    int body = toy_added(m, ali3_model_add_body(m, &b));
    toy_spherical(m, name, i == 0 ? ALI3_GROUND : body - 1, (const double[]){i == 0 ? 0.0 : 0.5, 0, 0}, body,
                  (const double[]){-0.5, 0, 0});
  }
  toy_added(m, ali3_model_add_load(m, &(ali3_load_spec){.name = "push",
                                                        .type = ALI3_LOAD_FORCE,
                                                        .body = links - 1,
                                                        .body_axes = true,
                                                        .point = {0.5, 0, 0},
                                                        .vector = {0, 3.0, 1.0}}));
  for (int i = 0; i < links / 2; i++) {
    if (kinds & SPRINGS) add_springs(m, i);
    if (kinds & CARRIED) add_carried(m, i);
    if (kinds & DRIVES) add_drives(m, i);
  }
  toy_freeze_with(m, o);
  return m;
}

/* Sets the values from outside before step i. */
static void set_inputs(const ali3_model *m, ali3_data *d, int i)
{
  for (int f = 0; f < ali3_model_forces(m); f++)
    if (ali3_force_type_takes_command(ali3_model_force_type(m, f)))
      ali3_set_command(m, d, f, sin(0.1 * i + f));
  ali3_set_wrench(m, d, 0, (const double[]){0, 0, cos(0.2 * i)}, none);
  ali3_set_load(m, d, 0, (const double[]){0.1 * i, 2.0, 0});
}

static void assert_same(const ali3_model *m, const ali3_data *a, const ali3_data *b)
{
  const ali3_report *r = ali3_data_report(a), *s = ali3_data_report(b);
  for (int i = 0; i < ali3_model_bodies(m); i++) {
    ali3_body_state x, y;
    ali3_body_get(m, a, i, &x);
    ali3_body_get(m, b, i, &y);
    assert_memory_equal(&x, &y, sizeof x);
  }
  for (int i = 0; i < ali3_model_joints(m); i++) {
    ali3_joint_state x, y;
    ali3_joint_get(m, a, i, &x);
    ali3_joint_get(m, b, i, &y);
    assert_memory_equal(&x, &y, sizeof x);
  }
  for (int i = 0; i < ali3_model_forces(m); i++) {
    ali3_force_state x, y;
    ali3_force_get(m, a, i, &x);
    ali3_force_get(m, b, i, &y);
    assert_memory_equal(&x, &y, sizeof x);
  }
  assert_memory_equal(&r->step, &s->step, offsetof(ali3_report, worst_joint) - offsetof(ali3_report, step));
  assert_int_equal(r->status, s->status);
  assert_int_equal(r->worst_joint, s->worst_joint);
  assert_int_equal(r->worst_force, s->worst_force);
  assert_int_equal(r->worst_body, s->worst_body);
}

/* An exec that runs the shares one after the other, the last first, and counts its runs. */
static int runs, share_now;

static void backwards(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  int shares = *(const int *)context;
  assert_int_equal(share_now, 0); /* no call from within a share */
  runs++;
  for (share_now = shares - 1; share_now > 0; share_now--) work(arg, share_now, shares);
  work(arg, 0, shares);
}

/* Only the stepping thread calls the probe. */
static void mark(void *context, ali3_phase phase)
{
  (void)context;
  (void)phase;
  assert_int_equal(share_now, 0);
}

/* Compares steps with those of a single thread, at the ends of partial steps and with inputs that arrive between them. */
static void go_beside(const ali3_model *m, const ali3_exec *exec, int steps)
{
  ali3_data *d = ali3_data_new(m), *alone = ali3_data_new(m);
  assert_true(ali3_reset(m, d) >= 0 && ali3_reset(m, alone) >= 0);
  ali3_data_set_exec(d, exec);
  ali3_data_set_probe(d, &(ali3_probe){.mark = mark});
  for (int i = 0; i < steps; i++) {
    if (i % 2) assert_int_equal(ali3_prepare(m, d), ALI3_OK);
    set_inputs(m, d, i);
    set_inputs(m, alone, i);
    int status = ali3_step(m, alone);
    if (status < 0) fail_msg("step %d: status %d", i, status);
    assert_int_equal(i % 2 ? ali3_feedback(m, d) : ali3_step(m, d), status);
    assert_same(m, d, alone);
  }
  ali3_data_free(d);
  ali3_data_free(alone);
}

/* Tests every composition of steps. worth: flops above which a worker is woken. The exec runs `least` to `most` times in
 * each step. */
static void share_steps(int shares, int links, int substeps, int kinds, double worth, int least, int most)
{
  enum { STEPS = 10 };
  const ali3_exec exec = {&shares, shares, backwards, worth};
  const ali3_options o = extrapolated(substeps, substeps > 1);
  ali3_model *m = mechanism(links, kinds, &o);
  runs = 0;
  go_beside(m, &exec, STEPS);
  if (runs < least * STEPS || runs > most * STEPS)
    fail_msg("%d shares of %d links: %d runs in %d steps", shares, links, runs, STEPS);
  ali3_model_free(m);
}

/* By both methods. */
static void in_shares(int shares, int links, int substeps, int kinds, double worth, int least, int most)
{
  method = ALI3_METHOD_ALI3;
  share_steps(shares, links, substeps, kinds, worth, least, most);
  method = ALI3_METHOD_ENERGY;
  share_steps(shares, links, substeps, kinds, worth, least, most);
  method = ALI3_METHOD_ALI3;
}

TEST(a_branch_takes_one_share)
{
  for (int k = 0; k < KINDS; k++)
    for (int shares = 2; shares < 6; shares += 3) {
      in_shares(shares, 60, 1, kind[k], 20000.0, 1, 60);
      in_shares(shares, 60, 2, kind[k], 20000.0, 2, 120);
    }
}

/* The stages of both branches are shared: more than two workers can help. */
TEST(many_workers_share_the_stages_of_a_large_mechanism)
{
  in_shares(16, 900, 1, 0, 20000.0, 100, 2000);
}

TEST(a_small_mechanism_wakes_nobody)
{
  for (int k = 0; k < KINDS; k++) in_shares(2, 2, 2, kind[k], 60000.0, 0, 0);
}

/* Also compares the rates of held stiff rows, whose errors otherwise show only at the end of a long run. */
TEST(both_branches_begin_where_the_step_does)
{
  const ali3_options o = extrapolated(1, false);
  ali3_model *m = mechanism(6, ALL, &o);
  const struct tree *t = m->frozen->tree;
  ali3_data *d = toy_start(m, ALI3_MOVED);
  for (int i = 0; i < 20; i++) {
    set_inputs(m, d, i);
    assert_int_equal(ali3_prepare(m, d), ALI3_OK);
    size_t soft = (size_t)(t->rows - t->rigid) * sizeof *d->solve.c, x = X_NUMBERS * sizeof *d->now.x;
    assert_memory_equal(d->last.x, d->coarse[0]->last.x, x * (size_t)t->slots);
    assert_memory_equal(d->last.lambda, d->coarse[0]->last.lambda, (size_t)t->rows * sizeof *d->solve.c);
    assert_memory_equal(d->soft.Phi_last + t->rigid, d->coarse[0]->soft.Phi_last + t->rigid, soft);
    assert_memory_equal(d->soft.rate_last + t->rigid, d->coarse[0]->soft.rate_last + t->rigid, soft);
    toy_run(m, d, 1);
  }
  done(m, d);
}

/* The targets of drives at the end of a step depend neither on its composition nor on the arrival of the command. */
TEST(drives_go_where_those_of_a_plain_step_go)
{
  ali3_options o = ali3_options_default(), better = extrapolated(2, false);
  ali3_model *m = mechanism(4, DRIVES, &o), *n = mechanism(4, DRIVES, &better);
  ali3_data *d = toy_start(m, ALI3_MOVED), *e = toy_start(n, ALI3_MOVED);
  double way = 0.0;
  for (int i = 0; i < 200; i++) {
    assert_int_equal(ali3_prepare(n, e), ALI3_OK);
    set_inputs(m, d, i);
    set_inputs(n, e, i);
    toy_run(m, d, 1);
    toy_run(n, e, 1);
    for (int f = 0; f < ali3_model_forces(m); f++) {
      ali3_force_state x, y;
      ali3_force_get(m, d, f, &x);
      ali3_force_get(n, e, f, &y);
      assert_true(fabs(x.target - y.target) < 1e-12);
      assert_true(fabs(y.position - y.target) < 1e-9 && fabs(x.rate - y.rate) < 1e-9);
      if (f % 2) way = fmax(way, fabs(y.target)); /* moved by a drive */
    }
  }
  assert_true(way > 0.2);
  done(m, d);
  done(n, e);
}

/* A block of exactly the requested size: a sanitizer watches the memory behind it. */
TEST(both_branches_live_in_the_callers_block)
{
  for (int substeps = 1; substeps < 3; substeps++)
    for (int k = 0; k < KINDS; k++) {
      ali3_options o = extrapolated(substeps, true);
      ali3_model *m = mechanism(7, kind[k], &o);
      size_t size = ali3_data_size(m);
      void *block = aligned_alloc(64, size);
      assert_non_null(block);
      assert_null(ali3_data_place(m, block, size - 1));
      ali3_data *d = ali3_data_place(m, block, size), *own = ali3_data_new(m);
      assert_true(ali3_reset(m, d) >= 0 && ali3_reset(m, own) >= 0);
      for (int i = 0; i < 20; i++) {
        set_inputs(m, d, i);
        set_inputs(m, own, i);
        toy_run(m, d, 1);
        toy_run(m, own, 1);
        assert_same(m, d, own);
      }
      free(block);
      done(m, own);
    }
}

/* Steps fail by an invalid compliance in branch a (a coarse one) or b. late: the compliance is set after the prepare, and the
 * next factorisation detects it. */
static void fail_one(const ali3_model *m, const ali3_exec *exec, int joint, bool a, bool late)
{
  ali3_data *d = ali3_data_new(m), *other = ali3_data_new(m);
  assert_true(ali3_reset(m, d) >= 0 && ali3_reset(m, other) >= 0);
  toy_run(m, d, 5);
  toy_run(m, other, 5);
  ali3_data_set_exec(d, exec);
  double *c = &(a ? d->coarse[0] : d)->solve.c[stored_row(&m->frozen->link[joint], 0)], good = *c;
  if (late) assert_int_equal(ali3_prepare(m, d), ALI3_OK);
  *c = -1e6;
  assert_int_equal(ali3_step(m, d), ALI3_E_SINGULAR);
  const ali3_report *r = ali3_data_report(d);
  assert_int_equal(r->status, ALI3_E_SINGULAR);
  assert_int_equal(r->worst_joint, joint);
  assert_int_equal(r->worst_body, -1);
  assert_int_equal(r->step, 5);
  assert_int_equal(ali3_feedback(m, d), ALI3_E_ARGUMENT); /* the failed step has no prepare */
  *c = good;
  for (int b = 0; b < ali3_model_bodies(m); b++) {
    ali3_body_state x, y;
    ali3_body_get(m, d, b, &x);
    ali3_body_get(m, other, b, &y);
    assert_memory_equal(&x, &y, sizeof x);
  }
  for (int i = 0; i < 5; i++) { /* the next steps are those of data without the failure */
    toy_run(m, d, 1);
    toy_run(m, other, 1);
    assert_same(m, d, other);
  }
  ali3_data_free(d);
  ali3_data_free(other);
}

TEST(a_branch_that_fails_leaves_no_trace)
{
  int shares = 2;
  const ali3_exec exec = {&shares, shares, backwards, 20000.0};
  for (int substeps = 1; substeps < 3; substeps++)
    for (int k = 0; k < KINDS; k++) {
      ali3_options o = extrapolated(substeps, false);
      ali3_model *m = mechanism(60, kind[k], &o);
      for (int side = 0; side < 2; side++) {
        fail_one(m, side ? &exec : NULL, 30, true, false);
        fail_one(m, side ? &exec : NULL, 30, false, false);
        if (m->frozen->tree->ill_conditioned) continue; /* refined solves detect it immediately */
        fail_one(m, side ? &exec : NULL, 30, false, true);
        if (substeps > 1) fail_one(m, side ? &exec : NULL, 30, true, true); /* in the second */
      }
      ali3_model_free(m);
    }
}

/* Status of the first step under a force and a torque on the second body. */
static int first_step(int substeps, bool extrapolate, double force, double torque, int *worst_body)
{
  ali3_options o = ali3_options_default();
  o.substeps = substeps;
  o.extrapolate = extrapolate;
  o.violation =
      0.0; /* violations, ALI3_VIOLATED and ALI3_UNRESOLVED belong to the whole step, not to its branches */
  o.iterations = 4; /* the first iteration does not contain the force */
  ali3_model *m = toy_double_pendulum_with(1.0, 1.0, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_set_wrench(m, d, 1, (const double[]){force, 0.3 * force, 0}, (const double[]){0, torque, 0});
  int status = ali3_step(m, d);
  *worst_body = ali3_data_report(d)->worst_body;
  done(m, d);
  return status == ALI3_VIOLATED || status == ALI3_UNRESOLVED ? ALI3_NOT_CONVERGED : status;
}

/* The worst status of a plain step of the whole length, of two steps of half and of three steps of a third of it. If several
 * fail, it is that of the longest. Plain steps project more, so the forces at which a later inner step fails differ by some
 * per cent. */
TEST(status_is_that_of_the_worst_branch)
{
  enum { NEAR = 4, FORCES = 930 }; /* up to 1e9 N */
  int seen[3][3] = {{0}}, apart = 0, third = 0, elsewhere = 0;
  for (int i = 0; i < 2 * FORCES; i++) {
    const double force = 10.0 * pow(1.02, i % FORCES), torque = i < FORCES ? force : 0.0;
    int body_a, body_b, body_c, body;
    int a = first_step(1, false, force, torque, &body_a), b = first_step(2, false, force, torque, &body_b),
        c = first_step(3, false, force, torque, &body_c), all = first_step(1, true, force, torque, &body);
    seen[a < 0 ? 2 : a][b < 0 ? 2 : b]++;
    int expected = a < 0 ? a : b < 0 ? b : c < 0 ? c : a > b ? a : b;
    if (expected >= 0 && c > expected) expected = c;
    third += a >= 0 && b >= 0 && c < 0;
    apart = all == expected ? 0 : apart + 1;
    if (apart > NEAR) fail_msg("%g N: %d, %d and %d, together %d", force, a, b, c, all);
    elsewhere += apart == 0 && expected < 0 && body != (a < 0 ? body_a : b < 0 ? body_b : body_c);
  }
  assert_true(elsewhere <= 2); /* one of the later inner steps just fails */
  assert_true(seen[0][0] > 0 && seen[1][0] > 0 && seen[1][1] > 0);
  assert_true(seen[1][2] > 0 && seen[2][1] > 0 && seen[2][2] > 0 &&
              third > 0); /* each branch also fails alone */
}

/* One mass on one spring, `steps` per period: largest error over `periods` periods, relative to the amplitude of 0.1 m. */
static double swing_error(double steps, bool extrapolate, int periods)
{
  const double dt = 0.01, omega = 2.0 * acos(-1.0) / (steps * dt);
  ali3_options o = ali3_options_default();
  o.extrapolate = extrapolate;
  ali3_model *m = falling();
  const int mass = point(m, "mass", 1.0, 0, 0, 0.1 * omega, 0);
  const int joint = slide(m, "rail", ALI3_GROUND, mass, 0);
  spring(m, joint, omega * omega, 0);
  toy_freeze_with(m, &o);
  ali3_data *d = toy_start(m, ALI3_OK);
  ali3_joint_state at;
  double largest = 0.0;
  ali3_joint_get(m, d, joint, &at);
  const double start = at.position;
  for (int k = 1; k <= periods * steps; k++) {
    toy_run(m, d, 1);
    ali3_joint_get(m, d, joint, &at);
    largest = fmax(largest, fabs(at.position - start - 0.1 * sin(omega * dt * k)) / 0.1);
  }
  done(m, d);
  return largest;
}

/* The mass is a point without inertia. */
TEST(no_swing_grows)
{
  for (double steps = 0.5; steps <= 10.0; steps *= 1.2) assert_true(swing_error(steps, true, 200) < 2.1);
}

TEST(no_spring_is_followed_worse_than_by_plain_steps)
{
  for (double steps = 3.0; steps <= 40.0; steps *= 1.07) {
    const double plain = swing_error(steps, false, 5), better = swing_error(steps, true, 5);
    print_message("%.2f steps a period: plain %.1e of the amplitude off, extrapolated %.1e\n", steps, plain,
                  better);
    assert_true(better <= plain);
    if (steps > 4.1) assert_true(better < 0.1 * plain);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_branch_takes_one_share),
      cmocka_unit_test(many_workers_share_the_stages_of_a_large_mechanism),
      cmocka_unit_test(a_small_mechanism_wakes_nobody),
      cmocka_unit_test(both_branches_begin_where_the_step_does),
      cmocka_unit_test(drives_go_where_those_of_a_plain_step_go),
      cmocka_unit_test(both_branches_live_in_the_callers_block),
      cmocka_unit_test(a_branch_that_fails_leaves_no_trace),
      cmocka_unit_test(status_is_that_of_the_worst_branch),
      cmocka_unit_test(no_swing_grows),
      cmocka_unit_test(no_spring_is_followed_worse_than_by_plain_steps),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
