/* SPDX-License-Identifier: MIT
 * How a daemon is led to the start of a run: it runs, is reset, and sends its streams. */
#include "osc.h"

#include "rt/clock.h"

#include <poll.h>
#include <string.h>

/* Asks again and again until `done` says so. False when the patience is over, or *stop is set. */
static bool ask_until(struct participant *p, void (*ask)(struct participant *),
                      bool (*done)(const struct daemon *), double patience, const volatile int *stop)
{
  const uint64_t patience_ns = (uint64_t)(patience * (double)NS_PER_S);
  uint64_t silent_ns = 0, ask_ns = 0, last_ns = clock_now_ns();
  while (!*stop && !done(daemon_of(p))) {
    silent_ns += count_look(&last_ns);
    if (silent_ns >= patience_ns) return false;
    if (last_ns >= ask_ns) {
      ask(p);
      ask_ns = last_ns + NS_PER_S / 20;
    }
    struct pollfd wait = {.fd = p->fd, .events = POLLIN};
    poll(&wait, 1, 10);
    if (!osc_take(p)) return false;
  }
  return !*stop;
}

static void ask_status(struct participant *p)
{
  struct osc_writer w;
  osc_bundle_begin(daemon_of(p));
  osc_begin_message(daemon_of(p), &w, "status", "");
  osc_bundle_add(daemon_of(p), &w);
  osc_bundle_send(p);
}

static bool is_in_running(const struct daemon *d)
{
  return strcmp(d->status, "RUNNING") == 0;
}

static bool has_answered(const struct daemon *d)
{
  return *d->status != '\0';
}

static void ask_reset(struct participant *p)
{
  struct osc_writer w;
  osc_bundle_begin(daemon_of(p));
  osc_begin_message(daemon_of(p), &w, "cmd/reset", "i");
  osc_write_i(&w, daemon_of(p)->request);
  osc_bundle_add(daemon_of(p), &w);
  osc_bundle_send(p);
}

static bool has_result(const struct daemon *d)
{
  return d->result >= 0;
}

static bool fail_silent(struct participant *p, const char *what)
{
  if (p->progress == FAILED) return false;
  p->progress = WAITS; /* silent, and not refusing */
  snprintf(p->trouble, sizeof p->trouble, "%s", what);
  return false;
}

static bool wait_until_it_runs(struct participant *p, double patience, const volatile int *stop)
{
  struct daemon *d = daemon_of(p);
  d->status[0] = '\0';
  if (ask_until(p, ask_status, is_in_running, patience, stop)) return true;
  if (*d->status && !*stop)
    return participant_fail(p, "it is in %s, and expected in RUNNING; send it arm and run, or reset",
                            d->status);
  return fail_silent(p, "no answer");
}

/* In lockstep it runs, and is reset if that is asked for. In real time it goes on as it likes. */
static bool lead_to_start(struct participant *p, double patience, bool reset, const volatile int *stop)
{
  struct daemon *d = daemon_of(p);
  if (p->paced) return ask_until(p, ask_status, has_answered, patience, stop) || fail_silent(p, "no answer");
  if (!wait_until_it_runs(p, patience, stop)) return false;
  if (!reset) return true;
  d->result = -1;
  if (!ask_until(p, ask_reset, has_result, patience, stop)) return fail_silent(p, "no answer to reset");
  return d->result == 0 || participant_fail(p, "it refuses reset: %s", osc_result_text(d->result));
}

bool osc_start(struct participant *p, double patience, bool reset, const volatile int *stop)
{
  struct daemon *d = daemon_of(p);
  /* The numbers of this socket begin at 1. */
  d->request = 1;
  if (!lead_to_start(p, patience, reset, stop)) return false;
  d->answer_ns = NS_PER_S / 100;
  d->result = -1;
  if (d->streams && !ask_until(p, osc_subscribe, has_result, patience, stop))
    return fail_silent(p, "no answer to sub");
  if (d->result > 0) return participant_fail(p, "it refuses a subscription: %s", osc_result_text(d->result));
  return true;
}
