/* SPDX-License-Identifier: MIT
 * ali3-latency: options, toggling, report. */
#include "command/command_line.h"
#include "command/option_number.h"
#include "latency.h"

#include "common/output.h"
#include "config/setup.h"
#include "rt/clock.h"

#include <getopt.h>
#include <jansson.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

struct options {
  const char *file, *input;
  double value, wait, limit; /* value NAN: not given */
  int count;
  bool osc, modbus, json;
};

static bool take_toggled_value(char *word, void *options);
static bool take_protocol(char *word, void *options);

static const struct command_option latency_options[] = {
    COMMAND_TEXT(struct options, input, "input", "NAME",
                 "signal to set: input.NAME.force.x, input.NAME.value (default: the first input signal)"),
    COMMAND_OTHER(
        take_toggled_value, "value", "X",
        "the signal alternates between X and 0, in SI units (default: 0.001); if the range of the input "
        "leaves 0 out, between X and the end of the range next to 0"),
    COMMAND_COUNT(struct options, count, "count", "N", 1, 1e7,
                  "measurements over each protocol (default: 1000)"),
    COMMAND_OTHER(take_protocol, "protocol", "NAME", "osc, modbus or all (default: all that are on)"),
    COMMAND_NUMBER(struct options, wait, "wait", "S", 1e-3, 60,
                   "seconds after which a measurement without an answer is lost (default: 1)"),
    COMMAND_NUMBER(struct options, limit, "limit", "MS", 1e-3, 1e6,
                   "fail if the 99.9 % quantile of the times is above this"),
    COMMAND_SWITCH(struct options, json, "json",
                   "print figures in microseconds as a list of objects, all measurements sorted"),
    {0},
};
static const struct command_line latency_command = {
    .name = "ali3-latency",
    .head =
        "Usage: ali3-latency FILE [OPTION]...\n"
        "Measures the time that a running ali3d takes from an input to an output. FILE is the configuration\n"
        "of that daemon. ali3-latency sets an input again and again, and measures the time until the daemon\n"
        "shows it as the acting value: over OSC in the stream \"input\", over Modbus in an input register "
        "of\n"
        "modbus.map. The input moves the mechanism: choose an input and a value that do no harm.\n",
    .tail =
        "Each lost measurement is printed with what the daemon showed instead. Ten measurements in a row\n"
        "without an answer end the run.\n"
        "\n"
        "Exit status: 0 measured; 1 no answer, answers lost, or above the limit; 2 wrong usage, or a "
        "mistake\n"
        "in FILE.\n",
    .option = latency_options,
    .wrong = STATUS_USAGE};

static bool take_toggled_value(char *word, void *options)
{
  struct options *o = options;
  return (option_number(word, -1e9, 1e9, &o->value) && o->value != 0.0) ||
         command_wrong(&latency_command, "--value", "a number other than 0", word);
}

static bool take_protocol(char *word, void *options)
{
  struct options *o = options;
  o->osc = strcmp(word, "osc") == 0 || strcmp(word, "all") == 0;
  o->modbus = strcmp(word, "modbus") == 0 || strcmp(word, "all") == 0;
  return o->osc || o->modbus || command_wrong(&latency_command, "--protocol", "osc, modbus or all", word);
}

/* Returns -1 to go on, else the exit status. */
static int take_options(struct options *o, int argc, char **argv)
{
  *o = (struct options){
      .value = (double)NAN, .wait = 1.0, .limit = INFINITY, .count = 1000, .osc = true, .modbus = true};
  const int status = command_read(&latency_command, argc, argv, o);
  if (status >= 0) return status;
  if (optind + 1 != argc) {
    command_wrong(&latency_command, "FILE", "one configuration", optind < argc ? "several" : "none");
    return command_refuse(&latency_command);
  }
  o->file = argv[optind];
  return -1;
}

