/* SPDX-License-Identifier: MIT
 * URDF: links, their inertia, shapes and materials. */
#include "urdf/urdf_elements.h"

#include <string.h>

enum { LINKS_MOST = 10000 };

bool take_link(struct reader *x, const struct tag *t)
{
  struct robot *r = x->robot;
  const char *name = tag_needs(x, t, "name");
  if (!name) return false;
  if (r->links == LINKS_MOST)
    return reader_fail(x, t->line, "expected at most %d links, found more", LINKS_MOST);
  const int before = robot_find_link(r, name);
  if (before != NONE)
    return reader_fail(x, t->line, "link '%.100s': line %d has a link of this name, too", name,
                       r->link[before].line);
  if (!robot_grow(r, (void **)&r->link, r->links, &r->link_room, sizeof *r->link)) return reader_no_memory(x);
  x->link = &r->link[r->links++];
  *x->link =
      (struct link){.name = name, .line = t->line, .inertial = frame_one, .parent = NONE, .group = NONE};
  return true;
}

bool take_inertial(struct reader *x, const struct tag *t)
{
  x->link->inertial_line = t->line;
  return true;
}

/* The element inertia may stand before origin, so robot_resolve() turns the moments into the axes of the link. */
bool take_inertial_origin(struct reader *x, const struct tag *t)
{
  return tag_origin(x, t, &x->link->inertial);
}

bool take_mass(struct reader *x, const struct tag *t)
{
  double mass;
  if (!tag_number(x, t, "value", &mass)) return false;
  if (mass < 0.0)
    return reader_fail(x, t->line, "link '%.100s': expected a mass of 0 kg or more, found %g kg",
                       x->link->name, mass);
  x->link->inertia.mass = mass;
  return true;
}

bool take_inertia(struct reader *x, const struct tag *t)
{
  static const char *const name[6] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
  static const int place[6][2] = {{0, 0}, {1, 3}, {2, 6}, {4, 4}, {5, 7}, {8, 8}};
  double *moment = x->link->inertia.moment;
  for (int i = 0; i < 6; i++) {
    double value = 0.0;
    bool found;
    if (!tag_numbers(x, t, name[i], 1, &value, &found)) return false;
    if (!found)
      note(x->notes, t->line, "link '%.100s': <inertia> has no %s, which counts as 0", x->link->name,
           name[i]);
    moment[place[i][0]] = moment[place[i][1]] = value;
  }
  return true;
}

static bool begin_shape(struct reader *x, const struct tag *t, struct shape **list)
{
  struct shape *s = robot_take(x->robot, 1, sizeof *s);
  if (!s) return reader_no_memory(x);
  *s = (struct shape){.at = frame_one, .scale = {1, 1, 1}, .line = t->line};
  while (*list) list = &(*list)->next;
  *list = s;
  x->shape = s;
  return true;
}

bool take_visual(struct reader *x, const struct tag *t)
{
  return begin_shape(x, t, &x->link->visual);
}

bool take_collision(struct reader *x, const struct tag *t)
{
  return begin_shape(x, t, &x->link->hit);
}

bool take_shape_origin(struct reader *x, const struct tag *t)
{
  return tag_origin(x, t, &x->shape->at);
}

static bool take_kind(struct reader *x, const struct tag *t, enum shape_kind kind)
{
  if (x->shape->kind != SHAPE_NONE)
    return reader_fail(x, t->line, "<geometry>: expected one shape, found several");
  x->shape->kind = kind;
  x->shape->line = t->line;
  return true;
}

static bool take_size(struct reader *x, const struct tag *t, const char *name, int count, double *out)
{
  bool found;
  if (!tag_numbers(x, t, name, count, out, &found)) return false;
  if (!found) return reader_fail(x, t->line, "<%s>: expected the attribute %s, found none", t->name, name);
  for (int i = 0; i < count; i++)
    if (!(out[i] >= 0.0))
      return reader_fail(x, t->line, "<%s>: %s: expected 0 or more, found %g", t->name, name, out[i]);
  return true;
}

bool take_box(struct reader *x, const struct tag *t)
{
  return take_kind(x, t, SHAPE_BOX) && take_size(x, t, "size", 3, x->shape->size);
}

bool take_cylinder(struct reader *x, const struct tag *t)
{
  return take_kind(x, t, SHAPE_CYLINDER) && take_size(x, t, "radius", 1, x->shape->size) &&
         take_size(x, t, "length", 1, x->shape->size + 1);
}

bool take_capsule(struct reader *x, const struct tag *t)
{
  return take_kind(x, t, SHAPE_CAPSULE) && take_size(x, t, "radius", 1, x->shape->size) &&
         take_size(x, t, "length", 1, x->shape->size + 1);
}

bool take_sphere(struct reader *x, const struct tag *t)
{
  return take_kind(x, t, SHAPE_SPHERE) && take_size(x, t, "radius", 1, x->shape->size);
}

bool take_mesh(struct reader *x, const struct tag *t)
{
  if (!take_kind(x, t, SHAPE_MESH)) return false;
  x->shape->file = tag_needs(x, t, "filename");
  return x->shape->file && tag_numbers(x, t, "scale", 3, x->shape->scale, NULL);
}

bool take_material(struct reader *x, const struct tag *t)
{
  bool good = true;
  x->material = x->shape->colour = tag_value(x, t, "name", &good);
  return good;
}

bool take_robot_material(struct reader *x, const struct tag *t)
{
  return (x->material = tag_needs(x, t, "name")) != NULL;
}

/* The first colour of a name counts, wherever it stands. */
bool take_color(struct reader *x, const struct tag *t)
{
  struct robot *r = x->robot;
  double rgba[4];
  bool found;
  if (!tag_numbers(x, t, "rgba", 4, rgba, &found)) return false;
  if (!found) return true;
  if (!x->in_robot) {
    memcpy(x->shape->rgb, rgba, sizeof x->shape->rgb);
    x->shape->coloured = true;
  }
  if (!x->material || !x->material[0]) return true;
  if (!robot_grow(r, (void **)&r->colour, r->colours, &r->colour_room, sizeof *r->colour))
    return reader_no_memory(x);
  struct colour *c = &r->colour[r->colours++];
  c->name = x->material;
  memcpy(c->rgb, rgba, sizeof c->rgb);
  return true;
}
