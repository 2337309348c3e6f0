/* SPDX-License-Identifier: MIT */
#include "check.h"
#include "common/toys.h"
#include "platform/platform.h"
#include "signals/signals.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const double none[3] = {0.0};

/* Two bodies, one joint of each kind of signals, a spring, a sensor of each type, three inputs. */
struct bench {
  ali3_model *m;
  ali3_data *d;
  struct signals *s;
  double *v;
};

static int set_up(void **state)
{
  static struct bench b;
  b.m = ali3_model_new();
  toy_added(b.m, ali3_model_set_gravity(b.m, (const double[]){0, -9.81, 0}));
  const char *names[] = {"A", "B"};
  for (int i = 0; i < 2; i++) {
    ali3_body_spec s = toy_body(names[i], (const double[]){i + 0.5, 0, 0}, 1.0, 1.0);
    toy_added(b.m, ali3_model_add_body(b.m, &s));
  }
  ali3_joint_spec hinge = {.name = "hinge",
                           .type = ALI3_JOINT_REVOLUTE,
                           .body_a = ALI3_GROUND,
                           .body_b = 0,
                           .axis_a = {0, 0, 1},
                           .axis_b = {0, 0, 1},
                           .point_b = {-0.5}};
  toy_added(b.m, ali3_model_add_joint(b.m, &hinge));
  toy_spherical(b.m, "ball", 0, (const double[]){0.5, 0, 0}, 1, (const double[]){-0.5, 0, 0});
  ali3_force_spec coil = {.name = "coil",
                          .type = ALI3_FORCE_SPRING,
                          .body_a = ALI3_GROUND,
                          .body_b = 1,
                          .point_a = {1.5, 2, 0},
                          .stiffness = {10},
                          .damping = {1},
                          .rest = 1.5};
  toy_added(b.m, ali3_model_add_force(b.m, &coil));
  const char *sensor[] = {"tip", "eye", "box"};
  for (int i = 0; i < 3; i++) {
    ali3_sensor_spec s = {.name = sensor[i],
                          .type = (ali3_sensor_type)i,
                          .body = i % 2,
                          .point = {0.5, 0.1, i},
                          .orientation = {0.6, 0, 0, 0.8}};
    toy_added(b.m, ali3_model_add_sensor(b.m, &s));
  }
  char push[] = "push", pull[] = "pull"; /* the specs are copied */
  struct input_spec inputs[] = {
      {.name = push, .body = 1, .range = {{.upper = 10}}},
      {.name = "stretch", .kind = INPUT_VALUE, .force = 0, .range = {{.upper = 3}}},
      {.name = pull, .body = 0, .range = {{.upper = 20}}},
  };
  assert_int_equal(input_add_loads(b.m, &inputs[0], none, false), ALI3_OK);
  assert_int_equal(input_add_loads(b.m, &inputs[2], none, true), ALI3_OK);
  toy_freeze(b.m, 0.01);
  b.s = signals_new(b.m, inputs, 3);
  push[0] = pull[0] = 'x';
  b.d = toy_start(b.m, ALI3_OK);
  b.v = calloc((size_t)b.s->count, sizeof *b.v);
  *state = &b;
  return b.s && b.v ? 0 : -1;
}

static int tear_down(void **state)
{
  struct bench *b = *state;
  free(b->v);
  signals_free(b->s);
  ali3_data_free(b->d);
  ali3_model_free(b->m);
  return 0;
}