/* Finds the channel to toggle. */
static bool find_channel(const struct options *o, const struct settings *s, struct toggle *t)
{
  const struct signals *table = s->signals;
  if (table->channels == 0)
    return command_wrong(&latency_command, "FILE", "a configuration with at least one input", "none");
  t->signal = o->input ? signals_find(table, o->input) : table->input_first;
  t->channel = t->signal - table->input_first;
  if (t->signal >= 0 && t->channel >= 0 && t->channel < table->channels) return true;
  return command_wrong(&latency_command, "--input", "one of the signals input.* of the configuration",
                       o->input);
}

/* Both values lie in the range of the input: the daemon clamps others, and never shows them. */
static bool choose_values(const struct options *o, const struct signals *table, struct toggle *t)
{
  static const double STEP = 1e-3;
  const struct input_range *range = signals_range(table, t->signal);
  char expected[200], found[32];
  t->rest = fmin(fmax(0.0, range->lower), range->upper);
  t->value = !isnan(o->value) ? o->value : t->rest + STEP <= range->upper ? t->rest + STEP : t->rest - STEP;
  if (t->value >= range->lower && t->value <= range->upper && t->value != t->rest) return true;
  snprintf(expected, sizeof expected, "another value than %g, within %g to %g, the range of %s", t->rest,
           range->lower, range->upper, table->signal[t->signal].name);
  snprintf(found, sizeof found, "%g", t->value);
  return command_wrong(&latency_command, "--value", expected, found);
}

static void show_count(const struct probe *p, int done, int count)
{
  if (isatty(STDERR_FILENO) && (done % 50 == 0 || done == count))
    fprintf(stderr, "\r%s: %d of %d%s", p->name, done, count, done == count ? "\n" : "");
}

/* If a clock starts the cycles, questions come at all phases of a cycle; if frames do, at their rate. */
static uint64_t next_question(const struct settings *s, uint64_t asked_ns, unsigned short seed[3])
{
  const double period = s->options.dt * (double)NS_PER_S;
  const bool paced = s->cycle.clock == CLOCKING_INPUT;
  return asked_ns + (uint64_t)(paced ? period : period * (1.0 + erand48(seed)));
}

/* Returns false if the connection broke. */
static bool measure_probe(const struct probe *p, const struct options *o, const struct toggle *t,
                          struct samples *s)
{
  /* Connect. */
  char error[400];
  unsigned short seed[3] = {1, 2, 3};
  void *open = p->open(t, error, sizeof error);
  if (!open) {
    fprintf(stderr, "ali3-latency: %s\n", error);
    return false;
  }
  /* Toggle, and count lost answers. */
  enum { PATIENCE = 10 };
  bool ok = true;
  int silent = 0;
  for (int i = 0; ok && i < o->count; i++) {
    const uint64_t asked_ns = clock_now_ns();
    const uint64_t took_ns = p->ask(open, i % 2 ? t->rest : t->value, error, sizeof error);
    ok = took_ns != UINT64_MAX;
    silent = took_ns == 0 ? silent + 1 : 0;
    if (took_ns == 0) {
      s->lost++;
      fprintf(stderr, "%sali3-latency: %s: measurement %d is lost: %s\n", isatty(STDERR_FILENO) ? "\n" : "",
              p->name, i + 1, error);
    } else if (ok) {
      s->us[s->count++] = (double)took_ns * 1e-3;
    }
    if (silent == PATIENCE) {
      snprintf(
          error, sizeof error,
          "%s: no answer to %d measurements in a row. The daemon must run this file, be in none of SAFE and "
          "FAULT, and let this host write; no other client may own the input, and its rate must let it reach "
          "%g within %g s. The log of the daemon has the reason",
          p->name, PATIENCE, t->value, (double)t->wait_ns / (double)NS_PER_S);
      ok = false;
    }
    show_count(p, i + 1, o->count);
    clock_sleep_until_ns(next_question(t->settings, asked_ns, seed));
  }
  /* Leave the input at rest. */
  if (!ok) fprintf(stderr, "%sali3-latency: %s\n", isatty(STDERR_FILENO) ? "\n" : "", error);
  if (ok || silent == PATIENCE) p->ask(open, t->rest, error, sizeof error);
  p->close(open);
  samples_sort(s);
  return ok;
}

