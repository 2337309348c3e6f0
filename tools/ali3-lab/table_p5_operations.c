/* SPDX-License-Identifier: MIT
 * ali3-lab table p5-operations: what one call of the index-1 augmented Lagrangian DCA costs on chains of 8 to 4096 bodies, beside
 * the claims of paper 5: linear for one thread, logarithmic for as many as there are bodies. The operations are counted from the
 * sizes of the compounds, the time of a call is that of this machine.
 *
 * Demanded: from 128 bodies on, twice the bodies need 1.9 to 2.1 times the operations; along the longest way through the assembly
 * they need more by the same amount each time, within 20 %; and the assembly has at most 2 log2 n + 2 levels. Times are not
 * demanded. */
#include "coordinates/problem_make.h"
#include "lab_tool.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <math.h>

enum { OPERATION_ROWS = 10, FIRST_BODIES = 8, DEMANDED_BODIES = 128 };

struct operations_row {
  int bodies;
  struct lab_operations count;
  double call; /* s */
  bool demanded, holds;
};

static bool go_on_until_interrupted(void *user, const struct lab_state *s, const struct lab_sample *sample)
{
  (void)user, (void)s, (void)sample;
  return !interrupted();
}

/* One step of explicit Euler is one call; the first one is the start. */
static double time_of_call(const struct problem *p)
{
  enum { CALLS = 20 };
  const struct lab_watch watch = {.step = go_on_until_interrupted};
  struct lab_run r = lab_run_default();
  struct lab_result o;
  r.formulation = lab_find_formulation("al1-dca");
  r.integrator = lab_find_integrator("fe");
  r.alpha = 1e6;
  r.omega = r.xi = 1;
  r.dt = 1e-4;
  r.duration = CALLS * r.dt;
  return lab_run(p, &r, &watch, &o) == LAB_OK ? o.seconds / (double)o.calls : (double)NAN;
}

/* False: out of memory. */
static bool measure_chain(int bodies, struct operations_row *o)
{
  ali3_model *m = chain_of_links(bodies);
  ali3_data *d = m ? ali3_data_new(m) : NULL;
  struct problem p;
  struct lab_refusal why;
  *o = (struct operations_row){.bodies = bodies};
  bool good = d && ali3_reset(m, d) >= 0 && problem_make(&p, &description_absolute, m, d, &why);
  if (good) {
    good = lab_operations_count(&p, &o->count);
    o->call = time_of_call(&p);
    problem_free(&p);
  }
  ali3_data_free(d);
  ali3_model_free(m);
  return good;
}

static double all_operations(const struct operations_row *o)
{
  return o->count.factor + o->count.solve;
}

/* row: with two rows of half and of a quarter of the bodies before it. */
static void judge_operations(struct operations_row *row)
{
  const struct operations_row *half = row - 1, *quarter = row - 2;
  row->demanded = row->bodies >= DEMANDED_BODIES;
  if (!row->demanded) return;
  const double growth = all_operations(row) / all_operations(half),
               steps = (row->count.path - half->count.path) / (half->count.path - quarter->count.path);
  row->holds =
      growth > 1.9 && growth < 2.1 && fabs(steps - 1) < 0.2 && row->count.levels <= 2 * log2(row->bodies) + 2;
}

static void print_operations(FILE *out, const struct operations_row *o)
{
  const double n = o->bodies;
  fprintf(out, "%6d | %6d %8.0f %8.0f %8.0f | %9.0f %7.1f | %9.1f %6.2f | %s\n", o->bodies, o->count.levels,
          o->count.factor / n, o->count.solve / n, all_operations(o) / n, o->count.path,
          n * all_operations(o) / n / o->count.path, 1e6 * o->call, 1e6 * o->call / n,
          !o->demanded ? "not demanded"
          : o->holds   ? "reproduced"
                       : "not reproduced");
  fflush(out);
}

int table_p5_operations(const struct table_options *options)
{
  FILE *out = table_lines(options);
  struct operations_row row[OPERATION_ROWS];
  json_t *list = json_array();
  int demanded = 0, held = 0, rows = 0;
  bool good = true;
  catch_signals();
  /* The head. */
  fprintf(out, "paper 5: operations of a call of al1-dca on chains; one factorisation and one solve\n");
  fprintf(out, "expected: the paper's claims, linear in the bodies by one thread, and a level's worth more "
               "for twice the bodies by "
               "unlimited threads\n");
  fprintf(out, "counts depend on the chain's joints alone, not on weight, lengths or masses\n");
  fprintf(out, "%6s | %6s %26s | %17s | %16s |\n", "", "", "operations for each body", "longest way",
          "call, us");
  fprintf(out, "%6s | %6s %8s %8s %8s | %9s %7s | %9s %6s | %s\n", "bodies", "levels", "factors", "solve",
          "both", "oper.", "speed-up", "ours", "a body", "verdict");
  for (int i = 0; i < OPERATION_ROWS && good && !interrupted(); i++) {
    good = measure_chain(FIRST_BODIES << i, &row[i]);
    if (!good) break;
    judge_operations(&row[i]);
    print_operations(out, &row[i]);
    demanded += row[i].demanded;
    held += row[i].demanded && row[i].holds;
    rows++;
  }
  /* The verdict, as text and as JSON. */
  for (int i = 0; i < rows; i++)
    json_array_append_new(list, json_pack("{s:i, s:i, s:f, s:f, s:f, s:o, s:b, s:b}", "bodies", row[i].bodies,
                                          "levels", row[i].count.levels, "factor", row[i].count.factor,
                                          "solve", row[i].count.solve, "path", row[i].count.path, "call_s",
                                          json_number(row[i].call), "demanded", row[i].demanded, "holds",
                                          row[i].holds));
  if (good)
    fprintf(out, "%d of %d demanded rows hold; times are never demanded%s\n", held, demanded,
            interrupted() ? "; interrupted" : "");
  else
    fprintf(stderr, "ali3-lab: out of memory\n");
  const bool written = !options->json || json_write("--json", options->json, json_incref(list));
  json_decref(list);
  return good && written && !interrupted() && held == demanded ? EXIT_GOOD : EXIT_RUN;
}
