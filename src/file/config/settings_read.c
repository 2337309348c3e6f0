/* SPDX-License-Identifier: MIT
 * Reads a configuration: the file, the model (in place or in a file of its own), the sections of the daemon,
 * and the checks that take more than one key. Set-up only. It prints only to the stream that it is given. */
#include "config/settings_read.h"

#include "base/isa.h"
#include "config/changes.h"
#include "config/inner.h"
#include "config/inputs_read.h"
#include "config/mechanism.h"
#include "config/packets.h"
#include "config/sections.h"
#include "config/wiring.h"
#include "expand/expand.h"
#include "yaml/print.h"
#include "yaml/sets.h"
#include "yaml/text_file.h"

#include <ali3/model.h>
#include <ali3/stepper.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

struct settings_reader {
  struct yaml main, model;       /* the file, and the file of its model */
  const struct node *model_node; /* the mapping of the model, in one of the two */
  struct names bodies;
  struct file_values values;
  bool isa_overridden; /* by the command line */
  bool one_of_many;    /* runs, see parsed of the overrides */
  struct report report;
  struct sets sets;           /* values from the command line */
  struct expansion expansion; /* of both files */
};

/* The value of a key in a section; NULL if the file does not give it. */
static const struct node *given_key(const struct settings_reader *l, const char *section, const char *key)
{
  return node_in_section(l->main.root, section, key);
}

/* Puts the values of options into a tree and expands its short forms. given: values of the main file for its parameters. An
 * option may name an element that a part makes. */
static bool expand_with_options(struct settings_reader *l, struct yaml *t, const char *path,
                                const struct node *given)
{
  struct report *r = &l->report;
  sets_put(t, path, SETS_EARLY, r);
  if (!expand_tree_with(&l->expansion, t, given, &l->main.source, &schema_expansion, r)) return false;
  const int before = r->errors;
  return !sets_put(t, path, SETS_LATE, r) ||
         (r->errors == before && expand_tree(&l->expansion, t, &schema_expansion, r));
}

/* model: {file: PATH}: the model stands in the file's own "model" key. */
static bool read_model_file(struct settings_reader *l, const struct node *path)
{
  struct report *r = &l->report;
  const struct node *given = node_find(l->model_node, "parameters");
  if (l->model_node->count > (given ? 2 : 1)) {
    report_error(r, l->model_node->at,
                 "model: expected either the key \"file\" or the keys of a model, found both");
    return false;
  }
  if (path->kind != NODE_SCALAR) {
    report_error(r, path->at, "file: expected a text, the path of a model file");
    return false;
  }
  char *file = path_beside(l->main.source.file, path->text);
  bool good = file && yaml_read_part(&l->model, file, r);
  free(file);
  l->model.source.shown =
      good && node_find(l->model.root, "model"); /* never show lines of a file that is no model */
  if (good && !l->model.source.shown) {
    report_error(r, l->model.root->at, "expected a model file with the key \"model\", found none");
    good = false;
  }
  if (!good) {
    r->source = &l->main.source;
    report_error(r, path->at, "file: the model file has mistakes, or cannot be read");
    return false;
  }

  if (!expand_with_options(l, &l->model, "model", given)) return false;
  struct file_values other = {0}; /* the other sections are checked, and not used */
  good = schema_read(&schema_file, l->model.root, &other, r);
  l->model_node = node_find(l->model.root, "model");
  if (good && l->values.settings.duration == 0) l->values.settings.duration = other.settings.duration;
  const struct node *deeper = node_find(l->model_node, "file");
  if (deeper)
    report_error(r, deeper->key_at,
                 "file: a model file cannot name another model file: expected the keys of a model");
  return l->model_node && l->model_node->kind == NODE_MAP && !deeper;
}

void settings_drive_lines(const struct settings *s, const ali3_violation *v, char *text, size_t size)
{
  text[0] = '\0';
  if (v->drive < 0) return;
  const int first = places_get(&s->places.force, v->drive).line,
            second = v->other >= 0 ? places_get(&s->places.force, v->other).line : first;
  if (first <= 0 || second <= 0) return; /* an option gives the drive */
  if (v->other >= 0)
    snprintf(text, size, " (lines %d and %d)", first, second);
  else
    snprintf(text, size, " (line %d)", first);
}

