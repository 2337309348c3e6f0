/* SPDX-License-Identifier: MIT */
#include "draw/draw.h"

#include "draw/camera.h"
#include "draw/outlines.h"
#include "draw/sheet.h"
#include "math/euler.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { WIDTH = 1000, HEIGHT = 760, MARGIN = 70 };
static const double FIGURE_HEIGHT = HEIGHT - 2 * MARGIN;
static const double AXIS = 0.05; /* half the length of a joint's axis, as a part of the size */

static const char style_sheet[] =
    "<style>text{font:11px sans-serif;paint-order:stroke;stroke:#fff;stroke-width:3px}"
    ".body{font-weight:bold}.joint{fill:#333}.force{fill:#186a3b}.title{font-size:16px}.leg{font-weight:bold;"
    "font-size:14px}"
    ".own{stroke:#333;stroke-width:.8;stroke-linejoin:round}.face{fill-opacity:.35;stroke:#444;stroke-width:."
    "6}"
    ".rod{stroke-opacity:.75;stroke-linecap:round}"
    ".mark{fill:#fff;stroke:#222;stroke-width:1.6}.ball{fill:#222}.ground{fill:#222;stroke:#222;stroke-width:"
    "1.6}"
    ".axis{stroke:#c0392b;stroke-width:1.4}.link{stroke:#222;stroke-width:1.6}"
    ".spring{stroke:#186a3b;stroke-width:1.6;stroke-dasharray:5 "
    "3}.sphere{fill:none;stroke:#186a3b;stroke-width:1.2}.frame{stroke:#777;stroke-width:1.4}"
    ".plate{fill:#9aa7b1;fill-opacity:.25;stroke:#556;stroke-width:1}.strut{stroke:#2c5d8a;stroke-width:3}"
    ".lead{stroke:#888;stroke-width:.7}";

struct drawing {
  const struct scene *scene;
  struct camera camera;
  struct sheet sheet;
  struct outlines own; /* shapes of the file, and solids */
  bool *rods;          /* (bodies) a shape of the file asks for the rods of this body */
};

/* --- shapes in the world --- */

static double place_point(const struct drawing *d, const double world[3], double page[2])
{
  return camera_project(&d->camera, world, page);
}

/* front: how much nearer to the eye than its middle the shape is drawn, m. */
static void add_line(struct drawing *d, const double a[3], const double b[3], const char *style, int colour,
                     double width, double front)
{
  struct sheet_shape p = {.points = 2, .style = style, .colour = colour, .width = width};
  p.depth = 0.5 * (place_point(d, a, p.point[0]) + place_point(d, b, p.point[1])) + front;
  sheet_add(&d->sheet, p);
}

static void add_mark(struct drawing *d, const double at[3], const char *style, double radius)
{
  struct sheet_shape p = {.points = 1, .style = style, .colour = -1, .width = radius};
  p.depth = place_point(d, at, p.point[0]) + d->scene->size;
  sheet_add(&d->sheet, p);
}

static void add_label(struct drawing *d, const double at[3], const char *text, const char *style)
{
  double page[2];
  place_point(d, at, page);
  sheet_label(&d->sheet, page, text, style);
}

/* --- bodies --- */

static void draw_body_outline(struct drawing *d, const struct outline *o)
{
  struct sheet_shape p = {
      .points = o->points, .style = o->own ? "own" : "face", .colour = -1, .fill = o->color};
  p.outline = malloc((size_t)o->points * sizeof *p.outline);
  if (!p.outline) {
    d->sheet.failed = true;
    return;
  }
  p.depth = o->nearer;
  for (int k = 0; k < o->points; k++) p.depth += place_point(d, o->point[k], p.outline[k]) / o->points;
  sheet_add(&d->sheet, p);
}

/* The rods of a body with a shape of the file show only if the file says so, and behind the shape. */
static void draw_bodies(struct drawing *d)
{
  const struct scene *s = d->scene;
  for (int i = 0; i < d->own.count; i++) draw_body_outline(d, &d->own.item[i]);
  for (int i = 0; i < s->rods; i++) {
    const int body = s->rod[i].body;
    const bool own = outlines_have(&d->own, body);
    if (own && !d->rods[body]) continue;
    double a[3], b[3];
    scene_place(s, body, s->rod[i].from, a);
    scene_place(s, body, s->rod[i].to, b);
    add_line(d, a, b, "rod", body % SCENE_COLORS, fmax(2, 2 * s->thickness * d->camera.scale),
             own ? -s->size : 0);
  }
}

