/* SPDX-License-Identifier: MIT
 * Accelerations and multipliers by the articulated-body recursion against those by the rows of the condensed system, at states on
 * the constraints, of random mechanisms with loops, redundant rows, drives, gears and rotors. */
#include "articulated/limbs.h"
#include "base/arena.h"
#include "check.h"
#include "fuzz/linkage.h"
#include "kernels/elements.h"
#include "stepper/inner.h"
#include "stepper/project.h"
#include "stepper/soft.h"
#include "stepper/stage.h"

#include <stdlib.h>
#include <string.h>

enum { SOLVES = 6 };

/* Random rates of a few per second, which the projection moves onto the constraints; rotors keep theirs. */
static void push(const ali3_model *m, ali3_data *d, struct random *r)
{
  for (int b = 0; b < m->bodies; b++) {
    struct body_state x = stored_state(m, d->now.x, b);
    const struct body_frame f = stored_frame(m, d, b);
    double y[BODY_Y], more[BODY_Y];
    body_velocity(&x, y);
    random_vector(r, more, BODY_Y);
    for (int k = 0; k < 6; k++) y[k] += 3.0 * (k < 3 ? m->frozen->length : 1.0) * more[k];
    body_set_velocity(&x, &f, y);
    stored_set_state(m, d->now.x, b, &x);
  }
}

/* Onto the constraints to rounding; then q'' and multipliers, exact beyond the compliance of the rows. */
static bool settle(const ali3_model *m, ali3_data *d, struct random *r)
{
  static const double CLOSED = 1e-13; /* relative to the size of the mechanism and its place */
  inner_aim(m, d, 0.0, false);
  for (int k = 0; k < 4; k++) {
    stage_bodies(m, d, KERNEL_body_frame);
    stage_rows(m, d);
    if (!stage_condense(m, d)) return false;
    if (k < 3) project_position(m, d);
  }
  push(m, d, r);
  for (int k = 0; k < 3; k++) project_velocity_twice(m, d);
  memset(d->now.lambda, 0, (size_t)m->frozen->rigid * sizeof *d->now.lambda);
  for (int k = 0; k < SOLVES; k++) {
    soft_forces(m, d);
    project_forces(m, d);
    for (int i = 0; i < m->frozen->rigid; i++) d->now.lambda[i] += d->rule.h * d->solve.z[i];
  }
  return norm_largest(m, d->solve.Phi) < CLOSED * m->frozen->rounding;
}

static void load_limbs(const ali3_model *m, const ali3_data *d, const struct limbs *l, struct limbs_work *w)
{
  for (int i = 1; i < l->count; i++) {
    struct wrench load;
    struct limb_at *o = &w->at[i];
    double c[3], moment[3];
    body_wrench(m, d, l->limb[i].body, false, &load);
    m3_mul(c, o->R, l->limb[i].centre);
    v3_cross(moment, c, load.force);
    for (int k = 0; k < 3; k++) {
      o->load[0][k] = load.torque[k] + moment[k];
      o->load[1][k] = load.force[k];
    }
  }
}

/* Multipliers of the closures. */
static void close_loops(const ali3_data *d, const struct limbs *l, struct limbs_work *w, double *lambda)
{
  double *g = calloc((size_t)l->padded + 1, sizeof *g);
  for (int i = 0, row = 0; i < l->closures; i++) {
    const struct joint_rows *j = &l->link[l->closure[i]];
    for (int k = 0; k < j->count; k++, row++)
      g[row] =
          closure_acceleration(w, row, false) - (j->drive >= 0 ? d->outside.aim[j->drive].acceleration : 0.0);
  }
  closures_free(l, w, g);
  memset(lambda, 0, (size_t)l->rows * sizeof *lambda);
  for (int n = 0; n < SOLVES; n++) {
    for (int k = 0; k < l->rows; k++) lambda[k] = g[k] + w->c[k] * lambda[k];
    closures_solve(l, w, lambda);
  }
  closures_load(l, w, lambda, 1.0);
  free(g);
}