/* A platform that only follows an input needs no mechanism: the model then has one body that is fixed to the ground. */
static void add_stand(struct settings_reader *l)
{
  const struct settings *s = &l->values.settings;
  const bool external = node_find(l->main.root, "platform") && s->platform.enabled &&
                        s->platform.spec.mode == PLATFORM_EXTERNAL;
  const ali3_body_spec stand = {
      .name = "stand", .mass = 1.0, .inertia = {1, 0, 0, 0, 1, 0, 0, 0, 1}, .orientation = {1, 0, 0, 0}};
  const ali3_joint_spec weld = {.name = "weld", .type = ALI3_JOINT_FIXED, .body_a = ALI3_GROUND, .body_b = 0};
  if (!external || !s->model || ali3_model_bodies(s->model) > 0) return;
  if (s->places.gravity.line == 0) {
    ali3_model_set_gravity(s->model, (const double[]){0, 0, -9.81});
    l->values.settings.places.gravity = l->model_node->at;
  }
  if (ali3_model_add_body(s->model, &stand) < 0 || ali3_model_add_joint(s->model, &weld) < 0)
    report_error(&l->report, l->model_node->at, "%s", ali3_model_problem(s->model)->text);
}

static void read_model(struct settings_reader *l)
{
  l->model_node = node_find(l->main.root, "model");
  if (!l->model_node || l->model_node->kind != NODE_MAP) return;
  const struct node *path = node_find(l->model_node, "file");
  if (!path || read_model_file(l, path)) {
    struct settings *s = &l->values.settings;
    const struct node *values = node_find(l->model_node, "parameters");
    if (values)
      report_error(&l->report, values->key_at,
                   "parameters: expected \"file\" beside it; the parameters of this file stand above model");
    s->model = mechanism_build(l->model_node, &l->bodies, &s->options, &s->places, &l->report);
    visual_read(l->model_node, &l->bodies, s, &l->report);
  }
  l->report.source = &l->main.source;
  add_stand(l);
}

/* The node that gives an option; NULL: the file does not have it, or the command line overrides it. */
static const struct node *option_given(const struct settings_reader *l, const char *field)
{
  if (strcmp(field, "dt") == 0) return given_key(l, "cycle", "period");
  if (strcmp(field, "isa") == 0) return l->isa_overridden ? NULL : given_key(l, "simulation", "isa");
  return given_key(l, "solver", field);
}

static void override_options(struct settings_reader *l, const struct settings_overrides *over)
{
  ali3_options *o = &l->values.settings.options;
  const char *isa = over && over->isa ? over->isa : schema_isas[l->values.isa];
  if (over && over->method) o->method = ali3_method_named(over->method);
  if (over && over->dt > 0) o->dt = over->dt;
  if (over && over->iterations > 0) o->iterations = over->iterations;
  if (over && over->alpha > 0) o->alpha = over->alpha;
  if (over && over->substeps > 0) o->substeps = over->substeps;
  if (over && over->extrapolate) o->extrapolate = true;
  for (int i = 0; schema_isas[i]; i++)
    if (strcmp(schema_isas[i], isa) == 0) l->values.isa = i;
  snprintf(o->isa, sizeof o->isa, "%s", isa_option(isa));
}

void settings_not_frozen(struct settings_reader *l)
{
  const ali3_problem *p = ali3_model_problem(l->values.settings.model);
  if (strcmp(p->element, "options") == 0) {
    const struct node *n = option_given(l, p->field);
    if (n)
      report_error(&l->report, n->at, "%s: %s", n->key, p->text);
    else /* from the command line */
      report_error(&l->report, (struct place){0}, "%s: %s", p->field, p->text);
    return;
  }
  if (l->model.root) l->report.source = &l->model.source;
  report_error(&l->report, l->model_node->at, "%s", p->text);
}

void settings_refuse(struct settings_reader *l, const char *section, const char *key, const char *format, ...)
{
  char text[400];
  va_list a;
  va_start(a, format);
  vsnprintf(text, sizeof text, format, a);
  va_end(a);
  report_error(&l->report, given_key(l, section, key)->at, "%s: %s", key, text);
}

