/* SPDX-License-Identifier: MIT
 * Fast rotation whose rate changes, and in whole mechanisms: brakes, dampers, clock springs, stops, gimbals, universal joints,
 * planetary gears and sensors, by every method, at 1 and 10 ms, in both directions, beside solutions on paper. */
#include "stepper/turning.h"

#include <stdlib.h>

static const double PI = 3.14159265358979323846, X[3] = {1, 0, 0}, Y[3] = {0, 1, 0};
enum { SHARES = 4 };

/* A rate that follows a law, and the solution: coordinate and rate of the first joint. */
struct course {
  const char *name;
  ali3_model *(*make)(double rate);
  void (*at)(double rate, double t, double *angle, double *speed);
  double near; /* relative error of a law with a corner, or from rest; 0: the error of the method */
};

static ali3_model *braked(double rate)
{
  ali3_model *m = model(0);
  bearing(m, "j", ALI3_GROUND, shaft(m, "a", rate));
  ali3_force_spec s = on_joint(ALI3_FORCE_FRICTION, 0);
  s.friction = 0.02 * fabs(rate); /* stops after 1 s */
  s.slip = 0.03 * fabs(rate);
  add(m, s);
  return m;
}

static void brakes(double rate, double t, double *angle, double *speed)
{
  const double until = fmin(t, 1);
  *angle = rate * (until - until * until / 2);
  *speed = rate * (1 - until);
}

static ali3_model *damped(double rate)
{
  ali3_model *m = model(0);
  bearing(m, "j", ALI3_GROUND, shaft(m, "a", rate));
  ali3_force_spec s = on_joint(ALI3_FORCE_FRICTION, 0);
  s.damping[0] = 0.02;
  add(m, s);
  return m;
}

static void decays(double rate, double t, double *angle, double *speed)
{
  *angle = rate * (1 - exp(-t));
  *speed = rate * exp(-t);
}

/* The damper is on the slow shaft. */
static ali3_model *damped_by_gear(double rate)
{
  ali3_model *m = model(0);
  bearing(m, "j", ALI3_GROUND, shaft(m, "a", rate));
  bearing(m, "k", ALI3_GROUND, shaft(m, "b", -0.1 * rate));
  gear(m, 0, 1, -10);
  ali3_force_spec s = on_joint(ALI3_FORCE_FRICTION, 1);
  s.name = "d";
  s.damping[0] = 0.02 * 101;
  add(m, s);
  return m;
}

static ali3_model *clock_spring(double rate)
{
  ali3_model *m = model(0);
  bearing(m, "j", ALI3_GROUND, shaft(m, "a", rate));
  ali3_force_spec s = on_joint(ALI3_FORCE_JOINT_SPRING, 0);
  s.stiffness[0] = 0.02;
  s.rest = 0;
  add(m, s);
  return m;
}

static void swings(double rate, double t, double *angle, double *speed)
{
  *angle = rate * sin(t);
  *speed = rate * cos(t);
}

/* A clock spring that is wound up by up to 160 turns. */
static const double WOUND = 0.1; /* rad for each rad/s of the test */

static ali3_model *wound(double rate)
{
  ali3_model *m = model(0);
  bearing(m, "j", ALI3_GROUND, shaft(m, "a", 0));
  ali3_force_spec s = on_joint(ALI3_FORCE_JOINT_SPRING, 0);
  s.stiffness[0] = 0.02;
  s.rest = WOUND * rate;
  add(m, s);
  return m;
}

static void unwinds(double rate, double t, double *angle, double *speed)
{
  *angle = WOUND * rate * (1 - cos(t));
  *speed = WOUND * rate * sin(t);
}

/* A stop after 1 s, up to 1600 turns away, that throws the shaft back. */
static const double BOUNCE = 6; /* rad/s */

static ali3_model *stopped(double rate)
{
  ali3_model *m = model(0);
  bearing(m, "j", ALI3_GROUND, shaft(m, "a", rate));
  ali3_force_spec s = on_joint(ALI3_FORCE_STOP, 0);
  s.lower = rate > 0 ? -3 * rate : rate;
  s.upper = rate > 0 ? rate : -3 * rate;
  s.stiffness[0] = 0.02 * BOUNCE * BOUNCE;
  add(m, s);
  return m;
}

static void bounces(double rate, double t, double *angle, double *speed)
{
  const double contact = fmin(fmax(t - 1, 0), PI / BOUNCE), after = t - 1 - contact;
  *angle = rate * (fmin(t, 1) + sin(BOUNCE * contact) / BOUNCE - fmax(after, 0));
  *speed = rate * cos(BOUNCE * contact);
}

