/* SPDX-License-Identifier: MIT
 * Poses of bodies that follow from other bodies: relative to a body, or by the joint that leads to it and its coordinate. */
#include "base/bits.h"
#include "expand/expand_parts.h"
#include "model/names.h"

#include <stdlib.h>
#include <string.h>

struct placed {
  struct node *node;
  bool known;
  double r[3], p[4]; /* pose of the frame in which the file gives points */
};

struct placing {
  struct expander *e;
  struct elements *model;
  struct placed *body; /* (bodies) */
  struct names names;
};

static const struct placed the_ground = {.known = true, .p = {1, 0, 0, 0}};

/* NULL: no body has the name. */
static const struct placed *find_placed(const struct placing *g, const char *name)
{
  if (name && strcmp(name, "ground") == 0) return &the_ground;
  const int i = name ? names_find(&g->names, name) : -1;
  return i >= 0 ? &g->body[i] : NULL;
}

/* --- one step from a body to the next --- */

/* A joint as far as it places a body. */
struct step_between {
  double point[2][3]; /* points on bodies a and b */
  double slide[3];    /* in a, from point_a to point_b */
  double relative[4]; /* orientation of b seen from a */
};

static bool read_step(const struct node *joint, struct step_between *out)
{
  static const char *const kinds[] = {"fixed",       "revolute",  "prismatic",
                                      "cylindrical", "universal", "spherical"};
  const char *type = node_text(joint, "type");
  size_t kind = 0;
  while (type && kind < sizeof kinds / sizeof *kinds && strcmp(type, kinds[kind]) != 0) kind++;
  if (!type || kind == sizeof kinds / sizeof *kinds) return false;
  if (!node_numbers(node_find(joint, "point_a"), out->point[0], 3) ||
      !node_numbers(node_find(joint, "point_b"), out->point[1], 3))
    return false;

  /* Axes of a revolute or cylindrical joint are parallel. Other joints keep the orientation of the other body. */
  double axis_a[3], axis_b[3], position = 0, turn[4], parallel[4] = {1, 0, 0, 0};
  const bool revolute = kind == 1, prismatic = kind == 2;
  node_numbers(node_find(joint, "position"), &position, 0);
  const bool axis = node_numbers(node_find(joint, "axis_a"), axis_a, 3) && v3_dot(axis_a, axis_a) > 0;
  if ((revolute || prismatic) && !axis) return false;
  if ((revolute || kind == 3) && axis && node_numbers(node_find(joint, "axis_b"), axis_b, 3) &&
      v3_dot(axis_b, axis_b) > 0)
    orientation_between(parallel, axis_b, axis_a);
  memcpy(out->relative, parallel, sizeof parallel);
  if (revolute && position != 0) {
    orientation_about(turn, axis_a, position);
    p_mul(out->relative, turn, parallel);
  }
  double given[4];
  if (node_numbers(node_find(joint, "relative_orientation"), given, 4))
    memcpy(out->relative, given, sizeof given);
  for (int i = 0; i < 3; i++)
    out->slide[i] = prismatic ? axis_a[i] * position / sqrt(v3_dot(axis_a, axis_a)) : 0;
  return true;
}

/* Reads the orientation that the body itself gives, in the frame of the body to which its part is attached. False: none. */
static bool own_orientation(const struct node *body, const struct placed *host, double p[4])
{
  double own[4];
  if (!node_numbers(node_find(body, "orientation"), own, 4)) return false;
  if (host)
    p_mul(p, host->p, own);
  else
    memcpy(p, own, sizeof own);
  return true;
}

/* Places b from a, or a from b with `back`. host: the body to which the part of `to` is attached; NULL: none. */
static void take_step(const struct step_between *s, const struct placed *from, const struct placed *host,
                      struct placed *to, bool back)
{
  double point[3], arm[3], slide[3];
  const double inverse[4] = {s->relative[0], -s->relative[1], -s->relative[2], -s->relative[3]};
  if (!own_orientation(to->node, host, to->p)) p_mul(to->p, from->p, back ? inverse : s->relative);
  orientation_turn(point, from->p, s->point[back]);
  v3_axpy(point, 1.0, from->r);
  orientation_turn(slide, back ? to->p : from->p, s->slide);
  v3_axpy(point, back ? -1.0 : 1.0, slide);
  orientation_turn(arm, to->p, s->point[!back]);
  v3_sub(to->r, point, arm);
  to->known = true;
}

