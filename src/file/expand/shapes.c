/* SPDX-License-Identifier: MIT
 * Mass, centre of mass and inertia of bodies that consist of shapes. */
#include "expand/expand_parts.h"

#include <math.h>
#include <string.h>

const char BODY_CENTRE[] = "centre";

/* One shape in the frame of its body: inertia about its own centre of mass, in the axes of the body. */
struct lump {
  double mass, centre[3], inertia[9];
};

static double shape_volume(const struct shape_values *s)
{
  const double ring = s->radius * s->radius - (s->type == SHAPE_TUBE ? s->inner_radius * s->inner_radius : 0);
  switch ((enum shape_type)s->type) {
  case SHAPE_BOX:
    return s->size[0] * s->size[1] * s->size[2];
  case SHAPE_CYLINDER:
  case SHAPE_TUBE:
    return M_PI * ring * s->length;
  case SHAPE_SPHERE:
    return 4.0 / 3.0 * M_PI * s->radius * s->radius * s->radius;
  case SHAPE_CONE:
    return M_PI / 3.0 * s->radius * s->radius * s->length;
  case SHAPE_ROD:
  case SHAPE_POINT:
    break;
  }
  return 0;
}

/* Moments about the own centre of mass for the mass 1; the axis of a shape is z. */
static void unit_moments(const struct shape_values *s, double out[3])
{
  const double r = s->radius * s->radius, l = s->length * s->length,
               inner = s->inner_radius * s->inner_radius;
  const double *a = s->size;
  double across = 0, along = 0;
  /* A box has three moments, all other shapes have one along their axis and one across it. */
  switch ((enum shape_type)s->type) {
  case SHAPE_BOX:
    for (int i = 0; i < 3; i++) {
      const double b = a[(i + 1) % 3], c = a[(i + 2) % 3];
      out[i] = (b * b + c * c) / 12;
    }
    return;
  case SHAPE_CYLINDER:
    across = (3 * r + l) / 12;
    along = r / 2;
    break;
  case SHAPE_TUBE:
    across = (3 * (r + inner) + l) / 12;
    along = (r + inner) / 2;
    break;
  case SHAPE_SPHERE:
    across = along = 0.4 * r;
    break;
  case SHAPE_CONE:
    across = (3 * r + 0.75 * l) / 20;
    along = 0.3 * r;
    break;
  case SHAPE_ROD:
    across = l / 12;
    break;
  case SHAPE_POINT:
    break;
  }
  out[0] = out[1] = across;
  out[2] = along;
}

static bool has_length(int type)
{
  return type == SHAPE_CYLINDER || type == SHAPE_TUBE || type == SHAPE_CONE || type == SHAPE_ROD;
}

/* Takes length, position and orientation of a shape from its two ends. */
static bool take_ends(struct expander *e, const struct node *n, struct shape_values *s)
{
  const bool from = !isnan(s->from[0]), to = !isnan(s->to[0]);
  const struct node *length = node_find(n, "length");
  double axis[3], z[3] = {0, 0, 1};
  if (!from && !to) {
    if (!has_length(s->type) || length) return true;
    return fail_expansion(e, n->at, "missing key \"length\", or \"from\" and \"to\", in a shape");
  }
  if (!from || !to) return fail_expansion(e, n->at, "from and to: expected both keys, found one");
  if (length || node_find(n, "position") || node_find(n, "orientation"))
    return fail_expansion(e, n->at, "from and to give length, position and orientation; remove these keys");
  /* The axis goes from the first end to the second one. */
  v3_sub(axis, s->to, s->from);
  s->length = sqrt(v3_dot(axis, axis));
  if (!(s->length > 0)) return fail_expansion(e, n->at, "from and to are one point");
  orientation_between(s->orientation, z, axis);
  for (int i = 0; i < 3; i++)
    s->position[i] = s->type == SHAPE_CONE ? s->from[i] : 0.5 * (s->from[i] + s->to[i]);
  return true;
}

/* whole: mass of the body for its only shape; NaN: the body has no key mass. */
static bool shape_mass(struct expander *e, const struct node *n, const struct shape_values *s, double whole,
                       double *out)
{
  const bool mass = !isnan(s->mass), density = !isnan(s->density);
  if (mass && density)
    return fail_expansion(e, n->at, "expected the key mass or the key density, found both");
  if (!isnan(whole) && (mass || density))
    return fail_expansion(e, n->at, "the body has the key mass; remove mass and density of its shape");
  *out = mass ? s->mass : !isnan(whole) ? whole : s->density * shape_volume(s);
  if (isnan(*out)) return fail_expansion(e, n->at, "missing key \"mass\" or \"density\" in a shape");
  return *out > 0 || fail_expansion(e, n->at, "the shape has no mass");
}