struct difference {
  double position, acceleration, multiplier, load;
};

static void compare_bodies(const ali3_model *m, const ali3_data *d, const struct limbs *l,
                           const struct limbs_work *w, struct difference *o)
{
  double scale = sqrt(v3_dot(m->gravity, m->gravity)) / m->frozen->length, heaviest = 0.0;
  for (int b = 0; b < m->bodies; b++) heaviest = fmax(heaviest, m->body[b].spec.mass);
  for (int pass = 0; pass < 2; pass++)
    for (int i = 1; i < l->count; i++) {
      const struct body_state x = stored_state(m, d->now.x, l->limb[i].body);
      struct body_state y;
      double a[BODY_Y], b[BODY_Y], va[BODY_Y];
      limb_body(&l->limb[i], &w->at[i], m->gravity, &y);
      body_acceleration(&x, a);
      body_acceleration(&y, b);
      body_velocity(&x, va);
      for (int k = 0; k < 6; k++) {
        const double per = k < 3 ? 1.0 / m->frozen->length : 1.0;
        if (pass == 0) scale = fmax(scale, fmax(per * fabs(a[k]), per * per * va[k] * va[k]));
        if (pass == 0) continue;
        o->acceleration = fmax(o->acceleration, per * fabs(a[k] - b[k]) / scale);
      }
      o->load = heaviest * m->frozen->length * scale * fmin(1.0, m->frozen->length);
      for (int k = 0; k < 3; k++)
        o->position = fmax(o->position, fabs(x.r[k] - y.r[k]) / m->frozen->rounding);
      for (int k = 0; k < 4; k++) o->position = fmax(o->position, fabs(x.p[k] - y.p[k]));
    }
}

/* The norm of project_unfelt(). */
static void find_norm(const ali3_model *m, const ali3_data *d, const struct limbs *l, double *norm)
{
  int row = l->inner_rows;
  for (int i = 1; i < l->count; i++) {
    const int joint = l->limb[i].joint;
    for (int k = 0; joint >= 0 && k < l->link[joint].count; k++)
      norm[l->limb[i].row + k] = sqrt(d->solve.c[stored_row(&l->link[joint], k)]);
    norm[l->inner_rows + l->rows + i] = sqrt(stored_delta(m, d, l->limb[i].body).n);
  }
  for (int i = 0; i < l->closures; i++)
    for (int k = 0; k < l->link[l->closure[i]].count; k++)
      norm[row++] = sqrt(d->solve.c[stored_row(&l->link[l->closure[i]], k)]);
}

static void compare_multipliers(const ali3_model *m, const ali3_data *d, const struct limbs *l,
                                struct limbs_work *w, const double *lambda, struct difference *o)
{
  double largest = 0.0;
  limbs_multipliers(l, w, lambda, true, w->multipliers);
  if (d->redundant && l->rows > 0) {
    find_norm(m, d, l, w->norm);
    limbs_smallest(l, w, w->multipliers);
  }
  for (int i = 0; i < m->frozen->rigid_links; i++)
    for (int k = 0; k < m->frozen->link[i].count; k++)
      largest = fmax(largest, fabs(d->now.lambda[stored_row(&m->frozen->link[i], k)]));
  for (int i = 1; i < l->count; i++) {
    if (l->limb[i].joint < 0) continue;
    const struct joint_rows *j = &l->link[l->limb[i].joint];
    const double *own = w->multipliers + l->limb[i].row;
    for (int k = 0; k < j->count; k++)
      o->multiplier =
          fmax(o->multiplier, fabs(own[k] - d->now.lambda[stored_row(j, k)]) / fmax(largest, o->load));
  }
}