static json_t *figures_object(const struct probe *p, const struct toggle *t, const struct samples *s)
{
  json_t *all = json_array(),
         *o = json_pack("{s:s, s:s, s:f, s:i, s:i, s:o}", "protocol", p->name, "input",
                        t->settings->signals->signal[t->signal].name, "period_us",
                        t->settings->options.dt * 1e6, "answers", s->count, "lost", s->lost, "us", all);
  static const struct {
    const char *key;
    double fraction;
  } of[] = {{"min", 0.0}, {"median", 0.5}, {"p99", 0.99}, {"p999", 0.999}, {"max", 1.0}};
  for (size_t i = 0; i < sizeof of / sizeof *of && s->count; i++)
    json_object_set_new(o, of[i].key, json_real(samples_percentile(s, of[i].fraction)));
  for (int i = 0; i < s->count; i++) json_array_append_new(all, json_real(s->us[i]));
  return o;
}

/* The protocol that has set an input owns it until it has been silent for a second, or for hold if that is longer. */
static uint64_t release_ns(const struct input_spec *input)
{
  return (uint64_t)((fmax(1.0, input->hold) + 0.2) * (double)NS_PER_S);
}

static int run_probes(const struct options *o, const struct settings *settings)
{
  /* Find the channel to toggle. */
  struct toggle t = {.settings = settings, .wait_ns = (uint64_t)(o->wait * (double)NS_PER_S)};
  if (!find_channel(o, settings, &t) || !choose_values(o, settings->signals, &t)) return STATUS_USAGE;
  if (settings->cycle.clock == CLOCKING_LOCKSTEP) {
    command_wrong(&latency_command, "FILE", "cycle.clock timer or input",
                  "lockstep, where the daemon waits for steps");
    return STATUS_USAGE;
  }
  /* List the protocols. The input changes its owner between them. */
  const struct {
    const struct probe *probe;
    bool wanted;
  } way[] = {{&probe_osc, o->osc && settings->osc.enabled},
             {&probe_modbus, o->modbus && settings->modbus.enabled && settings->modbus.tcp}};
  const struct input_spec *input = &settings->signals->input[0];
  while (t.channel >= input->first + input->count) input++;
  struct samples s = {.us = calloc((size_t)o->count, sizeof *s.us)};
  json_t *list = json_array();
  int status = STATUS_OK, ways = 0;
  /* Measure one after the other. */
  for (size_t i = 0; s.us && i < sizeof way / sizeof *way; i++) {
    if (!way[i].wanted) continue;
    if (ways > 0) clock_sleep_until_ns(clock_now_ns() + release_ns(input));
    s.count = s.lost = 0;
    ways++;
    if (!measure_probe(way[i].probe, o, &t, &s) || s.lost || s.count == 0) status = STATUS_FAILED;
    if (s.count && samples_percentile(&s, 0.999) > o->limit * 1e3) status = STATUS_FAILED;
    if (o->json)
      json_array_append_new(list, figures_object(way[i].probe, &t, &s));
    else
      samples_print(&s, way[i].probe->name, stdout);
  }
  /* Write the report. */
  if (ways == 0) {
    command_wrong(&latency_command, "--protocol", "a protocol that the configuration has on", "none of them");
    status = STATUS_USAGE;
  }
  if (o->json && ways) {
    json_dumpf(list, stdout, JSON_INDENT(1) | JSON_PRESERVE_ORDER | JSON_REAL_PRECISION(9));
    putchar('\n');
  }
  json_decref(list);
  if (!s.us) status = STATUS_FAILED;
  free(s.us);
  return status;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  struct options o;
  int status = take_options(&o, argc, argv);
  if (status >= 0) return status;
  struct settings *settings = setup_load(o.file, NULL, stderr);
  if (!settings) return STATUS_USAGE;
  status = run_probes(&o, settings);
  settings_free(settings);
  return status;
}
