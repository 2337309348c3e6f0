/* SPDX-License-Identifier: MIT
 * State and functions that the parts of the inspection share. Set-up only. */
#ifndef FINDINGS_FINDINGS_PARTS_H
#define FINDINGS_FINDINGS_PARTS_H

#include "findings/distance.h"
#include "findings/findings.h"
#include "kernels/data.h"

struct inspection {
  const ali3_model *m;
  ali3_data *d; /* after the reset; a part that steps or condenses it resets it again */
  const struct findings_given *given;
  struct findings *to;
  int found[FINDING_IDS]; /* number of each kind, with findings that are not listed */
  bool memory;            /* false: out of memory; the findings are not complete */
  /* Measures of the mechanism. */
  double length; /* m, size of the mechanism */
  double mass;   /* kg, sum of all bodies */
  double weight; /* N, all bodies under the gravity of the model, or under 9.81 m/s^2 if the model has none */
  double arm;    /* m, longest lever arm from a centre of mass to a connection; 0: there is no connection */
  struct distance_scale scale;
};

enum { FINDINGS_LISTED = 20 }; /* findings of one kind that are listed; further findings are counted */

/* NULL: out of memory, which sets `memory` to false, or enough findings of this kind are listed. */
__attribute__((format(printf, 6, 7))) struct finding *finding_add(struct inspection *in,
                                                                  enum finding_severity severity,
                                                                  enum finding_id id, enum finding_kind kind,
                                                                  int index, const char *format, ...);
/* Adds a number to a finding, which may be NULL. */
void finding_add_number(struct finding *f, const char *name, double value, const char *unit);

/* The name of a force; "?" if it has none. */
const char *inspection_force(const struct inspection *in, int force);

/* A list of names as text: `"a", "b" and 12 more`. */
struct name_list {
  char text[160];
  int shown, all;
  bool closed;
};
void name_list_add(struct name_list *n, const char *name);
const char *name_list_text(struct name_list *n); /* closes the list */

/* A length or an angle for people: "12.3 mm", "1.5 m", "3 deg". */
struct quantity_text {
  char text[40];
};
struct quantity_text quantity_length(double m);
struct quantity_text quantity_load(double value, bool turns); /* N or N m, with the prefixes k, M, G */
struct quantity_text quantity_coordinate(double value, bool turns);

/* A model with the elements of another model, frozen with other options, and its data. `motor`: (forces) drives that become
 * motors and prescribe nothing; NULL: none. False: out of memory, or the model was refused; there is nothing to free then. */
struct model_copy {
  struct ali3_model model;
  struct force *force;
  ali3_data *data;
};
bool model_copy_make(struct model_copy *t, const ali3_model *m, const ali3_options *options,
                     const bool *motor);
void model_copy_free(struct model_copy *t);
/* distance_of_states() of two copies. */
double model_copy_distance(const struct inspection *in, const struct model_copy *a,
                           const struct model_copy *b, int *body);
/* The warning that is the likeliest reason for a failed step; NULL: there is none. */
const struct finding *inspection_likely_cause(const struct inspection *in);
/* flops that a part of the inspection may take */
static const double INSPECTION_FLOPS = 1.5e9;
/* Operations of a step, roughly. */
double inspection_cost(const ali3_model *m);

/* The parts of the inspection, in the order in which they are called. */
/* proportions.c: masses, inertias, lengths; needs no assembly */
void inspect_proportions(struct inspection *in);
void inspect_gravity(struct inspection *in); /* gravity.c; needs no assembly */
void inspect_mistakes(
    struct inspection *in); /* mistakes.c: degrees, frames, light bodies; needs no assembly */
void inspect_failure(struct inspection *in);    /* failure.c: why the reset failed */
void inspect_structure(struct inspection *in);  /* structure.c: freedoms, parts, redundancy, conflicts */
void inspect_loose_ends(struct inspection *in); /* loose.c */
void inspect_start(struct inspection *in);      /* start.c: openings, stops, loads */
void inspect_soft(struct inspection *in);       /* soft_elements.c; condenses */
void inspect_accuracy(struct inspection *in);   /* accuracy.c; steps copies */
void inspect_passes(struct inspection *in);     /* passes.c; steps a copy */
void inspect_settings(struct inspection *in);   /* recommend.c; steps copies */

#endif
