/* SPDX-License-Identifier: MIT */
#include "daemon/platform_report.h"

#include "daemon/platform_model.h"

#include "rig/survey.h"

#include <ali3/status.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define DEGREES (180.0 / M_PI)

/* A leg in mm, a crank in degrees. */
static double shown_leg(const struct platform_geometry *g, double leg)
{
  return leg * (g->crank ? DEGREES : 1e3);
}

/* A coordinate in mm or degrees. */
static double shown_coordinate(int k, double x)
{
  return x * (k < 3 ? 1e3 : DEGREES);
}

/* --- the table --- */

static void print_legs_of(const struct platform_geometry *g, const char *what, const struct survey_pose *at)
{
  double widest = 0.0;
  printf("%-14s", what);
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    printf("  %7.1f", shown_leg(g, at->leg[i]));
    widest = fmax(widest, at->joint[i]);
  }
  printf("   %6.1f  %6.2f\n", widest * DEGREES, at->margin);
}

static void print_legs(const struct platform_spec *spec, const struct survey *s)
{
  const struct platform_geometry *g = &spec->geometry;
  const char *unit = g->crank ? "deg" : "mm";
  printf("%s: %.1f to %.1f %s, %.3g %s/s; joints up to %.1f deg, margin from %.2f\n",
         g->crank ? "cranks" : "legs", shown_leg(g, g->leg_min), shown_leg(g, g->leg_max), unit,
         shown_leg(g, g->leg_rate), unit, g->joint_max * DEGREES, g->margin);
  printf("%-14s", unit);
  for (int i = 1; i <= PLATFORM_LEGS; i++) printf("  %7d", i);
  printf("   joint/deg  margin\n");
  print_legs_of(g, "neutral", &s->neutral);
  print_legs_of(g, "park", &s->park);
  print_legs_of(g, "lowest", &s->low);
  print_legs_of(g, "highest", &s->high);
}

static void print_axes(const struct platform_geometry *g, const struct survey *s)
{
  printf("\ntravel of each axis alone, from neutral (mm, deg; per s); legs: at neutral\n"
         "%-7s  %9s  %9s  %9s   %10s  %9s   %s\n",
         "axis", "legs from", "to", "limit +-", "legs' rate", "limit",
         g->crank ? "acc. of a crank, deg/s^2" : "acc. of a leg, m/s^2");
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const struct survey_axis *x = &s->axis[k];
    printf("%-7s  %9.1f  %9.1f  %9.1f   %10.1f  %9.1f   %.2f%s%s\n", platform_coordinate_name[k],
           shown_coordinate(k, x->low), shown_coordinate(k, x->high), shown_coordinate(k, x->limit),
           shown_coordinate(k, x->rate), shown_coordinate(k, x->rate_limit),
           x->leg_acceleration * (g->crank ? DEGREES : 1.0),
           x->limit > fmin(-x->low, x->high) ? "  the legs end before the limit" : "",
           x->rate_limit > x->rate ? "  the legs are slower than the limit" : "");
  }
}

static void print_pairs(const struct survey *s)
{
  printf("\ntravel of two axes together, in %% of the travel alone (within the limits)\n%-7s", "");
  for (int b = 1; b < PLATFORM_DOF; b++) printf("  %5s", platform_coordinate_name[b]);
  int n = 0;
  for (int a = 0; a + 1 < PLATFORM_DOF; a++) {
    printf("\n%-7s", platform_coordinate_name[a]);
    for (int b = 1; b < PLATFORM_DOF; b++) {
      if (b > a)
        printf("  %5.0f", 100.0 * s->pair[n++].part);
      else
        printf("  %5s", "");
    }
  }
  printf("\n");
}

static void print_survey_table(const struct platform_spec *spec, const double park[PLATFORM_DOF],
                               const struct survey *s)
{
  print_legs(spec, s);
  printf("park pose: surge %.1f sway %.1f heave %.1f mm, roll %.2f pitch %.2f yaw %.2f deg\n", 1e3 * park[0],
         1e3 * park[1], 1e3 * park[2], DEGREES * park[3], DEGREES * park[4], DEGREES * park[5]);
  print_axes(&spec->geometry, s);
  print_pairs(s);
}

