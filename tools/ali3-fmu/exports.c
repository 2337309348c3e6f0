/* SPDX-License-Identifier: MIT
 * The variables of an FMU: time, inputs, outputs, locals, parameters. */
#include "common/globs.h"
#include "config/params.h"
#include "fmu_tool.h"
#include "model/spec_fields.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

const char *const causality_word[CAUSALITIES] = {"independent", "input", "output", "local", "parameter"};

/* --- lists of candidates --- */

struct candidate {
  struct fmu_variable v; /* v.name belongs to the list */
  const char *unit, *text;
};
struct candidates {
  struct candidate *candidate; /* (count) */
  int count, room;
};

static bool add_candidate(struct candidates *c, const struct candidate *one, const char *name)
{
  if (c->count == c->room) {
    const int room = 2 * c->room + 64;
    struct candidate *grown = realloc(c->candidate, (size_t)room * sizeof *grown);
    if (!grown) return fmu_complain("out of memory");
    c->candidate = grown;
    c->room = room;
  }
  c->candidate[c->count] = *one;
  c->candidate[c->count].v.name = strdup(name);
  if (!c->candidate[c->count].v.name) return fmu_complain("out of memory");
  c->count++;
  return true;
}

static void free_candidates(struct candidates *c)
{
  for (int i = 0; i < c->count; i++) free(c->candidate[i].v.name);
  free(c->candidate);
}

static const char *name_of_candidate(const void *of, int i)
{
  return ((const struct candidates *)of)->candidate[i].v.name;
}

/* --- names --- */

static bool is_identifier(const char *word, size_t length)
{
  for (size_t i = 0; i < length; i++)
    if (!(isalpha((unsigned char)word[i]) || word[i] == '_' || (i > 0 && isdigit((unsigned char)word[i]))))
      return false;
  return length > 0;
}

/* body.my-body.position.x as body.'my-body'.position.x. */
static char *structured_name(const char *name)
{
  char *out = malloc(3 * strlen(name) + 3), *to = out;
  if (!out) return NULL;
  for (const char *c = name; *c;) {
    const size_t length = strcspn(c, ".");
    const bool plain = is_identifier(c, length);
    if (!plain) *to++ = '\'';
    memcpy(to, c, length);
    to += length;
    if (!plain) *to++ = '\'';
    c += length;
    if (*c == '.') *to++ = *c++;
  }
  *to = '\0';
  return out;
}

static bool add_exported(struct exports *p, enum causality causality, const struct candidate *c)
{
  struct exported *grown = realloc(p->exported, ((size_t)p->table.count + 1) * sizeof *grown);
  if (!grown) return fmu_complain("out of memory");
  p->exported = grown;
  grown[p->table.count] = (struct exported){causality, structured_name(c->v.name), c->unit, c->text};
  if (grown[p->table.count].name && fmu_table_add(&p->table, &c->v)) return true;
  free(grown[p->table.count].name);
  return fmu_complain("out of memory");
}

void exports_free(struct exports *p)
{
  for (int i = 0; i < p->table.count; i++) free(p->exported[i].name);
  free(p->exported);
  fmu_table_free(&p->table);
}

/* --- inputs --- */

static double start_of_input(const ali3_model *m, const ali3_data *d, int force)
{
  ali3_force_state s;
  ali3_force_get(m, d, force, &s);
  return ali3_model_force_type(m, force) == ALI3_FORCE_DRIVE ? s.target : 0.0;
}

/* The channels of the inputs of the file, with their limits. */
static bool add_channel_candidates(struct candidates *c, const struct settings *s, const ali3_data *d)
{
  for (int i = 0; i < s->signals->inputs; i++) {
    const struct input_spec *in = &s->signals->input[i];
    if (in->kind != INPUT_VALUE && in->kind != INPUT_WRENCH) continue;
    /* A channel is the value of a force, or a component of one of two loads. */
    for (int k = 0; k < in->count; k++) {
      const struct input_range *r = &in->range[k];
      const struct signal *signal = &s->signals->signal[s->signals->input_first + in->first + k];
      struct candidate one = {.v = {.kind = FMU_COMMAND,
                                    .element = in->force,
                                    .mirror = -1,
                                    .lower = r->lower,
                                    .upper = r->upper,
                                    .rate = r->rate},
                              .unit = signal->unit};
      if (in->kind == INPUT_VALUE) {
        one.v.start = start_of_input(s->model, d, in->force);
      } else {
        one.v.kind = FMU_LOAD;
        one.v.element = in->load + k / 3;
        one.v.number = k % 3;
      }
      if (!add_candidate(c, &one, signal->name)) return false;
    }
  }
  return true;
}

