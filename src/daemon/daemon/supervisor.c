/* SPDX-License-Identifier: MIT
 * The main thread while the loop runs. It looks at the loop's figures every 20 ms and never touches the loop: it only
 * asks it to stop and to clear its histograms, and declares it stuck.
 *
 *   advances ---- stall_look: STALL_STUCK: declared, ports say SAFE, watchdog not fed ---> STUCK
 *      ^                                                                                     |
 *      |                                                              STALL_OVER: watchdog fed
 *      |                                                                                     v
 *      '---- the loop has taken the declaration, and published SAFE itself ---- advances, ports say SAFE
 *
 * Invariant: after the last frame before the declaration, the ports say SAFE until the loop itself publishes SAFE. */
#include "daemon/supervisor.h"

#include "journal/events.h"
#include "log/log.h"
#include "rt/clock.h"

#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint64_t TICK_NS = NS_PER_S / 50;
static const uint64_t GRACE_NS = 5 * NS_PER_S; /* time for the loop to end */
/* Time to park the platform before, while it moves. */
static const uint64_t PARKS_NS = CYCLE_PARKS_S * NS_PER_S;
static const int EXTEND_S = 5; /* the service manager is asked each second to wait this long */
enum {
  SIGNALS = 64, /* signals per turn: a storm of them must not keep this thread from its work */
  FEEDS = 4,    /* feeds within the service manager's limit */
  CYCLES = 3,   /* cycles until a loop has taken and published a declaration */
};

/* SIGHUP ends the daemon if there is a terminal, because it means that the terminal is gone; else it asks for a reload.
 * Under nohup it does neither. */
void supervisor_block_signals(struct supervisor *s)
{
  struct sigaction hangup;
  sigemptyset(&s->signals);
  sigaddset(&s->signals, SIGTERM);
  sigaddset(&s->signals, SIGINT);
  sigaddset(&s->signals, SIGUSR1);
  sigaddset(&s->signals, SIGCONT);
  if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN) sigaddset(&s->signals, SIGHUP);
  s->hangup_reloads = getenv("NOTIFY_SOCKET") || !isatty(STDIN_FILENO);
  pthread_sigmask(SIG_BLOCK, &s->signals, NULL);
  signal(SIGPIPE, SIG_IGN);
  /* a write beyond the limit of file sizes then fails with EFBIG instead of killing the process */
  signal(SIGXFSZ, SIG_IGN);
}

/* The processors of the loop and of its workers, see pool_config. */
static cpu_set_t traced_cpus(const struct supervisor *s)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  if (s->thread.cpu < 0) {
    (void)sched_getaffinity(s->thread.tid, sizeof set, &set);
    return set;
  }
  for (int i = 0; i <= s->workers && s->thread.cpu + i < CPU_SETSIZE; i++) CPU_SET(s->thread.cpu + i, &set);
  return set;
}

/* Before the loop runs, because it interrupts every processor. Without the trace everything else goes on. */
static void open_tracer(struct supervisor *s)
{
  struct telemetry *t = s->cycle->config.telemetry;
  const cpu_set_t cpus = traced_cpus(s);
  snprintf(t->untraced, sizeof t->untraced, "realtime.trace is false");
  if (!s->traces) return;
  t->traces = tracer_open(&s->tracer, t->instance, &cpus, t->untraced, sizeof t->untraced);
  if (!t->traces) {
    log_line(LOG_LEVEL_WARNING, "no trace, so misses do not name who had the processor: %s", t->untraced);
    return;
  }
  t->untraced[0] = '\0';
  s->misses.tracer = &s->tracer;
  s->misses.loop = s->thread.tid;
  s->misses.loop_cpu = s->thread.cpu;
}