/* --- joints and forces --- */

static void draw_joint_axis(struct drawing *d, const struct scene_joint *j, int end, const double at[3])
{
  double axis[3], a[3], b[3];
  scene_direction(d->scene, j->body[end], j->axis[end], axis);
  v3_copy(a, at);
  v3_copy(b, at);
  v3_axpy(a, -AXIS * d->scene->size, axis);
  v3_axpy(b, AXIS * d->scene->size, axis);
  add_line(d, a, b, "axis", -1, 0, d->scene->size);
}

static void draw_joint(struct drawing *d, const struct scene_joint *j)
{
  double at[2][3];
  const bool ground = j->body[0] == ALI3_GROUND || j->body[1] == ALI3_GROUND;
  for (int end = 0; end < 2; end++) scene_place(d->scene, j->body[end], j->point[end], at[end]);
  /* A joint whose points differ is a line between them. */
  double between[3];
  v3_sub(between, at[1], at[0]);
  if (sqrt(v3_dot(between, between)) > 1e-3 * d->scene->size) {
    add_line(d, at[0], at[1], "link", -1, 0, d->scene->size);
    add_mark(d, at[1], "mark", 2.5);
  }
  /* Both axes of a universal joint, one axis of the other types. */
  if (j->has_axis[0]) draw_joint_axis(d, j, 0, at[0]);
  if (j->has_axis[1] && j->type == ALI3_JOINT_UNIVERSAL) draw_joint_axis(d, j, 1, at[1]);
  add_mark(d, at[0], ground ? "ground" : j->type == ALI3_JOINT_SPHERICAL ? "ball" : "mark", ground ? 5 : 4);
}

static bool is_contact(const struct scene_force *f)
{
  return f->radius[0] > 0 || f->radius[1] > 0;
}

static void force_middle(const struct drawing *d, const struct scene_force *f, double ends[2][3],
                         double middle[3])
{
  for (int end = 0; end < 2; end++) scene_place(d->scene, f->body[end], f->point[end], ends[end]);
  for (int i = 0; i < 3; i++) middle[i] = 0.5 * (ends[0][i] + ends[1][i]);
}

/* The wheel of a tyre: a circle about its axle. */
static void draw_wheel(struct drawing *d, const struct scene_force *f)
{
  enum { PARTS = 48 };
  double u[3], v[3], last[3], at[3];
  v3_perpendicular(f->axle, u, v);
  for (int i = 0; i <= PARTS; i++) {
    const double turn = 2.0 * M_PI * i / PARTS, r = f->radius[1];
    double point[3];
    for (int c = 0; c < 3; c++) point[c] = f->point[1][c] + r * (cos(turn) * u[c] + sin(turn) * v[c]);
    scene_place(d->scene, f->body[1], point, at);
    if (i > 0) add_line(d, last, at, "sphere", -1, 0, 0.9 * d->scene->size);
    v3_copy(last, at);
  }
}

/* A contact is its spheres or its wheel, any other force a line. */
static void draw_force(struct drawing *d, const struct scene_force *f)
{
  double ends[2][3], middle[3];
  force_middle(d, f, ends, middle);
  if (f->type == ALI3_FORCE_TYRE) {
    draw_wheel(d, f);
    return;
  }
  for (int end = 0; end < 2; end++)
    if (f->radius[end] > 0) add_mark(d, ends[end], "sphere", f->radius[end] * d->camera.scale);
  if (!is_contact(f)) add_line(d, ends[0], ends[1], "spring", -1, 0, 0.9 * d->scene->size);
}

