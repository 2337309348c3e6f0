/* SPDX-License-Identifier: MIT
 * FMUs beside a daemon in real time. The frames of the daemon are the clock: an FMU makes a communication step when a frame
 * comes, and its outputs go to the inputs of the daemon, whose age, policy and limits act. The daemon waits for nothing here. An
 * FMU that hangs or ends is reported; its inputs are not sent any more, so they go stale.
 *
 * An input message is sent only if all its values are fresh. Otherwise a value of an FMU that hangs would stay fresh beside a
 * value of another one. */
#include "osc.h"

#include "rt/clock.h"

#include <math.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>

static const uint64_t RENEWAL_NS = 2 * NS_PER_S;

struct pace {
  struct link *link;
  const struct run_options *options;
  struct participant *daemon;
  struct pollfd *poll; /* (participants) */
  uint64_t *begun_ns;  /* (participants) begin of the last step */
  int *sink;           /* (connections) message of the daemon that carries it; -1: it goes to an FMU */
  bool *due;           /* (connections) by message: to be sent now */
  uint64_t next_cycle; /* the frame that begins a step */
  uint64_t subscribed_ns;
  uint64_t refusals; /* reported ones */
  struct record *record;
  struct run_end end;
};

/* --- inputs of the daemon --- */

/* The last value of the participant belongs to the newest frame that it could take. */
static bool is_live(const struct pace *r, const struct participant *p)
{
  return p == r->daemon || p->progress == DONE;
}

/* Sends the messages that have a value of this participant; NULL: all. */
static void send_inputs_from(struct pace *r, const struct participant *from)
{
  const struct link *l = r->link;
  bool any = false;
  for (int i = 0; i < l->connections; i++) r->due[i] = false;
  for (int i = 0; i < l->connections; i++)
    if (r->sink[i] >= 0 && (!from || l->connection[i].from == from)) r->due[r->sink[i]] = any = true;
  for (int i = 0; i < l->connections; i++)
    if (r->sink[i] >= 0 && !is_live(r, l->connection[i].from)) r->due[r->sink[i]] = false;
  if (!any) return;
  link_carry(r->link, r->daemon);
  osc_send_inputs(r->daemon, r->due);
}

/* --- frames --- */

static bool frame_is_complete(const struct participant *p)
{
  const struct daemon *d = (const struct daemon *)p->state;
  for (int i = 0; i < p->out.count; i++)
    if (p->out.slot[i].cycle != d->head_cycle) return false;
  return d->head_cycle > 0;
}

/* A frame whose communication step begins now. The FMUs stand still while the daemon does not run; their last values stay
 * fresh, so that required inputs let it start. */
static bool begin_by_frame(struct pace *r)
{
  struct link *l = r->link;
  struct daemon *d = daemon_of(r->daemon);
  r->next_cycle = d->head_cycle + (uint64_t)r->daemon->steps;
  r->daemon->known = true;
  r->daemon->time = d->head_time;
  if (d->head_state != STATE_RUNNING) {
    send_inputs_from(r, NULL);
    return true;
  }
  /* All FMUs begin with the values of this frame. */
  for (int i = 0; i < l->participants; i++) {
    struct participant *p = &l->participant[i];
    if (p == r->daemon || p->progress == FAILED) continue;
    p->skipped += p->progress == WAITS;
    if (p->progress == WAITS) continue;
    link_carry(l, p);
    r->begun_ns[i] = clock_now_ns();
    p->silent_ns = 0;
    p->kind->begin(p);
  }
  send_inputs_from(r, r->daemon);
  r->end.steps++;
  return !r->record || record_row(r->record, d->head_time);
}

/* --- participants --- */

/* A step that has taken longer than the patience is reported once, and its end, too. */
static void take_fmu_answer(struct pace *r, int i)
{
  struct participant *p = &r->link->participant[i];
  const double took_s = (double)(clock_now_ns() - r->begun_ns[i]) * 1e-9;
  const enum progress progress = p->kind->receive(p);
  if (progress == WAITS) return;
  if (progress == FAILED) {
    fprintf(stderr, "ali3-link: %s: %s; its outputs are not sent any more\n", p->name, p->trouble);
    return;
  }
  p->answers++;
  p->longest_s = fmax(p->longest_s, took_s);
  if (p->reported)
    fprintf(stderr, "ali3-link: %s: answers again after %.3g s; its outputs are sent again\n", p->name,
            took_s);
  p->reported = false;
  send_inputs_from(r, p);
}

/* Adds the silence since the last look. False: the daemon has been silent for too long. */
static bool count_silence(struct pace *r, uint64_t silent_ns)
{
  const uint64_t patience_ns = (uint64_t)(r->link->patience * (double)NS_PER_S);
  for (int i = 0; i < r->link->participants; i++) {
    struct participant *p = &r->link->participant[i];
    if (p != r->daemon && p->progress != WAITS) continue;
    p->silent_ns += silent_ns;
    if (p->silent_ns <= patience_ns || p->reported) continue;
    p->reported = true;
    if (p == r->daemon) return false;
    fprintf(stderr, "ali3-link: %s: %s; its outputs are not sent meanwhile\n", p->name, p->trouble);
  }
  return true;
}

