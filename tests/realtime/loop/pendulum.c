/* SPDX-License-Identifier: MIT */
#include "loop/pendulum.h"
#include "check.h"

#include "base/arena.h"

#include <ali3/model.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* A double pendulum of two bars on revolute joints, with the loads of its inputs. */
static ali3_model *pendulum(struct input_spec *spec, int inputs)
{
  ali3_model *m = ali3_model_new();
  ali3_model_set_name(m, "pendulum");
  ali3_model_set_gravity(m, (const double[]){0.0, -9.81, 0.0});
  ali3_body_spec body = {
      .mass = 1.0, .inertia = {0.1, 0, 0, 0, 0.1, 0, 0, 0, 0.1}, .orientation = {1, 0, 0, 0}};
  ali3_joint_spec joint = {.type = ALI3_JOINT_REVOLUTE, .axis_a = {0, 0, 1}, .axis_b = {0, 0, 1}};
  const char *const names[2][2] = {{"A", "J1"}, {"B", "J2"}};
  for (int i = 0; i < 2; i++) {
    body.name = names[i][0];
    body.position[0] = 0.5 + i;
    assert_int_equal(ali3_model_add_body(m, &body), i);
    joint.name = names[i][1];
    joint.body_a = i - 1;
    joint.body_b = i;
    joint.point_a[0] = i == 0 ? 0.0 : 0.5;
    joint.point_b[0] = -0.5;
    assert_int_equal(ali3_model_add_joint(m, &joint), i);
  }
  for (int i = 0; i < inputs; i++)
    assert_int_equal(input_add_loads(m, &spec[i], (const double[3]){0.0}, false), ALI3_OK);
  ali3_options options = ali3_options_default();
  options.violation = 1e-4; /* a push that the iterations survive can reach it */
  assert_int_equal(ali3_model_freeze(m, &options), ALI3_OK);
  return m;
}

int set_up(void **state)
{
  static struct bench b;
  memset(&b, 0, sizeof b);
  struct input_spec limits = {.body = 1, .hold = 1e6};
  for (int k = 0; k < INPUT_WRENCH_CHANNELS; k++)
    limits.range[k] = (struct input_range){.lower = -1e6, .upper = 1e6};
  struct input_spec spec[INPUTS] = {limits, limits, limits};
  spec[0].name = "push";
  spec[1].name = "pull"; /* on the same body as push */
  spec[2].name = "guarded";
  spec[2].body = 0;
  spec[2].policy = INPUT_SAFE;
  spec[2].hold = 0.0;
  b.model = pendulum(spec, INPUTS);
  b.signals = signals_new(b.model, spec, INPUTS);
  b.telemetry = aligned_zalloc(sizeof *b.telemetry);
  assert_non_null(b.signals);
  assert_non_null(b.telemetry);
  for (int p = 0; p < 2; p++) {
    b.ports[p] = &b.port[p];
    assert_true(port_init(&b.port[p], p ? "modbus" : "osc", (uint32_t)b.signals->count,
                          (uint32_t)b.signals->channels, p == 0));
    b.port[p].wakeup = &b.wakeup;
  }
  b.config = (struct cycle_config){.model = b.model,
                                   .signals = b.signals,
                                   .port = b.ports,
                                   .ports = 2,
                                   .wakeup = &b.wakeup,
                                   .telemetry = b.telemetry,
                                   .period_ns = PERIOD,
                                   .settings.warmup = WARMUP,
                                   .settings.autostart = AUTOSTART_ON};
  *state = &b;
  return 0;
}

int tear_down(void **state)
{
  struct bench *b = *state;
  cycle_free(&b->cycle);
  for (int p = 0; p < 2; p++) port_free(&b->port[p]);
  signals_free(b->signals);
  ali3_model_free(b->model);
  free(b->telemetry);
  return 0;
}