static void names_and_units_in_the_agreed_order(void **state)
{
  const struct bench *b = *state;
  static const char *const wanted[][2] = {
      {"time", "s"},
      {"body.A.position.x", "m"},
      {"body.A.position.y", "m"},
      {"body.A.position.z", "m"},
      {"body.A.orientation.e0", ""},
      {"body.A.orientation.e1", ""},
      {"body.A.orientation.e2", ""},
      {"body.A.orientation.e3", ""},
      {"body.A.velocity.x", "m/s"},
      {"body.A.velocity.y", "m/s"},
      {"body.A.velocity.z", "m/s"},
      {"body.A.angular_velocity.x", "rad/s"},
      {"body.A.angular_velocity.y", "rad/s"},
      {"body.A.angular_velocity.z", "rad/s"},
      {"body.A.acceleration.x", "m/s^2"},
      {"body.A.acceleration.y", "m/s^2"},
      {"body.A.acceleration.z", "m/s^2"},
      {"body.A.angular_acceleration.x", "rad/s^2"},
      {"body.A.angular_acceleration.y", "rad/s^2"},
      {"body.A.angular_acceleration.z", "rad/s^2"},
      {"body.B.position.x", "m"},
  };
  static const char *const behind[][2] = {
      {"joint.hinge.force.x", "N"},    {"joint.hinge.force.y", "N"},
      {"joint.hinge.force.z", "N"},    {"joint.hinge.torque.x", "N m"},
      {"joint.hinge.torque.y", "N m"}, {"joint.hinge.torque.z", "N m"},
      {"joint.hinge.position", "rad"}, {"joint.hinge.velocity", "rad/s"},
      {"joint.hinge.quality", ""},     {"joint.ball.force.x", "N"},
      {"joint.ball.force.y", "N"},     {"joint.ball.force.z", "N"},
      {"joint.ball.torque.x", "N m"},  {"joint.ball.torque.y", "N m"},
      {"joint.ball.torque.z", "N m"},  {"joint.ball.quality", ""},
      {"force.coil.length", "m"},      {"force.coil.value", "N"},
      {"energy.kinetic", "J"},         {"energy.potential", "J"},
      {"energy.total", "J"},           {"constraint.position", "m"},
      {"constraint.velocity", "m/s"},  {"constraint.acceleration", "m/s^2"},
      {"solver.status", ""},           {"solver.increment", ""},
      {"input.push.force.x", "N"},     {"input.push.force.y", "N"},
      {"input.push.force.z", "N"},     {"input.push.torque.x", "N m"},
      {"input.push.torque.y", "N m"},  {"input.push.torque.z", "N m"},
      {"input.stretch.value", "N"},    {"input.pull.force.x", "N"},
  };
  static const char *const sensors[][2] = {
      {"sensor.tip.position.x", "m"},
      {"sensor.tip.velocity.x", "m/s"},
      {"sensor.tip.acceleration.x", "m/s^2"},
      {"sensor.eye.position.x", "m"},
      {"sensor.eye.orientation.e0", ""},
      {"sensor.eye.orientation.e3", ""},
      {"sensor.eye.velocity.x", "m/s"},
      {"sensor.eye.angular_velocity.x", "rad/s"},
      {"sensor.eye.acceleration.x", "m/s^2"},
      {"sensor.eye.angular_acceleration.x", "rad/s^2"},
      {"sensor.box.specific_force.x", "m/s^2"},
      {"sensor.box.angular_velocity.x", "rad/s"},
      {"sensor.box.angular_velocity.z", "rad/s"},
  };
  static const int sensor_at[] = {0, 3, 6, 9, 12, 15, 16, 19, 22, 25, 28, 31, 33};
  enum {
    WANTED = sizeof wanted / sizeof *wanted,
    BEHIND = sizeof behind / sizeof *behind,
    AT = 1 + 2 * SIGNALS_BODY,
    SENSORS_AT = 18,     /* in `behind`: after the forces */
    SENSORS = 9 + 19 + 6 /* their signals; some of them are checked */
  };
  assert_int_equal(b->s->count, AT + BEHIND + SENSORS + 5);
  for (int i = 0; i < WANTED; i++) {
    assert_string_equal(b->s->signal[i].name, wanted[i][0]);
    assert_string_equal(b->s->signal[i].unit, wanted[i][1]);
  }
  for (int i = 0; i < BEHIND; i++) {
    int at = AT + i + (i < SENSORS_AT ? 0 : SENSORS);
    assert_string_equal(b->s->signal[at].name, behind[i][0]);
    assert_string_equal(b->s->signal[at].unit, behind[i][1]);
  }
  for (size_t i = 0; i < sizeof sensors / sizeof *sensors; i++) {
    const struct signal *signal = &b->s->signal[AT + SENSORS_AT + sensor_at[i]];
    assert_string_equal(signal->name, sensors[i][0]);
    assert_string_equal(signal->unit, sensors[i][1]);
  }
  for (int i = 0; i < b->s->count; i++) assert_int_equal(signals_find(b->s, b->s->signal[i].name), i);
  assert_int_equal(signals_find(b->s, "body.A.position"), -1);
  assert_int_equal(signals_find(b->s, "body.C.position.x"), -1);
}

