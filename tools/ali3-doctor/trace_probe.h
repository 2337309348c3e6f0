/* SPDX-License-Identifier: MIT
 * Shows whether the kernel's trace can name who causes a miss, by causing one, and what the trace costs. */
#ifndef ALI3_DOCTOR_TRACE_PROBE_H
#define ALI3_DOCTOR_TRACE_PROBE_H

#include "findings.h"
#include "measure.h"

/* Takes about a second. Adds the findings "trace" and, if the kernel allows a trace, "trace_cost". */
void trace_probe(const struct measure_plan *plan, struct findings *all);

#endif
