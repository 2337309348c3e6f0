/* SPDX-License-Identifier: MIT
 * Invariants of every step, checked with the scalar functions of dynamics/, which the kernels do not use. The rows that the
 * step leaves are those of the state. Rigid rows close in position, velocity and acceleration. Forces balance at every body.
 * The mechanisms have all joints and forces; the tests run every instruction set, with one mechanism and with many side by
 * side. */
#include "check.h"
#include "common/random.h"
#include "common/toys.h"
#include "kernels/elements.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { COPIES = 11, STEPS = 12 }; /* more copies than lanes, and no multiple of them */

struct setting {
  enum isa isa;
  int copies;
  bool extrapolate, soft;
  int substeps;
  char what[120];
};

/* --- mechanisms --- */

struct builder {
  ali3_model *m;
  struct random random;
  int copy, parts;
};

static const char *name_of(struct builder *b)
{
  static char name[32];
  snprintf(name, sizeof name, "c%d_%d", b->copy, b->parts++);
  return name;
}

/* A body half a metre from `x`; half of the bodies have a full inertia tensor. */
static int add_body(struct builder *b, double x)
{
  ali3_body_spec s =
      toy_body(name_of(b), (const double[]){x, 0.0, b->copy}, random_between(&b->random, 0.5, 2.0), 0.4);
  if (b->copy % 2) random_inertia(&b->random, s.inertia);
  return toy_added(b->m, ali3_model_add_body(b->m, &s));
}

static int add_joint(struct builder *b, ali3_joint_type type, int before, double x, int body)
{
  const bool ground = before == ALI3_GROUND, across = type == ALI3_JOINT_UNIVERSAL;
  ali3_joint_spec s = {.name = name_of(b),
                       .type = type,
                       .body_a = before,
                       .body_b = body,
                       .point_a = {ground ? x - 0.5 : 0.5, 0.0, ground ? b->copy : 0.0},
                       .point_b = {-0.5, 0.0, 0.0},
                       .axis_a = {0.0, 0.0, 1.0},
                       .axis_b = {0.0, across, !across}};
  if (type == ALI3_JOINT_DISTANCE) s.point_b[0] = 0.5;
  return toy_added(b->m, ali3_model_add_joint(b->m, &s));
}

static ali3_force_spec force_of(struct builder *b, ali3_force_type type)
{
  ali3_force_spec s = ali3_force_spec_default(type);
  s.name = name_of(b);
  return s;
}

static void add_loads(struct builder *b, int body)
{
  for (int i = 0; i < 3; i++) {
    ali3_load_spec s = {.name = name_of(b),
                        .type = i == 2 ? ALI3_LOAD_TORQUE : ALI3_LOAD_FORCE,
                        .body = body,
                        .point = {0.1, 0.2, 0.0},
                        .body_axes = i == 1};
    random_vector(&b->random, s.vector, 3);
    toy_added(b->m, ali3_model_add_load(b->m, &s));
  }
}

/* Springs, a bushing, a joint spring, a motor, a drive, and a gear between two hinges. The drive begins at a rate, so that
 * the reset moves the initial velocities. */
static void add_forces(struct builder *b, const int body[3], const int hinge[3])
{
  ali3_force_spec s = force_of(b, ALI3_FORCE_SPRING);
  s.body_a = ALI3_GROUND;
  s.body_b = body[0];
  s.point_a[1] = 2.0;
  s.stiffness[0] = 50.0;
  s.damping[0] = 1.0;
  toy_added(b->m, ali3_model_add_force(b->m, &s));
  s = force_of(b, ALI3_FORCE_BUSHING);
  s.body_a = body[0];
  s.body_b = body[1];
  s.point_a[0] = 0.5;
  s.point_b[0] = -0.5;
  for (int i = 0; i < 6; i++) s.stiffness[i] = 20.0 + i;
  toy_added(b->m, ali3_model_add_force(b->m, &s));
  s = force_of(b, ALI3_FORCE_JOINT_SPRING);
  s.joint = hinge[0];
  s.stiffness[0] = 5.0;
  toy_added(b->m, ali3_model_add_force(b->m, &s));
  s = force_of(b, ALI3_FORCE_MOTOR);
  s.joint = hinge[0];
  toy_added(b->m, ali3_model_add_force(b->m, &s));
  s = force_of(b, ALI3_FORCE_DRIVE);
  s.joint = hinge[1];
  s.amplitude = 0.2;
  s.frequency = 1.0;
  toy_added(b->m, ali3_model_add_force(b->m, &s));
  s = force_of(b, ALI3_FORCE_GEAR);
  s.joint = hinge[2];
  s.joint_b = hinge[0];
  s.ratio = 0.5;
  toy_added(b->m, ali3_model_add_force(b->m, &s));
}