static bool place_by_joint(const struct placing *g, const struct node *joint)
{
  struct step_between s;
  const struct placed *a = find_placed(g, node_text(joint, "body_a")),
                      *b = find_placed(g, node_text(joint, "body_b"));
  if (!a || !b || a->known == b->known) return false;
  struct placed *to = &g->body[(a->known ? b : a) - g->body];
  const struct placed *host = find_placed(g, node_text(to->node, ELEMENT_HOST));
  if (host && !host->known) return false;
  if (node_find(to->node, "position") || node_find(to->node, "relative_to") || !read_step(joint, &s))
    return false;
  take_step(&s, a->known ? a : b, host, to, b->known);
  return true;
}

static bool place_by_body(const struct placing *g, struct placed *to)
{
  double r[3] = {0}, p[4] = {1, 0, 0, 0};
  const struct placed *from = find_placed(g, node_text(to->node, "relative_to"));
  const struct node *position = node_find(to->node, "position"),
                    *orientation = node_find(to->node, "orientation");
  if (!from || !from->known) return false;
  if ((position && !node_numbers(position, r, 3)) || (orientation && !node_numbers(orientation, p, 4)))
    return false;
  orientation_turn(to->r, from->p, r);
  v3_axpy(to->r, 1.0, from->r);
  p_mul(to->p, from->p, p);
  to->known = true;
  return true;
}

/* --- all bodies --- */

/* Goes over joints and bodies until nothing changes. */
static bool place_bodies(const struct placing *g)
{
  bool again = true;
  while (again) {
    again = false;
    const long work = g->model->count[JOINTS] + g->model->count[BODIES];
    if (!expander_charge(g->e, g->body[0].node->at, work / 8)) return false;
    for (int i = 0; i < g->model->count[BODIES]; i++)
      if (!g->body[i].known && node_find(g->body[i].node, "relative_to"))
        again |= place_by_body(g, &g->body[i]);
    for (const struct node *n = g->model->first[JOINTS]; n; n = n->next) again |= place_by_joint(g, n);
  }
  return true;
}

static bool report_unplaced(const struct placing *g, const struct placed *b)
{
  const struct node *to = node_find(b->node, "relative_to");
  if (!to) return true; /* the reader of the file reports the missing position */
  const char *name = node_text(b->node, "relative_to");
  if (!name || !find_placed(g, name))
    report_error(g->e->report, to->at, "relative_to: no body is called \"%.40s\"", name ? name : "");
  else
    report_error(g->e->report, to->at,
                 "relative_to: the position of body \"%.40s\" is not known; it needs a position, or a "
                 "joint with point_a and point_b that leads to it",
                 name);
  return false;
}

static bool write_body_pose(const struct placing *g, struct placed *b)
{
  double given[4];
  const bool turned = v3_dot(b->p + 1, b->p + 1) != 0;
  const struct node *own = node_find(b->node, "orientation");
  node_remove(b->node, "relative_to");
  if (!node_put_numbers(g->e, b->node, "position", b->r, 3)) return false;
  if (own && node_numbers(own, given, 4) && same_bits(given, b->p, 4)) return true;
  return (!turned && !own) || node_put_numbers(g->e, b->node, "orientation", b->p, 4);
}

/* --- parts on bodies --- */

static bool detach_element(const struct placing *g, struct node *n)
{
  const struct node *name = node_find(n, ELEMENT_HOST);
  if (!name) return true;
  const struct placed *host = find_placed(g, node_text(n, ELEMENT_HOST));
  if (host && host->known) return element_detach(g->e, n, host->r, host->p);
  if (host)
    report_error(
        g->e->report, name->at,
        "attach_to: the position of body \"%.40s\" is not known; it needs a position, or a joint with "
        "point_a and point_b that leads to it",
        name->text);
  else
    report_error(g->e->report, name->at, "attach_to: no body is called \"%.40s\"", name->text);
  return false;
}

