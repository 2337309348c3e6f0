/* SPDX-License-Identifier: MIT
 * The analysis of ali3/linear.h on the models of config/models. */
#include "check.h"
#include "common/random.h"
#include "config/setup.h"

#include <ali3/ali3.h>
#include <glob.h>
#include <string.h>

/* A model of config/models after a reset. */
struct loaded {
  const char *name;
  struct settings *s;
  const ali3_model *m;
  ali3_data *d;
};

static struct loaded load_path(const char *path, const struct settings_overrides *over)
{
  struct loaded o = {.name = strrchr(path, '/') + 1};
  o.s = setup_load(path, over, stderr);
  if (!o.s) fail_msg("%s", path);
  o.m = o.s->model;
  o.d = ali3_data_new(o.m);
  assert_true(ali3_reset(o.m, o.d) >= 0);
  return o;
}

static struct loaded load_model(const char *name)
{
  char path[300];
  snprintf(path, sizeof path, "%s/../config/models/%s.yaml", TEST_DATA, name);
  return load_path(path, NULL);
}

static void unload(struct loaded *o)
{
  ali3_data_free(o->d);
  settings_free(o->s);
}

static void each_model(void (*judge)(struct loaded *o))
{
  char pattern[300];
  glob_t found;
  snprintf(pattern, sizeof pattern, "%s/../config/models/*.yaml", TEST_DATA);
  assert_int_equal(glob(pattern, 0, NULL, &found), 0);
  assert_true(found.gl_pathc > 8);
  for (size_t i = 0; i < found.gl_pathc; i++) {
    struct loaded o = load_path(found.gl_pathv[i], NULL);
    judge(&o);
    unload(&o);
  }
  globfree(&found);
}

/* R' a */
static void in_body_axes(const double p[4], const double a[3], double o[3])
{
  const double x = -p[1], y = -p[2], z = -p[3], w = p[0];
  const double t[3] = {2 * (y * a[2] - z * a[1]), 2 * (z * a[0] - x * a[2]), 2 * (x * a[1] - y * a[0])};
  o[0] = a[0] + w * t[0] + y * t[2] - z * t[1];
  o[1] = a[1] + w * t[1] + z * t[0] - x * t[2];
  o[2] = a[2] + w * t[2] + x * t[1] - y * t[0];
}

/* Adds `by` times the velocities T u to the poses or to the velocities of all bodies. */
static void add_twist(const ali3_freedoms *f, const double *u, double by, bool velocity,
                      ali3_body_state *body, int bodies)
{
  const int n = ali3_freedoms_count(f);
  double *T = malloc(6 * (size_t)n * sizeof *T + 8);
  for (int b = 0; b < bodies; b++) {
    double y[6] = {0}, w[3];
    assert_int_equal(ali3_freedoms_twist(f, b, T), ALI3_OK);
    for (int i = 0; i < 6; i++)
      for (int k = 0; k < n; k++) y[i] += by * T[i * n + k] * u[k];
    in_body_axes(body[b].orientation, y + 3, w);
    for (int i = 0; i < 3; i++) (velocity ? body[b].velocity : body[b].position)[i] += y[i];
    for (int i = 0; i < 3 && velocity; i++) body[b].angular_velocity[i] += w[i];
    if (velocity) continue;
    /* p (1, w/2), whose angle is right to second order */
    const double *p = body[b].orientation;
    const double q[4] = {p[0] - 0.5 * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]),
                         p[1] + 0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]),
                         p[2] + 0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]),
                         p[3] + 0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0])};
    memcpy(body[b].orientation, q, sizeof q);
  }
  free(T);
}

static ali3_body_state *bodies_of(const ali3_model *m, const ali3_data *d)
{
  ali3_body_state *body = calloc((size_t)ali3_model_bodies(m) + 1, sizeof *body);
  for (int b = 0; b < ali3_model_bodies(m); b++) ali3_body_get(m, d, b, &body[b]);
  return body;
}

/* u'M u / 2 is the kinetic energy of the bodies that move with u. */
static void judge_mass(struct loaded *o)
{
  struct random random = {7};
  ali3_freedoms *f = ali3_freedoms_new(o->m, o->d, NULL, 0, ALI3_DRIVES_FREE, NULL);
  assert_non_null(f);
  const int n = ali3_freedoms_count(f), bodies = ali3_model_bodies(o->m);
  double *M = calloc((size_t)(n * n) + 1, sizeof *M), *u = calloc((size_t)n + 1, sizeof *u);
  assert_int_equal(ali3_freedoms_mass(f, M), ALI3_OK);
  for (int try = 0; try < 20; try++) {
    ali3_body_state *body = calloc((size_t)bodies + 1, sizeof *body);
    double energy = 0.0, expected = 0.0;
    for (int b = 0; b < bodies; b++) {
      ali3_body_get(o->m, o->d, b, &body[b]);
      memset(body[b].velocity, 0, sizeof body[b].velocity);
      memset(body[b].angular_velocity, 0, sizeof body[b].angular_velocity);
    }
    for (int k = 0; k < n; k++) u[k] = random_between(&random, -1.0, 1.0);
    add_twist(f, u, 1.0, true, body, bodies);
    for (int b = 0; b < bodies; b++) {
      const ali3_body_spec spec = ali3_model_body_spec(o->m, b);
      const double *v = body[b].velocity, *w = body[b].angular_velocity;
      for (int i = 0; i < 3; i++) {
        expected += 0.5 * spec.mass * v[i] * v[i];
        for (int c = 0; c < 3; c++) expected += 0.5 * w[i] * spec.inertia[3 * i + c] * w[c];
      }
    }
    for (int r = 0; r < n; r++)
      for (int c = 0; c < n; c++) energy += 0.5 * u[r] * M[r * n + c] * u[c];
    assert_near_in(o->name, energy, expected, 1e-10);
    free(body);
  }
  free(M);
  free(u);
  ali3_freedoms_free(f);
}