/* Groups cover all signals in order, and their names are those of their components. */
static void groups_are_the_quantities(void **state)
{
  const struct bench *b = *state;
  int at = 0;
  for (int i = 0; i < b->s->groups; i++) {
    const struct signal_group *g = &b->s->group[i];
    size_t length = strlen(g->name);
    assert_int_equal(g->first, at);
    for (int k = 0; k < g->count; k++) {
      assert_int_equal(strncmp(b->s->signal[at + k].name, g->name, length), 0);
      assert_int_equal(b->s->signal[at + k].name[length], g->count > 1 ? '.' : 0);
    }
    assert_int_equal(signals_find_group(b->s, g->name), i);
    at += g->count;
  }
  assert_int_equal(at, b->s->count);
  int position = signals_find_group(b->s, "body.B.orientation");
  assert_true(position >= 0);
  assert_int_equal(b->s->group[position].count, 4);
  assert_int_equal(signals_find_group(b->s, "body.A.position.x"), -1);
}

static double value(const struct bench *b, const char *name)
{
  int i = signals_find(b->s, name);
  if (i < 0) fail_msg("no signal %s", name);
  return b->v[i];
}

static void values_are_those_of_the_getters(void **state)
{
  const struct bench *b = *state;
  const double channels[] = {1, 2, 3, 4, 5, 6, 77, 7, 8, 9, 10, 11, 12};
  toy_run(b->m, b->d, 37);
  for (int i = 0; i < b->s->count; i++) b->v[i] = NAN;
  signals_observe(b->s, b->m, b->d, channels, b->v);
  for (int i = 0; i < b->s->count; i++) assert_false(isnan(b->v[i])); /* every place is filled */
  ali3_body_state x;
  ali3_joint_state j;
  ali3_force_state spring;
  ali3_energy e;
  const ali3_report *r = ali3_data_report(b->d);
  assert_true(value(b, "time") == r->time && r->time > 0.36);
  ali3_body_get(b->m, b->d, 1, &x);
  assert_true(value(b, "body.B.position.y") == x.position[1]);
  assert_true(value(b, "body.B.orientation.e3") == x.orientation[3]);
  assert_true(value(b, "body.B.velocity.x") == x.velocity[0]);
  assert_true(value(b, "body.B.angular_velocity.z") == x.angular_velocity[2]);
  assert_true(value(b, "body.B.acceleration.y") == x.acceleration[1]);
  assert_true(value(b, "body.B.angular_acceleration.z") == x.angular_acceleration[2]);
  assert_memory_equal(b->v + b->s->body_first + SIGNALS_BODY, &x, SIGNALS_BODY_STATE * sizeof(double));
  ali3_joint_get(b->m, b->d, 0, &j);
  assert_true(value(b, "joint.hinge.force.y") == j.force[1] && j.force[1] != 0.0);
  assert_true(value(b, "joint.hinge.torque.x") == j.torque[0]);
  assert_true(value(b, "joint.hinge.position") == j.position && j.position != 0.0);
  assert_true(value(b, "joint.hinge.velocity") == j.velocity);
  assert_true(value(b, "joint.hinge.quality") == 1.0);
  ali3_joint_get(b->m, b->d, 1, &j);
  assert_true(value(b, "joint.ball.force.x") == j.force[0]);
  assert_true(value(b, "joint.ball.quality") == 1.0);
  ali3_force_get(b->m, b->d, 0, &spring);
  assert_true(value(b, "force.coil.length") == spring.position && spring.position > 0.0);
  assert_true(value(b, "force.coil.value") == spring.value);
  ali3_sensor_state tip, eye, box;
  ali3_sensor_get(b->m, b->d, 0, &tip);
  ali3_sensor_get(b->m, b->d, 1, &eye);
  ali3_sensor_get(b->m, b->d, 2, &box);
  assert_true(value(b, "sensor.tip.position.z") == tip.position[2]);
  assert_true(value(b, "sensor.tip.velocity.x") == tip.velocity[0] && tip.velocity[0] != 0.0);
  assert_true(value(b, "sensor.tip.acceleration.y") == tip.acceleration[1]);
  assert_true(value(b, "sensor.eye.position.x") == eye.position[0]);
  assert_true(value(b, "sensor.eye.orientation.e3") == eye.orientation[3]);
  assert_true(value(b, "sensor.eye.velocity.y") == eye.velocity[1]);
  assert_true(value(b, "sensor.eye.angular_velocity.z") == eye.angular_velocity[2]);
  assert_true(value(b, "sensor.eye.acceleration.x") == eye.acceleration[0]);
  assert_true(value(b, "sensor.eye.angular_acceleration.z") == eye.angular_acceleration[2]);
  assert_true(value(b, "sensor.box.specific_force.x") == box.specific_force[0]);
  assert_true(value(b, "sensor.box.angular_velocity.z") == box.angular_velocity[2]);
  ali3_energy_get(b->m, b->d, &e);
  assert_true(value(b, "energy.kinetic") == e.kinetic && value(b, "energy.potential") == e.potential);
  assert_true(value(b, "energy.total") == e.total);
  assert_true(value(b, "constraint.position") == r->position);
  assert_true(value(b, "constraint.velocity") == r->velocity);
  assert_true(value(b, "constraint.acceleration") == r->acceleration);
  assert_true(value(b, "solver.status") == 0 && value(b, "solver.increment") == r->increment);
  assert_true(value(b, "input.push.force.x") == 1 && value(b, "input.push.torque.z") == 6);
  assert_true(value(b, "input.stretch.value") == 77);
  assert_true(value(b, "input.pull.force.x") == 7 && value(b, "input.pull.torque.z") == 12);
  signals_observe(b->s, b->m, b->d, NULL, b->v);
  assert_true(value(b, "input.pull.torque.z") == 0.0);
}

