/* SPDX-License-Identifier: MIT
 * The main thread while the loop runs. It looks every 100 ms at what the loop shows, and never touches it:
 * all it sends is the wish to stop. The watchdog of the service manager is fed only while the cycle counter
 * advances. */
#include "daemon/supervisor.h"

#include "daemon/events.h"
#include "daemon/log.h"
#include "rt/clock.h"

#include <inttypes.h>
#include <string.h>
#include <systemd/sd-daemon.h>

static const uint64_t TICK_NS = NS_PER_S / 10;
static const uint64_t LOG_NS = NS_PER_S;       /* misses are summed up over so long */
static const uint64_t GRACE_NS = 5 * NS_PER_S; /* for the loop to end */

void supervisor_block_signals(struct supervisor *s)
{
  sigemptyset(&s->signals);
  sigaddset(&s->signals, SIGTERM);
  sigaddset(&s->signals, SIGINT);
  struct sigaction hangup;
  if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
    sigaddset(&s->signals, SIGHUP); /* unless nohup asks to outlive the terminal */
  pthread_sigmask(SIG_BLOCK, &s->signals, NULL);
  signal(SIGPIPE, SIG_IGN);
}

static enum log_level level_of(const struct cycle_event *e)
{
  if (e->from == e->to && e->cause != CAUSE_FAULT) return LOG_LEVEL_INFO; /* it was so before */
  if (e->to == STATE_FAULT) return LOG_LEVEL_ERROR;
  return e->to == STATE_SAFE ? LOG_LEVEL_WARNING : LOG_LEVEL_INFO;
}

static void log_events(struct supervisor *s)
{
  const struct cycle_config *g = &s->cycle->config;
  struct cycle_event e;
  while (cycle_next_event(s->cycle, &e)) {
    char text[400];
    event_text(&e, g->model, g->port, text, sizeof text);
    log_line(level_of(&e), "%s", text);
    if (e.cause == CAUSE_EXIT) s->final_state = e.from;
  }
  const uint64_t lost = ring_dropped(&s->cycle->events);
  if (lost != s->events_lost)
    log_line(LOG_LEVEL_WARNING, "%" PRIu64 " events not logged", lost - s->events_lost);
  s->events_lost = lost;
}

static void take_misses(struct supervisor *s)
{
  struct telemetry *t = s->cycle->config.telemetry;
  struct miss m;
  while (cycle_next_miss(s->cycle, &m)) {
    char text[400];
    miss_judge(&m);
    miss_log_write(&t->misses, &m);
    miss_text(&m, &t->book, text, sizeof text);
    log_line(LOG_LEVEL_WARNING, "%s", text);
  }
  atomic_store(&t->misses.lost, ring_dropped(&s->cycle->misses));
}

static void log_misses(struct supervisor *s, const struct telemetry_live *live, uint64_t now)
{
  if (live->misses == s->misses || now - s->misses_ns < LOG_NS) return;
  log_line(LOG_LEVEL_WARNING, "%" PRIu64 " deadline%s missed, %" PRIu64 " so far, longest cycle %.3f ms",
           live->misses - s->misses, live->misses - s->misses == 1 ? "" : "s", live->misses,
           (double)atomic_load(&s->cycle->config.telemetry->book.cycle.max_ns) / 1e6);
  s->misses = live->misses;
  s->misses_ns = now;
}

static void notify_ready(struct supervisor *s)
{
  s->ready = true;
  sd_notify(0, "READY=1");
  log_line(LOG_LEVEL_INFO, "ready: %d warm-up cycles done", s->cycle->config.warmup);
}

static void notify_status(struct supervisor *s, const struct telemetry_live *live, uint64_t now)
{
  if (now - s->status_ns < NS_PER_S) return;
  s->status_ns = now;
  sd_notifyf(0, "STATUS=%s%s at cycle %" PRIu64 ", %" PRIu64 " deadlines missed",
             s->cycle->realtime ? "" : "NOT REAL-TIME: ", run_state_name(live->state), live->cycle,
             live->misses);
}

/* Feeds the watchdog, or says that there is nothing to feed it with. */
static void watch(struct supervisor *s, const struct telemetry_live *live, uint64_t now)
{
  if (live->cycle != s->cycles) {
    if (s->stuck) log_line(LOG_LEVEL_WARNING, "the loop advances again at cycle %" PRIu64, live->cycle);
    s->stuck = false;
    s->cycles = live->cycle;
    s->advanced_ns = now;
    sd_notify(0, "WATCHDOG=1");
  } else if (!s->stuck && now - s->advanced_ns > NS_PER_S + 10 * s->cycle->config.period_ns) {
    s->stuck = true;
    log_line(LOG_LEVEL_ERROR, "the loop has been stuck at cycle %" PRIu64 " for %.1f s", live->cycle,
             (double)(now - s->advanced_ns) / (double)NS_PER_S);
  }
}

static void take_signal(struct supervisor *s)
{
  const struct timespec tick = clock_timespec(TICK_NS);
  const int number = sigtimedwait(&s->signals, NULL, &tick);
  if (number < 0) return;
  log_line(LOG_LEVEL_INFO, "SIG%s: stopping", sigabbrev_np(number));
  if (s->stop_ns == 0) s->stop_ns = clock_now_ns();
  cycle_stop(s->cycle);
}

bool supervisor_run(struct supervisor *s)
{
  const struct cycle_config *g = &s->cycle->config;
  s->advanced_ns = s->status_ns = clock_now_ns();
  struct telemetry_live live = {0};
  while (live.state != STATE_EXIT) {
    take_signal(s);
    log_events(s);
    take_misses(s);
    const uint64_t now = clock_now_ns();
    if (telemetry_read(g->telemetry, &live)) {
      watch(s, &live, now);
      if (!s->ready && live.cycle > (uint64_t)g->warmup) notify_ready(s);
      if (s->ready) log_misses(s, &live, now);
      notify_status(s, &live, now);
    }
    if (s->stop_ns && now - s->stop_ns > GRACE_NS + 2 * g->period_ns) return false;
  }
  sd_notify(0, "STOPPING=1");
  log_events(s); /* those pushed between the last look and the end */
  return true;
}
