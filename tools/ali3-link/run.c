/* SPDX-License-Identifier: MIT
 * The exchange: values go along the wires, participants make a communication step, and so on. */
#include "link.h"

#include "rt/clock.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct run {
  struct link *link;
  const struct run_options *options;
  struct participant **turn; /* (participants) those that make a step at one time */
  struct pollfd *poll;       /* (participants) */
  struct record *record;
  struct run_end end;
};

uint64_t count_look(uint64_t *last_ns)
{
  const uint64_t now_ns = clock_now_ns(), passed_ns = now_ns - *last_ns;
  *last_ns = now_ns;
  return passed_ns < LOOK_NS ? passed_ns : LOOK_NS;
}

/* --- a step --- */

static int count_waiting(struct participant *const *turn, int count)
{
  int n = 0;
  for (int i = 0; i < count; i++) n += turn[i]->progress == WAITS;
  return n;
}

/* Sleeps until an answer comes or a question is due. */
static void sleep_for_answers(struct run *r, int count)
{
  const uint64_t now_ns = clock_now_ns();
  uint64_t until_ns = now_ns + LOOK_NS;
  for (int i = 0; i < count; i++) {
    const struct participant *p = r->turn[i];
    r->poll[i] = (struct pollfd){.fd = p->progress == WAITS ? p->fd : -1, .events = POLLIN};
    if (p->progress == WAITS && p->again_ns < until_ns) until_ns = p->again_ns;
  }
  const struct timespec wait = clock_timespec(until_ns > now_ns ? until_ns - now_ns : 0);
  if (ppoll(r->poll, (nfds_t)count, &wait, NULL) < 0)
    for (int i = 0; i < count; i++) r->poll[i].revents = 0;
}

/* The participant that ended the run. */
static bool blame_participant(struct run *r, const struct participant *p, int status)
{
  r->end.culprit = p;
  r->end.status = status;
  return false;
}

/* Begins a communication step of these participants, and waits until all have made it. */
static bool make_step(struct run *r, int count)
{
  for (int i = 0; i < count; i++) {
    r->turn[i]->silent_ns = 0;
    r->turn[i]->kind->begin(r->turn[i]);
  }
  /* Answers, repeats and silence. */
  uint64_t last_ns = clock_now_ns();
  const uint64_t patience_ns = (uint64_t)(r->link->patience * (double)NS_PER_S);
  while (count_waiting(r->turn, count) > 0 && !*r->options->stop) {
    sleep_for_answers(r, count);
    const uint64_t silent_ns = count_look(&last_ns);
    for (int i = 0; i < count; i++) {
      struct participant *p = r->turn[i];
      if (p->progress != WAITS) continue;
      p->silent_ns += silent_ns;
      if (r->poll[i].revents && p->kind->receive(p) == FAILED) return blame_participant(r, p, LINK_FAILED);
      if (p->progress != WAITS) continue;
      if (p->silent_ns > patience_ns) return blame_participant(r, p, LINK_SILENT);
      if (last_ns < p->again_ns) continue;
      p->kind->again(p);
      r->end.repeats++;
    }
  }
  return !*r->options->stop;
}

/* jacobi: all at once, with values after the last step. gauss_seidel: one after the other, with the newest values. */
static bool make_exchange(struct run *r)
{
  struct link *l = r->link;
  if (l->order == JACOBI) {
    for (int i = 0; i < l->participants; i++) r->turn[i] = &l->participant[i];
    link_carry(l, NULL);
    return make_step(r, l->participants);
  }
  for (int i = 0; i < l->participants; i++) {
    r->turn[0] = &l->participant[i];
    link_carry(l, r->turn[0]);
    if (!make_step(r, 1)) return false;
  }
  return true;
}

/* --- the run --- */

static bool start_all(struct run *r)
{
  struct link *l = r->link;
  for (int i = 0; i < l->participants && !*r->options->stop; i++) {
    struct participant *p = &l->participant[i];
    if (p->kind->start(p, l->patience, l->reset, r->options->stop)) continue;
    if (!*r->options->stop) blame_participant(r, p, p->progress == FAILED ? LINK_FAILED : LINK_SILENT);
    return false;
  }
  return true;
}

/* A network may carry a copy of a reset for a while, which must not come between steps. An input belongs to the client of an
 * earlier run until that client has been silent for 1 s. */
static void let_settle(const struct link *l, const volatile int *stop)
{
  int daemons = 0;
  for (int i = 0; i < l->participants; i++) daemons += l->participant[i].kind == &osc_kind;
  if (daemons == 0) return;
  for (int i = 0; i < 24 && !*stop; i++) clock_sleep_until_ns(clock_now_ns() + NS_PER_S / 20);
}

static void show_steps(const struct run *r, uint64_t *shown_ns, bool last)
{
  const uint64_t now_ns = clock_now_ns();
  if (r->options->quiet || !isatty(STDERR_FILENO) || (!last && now_ns < *shown_ns + NS_PER_S / 5)) return;
  *shown_ns = now_ns;
  fprintf(stderr, "\rt %.3f s, %llu steps, %llu repeats  %s", (double)r->end.steps * r->link->step,
          (unsigned long long)r->end.steps, (unsigned long long)r->end.repeats, last ? "\n" : "");
}

static void run_steps(struct run *r)
{
  uint64_t shown_ns = 0;
  const uint64_t begin_ns = clock_now_ns();
  while (r->end.steps < r->options->steps && !*r->options->stop) {
    if (!make_exchange(r)) break;
    r->end.steps++;
    if (r->record && !record_row(r->record, (double)r->end.steps * r->link->step)) {
      r->end.status = LINK_FAILED;
      break;
    }
    show_steps(r, &shown_ns, false);
  }
  show_steps(r, &shown_ns, true);
  r->end.wall_s = (double)(clock_now_ns() - begin_ns) * 1e-9;
}

int link_run(struct link *l, const struct run_options *o)
{
  struct run r = {.link = l, .options = o};
  r.turn = calloc((size_t)l->participants, sizeof *r.turn);
  r.poll = calloc((size_t)l->participants, sizeof *r.poll);
  if (!r.turn || !r.poll) fputs("ali3-link: out of memory\n", stderr);
  bool good = r.turn && r.poll;
  /* The run itself; its end is reported in any case. */
  if (good && o->record) good = (r.record = record_open(o->record, l)) != NULL;
  if (good && start_all(&r)) {
    let_settle(l, o->stop);
    run_steps(&r);
  }
  if (r.record && !record_close(r.record)) good = false;
  if (good) {
    r.end.time = (double)r.end.steps * l->step;
    report_end_of_run(l, &r.end, o->json);
  }
  free(r.turn);
  free(r.poll);
  return good ? r.end.status : LINK_FAILED;
}
