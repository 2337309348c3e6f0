/* SPDX-License-Identifier: MIT
 * The life of the daemon. The order matters:
 *   1. model at its initial state, telemetry and ports
 *   2. sockets and the ordinary threads of the protocols, before anything is real-time: threads inherit it
 *   3. memory locked
 *   4. loop thread promoted, which chooses the number of workers; workers; telemetry complete
 *   5. the state file says that this run has begun; the gate opens: the loop runs, this thread supervises
 *   6. the loop has ended as ordered: the state file says so
 * A failure at any point undoes the steps before it. */
#include "daemon/run.h"

#include "base/arena.h"
#include "base/build_info.h"
#include "config/setup.h"
#include "daemon/check.h"
#include "daemon/endpoints.h"
#include "daemon/supervisor.h"
#include "frames/writer.h"
#include "journal/report_file.h"
#include "log/log.h"
#include "log/wall_clock.h"
#include "loop/cycle.h"
#include "parameters/param_server.h"
#include "restart/restart.h"
#include "rt/clock.h"
#include "rt/pool.h"
#include "rt/realtime.h"
#include "telemetry/shm.h"
#include "workers/workers_choose.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <ali3/version.h>
#include <errno.h>
#include <math.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
  REST_NS = 200000, /* between timed steps: the workers fall asleep in less, like between two cycles */
};

struct loop {
  struct cycle cycle;
  const struct settings *settings;
  struct pool_config pool; /* configuration of the workers */
  struct choice choice;    /* number of workers, if ali3d is to choose it */
  struct realtime_grant grant;
  pthread_t thread;
  struct loop_thread self;
  sem_t promoted, gate;
  bool started;
  bool may_run; /* true when the gate opens: run; false: leave */
};

struct daemon {
  const struct options *options;
  const struct settings *settings;
  struct supervisor supervisor;
  struct restart restart;
  struct endpoints endpoints;
  struct frames_writer frames;
  struct loop loop;
  struct param_server *param_server;
  struct pool *pool;
  bool supervised; /* the supervisor is open */
  struct report_file report;
};

/* Runs in the loop's thread, so that steps are timed under its conditions. */
static void choose_number(struct loop *l)
{
  const struct choose_plan plan = {
      .pool = l->pool, .most = choose_most(l->pool.first_cpu), .rest_ns = REST_NS};
  choose_workers(l->settings->model, &plan, &l->choice);
  l->pool.workers = l->choice.workers;
}

static void *loop_main(void *arg)
{
  struct loop *l = arg;
  const struct settings *s = l->settings;
  loop_thread_note(&l->self);
  realtime_promote_self(s->realtime.priority, s->realtime.cpu, s->realtime.lock_memory, &l->grant);
  if (l->pool.workers == WORKERS_AUTO) choose_number(l);
  sem_post(&l->promoted);
  while (sem_wait(&l->gate) != 0 && errno == EINTR) continue;
  if (l->may_run) cycle_run(&l->cycle);
  return NULL;
}

static int report_start_failure(const char *what, const char *why)
{
  log_line(LOG_LEVEL_ERROR, "%s%s", what, why);
  return STATUS_FAILED;
}

/* 0: no limit. A duration below the rounding of a period is one period. */
static double periods_of(double duration, double dt)
{
  return duration > 0.0 ? fmax(1.0, ceil(duration / dt - 1e-9)) : 0.0;
}