/* Force and torque on each body, in world axes. */
static bool add_wrench_candidates(struct candidates *c, const struct settings *s)
{
  static const char *const part[] = {"force.x", "force.y", "force.z", "torque.x", "torque.y", "torque.z"};
  for (int b = 0; b < ali3_model_bodies(s->model); b++)
    for (int k = 0; k < 6; k++) {
      char name[300];
      const struct candidate one = {
          .v = {.kind = FMU_WRENCH, .element = b, .number = k, .mirror = -1, .lower = -1e20, .upper = 1e20},
          .unit = k < 3 ? "N" : "N m"};
      snprintf(name, sizeof name, "body.%s.%s", ali3_model_body_name(s->model, b), part[k]);
      if (!add_candidate(c, &one, name)) return false;
    }
  return true;
}

/* --- outputs and locals --- */

static bool add_signal_candidates(struct candidates *c, const struct settings *s)
{
  for (int i = 1; i < s->signals->input_first; i++) { /* 0 is the time */
    const struct signal *signal = &s->signals->signal[i];
    const struct candidate one = {.v = {.kind = FMU_SIGNAL, .mirror = -1}, .unit = signal->unit};
    if (!add_candidate(c, &one, signal->name)) return false;
  }
  return true;
}

static bool has_word_end(const char *name, const char *end)
{
  const size_t n = strlen(name), length = strlen(end);
  return n > length && strcmp(name + n - length, end) == 0;
}

/* Sensors, and coordinates of joints with their rates. */
static bool is_usual_output(const char *name)
{
  return strncmp(name, "sensor.", 7) == 0 ||
         (strncmp(name, "joint.", 6) == 0 &&
          (has_word_end(name, ".position") || has_word_end(name, ".velocity")));
}

static bool is_body_pose(const char *name)
{
  return strncmp(name, "body.", 5) == 0 && (strstr(name, ".position.") || strstr(name, ".orientation."));
}

/* --- parameters --- */

static const char *field_of_param(const struct param *p, int *number)
{
  const enum spec_element element = p->owner == PARAM_OF_BODY    ? SPEC_OF_BODY
                                    : p->owner == PARAM_OF_LOAD  ? SPEC_OF_LOAD
                                    : p->owner == PARAM_OF_FORCE ? SPEC_OF_FORCE
                                                                 : SPEC_OF_SENSOR;
  *number = 0;
  if (p->owner == PARAM_OF_MODEL || p->owner == PARAM_OF_SOLVER) return p->key->name;
  for (int i = 0; i < spec_fields[element].fields; i++) {
    const struct spec_field *f = &spec_fields[element].field[i];
    const size_t end = f->at + (size_t)f->count * sizeof(double);
    if (f->kind == SPEC_WHOLE && p->offset == f->at) return f->name;
    if (f->kind != SPEC_NUMBERS || p->offset < f->at || p->offset >= end) continue;
    *number = (int)((p->offset - f->at) / sizeof(double));
    return f->name;
  }
  return NULL;
}

/* Keys of elements on a joint have two units, "N m or N": the first one is for a revolute joint. */
static const char *unit_of_param(const struct param *p, const struct settings *s)
{
  static const struct {
    const char *both, *turning, *sliding;
  } units[] = {{"rad or m", "rad", "m"},
               {"rad/s or m/s", "rad/s", "m/s"},
               {"N m or N", "N m", "N"},
               {"N m/rad or N/m", "N m/rad", "N/m"},
               {"N m s/rad or N s/m", "N m s/rad", "N s/m"}};
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (p->owner == PARAM_OF_FORCE && strcmp(p->key->unit, units[i].both) == 0)
      return ali3_model_force_turns(s->model, p->element) ? units[i].turning : units[i].sliding;
  /* Keys of sensors list the units of all types: the sensor has the unit of what it shows, which is its first signal. */
  return p->owner == PARAM_OF_SENSOR && strchr(p->key->unit, ',')
             ? s->signals->signal[s->signals->sensor_first[p->element]].unit
             : p->key->unit;
}

