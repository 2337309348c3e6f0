/* SPDX-License-Identifier: MIT
 * The formulations laboratory: one run of one formulation with one integrator on one problem.
 *
 * A run is a value (struct lab_run), and so is its outcome (struct lab_result): lab_run() is a function of
 * the first to the second. Tables, maps and ensembles are lists of runs. Runs share nothing but the problem, which
 * is constant, so any number of threads may run. SI units. */
#ifndef LAB_LAB_H
#define LAB_LAB_H

#include "coordinates/problem.h"

#include <stdint.h>

struct formulation;
struct integrator;
struct lab_state;

struct lab_run {
  const struct formulation *formulation;
  const struct integrator *integrator;
  double duration, dt;     /* s */
  double alpha, omega, xi; /* penalty, natural frequency (1/s) and damping ratio of the stabilisation */
  double tolerance;        /* iterations stop below it; m, or m and kg m/s together with norm_qp */
  bool norm_qp;            /* the norm of that rule is of (q, p), not of q alone */
  int iterations;          /* at most, in a step */
  int substeps;            /* inner steps of a step of substeps */
  double rtol, atol;       /* ode45, ode23, ode113 */
  double speed;            /* the velocities at the start are multiplied by it */
  double reset;            /* s between resets of the impulses of momentum formulations; 0: none */
  bool violations; /* find the largest |Phi|, |Phi'| and |Phi''|, at the cost of an evaluation a step */
};
struct lab_run lab_run_default(void);

enum lab_status {
  LAB_OK,
  LAB_DIVERGED,
  LAB_SINGULAR,
  LAB_STEP_TOO_SMALL,
  LAB_STOPPED,
  LAB_NO_MEMORY,
  LAB_REFUSED
};
const char *lab_status_text(enum lab_status status);

struct lab_result {
  enum lab_status status;
  double time;                  /* s, reached */
  double initial, final, drift; /* J: energy, and max |E - E(0)| */
  double position, velocity,
      acceleration; /* largest |Phi|, |Phi'|, |Phi''|; the last NaN where there is no q'' */
  long steps, rejected;
  long calls;                 /* evaluations of the right-hand side, or iterations of nr */
  long iterations;            /* of all steps, where the integrator iterates */
  int most;                   /* of one step */
  long interrupted, unsolved; /* steps whose iteration was interrupted as it grew; or ended by their number */
  long inner, solves;         /* updates of multipliers inside evaluations, and evaluations that had such */
  double seconds;             /* of wall time */
};

struct lab_sample {
  double time;
  struct lab_energy {
    double kinetic, potential;
  } energy;
  double position, velocity, acceleration; /* |Phi|, |Phi'|, |Phi''| now */
};

/* Looks on: called for the initial state and after every step. False stops the run. */
struct lab_watch {
  void *user;
  bool (*step)(void *user, const struct lab_state *s, const struct lab_sample *sample);
};

/* Why this run cannot be; NULL if it can. The text lies in `text` or is static. */
const char *lab_unsuitable(const struct problem *p, const struct lab_run *r, char *text, size_t size);
/* `watch` may be NULL. */
enum lab_status lab_run(const struct problem *p, const struct lab_run *r, const struct lab_watch *watch,
                        struct lab_result *o);
/* Reactions of all joints of the model (joints) in a state that a watch sees, as the formulation has them. False: it has none,
 * because a matrix is singular or memory is short. */
bool lab_reactions_get(const struct lab_state *s, struct lab_reaction *o);
/* Floating-point operations of the recursion of al1-dca in absolute coordinates: a factorisation, a solve, and both along the
 * longest way through the levels of the assembly, which unlimited threads would need. Without those that evaluate rows. */
struct lab_operations {
  int levels;
  double factor, solve, path;
};
/* False: out of memory. */
bool lab_operations_count(const struct problem *p, struct lab_operations *o);
/* Motion of a body in a state that a watch sees. */
void lab_body_get(const struct lab_state *s, int body, struct lab_body *o);

#endif