/* The frame ring, if the file asks for one. */
static bool open_frames(struct daemon *d, char *error, size_t size)
{
  const struct settings *s = d->settings;
  char version[400];
  if (s->frames.seconds <= 0.0) return true;
  /* The texts that recorders and pictures need. */
  char *extras = setup_picture_extras(s), *record = record_settings_text(&s->record);
  snprintf(version, sizeof version, "ali3d " ALI3_VERSION "\n%s", build_info());
  const struct frames_plan plan = {.telemetry = d->endpoints.telemetry,
                                   .model = s->model,
                                   .signals = s->signals,
                                   .period_ns = (uint64_t)llround(s->options.dt * (double)NS_PER_S),
                                   .start_utc = wall_clock_at(d->endpoints.telemetry->start_ns),
                                   .seconds = s->frames.seconds,
                                   .limit_bytes = (uint64_t)(s->frames.limit_mb * 1e6),
                                   .platform_bytes = s->platform.enabled ? PLATFORM_DRIVE_BYTES : 0,
                                   .tuning = s->platform.enabled ? PLATFORM_TUNING : 0,
                                   .version = version,
                                   .config = d->options->file,
                                   .yaml = s->text,
                                   .extras = extras,
                                   .record = record};
  /* The ring copies all of them. */
  const bool made = frames_create(&d->frames, &plan, error, size);
  free(extras);
  free(record);
  return made;
}

static int set_up_model(struct daemon *d)
{
  const struct settings *s = d->settings;
  const uint64_t period_ns = (uint64_t)llround(s->options.dt * (double)NS_PER_S);
  const double periods = periods_of(d->options->duration, s->options.dt);
  const struct cycle_config config = {.model = s->model,
                                      .signals = s->signals,
                                      .port = d->endpoints.port,
                                      .ports = d->endpoints.ports,
                                      .telemetry = d->endpoints.telemetry,
                                      .frames = d->frames.head ? &d->frames : NULL,
                                      .period_ns = period_ns,
                                      .periods = (uint64_t)periods,
                                      .last_run = d->restart.start,
                                      .settings = s->cycle,
                                      .wakeup = d->endpoints.wakeup,
                                      .injection = s->injection,
                                      .injections = s->injections,
                                      .stimulus = s->stimulus,
                                      .stimuli = s->stimuli,
                                      .port_of_stimuli = d->endpoints.param_server,
                                      .platform = s->platform.enabled ? &s->platform : NULL,
                                      .rig = s->rig.enabled ? &s->rig : NULL};
  const int status = cycle_setup(&d->loop.cycle, &config);
  if (status == ALI3_E_MEMORY || status == ALI3_E_ARGUMENT)
    return report_start_failure("", ali3_status_text(status));
  ali3_data *data = d->loop.cycle.plant.data;
  char text[2400], lines[60], why[400]; /* a list of joints may be long */
  ali3_report_text(s->model, data, text, sizeof text);
  settings_drive_lines(s, ali3_data_violation(data), lines, sizeof lines);
  if (text[0])
    log_line(status < 0 ? LOG_LEVEL_ERROR : LOG_LEVEL_INFO, "%s: %s%s", d->options->file, text, lines);
  if (status < 0) return STATUS_USAGE;
  if (setup_rest(s, s->model, data, why, sizeof why) >= 0) return STATUS_OK;
  log_line(LOG_LEVEL_ERROR, "%s: %s", d->options->file, why);
  return STATUS_USAGE;
}

static int open_report(struct daemon *d)
{
  if (report_file_open(&d->report, d->options->report)) return STATUS_OK;
  log_line(LOG_LEVEL_ERROR, "%s: cannot write the report: %s", d->options->report, strerror(errno));
  return STATUS_FAILED;
}

static void append_reason(char *text, size_t size, const char *more)
{
  const size_t used = strlen(text);
  snprintf(text + used, size - used, "%s%s", used ? "; " : "", more);
}