static bool evaluate(const ali3_model *m, const ali3_data *d, struct difference *o)
{
  struct limbs *l = limbs_plan(m, m->frozen->link, m->frozen->rigid_links, m->frozen->isa);
  assert_non_null(l);
  struct limbs_work w;
  struct arena sizing = {0};
  limbs_place(l, &w, &sizing);
  struct arena a = {.base = aligned_zalloc(sizing.used)};
  limbs_place(l, &w, &a);
  limbs_begin(l, &w);
  double *state = calloc(limbs_numbers(l) + 1, sizeof *state),
         *lambda = calloc((size_t)l->padded + 1, sizeof *lambda);
  for (int i = 1; i < l->count; i++) {
    const struct body_state x = stored_state(m, d->now.x, l->limb[i].body),
                            parent = stored_state(m, d->now.x, l->limb[l->limb[i].parent].body);
    limbs_from_body(l, i, &x, &parent, state);
  }
  for (int i = 0, row = 0; i < l->closures; i++)
    for (int k = 0; k < l->link[l->closure[i]].count; k++)
      w.c[row++] = d->solve.c[stored_row(&l->link[l->closure[i]], k)] / d->rule.h;
  const struct limb_passes *pass = l->kernels->pass;
  pass->pose(l, state, w.at);
  pass->rates(l, state, m->gravity, w.at);
  bool good = pass->inertia(l, w.at);
  closures_rows(l, &w, d->turn);
  closures_bias(l, &w);
  good = good && closures_factor(l, &w);
  if (good) {
    load_limbs(m, d, l, &w);
    pass->bias(l, w.at);
    close_loops(d, l, &w, lambda);
    pass->outward(l, w.at);
    *o = (struct difference){0};
    compare_bodies(m, d, l, &w, o);
    compare_multipliers(m, d, l, &w, lambda, o);
  }
  free(a.base);
  free(state);
  free(lambda);
  limbs_free(l);
  return good;
}

TEST(random_mechanisms_agree)
{
  static const double NEAR = 1e-10, SHARED = 1e-6; /* how redundant rows share their loads */
  static struct linkage k;
  int compared = 0, redundant = 0, poor = 0;
  for (uint64_t seed = 1; compared < 1000 && seed < 4000; seed++) {
    linkage_make(&k, seed);
    if (seed % 2) linkage_spin(&k);
    bool singular = false;
    for (int i = 0; i < k.parts; i++) singular |= k.truth[i].singular > 0;
    ali3_options o = ali3_options_default();
    o.method = ALI3_METHOD_DP5;
    o.dt = 1e-3;
    if (singular || ali3_model_freeze(k.m, &o) < 0) {
      ali3_model_free(k.m);
      continue;
    }
    ali3_data *d = ali3_data_new(k.m);
    int status = ali3_reset(k.m, d);
    for (int i = 0; i < 20 && status >= 0; i++) status = ali3_step(k.m, d);
    struct difference difference = {0};
    if (status >= 0 && settle(k.m, d, &k.random)) {
      assert_true(evaluate(k.m, d, &difference));
      compared++;
      redundant += d->redundant;
      /* accelerations feel how far the state is off the constraints */
      poor += d->redundant && difference.multiplier > SHARED;
      if (difference.acceleration > fmax(NEAR, 1e4 * difference.position) ||
          (!d->redundant && difference.multiplier > NEAR))
        fail_msg("seed %llu: position %.1e acceleration %.1e multiplier %.1e: %s", (unsigned long long)seed,
                 difference.position, difference.acceleration, difference.multiplier, k.words);
    }
    ali3_data_free(d);
    ali3_model_free(k.m);
  }
  print_message("%d mechanisms, %d with redundant rows, %d of them share loads another way\n", compared,
                redundant, poor);
  assert_int_equal(compared, 1000);
  assert_true(redundant > 300 &&
              poor < redundant / 16); /* near singular positions, which rows are redundant is a threshold */
}

int main(void)
{
  const struct CMUnitTest tests[] = {cmocka_unit_test(random_mechanisms_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
