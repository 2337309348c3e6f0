/* SPDX-License-Identifier: MIT
 * The model file: bodies, joints and sensors. A body has the axes of the root link of its group, and its origin in the centre of
 * mass. */
#include "import.h"

#include "base/bits.h"

#include <fnmatch.h>
#include <string.h>

static bool is_turned(const double R[9])
{
  return !same_bits(R, frame_one.R, 9);
}

static void write_body(const struct robot *r, const struct group *g, FILE *out)
{
  const struct frame *pose = &r->pose[g->root];
  double place[3];
  frame_place(place, pose, g->inertia.centre);
  fprintf(out, "    - {name: \"%s\", mass: ", g->label);
  number_write(out, g->inertia.mass);
  fputs(", inertia: [", out);
  for (int i = 0; i < 3; i++) {
    if (i) fputs(", ", out);
    vector_write(out, g->inertia.moment + 3 * (ptrdiff_t)i);
  }
  fputs("], position: ", out);
  vector_write(out, place);
  if (is_turned(pose->R)) {
    fputs(", orientation: ", out);
    euler_write(out, pose->R);
  }
  fputs("}\n", out);
}

/* Fixed and prismatic joints keep the orientation at the start. */
static void write_joint(const struct robot *r, const struct joint *j, FILE *out)
{
  static const char *const type[] = {"fixed",  "revolute", "revolute",  "prismatic",
                                     "planar", NULL,       "spherical", "universal"};
  if (j->dropped || j->type == JOINT_FLOATING || r->link[j->parent].group == r->link[j->child].group) return;
  /* Where it is in both bodies. */
  const struct frame parent = link_in_body(r, j->parent), child = link_in_body(r, j->child);
  const struct frame foot = frame_chain(&parent, &j->origin);
  fprintf(out, "    - {name: \"%s\", type: %s, body_a: \"%s\", body_b: \"%s\", point_a: ", j->label,
          type[j->type], r->group[r->link[j->parent].group].label, r->group[r->link[j->child].group].label);
  vector_write(out, foot.p);
  fputs(", point_b: ", out);
  vector_write(out, child.p);
  if (j->type != JOINT_FIXED && j->type != JOINT_SPHERICAL) {
    double axis[3];
    fputs(", axis_a: ", out);
    frame_turn(axis, foot.R, j->axis);
    vector_write(out, axis);
    if (j->type != JOINT_PRISMATIC) {
      fputs(", axis_b: ", out);
      frame_turn(axis, child.R, j->type == JOINT_UNIVERSAL ? j->second_axis : j->axis);
      vector_write(out, axis);
    }
  }
  if (joint_has_coordinate(j) && j->position != 0.0) {
    fputs(", position: ", out);
    number_write(out, j->position);
  }
  fputs("}\n", out);
}

/* Both frames in their bodies; the joint makes them meet. */
static void write_loop(const struct robot *r, const struct loop *loop, FILE *out)
{
  const struct frame a = link_in_body(r, loop->link[0]), b = link_in_body(r, loop->link[1]);
  fprintf(out, "    - {name: \"%s\", type: %s, body_a: \"%s\", body_b: \"%s\", point_a: ", loop->label,
          loop->type, r->group[r->link[loop->link[0]].group].label,
          r->group[r->link[loop->link[1]].group].label);
  vector_write(out, a.p);
  fputs(", point_b: ", out);
  vector_write(out, b.p);
  /* A fixed joint turns the frames into each other, others have an axis in both, or none. */
  if (strcmp(loop->type, "fixed") == 0) {
    double turn[9];
    frame_product_transposed(turn, a.R, b.R);
    fputs(", relative_orientation: ", out);
    euler_write(out, turn);
  } else if (strcmp(loop->type, "spherical") != 0) {
    double axis[3];
    frame_turn(axis, a.R, loop->axis);
    fputs(", axis_a: ", out);
    vector_write(out, axis);
    frame_turn(axis, b.R, loop->axis);
    fputs(", axis_b: ", out);
    vector_write(out, axis);
  }
  fputs("}\n", out);
}

/* Sensors of the links that --frames names. A link of a branch that was dropped is measured on the body that stays. */
static void write_sensors(const struct robot *r, const struct import *o, struct notes *n, FILE *out)
{
  bool begun = false;
  for (int i = 0; o->frames && i < r->links; i++) {
    const struct link *l = &r->link[i];
    if (fnmatch(o->frames, l->name, 0) != 0) continue;
    int carrier = i;
    while (r->group[r->link[carrier].group].dropped)
      carrier = r->joint[r->group[r->link[carrier].group].joint].parent;
    const struct group *g = &r->group[r->link[carrier].group];
    if (g->ground) {
      note(n, l->line, "link '%.100s' is on the ground, so it gets no sensor", l->name);
      continue;
    }
    /* Place it on the body that carries it. */
    const struct frame between = frame_between(&r->pose[carrier], &r->pose[i]),
                       body = link_in_body(r, carrier);
    const struct frame at = frame_chain(&body, &between);
    if (!begun) fputs("  sensors:\n", out);
    begun = true;
    fprintf(out, "    - {name: \"%s\", type: pose, body: \"%s\", point: ", r->frame_label[i], g->label);
    vector_write(out, at.p);
    fputs(", orientation: ", out);
    euler_write(out, at.R);
    fputs("}\n", out);
  }
}

void model_write(struct robot *r, const struct import *o, struct notes *n, FILE *out)
{
  /* The head, then the lists in the order of ali3d.yaml(5). */
  const char *base = strrchr(o->file, '/');
  fputs("# Written by ali3-import from ", out);
  for (const char *c = base ? base + 1 : o->file; *c; c++) fputc((unsigned char)*c < ' ' ? '?' : *c, out);
  fprintf(out, "; units: m, kg, s, rad.\nmodel:\n  name: \"%s\"\n  gravity: ", r->label);
  vector_write(out, r->gravity);
  fputc('\n', out);
  fputs("  bodies:\n", out);
  for (int g = 0; g < r->groups; g++)
    if (!r->group[g].ground && !r->group[g].dropped) write_body(r, &r->group[g], out);
  for (int k = 0; k < r->joints; k++)
    if (joint_has_rotor(r, o, &r->joint[r->order[k]])) rotor_body_write(r, &r->joint[r->order[k]], out);
  bool begun = false;
  for (int k = 0; k < r->joints; k++) {
    const struct joint *j = &r->joint[r->order[k]];
    if (!begun && !j->dropped && j->type != JOINT_FLOATING &&
        r->link[j->parent].group != r->link[j->child].group) {
      fputs("  joints:\n", out);
      begun = true;
    }
    write_joint(r, j, out);
    if (joint_has_rotor(r, o, j)) rotor_joint_write(r, j, out);
  }
  for (int i = 0; i < r->loops; i++) {
    if (!begun) fputs("  joints:\n", out);
    begun = true;
    write_loop(r, &r->loop[i], out);
  }
  forces_write(r, o, n, out);
  write_sensors(r, o, n, out);
  visuals_write(r, o, n, out);
  inputs_write(r, o, out);
}