/* False: the run is over, because the daemon refuses its frames. */
static bool take_daemon_messages(struct pace *r)
{
  struct participant *p = r->daemon;
  struct daemon *d = daemon_of(p);
  const uint64_t before = d->head_cycle;
  if (!osc_take(p)) return false;
  if (d->head_cycle != before) p->silent_ns = 0;
  if (d->result > 0) return participant_fail(p, "it refuses a subscription: %s", osc_result_text(d->result));
  if (d->refusals && !r->refusals)
    fprintf(stderr, "ali3-link: %s: another client owns an input, or its file does not let this host write\n",
            p->name);
  r->refusals = d->refusals;
  /* After a restart of the daemon its cycles begin anew. */
  if (d->head_cycle + (uint64_t)p->steps < r->next_cycle) r->next_cycle = d->head_cycle;
  return d->head_cycle < r->next_cycle || !frame_is_complete(p) || begin_by_frame(r);
}

static bool any_fmu_lives(const struct pace *r)
{
  for (int i = 0; i < r->link->participants; i++) {
    const struct participant *p = &r->link->participant[i];
    if (p != r->daemon && p->progress != FAILED) return true;
  }
  return false;
}

/* --- the run --- */

static void blame_in_pace(struct pace *r, const struct participant *p, int status)
{
  if (r->end.culprit) return;
  r->end.culprit = p;
  r->end.status = status;
}

/* One look at all participants. False: the run is over. */
static bool watch_all(struct pace *r, uint64_t *last_ns)
{
  struct link *l = r->link;
  const struct timespec wait = clock_timespec(LOOK_NS);
  for (int i = 0; i < l->participants; i++) {
    const struct participant *p = &l->participant[i];
    const bool lost = p != r->daemon && p->progress == FAILED;
    r->poll[i] = (struct pollfd){.fd = lost ? -1 : p->fd, .events = POLLIN}; /* also sees an idle FMU end */
  }
  if (ppoll(r->poll, (nfds_t)l->participants, &wait, NULL) < 0)
    for (int i = 0; i < l->participants; i++) r->poll[i].revents = 0;
  const uint64_t silent_ns = count_look(last_ns);
  /* Answers first: they are of an older frame. */
  for (int i = 0; i < l->participants; i++)
    if (r->poll[i].revents && &l->participant[i] != r->daemon) take_fmu_answer(r, i);
  for (int i = 0; i < l->participants; i++)
    if (r->poll[i].revents && &l->participant[i] == r->daemon && !take_daemon_messages(r)) {
      blame_in_pace(r, r->daemon, LINK_FAILED);
      return false;
    }
  if (*last_ns > r->subscribed_ns + RENEWAL_NS) {
    osc_subscribe(r->daemon);
    r->subscribed_ns = *last_ns;
  }
  if (!count_silence(r, silent_ns)) {
    blame_in_pace(r, r->daemon, LINK_SILENT);
    return false;
  }
  return any_fmu_lives(r);
}

static bool start_in_pace(struct pace *r)
{
  struct link *l = r->link;
  /* FMUs first, because their initialization may take its time. */
  for (int turn = 0; turn < 2; turn++)
    for (int i = 0; i < l->participants && !*r->options->stop; i++) {
      struct participant *p = &l->participant[i];
      if ((p == r->daemon) != (turn == 1) || p->kind->start(p, l->patience, false, r->options->stop))
        continue;
      if (!*r->options->stop) blame_in_pace(r, p, p->progress == FAILED ? LINK_FAILED : LINK_SILENT);
      return false;
    }
  return !*r->options->stop;
}

static void run_in_pace(struct pace *r)
{
  const uint64_t begin_ns = clock_now_ns();
  uint64_t last_ns = begin_ns;
  r->subscribed_ns = begin_ns;
  r->daemon->silent_ns = 0;
  while (r->end.steps < r->options->steps && !*r->options->stop && watch_all(r, &last_ns)) continue;
  /* The status tells of FMUs that did not reach the end. */
  for (int i = 0; i < r->link->participants; i++) {
    const struct participant *p = &r->link->participant[i];
    if (p == r->daemon) continue;
    if (p->progress == FAILED) blame_in_pace(r, p, LINK_FAILED);
    if (p->progress == WAITS && p->reported) blame_in_pace(r, p, LINK_SILENT);
  }
  r->end.wall_s = (double)(clock_now_ns() - begin_ns) * 1e-9;
}

static bool prepare_pace(struct pace *r)
{
  const struct link *l = r->link;
  const size_t n = (size_t)l->participants, wires = (size_t)l->connections + 1;
  r->poll = calloc(n, sizeof *r->poll);
  r->begun_ns = calloc(n, sizeof *r->begun_ns);
  r->sink = calloc(wires, sizeof *r->sink);
  r->due = calloc(wires, sizeof *r->due);
  if (!r->poll || !r->begun_ns || !r->sink || !r->due) {
    fputs("ali3-link: out of memory\n", stderr);
    return false;
  }
  for (int i = 0; i < l->participants; i++)
    if (l->participant[i].kind == &osc_kind) r->daemon = &l->participant[i];
  for (int i = 0; i < l->connections; i++) {
    const struct connection *c = &l->connection[i];
    r->sink[i] = c->to == r->daemon ? osc_sink_of(c->to, c->in) : -1;
  }
  return !r->options->record || (r->record = record_open(r->options->record, l));
}

int link_run_frames(struct link *l, const struct run_options *o)
{
  struct pace r = {.link = l, .options = o};
  bool good = prepare_pace(&r);
  if (good && start_in_pace(&r)) run_in_pace(&r);
  if (r.record && !record_close(r.record)) good = false;
  if (good) {
    r.end.time = (double)r.end.steps * l->step;
    report_end_of_run(l, &r.end, o->json);
  }
  free(r.poll);
  free(r.begun_ns);
  free(r.sink);
  free(r.due);
  return good ? r.end.status : LINK_FAILED;
}