bool supervisor_open(struct supervisor *s)
{
  host_probe_open(&s->probe, s->thread.tid, s->thread.cpu);
  log_limits_init(&s->limits);
  input_log_begin(&s->inputs);
  stray_log_begin(&s->strays);
  condition_log_begin(&s->conditions);
  service_open(&s->service);
  s->reload.service = &s->service;
  s->host.tick_ns = TICK_NS;
  const bool opened = misses_open(&s->misses, &s->cycle->outbox, s->cycle->config.telemetry, &s->host,
                                  s->miss_log, s->miss_log_mb);
  s->misses.frames = s->cycle->config.frames;
  open_tracer(s);
  return ride_log_open(&s->rides, &s->cycle->config) && opened;
}

void supervisor_close(struct supervisor *s)
{
  host_probe_close(&s->probe);
  misses_close(&s->misses);
  tracer_close(&s->tracer);
  ride_log_close(&s->rides);
  reload_close(&s->reload);
  service_close(&s->service);
}

static enum log_level event_level(const struct cycle_event *e)
{
  if (e->cause == CAUSE_PLATFORM_STATE) return e->to == PLATFORM_FAULT ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO;
  if (e->cause == CAUSE_INJECT_SWITCHED || e->cause == CAUSE_INJECT_ACTS) return LOG_LEVEL_WARNING;
  if (e->cause == CAUSE_RIG) return e->rig.cause != RIG_FINE ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO;
  if (e->cause == CAUSE_VIOLATED || e->cause == CAUSE_UNRESOLVED || e->cause == CAUSE_REFUSED)
    return LOG_LEVEL_WARNING;
  if (e->cause == CAUSE_WARM && (e->input >= 0 || e->code != 0)) return LOG_LEVEL_WARNING;
  if (e->from == e->to && e->cause != CAUSE_FAULT) return LOG_LEVEL_INFO; /* the state did not change */
  if (e->to == STATE_FAULT) return LOG_LEVEL_ERROR;
  return e->to == STATE_SAFE ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO;
}

/* Returns the kind of an event that clients can repeat at will; -1 for an event that stops the motion or happens once. */
static int event_kind(const struct cycle_event *e)
{
  const bool stops = e->to == STATE_SAFE || e->to == STATE_FAULT;
  switch (e->cause) {
  case CAUSE_COMMAND:
  case CAUSE_REFUSED:
    /* A command that stops the motion is always logged. */
    return e->from != e->to && stops ? -1 : log_kind_of_command(e->code);
  case CAUSE_PLATFORM_STATE:
    return e->to == PLATFORM_FAULT ? -1 : LOG_KIND_PLATFORM_STATE;
  case CAUSE_PLATFORM_SET:
    return LOG_KIND_PLATFORM_SET;
  case CAUSE_INJECT_SWITCHED:
  case CAUSE_INJECT_ACTS:
    return LOG_KIND_INJECTION;
  case CAUSE_RIG:
    return LOG_KIND_RIG;
  case CAUSE_VIOLATED:
  case CAUSE_UNRESOLVED:
    return LOG_KIND_VIOLATED;
  default:
    return -1;
  }
}

static void tell_ring_of_event(struct supervisor *s, const struct cycle_event *e, const char *text,
                               uint64_t now)
{
  const struct frames_event event = {
      .cycle = e->cycle, .t_ns = now, .kind = FRAMES_EVENT_STATE, .code = e->cause, .a = e->from, .b = e->to};
  frames_tell(s->cycle->config.frames, &event, text);
}

static void log_events(struct supervisor *s, uint64_t now)
{
  const struct cycle_config *g = &s->cycle->config;
  struct cycle_event e;
  /* Events that stop the motion are always logged; events that clients can repeat are limited. */
  while (outbox_next_event(&s->cycle->outbox, &e)) {
    char text[LOG_LIMIT_TEXT];
    event_text(&e, g, text, sizeof text);
    tell_ring_of_event(s, &e, text, now);
    const int kind = event_kind(&e);
    if (kind >= 0)
      log_limited(&s->limits, (unsigned)kind, event_level(&e), now, "%s", text);
    else
      log_line(event_level(&e), "%s", text);
    ride_log_event(&s->rides, &e, text);
    s->reload.platform_set |= e.cause == CAUSE_PLATFORM_SET;
    if (e.cause == CAUSE_EXIT) s->final_state = e.from;
  }
  ride_log_tick(&s->rides, &s->cycle->outbox);
  const uint64_t lost = ring_dropped(&s->cycle->outbox.events);
  if (lost != s->events_lost)
    log_limited(&s->limits, LOG_KIND_EVENTS_LOST, LOG_LEVEL_WARNING, now,
                "%" PRIu64 " events not logged, %" PRIu64 " since the start", lost - s->events_lost, lost);
  s->events_lost = lost;
}

