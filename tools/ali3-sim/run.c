/* SPDX-License-Identifier: MIT
 * ali3-sim: the loop over the steps. */
#include "film.h"
#include "sim.h"

#include "rt/clock.h"
#include "together/copies.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static volatile sig_atomic_t stop_run;

static void ask_to_stop(int number)
{
  (void)number;
  stop_run = 1;
}

void run_catch_signals(void)
{
  struct sigaction action = {.sa_handler = ask_to_stop, .sa_flags = (int)SA_RESETHAND};
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, NULL);
  sigaction(SIGTERM, &action, NULL);
}

bool run_stopped(void)
{
  return stop_run;
}

/* The progress of a long run on a terminal. */
struct progress {
  bool terminal, shown;
  uint64_t next_ns;
};

static void progress_show(struct progress *p, uint64_t now, long done, long planned)
{
  enum { WIDTH = 40 };
  static const char bar[] = "########################################";
  if (!p->terminal || now < p->next_ns) return;
  p->next_ns = now + NS_PER_S / 10;
  p->shown = true;
  double part = (double)done / (double)planned;
  fprintf(stderr, "\r[%-*.*s] %3.0f %%", WIDTH, (int)(WIDTH * part), bar, 100 * part);
}

static void progress_end(const struct progress *p)
{
  if (p->shown) fputs("\r\033[K", stderr);
}

static double larger_or_nan(double a, double b)
{
  return b > a || isnan(b) ? b : a;
}

static void account_step(const ali3_model *m, const ali3_data *d, struct result *r)
{
  const ali3_report *report = ali3_data_report(d);
  r->position = larger_or_nan(r->position, report->position);
  r->velocity = larger_or_nan(r->velocity, report->velocity);
  r->acceleration = larger_or_nan(r->acceleration, report->acceleration);
  r->increment = larger_or_nan(r->increment, report->increment);

  ali3_energy e;
  ali3_energy_get(m, d, &e);
  r->final = e.total;
  r->supplied = e.supplied - r->supplied_before;
  r->lost = e.lost - r->lost_before;
  r->min = fmin(r->min, e.total);
  r->max = fmax(r->max, e.total);
}

long planned_steps(const struct options *o, const struct settings *s)
{
  enum { STEPS_MAX = 1000000000 }; /* the time of every step is stored */
  double duration = o->duration > 0 ? o->duration : s->duration > 0 ? s->duration : 10;
  double steps = round(duration / s->options.dt);
  if (steps >= 1 && steps <= STEPS_MAX) return (long)steps;
  fprintf(stderr, "ali3-sim: expected a duration of 1 to %d steps, found %g s at %g s a step\n", STEPS_MAX,
          duration, s->options.dt);
  return 0;
}

/* The initial state, which is the first row. *going false: the reset failed, and the run has no steps. False after printing the
 * reason. */
static bool begin_motion(const ali3_model *m, ali3_data *d, bool loaded, struct ride *ride,
                         const struct takers *takers, struct result *r, bool *going)
{
  const bool of_batch = takers->of_batch;
  *going = false;
  if (!loaded) {
    r->status = ali3_reset(m, d);
    r->moved = *ali3_data_initial(d);
    if (r->status < 0) return true;
    if (!of_batch) summary_start(m, d);
  }
  if (!of_batch) account_step(m, d, r);
  r->initial = r->final;
  r->supplied_before = r->supplied;
  r->lost_before = r->lost;
  for (int i = 0; i < ali3_model_forces(m); i++) {
    const ali3_force_type type = ali3_model_force_type(m, i);
    r->actuated |= type == ALI3_FORCE_CYLINDER || type == ALI3_FORCE_WINDING || type == ALI3_FORCE_TYRE;
  }
  r->increment = 0; /* no step has that increment */
  if (!ride_start(ride, m, d)) return false;
  if (takers->table) table_row(takers->table, ride->values);
  if (takers->quantities && !quantities_add(takers->quantities, ride->values)) return false;
  if (takers->film) film_add(takers->film, 0, ride->values);
  r->extrapolation = ali3_data_extrapolation(d);
  *going = true;
  return true;
}

/* After a step that did not fail. False: out of memory, which is printed. */
static bool account_run_step(const ali3_model *m, ali3_data *d, struct ride *ride,
                             const struct takers *takers, struct result *r)
{
  struct table *t = takers->table;
  /* the verdict, then the signals */
  r->steps++;
  r->degraded += r->status > 0;
  r->retried += ali3_data_report(d)->retried;
  if (r->status == ALI3_VIOLATED && r->violated++ == 0) {
    r->violation = *ali3_data_violation(d);
    r->violated_time = ali3_data_report(d)->time;
  }
  if (r->status == ALI3_UNRESOLVED && r->unresolved++ == 0) {
    r->unresolved_time = ali3_data_report(d)->time;
    ali3_report_text(m, d, r->unresolved_text, sizeof r->unresolved_text);
  }
  if (!takers->of_batch) account_step(m, d, r);
  const bool row = t && r->steps % takers->every == 0;
  if (row || takers->quantities || takers->film || ride->drive.there) ride_step(ride, m, d);
  if (row) table_row(t, ride->values);
  if (takers->quantities && !quantities_add(takers->quantities, ride->values)) return false;
  if (takers->film) film_add(takers->film, r->steps, ride->values);
  return true;
}