static const struct course COURSE[] = {
    {"brake", braked, brakes, 4e-2},
    {"damper", damped, decays, 0},
    {"geared damper", damped_by_gear, decays, 0},
    {"clock spring", clock_spring, swings, 0},
    {"wound spring", wound, unwinds, 1e-5},
    {"stop", stopped, bounces, 5e-3},
};
enum { COURSES = sizeof COURSE / sizeof *COURSE };

/* Relative error that a smooth course may have: that of the method, at every rate. */
static double error_of(const struct way *way, double dt)
{
  const double h = dt / way->substeps;
  const bool second = !way->extrapolate && !ali3_method_is_explicit(way->method);
  return second ? 0.3 * h * h : 2 * h * h * h * h + (way->extrapolate ? 5e-7 : 1e-9);
}

/* The largest change of rate in an inner step by which turns are certain. */
static bool turns_are_certain(const struct course *c, double rate, double h)
{
  double last, now, angle;
  bool certain = true;
  c->at(rate, 0, &angle, &last);
  for (double t = h; t < 2; t += h, last = now) {
    c->at(rate, t, &angle, &now);
    certain = certain && fabs(now - last) * h < 1.2;
  }
  return certain;
}

static void expect_course(const struct course *c, const struct way *way, double dt, double rate)
{
  const bool is_explicit = ali3_method_is_explicit(way->method),
             certain = turns_are_certain(c, rate, dt / way->substeps);
  const double near = c->near > 0 ? c->near : error_of(way, dt);
  ali3_model *m = c->make(rate);
  const ali3_options o = options_of(way, dt);
  toy_freeze_with(m, &o);
  ali3_data *d = ali3_data_new(m);
  assert_non_null(d);
  const int begun = ali3_reset(m, d);
  if (begun != ALI3_E_STIFF || !is_explicit) assert_int_equal(begun, ALI3_OK);
  for (int i = 1; i * dt <= 2 && begun == ALI3_OK; i++) {
    double angle, speed;
    const int status = ali3_step(m, d);
    const bool said = status == ALI3_UNRESOLVED || (status == ALI3_NOT_CONVERGED && c->near > 0);
    if (status != ALI3_OK && (!said || (status == ALI3_UNRESOLVED && certain)))
      fail_msg("%s, %s, %g rad/s, %g s: step %d: %s", c->name, way->name, rate, dt, i,
               ali3_status_text(status));
    c->at(rate, i * dt, &angle, &speed);
    const ali3_joint_state s = joint_of(m, d, 0);
    if (!(fabs(s.position - angle) <= near * fabs(rate) && fabs(s.velocity - speed) <= near * fabs(rate)))
      fail_msg("%s, %s, %g rad/s, %g s: step %d: off by %.1e and %.1e of the rate", c->name, way->name, rate,
               dt, i, (s.position - angle) / rate, (s.velocity - speed) / rate);
  }
  end(m, d);
}

TEST(rates_change_as_they_should)
{
  for (int c = 0; c < COURSES; c++)
    for (int w = 0; w < WAYS; w++)
      for (int r = 0; r < RATES; r += 3)
        for (int sign = -1; sign <= 1; sign += 2) {
          expect_course(&COURSE[c], &WAY[w], 0.01, sign * RATE[r]);
          if (sign > 0) expect_course(&COURSE[c], &WAY[w], 0.001, RATE[r]);
        }
}

/* --- mechanisms that turn steadily --- */

static int body_at(ali3_model *m, const char *name, const double at[3], double rate, const double axis[3])
{
  ali3_body_spec b = toy_body(name, at, 1, 0.01);
  for (int i = 0; i < 3; i++) {
    b.inertia[4 * i] += 0.01 * fabs(axis[i]);
    b.angular_velocity[i] = rate * axis[i];
  }
  return toy_added(m, ali3_model_add_body(m, &b));
}

static void joint(ali3_model *m, const char *name, ali3_joint_type type, int a, int b, const double axis_a[3],
                  const double axis_b[3], const double point_a[3])
{
  ali3_joint_spec s = {.name = name, .type = type, .body_a = a, .body_b = b};
  memcpy(s.point_a, point_a, sizeof s.point_a);
  memcpy(s.axis_a, axis_a, sizeof s.axis_a);
  memcpy(s.axis_b, axis_b, sizeof s.axis_b);
  toy_added(m, ali3_model_add_joint(m, &s));
}

