/* SPDX-License-Identifier: MIT
 * ali3-sim: --settle, and --linearise with its JSON file. */
#include "linear.h"

#include "signals/linear_port.h"
#include "signals/signals.h"

#include "outfile/outfile.h"

#include <ali3/linear.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

enum { NAMED_MOST = 64 }; /* joints that are tried as states: each takes a linearisation */

bool settle_model(const ali3_model *m, ali3_data *d, bool report)
{
  ali3_equilibrium_report r;
  ali3_problem problem = {0};
  if (ali3_equilibrium(m, d, NULL, &r, &problem) < 0) {
    fprintf(stderr, "ali3-sim: %s\n", problem.text);
    return false;
  }
  if (!report) return true;
  fprintf(stderr, "ali3-sim: settled: bodies moved up to %.3g m and %.3g rad", r.moved_position,
          r.moved_orientation);
  if (r.unstable > 0)
    fprintf(stderr, "; the equilibrium is unstable in %d motions, most at body \"%s\"", r.unstable,
            ali3_model_body_name(m, r.unstable_body));
  fputs("\n", stderr);
  return true;
}

/* --- ports --- */

/* A word of --from: the name of an input, of one of its channels, or of a motor or drive. */
static bool input_of_word(const ali3_model *m, const struct signals *s, const char *word, ali3_port *port)
{
  const char *name = strncmp(word, "input.", 6) == 0 ? word + 6 : word;
  const size_t length = strlen(name);
  for (int i = 0; i < s->inputs; i++) {
    const struct input_spec *input = &s->input[i];
    for (int c = 0; c < input->count; c++) {
      const char *channel = s->signal[s->input_first + input->first + c].name + 6; /* after "input." */
      const bool value = input->kind == INPUT_VALUE && strcmp(input->name, name) == 0;
      if (strcmp(channel, name) != 0 && !value) continue;
      if (input->kind == INPUT_VALUE) *port = (ali3_port){ALI3_PORT_COMMAND, input->force, 0};
      if (input->kind == INPUT_WRENCH) *port = (ali3_port){ALI3_PORT_LOAD, input->load + c / 3, c % 3};
      if (input->kind <= INPUT_VALUE) return true;
    }
  }
  if (strncmp(word, "force.", 6) == 0) name = word + 6;
  const int force = ali3_model_find_force(m, name);
  const bool takes = force >= 0 && ali3_force_type_takes_command(ali3_model_force_type(m, force));
  if (takes) *port = (ali3_port){ALI3_PORT_COMMAND, force, 0};
  if (takes) return true;
  /* name a few that there are */
  fprintf(stderr, "ali3-sim: --from: no input \"%.*s\"; expected a channel of an input, a motor or a drive:",
          (int)length, name);
  for (int c = 0; c < s->channels && c < 8; c++)
    fprintf(stderr, " %s", s->signal[s->input_first + c].name + 6);
  for (int i = 0, shown = 0; i < ali3_model_forces(m) && shown < 8; i++)
    if (ali3_force_type_takes_command(ali3_model_force_type(m, i)) && ++shown)
      fprintf(stderr, " %s", ali3_model_force_name(m, i));
  fputs("\n", stderr);
  return false;
}

/* The ports of a linearisation, and names of them. */
struct wires {
  ali3_port *input, *output;
  char **input_name; /* (inputs) words of --from */
  int *signal;       /* (outputs) */
  int inputs, outputs, joints;
  int *joint; /* (joints) coordinates that are states */
  char *words;
};

static void wires_free(struct wires *w)
{
  free(w->input);
  free(w->output);
  free(w->input_name);
  free(w->signal);
  free(w->joint);
  free(w->words);
}

static bool take_input_ports(struct wires *w, const ali3_model *m, const struct signals *s, const char *from)
{
  w->words = strdup(from);
  w->input = calloc(strlen(from) + 1, sizeof *w->input);
  w->input_name = calloc(strlen(from) + 1, sizeof *w->input_name);
  if (!w->words || !w->input || !w->input_name) return false;
  char *rest;
  for (char *word = strtok_r(w->words, ",", &rest); word; word = strtok_r(NULL, ",", &rest)) {
    w->input_name[w->inputs] = word;
    if (!input_of_word(m, s, word, &w->input[w->inputs++])) return false;
  }
  return true;
}

