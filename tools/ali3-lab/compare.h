/* SPDX-License-Identifier: MIT
 * ali3-lab compare: what its parts share. */
#ifndef LAB_COMPARE_H
#define LAB_COMPARE_H

#include "lab_tool.h"

/* One run: how far off it was at the end, and what it cost. */
struct compare_point {
  const struct formulation *formulation;
  const struct integrator *integrator;
  const struct description *kind;
  double length; /* s, of the step; of an integrator with steps of its own rtol = atol */
  struct lab_result run;
  double error; /* m or 1; NaN where the run failed */
  double force; /* N or N m: error of the reactions; NaN: not known */
};

struct comparison {
  const struct compare_options *options;
  double duration, floor; /* s; floor: how well the solution is known, 0: exactly */
  double force_floor;     /* N or N m: how well its reactions are known; NaN: not at all */
  struct compare_point *point;
  int points, room;
};

/* compare_methods.c. The run of a method; length: of the step in s, or rtol. */
struct lab_run compare_method_run(const struct formulation *f, const struct integrator *i, double duration,
                                  double length);
/* The problem may be NULL: no. */
bool compare_method_fits(const struct problem *p, const struct formulation *f, const struct integrator *i);
/* NAME or NAME/INTEGRATOR is among the globs; without globs all but oracles are. */
bool compare_method_asked(const char *methods, const struct formulation *f, const struct integrator *i);
/* False after a message where no method has such a name. */
bool compare_check_globs(const char *methods);
/* The model in all coordinates that take it; the others are said in `lines`. */
enum { COMPARE_DESCRIPTIONS = 8 };
struct compare_problems {
  struct problem problem[COMPARE_DESCRIPTIONS];
  bool made[COMPARE_DESCRIPTIONS];
};
void compare_make_problems(const struct model_file *f, struct compare_problems *o, FILE *lines);
void compare_free_problems(struct compare_problems *o);
/* The formulation's own coordinates, else the first that take the model. NULL: none. */
const struct problem *compare_problem_of(const struct compare_problems *o, const struct formulation *f);

/* compare_target.c: the pose of all bodies at the end. */
struct target;
/* From options->reference, or from two fine solutions, whose difference is *floor, and *force_floor for reactions. NULL after a
 * message. */
struct target *target_new(const struct compare_options *o, const struct model_file *f, double duration,
                          double *floor, double *force_floor);
void target_free(struct target *t);
/* Largest difference of a position or an Euler parameter. */
double target_error(const struct target *t, const struct lab_state *s);
/* Largest difference of a component of a joint's force (N) or torque (N m); NaN: not known. */
double target_force_error(const struct target *t, const struct lab_state *s);

/* compare_output.c: points of one method follow one another. */
bool same_method(const struct compare_point *a, const struct compare_point *b);
void compare_print_point(FILE *out, const struct compare_point *p);
void compare_print_summary(FILE *out, const struct comparison *c);
bool compare_write(const struct comparison *c);   /* CSV, JSON, PNG as asked for; false after a message */
bool compare_picture(const struct comparison *c); /* compare_picture.c */

#endif