static void label_all(struct drawing *d)
{
  const struct scene *s = d->scene;
  double at[3], ends[2][3];
  for (int i = 0; i < s->bodies; i++) add_label(d, s->body[i].position, s->body[i].name, "body");
  for (int i = 0; i < s->joints; i++) {
    scene_place(s, s->joint[i].body[0], s->joint[i].point[0], at);
    add_label(d, at, s->joint[i].name, "joint");
  }
  for (int i = 0; i < s->forces; i++) {
    force_middle(d, &s->force[i], ends, at);
    add_label(d, is_contact(&s->force[i]) ? ends[1] : at, s->force[i].name, "force");
  }
}

/* --- page --- */

/* The directions of x, y and z of the world at the lower left corner of a figure. */
static void write_triad(const struct camera *c, double top, FILE *out)
{
  static const char name[3] = {'x', 'y', 'z'};
  const double at[2] = {46, top + HEIGHT - 60};
  for (int i = 0; i < 3; i++) {
    const double x = 32 * c->right[i], y = -32 * c->up[i];
    fprintf(out,
            "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\" class=\"frame\"/><text x=\"%.1f\" "
            "y=\"%.1f\">%c</text>\n",
            at[0], at[1], at[0] + x, at[1] + y, at[0] + 1.3 * x - 3, at[1] + 1.3 * y + 4, name[i]);
  }
}

/* A bar of 1, 2 or 5 times a power of ten, about a sixth of the width. */
static void write_scale(const struct camera *c, double top, FILE *out)
{
  const double about = WIDTH / 6.0 / c->scale, ten = pow(10, floor(log10(about)));
  const double length = about / ten >= 5 ? 5 * ten : about / ten >= 2 ? 2 * ten : ten;
  const double left = WIDTH - 40 - length * c->scale, y = top + HEIGHT - 40;
  fprintf(out,
          "<line x1=\"%.1f\" y1=\"%.1f\" x2=\"%d\" y2=\"%.1f\" class=\"link\"/><text x=\"%.1f\" "
          "y=\"%.1f\">%g m</text>\n",
          left, y, WIDTH - 40, y, left, y - 6, length);
}

/* Makes room for everything that is drawn. */
static void see_all(struct drawing *d)
{
  const struct scene *s = d->scene;
  double world[3];
  for (int b = 0; b < s->bodies; b++) camera_see(&d->camera, s->body[b].position);
  for (int i = 0; i < d->own.count; i++)
    for (int k = 0; k < d->own.item[i].points; k++) camera_see(&d->camera, d->own.item[i].point[k]);
  /* Points of joints and forces. */
  for (int i = 0; i < 2 * s->joints; i++) {
    const struct scene_joint *j = &s->joint[i / 2];
    scene_place(s, j->body[i % 2], j->point[i % 2], world);
    camera_see(&d->camera, world);
  }
  for (int i = 0; i < 2 * s->forces; i++) {
    const struct scene_force *f = &s->force[i / 2];
    scene_place(s, f->body[i % 2], f->point[i % 2], world);
    if (!is_contact(f) || f->radius[i % 2] > 0) camera_see(&d->camera, world);
  }
}

static bool draw_mechanism(const struct scene *s, const struct scene_visual *visual, int visuals, FILE *out,
                           char *error, size_t size)
{
  struct drawing d = {.scene = s, .sheet = {.width = WIDTH, .height = HEIGHT}};
  /* The camera looks first, then finds its scale. */
  camera_aim(&d.camera, s);
  d.rods = calloc((size_t)s->bodies + 1, sizeof *d.rods);
  if (!d.rods) snprintf(error, size, "out of memory");
  if (!d.rods || !outlines_find(&d.own, s, &d.camera, visual, visuals, error, size)) {
    outlines_free(&d.own);
    free(d.rods);
    return false;
  }
  for (int i = 0; i < visuals; i++)
    if (visual[i].rods && visual[i].body >= 0) d.rods[visual[i].body] = true;
  see_all(&d);
  camera_fit(&d.camera, (const double[4]){MARGIN, MARGIN, WIDTH - 2 * MARGIN, FIGURE_HEIGHT});
  draw_bodies(&d);
  for (int i = 0; i < s->joints; i++) draw_joint(&d, &s->joint[i]);
  for (int i = 0; i < s->forces; i++) draw_force(&d, &s->force[i]);
  label_all(&d);
  sheet_write(&d.sheet, out);
  write_triad(&d.camera, 0, out);
  write_scale(&d.camera, 0, out);
  const bool good = !d.sheet.failed;
  if (!good) snprintf(error, size, "out of memory");
  sheet_free(&d.sheet);
  outlines_free(&d.own);
  free(d.rods);
  return good;
}

