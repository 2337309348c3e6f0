/* SPDX-License-Identifier: MIT
 * Laws of the caller against springs of the library with tables of two points, whose force is equal. */
#include "check.h"
#include "common/toys.h"

#include <ali3/ali3.h>
#include <math.h>
#include <string.h>

enum { NO_LAW, WITH_SLOPES, WITHOUT_SLOPES };
static const double STIFFNESS = 800, DAMPING = 3;

static double spring_force(void *context, double x, double rate, double *stiffness, double *damping)
{
  const bool *slopes = context;
  if (*slopes) {
    *stiffness = STIFFNESS;
    *damping = DAMPING;
  }
  return STIFFNESS * x + DAMPING * rate;
}

static double spring_energy(void *context, double x)
{
  (void)context;
  return 0.5 * STIFFNESS * x * x;
}

/* A double pendulum whose second link a spring holds to the ground, and a spring on a hinge. */
static ali3_model *sprung(ali3_method method, double dt, int law)
{
  static const bool given = true, left_out = false;
  const double pull[2][2] = {{0, 0}, {1, STIFFNESS}}, drag[2][2] = {{0, 0}, {1, DAMPING}};
  ali3_model *m = ali3_model_new();
  ali3_model_set_gravity(m, (const double[]){0, -9.81, 0});
  for (int i = 0; i < 2; i++) {
    const double at[3] = {i + 0.5, 0, 0};
    ali3_body_spec b = toy_body(i ? "second" : "first", at, 1.0 + i, 0.2);
    toy_added(m, ali3_model_add_body(m, &b));
    ali3_joint_spec j = {.name = i ? "elbow" : "shoulder",
                         .type = ALI3_JOINT_REVOLUTE,
                         .body_a = i - 1,
                         .body_b = i,
                         .point_a = {i ? 0.5 : 0},
                         .point_b = {-0.5},
                         .axis_a = {0, 0, 1},
                         .axis_b = {0, 0, 1}};
    toy_added(m, ali3_model_add_joint(m, &j));
  }
  for (int i = 0; i < 2; i++) {
    ali3_force_spec f = ali3_force_spec_default(i ? ALI3_FORCE_JOINT_SPRING : ALI3_FORCE_SPRING);
    f.name = i ? "turn" : "pull";
    f.body_b = 1;
    f.joint = 1;
    f.point_a[1] = 1.5;
    f.rest = i ? 0.3 : 1.2;
    f.stiffness[0] = STIFFNESS;
    f.damping[0] = DAMPING;
    f.force_table = (ali3_table){2, pull};
    f.damping_table = (ali3_table){2, drag};
    const int force = toy_added(m, ali3_model_add_force(m, &f));
    const ali3_law own = {.context = (void *)(law == WITH_SLOPES ? &given : &left_out),
                          .force = spring_force,
                          .energy = spring_energy};
    if (law != NO_LAW) assert_int_equal(ali3_model_set_law(m, force, &own), ALI3_OK);
  }
  ali3_options o = ali3_options_default();
  o.method = method;
  o.dt = dt;
  o.iterations =
      8; /* both to the end: laws of springs have factors of the prediction, laws of the caller of each iteration */
  toy_freeze_with(m, &o);
  return m;
}

/* Largest difference of two runs in bodies and forces, of motions above 1 relative to the number; forces as lengths of the spring. */
static double difference(const ali3_model *a, const ali3_data *x, const ali3_model *b, const ali3_data *y)
{
  double largest = 0.0;
  for (int i = 0; i < 2; i++) {
    ali3_body_state p, q;
    ali3_force_state f, g;
    ali3_body_get(a, x, i, &p);
    ali3_body_get(b, y, i, &q);
    ali3_force_get(a, x, i, &f);
    ali3_force_get(b, y, i, &g);
    for (int k = 0; k < 3; k++) {
      largest = fmax(largest, fabs(p.position[k] - q.position[k]) / (1 + fabs(q.position[k])));
      largest = fmax(largest, fabs(p.velocity[k] - q.velocity[k]) / (1 + fabs(q.velocity[k])));
    }
    largest = fmax(largest, fabs(f.value - g.value) / STIFFNESS);
  }
  return largest;
}

TEST(a_law_that_is_a_spring_moves_like_one)
{
  for (int method = 0; method < ALI3_METHODS; method++)
    for (int law = WITH_SLOPES; law <= WITHOUT_SLOPES; law++) {
      ali3_model *plain = sprung((ali3_method)method, 1e-3, NO_LAW),
                 *own = sprung((ali3_method)method, 1e-3, law);
      ali3_data *x = toy_start(plain, ALI3_OK), *y = toy_start(own, ALI3_OK);
      char where[80];
      /* the method energy divides by the way of a step: rounding counts more */
      const double tolerance = law == WITHOUT_SLOPES ? 1e-10 : method == ALI3_METHOD_ENERGY ? 1e-11 : 1e-12;
      snprintf(where, sizeof where, "%s, law %d", ali3_method_name((ali3_method)method), law);
      for (int i = 0; i < 200; i++) {
        assert_true(ali3_step(plain, x) >= 0 && ali3_step(own, y) >= 0);
        assert_near_in(where, difference(plain, x, own, y), 0.0, tolerance);
      }
      ali3_energy e, f;
      ali3_energy_get(plain, x, &e);
      ali3_energy_get(own, y, &f);
      assert_near_in(where, f.total, e.total, 1e-11);
      ali3_data_free(x);
      ali3_data_free(y);
      ali3_model_free(plain);
      ali3_model_free(own);
    }
}