/* Chains from the ground: one of spherical joints only, one of all kinds of joints, with forces or without. */
static ali3_model *mechanism(const struct setting *o, int first)
{
  static const ali3_joint_type types[] = {
      ALI3_JOINT_REVOLUTE,       ALI3_JOINT_SPHERICAL,   ALI3_JOINT_UNIVERSAL, ALI3_JOINT_FIXED,
      ALI3_JOINT_PRISMATIC,      ALI3_JOINT_CYLINDRICAL, ALI3_JOINT_PLANAR,    ALI3_JOINT_POINT_ON_LINE,
      ALI3_JOINT_POINT_IN_PLANE, ALI3_JOINT_DISTANCE};
  enum { TYPES = sizeof types / sizeof *types };
  struct builder b = {.m = ali3_model_new()};
  assert_non_null(b.m);
  toy_added(b.m, ali3_model_set_gravity(b.m, (const double[]){0.3, -9.81, 0.2}));
  for (int copy = first; copy < first + o->copies; copy++) {
    b.copy = copy;
    b.parts = 0;
    b.random = (struct random){(uint64_t)copy};
    int last = ALI3_GROUND, body[3], hinge[3];
    for (int i = 0; i < 5; i++) {
      int next = add_body(&b, i + 0.5);
      add_joint(&b, ALI3_JOINT_SPHERICAL, last, i + 0.5, next);
      last = next;
    }
    last = ALI3_GROUND;
    for (int i = 0; i < TYPES; i++) {
      int next = add_body(&b, i + 0.5);
      add_joint(&b, types[i], last, i + 0.5, next);
      last = next;
    }
    add_loads(&b, last);
    if (!o->soft) continue;
    for (int i = 0; i < 3; i++) {
      body[i] = add_body(&b, 0.5);
      hinge[i] = add_joint(&b, ALI3_JOINT_REVOLUTE, ALI3_GROUND, 0.5, body[i]);
    }
    add_forces(&b, body, hinge);
  }
  ali3_options options = ali3_options_default();
  options.dt = 2e-3;
  options.extrapolate = o->extrapolate;
  options.substeps = o->substeps;
  strcpy(options.isa, isa_name(o->isa));
  toy_freeze_with(b.m, &options);
  return b.m;
}

/* --- equations --- */

static void near(const struct setting *o, const char *what, int i, int k, double got, double wanted,
                 double within)
{
  if (!(fabs(got - wanted) <= within))
    fail_msg("%s: %s of %d, number %d: %.17g, not %.17g", o->what, what, i, k, got, wanted);
}

/* y' or y'' of a body, including n. */
static void motion_of(const struct body_state *x, bool second, double y[BODY_Y])
{
  if (second)
    body_acceleration(x, y);
  else
    body_velocity(x, y);
}

/* Rows of a link at the state; adds its reaction to `load` (bodies). */
static void check_link(const struct setting *o, const ali3_model *m, const ali3_data *d, int link,
                       double (*load)[BODY_Y])
{
  const struct joint_rows *j = &m->frozen->link[link];
  struct link_view view;
  double Phi[ROWS_MAX], J[STORED_J], bias[ROWS_MAX];
  const bool drive = j->drive >= 0;
  link_view_fill(m, d, j, &view);
  rows_evaluate(j, &view.v, Phi, J);
  if (!j->soft) rows_bias(j, &view.v, bias);
  if (drive) Phi[0] -= d->outside.aim[j->drive].position;
  for (int k = 0; k < j->count; k++) {
    double rate = drive ? -d->outside.aim[j->drive].rate : 0.0,
           second = drive ? -d->outside.aim[j->drive].acceleration : 0.0;
    near(o, "Phi", link, k, d->solve.Phi[stored_row(j, k)], Phi[k], 1e-12);
    for (int side = 0; side < j->sides; side++) {
      const double *row = J + BODY_Y * (j->sides * k + side);
      double v[BODY_Y], a[BODY_Y];
      motion_of(&view.x[side], false, v);
      motion_of(&view.x[side], true, a);
      for (int y = 0; y < BODY_Y; y++) {
        rate += row[y] * v[y];
        second += row[y] * a[y];
        if (j->body[side] != ALI3_GROUND)
          load[j->body[side]][y] += row[y] * d->now.reaction[stored_row(j, k)];
      }
    }
    if (j->soft) continue;
    near(o, "open row", link, k, Phi[k], 0.0, 1e-10);
    near(o, "rate", link, k, rate, 0.0, 1e-8);
    near(o, "acceleration", link, k, second + bias[k], 0.0, 1e-5);
  }
}

