/* SPDX-License-Identifier: MIT
 * What bodies work out of their points themselves comes to the same as by the Jacobian: the same mechanism twice, the second
 * with no link that has tips. */
#include "check.h"
#include "common/random.h"
#include "common/toys.h"
#include "stepper/kernels.h"
#include "stepper/storage.h"

#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum { MODELS = 12, STEPS = 40 };

/* As if no link had them. */
static void without_tips(const ali3_model *m)
{
  const struct frozen *f = m->frozen;
  for (int i = 0; i < f->tree->joint_tiles; i++) f->link_tile[f->tree->joint_tile[i]].tips = false;
  for (int i = 0; i < f->tree->body_tiles; i++) {
    struct body_tile *t = &f->body_tile[f->tree->body_tile[i]];
    t->tips = t->tips_all = t->alone = false;
    for (int e = 0; e < t->ends; e++) ((struct body_end *)t->end)[e].point = NULL;
  }
}

/* Chains side by side, which fill lanes, held or free; the first ends in two bodies. joint: between links */
static ali3_model *chains(int count, int links, bool held, ali3_joint_type joint, const ali3_options *options)
{
  ali3_model *m = ali3_model_new();
  struct random random = {(uint64_t)(count + 100 * links)};
  ali3_model_set_gravity(m, (double[3]){0.0, -9.81, 0.0});
  for (int c = 0; c < count; c++) {
    int before = ALI3_GROUND;
    for (int i = 0; i < links + !c; i++) {
      char name[32];
      const double at[3] = {i + 0.5, 0.1 * c, c}, left[3] = {-0.5, 0, 0}, right[3] = {0.5, 0, 0};
      const bool twin = i == links; /* beside the last one */
      const double place[3] = {at[0] - twin, at[1], at[2]};
      snprintf(name, sizeof name, "b%d_%d", c, i);
      ali3_body_spec body = toy_body(name, place, random_between(&random, 0.5, 2.0), 1.0);
      if (c % 2) random_inertia(&random, body.inertia);
      random_vector(&random, body.velocity, 3);
      int b = toy_added(m, ali3_model_add_body(m, &body));
      ali3_joint_spec s = {.name = name,
                           .type = joint,
                           .body_a = before,
                           .body_b = b,
                           .axis_a = {0, 0, 1},
                           .axis_b = {0, 0, 1}};
      memcpy(s.point_a, i ? right : (const double[3]){0.0, at[1], at[2]}, sizeof s.point_a);
      memcpy(s.point_b, left, sizeof s.point_b);
      if (twin) memcpy(s.point_a, left, sizeof s.point_a);
      if (i || held) toy_added(m, ali3_model_add_joint(m, &s));
      before = b;
    }
  }
  toy_freeze_with(m, options);
  return m;
}

static int tiles_with_tips(const ali3_model *m)
{
  int count = 0;
  for (int i = 0; i < m->frozen->tree->joint_tiles; i++)
    count += m->frozen->link_tile[m->frozen->tree->joint_tile[i]].tips;
  return count;
}

static int tiles_alone(const ali3_model *m)
{
  int count = 0;
  for (int i = 0; i < m->frozen->tree->body_tiles; i++)
    count += m->frozen->body_tile[m->frozen->tree->body_tile[i]].alone;
  return count;
}

/* Every end with a point is that of a link that has tips, and both of its sides are such ends. */
static void check_ends(const ali3_model *m)
{
  const struct frozen *f = m->frozen;
  int sides = 0;
  for (int i = 0; i < f->tree->body_tiles; i++) {
    const struct body_tile *t = &f->body_tile[f->tree->body_tile[i]];
    int points = 0;
    for (int e = 0; e < t->ends; e++) {
      if (!t->end[e].point) continue;
      points++;
      for (int n = 0; n < f->tree->joint_tiles; n++) {
        const struct link_tile *link = &f->link_tile[f->tree->joint_tile[n]];
        if ((size_t)link->tile->at != t->end[e].row) continue;
        assert_true(link->tips);
        assert_ptr_equal(t->end[e].point, link->constant + 3 * t->end[e].side * link->tile->width);
        assert_int_equal(link->side[t->end[e].side].at[LINK_Y], t->slot * BODY_Y);
        sides++;
      }
    }
    assert_int_equal(t->tips, points > 0);
    assert_int_equal(t->tips_all, points > 0 && points == t->ends);
    assert_true(!t->alone || t->tips_all);
  }
  assert_int_equal(sides, 2 * tiles_with_tips(m));
}

