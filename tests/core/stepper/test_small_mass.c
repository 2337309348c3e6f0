/* SPDX-License-Identifier: MIT
 * Points of little or no mass compared with reference trajectories of linear problems (tests/reference/README.md). */
#include "common/points.h"
#include "common/table.h"

#include <stdlib.h>

static void read_reference(struct table *t, const char *name, const char *mass)
{
  char file[512];
  snprintf(file, sizeof file, TEST_DATA "/reference/%s_%s.csv", name, mass);
  assert_int_equal(table_read(t, file), 0);
}

static int steps_between_rows(const struct table *t, double dt)
{
  return (int)lround((table_row(t, 1)[0] - table_row(t, 0)[0]) / dt);
}

/* Two points on a line, a force on the first. */
static struct error oscillator(const char *mass, double dt)
{
  struct table t = {0};
  struct error e = {0};
  ali3_model *m = ali3_model_new();
  read_reference(&t, "small_mass_oscillator_m1", mass);
  point(m, "P1", atof(mass), 0, 0, 0, 0);
  point(m, "P2", 1.0, 0, 0, 0, 0);
  spring(m, slide(m, "S1", ALI3_GROUND, 0, 0), 100, 2);
  spring(m, slide(m, "S2", 0, 1, 0), 100, 2);
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_OK);
  int every = steps_between_rows(&t, dt);
  for (int i = 1; i < t.rows; i++) {
    for (int k = 1; k <= every; k++) {
      double time = ((i - 1) * every + k) * dt;
      /* the force at the end of the step: the formulas use the mean of both ends */
      ali3_set_wrench(m, d, 0, (const double[]){10 * sin(2 * time), 0, 0}, none);
      run_well(m, d, 1);
    }
    const double *row = table_row(&t, i);
    compare(m, d, 0, 0, row[1], row[3], &e);
    compare(m, d, 1, 0, row[2], row[4], &e);
  }
  done(m, d);
  table_free(&t);
  return e;
}

TEST(the_oscillator_keeps_second_order_down_to_no_mass)
{
  static const char *const mass[] = {"1e-1", "1e-3", "1e-6", "0"};
  for (int i = 0; i < 4; i++) {
    struct error coarse = oscillator(mass[i], 0.01), fine = oscillator(mass[i], 0.001);
    below("10 ms", mass[i], coarse, 8.2e-5, i == 0 ? 1.3e-3 : 6.3e-4);
    below("1 ms", mass[i], fine, 8.2e-7, i == 0 ? 1.3e-5 : 6.3e-6);
    second_order(mass[i], coarse, fine);
  }
}

/* Two points in a plane: i on springs along x and y, j on i, by a spring or rigidly, and free along y. Between the slides
 * along x and y there is always a massless body. */
struct plane {
  ali3_model *m;
  ali3_data *d;
  int i, j;
};

static void plane_new(struct plane *p, int example, double mass, const double *row, const ali3_options *o)
{
  ali3_model *m = p->m = ali3_model_new();
  int hi = point(m, "Hi", 0.0, row[1], 0, 0, 0), hj = point(m, "Hj", 0.0, row[3], 0, 0, 0);
  p->i = point(m, "i", mass, row[1], row[2], mass > 0.0 ? row[5] : 0, mass > 0.0 ? row[6] : 0);
  p->j = point(m, "j", 1.0, row[3], row[4], row[7], row[8]);
  spring(m, slide(m, "Six", ALI3_GROUND, hi, 0), 100, 2);
  spring(m, slide(m, "Siy", hi, p->i, 1), 80, 3);
  if (example == 1) {
    spring(m, slide(m, "Sjx", hi, hj, 0), 50, 1);
  } else {
    ali3_joint_spec s = {.name = "l", .type = ALI3_JOINT_FIXED, .body_a = hi, .body_b = hj};
    to_point((const double[]){row[3] - row[1], 0, 0}, s.point_a);
    toy_added(m, ali3_model_add_joint(m, &s));
  }
  slide(m, "Sjy", hj, p->j, 1);
  toy_freeze_with(m, o);
  p->d = toy_start(m, ALI3_MOVED); /* the reset computes the velocities of massless bodies */
}

static struct error points(int example, const char *mass, const ali3_options *o)
{
  struct table t = {0};
  struct error e = {0};
  struct plane p;
  char name[32];
  snprintf(name, sizeof name, "point_masses_%d_mi", example);
  read_reference(&t, name, mass);
  plane_new(&p, example, atof(mass), table_row(&t, 0), o);
  compare(p.m, p.d, p.i, 0, table_row(&t, 0)[1], table_row(&t, 0)[5], &e);
  compare(p.m, p.d, p.i, 1, table_row(&t, 0)[2], table_row(&t, 0)[6], &e);
  if (!(e.velocity < 1e-4)) fail_msg("example %d starts %g m/s off", example, e.velocity);
  for (int i = 1; i < t.rows / 3; i++) { /* later motion is too small to compare */
    const double *row = table_row(&t, i);
    run_well(p.m, p.d, steps_between_rows(&t, o->dt));
    compare(p.m, p.d, p.i, 0, row[1], row[5], &e);
    compare(p.m, p.d, p.i, 1, row[2], row[6], &e);
    compare(p.m, p.d, p.j, 0, row[3], row[7], &e);
    compare(p.m, p.d, p.j, 1, row[4], row[8], &e);
  }
  done(p.m, p.d);
  table_free(&t);
  return e;
}

TEST(points_in_a_plane_hang_on_one_another_without_mass)
{
  static const char *const mass[] = {"1e-1", "0"};
  for (int k = 0; k < 4; k++) {
    int example = 1 + k / 2;
    const char *kg = mass[k % 2];
    ali3_options o = options_with(0.01), parts = o, extra = o, absolute = o, little = options_with(0.001);
    parts.substeps = 10;
    extra.extrapolate = true;
    absolute.alpha = 1e9;
    struct error coarse = points(example, kg, &o), fine = points(example, kg, &little);
    below("10 ms", kg, coarse, 7e-4, 2e-2);
    below("1 ms", kg, fine, 7e-6, 2e-4);
    second_order(kg, coarse, fine);
    if (k % 2) below("ten substeps", kg, points(example, kg, &parts), 7e-6, 2e-4);
    below("extrapolated", kg, points(example, kg, &extra), 8e-5, 4e-3);
    below("penalty 1e9", kg, points(example, kg, &absolute), 7e-4, 2e-2);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_oscillator_keeps_second_order_down_to_no_mass),
      cmocka_unit_test(points_in_a_plane_hang_on_one_another_without_mass),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