static void inputs_are_copied(void **state)
{
  const struct bench *b = *state;
  assert_int_equal(b->s->inputs, 3);
  assert_int_equal(b->s->channels, 13);
  assert_string_equal(b->s->input[0].name, "push");
  assert_int_equal(b->s->input[0].body, 1);
  assert_true(b->s->input[1].range[0].upper == 3);
  assert_true(b->s->input[2].range[0].upper == 20);
}

static void channels_are_numbered_input_by_input(void **state)
{
  const struct bench *b = *state;
  static const int first[] = {0, 6, 7}, count[] = {INPUT_WRENCH_CHANNELS, 1, INPUT_WRENCH_CHANNELS};
  for (int i = 0; i < 3; i++) {
    assert_int_equal(b->s->input[i].first, first[i]);
    assert_int_equal(b->s->input[i].count, count[i]);
  }
  const struct input_part *part = input_parts(INPUT_WRENCH);
  assert_string_equal(part[1].name, "torque");
  assert_true(part[1].first == 3 && part[1].count == 3 && !part[2].name);
  part = input_parts(INPUT_VALUE);
  assert_string_equal(part[0].name, "value");
  assert_true(part[0].first == 0 && part[0].count == 1 && !part[1].name);
}

static void a_wrench_brings_two_loads_of_its_own(void **state)
{
  const struct bench *b = *state;
  assert_int_equal(ali3_model_loads(b->m), 4);
  assert_int_equal(b->s->input[0].load, 0);
  assert_int_equal(b->s->input[2].load, 2);
  struct input_spec late = {.name = "late", .body = 0};
  assert_int_equal(input_add_loads(b->m, &late, none, false), ALI3_E_FROZEN);
}