/* The wheel of a gyroscope, whose gimbals rest. */
static ali3_model *gimbal(double rate)
{
  ali3_model *m = model(0);
  const int outer = body_at(m, "outer", none, 0, Z), inner = body_at(m, "inner", none, 0, Z),
            wheel = body_at(m, "wheel", none, rate, X);
  joint(m, "spin", ALI3_JOINT_REVOLUTE, inner, wheel, X, X, none);
  joint(m, "yaw", ALI3_JOINT_REVOLUTE, ALI3_GROUND, outer, Y, Y, none);
  joint(m, "pitch", ALI3_JOINT_REVOLUTE, outer, inner, Z, Z, none);
  return m;
}

/* Two shafts in line. */
static ali3_model *universal(double rate)
{
  ali3_model *m = model(0);
  const int a = shaft(m, "a", rate), b = shaft(m, "b", rate);
  bearing(m, "j", ALI3_GROUND, a);
  bearing(m, "k", ALI3_GROUND, b);
  joint(m, "u", ALI3_JOINT_UNIVERSAL, a, b, X, Y, none);
  return m;
}

/* A sun and two planets beside it on a carrier that rests. */
static ali3_model *planets(double rate)
{
  static const double LEFT[3] = {-0.1, 0, 0}, RIGHT[3] = {0.1, 0, 0};
  ali3_model *m = model(0);
  const int sun = shaft(m, "sun", rate), carrier = shaft(m, "carrier", 0),
            left = body_at(m, "left", LEFT, -2 * rate, Z), right = body_at(m, "right", RIGHT, -2 * rate, Z);
  bearing(m, "j", ALI3_GROUND, sun);
  bearing(m, "k", ALI3_GROUND, carrier);
  joint(m, "l", ALI3_JOINT_REVOLUTE, carrier, left, Z, Z, LEFT);
  joint(m, "r", ALI3_JOINT_REVOLUTE, carrier, right, Z, Z, RIGHT);
  gear(m, 2, 0, -2);
  ali3_force_spec s = on_joint(ALI3_FORCE_GEAR, 3);
  s.name = "g";
  s.joint_b = 0;
  s.ratio = -2;
  add(m, s);
  return m;
}

/* A shaft that may also slide. */
static ali3_model *sliding(double rate)
{
  ali3_model *m = model(0);
  joint(m, "j", ALI3_JOINT_CYLINDRICAL, ALI3_GROUND, shaft(m, "a", rate), Z, Z, none);
  bearing(m, "k", 0, shaft(m, "b", -rate));
  return m;
}

/* On a sensor 0.1 m off the axis acts its centripetal acceleration. */
static void expect_sensor(const ali3_model *m, const ali3_data *d, const struct way *way, double rate,
                          double angle)
{
  ali3_sensor_state s;
  ali3_sensor_get(m, d, 0, &s);
  const double off = 2e-9 * fabs(angle) + 1e-12, pull = 0.1 * rate * rate;
  if (!(fabs(s.angular_velocity[2] - rate) <= 1e-9 * fabs(rate) &&
        fabs(s.specific_force[0] + pull) <= 1e-6 * pull && fabs(s.specific_force[1]) <= 1e-6 * pull &&
        fabs(s.position[0] - 0.1 * cos(angle)) <= off && fabs(s.position[1] - 0.1 * sin(angle)) <= off))
    fail_msg("%s, %g rad/s, %g rad: the sensor has %.12g rad/s, %.9g and %.9g m/s^2 at %.9g %.9g m",
             way->name, rate, angle, s.angular_velocity[2], s.specific_force[0], s.specific_force[1],
             s.position[0], s.position[1]);
}

TEST(mechanisms_turn_steadily)
{
  static ali3_model *(*const make[])(double rate) = {gimbal, universal, planets, sliding};
  static const int COUNTED[] = {0, 0, 0, 1};
  static const double RATIO[] = {1, 1, 1, -2};
  for (int k = 0; k < 4; k++)
    for (int w = 0; w < WAYS; w++)
      for (int r = 0; r < RATES; r++)
        for (int sign = -1; sign <= 1; sign += 2) {
          const double dt = r % 2 ? 0.01 : 0.001, rate = sign * RATE[r];
          ali3_model *m = make[k](rate);
          const int wheel = k == 0 ? 2 : 0;
          toy_added(m, ali3_model_add_sensor(m, &(ali3_sensor_spec){.name = "imu",
                                                                    .type = ALI3_SENSOR_IMU,
                                                                    .body = wheel,
                                                                    .point = {k ? 0.1 : 0, k ? 0 : 0.1, 0},
                                                                    .orientation = {1}}));
          ali3_data *d = begin(m, &WAY[w], dt);
          for (int i = 1; i <= 200; i++)
            if (ali3_step(m, d) != ALI3_OK)
              fail_msg("%d, %s, %g rad/s, %g s: step %d: %s", k, WAY[w].name, rate, dt, i,
                       ali3_status_text(ali3_data_report(d)->status));
          const ali3_joint_state s = joint_of(m, d, COUNTED[k]);
          const double angle = 200 * dt * rate;
          if (!(fabs(s.velocity - RATIO[k] * rate) <= 2e-9 * fabs(rate) &&
                fabs(s.position - RATIO[k] * angle) <= 2e-9 * fabs(angle)))
            fail_msg("%d, %s, %g rad/s, %g s: %.12g rad/s, %.12g rad", k, WAY[w].name, rate, dt, s.velocity,
                     s.position);
          if (k > 0) expect_sensor(m, d, &WAY[w], rate, angle);
          end(m, d);
        }
}

