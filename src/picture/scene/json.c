/* SPDX-License-Identifier: MIT */
#include "scene/json.h"

static json_t *vector_json(const double *x, int n)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(list, json_real(x[i]));
  return list;
}
#define ARRAY_JSON(x) vector_json(x, (int)(sizeof(x) / sizeof(double)))

static bool vector_read(const json_t *list, double *x, int n)
{
  bool good = json_array_size(list) == (size_t)n;
  for (int i = 0; good && i < n; i++) {
    const json_t *one = json_array_get(list, (size_t)i);
    good = json_is_number(one);
    x[i] = json_number_value(one);
  }
  return good;
}

static const char *const shape_names[] = {
#define SHAPE_TEXT(id, text) [id] = (text),
    SCENE_SHAPE_LIST(SHAPE_TEXT)
#undef SHAPE_TEXT
};

static json_t *body_json(const struct scene_body *b, int body)
{
  json_t *o =
      json_pack("{s:s, s:f, s:s, s:o, s:o}", "name", b->name, "mass", b->mass, "color", scene_color(body),
                "position", ARRAY_JSON(b->position), "orientation", ARRAY_JSON(b->orientation));
  if (b->has_box) {
    json_object_set_new(o, "solid", json_string(shape_names[b->solid]));
    json_object_set_new(o, "edge", ARRAY_JSON(b->edge));
    json_object_set_new(o, "axes", ARRAY_JSON(b->axes));
  }
  return o;
}

static json_t *ends_json(const char *name, const char *type, const int body[2], const double point[2][3])
{
  return json_pack("{s:s, s:s, s:[i, i], s:[o, o]}", "name", name, "type", type, "body", body[0], body[1],
                   "point", vector_json(point[0], 3), vector_json(point[1], 3));
}

static json_t *joint_json(const struct scene_joint *j)
{
  json_t *o = ends_json(j->name, ali3_joint_type_name(j->type), j->body, j->point);
  json_t *axes = json_array();
  for (int side = 0; side < 2; side++)
    json_array_append_new(axes, j->has_axis[side] ? vector_json(j->axis[side], 3) : json_null());
  json_object_set_new(o, "axis", axes);
  return o;
}

static json_t *force_json(const struct scene_force *f)
{
  json_t *o = ends_json(f->name, ali3_force_type_name(f->type), f->body, f->point);
  json_object_set_new(o, "radius", ARRAY_JSON(f->radius));
  if (f->type == ALI3_FORCE_SPHERE_PLANE || f->type == ALI3_FORCE_TYRE)
    json_object_set_new(o, "normal", ARRAY_JSON(f->normal));
  if (f->type == ALI3_FORCE_TYRE) json_object_set_new(o, "axle", ARRAY_JSON(f->axle));
  return o;
}

json_t *scene_platform_json(const struct platform_geometry *g)
{
  json_t *base = json_array(), *top = json_array();
  for (int i = 0; i < PLATFORM_LEGS; i++) {
    json_array_append_new(base, vector_json(g->base[i], 3));
    json_array_append_new(top, vector_json(g->top[i], 3));
  }
  return json_pack("{s:b, s:o, s:o, s:f, s:f, s:f, s:o, s:f, s:f, s:f, s:f, s:f}", "crank", g->crank, "base",
                   base, "top", top, "height", g->height, "crank_length", g->crank_length, "rod_length",
                   g->rod_length, "crank_heading", ARRAY_JSON(g->crank_heading), "leg_min", g->leg_min,
                   "leg_max", g->leg_max, "leg_rate", g->leg_rate, "joint_max", g->joint_max, "margin",
                   g->margin);
}

