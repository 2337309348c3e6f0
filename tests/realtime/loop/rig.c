/* SPDX-License-Identifier: MIT */
#include "loop/rig.h"
#include "check.h"

#include "base/arena.h"
#include "config/setup.h"
#include "rt/clock.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WARMUP = 5, ROUND = 100 /* cycles until everything repeats */ };

const struct rig_file rig_files[RIG_FILES] = {
    {"../config/four-bar.yaml", false},
    {"../config/models/six_axis_arm.yaml", false},
    {"../config/models/double_wishbone.yaml", false},
    {"reference/chain_128.json", false},
    {"reference/chain_128.json", true},
    {"realtime/loop/platform.yaml", false},
};

void rig_set_up(struct loop_rig *r, const struct rig_file *file, int workers)
{
  char path[512], error[256];
  const struct settings_overrides over = {.extrapolate = file->extrapolate};
  memset(r, 0, sizeof *r);
  snprintf(path, sizeof path, TEST_DATA "/%s", file->name);
  r->settings = setup_load(path, &over, stderr);
  assert_non_null(r->settings);
  const struct platform_setup *platform = r->settings->platform.enabled ? &r->settings->platform : NULL;
  const struct signals_more more = {.platform = platform ? &platform->spec.geometry : NULL};
  r->signals = signals_new_with(r->settings->model, r->settings->input, r->settings->inputs, &more);
  r->telemetry = aligned_zalloc(sizeof *r->telemetry);
  assert_true(r->signals && r->telemetry);
  for (int i = 0; i < r->signals->inputs; i++)
    if (r->signals->input[i].kind == INPUT_WRENCH)
      for (int k = 0; k < 3; k++)
        r->signals->input[i].range[k] = (struct input_range){.lower = -INFINITY, .upper = INFINITY};
  for (int p = 0; p < 2; p++) {
    r->ports[p] = &r->port[p];
    assert_true(
        port_init(&r->port[p], "test", (uint32_t)r->signals->count, (uint32_t)r->signals->channels, p == 0));
  }
  snprintf(r->telemetry->instance, sizeof r->telemetry->instance, "rig-%d", (int)getpid());
  const struct frames_plan plan = {.telemetry = r->telemetry,
                                   .model = r->settings->model,
                                   .signals = r->signals,
                                   .period_ns = NS_PER_S / 100,
                                   .seconds = 1,
                                   .limit_bytes = 1,
                                   .version = "rig",
                                   .config = path,
                                   .yaml = "",
                                   .platform_bytes = platform ? PLATFORM_DRIVE_BYTES : 0,
                                   .tuning = platform ? PLATFORM_TUNING : 0};
  if (!frames_create(&r->frames, &plan, error, sizeof error)) fail_msg("%s", error);
  const struct cycle_config config = {.model = r->settings->model,
                                      .signals = r->signals,
                                      .port = r->ports,
                                      .ports = 2,
                                      .telemetry = r->telemetry,
                                      .frames = &r->frames,
                                      .period_ns = NS_PER_S / 1000,
                                      .settings.warmup = WARMUP,
                                      .settings.autostart = AUTOSTART_ON,
                                      .platform = platform};
  assert_true(cycle_setup(&r->cycle, &config) >= 0);
  r->pool =
      pool_new(&(struct pool_config){.workers = workers, .first_cpu = -1, .worth = 1.0}, error, sizeof error);
  if (!r->pool) fail_msg("%s", error);
  cycle_freeze(&r->cycle, r->pool, true);
}

void rig_tear_down(struct loop_rig *r)
{
  pool_free(r->pool);
  cycle_free(&r->cycle);
  frames_destroy(&r->frames, r->telemetry);
  for (int p = 0; p < 2; p++) port_free(&r->port[p]);
  signals_free(r->signals);
  settings_free(r->settings);
  free(r->telemetry);
}

