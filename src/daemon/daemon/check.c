/* SPDX-License-Identifier: MIT
 * --check: findings about the mechanism as text, one line each, or as JSON. */
#include "daemon/check.h"

#include "config/setup.h"
#include "findings/findings.h"
#include "rt/clock.h"

#include <ali3/model.h>
#include <jansson.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct check {
  const char *file;
  const struct settings *settings;
  const struct findings *findings;
  bool strict;
};

static enum finding_severity severity_of(const struct check *c, const struct finding *f)
{
  return c->strict && f->severity == FINDING_WARNING ? FINDING_ERROR : f->severity;
}

static int errors_of(const struct check *c)
{
  return findings_of(c->findings, FINDING_ERROR) +
         (c->strict ? findings_of(c->findings, FINDING_WARNING) : 0);
}

/* Forces of the file; a load driven by an input counts as an input. */
static int own_forces(const struct settings *s)
{
  int forces = ali3_model_loads(s->model) + ali3_model_forces(s->model);
  for (int i = 0; i < s->inputs; i++)
    if (s->input[i].kind == INPUT_WRENCH) forces -= 2;
  return forces;
}

static struct place place_of_finding(const struct check *c, const struct finding *f)
{
  const struct places *p = &c->settings->places;
  switch (f->kind) {
  case FINDING_OF_BODY:
    return places_get(&p->body, f->index);
  case FINDING_OF_JOINT:
    return places_get(&p->joint, f->index);
  case FINDING_OF_FORCE:
    return places_get(&p->force, f->index);
  default:
    return f->id == FINDING_GRAVITY && p->gravity.line > 0 ? p->gravity : p->model;
  }
}

static const char *name_of(const struct check *c, const struct finding *f)
{
  const ali3_model *m = c->settings->model;
  const char *name = f->kind == FINDING_OF_BODY    ? ali3_model_body_name(m, f->index)
                     : f->kind == FINDING_OF_JOINT ? ali3_model_joint_name(m, f->index)
                     : f->kind == FINDING_OF_FORCE ? ali3_model_force_name(m, f->index)
                                                   : ali3_model_name(m);
  return name ? name : "";
}

static void print_finding(const struct check *c, const struct finding *f, FILE *out)
{
  const struct place at = place_of_finding(c, f);
  fputs(c->settings->places.file, out);
  if (at.line > 0) fprintf(out, ":%d:%d", at.line, at.column);
  fprintf(out, ": %s: %s [%s]\n", finding_severity_name(severity_of(c, f)), f->text, finding_name(f->id));
}

static void print_summary(const struct check *c)
{
  const struct settings *s = c->settings;
  const struct findings *f = c->findings;
  const int warnings = findings_of(f, FINDING_WARNING);
  char freedoms[40] = "", redundant[40] = "", warned[40] = "";
  if (f->freedoms >= 0) snprintf(freedoms, sizeof freedoms, ", freedoms %d", f->freedoms);
  if (f->redundant >= 0) snprintf(redundant, sizeof redundant, " (redundant %d)", f->redundant);
  if (warnings) snprintf(warned, sizeof warned, ", %d warning%s", warnings, warnings > 1 ? "s" : "");
  printf("%s: ok: %s: bodies %d, joints %d, forces %d, rows %d%s%s, inputs %d, %s%s%speriod %g s%s%s%s\n",
         c->file, ali3_model_name(s->model), ali3_model_bodies(s->model), ali3_model_joints(s->model),
         own_forces(s), ali3_model_rows(s->model), redundant, freedoms, s->inputs,
         s->platform.enabled ? "platform " : "",
         s->platform.enabled ? platform_mode_name(s->platform.spec.mode) : "",
         s->platform.enabled ? ", " : "", s->options.dt, warned, f->start[0] ? "; " : "", f->start);
}

/* Errors to standard error; without errors the warnings, the summary, then the notes. */
static void print_text(const struct check *c)
{
  const struct findings *f = c->findings;
  const bool good = errors_of(c) == 0;
  int i = 0;
  for (; i < f->count && f->item[i].severity != FINDING_INFO; i++)
    print_finding(c, &f->item[i], severity_of(c, &f->item[i]) == FINDING_ERROR ? stderr : stdout);
  if (good) print_summary(c);
  for (; i < f->count; i++) print_finding(c, &f->item[i], stdout);
}

static json_t *finite_json(double v)
{
  return isfinite(v) ? json_real(v) : json_null();
}

static json_t *place_json(const char *file, struct place at)
{
  return at.line > 0 ? json_pack("{s:s, s:i, s:i}", "file", file, "line", at.line, "column", at.column)
                     : json_pack("{s:s}", "file", file);
}

static json_t *finding_json(const struct check *c, const struct finding *f)
{
  json_t *numbers = json_object();
  for (int i = 0; i < f->numbers; i++)
    json_object_set_new(
        numbers, f->number[i].name,
        json_pack("{s:o, s:s}", "value", finite_json(f->number[i].value), "unit", f->number[i].unit));
  return json_pack(
      "{s:s, s:s, s:{s:s, s:s}, s:o, s:o, s:s}", "severity", finding_severity_name(severity_of(c, f)), "id",
      finding_name(f->id), "element", "kind", finding_kind_name(f->kind), "name", name_of(c, f), "place",
      place_json(c->settings->places.file, place_of_finding(c, f)), "numbers", numbers, "text", f->text);
}

static json_t *count_json(int n)
{
  return n >= 0 ? json_integer(n) : json_null();
}