bool scene_platform_read(json_t *platform, struct platform_geometry *g)
{
  json_t *base, *top, *heading;
  int crank;
  *g = (struct platform_geometry){0};
  if (json_unpack(platform, "{s:b, s:o, s:o, s:F, s:F, s:F, s:o, s:F, s:F, s:F, s:F, s:F}", "crank", &crank,
                  "base", &base, "top", &top, "height", &g->height, "crank_length", &g->crank_length,
                  "rod_length", &g->rod_length, "crank_heading", &heading, "leg_min", &g->leg_min, "leg_max",
                  &g->leg_max, "leg_rate", &g->leg_rate, "joint_max", &g->joint_max, "margin",
                  &g->margin) != 0)
    return false;
  g->crank = crank;
  bool good = vector_read(heading, g->crank_heading, PLATFORM_LEGS);
  for (int i = 0; good && i < PLATFORM_LEGS; i++)
    good = vector_read(json_array_get(base, (size_t)i), g->base[i], 3) &&
           vector_read(json_array_get(top, (size_t)i), g->top[i], 3);
  return good;
}

static json_t *shape_json(const struct scene_visual *v, const ali3_model *m)
{
  json_t *o = json_pack("{s:s, s:s, s:o, s:o}", "body", ali3_model_body_name(m, v->body), "shape",
                        shape_names[v->shape], "position", ARRAY_JSON(v->position), "orientation",
                        ARRAY_JSON(v->orientation));
  /* The keys that not every shape has. */
  if (v->color[0])
    json_object_set_new(o, "color", json_string(v->color));
  else if (v->shape != SCENE_MESH)
    json_object_set_new(o, "color", json_string(scene_color(v->body)));
  if (v->rods) json_object_set_new(o, "rods", json_true());
  if (v->shape == SCENE_TUBE) json_object_set_new(o, "inner", json_real(v->inner));
  if (v->shape != SCENE_MESH) {
    json_object_set_new(o, "size", ARRAY_JSON(v->size));
    return o;
  }
  json_object_set_new(o, "file", json_string(v->file));
  json_object_set_new(o, "folder", json_string(v->folder));
  json_object_set_new(o, "scale", json_real(v->scale));
  if (v->mirror >= 0) json_object_set_new(o, "mirror", json_integer(v->mirror));
  return o;
}

json_t *scene_visual_json(const struct scene_visual *v, int n, const ali3_model *m)
{
  json_t *list = json_array();
  for (int i = 0; i < n; i++) json_array_append_new(list, shape_json(&v[i], m));
  return list;
}

json_t *scene_json(const struct scene *s)
{
  /* The elements, each in the order of the scene. */
  json_t *bodies = json_array(), *rods = json_array(), *joints = json_array(), *forces = json_array();
  for (int i = 0; i < s->bodies; i++) json_array_append_new(bodies, body_json(&s->body[i], i));
  for (int i = 0; i < s->rods; i++)
    json_array_append_new(rods, json_pack("{s:i, s:o, s:o}", "body", s->rod[i].body, "from",
                                          ARRAY_JSON(s->rod[i].from), "to", ARRAY_JSON(s->rod[i].to)));
  for (int i = 0; i < s->joints; i++) json_array_append_new(joints, joint_json(&s->joint[i]));
  for (int i = 0; i < s->forces; i++) json_array_append_new(forces, force_json(&s->force[i]));
  json_t *o = json_pack("{s:s, s:o, s:o, s:o, s:o, s:f, s:f, s:o, s:o, s:o, s:o}", "name", s->name, "gravity",
                        ARRAY_JSON(s->gravity), "up", ARRAY_JSON(s->up), "low", ARRAY_JSON(s->low), "high",
                        ARRAY_JSON(s->high), "size", s->size, "thickness", s->thickness, "bodies", bodies,
                        "rods", rods, "joints", joints, "forces", forces);
  if (o && s->has_platform) {
    json_t *platform = scene_platform_json(&s->platform);
    json_object_set_new(platform, "neutral", ARRAY_JSON(s->neutral));
    json_object_set_new(o, "platform", platform);
  }
  return o;
}
