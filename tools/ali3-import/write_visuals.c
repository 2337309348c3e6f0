/* SPDX-License-Identifier: MIT
 * The model file: shapes for pictures. */
#include "import.h"
#include "mesh_copies.h"

#include <math.h>

static int colour_byte(double x)
{
  return (int)lround(255.0 * fmin(fmax(x, 0.0), 1.0));
}

/* The diameters and the length that the key size has. False: a shape that has no picture. */
static bool picture_size(const struct shape *s, double size[3], const char **kind)
{
  /* A capsule of URDF is as long as its cylinder; here its ends count. */
  const double a = s->size[0], b = s->size[1];
  switch (s->kind) {
  case SHAPE_BOX:
    *kind = "box";
    for (int i = 0; i < 3; i++) size[i] = s->size[i];
    break;
  case SHAPE_SPHERE:
    *kind = "sphere";
    for (int i = 0; i < 3; i++) size[i] = 2.0 * a;
    break;
  case SHAPE_ELLIPSOID:
    *kind = "sphere";
    for (int i = 0; i < 3; i++) size[i] = 2.0 * s->size[i];
    break;
  case SHAPE_CYLINDER:
  case SHAPE_CAPSULE:
    *kind = s->kind == SHAPE_CYLINDER ? "cylinder" : "capsule";
    size[0] = size[1] = 2.0 * a;
    size[2] = s->kind == SHAPE_CYLINDER ? b : b + 2.0 * a;
    break;
  default:
    return false;
  }
  return size[0] > 0.0 && size[1] > 0.0 && size[2] > 0.0;
}

/* Opens the list before its first entry. */
static void begin_visual(const struct robot *r, int link, const char *kind, FILE *out, bool *begun)
{
  if (!*begun) fputs("  visual:\n", out);
  *begun = true;
  fprintf(out, "    - {body: \"%s\", shape: %s", r->group[r->link[link].group].label, kind);
}

static void end_visual(const struct shape *s, const struct frame *at, FILE *out)
{
  fputs(", position: ", out);
  vector_write(out, at->p);
  fputs(", orientation: ", out);
  euler_write(out, at->R);
  if (s->coloured)
    fprintf(out, ", color: \"#%02x%02x%02x\"", colour_byte(s->rgb[0]), colour_byte(s->rgb[1]),
            colour_byte(s->rgb[2]));
  fputs("}\n", out);
}

/* A model mirrors one axis of a mesh: two negative factors are half a turn about the third axis, three are both. */
static const char *find_mirror(const double scale[3], double turn[9])
{
  static const char *const axes[] = {"x", "y", "z"};
  int negative = 0, odd = NONE;
  for (int i = 0; i < 3; i++) negative += scale[i] < 0.0;
  for (int i = 0; i < 3; i++)
    if ((scale[i] < 0.0) == (negative != 2)) odd = i;
  if (negative == 3) odd = 0;
  for (int i = 0; i < 9; i++) turn[i] = frame_one.R[i];
  if (negative >= 2)
    for (int i = 0; i < 3; i++)
      if (i != odd) turn[4 * (ptrdiff_t)i] = -1.0;
  return negative % 2 ? axes[odd] : NULL;
}

static void write_mesh(struct robot *r, const struct import *o, int link, const struct shape *s,
                       struct notes *n, FILE *out, bool *begun)
{
  char error[400];
  const double size = fabs(s->scale[0]);
  if (!o->meshes) {
    note_often(n, s->line, "a mesh of <visual> is not imported; --meshes copies STL and GLB files");
    return;
  }
  if (!(size > 0.0) || fabs(fabs(s->scale[1]) - size) > 1e-6 * size ||
      fabs(fabs(s->scale[2]) - size) > 1e-6 * size) {
    note(n, s->line, "mesh '%.80s': its scale differs from axis to axis, so it is not imported", s->file);
    return;
  }
  const char *name = mesh_copy_plan(r, s, o, error, sizeof error);
  if (!name) {
    note(n, s->line, "%s", error);
    return;
  }
  /* Turn and mirror it. */
  struct frame turn = frame_one;
  const char *mirror = find_mirror(s->scale, turn.R);
  const struct frame body = link_in_body(r, link), placed = frame_chain(&body, &s->at),
                     at = frame_chain(&placed, &turn);
  begin_visual(r, link, "mesh", out, begun);
  fprintf(out, ", file: \"%s\"", name);
  if (size != 1.0) {
    fputs(", scale: ", out);
    number_write(out, size);
  }
  if (mirror) fprintf(out, ", mirror: %s", mirror);
  end_visual(s, &at, out);
}

static void write_visual(struct robot *r, const struct import *o, int link, const struct shape *s,
                         struct notes *n, FILE *out, bool *begun)
{
  double size[3];
  const char *kind = "";
  if (s->kind == SHAPE_MESH) {
    write_mesh(r, o, link, s, n, out, begun);
    return;
  }
  if (!picture_size(s, size, &kind)) {
    note_often(n, s->line, "a shape without size or kind has no picture");
    return;
  }
  const struct frame body = link_in_body(r, link), at = frame_chain(&body, &s->at);
  begin_visual(r, link, kind, out, begun);
  fputs(", size: ", out);
  vector_write(out, size);
  end_visual(s, &at, out);
}

void visuals_write(struct robot *r, const struct import *o, struct notes *n, FILE *out)
{
  bool begun = false;
  for (int i = 0; i < r->links; i++) {
    const struct link *l = &r->link[i];
    if (l->hit)
      note_often(n, l->hit->line, "shapes of <collision> are not imported: links pass through each other");
    if (r->group[l->group].dropped) continue;
    for (const struct shape *s = l->visual; s; s = s->next) write_visual(r, o, i, s, n, out, &begun);
  }
}