/* The joint at the top of a leg, in the base frame at neutral. */
static void leg_top(const struct platform_geometry *g, int leg, double top[3])
{
  v3_copy(top, g->top[leg]);
  top[2] += g->height;
}

static void draw_legs(struct drawing *d, const struct scene *s)
{
  static const char *const number[PLATFORM_LEGS] = {"1", "2", "3", "4", "5", "6"};
  const struct platform_geometry *g = &s->platform;
  struct sheet_shape base = {.points = PLATFORM_LEGS, .style = "plate", .colour = -1, .depth = -1e9},
                     plate = base;
  plate.depth = 1e9;
  for (int leg = 0; leg < PLATFORM_LEGS; leg++) {
    double top[3], tip[3], middle[3];
    leg_top(g, leg, top);
    v3_copy(tip, g->base[leg]);
    /* A leg goes from the base to the plate, or from the tip of a crank. */
    if (g->crank) {
      scene_crank_tip(g, leg, s->neutral[leg], tip);
      add_line(d, g->base[leg], tip, "strut", -1, 5, 0);
    }
    add_line(d, tip, top, "strut", -1, 0, 0);
    for (int i = 0; i < 3; i++) middle[i] = 0.5 * (tip[i] + top[i]);
    add_label(d, middle, number[leg], "leg");
    place_point(d, g->base[leg], base.point[leg]);
    place_point(d, top, plate.point[leg]);
  }
  sheet_add(&d->sheet, base);
  sheet_add(&d->sheet, plate);
}

static bool draw_platform(const struct scene *s, FILE *out, char *error, size_t size)
{
  static const double up[3] = {0, 0, 1};
  const struct platform_geometry *g = &s->platform;
  struct drawing d = {.scene = s, .sheet = {.width = WIDTH, .height = 2 * HEIGHT}};
  camera_aim_oblique(&d.camera, up);
  /* See all joints of the legs. */
  for (int leg = 0; leg < PLATFORM_LEGS; leg++) {
    double top[3];
    leg_top(g, leg, top);
    camera_see(&d.camera, g->base[leg]);
    camera_see(&d.camera, top);
  }
  camera_fit(&d.camera, (const double[4]){MARGIN, HEIGHT + MARGIN, WIDTH - 2 * MARGIN, FIGURE_HEIGHT});
  draw_legs(&d, s);
  sheet_write(&d.sheet, out);
  write_triad(&d.camera, HEIGHT, out);
  write_scale(&d.camera, HEIGHT, out);
  fprintf(out,
          "<text x=\"30\" y=\"%d\" class=\"title\">motion platform at neutral, in its base frame</text>\n",
          HEIGHT + 40);
  const bool good = !d.sheet.failed;
  if (!good) snprintf(error, size, "out of memory");
  sheet_free(&d.sheet);
  return good;
}

bool draw_scene(const struct scene *s, const struct scene_visual *visual, int visuals, FILE *out, char *error,
                size_t size)
{
  /* The frame of the page, then its figures. */
  const int height = s->has_platform ? 2 * HEIGHT : HEIGHT;
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n",
          WIDTH, height, WIDTH, height);
  fputs(style_sheet, out);
  for (int i = 0; i < SCENE_COLORS; i++) fprintf(out, ".rod.c%d{stroke:%s}", i, scene_color(i));
  fputs("</style>\n", out);
  fprintf(out, "<rect width=\"%d\" height=\"%d\" fill=\"#fff\"/>\n<text x=\"30\" y=\"40\" class=\"title\">",
          WIDTH, height);
  sheet_write_text(out, s->name);
  fprintf(out, ": %d %s, %d joint%s, at the start</text>\n", s->bodies, s->bodies == 1 ? "body" : "bodies",
          s->joints, s->joints == 1 ? "" : "s");
  bool good = draw_mechanism(s, visual, visuals, out, error, size);
  if (good && s->has_platform) good = draw_platform(s, out, error, size);
  fputs("</svg>\n", out);
  return good;
}