static void near(const double *a, const double *b, size_t count, double limit, const char *what)
{
  for (size_t i = 0; i < count; i++)
    if (!(fabs(a[i] - b[i]) <= limit * (1.0 + fabs(b[i]))))
      fail_msg("%s %zu: %.17g, not %.17g", what, i, a[i], b[i]);
}

/* Two of each mechanism; the second one without tips. */
struct two {
  ali3_model *m[2];
  ali3_data *d[2];
};

static void two_free(struct two *t)
{
  for (int i = 0; i < 2; i++) {
    ali3_data_free(t->d[i]);
    ali3_model_free(t->m[i]);
  }
}

/* Kernels of bodies and then of links, on numbers at random, of a mechanism in motion. */
struct stages {
  const char *name;
  size_t bodies[3], links[3]; /* one of bodies, one of links, in turn */
  bool moves;                 /* the first one moves the bodies */
};
#define BODY(kernel) offsetof(struct step_body_kernels, kernel)
#define LINK(kernel) offsetof(struct step_link_kernels, kernel)
enum { NO_KERNEL = -1 };
static const struct stages stages[] = {
    {"free", {BODY(body_free), NO_KERNEL}, {LINK(link_beta)}, false},
    {"turn",
     {BODY(body_turn), BODY(body_free_rest), NO_KERNEL},
     {LINK(link_push_rows), LINK(link_beta)},
     true},
    {"step", {BODY(body_step), NO_KERNEL}, {LINK(link_rows_end)}, true},
    {"position", {BODY(body_position_set), NO_KERNEL}, {LINK(link_rows_end)}, true},
    {"velocity", {BODY(body_velocity_free), NO_KERNEL}, {LINK(link_velocity_beta)}, false},
    {"refined", {BODY(body_velocity_refine), NO_KERNEL}, {LINK(link_velocity_beta)}, false},
    {"set",
     {BODY(body_velocity_set), BODY(body_velocity_whole), NO_KERNEL},
     {LINK(link_velocity_left), LINK(link_velocity_left)},
     false},
    {"acceleration", {BODY(body_acceleration_free), NO_KERNEL}, {LINK(link_acceleration_beta)}, false},
    {"left", {BODY(body_acceleration_set), NO_KERNEL}, {LINK(link_acceleration_left)}, false},
    {"whole", {BODY(body_acceleration_whole), NO_KERNEL}, {LINK(link_acceleration_left)}, false},
};

static void run_stages(const ali3_model *m, ali3_data *d, const struct stages *s)
{
  STAGE_BODIES(m, d, body_acceleration_free, 0.0);
  STAGE_LINKS(m, d, link_acceleration_beta, 0.0); /* for bias */
  stage_links(m, d, LINK(link_rest_lambda), 0.0);
  if (s->bodies[0] != BODY(body_free)) stage_links(m, d, LINK(link_step), 0.0);
  for (int i = 0; i < 3 && s->bodies[i] != (size_t)NO_KERNEL; i++) {
    if (s->moves && i == 0)
      stage_move(m, d, s->bodies[i], 0.0);
    else
      stage_bodies(m, d, s->bodies[i], 0.0);
    stage_links(m, d, s->links[i], 0.0);
  }
}

/* What nobody but the rows of a step has a use for is not compared: push, J, and on the way q'' and the frames. */
static void compare(const struct two *t, const struct stages *s)
{
  const struct frozen *f = t->m[0]->frozen;
  const ali3_data *a = t->d[0], *b = t->d[1];
  const size_t slots = (size_t)f->tree->slots, rows = (size_t)f->rows;
  near(a->w, b->w, BODY_Y * slots, 1e-12, "w");
  near(a->beta, b->beta, rows, 1e-12, "beta");
  near(a->now.lambda, b->now.lambda, rows, 1e-12, s->name);
  near(a->now.mu, b->now.mu, slots, 1e-12, s->name);
  near(a->increment, b->increment, slots, 1e-12, "increment");
  for (int i = 0; i < 2; i++) near(a->left[i], b->left[i], (size_t)f->left, 1e-12, s->name);
  if (s->bodies[0] == BODY(body_turn)) return;
  near(a->Phi, b->Phi, rows, 1e-12, s->name);
  near(a->now.x, b->now.x, X_NUMBERS * slots, 1e-9, s->name); /* q'' has 4/dt^2 times the rounding of q */
}