TEST(mass_matrices_have_the_kinetic_energy)
{
  each_model(judge_mass);
}

static int judged_models;

/* Rows of C for accelerations of bodies are differences between places along the freedoms. */
static void judge_slopes(struct loaded *o)
{
  const int bodies = ali3_model_bodies(o->m);
  const double h = 1e-4;
  ali3_body_state *start = bodies_of(o->m, o->d);
  double speed = 0.0;
  for (int b = 0; b < bodies; b++)
    for (int i = 0; i < 3; i++)
      speed = fmax(speed, fabs(start[b].velocity[i]) + fabs(start[b].angular_velocity[i]));
  ali3_freedoms *f = ali3_freedoms_new(o->m, o->d, NULL, 0, 0, NULL);
  const int n = ali3_freedoms_count(f);
  ali3_port *port = calloc(6 * (size_t)bodies + 1, sizeof *port);
  for (int i = 0; i < 6 * bodies; i++) port[i] = (ali3_port){ALI3_PORT_BODY, i / 6, 13 + i % 6};
  const ali3_ports ports = {.output = port, .outputs = 6 * bodies};
  ali3_linear l;
  ali3_problem problem;
  const ali3_status status = ali3_linearise(o->m, o->d, &ports, &l, &problem);
  /* models that move at the start, or have a freedom without mass, have no such rows */
  const bool judged = speed < 1e-9 && status == ALI3_OK;
  if (status < 0) assert_int_equal(status, ALI3_E_SINGULAR);
  judged_models += judged && l.corners == 0;
  ali3_data *d = ali3_data_new(o->m);
  assert_true(ali3_reset(o->m, d) >= 0); /* a place keeps the oil of cylinders */
  double *u = calloc((size_t)n + 1, sizeof *u), *slope = calloc(6 * (size_t)bodies + 1, sizeof *slope);
  for (int k = 0; judged && k < n; k++) {
    double largest = 0.0;
    memset(slope, 0, 6 * (size_t)bodies * sizeof *slope);
    u[k] = 1.0;
    for (int e = 0; e < 4; e++) {
      const double sign = e & 1 ? -1 : 1, by = sign * (e & 2 ? 2 : 1) * h;
      ali3_body_state *body = bodies_of(o->m, o->d);
      add_twist(f, u, by, false, body, bodies);
      assert_true(ali3_place(o->m, d, body, 0.0) >= 0);
      for (int b = 0; b < bodies; b++) {
        ali3_body_state now;
        ali3_body_get(o->m, d, b, &now);
        for (int i = 0; i < 6; i++)
          slope[6 * b + i] += sign * (e & 2 ? -1 : 8) / (12 * h) *
                              (i < 3 ? now.acceleration[i] : now.angular_acceleration[i - 3]);
      }
      free(body);
    }
    u[k] = 0.0;
    for (int i = 0; i < 6 * bodies; i++) largest = fmax(largest, fabs(slope[i]));
    for (int i = 0; i < 6 * bodies; i++)
      if (l.corners == 0)
        assert_near_in(o->name, l.C[i * l.states + k] / (1 + largest), slope[i] / (1 + largest), 2e-6);
  }
  free(u);
  free(slope);
  free(port);
  free(start);
  ali3_data_free(d);
  ali3_linear_free(&l);
  ali3_freedoms_free(f);
}

TEST(accelerations_have_the_slopes_of_places)
{
  each_model(judge_slopes);
  assert_true(judged_models >= 6);
}