/* A rotor under gravity, whose axis is parallel to no axis of the world or of the body. */
static ali3_model *leaning(double rate)
{
  static const double AXIS[3] = {2.0 / 7, -3.0 / 7, 6.0 / 7}, AT[3] = {3, -2, 1},
                      P[4] = {0.5, 0.1, -0.7, 0.5};
  ali3_model *m = model(g);
  ali3_body_spec b = toy_body("rotor", AT, 1, 0.01);
  const double e = P[0], x = P[1], y = P[2], z = P[3];
  const double R[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - e * z),     2 * (x * z + e * y),
                       2 * (x * y + e * z),     1 - 2 * (x * x + z * z), 2 * (y * z - e * x),
                       2 * (x * z - e * y),     2 * (y * z + e * x),     1 - 2 * (x * x + y * y)};
  double own[3] = {0};
  for (int i = 0; i < 9; i++) own[i % 3] += R[i] * AXIS[i / 3];
  for (int i = 0; i < 9; i++) b.inertia[i] = 0.01 * ((i % 4 == 0) + 0.8 * own[i / 3] * own[i % 3]);
  for (int i = 0; i < 3; i++) b.angular_velocity[i] = rate * own[i];
  memcpy(b.orientation, P, sizeof P);
  const int body = toy_added(m, ali3_model_add_body(m, &b));
  joint(m, "j", ALI3_JOINT_REVOLUTE, ALI3_GROUND, body, AXIS, own, AT);
  return m;
}

TEST(a_rotor_with_any_axis_turns_steadily)
{
  for (int w = 0; w < WAYS; w++)
    for (int r = 0; r < RATES; r++) {
      ali3_model *m = leaning(RATE[r]);
      ali3_data *d = begin(m, &WAY[w], 0.01);
      for (int i = 1; i <= 200; i++)
        if (ali3_step(m, d) != ALI3_OK)
          fail_msg("%s, %g rad/s: step %d: %s", WAY[w].name, RATE[r], i,
                   ali3_status_text(ali3_data_report(d)->status));
      const ali3_joint_state s = joint_of(m, d, 0);
      if (!(fabs(s.velocity - RATE[r]) <= 1e-9 * RATE[r] && fabs(s.position - 2 * RATE[r]) <= 2e-9 * RATE[r]))
        fail_msg("%s, %g rad/s: %.12g rad/s, %.12g rad", WAY[w].name, RATE[r], s.velocity, s.position);
      end(m, d);
    }
}

/* --- one state, any workers --- */

/* A sun at 1000 rad/s with planets, a brake, a clock spring and a stop that throws it back. */
static ali3_model *everything(double rate)
{
  ali3_model *m = planets(rate);
  ali3_force_spec brake = on_joint(ALI3_FORCE_FRICTION, 0), spring = on_joint(ALI3_FORCE_JOINT_SPRING, 2),
                  stop = on_joint(ALI3_FORCE_STOP, 0);
  brake.name = "brake";
  brake.friction = 0.01 * fabs(rate);
  brake.slip = 0.1 * fabs(rate);
  spring.name = "spring";
  spring.stiffness[0] = 0.01;
  stop.name = "stop";
  stop.upper = 0.3 * rate;
  stop.stiffness[0] = 3;
  add(m, brake);
  add(m, spring);
  add(m, stop);
  return m;
}