void supervisor_note(struct supervisor *s)
{
  struct param_server_note note;
  const uint64_t now = clock_now_ns();
  while (param_server_next_note(s->param_server, &note)) {
    note.event.t_ns = now;
    if (note.event.kind) frames_tell(s->cycle->config.frames, &note.event, note.text);
    if (note.level >= 0)
      log_limited(&s->limits, note.level == LOG_LEVEL_INFO ? LOG_KIND_PARAMETERS : LOG_KIND_REFUSALS,
                  (enum log_level)note.level, now, "%s", note.text);
  }
  const uint64_t lost = param_server_lost_notes(s->param_server);
  if (lost != s->notes_lost)
    log_limited(&s->limits, LOG_KIND_EVENTS_LOST, LOG_LEVEL_WARNING, now,
                "%" PRIu64 " reports of states and parameters lost, %" PRIu64 " since the start",
                lost - s->notes_lost, lost);
  s->notes_lost = lost;
}

static void look_around(struct supervisor *s, uint64_t now)
{
  struct host_sample sample = {.continued = s->continued, .continued_since_ns = s->continued_since_ns};
  s->continued = false;
  host_probe_read(&s->probe, &sample);
  const struct host_interval *t = host_history_add(&s->host, &sample);
  if (t->wall_step_ns)
    log_limited(&s->limits, LOG_KIND_HOST, LOG_LEVEL_INFO, now,
                "wall clock set by %+.3f s; ali3d does not depend on it",
                (double)t->wall_step_ns / (double)NS_PER_S);
  if (t->asleep_ns)
    log_line(LOG_LEVEL_WARNING, "the machine was suspended for %.1f s",
             (double)t->asleep_ns / (double)NS_PER_S);
  if (t->stopped_ns)
    log_limited(&s->limits, LOG_KIND_HOST, LOG_LEVEL_WARNING, now,
                "SIGCONT: the process was stopped for %.3f s", (double)t->stopped_ns / (double)NS_PER_S);
}

/* Serial lines are numbered through all endpoints, in one order. */
static void look_at_lines(struct supervisor *s, uint64_t now)
{
  int number = 0;
  for (int i = 0; i < s->endpoints; i++) {
    const struct endpoint *e = &s->endpoint[i];
    struct endpoint_line line;
    for (int k = 0; endpoint_runs(e) && e->protocol->line && e->protocol->line(e, k, &line); k++)
      device_log_line(&s->devices, number++, line.who, line.path, line.lost, now);
  }
}

/* The end of the warm-up may have come after the events of this tick were logged: its lines stand in the log before
 * anybody is told. */
static void notify_ready(struct supervisor *s, uint64_t now)
{
  log_events(s, now);
  s->ready = true;
  service_change(&s->service, "READY=1");
  log_line(LOG_LEVEL_INFO, "ready: %d warm-up cycles done", s->cycle->config.settings.warmup);
}

static void notify_status(struct supervisor *s, const struct telemetry_live *live, uint64_t now)
{
  if (now - s->status_ns < NS_PER_S) return;
  s->status_ns = now;
  char text[200];
  snprintf(text, sizeof text, "STATUS=%s%s%s at cycle %" PRIu64 ", misses %" PRIu64,
           s->cycle->realtime ? "" : "NOT REAL-TIME: ", s->stall.stuck ? "LOOP STUCK, was " : "",
           run_state_name(live->state), live->cycle, live->misses);
  (void)service_tell(&s->service, text);
  if (!s->parks) return;
  snprintf(text, sizeof text, "EXTEND_TIMEOUT_USEC=%d", EXTEND_S * 1000000);
  (void)service_tell(&s->service, text);
}