static json_t *summary_json(const struct check *c)
{
  const struct settings *s = c->settings;
  return json_pack("{s:s, s:i, s:i, s:i, s:i, s:o, s:o, s:i, s:o, s:f}", "model", ali3_model_name(s->model),
                   "bodies", ali3_model_bodies(s->model), "joints", ali3_model_joints(s->model), "forces",
                   own_forces(s), "rows", ali3_model_rows(s->model), "redundant",
                   count_json(c->findings->redundant), "freedoms", count_json(c->findings->freedoms),
                   "inputs", s->inputs, "platform",
                   s->platform.enabled ? json_string(platform_mode_name(s->platform.spec.mode)) : json_null(),
                   "period_s", s->options.dt);
}

/* Takes over `root`; NULL: out of memory. */
static bool print_root(json_t *root)
{
  const bool good = root && json_dumpf(root, stdout, JSON_INDENT(2) | JSON_PRESERVE_ORDER) == 0;
  json_decref(root);
  putchar('\n');
  return good;
}

static bool print_json(const struct check *c)
{
  const char *status = errors_of(c) ? "error" : findings_of(c->findings, FINDING_WARNING) ? "warning" : "ok";
  json_t *list = json_array();
  for (int i = 0; i < c->findings->count; i++)
    json_array_append_new(list, finding_json(c, &c->findings->item[i]));
  return print_root(json_pack("{s:s, s:s, s:b, s:o, s:o}", "file", c->file, "status", status, "strict",
                              c->strict, "summary", summary_json(c), "findings", list));
}

/* Turns messages of the reader (FILE:LINE:COLUMN: error: TEXT, then the line and a caret) into findings. */
static bool print_refused(const char *file, bool strict, char *messages)
{
  static const char MARK[] = ": error: ";
  json_t *list = json_array();
  for (char *line = strtok(messages, "\n"); line; line = strtok(NULL, "\n")) {
    char *text = strstr(line, MARK);
    struct place at = {0};
    if (!text) continue;
    *text = '\0';
    /* Split FILE:LINE:COLUMN; a message without a line has only the file. */
    char *column = strrchr(line, ':'), *row = NULL;
    if (column) {
      *column = '\0';
      row = strrchr(line, ':');
      *column = ':';
    }
    /* NOLINTNEXTLINE(cert-err34-c): report.c wrote it */
    if (row && sscanf(row, ":%d:%d", &at.line, &at.column) == 2) *row = '\0';
    json_array_append_new(list, json_pack("{s:s, s:s, s:o, s:s}", "severity", "error", "id", "file", "place",
                                          place_json(line, at), "text", text + sizeof MARK - 1));
  }
  return print_root(json_pack("{s:s, s:s, s:b, s:n, s:o}", "file", file, "status", "error", "strict", strict,
                              "summary", "findings", list));
}

/* Reads the file; its mistakes always go to standard error. */
static struct settings *read_settings(const struct options *o, const struct settings_overrides *over)
{
  char *messages = NULL;
  size_t size;
  FILE *errors = o->check == CHECK_JSON ? open_memstream(&messages, &size) : NULL;
  struct settings *s = setup_load(o->file, over, errors ? errors : stderr);
  if (!errors) return s;
  fclose(errors);
  if (messages) fputs(messages, stderr);
  if (!s && messages) print_refused(o->file, o->strict, messages);
  free(messages);
  return s;
}

/* The shortest of some steps, s; 0: none succeeds, or nobody asks. */
static double step_seconds(const ali3_model *m)
{
  enum { STEPS = 200 };
  uint64_t least = UINT64_MAX;
  ali3_data *d = ali3_model_options(m)->retry > 0 ? ali3_data_new(m) : NULL;
  if (!d) return 0.0;
  bool good = ali3_reset(m, d) >= 0;
  for (int i = 0; i < STEPS && good; i++) {
    const uint64_t begin = clock_now_ns();
    good = ali3_step(m, d) >= 0;
    const uint64_t took = clock_now_ns() - begin;
    if (good && took < least) least = took;
  }
  ali3_data_free(d);
  return least < UINT64_MAX ? (double)least * 1e-9 : 0.0;
}

/* The equilibrium that simulation.start asks for exists. False after printing the reason. */
static bool starts_at_rest(const char *file, const struct settings *s)
{
  char why[400] = "out of memory";
  if (s->start != START_REST) return true;
  ali3_data *d = ali3_data_new(s->model);
  const bool good = d && setup_start(s, s->model, d, why, sizeof why) >= 0;
  ali3_data_free(d);
  if (!good) fprintf(stderr, "%s: error: %s\n", file, why);
  return good;
}

int check_file(const struct options *o, const struct settings_overrides *over)
{
  struct settings *s = read_settings(o, over);
  if (!s) return STATUS_USAGE;
  /* Examine the mechanism. */
  const struct findings_given given = {.gravity = s->places.gravity.line > 0,
                                       .accuracy = o->accuracy,
                                       .step = step_seconds(s->model),
                                       .rows = s->rows[0] ? s->rows : NULL,
                                       .iterations = s->iterations[0] ? s->iterations : NULL};
  struct findings *f = findings_make(s->model, &given);
  const struct check c = {o->file, s, f, o->strict};
  int status = STATUS_OK;
  bool printed = f != NULL;
  if (!f)
    fprintf(stderr, "ali3d: %s\n", ali3_status_text(ALI3_E_MEMORY));
  else if (o->check == CHECK_JSON)
    printed = print_json(&c);
  else
    print_text(&c);
  if (f && errors_of(&c) > 0) status = STATUS_USAGE;
  if (status == STATUS_OK && !starts_at_rest(o->file, s)) status = STATUS_USAGE;
  if (!printed) status = STATUS_FAILED;
  findings_free(f);
  settings_free(s);
  return status;
}