static bool take_output_ports(struct wires *w, const ali3_model *m, const struct signals *s, const char *to)
{
  int found;
  w->signal = signals_choose(s, to, "--to", &found);
  w->output = calloc((size_t)(w->signal ? found : 0) + 1, sizeof *w->output);
  if (!w->signal || !w->output) return false;
  for (int i = 0; i < found; i++) {
    if (!signals_port(s, m, w->signal[i], &w->output[i])) {
      fprintf(stderr, "ali3-sim: --to: signal %s is no number of a body, joint, force or sensor\n",
              s->signal[w->signal[i]].name);
      return false;
    }
    w->outputs++;
  }
  return true;
}

static ali3_ports ports_of(const struct wires *w)
{
  return (ali3_ports){.input = w->input,
                      .inputs = w->inputs,
                      .output = w->output,
                      .outputs = w->outputs,
                      .joint = w->joint,
                      .joints = w->joints};
}

/* Joints whose coordinates are states: each that is independent of those before it. */
static bool choose_joints(struct wires *w, const ali3_model *m, const ali3_data *d)
{
  w->joint = calloc((size_t)ali3_model_joints(m) + 1, sizeof *w->joint);
  if (!w->joint) return false;
  /* a linearisation without outputs refuses a joint that depends on those before it */
  ali3_ports ports = ports_of(w);
  ports.outputs = 0;
  for (int i = 0, tried = 0; i < ali3_model_joints(m) && tried < NAMED_MOST; i++) {
    const ali3_joint_type type = ali3_model_joint_type(m, i);
    if (type != ALI3_JOINT_REVOLUTE && type != ALI3_JOINT_PRISMATIC) continue;
    ali3_linear l;
    tried++;
    w->joint[w->joints] = i;
    ports.joint = w->joint;
    ports.joints = w->joints + 1;
    if (ali3_linearise(m, d, &ports, &l, NULL) != ALI3_OK) continue;
    ali3_linear_free(&l);
    w->joints++;
  }
  return true;
}

/* --- the file --- */

/* + 0.0: no -0 */
static json_t *matrix_json(const double *a, int rows, int columns)
{
  json_t *o = json_array();
  for (int r = 0; r < rows; r++) {
    json_t *row = json_array();
    for (int c = 0; c < columns; c++) json_array_append_new(row, json_real(a[r * columns + c] + 0.0));
    json_array_append_new(o, row);
  }
  return o;
}

static bool input_is_drive(const ali3_model *m, const ali3_port *port)
{
  return port->kind == ALI3_PORT_COMMAND && ali3_model_force_type(m, port->element) == ALI3_FORCE_DRIVE;
}

/* Names of the states: coordinates of drives with inputs, of the chosen joints, then numbers. */
static json_t *states_json(const ali3_model *m, const struct wires *w, const ali3_linear *l)
{
  json_t *o = json_array();
  int *joint = calloc((size_t)(w->joints + w->inputs) + 1, sizeof *joint), joints = 0;
  /* as ali3_linearise() orders them */
  for (int i = 0; joint && i < w->inputs + w->joints; i++) {
    if (i < w->inputs && !input_is_drive(m, &w->input[i])) continue;
    const int found =
        i < w->inputs ? ali3_model_force_spec(m, w->input[i].element).joint : w->joint[i - w->inputs];
    bool known = false;
    for (int k = 0; k < joints; k++) known |= joint[k] == found;
    if (!known) joint[joints++] = found;
  }
  for (int i = 0; i < l->states; i++) {
    const int at = i % (l->states / 2);
    const char *quantity = i < l->states / 2 ? "position" : "velocity";
    json_array_append_new(o, at < joints
                                 ? json_sprintf("joint.%s.%s", ali3_model_joint_name(m, joint[at]), quantity)
                                 : json_sprintf("freedom.%d.%s", at - joints + 1, quantity));
  }
  free(joint);
  return o;
}