static bool detach_elements(const struct placing *g)
{
  for (int list = 0; list < ELEMENT_LISTS; list++)
    for (struct node *n = g->model->first[list]; n; n = n->next)
      if (!detach_element(g, n)) return false;
  return true;
}

/* --- centres of mass --- */

/* Gives a point of a body relative to its centre of mass. always: the key has the default 0 0 0. */
static bool shift_body_point(const struct placing *g, struct node *n, const char *body, const char *point,
                             bool always)
{
  const char *name = node_text(n, body);
  const int i = name ? names_find(&g->names, name) : -1;
  double centre[3], v[3] = {0};
  if (i < 0 || !node_numbers(node_find(g->body[i].node, BODY_CENTRE), centre, 3)) return true;
  const struct node *given = node_find(n, point);
  if (given ? !node_numbers(given, v, 3) : !always) return true;
  v3_sub(v, v, centre);
  return node_put_numbers(g->e, n, point, v, 3);
}

static bool shift_body_points(const struct placing *g)
{
  bool good = true;
  for (int list = JOINTS; list < ELEMENT_LISTS; list++)
    for (struct node *n = g->model->first[list]; good && n; n = n->next) {
      if (list == VISUAL) {
        good = shift_body_point(g, n, "body", "position", true);
        continue;
      }
      const char *type = list == FORCES || list == SENSORS ? node_text(n, "type") : NULL;
      const bool pointless = type && (strcmp(type, "torque") == 0 || strcmp(type, "angle") == 0);
      const bool always = list != JOINTS && !pointless;
      good = shift_body_point(g, n, "body_a", "point_a", always) &&
             shift_body_point(g, n, "body_b", "point_b", always) &&
             shift_body_point(g, n, "body", "point", always);
    }
  return good;
}

static bool shift_body(const struct placing *g, struct placed *b)
{
  double centre[3], arm[3], r[3], p[4] = {1, 0, 0, 0};
  if (!node_numbers(node_find(b->node, BODY_CENTRE), centre, 3)) return true;
  node_remove(b->node, BODY_CENTRE);
  if (!node_numbers(node_find(b->node, "position"), r, 3)) return true;
  node_numbers(node_find(b->node, "orientation"), p, 4);
  orientation_turn(arm, p, centre);
  v3_axpy(r, 1.0, arm);
  return node_put_numbers(g->e, b->node, "position", r, 3);
}

/* Makes the list of bodies. False: no body needs anything, or out of memory. */
static bool list_bodies(struct placing *g, bool *any)
{
  int i = 0;
  *any = g->e->attached;
  g->body = calloc((size_t)g->model->count[BODIES] + 1, sizeof *g->body);
  if (!g->body) return false;
  for (struct node *n = g->model->first[BODIES]; n; n = n->next, i++) {
    struct placed *b = &g->body[i];
    const struct node *orientation = node_find(n, "orientation");
    const char *name = node_text(n, "name");
    *b = (struct placed){.node = n, .p = {1, 0, 0, 0}};
    if (orientation) node_numbers(orientation, b->p, 4);
    b->known = !node_find(n, "relative_to") && node_numbers(node_find(n, "position"), b->r, 3);
    *any |= !b->known || node_find(n, BODY_CENTRE);
    if (name && names_find(&g->names, name) < 0 && !names_add(&g->names, name, i)) return false;
  }
  return true;
}

bool bodies_place(struct expander *e, struct elements *model)
{
  struct placing g = {.e = e, .model = model};
  bool any, good = list_bodies(&g, &any) || fail_expansion(e, (struct place){0}, "out of memory");
  if (good && any) {
    /* All poses, then the numbers of the world that depend on them. */
    good = place_bodies(&g);
    good = good && detach_elements(&g);
    for (int i = 0; good && i < model->count[BODIES]; i++) {
      struct placed *b = &g.body[i];
      if (!b->known)
        good = report_unplaced(&g, b);
      else if (node_find(b->node, "relative_to") || !node_find(b->node, "position"))
        good = write_body_pose(&g, b);
    }
    good = good && shift_body_points(&g);
    for (int i = 0; good && i < model->count[BODIES]; i++) good = shift_body(&g, &g.body[i]);
  }
  names_free(&g.names);
  free(g.body);
  return good;
}
