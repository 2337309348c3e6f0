/* SPDX-License-Identifier: MIT
 * ali3-fmu check: looks into an FMU, and runs it in a child process, so that a fault in it ends the child alone. */
#include "fmu/importer.h"
#include "fmu/unpack.h"
#include "fmu_tool.h"

#include <ctype.h>
#include <errno.h>
#include <jansson.h>
#include <limits.h>
#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHECK_STEPS = 100, STATE_STEPS = 20 };

/* --- findings --- */

/* Lines of a level and a text; the child sends its lines to the parent. */
struct verdict {
  FILE *out; /* NULL: keeps them in the list */
  json_t *list;
  int errors, warnings;
  bool ended; /* the child has said all */
};

static void keep_finding(struct verdict *v, const char *level, const char *text)
{
  v->errors += strcmp(level, "error") == 0;
  v->warnings += strcmp(level, "warning") == 0;
  json_array_append_new(v->list, json_pack("{s:s, s:s}", "level", level, "text", text));
}

__attribute__((format(printf, 3, 4))) static bool add_finding(struct verdict *v, const char *level,
                                                              const char *format, ...)
{
  char text[800];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  if (v->out)
    fprintf(v->out, "%s %s\n", level, text);
  else
    keep_finding(v, level, text);
  return strcmp(level, "error") != 0;
}

/* --- the description --- */

static int compare_references(const void *a, const void *b)
{
  const unsigned x = ((const struct read_variable *)a)->reference,
                 y = ((const struct read_variable *)b)->reference;
  return (x > y) - (x < y);
}

static int compare_variable_names(const void *a, const void *b)
{
  return strcmp(((const struct read_variable *)a)->name, ((const struct read_variable *)b)->name);
}

static bool is_c_identifier(const char *word)
{
  if (!isalpha((unsigned char)word[0]) && word[0] != '_') return false;
  for (const char *c = word; *c; c++)
    if (!isalnum((unsigned char)*c) && *c != '_') return false;
  return true;
}

/* Sorts the variables. FMI 2 allows several variables with one reference. */
static void check_variables(struct verdict *v, struct description *d)
{
  const size_t n = (size_t)d->variables;
  qsort(d->variable, n, sizeof *d->variable, compare_references);
  for (size_t i = 1; d->version == 3 && i < n; i++)
    if (d->variable[i].reference == d->variable[i - 1].reference)
      add_finding(v, "error", "\"%s\" and \"%s\" have the same value reference %u", d->variable[i - 1].name,
                  d->variable[i].name, d->variable[i].reference);
  qsort(d->variable, n, sizeof *d->variable, compare_variable_names);
  for (size_t i = 1; i < n; i++)
    if (strcmp(d->variable[i].name, d->variable[i - 1].name) == 0)
      add_finding(v, "error", "two variables have the name \"%s\"", d->variable[i].name);
}

static bool check_description(struct verdict *v, struct description *d)
{
  add_finding(v, "ok", "FMI %d.0, %d variables", d->version, d->variables);
  if (!d->name) add_finding(v, "error", "modelDescription.xml has no modelName");
  if (!d->token)
    add_finding(v, "error", "modelDescription.xml has no %s",
                d->version == 3 ? "instantiationToken" : "guid");
  if (d->identifier && !is_c_identifier(d->identifier))
    add_finding(v, "error", "modelIdentifier \"%s\": expected an identifier of C", d->identifier);
  check_variables(v, d);
  if (!d->identifier) add_finding(v, "warning", "the FMU is not for co-simulation, so nothing was run");
  return d->token && d->identifier && v->errors == 0;
}

/* --- a run --- */

static double length_of_check_step(const struct description *d)
{
  return d->step > 0.0 ? d->step : 0.01;
}

/* Steps of the first part of a run, or of the part from a saved state: both end before the stop time of the description. */
static int count_check_steps(const struct description *d, bool from_state)
{
  const double most = d->stop > 0.0 ? d->stop / length_of_check_step(d) - 1.0 : INFINITY;
  const int wanted = from_state ? STATE_STEPS : CHECK_STEPS;
  if (most >= CHECK_STEPS + STATE_STEPS) return wanted;
  const double share = most * wanted / (CHECK_STEPS + STATE_STEPS);
  return share >= 1.0 ? (int)share : 1;
}