/* The shape of a body, and its picture. */
static bool read_lump(struct expander *e, const struct node *body, const struct node *n, double whole,
                      struct lump *out, struct elements *pictures)
{
  struct shape_values s = {.mass = NAN, .density = NAN, .from = {NAN}, .to = {NAN}};
  if (!e->rules->read(e->rules->shape, n, &s, e->report) || !take_ends(e, n, &s)) return false;
  if (s.type == SHAPE_TUBE && !(s.inner_radius < s.radius))
    return fail_expansion(e, n->at, "inner_radius: expected less than radius");
  if (!shape_mass(e, n, &s, whole, &out->mass) || !picture_of_shape(e, body, n, &s, pictures)) return false;

  /* Turn the moments into the axes of the body. */
  double moment[3], R[9];
  unit_moments(&s, moment);
  p_rotation(R, s.orientation);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++) {
      double sum = 0;
      for (int k = 0; k < 3; k++) sum += R[3 * i + k] * moment[k] * R[3 * j + k];
      out->inertia[3 * i + j] = out->mass * sum;
    }
  /* The centre of a cone lies above the middle of its base. */
  const double centre[3] = {0, 0, s.type == SHAPE_CONE ? 0.25 * s.length : 0};
  m3_mul(out->centre, R, centre);
  v3_axpy(out->centre, 1.0, s.position);
  return true;
}

/* Adds b to a: mass, centre of mass, and inertia about the common centre. */
static void add_lump(struct lump *a, const struct lump *b)
{
  double between[3];
  const double mass = a->mass + b->mass, reduced = a->mass * b->mass / mass, share = b->mass / mass;
  v3_sub(between, b->centre, a->centre);
  const double square = v3_dot(between, between);
  for (int i = 0; i < 3; i++)
    for (int j = 0; j < 3; j++)
      a->inertia[3 * i + j] +=
          b->inertia[3 * i + j] + reduced * ((i == j ? square : 0) - between[i] * between[j]);
  v3_axpy(a->centre, share, between);
  a->mass = mass;
}

static bool put_inertia(struct expander *e, struct node *body, const double I[9])
{
  const double diagonal[3] = {I[0], I[4], I[8]};
  /* The rest of rounding is no product of inertia. */
  const double small = 1e-15 * (I[0] + I[4] + I[8]);
  bool plain = true;
  for (int i = 0; i < 9; i++) plain &= i % 4 == 0 || fabs(I[i]) <= small;
  if (plain) return node_put_numbers(e, body, "inertia", diagonal, 3);
  struct node holder = {.kind = NODE_MAP, .at = body->at};
  static const char *const row[3] = {"1", "2", "3"};
  for (int i = 0; i < 3; i++) {
    const double v[3] = {0.5 * (I[3 * i] + I[i]), 0.5 * (I[3 * i + 1] + I[3 + i]),
                         0.5 * (I[3 * i + 2] + I[6 + i])};
    if (!node_put_numbers(e, &holder, row[i], v, 3)) return false;
  }
  const struct node list = {.kind = NODE_LIST,
                            .count = 3,
                            .first = holder.first,
                            .at = body->at,
                            .key_at = body->at,
                            .key = "inertia",
                            .text = ""};
  struct node *n = node_new_like(e, &list, 0);
  if (n) node_put(body, n);
  return n != NULL;
}

bool shapes_apply(struct expander *e, struct node *body, struct elements *out)
{
  const struct node *one = node_find(body, "shape"), *list = node_find(body, "shapes"),
                    *mass = node_find(body, "mass");
  if (!one && !list) return true;
  if (one && list)
    return fail_expansion(e, one->key_at, "expected the key shape or the key shapes, found both");
  if (list && (list->kind != NODE_LIST || list->count == 0))
    return fail_expansion(e, list->at, "shapes: expected a list of shapes");
  if (node_find(body, "inertia"))
    return fail_expansion(e, node_find(body, "inertia")->key_at,
                          "the shape gives the inertia; remove one of the two");
  double whole = NAN;
  if (mass && ((list && list->count > 1) || !node_numbers(mass, &whole, 0)))
    return fail_expansion(e, mass->key_at,
                          "mass: expected a number, and one shape only; give each shape its own mass");

  /* Add up the shapes. */
  struct lump sum, more;
  const struct node *n = one ? one : list->first;
  if (!read_lump(e, body, n, whole, &sum, out)) return false;
  for (n = one ? NULL : n->next; n; n = n->next) {
    if (!read_lump(e, body, n, whole, &more, out)) return false;
    add_lump(&sum, &more);
  }
  node_remove(body, one ? "shape" : "shapes");
  if (!mass && !node_put_numbers(e, body, "mass", &sum.mass, 0)) return false;
  if (!put_inertia(e, body, sum.inertia)) return false;
  return v3_dot(sum.centre, sum.centre) == 0 || node_put_numbers(e, body, BODY_CENTRE, sum.centre, 3);
}