/* The default instance name: the name of the model, with _ for characters that a file name does not take. */
static char *instance_from(const char *model)
{
  char *name = strndup(model && *model ? model : "model", NAME_LENGTH_MAX);
  for (char *p = name; p && *p; p++)
    if (!is_name((char[]){*p, 0})) *p = '_';
  return name;
}

/* NULL when out of memory. */
static char *print_settings(const struct settings_reader *l)
{
  char *text = NULL;
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  if (!out) return NULL;
  yaml_print(out, l->main.root, "model", l->model_node);
  if (fclose(out) == 0) return text;
  free(text);
  return NULL;
}

/* Texts point into the tree, which is freed: makes copies. */
static bool copy_texts(struct settings_reader *l)
{
  const struct file_values *v = &l->values;
  struct settings *s = &l->values.settings;
  s->osc.bind = strdup(v->osc_bind);
  s->osc.prefix = strdup(v->osc_prefix);
  s->modbus.bind = strdup(v->modbus_bind);
  s->modbus.serial.path = v->modbus_serial ? strdup(v->modbus_serial) : NULL;
  s->modbus.serial_access = (enum access)(ACCESS_READ + v->modbus_serial_access);
  s->state.folder = v->state_folder ? strdup(v->state_folder) : NULL;
  s->record.signals = strdup(v->record_signals);
  s->record.trigger = v->record_trigger ? strdup(v->record_trigger) : NULL;
  s->instance = v->instance ? strdup(v->instance) : instance_from(ali3_model_name(s->model));
  s->text = l->one_of_many ? strdup("") : print_settings(l);
  return s->text && s->osc.bind && s->osc.prefix && s->modbus.bind && s->instance &&
         (!v->modbus_serial || s->modbus.serial.path) && (!v->state_folder || s->state.folder) &&
         s->record.signals && (!v->record_trigger || s->record.trigger);
}

/* Reads a "map", in place or from a file of its own, for a section. False when out of memory. */
static bool read_map(struct settings_reader *l, const char *section, const struct wiring_rules *rules)
{
  struct settings *s = &l->values.settings;
  struct report *r = &l->report;
  struct file_name_values name = {0};
  struct list_file other;
  const struct node *map = given_key(l, section, "map");
  const bool in_file = map && map->kind == NODE_MAP;
  if (in_file && !schema_read(&schema_file_name, map, &name, r)) return true;
  if (in_file && !list_open(&other, node_find(map, "file"), &schema_maps, section, "map", r)) return false;
  if (in_file) map = other.list;
  const bool memory = rules ? wiring_read(map, rules, s->signals, &s->modbus.map, r)
                            : osc_map_read(map, l->values.osc_prefix, s, r);
  if (in_file) fingerprints_add_file(s->fingerprints, section, "map", map);
  if (in_file) list_close(&other, r);
  return memory;
}

/* Reads maps, peers and devices. False when out of memory; mistakes are in the report. */
static bool read_wiring(struct settings_reader *l)
{
  struct settings *s = &l->values.settings;
  const struct wiring_rules rules = {
      .server = true, .default_map = s->modbus.default_map, .order = s->modbus.order};
  const struct node *devices = node_find(l->main.root, "devices");
  device_check_server_line(devices, s->modbus.enabled ? l->values.modbus_serial : NULL, &l->report);
  if (!read_map(l, "modbus", &rules) || !registers_read(given_key(l, "modbus", "parameters"), s, &l->report))
    return false;
  mirror_check(given_key(l, "modbus", "mirror"), s, &l->report);
  return read_map(l, "osc", NULL) && peers_read(given_key(l, "osc", "peers"), &s->osc.peers, &l->report) &&
         peers_read(given_key(l, "modbus", "peers"), &s->modbus.peers, &l->report) &&
         devices_read(devices, s, &l->report);
}