/* The real variables that are no arrays, with their values. */
struct seen_values {
  unsigned *reference;   /* (count) */
  double *value, *saved; /* (count) */
  int *variable;         /* (count) index in the description */
  size_t count;
};

static bool list_values(struct seen_values *s, const struct description *d)
{
  const size_t n = (size_t)d->variables + 1;
  *s = (struct seen_values){.reference = calloc(n, sizeof *s->reference),
                            .value = calloc(n, sizeof *s->value),
                            .saved = calloc(n, sizeof *s->saved),
                            .variable = calloc(n, sizeof *s->variable)};
  if (!s->reference || !s->value || !s->saved || !s->variable) return false;
  for (int i = 0; i < d->variables; i++) {
    if (!variable_is_real(&d->variable[i]) || d->variable[i].array) continue;
    s->variable[s->count] = i;
    s->reference[s->count++] = d->variable[i].reference;
  }
  return true;
}

static void free_values(struct seen_values *s)
{
  free(s->reference);
  free(s->value);
  free(s->saved);
  free(s->variable);
}

static bool look_at_values(struct verdict *v, struct importer *i, const struct description *d,
                           struct seen_values *s, double time)
{
  const int status = importer_get(i, s->reference, s->count, s->value);
  if (status >= IMPORTER_ERROR)
    return add_finding(v, "error", "reading all real variables at %g s ends with status %s", time,
                       importer_status_text(status));
  for (size_t k = 0; k < s->count; k++)
    if (!isfinite(s->value[k]))
      return add_finding(v, "error", "\"%s\" is %g at %g s", d->variable[s->variable[k]].name, s->value[k],
                         time);
  return true;
}

/* *at: the time, by the sums that the FMU itself may form; see importer_step(). */
static bool take_steps(struct verdict *v, struct importer *i, double *at, int count, double step)
{
  for (int k = 0; k < count; k++) {
    double next;
    bool ends;
    const int status = importer_step(i, *at, step, &next, &ends);
    if (ends) {
      add_finding(v, "warning", "the FMU asks to end in the step from %g s, so no more was run", *at);
      return false;
    }
    if (status >= IMPORTER_DISCARD)
      return add_finding(v, "error", "the step from %g s ends with status %s", *at,
                         importer_status_text(status));
    *at = next;
  }
  return true;
}

static bool has_saved_values(const struct seen_values *s)
{
  return memcmp(s->value, s->saved, s->count * sizeof *s->value) == 0;
}

/* After a state is set, the steps from it have the same bits. at: the time of the state. */
static bool check_states(struct verdict *v, struct importer *i, const struct description *d,
                         struct seen_values *s, double at, double step)
{
  const int more = count_check_steps(d, true);
  double t = at;
  void *state, *again = NULL;
  if (!d->keeps_state) return add_finding(v, "warning", "the FMU cannot get and set its state");
  if (importer_get_state(i, &state) >= IMPORTER_ERROR)
    return add_finding(v, "error", "the state cannot be read");
  bool good = take_steps(v, i, &t, more, step) && look_at_values(v, i, d, s, t);
  memcpy(s->saved, s->value, s->count * sizeof *s->value);
  /* The same steps from the state, then from its bytes. */
  for (int turn = 0; good && turn < (d->serialises ? 2 : 1); turn++) {
    size_t size = 0;
    unsigned char *bytes = turn ? importer_serialise(i, state, &size) : NULL;
    if (turn && (!bytes || importer_deserialise(i, bytes, size, &again) >= IMPORTER_ERROR))
      good = add_finding(v, "error", "the state cannot be made into bytes and back");
    free(bytes);
    if (good && importer_set_state(i, turn ? again : state) >= IMPORTER_ERROR)
      good = add_finding(v, "error", "the state cannot be set");
    t = at;
    good = good && take_steps(v, i, &t, more, step) && look_at_values(v, i, d, s, t);
    if (good && !has_saved_values(s))
      good = add_finding(v, "error", "the steps from a %s state have other values",
                         turn ? "serialized" : "saved");
  }
  importer_free_state(i, &state);
  if (again) importer_free_state(i, &again);
  return good && add_finding(v, "ok", "steps from a saved state have the same bits");
}

