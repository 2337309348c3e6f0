/* SPDX-License-Identifier: MIT
 * Set-up. The inputs and outputs of a linear system. */
#ifndef LINEAR_PORTS_H
#define LINEAR_PORTS_H

#include "linear/system.h"

/* A small deviation from the state: poses, velocities and accelerations of the bodies, (bodies, 6) each, multipliers of all rows
 * (point.lambda), and targets of drives (drives). */
struct deviation {
  double *q, *v, *a, *lambda, *aim;
};

/* ALI3_OK, or ALI3_E_ARGUMENT with the reason. */
ali3_status ports_check(const ali3_model *m, const ali3_ports *ports, ali3_problem *problem);
/* o (bodies, 6): load of one unit of an input. A drive loads nothing. */
void ports_load(const struct point *p, const ali3_port *input, double *o);
/* Derivatives of the outputs along a deviation. scratch: data in the state of the point. */
void ports_outputs(const struct point *p, ali3_data *scratch, const ali3_ports *ports,
                   const struct deviation *e, double *value);

#endif