/* The car stands on its wheels, and after 10 s it still does. */
TEST(a_vehicle_rests_with_its_weight_on_its_wheels)
{
  struct loaded o = load_model("vehicle");
  static const char *const tyre[] = {"tyre_front_left", "tyre_front_right", "tyre_rear_left",
                                     "tyre_rear_right"};
  ali3_equilibrium_report r;
  ali3_problem problem;
  if (ali3_equilibrium(o.m, o.d, NULL, &r, &problem) < 0) fail_msg("%s", problem.text);
  assert_int_equal(r.unstable, 0);
  double weight = 0.0, loads = 0.0;
  for (int b = 0; b < ali3_model_bodies(o.m); b++) weight += 9.81 * ali3_model_body_spec(o.m, b).mass;
  for (int i = 0; i < 4; i++) {
    ali3_force_state f;
    ali3_force_get(o.m, o.d, ali3_model_find_force(o.m, tyre[i]), &f);
    loads += f.value;
  }
  assert_near(loads / weight, 1.0, 1e-9);
  ali3_body_state *start = bodies_of(o.m, o.d);
  for (double t = 0.0; t < 10.0; t += ali3_model_options(o.m)->dt) assert_true(ali3_step(o.m, o.d) >= 0);
  ali3_body_state *end = bodies_of(o.m, o.d);
  for (int b = 0; b < ali3_model_bodies(o.m); b++)
    assert_near(check_distance(start[b].position, end[b].position), 0.0, 1e-8);
  free(start);
  free(end);
  unload(&o);
}

TEST(a_quarter_car_sinks_by_its_weight)
{
  struct loaded o = load_model("quarter_car");
  ali3_body_state s;
  ali3_set_wrench(o.m, o.d, ali3_model_find_body(o.m, "body"), (const double[]){0, 0, -500},
                  (const double[3]){0});
  assert_int_equal(ali3_equilibrium(o.m, o.d, NULL, NULL, NULL), ALI3_MOVED);
  ali3_body_get(o.m, o.d, ali3_model_find_body(o.m, "body"), &s);
  assert_near(s.position[2], 0.9 - 500 / 22e3 - 500 / 190e3, 1e-9);
  ali3_body_get(o.m, o.d, ali3_model_find_body(o.m, "wheel"), &s);
  assert_near(s.position[2], 0.4 - 500 / 190e3, 1e-9);
  /* the damper of the table is at its corner */
  ali3_linear l;
  const ali3_ports ports = {0};
  assert_int_equal(ali3_linearise(o.m, o.d, &ports, &l, NULL), ALI3_OK);
  assert_int_equal(l.corners, 1);
  assert_int_equal(l.corner[0], ali3_model_find_force(o.m, "damper"));
  ali3_linear_free(&l);
  unload(&o);
}

/* The frequency of a mode is that of zero crossings, and the amplitude falls as its damping says. */
TEST(a_sprung_pendulum_rings_as_its_modes_say)
{
  char path[300];
  const struct settings_overrides fine = {.dt = 0.001, .method = "rk4"};
  snprintf(path, sizeof path, "%s/../config/models/sprung_pendulum.yaml", TEST_DATA);
  struct loaded o = load_path(path, &fine);
  assert_true(ali3_equilibrium(o.m, o.d, NULL, NULL, NULL) >= 0);
  ali3_modes *modes = ali3_modes_new(o.m, o.d, 0, NULL);
  assert_non_null(modes);
  /* the mode that stretches the spring: the one with the most damping */
  ali3_mode mode, most = {0};
  int index = 0;
  for (int i = 0; i < ali3_modes_count(modes); i++) {
    ali3_modes_get(modes, i, &mode);
    if (mode.damping <= most.damping) continue;
    most = mode;
    index = i;
  }
  assert_true(most.damping > 0.01);
  /* deflect it along the mode, and count crossings of the height of the bob */
  const int bodies = ali3_model_bodies(o.m), bob = ali3_model_find_body(o.m, "bob");
  ali3_body_state *body = bodies_of(o.m, o.d), rest = body[bob];
  for (int b = 0; b < bodies; b++) {
    double twist[6];
    ali3_modes_shape(modes, index, b, twist);
    for (int i = 0; i < 3; i++) body[b].position[i] += 1e-6 * twist[i];
  }
  ali3_place(o.m, o.d, body, 0.0);
  double last = 0.0, first_time = 0.0, time = 0.0, h = ali3_model_options(o.m)->dt;
  int crossings = 0;
  for (int step = 0; step < 2000 && crossings < 9; step++) {
    assert_true(ali3_step(o.m, o.d) >= 0);
    ali3_body_state now;
    ali3_body_get(o.m, o.d, bob, &now);
    const double x = now.position[1] - rest.position[1];
    if (step > 0 && x * last < 0.0) {
      time = (step + last / (last - x)) * h;
      if (crossings++ == 0) first_time = time;
    }
    last = x;
  }
  assert_int_equal(crossings, 9);
  const double damped = most.frequency * sqrt(1 - most.damping * most.damping);
  assert_near((time - first_time) / 8 * 2 * damped, 1.0, 1e-4);
  free(body);
  ali3_modes_free(modes);
  unload(&o);
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(mass_matrices_have_the_kinetic_energy),
      cmocka_unit_test(accelerations_have_the_slopes_of_places),
      cmocka_unit_test(a_vehicle_rests_with_its_weight_on_its_wheels),
      cmocka_unit_test(a_quarter_car_sinks_by_its_weight),
      cmocka_unit_test(a_sprung_pendulum_rings_as_its_modes_say),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