/* A run after a reset has the bits of the first run. */
static bool check_reset(struct verdict *v, struct importer *i, const struct description *d,
                        struct seen_values *s, const double *first, double step)
{
  double at = 0.0;
  if (importer_terminate(i) >= IMPORTER_ERROR) return add_finding(v, "error", "Terminate ends with an error");
  if (importer_reset(i) >= IMPORTER_ERROR || importer_initialise(i) >= IMPORTER_ERROR)
    return add_finding(v, "error", "the FMU cannot be initialized after a reset");
  if (!take_steps(v, i, &at, count_check_steps(d, false), step) || !look_at_values(v, i, d, s, at))
    return false;
  if (memcmp(s->value, first, s->count * sizeof *first) != 0)
    return add_finding(v, "error", "a run after a reset has other values");
  return add_finding(v, "ok", "a run after a reset has the same bits");
}

/* Every input takes its own value, which changes nothing. */
static bool check_inputs(struct verdict *v, struct importer *i, const struct description *d)
{
  int count = 0;
  for (int k = 0; k < d->variables; k++) {
    const struct read_variable *one = &d->variable[k];
    double value, after = NAN;
    if (strcmp(one->causality, "input") != 0 || one->kind > FMU_Boolean || one->array) continue;
    /* It reads back. */
    int status = importer_get_one(i, one, &value);
    if (status < IMPORTER_ERROR) status = importer_set_one(i, one, value);
    if (status < IMPORTER_ERROR) status = importer_get_one(i, one, &after);
    if (status >= IMPORTER_ERROR)
      return add_finding(v, "error", "setting the input \"%s\" ends with status %s", one->name,
                         importer_status_text(status));
    if (after != value)
      return add_finding(v, "error", "the input \"%s\" is %g after it was set to %g", one->name, after,
                         value);
    count++;
  }
  return count == 0 || add_finding(v, "ok", "%d inputs can be set", count);
}

static bool run_instance(struct verdict *v, struct importer *i, const struct description *d,
                         struct seen_values *s)
{
  const double step = length_of_check_step(d);
  const int steps = count_check_steps(d, false);
  double at = 0.0;
  if (!importer_instantiate(i, "check")) return add_finding(v, "error", "the FMU cannot be instantiated");
  /* The first run; then its state, and a second run. */
  if (importer_initialise(i) >= IMPORTER_ERROR) return add_finding(v, "error", "the initialization fails");
  if (!look_at_values(v, i, d, s, at) || !take_steps(v, i, &at, steps, step) ||
      !look_at_values(v, i, d, s, at))
    return false;
  add_finding(v, "ok", "%d steps of %g s, %zu real variables", steps, step, s->count);
  double *first = malloc((s->count + 1) * sizeof *first);
  if (!first) return add_finding(v, "error", "out of memory");
  memcpy(first, s->value, s->count * sizeof *first);
  const bool good =
      check_inputs(v, i, d) && check_states(v, i, d, s, at, step) && check_reset(v, i, d, s, first, step);
  free(first);
  return good;
}

static void run_in_child(struct verdict *v, const struct description *d, const char *folder)
{
  char why[FMU_WHY];
  struct seen_values s = {0};
  struct importer *i = importer_open(d, folder, NULL, NULL, why);
  if (!i)
    add_finding(v, "error", "%s", why);
  else if (importer_missing(i))
    add_finding(v, "error", "the object has no function %s", importer_missing(i));
  else if (!list_values(&s, d))
    add_finding(v, "error", "out of memory");
  else
    run_instance(v, i, d, &s);
  if (i) free_values(&s);
  importer_close(i);
}

/* --- the child --- */

static void take_findings(struct verdict *v, FILE *in)
{
  char line[900];
  while (fgets(line, sizeof line, in)) {
    line[strcspn(line, "\n")] = '\0';
    char *text = strchr(line, ' ');
    if (!text) continue;
    *text++ = '\0';
    v->ended |= strcmp(line, "end") == 0;
    if (!v->ended) keep_finding(v, line, text);
  }
}