/* Starts the loop's thread and the workers, as real-time as the host allows; they wait at the gate. */
static int go_realtime(struct daemon *d)
{
  struct loop *l = &d->loop;
  const struct settings *s = d->settings;
  char error[320];
  /* Memory and processors first: the loop's thread starts with what was granted. */
  l->pool = (struct pool_config){.workers = s->realtime.workers,
                                 .priority = s->realtime.priority,
                                 .first_cpu = s->realtime.cpu < 0 ? -1 : s->realtime.cpu + 1};
  if (s->realtime.lock_memory) realtime_lock_memory(&l->grant);
  if (s->realtime.wake_limit >= 0 && !realtime_hold_latency(s->realtime.wake_limit, error, sizeof error))
    log_line(LOG_LEVEL_INFO, "processors may take long to wake: %s", error);
  const int status = thread_start_ordinary(&l->thread, "ali3-loop", CYCLE_STACK_KB, loop_main, l);
  if (status) return report_start_failure("the loop's thread cannot be started: ", strerror(status));
  l->started = true;
  while (sem_wait(&l->promoted) != 0 && errno == EINTR) continue;

  if (s->rows[0]) log_line(LOG_LEVEL_INFO, "%s", s->rows);
  if (s->iterations[0]) log_line(LOG_LEVEL_INFO, "%s", s->iterations);
  if (s->realtime.workers == WORKERS_AUTO) {
    char text[160];
    choose_text(&l->choice, text, sizeof text);
    log_line(LOG_LEVEL_INFO, "%s", text);
  }
  /* Workers. If the host refuses real time to one worker, the daemon is not real-time. */
  if (l->pool.workers > 0) {
    d->pool = pool_new(&l->pool, error, sizeof error);
    if (!d->pool) return report_start_failure("", error);
    if (pool_refusal(d->pool)[0]) {
      l->grant.realtime = false;
      append_reason(l->grant.reason, sizeof l->grant.reason, pool_refusal(d->pool));
    }
  }
  if (l->grant.realtime) return STATUS_OK;
  log_line(LOG_LEVEL_WARNING, "NOT REAL-TIME: %s", l->grant.reason);
  if (!d->options->require_realtime) return STATUS_OK;
  log_line(LOG_LEVEL_ERROR,
           "the host refuses real time, which --require-realtime demands: not started; run ali3-doctor");
  return STATUS_NOT_REALTIME;
}

static void name_permissives(struct telemetry *t, const struct settings *s)
{
  const struct rig_spec *spec = &s->rig.spec;
  t->rig = s->rig.enabled;
  t->permissives = s->rig.enabled ? (uint32_t)spec->permissives : 0;
  for (uint32_t i = 0; i < t->permissives; i++)
    snprintf(t->permissive[i], sizeof t->permissive[i], "%s", spec->permissive[i].name);
}

static bool complete_telemetry(struct daemon *d, char *error, size_t size)
{
  struct telemetry *t = d->endpoints.telemetry;
  const struct realtime_grant *grant = &d->loop.grant;
  const ali3_model *m = d->settings->model;
  const struct platform_geometry *geometry = &d->settings->platform.spec.geometry;
  /* Fill in the constant fields; readers wait for telemetry_ready(). */
  t->period_ns = d->loop.cycle.config.period_ns;
  snprintf(t->model, sizeof t->model, "%s", ali3_model_name(m));
  snprintf(t->reason, sizeof t->reason, "%s", grant->reason);
  snprintf(t->isa, sizeof t->isa, "%s", ali3_model_isa(m));
  t->realtime = grant->realtime;
  t->bodies = (uint32_t)ali3_model_bodies(m);
  t->rows = (uint32_t)ali3_model_rows(m);
  t->workers = (uint32_t)d->loop.pool.workers;
  if (d->frames.head) d->frames.head->workers = t->workers;
  t->priority = grant->realtime ? grant->priority : -1;
  t->cpu = grant->cpu;
  t->clocking = d->loop.cycle.config.settings.clock;
  t->platform = d->settings->platform.enabled;
  t->cranks = geometry->crank;
  t->leg_min = geometry->leg_min;
  t->leg_max = geometry->leg_max;
  name_permissives(t, d->settings);
  return telemetry_ready(t, error, size);
}

static bool open_supervisor(struct daemon *d)
{
  struct supervisor *s = &d->supervisor;
  /* Loop, logs and endpoints, then the reload. */
  s->cycle = &d->loop.cycle;
  s->thread = d->loop.self;
  s->thread.cpu = d->loop.grant.cpu;
  s->traces = d->settings->realtime.trace;
  s->workers = d->loop.pool.workers;
  s->miss_log = d->options->miss_log;
  s->miss_log_mb = d->options->miss_log_mb;
  s->restart = &d->restart;
  s->endpoint = d->endpoints.endpoint;
  s->endpoints = ENDPOINTS;
  s->reload.file = d->options->file;
  s->reload.over.isa = d->options->isa;
  s->reload.over.set = d->options->set.text;
  s->reload.over.sets = d->options->set.count;
  s->reload.started = d->settings;
  s->param_server = s->reload.param_server = d->param_server;
  d->supervised = true;
  return supervisor_open(s);
}