void rig_begin(struct loop_rig *r)
{
  cycle_begin(&r->cycle, clock_now_ns() + 1000 * NS_PER_S);
}

static void tell(struct loop_rig *r, int port, uint32_t code)
{
  (void)port_command(&r->port[port], &(struct command){code, 0, 1, 2, clock_now_ns(), 0, 0, 0, {0}});
}

static void set_inputs(struct loop_rig *r, int port, double value)
{
  struct input_sample *sample = snapshot_begin(&r->port[port].inputs);
  for (int i = 0; i < r->signals->channels; i++)
    sample[i] = (struct input_sample){.value = value, .t_ns = clock_now_ns()};
  snapshot_publish(&r->port[port].inputs);
}

/* The work of the threads of the ports and of the supervisor. */
static void listen(struct loop_rig *r)
{
  struct answer answer;
  struct cycle_event event;
  for (int p = 0; p < 2; p++) {
    snapshot_take(&r->port[p].frames);
    const struct frame *f = snapshot_value(&r->port[p].frames);
    r->seen |= 1u << f->state;
    while (ring_pop(&r->port[p].answers, &answer)) continue;
  }
  while (outbox_next_event(&r->cycle.outbox, &event)) continue;
}

static void disturb(struct loop_rig *r)
{
  const int port = r->number % 2 ? 1 : 0;
  switch (r->number++ % ROUND) {
  case 20:
    tell(r, port, COMMAND_PAUSE);
    break;
  case 25:
    tell(r, port, COMMAND_RUN);
    break;
  case 30:
    for (int i = 0; i < 40; i++) tell(r, port, i % 2 ? COMMAND_RUN : COMMAND_PAUSE);
    break;
  case 40:
    tell(r, port, COMMAND_ESTOP);
    break;
  case 45:
    tell(r, port, COMMAND_RESET);
    break;
  case 46:
    r->cycle.machine.rearm.since_ns -= REARM_NS; /* as if the delay had passed */
    tell(r, port, COMMAND_ARM);
    break;
  case 47:
    tell(r, port, COMMAND_RUN);
    break;
  case 50:
    r->cycle.schedule.start_ns = clock_now_ns() - 5 * r->cycle.config.period_ns / 2;
    break; /* late */
  case 55:
    tell(r, port, COMMAND_STOP);
    break;
  case 60:
    tell(r, port, COMMAND_ARM);
    (void)port_command(&r->port[port],
                       &(struct command){.code = COMMAND_PLATFORM, .value = 0.1 * (double)(r->number % 7)});
    break;
  case 65:
    tell(r, port, COMMAND_RUN);
    break;
  case 66:
    tell(r, port, 77);
    break; /* an unknown command */
  case 70:
    set_inputs(r, port, 1e300);
    break;
  case 80:
    tell(r, port, COMMAND_RESET);
    break;
  case 81:
    r->cycle.machine.rearm.since_ns -= REARM_NS; /* as if the delay had passed */
    tell(r, port, COMMAND_ARM);
    break;
  case 82:
    tell(r, port, COMMAND_RUN);
    break;
  default:
    set_inputs(r, port, sin((double)r->number));
    break;
  }
}

void rig_cycles(struct loop_rig *r, int cycles)
{
  for (int k = 0; k < cycles; k++) {
    disturb(r);
    cycle_once(&r->cycle);
    listen(r);
  }
}

bool rig_saw_all(const struct loop_rig *r)
{
  uint32_t all = 1u << STATE_INIT | 1u << STATE_RUNNING | 1u << STATE_PAUSED | 1u << STATE_SAFE |
                 1u << STATE_STOPPED | 1u << STATE_READY;
  for (int i = 0; i < r->signals->inputs; i++)
    if (r->signals->input[i].kind == INPUT_WRENCH) all |= 1u << STATE_FAULT; /* a limit holds the others */
  return (r->seen & all) == all && r->cycle.figures.misses > 0;
}