static void check_equations(const struct setting *o, const ali3_model *m, const ali3_data *d, double balance)
{
  double load[64 * COPIES][BODY_Y] = {{0}};
  assert_true(m->bodies <= 64 * COPIES);
  for (int i = 0; i < m->frozen->links; i++) check_link(o, m, d, i, load);
  for (int b = 0; b < m->bodies; b++) {
    const struct body_state x = stored_state(m, d->now.x, b);
    const struct body_frame f = stored_frame(m, d, b);
    struct wrench wrench;
    double g[BODY_Y];
    body_wrench(m, d, b, false, &wrench);
    body_residual(&m->body[b], &x, &f, m->gravity, &wrench, 0.0, g);
    near(o, "p'p", b, 0, x.p[0] * x.p[0] + x.p[1] * x.p[1] + x.p[2] * x.p[2] + x.p[3] * x.p[3], 1.0, 1e-10);
    near(o, "p'p', twice", b, 0, x.p[0] * x.pd[0] + x.p[1] * x.pd[1] + x.p[2] * x.pd[2] + x.p[3] * x.pd[3],
         0.0, 1e-9);
    for (int y = 0; y < BODY_Y - 1; y++) near(o, "balance", b, y, g[y] + load[b][y], 0.0, balance);
  }
}

static void each_setting(void (*check)(const struct setting *o))
{
  for (int isa = 0; isa < ISA_COUNT; isa++)
    for (int i = 0; i < 8; i++) {
      struct setting o = {.isa = (enum isa)isa,
                          .copies = i & 1 ? COPIES : 1,
                          .extrapolate = i & 2,
                          .soft = i & 4,
                          .substeps = i % 3 == 2 ? 2 : 1};
      if (!isa_supported(o.isa)) continue;
      snprintf(o.what, sizeof o.what, "%s, %d copies%s%s", isa_name(o.isa), o.copies,
               o.extrapolate ? ", extrapolated" : "", o.soft ? ", with forces" : "");
      check(&o);
    }
}

static void set_from_outside(const ali3_model *m, ali3_data *d, int step)
{
  const double force[3] = {1.0, 0.1 * step, 2.0}, torque[3] = {0.5, -0.2, 0.1 * step};
  ali3_set_wrench(m, d, 1, force, torque);
  ali3_set_load(m, d, 1, force);
  for (int i = 0; i < ali3_model_forces(m); i++)
    if (ali3_model_force_takes_command(m, i)) ali3_set_command(m, d, i, 0.3);
}

static void check_steps(const struct setting *o)
{
  ali3_model *m = mechanism(o, 0);
  ali3_data *d = toy_start(m, o->soft ? ALI3_MOVED : ALI3_OK);
  check_equations(o, m, d, 1e-8);
  for (int i = 0; i < STEPS; i++) {
    set_from_outside(m, d, i);
    toy_run(m, d, 1);
    check_equations(o, m, d, o->extrapolate ? 1e-5 : 1e-2);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(equations_hold_after_every_step)
{
  each_setting(check_steps);
}

/* Many copies run in lanes, one copy runs without lanes. */
static void check_copies(const struct setting *o)
{
  if (o->copies == 1) return;
  const struct setting single = {
      .isa = o->isa, .copies = 1, .extrapolate = o->extrapolate, .soft = o->soft, .substeps = o->substeps};
  ali3_model *m = mechanism(o, 0);
  ali3_data *d = toy_start(m, o->soft ? ALI3_MOVED : ALI3_OK);
  const int bodies = ali3_model_bodies(m) / COPIES;
  toy_run(m, d, 5 * STEPS);
  for (int copy = 0; copy < COPIES; copy++) {
    ali3_model *alone = mechanism(&single, copy);
    ali3_data *d_alone = toy_start(alone, o->soft ? ALI3_MOVED : ALI3_OK);
    toy_run(alone, d_alone, 5 * STEPS);
    for (int b = 0; b < bodies; b++) {
      const struct body_state x = stored_state(m, d->now.x, copy * bodies + b),
                              y = stored_state(alone, d_alone->now.x, b);
      for (int k = 0; k < 14; k++)
        near(o, "state", copy * bodies + b, k, ((const double *)&x)[k], ((const double *)&y)[k], 1e-8);
    }
    ali3_data_free(d_alone);
    ali3_model_free(alone);
  }
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(copies_side_by_side_move_as_each_alone)
{
  each_setting(check_copies);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(equations_hold_after_every_step),
      cmocka_unit_test(copies_side_by_side_move_as_each_alone),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