TEST(a_model_of_one_body_has_the_rest)
{
  ali3_model *m = ali3_model_new();
  ali3_body_spec s = toy_body("only", none, 1.0, 1.0);
  toy_added(m, ali3_model_add_body(m, &s));
  toy_freeze(m, 0.01);
  struct signals *t = signals_new(m, NULL, 0);
  assert_non_null(t);
  assert_int_equal(t->count, 1 + SIGNALS_BODY + 8);
  assert_int_equal(t->channels, 0);
  signals_free(t);
  signals_free(NULL);
  ali3_model_free(m);
}

/* Their places match struct platform_output, which is copied unchanged. */
static void a_platform_has_its_signals_before_the_figures(void **state)
{
  const struct bench *b = *state;
  static const struct {
    const char *name, *unit, *of_cranks;
    size_t offset;
  } wanted[] = {
      {"platform.pose.surge", "m", "m", offsetof(struct platform_output, pose)},
      {"platform.pose.yaw", "rad", "rad", offsetof(struct platform_output, pose[5])},
      {"platform.velocity.heave", "m/s", "m/s", offsetof(struct platform_output, velocity[2])},
      {"platform.velocity.roll", "rad/s", "rad/s", offsetof(struct platform_output, velocity[3])},
      {"platform.acceleration.pitch", "rad/s^2", "rad/s^2",
       offsetof(struct platform_output, acceleration[4])},
      {"platform.target.sway", "m", "m", offsetof(struct platform_output, target[1])},
      {"platform.legs.1", "m", "rad", offsetof(struct platform_output, legs)},
      {"platform.legs.6", "m", "rad", offsetof(struct platform_output, legs[5])},
      {"platform.leg_rates.4", "m/s", "rad/s", offsetof(struct platform_output, leg_rates[3])},
      {"platform.legs_normalised.5", "", "", offsetof(struct platform_output, legs_normalised[4])},
      {"platform.pose_normalised.roll", "", "", offsetof(struct platform_output, pose_normalised[3])},
      {"platform.specific_force.z", "m/s^2", "m/s^2", offsetof(struct platform_output, specific_force[2])},
      {"platform.angular_velocity.x", "rad/s", "rad/s", offsetof(struct platform_output, angular_velocity)},
      {"platform.margin", "", "", offsetof(struct platform_output, margin)},
      {"platform.state", "", "", offsetof(struct platform_output, state)},
      {"platform.mode", "", "", offsetof(struct platform_output, mode)},
      {"platform.flags", "", "", offsetof(struct platform_output, flags)},
  };
  const struct signal figure[] = {{(char[]){"loop.x"}, "s"}};
  const struct input_spec pose = {.name = (char[]){"lead"}, .kind = INPUT_POSE};
  for (int cranks = 0; cranks < 2; cranks++) {
    const struct platform_geometry geometry = {.crank = cranks};
    const struct signals_more more = {.platform = &geometry, .figure = figure, .figures = 1};
    struct signals *s = signals_new_with(b->m, &pose, 1, &more);
    assert_non_null(s);
    assert_int_equal(s->platform_first, s->input_first + INPUT_POSE_CHANNELS);
    assert_int_equal(s->figure_first, s->platform_first + PLATFORM_SIGNALS);
    assert_int_equal(s->count, s->figure_first + 1);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
      const int at = s->platform_first + (int)(wanted[i].offset / sizeof(double));
      assert_string_equal(s->signal[at].name, wanted[i].name);
      assert_string_equal(s->signal[at].unit, cranks ? wanted[i].of_cranks : wanted[i].unit);
    }
    const struct signal_group *g = &s->group[signals_find_group(s, "platform.legs")];
    assert_int_equal(g->count, PLATFORM_LEGS);

    double *v = calloc((size_t)s->count, sizeof *v);
    for (int i = 0; i < s->count; i++) v[i] = 1e9;
    signals_observe(s, b->m, b->d, NULL, v);
    for (int i = 0; i < s->count; i++) assert_true((v[i] == 1e9) == (i >= s->platform_first));
    free(v);
    signals_free(s);
  }
  assert_int_equal(b->s->platform_first, -1);
}

