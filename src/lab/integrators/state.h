/* SPDX-License-Identifier: MIT
 * What formulations and integrators work on: coordinates q, their partner w, and the rates of both. Where w is the
 * velocity, the rate of q is w itself and wd is q''. Where w is the momentum p, the formulation finds both rates,
 * q' and p'.
 *
 *                  q      w      qd         wd
 *   Lagrange       q      q'     w          q''
 *   Hamilton       q      p      q'         p'        and the integral iota of Phi, whose rate is Phi */
#ifndef LAB_STATE_H
#define LAB_STATE_H

#include "integrators/lab.h"

struct lab_state {
  const struct problem *problem;
  const struct lab_run *run;
  struct lab_result *result; /* counts are kept here */
  int n, m, all;             /* all: numbers of w, n and the states of forces behind them */
  double t, h;
  struct instant now;      /* as of the evaluation: an integrator sets its time */
  double *q, *w, *qd, *wd; /* (n); w and wd (all) */
  double *iota, *Phi;      /* (m) Phi as of the last evaluation */
  double *lambda;          /* (m) multipliers that go from step to step: lambda* or sigma */
  double *q_k, *w_k, *qd_k, *wd_k, *iota_k, *Phi_k; /* at the start of the step */
  double *M, *f;          /* (n, n) and (n) at q; the problem's own where they are constant */
  double *Phi_q, *dPhi_q; /* (m, n) as of the last evaluation; the second only where it is used */
  double *Phi_t;          /* (m) as of the last evaluation; only drives have it */
  double *turn;           /* (joints) angles as of the last step, for `now` */
  double *A, *rhs, *c;    /* (n, n), (n), (m): to work with */
  double *check;          /* (m) for violations, which must not change the rest */
  double *dq, *dp;        /* (n) increments of nr */
  double *gradient;       /* (n) of a spring */
  void *formulation_own, *integrator_own;
  void *memory; /* of all arrays above */
};

/* One way to write the equations of motion. Adding one touches two files: its own, and the list in formulations.c.
 * All functions return LAB_OK, or why the run ends. */
struct formulation {
  const char *name, *title, *source; /* source: paper and equations */
  bool momenta;                      /* w is p */
  bool pure;             /* evaluate() depends on (q, w) alone, and carries nothing from call to call */
  bool needs_rows;       /* it needs d(Phi_q)/dt itself, and a constant M */
  bool oracle;           /* another way to compute a formulation, or a part of it, for tests */
  bool product;          /* the integrator is the product's whole step */
  bool no_accelerations; /* there is no q'' at the end of a step */
  bool own_matrices;     /* M, Phi_q, dPhi_q and A of the state are not used, and have no memory */
  const struct description *only; /* the one description that it knows; NULL: any */
  const char *(*unsuitable)(
      const struct problem *p); /* why it cannot do this one; NULL: it can, or does any */
  /* Memory of its own; NULL: none. */
  void *(*make)(const struct problem *p);
  void (*release)(void *own);
  /* Sets w, lambda and what else there is from q and q' (in s->qd) at the start. NULL: w = q'. */
  enum lab_status (*start)(struct lab_state *s);
  /* Finds qd and wd from (q, w). NULL: there is only a Newton form. */
  enum lab_status (*evaluate)(struct lab_state *s);
  /* Starts the impulses of the constraints at 0 again, at the present q and q': sets w. Papers 2 and 3 ask for it in long
   * runs, where impulses of a force that keeps its sign grow for ever. NULL: it has none. */
  enum lab_status (*reset)(struct lab_state *s);
  /* After an accepted step of ode45 and ode23: brings the state back onto the constraints. NULL: no. */
  enum lab_status (*project)(struct lab_state *s);
  const struct newton_form *newton; /* NULL: there is none */
  /* Multipliers of all rows (m) and q'' (n) at the end of a step. NULL: they follow from the state by a solve of their own
   * (reactions.c). */
  enum lab_status (*multipliers)(const struct lab_state *s, double *lambda, double *qdd);
  /* The reactions of all joints, where the state does not have them. NULL: it has. */
  void (*reactions)(const struct lab_state *s, struct lab_reaction *o);
};

/* The step as a Newton iteration, with Newmark's formulas (beta 1/4, gamma 1/2) put into the equations. */
struct newton_form {
  bool needs_rows;                                   /* d(Phi_q)/dt itself */
  enum lab_status (*start)(struct lab_state *s);     /* q''(0) or p'(0), and multipliers; w has been set */
  enum lab_status (*predict)(struct lab_state *s);   /* q (and p) of the next step */
  enum lab_status (*increment)(struct lab_state *s); /* s->dq, and s->dp where w is p */
  enum lab_status (*accept)(struct lab_state *s);    /* adds it, and updates multipliers */
  enum lab_status (*finish)(
      struct lab_state *s); /* velocities and accelerations at the end of the step; NULL */
  /* Brings (q, w) as they are onto the constraints, after an extrapolation; NULL: it cannot. */
  enum lab_status (*settle)(struct lab_state *s);
};

/* One way to go from state to state. Adding one touches two files: its own, and the list in integrators.c. */
struct integrator {
  const char *name, *title;
  enum { NEEDS_RATES, NEEDS_PURE_RATES, NEEDS_NEWTON, NEEDS_SETTLING, NEEDS_PRODUCT } needs;
  bool adaptive; /* it chooses its steps */
  bool history;  /* it goes on from rates of past steps, which a projection would change */
  void *(*make)(const struct lab_state *s);
  void (*release)(void *own);                    /* NULL: free() */
  enum lab_status (*start)(struct lab_state *s); /* before the first step */
  enum lab_status (*step)(struct lab_state *s);  /* from t to t + h, which it sets */
};

extern const struct formulation *const lab_formulations[]; /* ends with NULL */
extern const struct integrator *const lab_integrators[];
const struct formulation *lab_find_formulation(const char *name); /* NULL: unknown */
const struct integrator *lab_find_integrator(const char *name);

/* Computes the rates of the coordinates and of the states of forces. Integrators call this function. */
enum lab_status state_evaluate(struct lab_state *s);
/* Phi, Phi_q, Phi_t, and where they change M and f, at (q, qd) and `now`. */
void state_rows(struct lab_state *s);
/* f anew, where it changes. */
void state_force(struct lab_state *s);
/* o (m) += factor Phi', of the last evaluation: Phi_q q' + Phi_t. */
void state_add_row_rates(const struct lab_state *s, double factor, double *o);
/* o (n, n) += k times the stiffness of springs + c times their damping. */
void state_add_slopes(struct lab_state *s, double k, double c, double *o);
/* o = d(Phi_q)/dt q', (m), of the problem at (q, qd). */
void state_bias(const struct lab_state *s, double *o);
/* (q_k, w_k, qd_k, wd_k, iota_k, Phi_k) := (q, w, qd, wd, iota, Phi) */
void state_keep(struct lab_state *s);
/* The size of an increment by the rule of the run: of q, or of (q, p). */
double state_increment(const struct lab_state *s, const double *dq, const double *dw);

struct lab_state *state_new(const struct problem *p, const struct lab_run *r, struct lab_result *result);
void state_free(struct lab_state *s);

#endif
