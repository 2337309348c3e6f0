/* SPDX-License-Identifier: MIT
 * MJCF: bodies become links. A body with several joints becomes a chain of links, of which only the last one has mass. */
#include "convert.h"

#include <fnmatch.h>
#include <math.h>
#include <string.h>

/* A unit quaternion w, x, y, z as a rotation matrix. */
static void quaternion_matrix(double R[9], const mjtNum *q)
{
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double turn[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                          2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                          2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(R, turn, sizeof turn);
}

struct frame frame_in_link(const struct convert *c, int body, const mjtNum *place, const mjtNum *quaternion)
{
  struct frame f = frame_one;
  for (int i = 0; i < 3; i++) f.p[i] = place[i] + c->shift[body][i];
  if (quaternion) quaternion_matrix(f.R, quaternion);
  return f;
}

static int add_model_link(struct convert *c, const char *name, int line)
{
  struct robot *r = c->robot;
  if (!name || !robot_grow(r, (void **)&r->link, r->links, &r->link_room, sizeof *r->link)) {
    convert_no_memory(c);
    return NONE;
  }
  r->link[r->links] =
      (struct link){.name = name, .line = line, .inertial = frame_one, .parent = NONE, .group = NONE};
  return r->links++;
}

static struct joint *add_model_joint(struct convert *c, const char *name, int line, int parent, int child)
{
  struct robot *r = c->robot;
  if (!name || !robot_grow(r, (void **)&r->joint, r->joints, &r->joint_room, sizeof *r->joint)) {
    convert_no_memory(c);
    return NULL;
  }
  struct joint *j = &r->joint[r->joints++];
  *j = (struct joint){.name = name,
                      .line = line,
                      .parent = parent,
                      .child = child,
                      .origin = frame_one,
                      .axis = {1, 0, 0},
                      .leader = NONE,
                      .multiplier = 1.0};
  return j;
}

int add_frame_link(struct convert *c, const char *name, int body, const struct frame *at, int line)
{
  const int link = add_model_link(c, name, line);
  struct joint *j = link == NONE ? NULL : add_model_joint(c, name, line, c->link[body], link);
  if (!j) return NONE;
  j->origin = *at;
  return link;
}

static void take_inertia(struct convert *c, int body)
{
  struct link *l = &c->robot->link[c->link[body]];
  const mjModel *m = c->m;
  l->inertial =
      frame_in_link(c, body, m->body_ipos + 3 * (ptrdiff_t)body, m->body_iquat + 4 * (ptrdiff_t)body);
  l->inertial_line = l->line;
  l->inertia.mass = m->body_mass[body];
  for (int i = 0; i < 3; i++) l->inertia.moment[4 * i] = m->body_inertia[3 * (ptrdiff_t)body + i];
}

/* Limits, spring and losses of a hinge or slide. */
static void take_coordinate(struct convert *c, struct joint *j, int index)
{
  const mjModel *m = c->m;
  const int q = m->jnt_qposadr[index], v = m->jnt_dofadr[index];
  j->zero = j->position = m->qpos0[q];
  j->stiffness = m->jnt_stiffness[index];
  j->rest = m->qpos_spring[q];
  j->damping = m->dof_damping[v];
  j->friction = m->dof_frictionloss[v];
  j->armature = m->dof_armature[v];
  for (int i = 0; i < 3; i++) j->axis[i] = m->jnt_axis[3 * (ptrdiff_t)index + i];
  if (!m->jnt_limited[index]) return;
  j->limit_line = j->line;
  j->has_lower = j->has_upper = true;
  j->lower = m->jnt_range[2 * (ptrdiff_t)index];
  j->upper = m->jnt_range[2 * (ptrdiff_t)index + 1];
}

static void note_ball(struct convert *c, const struct joint *j, int index)
{
  const mjModel *m = c->m;
  const int v = m->jnt_dofadr[index], count = m->jnt_type[index] == mjJNT_FREE ? 6 : 3;
  bool damped = m->jnt_stiffness[index] > 0.0, heavy = false;
  for (int i = 0; i < count; i++) {
    damped |= m->dof_damping[v + i] > 0.0 || m->dof_frictionloss[v + i] > 0.0;
    heavy |= m->dof_armature[v + i] > 0.0;
  }
  if (damped)
    note_often(c->notes, j->line, "stiffness, damping and friction of ball and free joints are not imported");
  if (heavy) note_often(c->notes, j->line, "armature of ball and free joints is not imported");
  if (m->jnt_limited[index]) note_often(c->notes, j->line, "the range of a ball joint is not imported");
}

/* The joint `index` of the model, below `parent`, with its foot at a frame of the parent. Returns its child, or NONE. */
static int take_model_joint(struct convert *c, int index, int parent, const struct frame *foot,
                            const char *name)
{
  const mjModel *m = c->m;
  const char *own = given_name(c, m->name_jntadr, index, "joint");
  const int line = mjcf_line(&c->lines, MJCF_JOINT, index, m->njnt, model_name(c, m->name_jntadr, index));
  const int child = add_model_link(c, name, line);
  struct joint *j = child == NONE ? NULL : add_model_joint(c, own, line, parent, child);
  if (!j) return NONE;
  c->joint[index] = (int)(j - c->robot->joint);
  j->origin = *foot;
  /* The motion of the joint. */
  switch (m->jnt_type[index]) {
  case mjJNT_HINGE:
  case mjJNT_SLIDE:
    j->type = m->jnt_type[index] == mjJNT_SLIDE ? JOINT_PRISMATIC
              : m->jnt_limited[index]           ? JOINT_REVOLUTE
                                                : JOINT_CONTINUOUS;
    take_coordinate(c, j, index);
    return child;
  case mjJNT_BALL:
    j->type = JOINT_SPHERICAL;
    break;
  default:
    j->type = c->options->base == BASE_FIXED ? JOINT_FIXED : JOINT_FLOATING;
  }
  note_ball(c, j, index);
  return child;
}

/* The links of a body: one for each joint, which stands in the place of the joint. */
static bool take_body(struct convert *c, int body)
{
  const mjModel *m = c->m;
  const int first = m->body_jntadr[body], joints = m->body_jntnum[body], parent = m->body_parentid[body];
  const char *name = given_name(c, m->name_bodyadr, body, "body");
  const int line =
      mjcf_line(&c->lines, MJCF_BODY, body - 1, m->nbody - 1, model_name(c, m->name_bodyadr, body));
  struct frame foot =
      frame_in_link(c, parent, m->body_pos + 3 * (ptrdiff_t)body, m->body_quat + 4 * (ptrdiff_t)body);
  int link = c->link[parent];
  if (joints == 0) {
    struct joint *j = NULL;
    c->link[body] = add_model_link(c, name, line);
    if (c->link[body] != NONE) j = add_model_joint(c, name, line, link, c->link[body]);
    if (j) j->origin = foot;
    return j != NULL;
  }
  for (int i = 0; i < joints; i++) {
    /* A free joint has its own place; the anchor of the joint before was where its link is. */
    const bool free = m->jnt_type[first + i] == mjJNT_FREE;
    struct frame step = frame_one;
    for (int k = 0; k < 3 && !free; k++)
      step.p[k] = m->jnt_pos[3 * (ptrdiff_t)(first + i) + k] -
                  (i ? m->jnt_pos[3 * (ptrdiff_t)(first + i - 1) + k] : 0.0);
    foot = frame_chain(&foot, &step);
    char between[200];
    snprintf(between, sizeof between, "%.90s_%d", name, i + 1);
    link =
        take_model_joint(c, first + i, link, &foot, i + 1 == joints ? name : robot_text(c->robot, between));
    if (link == NONE) return false;
    foot = frame_one;
    for (int k = 0; k < 3 && !free; k++) c->shift[body][k] = -m->jnt_pos[3 * (ptrdiff_t)(first + i) + k];
  }
  c->link[body] = link;
  return true;
}

/* The triangles of a mesh, as libmujoco has placed them. */
static bool take_mesh_triangles(struct convert *c, struct shape *s, int mesh)
{
  const mjModel *m = c->m;
  const int *face = m->mesh_face + 3 * (ptrdiff_t)m->mesh_faceadr[mesh];
  const float *vertex = m->mesh_vert + 3 * (ptrdiff_t)m->mesh_vertadr[mesh];
  s->triangles = m->mesh_facenum[mesh];
  s->file = given_name(c, m->name_meshadr, mesh, "mesh");
  float *corner = robot_take(c->robot, (size_t)s->triangles, 9 * sizeof *corner);
  if (!s->file || !corner) return false;
  for (int i = 0; i < 3 * s->triangles; i++)
    memcpy(corner + 3 * (ptrdiff_t)i, vertex + 3 * (ptrdiff_t)face[i], 3 * sizeof *corner);
  s->corner = corner;
  return true;
}

/* The shape of a geom; groups from 3 on are hidden in MuJoCo, usually those for contacts. */
static bool take_geom(struct convert *c, int index)
{
  static const enum shape_kind kind[] = {
      [mjGEOM_SPHERE] = SHAPE_SPHERE,       [mjGEOM_CAPSULE] = SHAPE_CAPSULE,
      [mjGEOM_CYLINDER] = SHAPE_CYLINDER,   [mjGEOM_BOX] = SHAPE_BOX,
      [mjGEOM_ELLIPSOID] = SHAPE_ELLIPSOID, [mjGEOM_MESH] = SHAPE_MESH};
  const mjModel *m = c->m;
  const int body = m->geom_bodyid[index], type = m->geom_type[index];
  const int line = mjcf_line(&c->lines, MJCF_GEOM, index, m->ngeom, model_name(c, m->name_geomadr, index));
  if (type == mjGEOM_HFIELD || type == mjGEOM_PLANE) {
    note_often(c->notes, line, "planes and height fields are not drawn");
    return true;
  }
  if (type < 0 || type > mjGEOM_MESH || m->geom_group[index] >= 3) return true;
  struct shape *s = robot_take(c->robot, 1, sizeof *s);
  if (!s) return convert_no_memory(c);
  *s = (struct shape){.kind = kind[type], .scale = {1, 1, 1}, .coloured = true, .line = line};
  s->at = frame_in_link(c, body, m->geom_pos + 3 * (ptrdiff_t)index, m->geom_quat + 4 * (ptrdiff_t)index);
  /* MuJoCo has half lengths. */
  const mjtNum *size = m->geom_size + 3 * (ptrdiff_t)index;
  s->size[0] = kind[type] == SHAPE_BOX ? 2.0 * size[0] : size[0];
  for (int i = 1; i < 3; i++) s->size[i] = kind[type] == SHAPE_ELLIPSOID ? size[i] : 2.0 * size[i];
  if (type == mjGEOM_MESH && !take_mesh_triangles(c, s, m->geom_dataid[index])) return convert_no_memory(c);
  const float *rgba = m->geom_matid[index] >= 0 ? m->mat_rgba + 4 * (ptrdiff_t)m->geom_matid[index]
                                                : m->geom_rgba + 4 * (ptrdiff_t)index;
  for (int i = 0; i < 3; i++) s->rgb[i] = (double)rgba[i];
  struct shape **list = &c->robot->link[c->link[body]].visual;
  while (*list) list = &(*list)->next;
  *list = s;
  return true;
}

/* A site that --frames names is a frame. */
static bool take_site(struct convert *c, int index)
{
  const mjModel *m = c->m;
  const char *name = model_name(c, m->name_siteadr, index), *pattern = c->options->frames;
  if (!pattern || !*name || fnmatch(pattern, name, 0) != 0 || robot_find_link(c->robot, name) != NONE)
    return true;
  const int body = m->site_bodyid[index];
  const struct frame at =
      frame_in_link(c, body, m->site_pos + 3 * (ptrdiff_t)index, m->site_quat + 4 * (ptrdiff_t)index);
  const int line = mjcf_line(&c->lines, MJCF_SITE, index, m->nsite, name);
  return add_frame_link(c, robot_text(c->robot, name), body, &at, line) != NONE;
}

bool convert_bodies(struct convert *c)
{
  const mjModel *m = c->m;
  c->link[0] = add_model_link(c, "world", 0);
  if (c->link[0] == NONE) return false;
  for (int i = 1; i < m->nbody; i++) {
    if (!take_body(c, i)) return false;
    take_inertia(c, i);
  }
  for (int i = 0; i < m->ngeom; i++)
    if (!take_geom(c, i)) return false;
  for (int i = 0; i < m->nsite; i++)
    if (!take_site(c, i)) return false;
  return true;
}
