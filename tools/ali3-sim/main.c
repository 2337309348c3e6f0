/* SPDX-License-Identifier: MIT
 * ali3-sim: wiring. */
#include "common/output.h"
#include "film.h"
#include "linear.h"
#include "sim.h"

#include "config/setup.h"
#include "outfile/outfile.h"
#include "rt/pool.h"
#include "rt/realtime.h"
#include "workers/workers_choose.h"

#include <ali3/stepper.h>
#include <stdlib.h>
#include <string.h>

static int fail_run(int status, const char *text)
{
  fprintf(stderr, "ali3-sim: %s\n", text);
  return status;
}

static int workers_of(const struct options *o, const struct settings *s)
{
  if (!o->workers_given) return s->realtime.workers == WORKERS_AUTO ? 0 : s->realtime.workers;
  if (o->workers != WORKERS_AUTO) return o->workers;
  const struct choose_plan plan = {.pool.first_cpu = -1, .most = choose_most(-1)};
  struct choice choice;
  choose_workers(s->model, &plan, &choice);
  return choice.workers;
}

/* The rows stand in a CSV file beside the result until all runs are done, so that --resume finds them. */
static int batch_into_hdf5(struct options *o)
{
  const char *file = o->output;
  char rows[4200];
  snprintf(rows, sizeof rows, "%s.rows", file);
  o->output = rows;
  int status = batch(o);
  if (status != EXIT_GOOD) return status;
  if (!results_write_hdf5(rows, file)) return EXIT_RUN;
  return remove(rows) == 0 ? EXIT_GOOD : EXIT_RUN;
}

/* Puts d into the equilibrium that --settle or the file asks for. False after printing the reason. */
static bool settle_start(const struct options *o, const struct settings *s, ali3_data *d)
{
  if (!o->state_in && ali3_reset(s->model, d) < 0) {
    const struct result failed = {.status = ali3_data_report(d)->status};
    summary_failure(s, d, &failed);
    return false;
  }
  const bool rests = s->start == START_REST && !o->state_in;
  return !(o->settle || o->mode || rests) || settle_model(s->model, d, o->settle);
}

static int simulate_model(const struct options *o, const struct settings *s, ali3_data *d, struct ride *ride,
                          const struct signals *signals, int workers)
{
  /* Open the table first: a run that cannot write does not begin. */
  long planned = planned_steps(o, s);
  if (planned == 0 || (o->state_in && !state_load_file(o->state_in, s->model, d))) return EXIT_USAGE;
  if (o->state_in && !script_time(ride->script, o, ali3_data_report(d)->time)) return EXIT_USAGE;
  const bool started = o->settle || o->linearise || o->mode || s->start == START_REST;
  if (started && !settle_start(o, s, d)) return EXIT_RUN;
  if (o->mode) return mode_film(o, s, d, ride);
  if (o->linearise) return linearise_file(o, s->model, d, signals);
  struct table table;
  struct quantities quantities = {0};
  if (o->quantities && !quantities_open(&quantities, o->quantities, signals)) return EXIT_USAGE;
  if (o->output && !table_open(&table, o, signals)) {
    quantities_close(&quantities);
    return EXIT_USAGE;
  }
  struct film *film = o->view ? film_open(o->view, o->signals, s, signals) : NULL;
  if (o->view && !film) {
    if (o->output) table_close(&table);
    quantities_close(&quantities);
    return EXIT_USAGE;
  }

  /* Run the model. */
  struct result r;
  struct quantities *q = o->quantities ? &quantities : NULL;
  const struct takers takers = {
      .table = o->output ? &table : NULL, .every = o->every, .quantities = q, .film = film};
  if (!run(s->model, d, o->state_in || started, ride, planned, &takers, &r)) {
    if (o->output) table_close(&table);
    if (film) film_close(film);
    quantities_close(&quantities);
    free(r.step_ns);
    return EXIT_RUN;
  }
  /* Report the failure, and write the steps so far. */
  bool good = r.status >= 0 && !r.interrupted;
  if (!good) summary_failure(s, d, &r);
  summary_degraded(s->model, &r);
  if (o->output) good &= table_close(&table);
  if (film) good &= film_close(film);
  if (o->state_out) good &= state_save_file(o->state_out, s->model, d);
  if (o->summary || !o->output || strcmp(o->output, "-") != 0)
    good &= summary_write(o->summary, s->model, workers, q, &r);
  quantities_close(&quantities);
  free(r.step_ns);
  if (r.status == ALI3_E_VIOLATED || (good && r.violated > 0)) return EXIT_VIOLATED;
  return good ? EXIT_GOOD : EXIT_RUN;
}

static int simulate_file(const struct options *o)
{
  int status = EXIT_RUN;
  struct settings *s = setup_load(o->file, &o->over, stderr);
  if (!s) return EXIT_USAGE;

  /* Like the daemon's loop, so that equal inputs give equal bits. */
  realtime_flush_denormals();
  /* Start workers, and allocate data and signals. */
  char error[256] = "out of memory";
  int workers = workers_of(o, s);
  struct pool_config config = {.workers = workers, .priority = 0, .first_cpu = -1};
  struct pool *pool = pool_new(&config, error, sizeof error);
  ali3_data *d = ali3_data_new(s->model);
  const struct signals_more more = {.platform = s->platform.enabled ? &s->platform.spec.geometry : NULL};
  struct signals *signals = signals_new_with(s->model, s->input, s->inputs, &more);
  struct ride *ride = signals ? ride_new(s, signals) : NULL;
  const bool scripted = ride && script_open(&ride->script, o->inputs, s, signals);
  if (!pool) {
    status = fail_run(EXIT_RUN, error);
  } else if (!d || !signals) {
    status = fail_run(EXIT_RUN, "out of memory");
  } else if (!ride) {
    status = EXIT_RUN;
  } else if (!scripted) {
    status = EXIT_USAGE;
  } else {
    if (workers > 0) ali3_data_set_exec(d, pool_exec(pool));
    status = simulate_model(o, s, d, ride, signals, workers);
  }
  ride_free(ride);
  signals_free(signals);
  ali3_data_free(d);
  if (pool) pool_free(pool);
  settings_free(s);
  return status;
}

/* A run that cannot be written does not begin. */
static bool check_run_files(const struct options *o)
{
  return outfile_check("--output", o->output) && outfile_check("--view", o->view) &&
         outfile_check("--state-out", o->state_out) && outfile_check("--linearise", o->linearise) &&
         outfile_check("--bode", o->bode) && outfile_check("--summary", o->summary) &&
         outfile_check("--png", o->png);
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct options o;
  int status = options_take(argc, argv, &o);
  if (status < 0 && !check_run_files(&o)) status = EXIT_USAGE;
  if (status < 0 && o.batch && options_name_hdf5(o.output)) status = batch_into_hdf5(&o);
  if (status < 0) status = o.batch ? batch(&o) : simulate_file(&o);
  free(o.set.text);
  return status;
}