static void end_run(const struct takers *takers, struct result *r)
{
  if (takers->quantities) quantities_end(takers->quantities);
  r->interrupted = stop_run && r->steps < r->planned;
  if (r->status > 0) r->status = ALI3_OK;
}

static const struct result NO_STEPS = {.min = INFINITY, .max = -INFINITY};

bool run(const ali3_model *m, ali3_data *d, bool loaded, struct ride *ride, long planned,
         const struct takers *takers, struct result *r)
{
  bool going;
  *r = NO_STEPS;
  r->planned = planned;
  r->step_ns = malloc((size_t)planned * sizeof *r->step_ns);
  if (!r->step_ns) {
    fputs("ali3-sim: out of memory\n", stderr);
    return false;
  }
  run_catch_signals();
  if (!begin_motion(m, d, loaded, ride, takers, r, &going)) return false;
  if (!going) return true;
  /* Step until the end or a signal. */
  uint64_t start = clock_now_ns(), end = start;
  struct progress progress = {.terminal = isatty(STDERR_FILENO), .next_ns = start + NS_PER_S};
  while (r->steps < planned && !stop_run) {
    const uint64_t begin = clock_now_ns();
    if (ride->script) script_step(ride->script, m, d);
    r->status = ali3_step(m, d);
    end = clock_now_ns();
    if (r->status < 0) break;
    r->step_ns[r->steps] = end - begin < UINT32_MAX ? (uint32_t)(end - begin) : UINT32_MAX;
    if (!account_run_step(m, d, ride, takers, r)) return false;
    progress_show(&progress, end, r->steps, planned);
  }
  progress_end(&progress);
  end_run(takers, r);
  r->wall_s = (double)(end - start) / (double)NS_PER_S;
  return true;
}

/* The runs that go on. */
struct together {
  struct run_of_batch *run[ISA_LANES_MAX];
  int count;
};

/* The step of all runs in lanes, or one after the other. k NULL: without lanes. False: lanes have ended. */
static bool step_together(const struct together *o, struct copies *k, int *status)
{
  for (int i = 0; i < o->count; i++)
    if (o->run[i]->ride->script) script_step(o->run[i]->ride->script, o->run[i]->model, o->run[i]->data);
  if (k) return copies_step(k, status);
  for (int i = 0; i < o->count; i++) status[i] = ali3_step(o->run[i]->model, o->run[i]->data);
  return true;
}

/* Lanes for all runs; NULL: not possible, or one run. */
static struct copies *open_lanes(const struct together *o, bool whole, char *why, size_t size)
{
  const ali3_model *model[ISA_LANES_MAX];
  ali3_data *data[ISA_LANES_MAX];
  for (int i = 0; i < o->count; i++) {
    model[i] = o->run[i]->model;
    data[i] = o->run[i]->data;
  }
  bool together = o->count > 1;
  for (int i = 0; i < o->count; i++) together &= o->run[i]->result.planned == o->run[0]->result.planned;
  return together ? copies_new(model, data, o->count, whole, why, size) : NULL;
}

bool run_together(struct run_of_batch *run, int count, bool whole, char *why, size_t size)
{
  struct together o = {.count = 0};
  bool good = true, going;
  for (int i = 0; i < count && good; i++) {
    const long planned = run[i].result.planned;
    run[i].result = NO_STEPS;
    run[i].result.planned = planned;
    good = begin_motion(run[i].model, run[i].data, run[i].loaded, run[i].ride, &run[i].takers, &run[i].result,
                        &going);
    if (good && going) o.run[o.count++] = &run[i];
  }
  struct copies *k = good ? open_lanes(&o, whole, why, size) : NULL;
  for (int i = 0; i < o.count; i++) o.run[i]->in_lanes = k != NULL;
  while (o.count > 0 && good && !stop_run) {
    int status[ISA_LANES_MAX], left = 0;
    if (!step_together(&o, k, status)) {
      copies_free(k);
      k = NULL;
    }
    /* A run that failed or is complete leaves; lanes end with the first of them. */
    for (int i = 0; i < o.count; i++) {
      struct result *r = &o.run[i]->result;
      r->status = status[i];
      if (status[i] < 0) continue;
      good &= account_run_step(o.run[i]->model, o.run[i]->data, o.run[i]->ride, &o.run[i]->takers, r);
      if (r->steps < r->planned) o.run[left++] = o.run[i];
    }
    o.count = left;
  }
  copies_free(k);
  for (int i = 0; i < count; i++)
    if (run[i].result.status >= 0 || run[i].result.steps > 0) end_run(&run[i].takers, &run[i].result);
  return good;
}