/* --- JSON, in SI units --- */

static json_t *json_of_numbers(const double *x, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
  return list;
}

static json_t *pose_of(const struct survey_pose *p)
{
  return json_pack("{s:o, s:o, s:o, s:f, s:b}", "pose", json_of_numbers(p->pose, PLATFORM_DOF), "legs",
                   json_of_numbers(p->leg, PLATFORM_LEGS), "joints", json_of_numbers(p->joint, PLATFORM_LEGS),
                   "margin", p->margin, "reached", p->reached);
}

/* Names of the inputs that come from the rig. */
static json_t *rig_inputs(const struct signals *s)
{
  json_t *list = json_array();
  for (int i = 0; i < s->inputs; i++)
    if (input_is_of_rig(s->input[i].kind)) json_array_append_new(list, json_string(s->input[i].name));
  return list;
}

static int print_figures(const struct platform_spec *spec, const struct survey *s,
                         const struct signals *signals)
{
  const struct platform_geometry *g = &spec->geometry;
  json_t *axes = json_object(), *pairs = json_array();
  /* Axes and pairs, then all of it. */
  for (int k = 0; k < PLATFORM_DOF; k++) {
    const struct survey_axis *x = &s->axis[k];
    json_object_set_new(axes, platform_coordinate_name[k],
                        json_pack("{s:f, s:f, s:f, s:f, s:f, s:f}", "low", x->low, "high", x->high, "limit",
                                  x->limit, "rate", x->rate, "rate_limit", x->rate_limit, "leg_acceleration",
                                  x->leg_acceleration));
  }
  for (int i = 0; i < SURVEY_PAIRS; i++)
    json_array_append_new(pairs,
                          json_pack("{s:s, s:s, s:f}", "a", platform_coordinate_name[s->pair[i].a], "b",
                                    platform_coordinate_name[s->pair[i].b], "part", s->pair[i].part));
  json_t *o = json_pack(
      "{s:s, s:s, s:f, s:f, s:f, s:o, s:o, s:o, s:o, s:o, s:o, s:o}", "kind", g->crank ? "cranks" : "legs",
      "leg_unit", g->crank ? "rad" : "m", "leg_min", g->leg_min, "leg_max", g->leg_max, "leg_rate",
      g->leg_rate, "neutral", pose_of(&s->neutral), "park", pose_of(&s->park), "lowest", pose_of(&s->low),
      "highest", pose_of(&s->high), "axes", axes, "pairs", pairs, "rig_inputs", rig_inputs(signals));
  const int status =
      o && json_dumpf(o, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12)) == 0 ? STATUS_OK : STATUS_FAILED;
  printf("\n");
  json_decref(o);
  return status;
}

/* --- the drawing --- */

enum { SIDE = 420, EDGE = 50, VIEWS = 2 };

struct view {
  double scale;       /* pixels per m */
  double left, level; /* pixel of the origin */
  int right, up;      /* coordinates that point right and up */
  bool mirrored;      /* the coordinate to the right counts to the left */
};

static double pixel_x(const struct view *v, const double p[3])
{
  return v->left + (v->mirrored ? -1.0 : 1.0) * v->scale * p[v->right];
}

static double pixel_y(const struct view *v, const double p[3])
{
  return v->level - v->scale * p[v->up];
}