/* After a run that did not end by an order nobody continues unasked. */
static int resume_state(struct daemon *d)
{
  const struct options *o = d->options;
  const struct state_settings *s = &d->settings->state;
  const bool clean = d->restart.start.fault == FAULT_NONE && !d->restart.start.disarmed;
  const bool wanted = o->resume || (s->enabled && s->resume == RESUME_IF_CLEAN && clean);
  char error[1400];
  bool found;
  if (!wanted && !(s->enabled && s->resume == RESUME_OFFER)) return STATUS_OK;
  const bool good = param_server_resume(d->param_server, o->resume_file, &found, error, sizeof error);
  /* The log says what happens to the state that was found. */
  if (!wanted) {
    d->loop.cycle.config.resume = false;
    if (good) log_line(LOG_LEVEL_NOTICE, "there is a state to continue from: start with --resume");
  } else if (good && d->restart.start.fault != FAULT_NONE) {
    log_line(LOG_LEVEL_WARNING,
             "not continued from the state, since the last run left a stop latched (%s): send reset, then "
             "load the "
             "state with /ali3/state/load",
             fault_text(d->restart.start.fault));
  } else if (good) {
    log_line(LOG_LEVEL_NOTICE, "continues from a state, after the warm-up, in STOPPED");
  } else if (o->resume) {
    log_line(LOG_LEVEL_ERROR, "--resume: %s", error);
    return STATUS_USAGE;
  } else if (found) {
    log_line(LOG_LEVEL_WARNING, "state not resumed: %s", error);
  }
  return STATUS_OK;
}

static int open_param_server(struct daemon *d)
{
  char error[500];
  const struct param_server_config config = {.cycle = &d->loop.cycle,
                                             .settings = d->settings,
                                             .state_dir = d->options->state_dir,
                                             .port = d->endpoints.param_server,
                                             .served = {endpoints_port_of(&d->endpoints, SOURCE_OSC),
                                                        endpoints_port_of(&d->endpoints, SOURCE_MODBUS)}};
  d->param_server = param_server_open(&config, error, sizeof error);
  return d->param_server ? resume_state(d) : report_start_failure("", error);
}

static int start_daemon(struct daemon *d)
{
  char error[320];
  realtime_flush_denormals(); /* here, too, for the initial state */
  endpoints_list(&d->endpoints, d->settings);
  if (!endpoints_open(&d->endpoints, error, sizeof error) || !open_frames(d, error, sizeof error))
    return report_start_failure("", error);
  const struct restart_ports ports = {d->endpoints.port, d->endpoints.ports,
                                      d->settings->osc.enabled || d->settings->modbus.enabled};
  restart_take(&d->restart, d->settings->instance, &d->endpoints.left, d->options->state_dir, &ports);
  int status = set_up_model(d);
  if (status == STATUS_OK) status = open_param_server(d);
  if (status != STATUS_OK) return status;
  if (!endpoints_start(&d->endpoints, error, sizeof error)) return report_start_failure("", error);
  status = go_realtime(d);
  if (status != STATUS_OK) return status;
  /* Open files now: fail before a long run, not after it. */
  status = open_report(d);
  if (status != STATUS_OK) return status;
  if (!open_supervisor(d)) return STATUS_FAILED;
  cycle_freeze(&d->loop.cycle, d->pool, d->loop.grant.realtime);
  if (!complete_telemetry(d, error, sizeof error)) return report_start_failure("", error);
  status = param_server_start(d->param_server);
  if (status != 0) return report_start_failure("the thread of states cannot be started: ", strerror(status));
  const bool moves_itself = d->settings->platform.enabled && d->settings->cycle.autostart != AUTOSTART_OFF;
  return restart_begin(&d->restart, moves_itself) ? STATUS_OK : STATUS_FAILED;
}