/* The findings go to the pipe line by line, so that those before a fault arrive. Texts of the FMU must not come between them and
 * the report. An FMU that hangs gets SIGALRM. */
static _Noreturn void live_as_child(const struct description *d, const char *folder, int pipe_end,
                                    double patience)
{
  struct verdict own = {.out = fdopen(pipe_end, "w")};
  const struct itimerval limit = {
      .it_value = {.tv_sec = (time_t)patience, .tv_usec = (suseconds_t)(fmod(patience, 1.0) * 1e6)}};
  dup2(STDERR_FILENO, STDOUT_FILENO);
  setitimer(ITIMER_REAL, &limit, NULL);
  if (!own.out) _exit(1);
  setvbuf(own.out, NULL, _IOLBF, 0);
  run_in_child(&own, d, folder);
  fputs("end of findings\n", own.out);
  _exit(fclose(own.out) == 0 ? 0 : 1);
}

static void run_fmu(struct verdict *v, const struct description *d, const char *folder, double patience)
{
  int ends[2], status = 0;
  fflush(stdout);
  fflush(stderr);
  const pid_t child = pipe(ends) == 0 ? fork() : -1;
  if (child < 0) {
    add_finding(v, "error", "no process for the run: %s", strerror(errno));
    return;
  }
  if (child == 0) {
    close(ends[0]);
    live_as_child(d, folder, ends[1], patience);
  }
  close(ends[1]);
  FILE *in = fdopen(ends[0], "r");
  if (in) take_findings(v, in);
  if (in) fclose(in);
  /* An object that faults ends the child by a signal. */
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFSIGNALED(status) && WTERMSIG(status) == SIGALRM)
    add_finding(v, "error", "the run takes longer than %g s; --patience S gives it more", patience);
  else if (WIFSIGNALED(status))
    add_finding(v, "error", "the FMU ended its process by signal %d (%s)", WTERMSIG(status),
                strsignal(WTERMSIG(status)));
  else if (!v->ended)
    add_finding(v, "error", "the FMU ended its process with exit status %d", WEXITSTATUS(status));
}

static void print_fmu_verdict(const struct verdict *v, const char *fmu, bool json)
{
  size_t i;
  json_t *one;
  if (json) {
    json_t *all = json_pack("{s:s, s:b, s:O}", "file", fmu, "good", v->errors == 0, "findings", v->list);
    json_dumpf(all, stdout, JSON_INDENT(1));
    putchar('\n');
    json_decref(all);
    return;
  }
  json_array_foreach(v->list, i, one) printf("%s: %s\n", json_string_value(json_object_get(one, "level")),
                                             json_string_value(json_object_get(one, "text")));
  printf("%s: %d errors, %d warnings\n", fmu, v->errors, v->warnings);
}

int check_fmu(const char *fmu, bool json, double patience)
{
  struct description d;
  struct verdict v = {.list = json_array()};
  char path[PATH_MAX], why[FMU_WHY];
  char *folder = description_read(&d, fmu, why) ? fmu_unpack(fmu, why) : NULL;
  if (!folder || !v.list) {
    fmu_complain("%s", folder ? "out of memory" : why);
    fmu_remove(folder);
    description_free(&d);
    json_decref(v.list);
    return EXIT_RUN;
  }
  /* The files, then the run. */
  if (check_description(&v, &d)) {
    snprintf(path, sizeof path, "%s/binaries/%s/%s.so", folder, importer_platform(d.version), d.identifier);
    if (access(path, R_OK) == 0)
      run_fmu(&v, &d, folder, patience);
    else
      add_finding(&v, "error", "the FMU has no object for this machine, binaries/%s/%s.so",
                  importer_platform(d.version), d.identifier);
  }
  print_fmu_verdict(&v, fmu, json);
  const int errors = v.errors;
  fmu_remove(folder);
  description_free(&d);
  json_decref(v.list);
  return errors ? EXIT_RUN : EXIT_GOOD;
}
