/* SPDX-License-Identifier: MIT
 * The freedoms of each joint type. A joint frame is a rotation in each body whose z axis is the joint's axis. Every relative
 * motion that the type allows keeps Phi at zero, and every other motion does not. */
#include "check.h"
#include "common/states.h"
#include "dynamics/rows.h"
#include "math/dense.h"
#include "math/euler.h"

#include <stdio.h>
#include <string.h>

enum { SEEDS = 20, SIDES = 2 * BODY_Y };

/* Which displacements and rotations of b in the joint frame of a are free. */
enum freedom { NO_TURN, ABOUT_Z, ABOUT_Z_THEN_X, ANY_TURN };
enum slide { NO_SLIDE, ALONG_Z, IN_XY, ON_SPHERE };

struct type {
  ali3_joint_type type;
  int rows;
  enum freedom turn;
  enum slide slide;
};

static const struct type types[] = {
    {ALI3_JOINT_FIXED, 6, NO_TURN, NO_SLIDE},
    {ALI3_JOINT_REVOLUTE, 5, ABOUT_Z, NO_SLIDE},
    {ALI3_JOINT_PRISMATIC, 5, NO_TURN, ALONG_Z},
    {ALI3_JOINT_CYLINDRICAL, 4, ABOUT_Z, ALONG_Z},
    {ALI3_JOINT_UNIVERSAL, 4, ABOUT_Z_THEN_X, NO_SLIDE},
    {ALI3_JOINT_SPHERICAL, 3, ANY_TURN, NO_SLIDE},
    {ALI3_JOINT_PLANAR, 3, ABOUT_Z, IN_XY},
    {ALI3_JOINT_POINT_ON_LINE, 2, ANY_TURN, ALONG_Z},
    {ALI3_JOINT_POINT_IN_PLANE, 1, ANY_TURN, IN_XY},
    {ALI3_JOINT_DISTANCE, 1, ANY_TURN, ON_SPHERE},
};
_Static_assert(sizeof types / sizeof *types == ALI3_JOINT_TYPES, "every type");

static const double LENGTH = 0.7;

struct pair {
  ali3_joint_spec spec;
  double frame[2][4]; /* joint frame in each body */
  struct body_state x[2];
  struct body_frame f[2];
};

static void about(double q[4], int axis, double angle)
{
  memset(q, 0, 4 * sizeof *q);
  q[0] = cos(0.5 * angle);
  q[1 + axis] = sin(0.5 * angle);
}

static void conjugate(double o[4], const double p[4])
{
  for (int i = 0; i < 4; i++) o[i] = i == 0 ? p[i] : -p[i];
}

/* Moves b so that `turn` and `move` separate the joint frames. */
static void place(struct pair *p, const double turn[4], const double move[3])
{
  double fa[4], fb[4], all[4], F[9], seen[3], arm[3];
  p_mul(fa, p->x[0].p, p->frame[0]);
  p_mul(all, fa, turn);
  conjugate(fb, p->frame[1]);
  p_mul(p->x[1].p, all, fb);
  body_frame_update(&p->f[1], &p->x[1]);
  p_rotation(F, p->frame[0]);
  m3_mul(seen, F, move);
  v3_axpy(seen, 1.0, p->spec.point_a);
  m3_mul(p->x[1].r, p->f[0].R, seen);
  v3_axpy(p->x[1].r, 1.0, p->x[0].r);
  m3_mul(arm, p->f[1].R, p->spec.point_b);
  v3_axpy(p->x[1].r, -1.0, arm);
}

static void admitted(struct random *random, const struct type *t, double turn[4], double move[3])
{
  double z[4], x[4];
  memset(move, 0, 3 * sizeof *move);
  about(turn, 2, 0.0);
  if (t->turn == ABOUT_Z) about(turn, 2, random_between(random, -3, 3));
  if (t->turn == ABOUT_Z_THEN_X) {
    about(z, 2, random_between(random, -3, 3));
    about(x, 0, random_between(random, -3, 3));
    p_mul(turn, z, x);
  }
  if (t->turn == ANY_TURN) random_unit(random, turn, 4);
  if (t->slide == ALONG_Z) move[2] = random_between(random, -1, 1);
  if (t->slide == IN_XY) random_vector(random, move, 2);
  if (t->slide == ON_SPHERE) {
    random_unit(random, move, 3);
    for (int i = 0; i < 3; i++) move[i] *= LENGTH;
  }
}

static void make(struct pair *p, struct random *random, const struct type *t)
{
  double F[9];
  *p = (struct pair){.spec = {.name = "J", .type = t->type, .body_a = 0, .body_b = 1}};
  state_random(random, &p->x[0], &p->f[0], 1.0);
  p->x[1] = body_ground;
  random_vector(random, p->spec.point_a, 3);
  random_vector(random, p->spec.point_b, 3);
  for (int side = 0; side < 2; side++) {
    random_unit(random, p->frame[side], 4);
    p_rotation(F, p->frame[side]);
    int axis = side == 1 && t->type == ALI3_JOINT_UNIVERSAL ? 0 : 2;
    for (int i = 0; i < 3; i++) (side ? p->spec.axis_b : p->spec.axis_a)[i] = 3.0 * F[3 * i + axis];
  }
  if (t->type == ALI3_JOINT_DISTANCE) p->spec.length = LENGTH;
}

