/* SPDX-License-Identifier: MIT
 * Functions and structs that the files of the expansion share. */
#ifndef EXPAND_EXPAND_PARTS_H
#define EXPAND_EXPAND_PARTS_H

#include "expand/expand.h"
#include "expand/expression.h"
#include "math/euler.h"

/* One expansion on its way. */
struct expander {
  struct yaml *tree; /* owns all new nodes */
  const struct expand_rules *rules;
  struct expansion *x;
  struct report *report;
  long nodes, most; /* made so far, and allowed */
  int merging;      /* merge keys inside each other */
  bool attached;    /* a part is attached to a body */
};

/* The lists of elements that a model and a part have. */
enum element_list { BODIES, JOINTS, FORCES, SENSORS, VISUAL, INPUTS, ELEMENT_LISTS };
extern const char *const element_list_name[ELEMENT_LISTS];
struct elements {
  struct node *first[ELEMENT_LISTS], *last[ELEMENT_LISTS];
  int count[ELEMENT_LISTS];
};
void elements_append(struct elements *e, enum element_list list, struct node *n);
/* Appends all elements of `more`. */
void elements_join(struct elements *e, const struct elements *more);

/* --- nodes.c: new nodes. NULL after a mistake, which is reported. --- */

/* Counts nodes, or work of the size of nodes. False: the file expands to too many. */
bool expander_charge(struct expander *e, struct place at, long nodes);
/* A copy with the origin, without children. */
struct node *node_new_like(struct expander *e, const struct node *n, int origin);
/* Puts numbers under a key of a mapping: a list, or one number for count 0. */
bool node_put_numbers(struct expander *e, struct node *map, const char *key, const double *v, int count);
bool node_put_text(struct expander *e, struct node *map, const char *key, const char *text);
/* Puts a child at the end of a mapping, in place of a child with its key. */
void node_put(struct node *map, struct node *child);
void node_remove(struct node *map, const char *key);
/* Reads a list of `count` decimal numbers, or one number for count 0. False: n is something else. */
bool node_numbers(const struct node *n, double *v, int count);
/* The text of a scalar under a key; NULL: none. */
const char *node_text(const struct node *map, const char *key);
/* The child of a mapping that may be changed. */
struct node *node_child(struct node *map, const char *key);
/* The shortest decimal number with these bits. */
enum { DECIMAL_SIZE = 32 };
const char *decimal_text(double v, char text[DECIMAL_SIZE]);
bool fail_expansion(struct expander *e, struct place at, const char *text);

/* --- scalars.c: expressions in scalars --- */

void scalar_evaluate(struct expander *e, struct node *n, const struct expand_key *k, const struct scope *s);
/* A node as a value of a parameter. False after a mistake, which is reported. */
bool scalar_value(struct expander *e, const struct node *n, const struct scope *s, struct value *out);

/* --- copies.c: copies of trees, evaluated --- */

/* A mapping with the keys of its merge keys. Shares its children. */
struct node *mapping_merge(struct expander *e, const struct node *map, int origin);
struct node *mapping_evaluate(struct expander *e, const struct node *map, const void *section,
                              const struct scope *s, int origin);

/* --- parts.c --- */

/* A file or part file: its values, its scope, and where its nodes come from. */
struct part_source {
  const struct node *root;
  const struct node *given;    /* values that replace parameters; NULL: none */
  const struct scope *outside; /* the scope of these values */
  const struct source
      *given_in; /* the file of these values, if their places have no origin; NULL: they have */
  int origin, depth;
};
/* Evaluates a file and appends the elements of its model and inputs. Returns the file without them and without parts and
 * parameters; NULL after a mistake, which is reported. */
struct node *file_evaluate(struct expander *e, const struct part_source *from, struct elements *out);

/* --- variables.c: scopes --- */

/* Adds the parameters of a mapping to a scope. given: values that replace them, computed in scope `outside`; NULL: none. False
 * after a mistake, which is reported. */
bool scope_add(struct expander *e, struct scope *s, const struct node *parameters, const struct node *given,
               const struct scope *outside);
/* Checks that values that replace parameters have the names of parameters. False after a mistake, which is reported. */
bool scope_check_given(struct expander *e, const struct node *parameters, const struct node *given);
bool scope_add_value(struct expander *e, struct scope *s, const struct node *name, const struct value *v);
void scope_release(struct scope *s);

/* --- orientation.c --- */

/* Euler parameters of a mapping {euler}, {axis, angle} or {x, y}. False after a mistake, which is reported. */
bool orientation_read(struct expander *e, const struct node *map, double p[4]);
/* The smallest rotation that takes direction a to direction b. */
void orientation_between(double p[4], const double a[3], const double b[3]);
void orientation_about(double p[4], const double axis[3], double angle);
void orientation_turn(double o[3], const double p[4], const double v[3]);

/* --- shapes.c --- */

/* Replaces the keys shape and shapes of a body by mass and inertia, and appends the shapes to the list visual. A centre of mass
 * beside the origin of the shapes goes under BODY_CENTRE, to be removed at the end. */
extern const char BODY_CENTRE[];
bool shapes_apply(struct expander *e, struct node *body, struct elements *out);

/* --- motions.c: elements moved as a part --- */

struct part_motion {
  const char *prefix; /* NULL: names stay */
  int mirror;         /* 0, 1, 2: the axis whose sign changes; -1: none */
  bool moved;
  double position[3], orientation[4];
  const struct node *host; /* name of the body that is the ground of the part; NULL: the ground */
};
bool part_move(struct expander *e, struct elements *part, const struct part_motion *m);

/* --- turns.c --- */

/* The name of the body to which an element is attached, to be removed at the end. */
extern const char ELEMENT_HOST[];
bool node_text_is(const struct node *map, const char *key, const char *text);
/* Turns the vector under a key, if it has one. shift: a point, which also moves by the position. */
bool vector_turn(struct expander *e, struct node *map, const char *key, const struct part_motion *m,
                 bool shift);
/* Turns a load or an input that is in world axes. */
bool load_turn(struct expander *e, struct node *n, const struct part_motion *m);

/* --- pictures.c: shapes for pictures in a part --- */

bool picture_mirror(struct expander *e, struct node *n, int axis);
/* Appends a shape of a body to the list visual, with an internal mark. Nothing, for a shape without size. */
bool picture_of_shape(struct expander *e, const struct node *body, const struct node *shape,
                      const struct shape_values *s, struct elements *out);
/* Removes the pictures of shapes of bodies that have other pictures, and the marks of the rest. */
bool pictures_choose(struct expander *e, struct elements *model);
/* Turns an element on the ground with a pose. point: the key of its position. */
bool ground_pose_turn(struct expander *e, struct node *n, const char *point, const struct part_motion *m);
/* Makes the path of a mesh file of a part relative to the file that uses the part. use: the path in that file. */
bool picture_lead(struct expander *e, struct node *n, const char *use);

/* --- attach.c: parts on a body --- */

/* Puts that body in place of the ground. The numbers of the element that are in the world stay in the frame of the body. */
bool element_attach(struct expander *e, struct node *n, enum element_list list, const struct node *host);
/* Takes these numbers from the frame of the body to the world. */
bool element_detach(struct expander *e, struct node *n, const double r[3], const double p[4]);

/* --- placing.c --- */

/* Gives every body its position and orientation in the world, and moves the origin of its frame to its centre of mass. */
bool bodies_place(struct expander *e, struct elements *model);

#endif