static void show_stuck(struct supervisor *s, uint32_t fault)
{
  const struct cycle_config *g = &s->cycle->config;
  for (int p = 0; p < g->ports; p++) port_show_stuck(g->port[p], fault);
  s->shown_stuck = fault != FAULT_NONE;
}

static void declare_stuck(struct supervisor *s, const struct telemetry_live *live)
{
  char doing[200];
  cycle_declare_stuck(s->cycle);
  show_stuck(s, FAULT_STUCK);
  s->stuck_cycle = live->cycle;
  loop_thread_text(&s->thread, doing, sizeof doing);
  log_line(LOG_LEVEL_ERROR, "loop stuck at cycle %" PRIu64 " for %.3f s (%s); reporting SAFE to clients; %s",
           live->cycle, (double)s->stall.stood_ns / (double)NS_PER_S, run_state_name(live->state), doing);
}

/* `pending` must be read before `live`: once the loop has taken the declaration, live is of that cycle or a later one. */
static bool has_taken_it(const struct supervisor *s, const struct telemetry_live *live, bool pending)
{
  return !pending && (live->waiting || live->over || live->cycle >= s->stuck_cycle + CYCLES);
}

static void watch_loop(struct supervisor *s, const struct telemetry_live *live, bool pending, uint64_t now)
{
  const uint64_t ran = loop_thread_ran_ns(&s->thread);
  const uint64_t since = ran > s->ran_ns ? ran - s->ran_ns : 0;
  s->ran_ns = ran;
  switch (stall_look(&s->stall, live, since, now)) {
  case STALL_STUCK:
    declare_stuck(s, live);
    return;
  case STALL_OVER:
    log_line(LOG_LEVEL_WARNING, "the loop advances again, at cycle %" PRIu64 " after %.3f s", live->cycle,
             (double)s->stall.stood_ns / (double)NS_PER_S);
    break;
  case STALL_NOTHING:
    break;
  }
  if (s->shown_stuck) show_stuck(s, has_taken_it(s, live, pending) ? FAULT_NONE : FAULT_STUCK);
}

/* By the clock, not by cycles: a period may be longer than the service manager's limit. */
static void feed_watchdog(struct supervisor *s, uint64_t now)
{
  if (s->feed_ns == 0 || s->stall.stuck || now - s->fed_ns < s->feed_ns) return;
  if (service_tell(&s->service, "WATCHDOG=1")) s->fed_ns = now;
}

static void hang_up(struct supervisor *s)
{
  log_limited(&s->limits, LOG_KIND_SIGNAL, LOG_LEVEL_INFO, clock_now_ns(), "SIGHUP: rereading %s",
              s->reload.file);
  miss_file_reopen(&s->misses.file);
  reload_ask(&s->reload);
}

/* A second signal does not wait for the platform to park. */
static void stop_loop(struct supervisor *s, int number)
{
  const bool parks = s->cycle->config.platform, again = s->stop_ns > 0;
  log_line(LOG_LEVEL_INFO, "SIG%s%s: stopping%s", sigabbrev_np(number), again ? " again" : "",
           parks && again ? " at once, without parking the platform" : "");
  if (!again) s->stop_ns = clock_now_ns();
  if (!again || s->parks) s->waits_ns = s->waited_ns = clock_now_ns();
  s->parks = parks && !again;
  if (again)
    cycle_stop_at_once(s->cycle);
  else
    cycle_stop(s->cycle);
}

