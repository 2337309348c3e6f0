/* SPDX-License-Identifier: MIT
 * A mechanism written in coordinates q (n), subject to m constraints Phi(q, t) = 0: what every formulation starts from.
 *
 *   M(q) q'' + Phi_q' lambda = f(q, q'),    Phi(q, t) = 0                               (paper 3, (1))
 *
 * Only drives have rows that depend on the time: a coordinate less its motion. So Phi_q depends on q alone.
 *
 * A description is one way to choose q: natural (natural.c), absolute (absolute.c) or joint (joint.c). It makes a problem from a
 * frozen model and the state that a reset has brought onto the constraints. A problem is constant once it is made:
 * any number of threads may run it. Matrices are full, row by row: Phi_q is (m, n), M is (n, n). */
#ifndef COORDINATES_PROBLEM_H
#define COORDINATES_PROBLEM_H

#include <ali3/types.h>
#include <stdbool.h>
#include <stddef.h>

/* Why a model cannot be written in these coordinates: one element of the model, and a sentence. */
struct lab_refusal {
  const char *element; /* "model", "body", "joint", "load", "force"; a static string */
  int index;           /* of the element in the model */
  char text[240];
};

struct lab_body { /* as struct ali3_body_state, without accelerations */
  double position[3], orientation[4], velocity[3], angular_velocity[3];
};

/* Load of a joint on its body b, at its point of b, world axes; NaN where these coordinates do not tell. */
struct lab_reaction {
  double force[3], torque[3]; /* N, N m */
};

struct lab_motion {
  const double *q, *qd, *qdd; /* (n) */
  const double *lambda;       /* (m) */
};

struct description;

/* A time; angles of joints so far: an angle is the value nearest to `turn`, so that it may grow beyond half a turn; and the
 * states of forces that have states of their own, scaled as by forces_own_read(). */
struct instant {
  double time;        /* s */
  const double *turn; /* (joints of the model) rad */
  const double *own;  /* (owns) */
};

struct problem {
  const struct description *kind;
  const ali3_model *model;
  int n, m, bodies;
  bool constant;           /* M depends on neither q nor q' */
  bool loaded;             /* loads or springs act, so that f is not constant where M is */
  double *M, *f;           /* (n, n) and (n), where M is constant: M, and f of the weight */
  double *q, *qd;          /* (n) coordinates and velocities at the start */
  double *turn;            /* (joints) angles of revolute joints at the start */
  int owns;                /* states of forces: oil of cylinders, currents of motors; 0 in most models */
  double *own_start;       /* (owns) at the start, scaled */
  int driven, driven_rows; /* first of the rows of drives and gears, and their number */
  void *own;               /* of the description */
};

struct description {
  const char *name, *title;
  bool (*make)(struct problem *p, const ali3_data *d, struct lab_refusal *why);
  void (*release)(struct problem *p);
  void (*rows)(const struct problem *p, const struct instant *now, const double *q, double *Phi,
               double *Phi_q);
  /* d(Phi_q)/dt, (m, n). NULL: this description gives the product with q' only. */
  void (*row_rates)(const struct problem *p, const double *q, const double *qd, double *dPhi_q);
  /* Phi'' where q'' = 0: d(Phi_q)/dt q' + Phi_tt */
  void (*bias)(const struct problem *p, const struct instant *now, const double *q, const double *qd,
               double *bias);
  void (*inertia)(const struct problem *p, const double *q, double *M); /* NULL where M is constant */
  void (*force)(const struct problem *p, const struct instant *now, const double *q, const double *qd,
                double *f);
  /* o += k times the stiffness of springs plus c times their damping, (n, n); gradient: (n) to work with */
  void (*slopes)(const struct problem *p, const struct instant *now, const double *q, const double *qd,
                 double k, double c, double *gradient, double *o);
  /* The rates of the states of forces, (owns), scaled as they are. */
  void (*own_rates)(const struct problem *p, const struct instant *now, const double *q, const double *qd,
                    double *rate);
  void (*energy)(const struct problem *p, const struct instant *now, const double *q, const double *qd,
                 double *kinetic, double *potential); /* J */
  /* The angles of all joints go on with q: turn (joints) becomes what is nearest to it. */
  void (*follow)(const struct problem *p, const double *q, double *turn);
  void (*body)(const struct problem *p, const double *q, const double *qd, int body, struct lab_body *o);
  /* Reactions of all joints of the model from q'' and the multipliers of the rows. False: out of memory. */
  bool (*reactions)(const struct problem *p, const struct instant *now, const struct lab_motion *x,
                    struct lab_reaction *o);
  /* Largest |Phi|, |Phi'| and |Phi''|, NaN for the last where qdd is NULL, without matrices. NULL: from rows(). False: out of
   * memory. */
  bool (*violations)(const struct problem *p, const struct instant *now, const struct lab_motion *x,
                     double o[3]);
};

extern const struct description description_natural, description_absolute, description_joint;
extern const struct description *const lab_descriptions[];        /* ends with NULL */
const struct description *lab_find_description(const char *name); /* NULL: unknown */

void problem_free(struct problem *p);

/* The instant of the start. */
struct instant problem_start(const struct problem *p);
/* refusal.c. Fills *why; returns false, so that it can stand in a return. */
__attribute__((format(printf, 4, 5))) bool problem_refuse(struct lab_refusal *why, const char *element,
                                                          int index, const char *format, ...);

#endif