static void an_input_for_the_platform_has_six_channels(void **state)
{
  const struct bench *b = *state;
  static const char *const wanted[] = {"input.lead.position.surge", "input.lead.position.sway",
                                       "input.lead.position.heave", "input.lead.angle.roll",
                                       "input.lead.angle.pitch",    "input.lead.angle.yaw"};
  const struct input_spec pose = {.name = (char[]){"lead"}, .kind = INPUT_POSE};
  struct signals *s = signals_new(b->m, &pose, 1);
  assert_int_equal(s->channels, INPUT_POSE_CHANNELS);
  for (int i = 0; i < INPUT_POSE_CHANNELS; i++) {
    assert_string_equal(s->signal[s->input_first + i].name, wanted[i]);
    assert_string_equal(s->signal[s->input_first + i].unit, i < 3 ? "m" : "rad");
  }
  assert_null(input_parts(INPUT_POSE)[2].name);
  signals_free(s);
}

/* The first signal that signals_observe_wanted() leaves out if only `signal` is wanted; -1: a mistake. */
static int observe_one(const struct bench *b, int signal, const double *all, double *v)
{
  bool *wanted = calloc((size_t)b->s->count, sizeof *wanted);
  int left = -1;
  assert_non_null(wanted);
  wanted[signal] = true;
  signals_want(b->s, wanted);
  for (int i = 0; i < b->s->count; i++) v[i] = 1e9;
  signals_observe_wanted(b->s, b->m, b->d, NULL, wanted, v);
  assert_memory_equal(&v[signal], &all[signal], sizeof *v);
  for (int i = b->s->count - 1; i >= 0; i--) {
    if (v[i] == 1e9) left = i;
    assert_true(v[i] == 1e9 || memcmp(&v[i], &all[i], sizeof *v) == 0);
  }
  free(wanted);
  return left;
}

static void a_wanted_signal_has_its_value_and_other_elements_are_left_out(void **state)
{
  const struct bench *b = *state;
  double *v = calloc((size_t)b->s->count, sizeof *v);
  assert_non_null(v);
  toy_run(b->m, b->d, 3);
  signals_observe(b->s, b->m, b->d, NULL, b->v);
  for (int i = 0; i < b->s->count; i++) {
    const bool first_body = i >= b->s->body_first && i < b->s->body_first + SIGNALS_BODY;
    assert_int_equal(observe_one(b, i, b->v, v), b->s->body_first + (first_body ? SIGNALS_BODY : 0));
  }
  free(v);
}

/* The reading of a sensor at the signal of this name; NAN: it has no reading of this name. */
static double reading_named(const char *quantity, const ali3_reading *r)
{
  return strcmp(quantity, "value") == 0     ? r->value[0]
         : strcmp(quantity, "rate") == 0    ? r->rate
         : strcmp(quantity, "quality") == 0 ? r->good
                                            : NAN;
}

/* The signals of a sensor of a type: all of them are filled in, and no others; one value stands beside its rate and quality. A sensor
 * without the signal `rate` reads 0 there, also through a chain. */
