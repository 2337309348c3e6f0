/* SPDX-License-Identifier: MIT
 * A robot as a URDF file describes it: links, joints and shapes, each with the line on which it begins. The reader fills it; the
 * stages after it add what they find.
 *
 * Units are those of URDF: m, kg, rad, N. A frame maps a vector of the inner axes to the outer ones: outer = R inner + p. */
#ifndef IMPORT_ROBOT_H
#define IMPORT_ROBOT_H

#include "frame.h"

#include <stdbool.h>
#include <stddef.h>

enum { NONE = -1 };

/* Memory of one import, freed at once. */
struct memory {
  struct memory *next;
};

enum format { FORMAT_URDF, FORMAT_MJCF };

enum shape_kind {
  SHAPE_NONE,
  SHAPE_BOX,
  SHAPE_CYLINDER,
  SHAPE_SPHERE,
  SHAPE_CAPSULE,
  SHAPE_ELLIPSOID,
  SHAPE_MESH
};

struct shape {
  enum shape_kind kind;
  struct frame at;     /* in the link */
  double size[3];      /* edges of a box; half axes of an ellipsoid; radius and length of the others */
  double scale[3];     /* factors on the axes of a mesh */
  const char *file;    /* name of a mesh file, as URDF has it; of a mesh in MJCF, its name */
  const float *corner; /* (triangles, 9) of a mesh that is no file; or NULL */
  int triangles;
  const char *colour; /* name of a material, or NULL */
  double rgb[3];
  bool coloured; /* rgb is set */
  int line;
  struct shape *next;
};

/* Mass, centre of mass and inertia about it, in the axes of a link. */
struct inertia {
  double mass, centre[3], moment[9];
};

struct link {
  const char *name;
  int line;
  struct frame inertial; /* origin of inertial: centre of mass, and axes of the moments in the file */
  struct inertia inertia;
  int inertial_line;          /* 0: the link has no element inertial */
  struct shape *visual, *hit; /* shapes of <visual> and <collision> */
  struct frame in_group;      /* in the root link of its group */
  int parent;                 /* joint above, NONE for the root */
  int group;
};

enum joint_type {
  JOINT_FIXED,
  JOINT_REVOLUTE,
  JOINT_CONTINUOUS,
  JOINT_PRISMATIC,
  JOINT_PLANAR,
  JOINT_FLOATING,
  JOINT_SPHERICAL,
  JOINT_UNIVERSAL
};

/* A joint that closes a loop: the frames of two links meet. */
struct loop {
  const char *name; /* NULL: it has none */
  int line;         /* of the file of loops */
  const char *type; /* of the model */
  int link[2];
  double axis[3]; /* in both links */
  const char *label;
};

struct joint {
  const char *name, *parent_name, *child_name;
  int line;
  enum joint_type type;
  int parent, child; /* links */
  struct frame origin;
  double axis[3]; /* length 1, in the frame of the joint */
  int limit_line; /* 0: no element limit */
  bool has_lower, has_upper, has_velocity, has_effort;
  double lower, upper, velocity, effort;
  double damping, friction;
  const char *leader_name; /* joint that it follows; NULL: none */
  int mimic_line, leader;
  double multiplier, offset;
  double position;                 /* at the start */
  double zero;                     /* coordinate at which the frames of both links coincide */
  double stiffness, rest;          /* spring on the coordinate; stiffness 0: none */
  double armature;                 /* inertia on the coordinate that no body has: kg m^2 or kg */
  double motor_gear;               /* 0: not given */
  double motor_lower, motor_upper; /* force of the motor; both 0: by effort */
  bool motor;                      /* a file of loops, or the actuators of the robot name it */
  double angle
      [3]; /* at the start: about both axes of a universal joint; the rotation vector of a spherical one */
  double second_axis[3]; /* of a universal joint, in its frame */
  bool held;             /* it follows what never moves */
  bool dropped;          /* with a child that has no mass */
  const char *label;
};

/* Links that fixed joints hold together: one body of the model. */
struct group {
  int root;               /* the link nearest to the root of the robot */
  int name_link;          /* whose name the body has */
  int joint;              /* above, NONE for the first group */
  struct inertia inertia; /* in the axes of the root link */
  bool ground, dropped;
  bool needed;       /* a loop or a file needs it, with or without mass */
  const char *label; /* name of the body in the model */
};

/* A mesh file, or triangles, and the name of the copy. */
struct copy {
  const char *from, *to;
  const float *corner; /* (triangles, 9), or NULL */
  int triangles;
};

/* A material of the robot. */
struct colour {
  const char *name;
  double rgb[3];
};

struct robot {
  enum format format;
  double gravity[3]; /* m/s^2 */
  struct loop *loop;
  struct copy *copy;
  int copies, copy_room;
  int loops, loop_room;
  bool motors_named; /* only joints with motors are driven */
  bool posed;        /* --pose named a keyframe of the robot */
  const char *name;
  struct link *link;
  struct joint *joint;
  struct group *group;
  struct colour *colour;
  int links, joints, groups, colours;
  int link_room, joint_room, colour_room;
  int root;                 /* link */
  int *order;               /* (joints) parents before children */
  struct frame *pose;       /* (links) in the world at the start */
  const char *label;        /* name of the model */
  const char **frame_label; /* (links) names of sensors */
  struct memory *memory;
};

/* Zeroed memory that robot_free() frees. NULL: out of memory. */
void *robot_take(struct robot *r, size_t count, size_t size);
char *robot_text(struct robot *r, const char *text);
/* Makes room for one more element. False: out of memory. */
bool robot_grow(struct robot *r, void **list, int count, int *room, size_t size);
void robot_free(struct robot *r);

/* Index of a link or joint, NONE if there is none. */
int robot_find_link(const struct robot *r, const char *name);
int robot_find_joint(const struct robot *r, const char *name);

static inline bool joint_has_coordinate(const struct joint *j)
{
  return j->type == JOINT_REVOLUTE || j->type == JOINT_CONTINUOUS || j->type == JOINT_PRISMATIC;
}

/* True if the limits hold the coordinate in a range. */
static inline bool joint_has_limits(const struct joint *j)
{
  return (j->type == JOINT_REVOLUTE || j->type == JOINT_PRISMATIC) && (j->has_lower || j->has_upper) &&
         j->lower <= j->upper;
}

static inline bool inertia_is_none(const struct inertia *i)
{
  for (int k = 0; k < 9; k++)
    if (i->moment[k] != 0.0) return false;
  return i->mass == 0.0;
}

#endif
