/* SPDX-License-Identifier: MIT */
#include "loop/told_platform.h"

#include "check.h"
#include "common/platform_defaults.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

struct told told_it;

static bool told_init(struct platform *p, const struct platform_spec *spec, char *error, size_t size)
{
  if (spec->period <= 0.0) {
    snprintf(error, size, "no period");
    return false;
  }
  p->out.state[0] = PLATFORM_UNKNOWN;
  p->out.pose[0] = (double)NAN;
  return true;
}

static void told_step(struct platform *p, const struct platform_input *in)
{
  told_it.in = *in;
  told_it.steps++;
  told_it.restarts += in->restart;
  if (in->sensor) memcpy(told_it.sensor, in->sensor, sizeof told_it.sensor);
  const bool up = in->request == PLATFORM_TO_NEUTRAL || in->request == PLATFORM_TO_RUN;
  if (p->out.state[0] == PLATFORM_UNKNOWN && !up) return;
  const bool down = in->request == PLATFORM_TO_PARK || in->request == PLATFORM_TO_SAFE;
  const bool park = down && (told_it.parks || p->out.state[0] == PLATFORM_PARKED);
  p->out.state[0] = park ? PLATFORM_PARKED : down ? PLATFORM_PARK : PLATFORM_RUN;
  p->out.flags[0] = park ? PLATFORM_IS_PARKED : PLATFORM_ENGAGED;
  p->out.pose[0] = told_it.steps;
  p->out.velocity[5] = told_it.velocity;
  p->out.legs_normalised[5] = 0.25;
}

static void told_tune(struct platform *p, enum platform_mode mode, const struct platform_params *params)
{
  (void)p;
  told_it.tunes++;
  told_it.mode = mode;
  told_it.params = *params;
}

static bool told_is_parked(const struct platform *p)
{
  return p->out.state[0] == PLATFORM_PARKED;
}

static const struct platform_calls told_calls = {
    .step = told_step, .tune = told_tune, .is_parked = told_is_parked};

struct platform_setup setup;

int set_up_platform(void **state)
{
  set_up(state);
  struct bench *b = *state;
  struct input_spec input[INPUTS + 1];
  static const struct platform_geometry geometry;
  memcpy(input, b->signals->input, INPUTS * sizeof *input);
  input[INPUTS] = (struct input_spec){.name = (char[]){"lead"}, .kind = INPUT_POSE, .hold = 1e6};
  for (int k = 0; k < PLATFORM_DOF; k++)
    input[INPUTS].range[k] = (struct input_range){.lower = -3, .upper = 3};
  struct signals *s =
      signals_new_with(b->model, input, INPUTS + 1, &(struct signals_more){.platform = &geometry});
  assert_non_null(s);
  signals_free(b->signals);
  b->signals = s;
  b->config.signals = s;
  for (int p = 0; p < 2; p++) {
    port_free(&b->port[p]);
    assert_true(port_init(&b->port[p], "test", (uint32_t)s->count, (uint32_t)s->channels, p == 0));
    b->port[p].wakeup = &b->wakeup;
  }
  memset(&told_it, 0, sizeof told_it);
  told_it.parks = true;
  setup = (struct platform_setup){
      .imu = -1, .pose = -1, .input = INPUTS, .init = told_init, .calls = &told_calls};
  setup.spec = (struct platform_spec){.mode = PLATFORM_WASHOUT, .period = 0.01, .gravity = 9.81};
  params_default(&setup.spec.params);
  b->config.platform = &setup;
  return 0;
}

double published(const struct bench *b, const struct frame *f, size_t offset)
{
  return f->values[b->signals->platform_first + (int)(offset / sizeof(double))];
}

uint32_t set_parameter(struct bench *b, uint32_t parameter, double value)
{
  struct answer a = {0};
  assert_true(port_command(
      &b->port[0], &(struct command){COMMAND_PLATFORM, parameter, 9, 7, clock_now_ns(), value, 0, 0, {0}}));
  cycle_once(&b->cycle);
  assert_true(ring_pop(&b->port[0].answers, &a));
  assert_int_equal(a.code, COMMAND_PLATFORM);
  return a.result;
}

uint32_t set_parameters(struct bench *b, uint32_t first, const double value[3])
{
  struct answer a = {0};
  const struct command c = {.code = COMMAND_PLATFORM,
                            .argument = first,
                            .t_ns = clock_now_ns(),
                            .value = value[0],
                            .more = 2,
                            .next = {value[1], value[2]}};
  assert_true(port_command(&b->port[0], &c));
  cycle_once(&b->cycle);
  assert_true(ring_pop(&b->port[0].answers, &a));
  return a.result;
}