static void log_start(struct daemon *d)
{
  const struct realtime_grant *grant = &d->loop.grant;
  const ali3_model *m = d->settings->model;
  char cpu[24] = "", real_time[96] = "NOT REAL-TIME", open[800];
  if (grant->cpu >= 0) snprintf(cpu, sizeof cpu, " on CPU %d", grant->cpu);
  if (grant->realtime)
    snprintf(real_time, sizeof real_time, "SCHED_FIFO %d%s, %ld MB locked", grant->priority, cpu,
             grant->locked_kb / 1024);
  endpoints_text(&d->endpoints, open, sizeof open);
  log_line(LOG_LEVEL_NOTICE, "model %s (bodies %d, joints %d, rows %d) every %g ms, %s; %s; %s; instance %s",
           ali3_model_name(m), ali3_model_bodies(m), ali3_model_joints(m), ali3_model_rows(m),
           d->settings->options.dt * 1e3, ali3_model_isa(m), real_time, open,
           d->endpoints.telemetry->instance);
  if (d->settings->platform.enabled)
    log_line(LOG_LEVEL_NOTICE,
             "platform outputs are withheld until arm; move the rig to its park pose before you arm");
}

static int finish_run(struct daemon *d)
{
  const struct report report = {.settings = d->settings,
                                .telemetry = d->endpoints.telemetry,
                                .realtime = d->loop.grant.realtime,
                                .reason = d->loop.grant.reason,
                                .final_state = d->supervisor.final_state,
                                .commands_dropped = endpoints_commands_dropped(&d->endpoints)};
  char text[400];
  struct telemetry_live live;
  /* The last state first: the report and the record of the end follow. */
  param_server_end(d->param_server);
  supervisor_note(&d->supervisor);
  if (telemetry_read(d->endpoints.telemetry, &live)) restart_end(&d->restart, &live, report.final_state);
  report_text(&report, text, sizeof text);
  log_line(LOG_LEVEL_NOTICE, "stopped: %s", text);
  if (!report_file_save(&d->report, &report)) {
    log_line(LOG_LEVEL_ERROR, "%s: cannot write the report: %s", d->options->report, strerror(errno));
    return STATUS_FAILED;
  }
  return report.final_state == STATE_FAULT ? STATUS_FAILED : STATUS_OK;
}

static void stop_daemon(struct daemon *d)
{
  struct loop *l = &d->loop;
  if (l->started) {
    sem_post(&l->gate); /* another post does no harm to an open gate */
    pthread_join(l->thread, NULL);
  }
  param_server_stop(d->param_server);
  if (d->supervised) supervisor_close(&d->supervisor);
  restart_close(&d->restart);
  report_file_close(&d->report);
  pool_free(d->pool);
  frames_destroy(&d->frames, d->endpoints.telemetry);
  endpoints_close(&d->endpoints);
  cycle_free(&l->cycle);
  param_server_free(d->param_server);
}

int run(const struct options *o, const struct settings *s)
{
  realtime_one_heap();
  struct daemon *d = aligned_zalloc(sizeof *d);
  if (!d) return report_start_failure("", ali3_status_text(ALI3_E_MEMORY));
  d->options = o;
  d->settings = d->loop.settings = s;
  sem_init(&d->loop.promoted, 0, 0);
  sem_init(&d->loop.gate, 0, 0);
  supervisor_block_signals(&d->supervisor);
  /* All threads wait at the gate. Then the loop runs, and this thread supervises until the loop has ended. */
  int status = start_daemon(d);
  if (status == STATUS_OK) {
    log_start(d);
    d->loop.may_run = true;
    sem_post(&d->loop.gate);
    if (!supervisor_run(&d->supervisor)) {
      log_line(LOG_LEVEL_ERROR, "the loop does not end: exiting without it");
      _exit(STATUS_FAILED);
    }
    status = finish_run(d);
  }
  stop_daemon(d);
  free(d);
  return status;
}
