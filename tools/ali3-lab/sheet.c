/* SPDX-License-Identifier: MIT
 * ali3-lab: signals of a run as CSV, under the names that ali3-sim gives them: time, poses and velocities of
 * bodies, reactions of joints, energy, and constraint violations. 17 significant digits, so that every number reads back
 * to the same bits. */
#include "lab_tool.h"
#include "signals/signals.h"

#include "outfile/outfile.h"

#include <errno.h>
#include <fnmatch.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { SHEET_REACTION = 6 }; /* force and torque of a joint, its first signals */

struct sheet {
  FILE *out;
  const char *file;
  struct signals *signals;
  double *values, *last; /* (count) last: orientations of the row before, (4 bodies) */
  int *column, columns;
  bool reacts;                   /* some columns are reactions, at the cost of a solve */
  struct lab_reaction *reaction; /* (joints) */
};

static void sheet_free(struct sheet *t)
{
  if (t->out && t->out != stdout) fclose(t->out);
  signals_free(t->signals);
  free(t->values);
  free(t->last);
  free(t->column);
  free(t->reaction);
  free(t);
}

static bool sheet_complain(const char *what, const char *text)
{
  fprintf(stderr, "ali3-lab: %s: %s\n", what, text);
  return false;
}

/* The laboratory knows this signal of the table. */
static bool is_lab_signal(const struct signals *s, int i)
{
  if (i == 0) return true;
  const int body = (i - s->body_first) % SIGNALS_BODY;
  if (i >= s->body_first && i < s->body_first + SIGNALS_BODY * s->bodies) return body < SIGNALS_BODY_STATE;
  for (int j = 0; j < s->joints; j++)
    if (i >= s->joint_first[j] && i < s->joint_first[j] + SHEET_REACTION) return true;
  return (i >= s->energy_first && i < s->energy_first + 3) ||
         (i >= s->constraint_first && i < s->constraint_first + 3);
}

static bool choose_sheet_columns(struct sheet *t, const char *globs)
{
  char *list = strdup(globs ? globs : "*"), *rest = NULL;
  bool *marked = calloc((size_t)t->signals->count, sizeof *marked), good = list && marked;
  for (char *g = good ? strtok_r(list, ",", &rest) : NULL; g && good; g = strtok_r(NULL, ",", &rest)) {
    bool found = false;
    for (int i = 0; i < t->signals->count; i++)
      if (is_lab_signal(t->signals, i) && fnmatch(g, t->signals->signal[i].name, 0) == 0)
        found = marked[i] = true;
    if (!found)
      good = sheet_complain(g, "no signal has such a name (without --signals the header shows all names)");
  }
  for (int i = 0; good && i < t->signals->count; i++)
    if (marked[i]) t->column[t->columns++] = i;
  /* Some of them are reactions. */
  for (int j = 0; good && j < t->signals->joints; j++)
    for (int i = 0; i < SHEET_REACTION; i++) t->reacts |= marked[t->signals->joint_first[j] + i];
  free(list);
  free(marked);
  return good && (t->columns > 0 || sheet_complain("--signals", "expected at least one name or pattern"));
}

struct sheet *sheet_open(const char *file, const char *globs, const ali3_model *m)
{
  struct sheet *t = calloc(1, sizeof *t);
  if (!t) return NULL;
  t->file = file;
  /* The signals of the daemon, and memory for one line of them. */
  t->signals = signals_new(m, NULL, 0);
  if (t->signals) {
    t->values = calloc((size_t)t->signals->count, sizeof *t->values);
    t->column = calloc((size_t)t->signals->count, sizeof *t->column);
    t->last = calloc(4 * (size_t)t->signals->bodies + 1, sizeof *t->last);
    t->reaction = calloc((size_t)t->signals->joints + 1, sizeof *t->reaction);
  }
  bool good = t->values && t->column && t->last && t->reaction ? choose_sheet_columns(t, globs)
                                                               : sheet_complain(file, "out of memory");
  /* The file and its head. */
  if (good) {
    t->out = outfile_open_or_standard("--output", file);
    good = t->out != NULL;
  }
  for (int i = 0; good && i < t->columns; i++)
    fprintf(t->out, "%s%c", t->signals->signal[t->column[i]].name, i + 1 < t->columns ? ',' : '\n');
  if (good) return t;
  sheet_free(t);
  return NULL;
}

/* p and -p are the same orientation: takes the one that is nearer to the row before. */
static void follow_orientation(double p[4], double last[4])
{
  double product = 0;
  for (int i = 0; i < 4; i++) product += p[i] * last[i];
  for (int i = 0; product < 0 && i < 4; i++) p[i] = -p[i];
  memcpy(last, p, 4 * sizeof *last);
}

/* NaN where the formulation has none. */
static void fill_reactions(struct sheet *t, const struct lab_state *s)
{
  const bool found = lab_reactions_get(s, t->reaction);
  for (int j = 0; j < t->signals->joints; j++) {
    double *at = t->values + t->signals->joint_first[j];
    memcpy(at, t->reaction[j].force, sizeof t->reaction[j].force);
    memcpy(at + 3, t->reaction[j].torque, sizeof t->reaction[j].torque);
    for (int i = 0; !found && i < SHEET_REACTION; i++) at[i] = NAN;
  }
}

void sheet_row(struct sheet *t, const struct lab_state *s, const struct lab_sample *sample)
{
  const struct signals *signals = t->signals;
  /* Time and bodies. */
  t->values[0] = sample->time;
  for (int i = 0; i < signals->bodies; i++) {
    double *at = t->values + signals->body_first + SIGNALS_BODY * i;
    struct lab_body body;
    lab_body_get(s, i, &body);
    follow_orientation(body.orientation, t->last + 4 * i);
    memcpy(at, body.position, sizeof body.position);
    memcpy(at + 3, body.orientation, sizeof body.orientation);
    memcpy(at + 7, body.velocity, sizeof body.velocity);
    memcpy(at + 10, body.angular_velocity, sizeof body.angular_velocity);
  }
  /* Energy and constraint errors. */
  double *energy = t->values + signals->energy_first, *open = t->values + signals->constraint_first;
  energy[0] = sample->energy.kinetic;
  energy[1] = sample->energy.potential;
  energy[2] = energy[0] + energy[1];
  open[0] = sample->position;
  open[1] = sample->velocity;
  open[2] = sample->acceleration;
  if (t->reacts) fill_reactions(t, s);
  /* The chosen columns only. */
  for (int i = 0; i < t->columns; i++)
    fprintf(t->out, "%.17g%c", t->values[t->column[i]], i + 1 < t->columns ? ',' : '\n');
}

bool sheet_close(struct sheet *t)
{
  errno = 0;
  bool good = fflush(t->out) == 0 && !ferror(t->out);
  if (!good) outfile_refuse("--output", t->file, errno);
  sheet_free(t);
  return good;
}