/* Gives OSC the names of bodies and injections, and the period. False when out of memory. */
static bool name_for_osc(struct settings *s)
{
  const int bodies = ali3_model_bodies(s->model);
  struct osc_config *o = &s->osc;
  o->period = s->options.dt;
  o->injections = s->injections;
  o->body_name = calloc((size_t)bodies + 1, sizeof *o->body_name);
  o->stimuli = s->stimuli;
  o->stimulus_name = calloc((size_t)s->stimuli + 1, sizeof *o->stimulus_name);
  o->injection_name = calloc((size_t)s->injections + 1, sizeof *o->injection_name);
  if (!o->body_name || !o->injection_name || !o->stimulus_name) return false;
  for (int i = 0; i < s->stimuli; i++) o->stimulus_name[i] = s->stimulus[i].name;
  for (int i = 0; i < bodies; i++) o->body_name[i] = ali3_model_body_name(s->model, i);
  for (int i = 0; i < s->injections; i++) o->injection_name[i] = s->injection[i].name;
  return true;
}

static bool report_no_memory(struct report *r)
{
  report_error(r, (struct place){0}, "out of memory");
  return false;
}

/* False after a mistake, which is reported. */
static bool read_main_file(struct settings_reader *l, const char *file, const struct settings_overrides *over)
{
  struct file_values *v = &l->values;
  struct settings *s = &v->settings;
  struct report *r = &l->report;
  if (l->one_of_many) {
    if (!yaml_share(&l->main, over->parsed, r)) return report_no_memory(r);
  } else if (!(over && over->again ? yaml_read : yaml_read_main)(&l->main, file, r)) {
    return false;
  }
  if (over && over->sets > 0 && !sets_take(&l->sets, over->set, over->sets, r)) return false;
  if (!expand_with_options(l, &l->main, NULL, NULL)) return false;
  if (over && over->inner) leave_out_interfaces(l->main.root);

  /* The sections; a missing section is off. */
  schema_read(&schema_file, l->main.root, v, r);
  read_model(l);
  if (!node_find(l->main.root, "osc")) s->osc.enabled = false;
  if (!node_find(l->main.root, "modbus")) s->modbus.enabled = false;
  if (!node_find(l->main.root, "state")) s->state.enabled = false;
  s->record.enabled = node_find(l->main.root, "record") != NULL;
  if (!node_find(l->main.root, "platform")) s->platform.enabled = false;
  check_sections(l->main.root, v, r);

  /* The lists that name elements of the model. */
  const struct node *inputs = node_find(l->main.root, "inputs"),
                    *injections = node_find(l->main.root, "injections");
  const bool bodies_known = s->model || l->bodies.used > 0;
  bool memory = osc_targets_read(given_key(l, "osc", "targets"), s, r) &&
                (!bodies_known || inputs_read(inputs, s->model, &l->bodies, s, r)) &&
                injections_read(injections, s, r);
  override_options(l, over);
  if (memory && r->errors == 0) memory = platform_read(l->main.root, v, r) && rig_read(l->main.root, v, r);

  /* Take fingerprints, by which a reload finds the changed keys. */
  if (memory && r->errors == 0 && !l->one_of_many) {
    s->fingerprints = fingerprints_new(v, l->main.root, l->model_node, r);
    memory = s->fingerprints || r->errors > 0;
  }
  if (!memory) report_no_memory(r);
  return r->errors == 0;
}

bool settings_connect(struct settings_reader *l, struct signals *signals)
{
  struct settings *s = &l->values.settings;
  struct report *r = &l->report;
  s->signals = signals;
  if (signals) rig_connect(s);
  bool memory = signals && read_wiring(l) && stimuli_read(node_find(l->main.root, "stimulus"), s, r);
  if (signals) check_record(l->main.root, &l->values, signals, r);
  if (memory && r->errors == 0) memory = copy_texts(l) && name_for_osc(s);
  if (memory && r->errors == 0) memory = packets_read(node_find(l->main.root, "packets"), s, r);
  if (!memory) report_no_memory(r);
  return r->errors == 0;
}

static void release_device(struct modbus_device *d)
{
  free(d->name);
  free(d->remote.host);
  free(d->remote.serial.path);
  free(d->map.item);
}