static void take_signal(struct supervisor *s, int number)
{
  if (number == SIGCONT) {
    if (!s->continued) s->continued_since_ns = s->quiet_ns;
    s->continued = true;
  } else if (number == SIGUSR1) {
    log_limited(&s->limits, LOG_KIND_SIGNAL, LOG_LEVEL_INFO, clock_now_ns(),
                "SIGUSR1: maxima and distributions cleared");
    cycle_clear_book(s->cycle);
  } else if (number == SIGHUP && s->hangup_reloads) {
    hang_up(s);
  } else {
    stop_loop(s, number);
  }
}

/* Sleeps for a tick or until a signal comes, then takes all waiting signals, up to the limit of a turn. A stop of the
 * process ends the sleep with EINTR and leaves SIGCONT behind. */
static void take_signals(struct supervisor *s)
{
  struct timespec wait = clock_timespec(TICK_NS);
  for (int turn = 0; turn < SIGNALS; turn++) {
    const uint64_t before = clock_now_ns();
    const bool waits = wait.tv_nsec > 0;
    const int number = sigtimedwait(&s->signals, NULL, &wait);
    wait = (struct timespec){0};
    if (number > 0) {
      take_signal(s, number);
    } else if (errno != EINTR && !waits) { /* no signal waits: a later SIGCONT comes after this time */
      s->quiet_ns = before;
      return;
    }
  }
}

/* The loop was asked to end and neither ends nor parks the platform. While this thread was stopped, the loop may have
 * been stopped, too. */
static bool is_overdue(struct supervisor *s, const struct telemetry_live *live, uint64_t now)
{
  if (s->stop_ns == 0) return false;
  if (s->parks && live->cycle != s->parks_cycle && now - s->stop_ns <= PARKS_NS)
    s->waits_ns = now;
  else if (now - s->waited_ns > NS_PER_S)
    s->waits_ns += now - s->waited_ns;
  s->parks_cycle = live->cycle;
  s->waited_ns = now;
  return now - s->waits_ns > GRACE_NS + 2 * s->cycle->config.period_ns;
}

static void begin_watch(struct supervisor *s)
{
  const uint64_t now = clock_now_ns();
  s->feed_ns = service_watchdog_ns() / FEEDS;
  s->status_ns = now;
  stall_begin(&s->stall, s->cycle->config.period_ns, TICK_NS, now);
}

bool supervisor_run(struct supervisor *s)
{
  const struct cycle_config *g = &s->cycle->config;
  struct telemetry_live live = {0};
  bool seen = false;
  begin_watch(s);
  while (!live.over) {
    take_signals(s);
    const uint64_t now = clock_now_ns();
    log_limits_tick(&s->limits, now, false);
    look_around(s, now);
    log_events(s, now);
    supervisor_note(s);
    misses_tick(&s->misses, now);
    device_log_tick(&s->devices, g->telemetry, now);
    input_log_tick(&s->inputs, g, now);
    stray_log_tick(&s->strays, g, now);
    condition_log_tick(&s->conditions, g, now);
    look_at_lines(s, now);
    if (g->frames) recorder_log_tick(&s->recorder, g->telemetry, &s->limits, now);
    const bool pending = atomic_load_explicit(&s->cycle->inbox.stuck, memory_order_acquire);
    struct telemetry_live fresh; /* stays torn if the loop is stuck while it writes */
    if (telemetry_read(g->telemetry, &fresh)) {
      live = fresh;
      seen = true;
    }
    watch_loop(s, &live, pending, now);
    if (seen) restart_tick(s->restart, &live, s->shown_stuck, now);
    if (!s->ready && live.cycle > (uint64_t)g->settings.warmup) notify_ready(s, now);
    if (s->ready) reload_tick(&s->reload, s->cycle, now);
    service_tick(&s->service, now);
    notify_status(s, &live, now);
    feed_watchdog(s, now);
    if (is_overdue(s, &live, now)) return false;
  }
  service_change(&s->service, "STOPPING=1");
  log_events(s, clock_now_ns()); /* events between the last tick and the end */
  log_limits_tick(&s->limits, clock_now_ns(), true);
  misses_end(&s->misses, clock_now_ns());
  return true;
}