/* The rows of a model whose initial poses are the present ones. */
static ali3_model *compile(const struct pair *p, struct joint_rows *j)
{
  ali3_model *m = ali3_model_new();
  for (int side = 0; side < 2; side++) {
    ali3_body_spec b = {.name = side ? "b" : "a", .mass = 1.0, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(b.position, p->x[side].r, sizeof b.position);
    memcpy(b.orientation, p->x[side].p, sizeof b.orientation);
    assert_int_equal(ali3_model_add_body(m, &b), side);
  }
  assert_int_equal(ali3_model_add_joint(m, &p->spec), 0);
  assert_int_equal(rows_compile(m, 0, j), ALI3_OK);
  return m;
}

static void evaluate(const struct pair *p, const struct joint_rows *j, double *Phi, double *J)
{
  const struct joint_view v = {.x = {&p->x[0], &p->x[1]}, .f = {&p->f[0], &p->f[1]}};
  rows_evaluate(j, &v, Phi, J);
}

static double largest(const double *x, int n)
{
  double l = 0.0;
  for (int i = 0; i < n; i++) l = fmax(l, fabs(x[i]));
  return l;
}

/* Rank over the rigid motions of b: no row is a combination of the others. */
static bool independent(const struct joint_rows *j, const double *J)
{
  double S[ROWS_MAX * ROWS_MAX];
  for (int i = 0; i < j->count; i++)
    for (int k = 0; k <= i; k++) {
      S[i * ROWS_MAX + k] = i == k ? -1e-9 : 0.0;
      for (int y = 0; y < 6; y++)
        S[i * ROWS_MAX + k] += J[SIDES * i + BODY_Y + y] * J[SIDES * k + BODY_Y + y];
    }
  return chol_factor(S, j->count, ROWS_MAX);
}

TEST(each_type_holds_what_it_should)
{
  for (int k = 0; k < ALI3_JOINT_TYPES; k++)
    for (int seed = 1; seed <= SEEDS; seed++) {
      const struct type *t = &types[k];
      struct random random = {(uint64_t)seed};
      struct pair p;
      struct joint_rows j;
      double turn[4], move[3], Phi[ROWS_MAX], J[ROWS_MAX * SIDES];
      make(&p, &random, t);
      admitted(&random, t, turn, move);
      place(&p, turn, move);
      ali3_model *m = compile(&p, &j);
      assert_int_equal(j.count, t->rows);
      for (int motion = 0; motion < 10; motion++) {
        double start[4];
        memcpy(start, turn, sizeof start);
        admitted(&random, t, turn, move);
        /* without relative_orientation the joint holds the initial orientation */
        if (t->turn == NO_TURN) memcpy(turn, start, sizeof start);
        place(&p, turn, move);
        evaluate(&p, &j, Phi, J);
        if (!(largest(Phi, j.count) < 1e-14))
          fail_msg("%s, seed %d: an admitted motion gives %g", ali3_joint_type_name(t->type), seed,
                   largest(Phi, j.count));
        if (!independent(&j, J)) fail_msg("%s, seed %d: dependent rows", ali3_joint_type_name(t->type), seed);
      }
      random_unit(&random, turn, 4);
      for (int i = 0; i < 3; i++) move[i] = 1.0 + 0.5 * i;
      place(&p, turn, move);
      evaluate(&p, &j, Phi, J);
      assert_true(largest(Phi, j.count) > 1e-3);
      ali3_model_free(m);
    }
}

/* A given relative_orientation replaces the initial one. */
TEST(orientation_as_given)
{
  const struct type given[] = {types[0], types[2]};
  for (int k = 0; k < 2; k++)
    for (int seed = 1; seed <= SEEDS; seed++) {
      struct random random = {(uint64_t)seed};
      struct pair p;
      struct joint_rows j;
      const double none[3] = {0}, unit[4] = {1.0, 0, 0, 0};
      double fb[4], wrong[4], Phi[ROWS_MAX], J[ROWS_MAX * SIDES];
      make(&p, &random, &given[k]);
      conjugate(fb, p.frame[1]);
      p_mul(p.spec.relative_orientation, p.frame[0], fb);
      random_unit(&random, wrong, 4);
      place(&p, wrong, none);
      ali3_model *m = compile(&p, &j);
      evaluate(&p, &j, Phi, J);
      assert_true(largest(Phi, j.count) > 1e-3);
      place(&p, unit, none);
      evaluate(&p, &j, Phi, J);
      assert_true(largest(Phi, j.count) < 1e-14);
      ali3_model_free(m);
    }
}

TEST(distance_is_taken_from_the_start_or_refused)
{
  struct random random = {3};
  struct pair p;
  struct joint_rows j;
  double Phi[1], J[SIDES];
  const double unit[4] = {1.0, 0, 0, 0}, apart[3] = {0.3, 0.4, 1.2}, none[3] = {0};
  make(&p, &random, &types[ALI3_JOINT_DISTANCE]);
  p.spec.length = 0.0;
  place(&p, unit, apart);
  ali3_model *m = compile(&p, &j);
  assert_true(fabs(j.length - 1.3) < 1e-14);
  evaluate(&p, &j, Phi, J);
  assert_true(fabs(Phi[0]) < 1e-14);
  ali3_model_free(m);

  place(&p, unit, none);
  m = ali3_model_new();
  for (int side = 0; side < 2; side++) {
    ali3_body_spec b = {.name = side ? "b" : "a", .mass = 1.0, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
    memcpy(b.position, p.x[side].r, sizeof b.position);
    memcpy(b.orientation, p.x[side].p, sizeof b.orientation);
    assert_int_equal(ali3_model_add_body(m, &b), side);
  }
  assert_int_equal(ali3_model_add_joint(m, &p.spec), 0);
  assert_int_equal(rows_compile(m, 0, &j), ALI3_E_MODEL);
  assert_string_equal(ali3_model_problem(m)->field, "length");
  ali3_model_free(m);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(each_type_holds_what_it_should),
      cmocka_unit_test(orientation_as_given),
      cmocka_unit_test(distance_is_taken_from_the_start_or_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