static void release_settings(struct settings *s)
{
  ali3_model_free(s->model);
  places_free(&s->places);
  fingerprints_free(s->fingerprints);
  /* Lists of elements. */
  for (int i = 0; i < s->inputs; i++) free(s->input[i].name);
  free(s->input);
  for (int i = 0; i < s->visuals; i++) {
    free(s->visual[i].file);
    free(s->visual[i].folder);
  }
  free(s->visual);
  for (int i = 0; i < s->injections; i++) free(s->injection[i].name);
  free(s->injection);
  for (int i = 0; i < s->stimuli; i++) stimulus_free(&s->stimulus[i]);
  free(s->stimulus);
  signals_free(s->signals);
  for (int i = 0; i < s->devices; i++) release_device(&s->device[i]);
  free(s->device);
  packets_release(s->packet, s->packets);
  /* Settings of OSC and Modbus. */
  free(s->osc.peers.rule);
  free(s->modbus.peers.rule);
  free(s->modbus.map.item);
  for (int i = 0; i < s->modbus.parameters; i++) free(s->modbus.parameter[i].name);
  free(s->modbus.parameter);
  free(s->modbus.serial.path);
  for (int i = 0; i < s->osc.targets; i++) {
    free(s->osc.target[i].host);
    free(s->osc.target[i].interface);
  }
  for (int i = 0; i < s->osc.map.count; i++) free(s->osc.map.item[i].address);
  free(s->osc.map.item);
  free(s->osc.target);
  free(s->osc.body_name);
  free(s->osc.injection_name);
  free(s->osc.stimulus_name);
  free(s->osc.bind);
  free(s->osc.prefix);
  free(s->modbus.bind);
  free(s->instance);
  free(s->text);
  free(s->state.folder);
  free(s->record.signals);
  free(s->record.trigger);
  free(s->rig.ride_log);
  for (int i = 0; i < s->rig.spec.permissives; i++) free(s->rig.spec.permissive[i].name);
}

struct settings_reader *settings_open(const char *file, const struct settings_overrides *over, FILE *errors)
{
  struct settings_reader *l = calloc(1, sizeof *l);
  if (!l) return NULL;
  l->report.out = errors;
  l->values.settings.options = ali3_options_default();
  l->isa_overridden = over && over->isa;
  l->one_of_many = over && over->parsed;
  if (read_main_file(l, file, over)) return l;
  settings_close(l);
  return NULL;
}

struct settings *settings_read_so_far(struct settings_reader *l)
{
  return &l->values.settings;
}

/* Prints one key of the file. */
static void print_key_plain(const struct node *n, FILE *out)
{
  struct node one = *n;
  one.next = NULL;
  const struct node map = {.kind = NODE_MAP, .count = 1, .first = &one};
  expand_print(&map, out);
}

/* Meshes stand beside the file of the model: their paths are made relative to the main file, in which the model is printed. */
static void lead_meshes(struct settings_reader *l)
{
  const struct node *use = node_in_section(l->main.root, "model", "file");
  const struct node *visual = use ? node_find(l->model_node, "visual") : NULL;
  for (struct node *n = visual ? visual->first : NULL; n; n = n->next) {
    struct node *file = n->kind == NODE_MAP ? n->first : NULL;
    while (file && strcmp(file->key, "file") != 0) file = file->next;
    char *path = file ? path_beside(use->text, file->text) : NULL;
    const char *mesh_path = path ? yaml_copy_text(&l->model, path, strlen(path)) : NULL;
    if (mesh_path) file->text = mesh_path;
    free(path);
  }
}

void settings_print_plain(struct settings_reader *l, FILE *out)
{
  lead_meshes(l);
  const struct node *duration = node_in_section(l->model.root, "simulation", "duration");
  for (const struct node *n = l->main.root->first; n; n = n->next)
    print_key_plain(strcmp(n->key, "model") == 0 ? l->model_node : n, out);
  /* A file that names the file of its model takes the duration from there. */
  if (duration && !given_key(l, "simulation", "duration"))
    fprintf(out, "simulation: {duration: %s}\n", duration->text);
}

struct settings *settings_close(struct settings_reader *l)
{
  struct settings *result = l->report.errors == 0 ? malloc(sizeof *result) : NULL;
  if (result)
    *result = l->values.settings;
  else
    release_settings(&l->values.settings);
  if (l->report.errors > 0) report_end(&l->report);
  names_free(&l->bodies);
  yaml_free(&l->model);
  yaml_free(&l->main);
  expansion_free(&l->expansion);
  sets_free(&l->sets);
  free(l);
  return result;
}

void settings_free(struct settings *s)
{
  if (!s) return;
  release_settings(s);
  free(s);
}