/* Every number of bodies and joints. */
static int observe(const ali3_model *m, const ali3_data *d, double *o)
{
  int n = 0;
  for (int b = 0; b < ali3_model_bodies(m); b++, n += (int)(sizeof(ali3_body_state) / sizeof *o))
    ali3_body_get(m, d, b, (ali3_body_state *)(o + n));
  for (int j = 0; j < ali3_model_joints(m); j++) {
    const ali3_joint_state s = joint_of(m, d, j);
    o[n++] = s.position;
    o[n++] = s.velocity;
    for (int i = 0; i < 3; i++) o[n++] = s.force[i];
    for (int i = 0; i < 3; i++) o[n++] = s.torque[i];
  }
  return n;
}

/* Runs shares one after the other, the last first. */
static void backwards(void *context, void (*work)(void *arg, int share, int shares), void *arg)
{
  const int shares = *(const int *)context;
  for (int i = shares - 1; i >= 0; i--) work(arg, i, shares);
}

TEST(bits_do_not_depend_on_workers)
{
  static double o[2][400];
  for (int w = 0; w < WAYS; w++)
    for (int shares = 2; shares <= SHARES; shares++) {
      const ali3_exec exec = {&shares, shares, backwards, 1.0};
      ali3_model *m = everything(1000);
      ali3_data *d = begin(m, &WAY[w], 0.001), *other = ali3_data_new(m);
      assert_non_null(other);
      ali3_data_set_exec(other, &exec);
      assert_int_equal(ali3_reset(m, other), ALI3_OK);
      for (int i = 0; i < 500; i++) {
        assert_int_equal(ali3_step(m, d), ali3_step(m, other));
        const int count = observe(m, d, o[0]);
        observe(m, other, o[1]);
        if (memcmp(o[0], o[1], (size_t)count * sizeof(double)) != 0)
          fail_msg("%s: %d shares differ in step %d", WAY[w].name, shares, i);
      }
      ali3_data_free(other);
      end(m, d);
    }
}

/* A state that is saved after any step goes on with equal bits, after a step with status 4, too. */
static void expect_equal_after_load(const ali3_model *m, ali3_data *d, const char *name)
{
  static double o[2][400];
  const size_t size = ali3_state_size(m);
  ali3_data *other = ali3_data_new(m);
  void *bytes = malloc(size);
  assert_true(bytes && other);
  assert_int_equal(ali3_state_save(m, d, bytes), ALI3_OK);
  assert_int_equal(ali3_reset(m, other), ALI3_OK);
  if (ali3_state_load(m, other, bytes, size) != ALI3_OK) {
    char text[300];
    ali3_state_text(m, bytes, size, text, sizeof text);
    fail_msg("%s: after status %d: %s", name, ali3_data_report(d)->status, text);
  }
  assert_int_equal(ali3_data_report(other)->status, ali3_data_report(d)->status);
  for (int i = 0; i < 50; i++) {
    assert_int_equal(ali3_step(m, d), ali3_step(m, other));
    const int count = observe(m, d, o[0]);
    observe(m, other, o[1]);
    if (memcmp(o[0], o[1], (size_t)count * sizeof(double)) != 0)
      fail_msg("%s: bits differ in step %d after the load", name, i);
  }
  free(bytes);
  ali3_data_free(other);
}

TEST(a_saved_state_goes_on_from_anywhere)
{
  static const int AFTER[] = {1, 150, 310, 420};
  for (int w = 0; w < WAYS; w++)
    for (int k = 0; k < 4; k++) {
      ali3_model *m = everything(1000);
      ali3_data *d = begin(m, &WAY[w], 0.001);
      toy_run(m, d, AFTER[k]);
      expect_equal_after_load(m, d, WAY[w].name);
      end(m, d);
    }
}

TEST(a_state_saved_after_an_unresolved_step_goes_on)
{
  for (int w = 0; w < WAYS; w++) {
    ali3_model *m = stopped(1e4);
    ali3_data *d = begin(m, &WAY[w], 0.01 * WAY[w].substeps);
    int status = ALI3_OK;
    for (int i = 0; i < 200 && status != ALI3_UNRESOLVED; i++) {
      status = ali3_step(m, d);
      if (status < 0) fail_msg("%s: step %d", WAY[w].name, i);
    }
    assert_int_equal(status, ALI3_UNRESOLVED);
    assert_true(ali3_data_report(d)->turn > 0);
    expect_equal_after_load(m, d, WAY[w].name);
    end(m, d);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rates_change_as_they_should),
      cmocka_unit_test(mechanisms_turn_steadily),
      cmocka_unit_test(a_rotor_with_any_axis_turns_steadily),
      cmocka_unit_test(bits_do_not_depend_on_workers),
      cmocka_unit_test(a_saved_state_goes_on_from_anywhere),
      cmocka_unit_test(a_state_saved_after_an_unresolved_step_goes_on),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