/* Both in the state of the first, with factors made there, and the same multipliers at random. */
static void start_alike(const struct two *t, int seed)
{
  step_keep(t->m[0], &t->d[1]->now, &t->d[0]->now);
  step_keep(t->m[0], &t->d[1]->last, &t->d[0]->last);
  memcpy(t->d[1]->w, t->d[0]->w, BODY_Y * (size_t)t->m[0]->frozen->tree->slots * sizeof *t->d[0]->w);
  for (int i = 0; i < 2; i++) {
    ali3_data *d = t->d[i];
    struct random random = {(uint64_t)seed};
    for (int k = 0; k < 2; k++) memset(d->left[k], 0, (size_t)t->m[i]->frozen->left * sizeof *d->left[k]);
    STAGE_BODIES(t->m[i], d, body_frame, 0.0);
    stage_rows(t->m[i], d);
    assert_true(stage_condense(t->m[i], d));
    for (int n = 0; n < t->m[i]->frozen->links; n++) {
      const struct joint_rows *j = &t->m[i]->frozen->link[n];
      for (int row = 0; row < j->count; row++) {
        d->z[stored_row(j, row)] = random_between(&random, -1e-3, 1e-3);
        d->now.lambda[stored_row(j, row)] = random_between(&random, -1.0, 1.0);
      }
    }
  }
}

TEST(each_stage_is_the_same)
{
  int tips = 0, alone = 0;
  for (int seed = 1; seed <= MODELS; seed++)
    for (size_t k = 0; k < sizeof stages / sizeof *stages; k++) {
      struct two t;
      for (int i = 0; i < 2; i++) {
        const ali3_options options = ali3_options_default();
        t.m[i] = seed % 2 ? toy_chain(16 * seed, true, 0.01)
                          : chains(6 + seed, 3 + seed % 3, seed % 4, ALI3_JOINT_SPHERICAL, &options);
        t.d[i] = toy_start(t.m[i], seed % 2 ? ALI3_OK : ALI3_MOVED);
        check_ends(t.m[i]);
        tips += tiles_with_tips(t.m[i]);
        alone += tiles_alone(t.m[i]);
        if (i) without_tips(t.m[i]);
        if (seed % 3 == 0) ali3_set_load(t.m[i], t.d[i], 1, (double[3]){1, 2, 3}, (double[3]){3, 2, 1});
        ali3_step(t.m[i], t.d[i]);
      }
      start_alike(&t, seed);
      for (int i = 0; i < 2; i++) run_stages(t.m[i], t.d[i], &stages[k]);
      compare(&t, &stages[k]);
      two_free(&t);
    }
  assert_true(tips > 0 && alone > 0);
}

/* Whole steps of every kind. */
TEST(steps_are_the_same)
{
  for (int seed = 1; seed <= MODELS; seed++) {
    struct two t;
    ali3_options options = ali3_options_default();
    options.extrapolate = seed % 2;
    options.substeps = 1 + seed % 3 / 2;
    options.iterations = 3 + seed % 3;
    for (int i = 0; i < 2; i++) {
      t.m[i] = chains(4 + seed, 2 + seed % 5, seed % 4, ALI3_JOINT_SPHERICAL, &options);
      t.d[i] = toy_start(t.m[i], ALI3_MOVED);
      if (i) without_tips(t.m[i]);
      toy_run(t.m[i], t.d[i], STEPS / 2);
      ali3_set_load(t.m[i], t.d[i], 1, (double[3]){1, 2, 3}, (double[3]){3, 2, 1});
      toy_run(t.m[i], t.d[i], STEPS / 2);
    }
    for (int b = 0; b < t.m[0]->bodies; b++) {
      const struct body_state one = stored_state(t.m[0], t.d[0]->now.x, b),
                              other = stored_state(t.m[1], t.d[1]->now.x, b);
      near((const double *)&one, (const double *)&other, 14, 1e-9, "state");
    }
    for (int j = 0; j < t.m[0]->joints; j++) {
      ali3_joint_state one, other;
      ali3_joint_get(t.m[0], t.d[0], j, &one);
      ali3_joint_get(t.m[1], t.d[1], j, &other);
      near(one.force, other.force, 3, 1e-7, "force");
    }
    two_free(&t);
  }
}

/* The rows of anything but a point alone need both bodies. */
TEST(others_have_none)
{
  const ali3_options options = ali3_options_default();
  ali3_model *m = chains(8, 4, true, ALI3_JOINT_REVOLUTE, &options);
  assert_int_equal(tiles_with_tips(m), 0);
  assert_int_equal(tiles_alone(m), 0);
  check_ends(m);
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_stage_is_the_same),
      cmocka_unit_test(steps_are_the_same),
      cmocka_unit_test(others_have_none),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
