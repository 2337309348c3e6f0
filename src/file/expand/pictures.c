/* SPDX-License-Identifier: MIT
 * Shapes for pictures, and sensors, that move with their part. Their numbers are in the frame of a body, so only those on the
 * ground turn. Bodies that consist of shapes show these shapes. */
#include "expand/expand_parts.h"
#include "model/names.h"
#include "yaml/text_file.h"

#include <stdlib.h>

/* A half turn about an axis of the shape, before its orientation. */
static bool picture_turn(struct expander *e, struct node *n, int axis)
{
  double own[4] = {1, 0, 0, 0}, half[4] = {0}, p[4];
  half[1 + axis] = 1;
  node_numbers(node_find(n, "orientation"), own, 4);
  p_mul(p, own, half);
  return node_put_numbers(e, n, "orientation", p, 4);
}

/* The image of a mesh is the mesh, reflected along one of its own axes. Mirroring twice about one axis gives the
 * original; about two axes, a half turn about the third. */
bool picture_mirror(struct expander *e, struct node *n, int axis)
{
  static const char *const names[] = {"x", "y", "z"};
  /* A cone is turned upside down by a mirror across its axis. Other shapes but meshes are their own image. */
  if (node_text_is(n, "shape", "cone") && axis == 2) return picture_turn(e, n, 0);
  if (!node_text_is(n, "shape", "mesh")) return true;
  int before = 0;
  while (before < 3 && !node_text_is(n, "mirror", names[before])) before++;
  if (before == 3) return node_put_text(e, n, "mirror", names[axis]);
  if (!node_put_text(e, n, "mirror", "none")) return false;
  return before == axis || picture_turn(e, n, 3 - before - axis);
}

/* --- shapes of bodies --- */

static const char OF_SHAPE[] = "of shape";

/* A rod has no thickness; its picture has this part of its length. */
static const double ROD_WIDE = 0.03;

/* The kind of a shape in pictures, its size, and its centre above its position along z. NULL: it has no size. */
static const char *picture_kind(const struct shape_values *s, double size[3], double *centre)
{
  static const char *const kind[] = {
      [SHAPE_BOX] = "box",   [SHAPE_CYLINDER] = "cylinder", [SHAPE_TUBE] = "tube",
      [SHAPE_CONE] = "cone", [SHAPE_SPHERE] = "sphere",     [SHAPE_ROD] = "capsule"};
  const double wide = s->type == SHAPE_ROD ? ROD_WIDE * s->length : 2 * s->radius;
  *centre = s->type == SHAPE_CONE ? 0.5 * s->length : 0;
  for (int i = 0; i < 3; i++)
    size[i] = s->type == SHAPE_BOX ? s->size[i] : i < 2 || s->type == SHAPE_SPHERE ? wide : s->length;
  return s->type == SHAPE_POINT ? NULL : kind[s->type];
}

bool picture_of_shape(struct expander *e, const struct node *body, const struct node *shape,
                      const struct shape_values *s, struct elements *out)
{
  const struct node map = {.kind = NODE_MAP, .at = shape->at, .key_at = shape->at, .text = ""};
  static const double straight[4] = {1};
  const double *turn = v3_dot(s->orientation + 1, s->orientation + 1) > 0 ? s->orientation : straight;
  double size[3], position[3], above[3] = {0};
  const char *kind = picture_kind(s, size, &above[2]), *name = node_text(body, "name");
  if (!kind || !name) return true;
  struct node *n = node_new_like(e, &map, 0);
  if (!n) return false;
  /* The place of its centre, then all keys. */
  orientation_turn(position, turn, above);
  v3_axpy(position, 1, s->position);
  bool good = node_put_text(e, n, "body", name) && node_put_text(e, n, "shape", kind) &&
              node_put_numbers(e, n, "size", size, 3) && node_put_numbers(e, n, "position", position, 3) &&
              node_put_numbers(e, n, "orientation", turn, 4);
  if (good && (good = node_put_text(e, n, "rods", "true"))) node_child(n, "rods")->quoted = false;
  if (good && s->type == SHAPE_TUBE) {
    const double inner = s->inner_radius / s->radius;
    good = inner > 0 ? node_put_numbers(e, n, "inner", &inner, 0) : node_put_text(e, n, "shape", "cylinder");
  }
  good = good && (!s->color || node_put_text(e, n, "color", s->color)) && node_put_text(e, n, OF_SHAPE, "");
  if (good) elements_append(out, VISUAL, n);
  return good;
}

/* Whether the list has a picture of a body that is not of its shape. */
static bool has_other_picture(const struct names *others, const struct node *n)
{
  const char *body = node_text(n, "body");
  return body && names_find(others, body) >= 0;
}

bool pictures_choose(struct expander *e, struct elements *model)
{
  struct names others = {0};
  bool good = true;
  for (struct node *n = model->first[VISUAL]; good && n; n = n->next) {
    const char *body = n->kind == NODE_MAP && !node_find(n, OF_SHAPE) ? node_text(n, "body") : NULL;
    if (body && names_find(&others, body) < 0) good = names_add(&others, body, 0);
    if (!good) fail_expansion(e, n->at, "out of memory");
  }
  /* Make the list anew without the ones that are replaced. */
  struct node *next = model->first[VISUAL];
  model->first[VISUAL] = model->last[VISUAL] = NULL;
  model->count[VISUAL] = 0;
  for (struct node *n = next; n; n = next) {
    next = n->next;
    const bool of_shape = n->kind == NODE_MAP && node_find(n, OF_SHAPE);
    if (of_shape && has_other_picture(&others, n)) continue;
    if (of_shape) node_remove(n, OF_SHAPE);
    elements_append(model, VISUAL, n);
  }
  names_free(&others);
  return good;
}

/* --- parts --- */

bool ground_pose_turn(struct expander *e, struct node *n, const char *point, const struct part_motion *m)
{
  double r[3] = {0}, p[4] = {1, 0, 0, 0}, o[4];
  if (!node_text_is(n, "body", "ground")) return true;
  const struct node *position = node_find(n, point), *orientation = node_find(n, "orientation");
  if ((position && !node_numbers(position, r, 3)) || (orientation && !node_numbers(orientation, p, 4)))
    return true; /* the reader of the file reports it */
  p_mul(o, m->orientation, p);
  const bool turned = v3_dot(o + 1, o + 1) != 0;
  return node_put_numbers(e, n, point, r, 3) && vector_turn(e, n, point, m, true) &&
         ((!turned && !orientation) || node_put_numbers(e, n, "orientation", o, 4));
}

bool picture_lead(struct expander *e, struct node *n, const char *use)
{
  const char *file = node_text(n, "file");
  if (!file) return true;
  char *path = path_beside(use, file);
  if (!path) return fail_expansion(e, n->at, "out of memory");
  const bool good = node_put_text(e, n, "file", path);
  free(path);
  return good;
}