/* A muscle: no table and no straight line. */
static double muscle(void *context, double x, double rate, double *stiffness, double *damping)
{
  const bool *slopes = context;
  const double pull = 60.0 * sinh(2.0 * x), drag = 5.0 * tanh(3.0 * rate);
  if (*slopes) {
    *stiffness = 120.0 * cosh(2.0 * x);
    *damping = 15.0 * (1.0 - tanh(3.0 * rate) * tanh(3.0 * rate));
  }
  return pull + drag;
}

/* Position of the second body after 0.4 s. */
static double run_muscle(double dt, bool slopes, double *y)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec b = toy_body("mass", (const double[]){1, 0, 0}, 2.0, 0.1);
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_force_spec f = ali3_force_spec_default(ALI3_FORCE_SPRING);
  f.name = "muscle";
  f.body_b = 0;
  f.point_a[1] = 0.7;
  f.rest = 0.6;
  f.stiffness[0] = 300;
  toy_added(m, ali3_model_add_force(m, &f));
  const ali3_law law = {.context = &slopes, .force = muscle};
  assert_int_equal(ali3_model_set_law(m, 0, &law), ALI3_OK);
  toy_freeze(m, dt);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, (int)lround(0.4 / dt));
  ali3_body_state s;
  ali3_body_get(m, d, 0, &s);
  ali3_data_free(d);
  ali3_model_free(m);
  *y = s.position[1];
  return s.position[0];
}

/* The order of the step stays two, with derivatives and without them. */
TEST(a_law_keeps_the_order_of_the_step)
{
  for (int slopes = 0; slopes < 2; slopes++) {
    double y[3], x[3];
    for (int i = 0; i < 3; i++) x[i] = run_muscle(0.01 / (1 << i), slopes, &y[i]);
    const double coarse = hypot(x[1] - x[0], y[1] - y[0]), fine = hypot(x[2] - x[1], y[2] - y[1]);
    assert_true(coarse > 1e-7);
    assert_near(coarse / fine, 4.0, 0.25);
  }
}

TEST(laws_are_refused_where_they_have_no_meaning)
{
  ali3_model *m = sprung(ALI3_METHOD_ALI3, 0.01, NO_LAW);
  const ali3_law law = {.force = spring_force}, none = {0};
  assert_int_equal(ali3_model_set_law(m, 0, &law), ALI3_E_FROZEN);
  ali3_model_free(m);
  m = ali3_model_new();
  ali3_body_spec b = toy_body("mass", (const double[]){1, 0, 0}, 2.0, 0.1);
  toy_added(m, ali3_model_add_body(m, &b));
  ali3_force_spec f = ali3_force_spec_default(ALI3_FORCE_CABLE);
  f.name = "rope";
  f.body_b = 0;
  f.stiffness[0] = 10;
  toy_added(m, ali3_model_add_force(m, &f));
  assert_int_equal(ali3_model_set_law(m, 0, &law), ALI3_E_MODEL);
  assert_non_null(strstr(ali3_model_problem(m)->text, "\"rope\""));
  assert_int_equal(ali3_model_set_law(m, 1, &law), ALI3_E_ARGUMENT);
  assert_int_equal(ali3_model_set_law(m, 0, &none), ALI3_E_ARGUMENT);
  ali3_model_free(m);
}

/* The analysis has the slopes of a law. */
TEST(a_law_is_linearised)
{
  ali3_linear a, b;
  const ali3_ports ports = {0};
  for (int law = WITH_SLOPES; law <= WITHOUT_SLOPES; law++) {
    ali3_model *plain = sprung(ALI3_METHOD_ALI3, 0.01, NO_LAW), *own = sprung(ALI3_METHOD_ALI3, 0.01, law);
    ali3_data *x = toy_start(plain, ALI3_OK), *y = toy_start(own, ALI3_OK);
    assert_true(ali3_equilibrium(plain, x, NULL, NULL, NULL) >= 0 &&
                ali3_equilibrium(own, y, NULL, NULL, NULL) >= 0);
    assert_int_equal(ali3_linearise(plain, x, &ports, &a, NULL), ALI3_OK);
    assert_int_equal(ali3_linearise(own, y, &ports, &b, NULL), ALI3_OK);
    for (int i = 0; i < a.states * a.states; i++)
      assert_near(b.A[i], a.A[i], law == WITH_SLOPES ? 1e-9 : 1e-6);
    ali3_linear_free(&a);
    ali3_linear_free(&b);
    ali3_data_free(x);
    ali3_data_free(y);
    ali3_model_free(plain);
    ali3_model_free(own);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_law_that_is_a_spring_moves_like_one),
      cmocka_unit_test(a_law_keeps_the_order_of_the_step),
      cmocka_unit_test(laws_are_refused_where_they_have_no_meaning),
      cmocka_unit_test(a_law_is_linearised),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
