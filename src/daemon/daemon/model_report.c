/* SPDX-License-Identifier: MIT ali3d --flat, --flat-inputs and --modes: the frozen model as bytes, its inputs as JSON, and its
 * modes about the static equilibrium as a table. */
#include "daemon/model_report.h"

#include "daemon/options.h"
#include "outfile/outfile.h"

#include <ali3/flat.h>
#include <ali3/linear.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* --- bytes and inputs --- */

static bool write_flat(const char *path, const struct settings *settings)
{
  const size_t size = ali3_model_flat_size(settings->model);
  void *bytes = malloc(size);
  const int status = bytes ? ali3_model_flat_write(settings->model, bytes, size) : ALI3_E_MEMORY;
  if (status != ALI3_OK) fprintf(stderr, "ali3d: --flat: %s: %s\n", path, ali3_status_text(status));
  FILE *out = status == ALI3_OK ? outfile_open("--flat", path) : NULL;
  if (out) fwrite(bytes, 1, size, out);
  free(bytes);
  return out && outfile_close(out, "--flat", path);
}

static json_t *bound_json(double x)
{
  return isfinite(x) ? json_real(x) : json_null();
}

/* The element that an input acts on, and the range of each channel. Inputs of a platform or a rig act on no element of the
 * model. */
static json_t *input_json(const ali3_model *m, const struct input_spec *input)
{
  const bool value = input->kind == INPUT_VALUE, wrench = input->kind == INPUT_WRENCH;
  json_t *o = json_pack("{s:s, s:s}", "name", input->name, "kind",
                        value    ? "value"
                        : wrench ? "wrench"
                                 : "platform");
  if (value) {
    json_object_set_new(o, "force", json_integer(input->force));
    json_object_set_new(o, "element", json_string(ali3_model_force_name(m, input->force)));
  }
  if (wrench) {
    json_object_set_new(o, "load", json_integer(input->load));
    json_object_set_new(o, "element", json_string(ali3_model_body_name(m, input->body)));
  }
  /* channels */
  json_t *channels = json_array();
  for (const struct input_part *p = input_parts(input->kind); p->name; p++)
    for (int i = 0; i < p->count; i++) {
      const struct input_range *range = &input->range[p->first + i];
      char name[40];
      snprintf(name, sizeof name, "%s%s%s", p->name, p->component ? "." : "",
               p->component ? p->component[i] : "");
      json_array_append_new(channels,
                            json_pack("{s:s, s:s, s:o, s:o, s:o, s:o}", "name", name, "unit", p->unit,
                                      "lower", bound_json(range->lower), "upper", bound_json(range->upper),
                                      "rate", bound_json(range->rate), "safe", bound_json(range->safe)));
    }
  json_object_set_new(o, "channels", channels);
  return o;
}

static bool write_flat_inputs(const char *path, const struct settings *settings)
{
  json_t *list = json_array();
  for (int i = 0; i < settings->inputs; i++)
    json_array_append_new(list, input_json(settings->model, &settings->input[i]));
  FILE *out = outfile_open("--flat-inputs", path);
  if (out) json_dumpf(list, out, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
  if (out) fputc('\n', out);
  json_decref(list);
  return out && outfile_close(out, "--flat-inputs", path);
}

int flat_files(const char *model, const char *inputs, const struct settings *settings)
{
  const bool good =
      (!model || write_flat(model, settings)) && (!inputs || write_flat_inputs(inputs, settings));
  return good ? STATUS_OK : STATUS_FAILED;
}

/* --- modes --- */

enum { SHOWN_BODIES = 3 };
static const double SHOWN_FROM = 0.2; /* motion of a body relative to the body that moves most */

/* Size of the motion of a body: displacement of its centre of mass, and rotation times its radius of gyration. */
static double motion_of_body(const ali3_model *m, const ali3_modes *s, int mode, int body)
{
  double twist[6], square = 0.0;
  const ali3_body_spec spec = ali3_model_body_spec(m, body);
  const double radius2 =
      spec.mass > 0.0 ? (spec.inertia[0] + spec.inertia[4] + spec.inertia[8]) / (2.0 * spec.mass) : 0.0;
  ali3_modes_shape(s, mode, body, twist);
  for (int i = 0; i < 6; i++) square += twist[i] * twist[i] * (i < 3 ? 1.0 : radius2);
  return sqrt(square);
}

/* The bodies that move most, the first one first. size: room (bodies). */
static void print_movers(const ali3_model *m, const ali3_modes *s, int mode, double *size)
{
  double first = 0.0;
  for (int b = 0; b < ali3_model_bodies(m); b++) size[b] = motion_of_body(m, s, mode, b);
  for (int shown = 0; shown < SHOWN_BODIES; shown++) {
    int best = 0;
    for (int b = 1; b < ali3_model_bodies(m); b++)
      if (size[b] > size[best]) best = b;
    if (shown == 0) first = size[best];
    if (!(size[best] > SHOWN_FROM * first)) break;
    printf("%s%s", shown ? ", " : "", ali3_model_body_name(m, best));
    size[best] = 0.0;
  }
}

static void print_mode(const ali3_model *m, const ali3_modes *s, int i, double *size)
{
  const double step = ali3_model_options(m)->dt;
  ali3_mode mode;
  ali3_modes_get(s, i, &mode);
  printf("%4d ", i + 1);
  if (mode.stiffness > 0.0)
    printf("%14.6g %10.4f %14.1f  ", mode.frequency, mode.damping, 1.0 / (mode.frequency * step));
  else
    printf("%14s %10s %14s  ", mode.stiffness < 0.0 ? "unstable" : "free", "-", "-");
  print_movers(m, s, i, size);
  printf("\n");
}

/* Moves the mechanism to its equilibrium, where it has one: modes are computed there. False after printing the reason. */
static bool find_rest(const ali3_model *m, ali3_data *d)
{
  ali3_problem problem = {0};
  ali3_equilibrium_report r;
  if (ali3_reset(m, d) < 0) {
    char text[300];
    ali3_report_text(m, d, text, sizeof text);
    fprintf(stderr, "ali3d: --modes: %s\n", text);
    return false;
  }
  if (ali3_equilibrium(m, d, NULL, &r, &problem) >= 0) {
    printf("modes about the static equilibrium; bodies moved up to %.3g m and %.3g rad to it\n",
           r.moved_position, r.moved_orientation);
    return true;
  }
  printf("modes about the start: %s\n", problem.text);
  return ali3_reset(m, d) >= 0;
}

int print_modes(const struct settings *settings)
{
  const ali3_model *m = settings->model;
  ali3_data *d = ali3_data_new(m);
  double *size = calloc((size_t)ali3_model_bodies(m) + 1, sizeof *size);
  ali3_problem problem = {.text = "out of memory"};
  /* the position, then the modes about it */
  const bool rests = d && size && find_rest(m, d);
  ali3_modes *s = rests ? ali3_modes_new(m, d, 0, &problem) : NULL;
  if (rests && !s) fprintf(stderr, "ali3d: --modes: %s\n", problem.text);
  if (s) {
    if (ali3_modes_count(s) == 0) printf("no motion is free: joints and drives hold every body\n");
    if (ali3_modes_count(s) > 0)
      printf("mode   frequency Hz    damping   steps/period  bodies that move most\n");
    for (int i = 0; i < ali3_modes_count(s); i++) print_mode(m, s, i, size);
  }
  ali3_modes_free(s);
  ali3_data_free(d);
  free(size);
  return s ? STATUS_OK : STATUS_FAILED;
}