static json_t *ports_json(const ali3_model *m, const struct wires *w)
{
  json_t *o = json_array();
  for (int i = 0; i < w->inputs; i++)
    json_array_append_new(
        o, json_pack("{s:s, s:s}", "name", w->input_name[i], "quantity",
                     input_is_drive(m, &w->input[i]) ? "acceleration of the target" : "value"));
  return o;
}

static json_t *linear_json(const ali3_model *m, const ali3_data *d, const struct signals *s,
                           const struct wires *w, const ali3_linear *l, const double *pole)
{
  json_t *outputs = json_array(), *corners = json_array();
  for (int i = 0; i < w->outputs; i++) {
    const struct signal *signal = &s->signal[w->signal[i]];
    json_array_append_new(outputs, json_pack("{s:s, s:s}", "name", signal->name, "unit", signal->unit));
  }
  for (int i = 0; i < l->corners; i++)
    json_array_append_new(corners, json_string(ali3_model_force_name(m, l->corner[i])));
  return json_pack("{s:s, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:o, s:f, s:o}", "model",
                   ali3_model_name(m), "time", ali3_data_report(d)->time, "states", states_json(m, w, l),
                   "inputs", ports_json(m, w), "outputs", outputs, "A",
                   matrix_json(l->A, l->states, l->states), "B", matrix_json(l->B, l->states, l->inputs), "C",
                   matrix_json(l->C, l->outputs, l->states), "D", matrix_json(l->D, l->outputs, l->inputs),
                   "poles", matrix_json(pole, l->states, 2), "error", l->error, "corners", corners);
}

static bool write_system(json_t *o, const char *file)
{
  if (!o) fputs("ali3-sim: --linearise: out of memory\n", stderr);
  FILE *out = o ? outfile_open_or_standard("--linearise", file) : NULL;
  if (out) json_dumpf(o, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  if (out) fputc('\n', out);
  json_decref(o);
  return out && outfile_close(out, "--linearise", file);
}

/* Forces at a corner of their law, on stderr. */
static void print_corners(const ali3_model *m, const ali3_linear *l)
{
  for (int i = 0; i < l->corners; i++)
    fprintf(stderr, "%s\"%s\"", i ? ", " : "ali3-sim: at a corner of their law, with the slope of one side: ",
            ali3_model_force_name(m, l->corner[i]));
  if (l->corners > 0) fputs("\n", stderr);
}

int linearise_file(const struct options *o, const ali3_model *m, const ali3_data *d, const struct signals *s)
{
  struct wires w = {0};
  ali3_linear l = {0};
  ali3_problem problem = {0};
  double *pole = NULL;
  int status = EXIT_USAGE;
  /* The ports, and the joints that are states. */
  if (!take_input_ports(&w, m, s, o->from) || !take_output_ports(&w, m, s, o->to) || !choose_joints(&w, m, d))
    goto end;
  /* The matrices. */
  status = EXIT_RUN;
  const ali3_ports ports = ports_of(&w);
  if (ali3_linearise(m, d, &ports, &l, &problem) != ALI3_OK) {
    fprintf(stderr, "ali3-sim: --linearise: %s\n", problem.text);
    goto end;
  }
  pole = calloc(2 * (size_t)l.states + 1, sizeof *pole);
  if (!pole || ali3_linear_poles(&l, pole) != ALI3_OK) goto end;
  print_corners(m, &l);
  /* The files. */
  bool good = write_system(linear_json(m, d, s, &w, &l, pole), o->linearise);
  if (o->bode) {
    struct bode bode = {
        .linear = &l, .pole = pole, .input_name = w.input_name, .signals = s, .signal = w.signal};
    bode.of_target = calloc((size_t)w.inputs + 1, sizeof *bode.of_target);
    for (int i = 0; bode.of_target && i < w.inputs; i++) bode.of_target[i] = input_is_drive(m, &w.input[i]);
    good = bode.of_target && bode_draw(&bode, o->bode) && good;
    free(bode.of_target);
  }
  status = good ? EXIT_GOOD : EXIT_RUN;
end:
  ali3_linear_free(&l);
  free(pole);
  wires_free(&w);
  return status;
}
