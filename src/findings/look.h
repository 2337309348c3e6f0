/* SPDX-License-Identifier: MIT
 * What those who look for findings share. Set-up only. */
#ifndef FINDINGS_LOOK_H
#define FINDINGS_LOOK_H

#include "findings/findings.h"
#include "stepper/data.h"

struct look {
  const ali3_model *m;
  ali3_data *d; /* after the reset; whoever steps or condenses it resets it again */
  const struct findings_given *given;
  struct findings *to;
  int found[FINDING_IDS]; /* of each kind, those not listed included */
  bool memory;            /* false: it ran out; the findings are not complete */
  /* to judge by */
  double length; /* m, size of the mechanism */
  double mass;   /* kg, of all bodies */
  double weight; /* N, of all bodies under the model's gravity, or under that of the earth if there is none */
  double arm;    /* m, the longest lever arm from a centre of mass to a connection; 0: there is none */
  double *reach; /* (bodies) m, from the centre of mass to the farthest connection */
};

enum { LOOK_MOST = 20 }; /* findings of one kind that are listed; more are counted */

/* NULL: out of memory; look.memory says so from then on. */
__attribute__((format(printf, 6, 7))) struct finding *look_found(struct look *l,
                                                                 enum finding_severity severity,
                                                                 enum finding_id id, enum finding_kind kind,
                                                                 int index, const char *format, ...);
/* Adds a number to a finding, which may be NULL. */
void look_number(struct finding *f, const char *name, double value, const char *unit);

/* A force by its name, or "?": it need not have one. */
const char *look_force(const struct look *l, int force);

/* A list of names as text: `"a", "b" and 12 more`. */
struct look_names {
  char text[160];
  int shown, all;
  bool closed;
};
void look_names_add(struct look_names *n, const char *name);
const char *look_names_text(struct look_names *n); /* closes it */

/* A length or an angle for people: "12.3 mm", "1.5 m", "3 deg". */
struct look_text {
  char text[40];
};
struct look_text look_length(double m);
struct look_text look_angle(double rad);
struct look_text look_load(double value, bool turns); /* N or N m, with kN and so on */
struct look_text look_coordinate(double value, bool turns);

/* A model with the elements of another one, frozen with other options, and data for it. `motor`: (forces) drives that are
 * to prescribe nothing; NULL: none. False: out of memory, or refused; nothing to free then. */
struct look_twin {
  struct ali3_model model;
  struct force *force;
  ali3_data *data;
};
bool look_twin(struct look_twin *t, const ali3_model *m, const ali3_options *options, const bool *motor);
void look_twin_free(struct look_twin *t);

/* The parts of the look, in the order in which they are called. */
void look_at_proportions(struct look *l); /* proportions.c: masses, inertias, lengths; needs no assembly */
void look_at_gravity(struct look *l);     /* gravity.c; needs no assembly */
void look_at_failure(struct look *l);     /* failure.c: why the reset failed */
void look_at_structure(struct look *l);   /* structure.c: freedoms, parts, redundancy, conflicts */
void look_for_loose_ends(struct look *l); /* loose.c */
void look_at_start(struct look *l);       /* start.c: openings, stops, loads */
void look_at_soft(struct look *l);        /* soft_elements.c; condenses */
void look_at_accuracy(struct look *l);    /* accuracy.c; steps twins */

#endif
