/* SPDX-License-Identifier: MIT
 * Inputs of a run: a table or a recording of --inputs, or the stimuli of the file that begin with the motion. They go through the
 * inputs of the daemon in lockstep. */
#include "recording/recording.h"
#include "sim.h"

#include "inputs/stimulus.h"
#include "signals/counters.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

struct script {
  struct stimulus table;           /* of --inputs */
  const struct stimulus *stimulus; /* (stimuli) */
  int stimuli;
  struct input_sample *sample; /* (channels) last samples of all stimuli */
  int channels;
  struct inputs inputs;
  struct counters counters;
  struct port port;
  struct port *ports[1];
  double dt;
  double begin; /* time of the tables at the start of the run, s */
  uint64_t period_ns, virtual_ns, steps;
};

static bool refuse_script(const char *text)
{
  fprintf(stderr, "ali3-sim: --inputs: %s\n", text);
  return false;
}

/* Steps in which the model moved by itself. */
static bool is_recorded_step(const struct recording *r, hsize_t act)
{
  return (r->act[act] & (FRAMES_STEPPED | FRAMES_WARMING | FRAMES_VOID)) == FRAMES_STEPPED;
}

/* The inputs of the recorded steps, one after the other. */
static bool fill_from_recording(struct stimulus *t, const struct recording *r, const struct signals *s,
                                double dt)
{
  t->time = calloc((size_t)r->acts + 1, sizeof *t->time);
  t->value = calloc((size_t)r->acts * r->channels + 1, sizeof *t->value);
  t->channel = calloc((size_t)r->channels + 1, sizeof *t->channel);
  uint32_t *from = calloc((size_t)r->channels + 1, sizeof *from);
  bool good = t->time && t->value && t->channel && from;
  if (!good) refuse_script("out of memory");
  /* The channels that both have, then their values. */
  for (uint32_t i = 0; good && i < r->channels; i++) {
    const int signal = signals_find(s, r->channel[i]);
    if (signal < s->input_first || signal >= s->input_first + s->channels) continue;
    from[t->columns] = i;
    t->channel[t->columns++] = signal - s->input_first;
  }
  for (hsize_t act = 0; good && act < r->acts; act++) {
    if (!is_recorded_step(r, act)) continue;
    t->time[t->rows] = (double)(t->rows + 1) * ((double)(uint64_t)(dt * 1e9 + 0.5) * 1e-9);
    for (int c = 0; c < t->columns; c++)
      t->value[(size_t)t->rows * (size_t)t->columns + (size_t)c] = r->inputs[act * r->channels + from[c]];
    t->rows++;
  }
  free(from);
  if (good && (t->rows == 0 || t->columns == 0))
    return refuse_script("the recording has no steps with inputs of this file");
  return good;
}

static bool read_recording(struct stimulus *t, const char *file, const struct signals *s, double dt)
{
  struct recording r;
  char error[400];
  recording_quiet();
  if (!recording_open(&r, file, error, sizeof error)) return refuse_script(error);
  snprintf(error, sizeof error, "%s: expected the period %g s of this run, found %g s", file, dt, r.period);
  const bool good = r.period > 0.999999 * dt && r.period < 1.000001 * dt ? fill_from_recording(t, &r, s, dt)
                                                                         : refuse_script(error);
  t->held = true;
  recording_close(&r);
  return good;
}

static bool has_ending(const char *file, const char *ending)
{
  const size_t n = strlen(file), length = strlen(ending);
  return n > length && strcmp(file + n - length, ending) == 0;
}

static bool read_input_file(struct script *c, const char *file, const struct signals *signals)
{
  char error[500];
  c->stimulus = &c->table;
  c->stimuli = 1;
  if (has_ending(file, ".h5")) return read_recording(&c->table, file, signals, c->dt);
  return stimulus_read(&c->table, file, signals, error, sizeof error) || refuse_script(error);
}

