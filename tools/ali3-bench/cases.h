/* SPDX-License-Identifier: MIT
 * What the files of cases share, and builders that live outside cases.c. Cases that do not scale ignore
 * `bodies`. */
#ifndef CASES_H
#define CASES_H

#include "parts.h"

extern const double X[3], Y[3], Z[3], G, PI; /* G: m/s^2 */

void build_delta(struct parts *p, int bodies);
void build_scissor_lift(struct parts *p, int bodies);
void build_chain_drive(struct parts *p, int bodies);
void build_truss(struct parts *p, int bodies);

#endif