/* The numbers of a parameter as variables: one, three, or the six of a symmetric matrix. */
static bool add_numbers_of_param(struct candidates *c, const struct param *p, const struct settings *s)
{
  static const enum fmu_owner owner[] = {
      [PARAM_OF_MODEL] = FMU_OF_MODEL, [PARAM_OF_SOLVER] = FMU_OF_SOLVER, [PARAM_OF_BODY] = FMU_OF_BODY,
      [PARAM_OF_LOAD] = FMU_OF_LOAD,   [PARAM_OF_FORCE] = FMU_OF_FORCE,   [PARAM_OF_SENSOR] = FMU_OF_SENSOR};
  double value[PARAM_NUMBERS];
  int first;
  /* The first number of the parameter in the spec of its element. */
  const char *field = field_of_param(p, &first);
  if (!field) return fmu_complain("%s: the parameter has no field in the model", p->name);
  params_get(p, s->model, value);
  /* One variable for each number that is finite. */
  int parts;
  const struct param_part *of = param_parts(p, &parts);
  for (int i = 0; i < (parts ? parts : 1); i++) {
    char name[PARAM_NAME + 4];
    const struct param_part part = parts ? of[i] : (struct param_part){"", 0, -1};
    const int number = part.number, mirror = part.mirror;
    if (!isfinite(value[number])) continue; /* no limit, or as at the start: FMI has no such number */
    struct candidate one = {.v = {.kind = FMU_PARAMETER,
                                  .element = p->element,
                                  .number = first + number,
                                  .mirror = mirror < 0 ? -1 : first + mirror,
                                  .owner = owner[p->owner],
                                  .flags = (p->key->ends & OPEN_MIN ? FMU_OPEN_LOWER : 0u) |
                                           (p->key->ends & OPEN_MAX ? FMU_OPEN_UPPER : 0u) |
                                           (param_is_whole(p) ? FMU_WHOLE : 0u),
                                  .lower = p->key->min,
                                  .upper = p->key->max,
                                  .start = value[number]},
                            .unit = unit_of_param(p, s),
                            .text = p->key->doc};
    snprintf(one.v.field, sizeof one.v.field, "%s", field);
    snprintf(name, sizeof name, "%s%s", p->name, part.name);
    if (!add_candidate(c, &one, name)) return false;
  }
  return true;
}

static bool add_parameters(struct candidates *c, const struct settings *s)
{
  struct params list;
  bool good = params_list(&list, s->model) || fmu_complain("out of memory");
  for (int i = 0; good && i < list.count; i++) good = add_numbers_of_param(c, &list.param[i], s);
  params_free(&list);
  return good;
}

/* --- choices --- */

/* Adds the candidates that the patterns match; "none": no candidate. */
static bool choose_by_globs(struct exports *p, enum causality causality, const struct candidates *c,
                            const char *globs, const char *option)
{
  int chosen;
  if (strcmp(globs, "none") == 0) return true;
  int *index =
      globs_choose(&(struct globs_names){name_of_candidate, c, c->count}, globs, "ali3-fmu", option, &chosen);
  bool good = index != NULL;
  for (int i = 0; good && i < chosen; i++) {
    const struct candidate *one = &c->candidate[index[i]];
    bool there = false;
    for (int k = 0; k < p->table.count && !there; k++)
      there = p->table.variable[k].kind == FMU_SIGNAL && strcmp(p->table.variable[k].name, one->v.name) == 0;
    if (!there) good = add_exported(p, causality, one);
  }
  free(index);
  return good;
}

static bool choose_inputs(struct exports *p, const char *globs, const struct settings *s, const ali3_data *d)
{
  struct candidates c = {0};
  bool good = add_channel_candidates(&c, s, d);
  const int channels = c.count;
  good = good && add_wrench_candidates(&c, s);
  if (good && globs)
    good = choose_by_globs(p, INPUT, &c, globs, "--inputs");
  else
    for (int i = 0; good && i < channels; i++) good = add_exported(p, INPUT, &c.candidate[i]);
  free_candidates(&c);
  return good;
}

static bool choose_outputs(struct exports *p, const char *outputs, const char *locals,
                           const struct settings *s)
{
  struct candidates c = {0};
  bool good = add_signal_candidates(&c, s);
  const int before = p->table.count;
  if (good && outputs) good = choose_by_globs(p, OUTPUT, &c, outputs, "--outputs");
  if (good && !outputs) {
    for (int i = 0; good && i < c.count; i++)
      if (is_usual_output(c.candidate[i].v.name)) good = add_exported(p, OUTPUT, &c.candidate[i]);
    for (int i = 0; good && p->table.count == before && i < c.count; i++) /* no sensor, no such joint */
      for (int k = i; good && k < c.count; k++)
        if (is_body_pose(c.candidate[k].v.name)) good = add_exported(p, OUTPUT, &c.candidate[k]);
  }
  if (good && locals) good = choose_by_globs(p, LOCAL, &c, locals, "--locals");
  free_candidates(&c);
  return good;
}

static bool choose_parameters(struct exports *p, const char *globs, const struct settings *s)
{
  struct candidates c = {0};
  const bool good =
      add_parameters(&c, s) && choose_by_globs(p, PARAMETER, &c, globs ? globs : "*", "--parameters");
  free_candidates(&c);
  return good;
}

bool exports_choose(struct exports *p, const struct export_options *o, const struct settings *s,
                    const ali3_data *d)
{
  const struct candidate time = {.v = {.kind = FMU_TIME, .mirror = -1, .name = (char[]){"time"}},
                                 .unit = "s"};
  *p = (struct exports){.table = {.rest = s->start == START_REST}};
  return add_exported(p, INDEPENDENT, &time) && choose_inputs(p, o->inputs, s, d) &&
         choose_outputs(p, o->outputs, o->locals, s) && choose_parameters(p, o->parameters, s);
}