static bool set_up_script(struct script *c, const struct signals *signals)
{
  const struct inputs_config config = {
      .signals = signals, .ports = 1, .period_ns = c->period_ns, .counters = &c->counters};
  c->channels = signals->channels;
  c->sample = calloc((size_t)signals->channels + 1, sizeof *c->sample);
  if (!c->sample ||
      !port_init(&c->port, "script", (uint32_t)signals->count, (uint32_t)signals->channels, false) ||
      !inputs_init(&c->inputs, &config))
    return refuse_script("out of memory");
  inputs_open_sources(&c->inputs);
  return true;
}

bool script_open(struct script **script, const char *file, const struct settings *s,
                 const struct signals *signals)
{
  bool moves = file != NULL;
  for (int i = 0; i < s->stimuli; i++) moves |= s->stimulus[i].with_motion;
  *script = moves ? calloc(1, sizeof **script) : NULL;
  if (!moves) return true;
  if (!*script) return refuse_script("out of memory");
  struct script *c = *script;
  *c = (struct script){.stimulus = s->stimulus,
                       .stimuli = s->stimuli,
                       .dt = s->options.dt,
                       .period_ns = (uint64_t)(s->options.dt * 1e9 + 0.5),
                       .virtual_ns = 1}; /* as in the loop: 0 means "no time" */
  c->ports[0] = &c->port;
  return (!file || read_input_file(c, file, signals)) && set_up_script(c, signals);
}

static double end_of_tables(const struct script *c)
{
  double end = 0.0;
  for (int i = 0; i < c->stimuli; i++) {
    const struct stimulus *s = &c->stimulus[i];
    if (s != &c->table && !s->with_motion) continue;
    if (s->loops) return INFINITY;
    end = fmax(end, s->time[s->rows - 1]);
  }
  return end;
}

bool script_time(struct script *c, const struct options *o, double time)
{
  const char *what = o->inputs ? o->inputs : "the stimuli";
  if (!c) return true;
  /* Say which time counts, unless the user has chosen. */
  if (o->inputs_time == INPUTS_TIME_OPEN)
    fprintf(stderr,
            "ali3-sim: the times of %s count from the start of this run, which is at %g s of simulated time; "
            "--inputs-time simulated takes them for simulated time, --inputs-time run drops this line\n",
            what, time);
  if (o->inputs_time != INPUTS_SIMULATED) return true;
  if (o->inputs && has_ending(o->inputs, ".h5"))
    return refuse_script(
        "the steps of a recording count from the start of the run; expected --inputs-time run");
  c->begin = time;
  if (end_of_tables(c) > time) return true;
  fprintf(
      stderr,
      "ali3-sim: --inputs-time simulated: %s ends at %g s, before the state at %g s, so no value would act\n",
      what, end_of_tables(c), time);
  return false;
}

void script_close(struct script *c)
{
  if (!c) return;
  stimulus_free(&c->table);
  inputs_free(&c->inputs);
  port_free(&c->port);
  free(c->sample);
  free(c);
}

void script_start(struct script *c, const ali3_model *m, const ali3_data *d)
{
  inputs_start_from(&c->inputs, m, d);
}

const double *script_values(const struct script *c)
{
  return c->inputs.value;
}

void script_step(struct script *c, const ali3_model *m, ali3_data *d)
{
  const double t = c->begin + (double)(c->steps + 1) * ((double)c->period_ns * 1e-9);
  bool sends = false;
  /* The way of a client's values in lockstep: they age by the steps. */
  for (int i = 0; i < c->stimuli; i++) {
    const struct stimulus *s = &c->stimulus[i];
    if ((s != &c->table && !s->with_motion) || !stimulus_lasts(s, t)) continue;
    stimulus_write(s, t, c->sample, c->steps + 1);
    sends = true;
  }
  if (sends) {
    memcpy(snapshot_begin(&c->port.inputs), c->sample, (size_t)c->channels * sizeof *c->sample);
    snapshot_publish(&c->port.inputs);
  }
  inputs_take(&c->inputs, c->ports, c->steps + 1, c->virtual_ns);
  inputs_latch(&c->inputs, c->virtual_ns);
  inputs_apply(&c->inputs, m, d);
  c->virtual_ns += c->period_ns;
  c->steps++;
}