static void draw_numbered_leg(const struct view *v, const struct platform_geometry *g, int i)
{
  const double top[3] = {g->top[i][0], g->top[i][1], g->top[i][2] + g->height}, *base = g->base[i];
  const double x1 = pixel_x(v, base), y1 = pixel_y(v, base), x2 = pixel_x(v, top), y2 = pixel_y(v, top);
  printf("<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" stroke=\"#444\" stroke-width=\"3\"/>\n", x1,
         y1, x2, y2);
  printf("<circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" fill=\"#06c\"/><circle cx=\"%.1f\" cy=\"%.1f\" r=\"5\" "
         "fill=\"#c30\"/>\n",
         x1, y1, x2, y2);
  /* From the side two legs may lie in one line: the number of the left one stands left of it. */
  const bool is_left = base[1] > 0.0;
  printf("<text x=\"%.1f\" y=\"%.1f\" font-size=\"18\" text-anchor=\"%s\">%d</text>\n",
         0.6 * x1 + 0.4 * x2 + (is_left ? -6.0 : 6.0), 0.6 * y1 + 0.4 * y2 - 4.0, is_left ? "end" : "start",
         i + 1);
}

static void draw_outline(const struct view *v, const double (*joint)[3], double height, const char *colour)
{
  printf("<polygon fill=\"none\" stroke=\"%s\" points=\"", colour);
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    const double p[3] = {joint[i][0], joint[i][1], joint[i][2] + height};
    printf("%.1f,%.1f ", pixel_x(v, p), pixel_y(v, p));
  }
  printf("\"/>\n");
}

static int print_drawing(const struct platform_geometry *g)
{
  double reach = g->height;
  for (int i = 0; i < PLATFORM_LEGS; i++)
    for (int c = 0; c < 3; c++) reach = fmax(reach, fmax(fabs(g->base[i][c]), fabs(g->top[i][c])));
  /* Two views side by side, each with outlines, legs and a caption. */
  const double scale = (0.5 * SIDE - EDGE) / reach;
  const struct view view[VIEWS] = {
      {.scale = scale, .left = 0.5 * SIDE, .level = 0.5 * SIDE, .right = 1, .up = 0, .mirrored = true},
      {.scale = scale, .left = 1.5 * SIDE, .level = SIDE - EDGE, .right = 0, .up = 2}};
  static const char *const caption[VIEWS] = {"from above: x forward is up, y is left",
                                             "from the right: x forward, z up"};
  printf("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" font-family=\"sans-serif\">\n"
         "<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n",
         VIEWS * SIDE, SIDE + EDGE);
  for (int n = 0; n < VIEWS; n++) {
    draw_outline(&view[n], g->base, 0.0, "#06c");
    draw_outline(&view[n], g->top, g->height, "#c30");
    for (int i = 0; i < PLATFORM_LEGS; i++) draw_numbered_leg(&view[n], g, i);
    printf("<text x=\"%d\" y=\"%d\" font-size=\"14\">%s</text>\n", n * SIDE + EDGE, SIDE + EDGE / 2,
           caption[n]);
  }
  printf("<text x=\"%d\" y=\"20\" font-size=\"14\">blue: base, red: platform at neutral, height %.0f "
         "mm</text>\n</svg>\n",
         EDGE, 1e3 * g->height);
  return STATUS_OK;
}

int platform_report(const struct settings *s, const char *file, enum platform_format format)
{
  char error[300];
  struct survey survey;
  if (!s->platform.enabled) {
    fprintf(stderr, "ali3d: --platform: the file has no section platform, or it is not enabled\n");
    return STATUS_USAGE;
  }
  struct platform *p = calloc(1, sizeof *p);
  if (!p ||
      !platform_init(p, &s->platform.spec, error, sizeof error)) { /* the reader has checked the platform */
    free(p);
    fprintf(stderr, "ali3d: %s\n", ali3_status_text(ALI3_E_MEMORY));
    return STATUS_FAILED;
  }
  int status = STATUS_OK;
  survey_make(&survey, p);
  switch (format) {
  case PLATFORM_FORMAT_JSON:
    status = print_figures(&p->spec, &survey, s->signals);
    break;
  case PLATFORM_FORMAT_SVG:
    status = print_drawing(&p->spec.geometry);
    break;
  case PLATFORM_FORMAT_MODEL:
    platform_model(&p->spec, file);
    break;
  default:
    print_survey_table(&p->spec, p->spec.park, &survey);
  }
  free(p);
  return status;
}