void begin(struct bench *b)
{
  assert_int_equal(cycle_setup(&b->cycle, &b->config), ALI3_OK);
  cycle_freeze(&b->cycle, NULL, true);
  cycle_begin(&b->cycle, clock_now_ns() + AHEAD);
}

const struct frame *newest(struct bench *b, int port)
{
  snapshot_take(&b->port[port].frames);
  return snapshot_value(&b->port[port].frames);
}

const struct frame *after(struct bench *b, int cycles)
{
  for (int k = 0; k < cycles; k++) cycle_once(&b->cycle);
  return newest(b, 0);
}

void begin_running(struct bench *b)
{
  begin(b);
  assert_int_equal(after(b, WARMUP)->state, STATE_INIT);
}

uint32_t told(struct bench *b, uint32_t code)
{
  static uint32_t id = 1000;
  assert_true(port_command(&b->port[0], &(struct command){code, 0, ++id, 7, clock_now_ns(), 0, 0, 0, {0}}));
  cycle_once(&b->cycle);
  struct answer a = {0};
  assert_true(ring_pop(&b->port[0].answers, &a));
  assert_int_equal(a.code, code);
  assert_int_equal(a.id, id);
  assert_int_equal(a.client, 7);
  assert_int_equal(newest(b, 0)->last_command, code);
  assert_int_equal(newest(b, 0)->last_command_id, id);
  assert_int_equal(newest(b, 0)->last_result, a.result);
  return a.result;
}

void let_rearm(struct bench *b)
{
  struct rearm *r = &b->cycle.machine.rearm;
  r->since_ns = r->since_ns > REARM_NS ? r->since_ns - REARM_NS : 0;
}

void set_input(struct bench *b, int port, int channel, double value)
{
  struct input_sample *sample = snapshot_begin(&b->port[port].inputs);
  memset(sample, 0, (size_t)b->signals->channels * sizeof *sample);
  sample[channel] = (struct input_sample){.value = value, .t_ns = clock_now_ns()};
  snapshot_publish(&b->port[port].inputs);
}

ali3_data *reference(struct bench *b, int steps)
{
  ali3_data *d = ali3_data_new(b->model);
  assert_int_equal(ali3_reset(b->model, d), ALI3_OK);
  for (int k = 0; k < steps; k++) assert_int_equal(ali3_step(b->model, d), ALI3_OK);
  return d;
}

static uint64_t bits(double v)
{
  uint64_t u;
  memcpy(&u, &v, sizeof u);
  return u;
}

void assert_same_as_steps(struct bench *b, const struct frame *f, int steps)
{
  ali3_data *d = reference(b, steps);
  double *values = calloc((size_t)b->signals->count, sizeof *values);
  signals_observe(b->signals, b->model, d, NULL, values);
  assert_int_equal(f->count, b->signals->count);
  assert_true(f->time == ali3_data_report(d)->time);
  for (int i = 0; i < b->signals->input_first; i++) {
    if (bits(f->values[i]) != bits(values[i]))
      fail_msg("%s after %d steps: expected %.17g, found %.17g", b->signals->signal[i].name, steps, values[i],
               f->values[i]);
  }
  free(values);
  ali3_data_free(d);
}

void delay(struct bench *b, double periods)
{
  b->cycle.schedule.start_ns = clock_now_ns() - (uint64_t)(periods * (double)PERIOD);
}

static void *run_in_thread(void *cycle)
{
  cycle_run(cycle);
  return NULL;
}

pthread_t run(struct bench *b)
{
  pthread_t thread;
  assert_int_equal(cycle_setup(&b->cycle, &b->config), ALI3_OK);
  cycle_freeze(&b->cycle, NULL, true);
  assert_int_equal(pthread_create(&thread, NULL, run_in_thread, &b->cycle), 0);
  return thread;
}

void stop(struct bench *b, pthread_t thread)
{
  cycle_stop(&b->cycle);
  pthread_join(thread, NULL);
}