static void check_sensor_signals(ali3_sensor_type type, double delay)
{
  static const double untouched = -12345.0;
  ali3_model *m = ali3_model_new();
  for (int i = 0; i < 2; i++) {
    ali3_body_spec body = toy_body(i ? "B" : "A", (const double[]){i, 0.2, 0.3}, 1.0, 1.0);
    memcpy(body.angular_velocity, (const double[3]){0.3, 0.2 + i, 0.5 + i}, sizeof body.angular_velocity);
    body.velocity[0] = i;
    toy_added(m, ali3_model_add_body(m, &body));
  }
  const ali3_body_spec wheel = toy_body("wheel", (const double[]){0, 0, 5}, 1.0, 1.0);
  const ali3_joint_spec hinge = {.name = "hinge",
                                 .type = ALI3_JOINT_REVOLUTE,
                                 .body_a = ALI3_GROUND,
                                 .body_b = toy_added(m, ali3_model_add_body(m, &wheel)),
                                 .point_a = {0, 0, 5},
                                 .axis_a = {0, 0, 1},
                                 .axis_b = {0, 0, 1},
                                 .position = 0.4,
                                 .velocity = 0.7};
  toy_added(m, ali3_model_add_joint(m, &hinge));
  ali3_force_spec coil = ali3_force_spec_default(ALI3_FORCE_JOINT_SPRING);
  coil.name = "coil";
  coil.rest = 0.0;
  coil.stiffness[0] = 10.0;
  toy_added(m, ali3_model_add_force(m, &coil));
  const ali3_sensor_spec spec = {.name = "eye",
                                 .type = type,
                                 .body = 0,
                                 .body_b = 1,
                                 .point = {0.1, 0.2, 0.3},
                                 .orientation = {0.6, 0, 0, 0.8},
                                 .axis = {0, 0, 1},
                                 .delay = delay};
  toy_added(m, ali3_model_add_sensor(m, &spec));
  toy_freeze(m, 0.01);
  ali3_data *d = toy_start(m, ALI3_OK);
  toy_run(m, d, 5);
  struct signals *s = signals_new(m, NULL, 0);
  double *v = calloc((size_t)s->count, sizeof *v);
  bool *wanted = calloc((size_t)s->count, sizeof *wanted);
  assert_true(v && wanted);
  const int first = s->sensor_first[0], end = s->sensor_first[1];
  wanted[first] = true;
  signals_want(s, wanted);
  for (int i = 0; i < s->count; i++) v[i] = untouched;
  signals_observe_wanted(s, m, d, NULL, wanted, v);
  /* Every signal of the sensor, and no energy behind it. */
  ali3_reading reading;
  ali3_sensor_read(m, d, 0, &reading);
  for (int i = first; i < end; i++) {
    const double expected = reading_named(strrchr(s->signal[i].name, '.') + 1, &reading);
    if (v[i] == untouched || (ali3_sensor_type_readings(type) == 1 && v[i] != expected))
      fail_msg("%s: %s is %g, expected %g", ali3_sensor_type_name(type), s->signal[i].name, v[i], expected);
  }
  assert_true(v[end] == untouched);
  /* Everything moves, so that a number is 0 only if nothing computes it. */
  for (int i = first; ali3_sensor_type_readings(type) == 1 && i < end; i++)
    if (fabs(v[i]) < 1e-3) fail_msg("%s: %s is 0", ali3_sensor_type_name(type), s->signal[i].name);
  if (ali3_sensor_type_readings(type) == 1 && end - first == 2) assert_true(reading.rate == 0.0);
  free(wanted);
  free(v);
  signals_free(s);
  ali3_data_free(d);
  ali3_model_free(m);
}

TEST(every_type_of_sensor_fills_in_its_signals)
{
  for (int type = 0; type < ALI3_SENSOR_TYPES; type++) {
    check_sensor_signals((ali3_sensor_type)type, 0.0);
    check_sensor_signals((ali3_sensor_type)type, type > ALI3_SENSOR_POSE ? 0.015 : 0.0);
  }
}

int main(void)
{
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(names_and_units_in_the_agreed_order, set_up, tear_down),
      cmocka_unit_test_setup_teardown(groups_are_the_quantities, set_up, tear_down),
      cmocka_unit_test_setup_teardown(values_are_those_of_the_getters, set_up, tear_down),
      cmocka_unit_test_setup_teardown(inputs_are_copied, set_up, tear_down),
      cmocka_unit_test_setup_teardown(channels_are_numbered_input_by_input, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_wrench_brings_two_loads_of_its_own, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_platform_has_its_signals_before_the_figures, set_up, tear_down),
      cmocka_unit_test_setup_teardown(an_input_for_the_platform_has_six_channels, set_up, tear_down),
      cmocka_unit_test_setup_teardown(a_wanted_signal_has_its_value_and_other_elements_are_left_out, set_up,
                                      tear_down),
      cmocka_unit_test(a_model_of_one_body_has_the_rest),
      cmocka_unit_test(every_type_of_sensor_fills_in_its_signals),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
