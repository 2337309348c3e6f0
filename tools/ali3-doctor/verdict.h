/* SPDX-License-Identifier: MIT
 * From figures to findings, and from findings to a verdict. */
#ifndef ALI3_DOCTOR_VERDICT_H
#define ALI3_DOCTOR_VERDICT_H

#include "findings.h"
#include "measure.h"

enum verdict { VERDICT_FIT = 0, VERDICT_USABLE = 1, VERDICT_UNFIT = 2 }; /* also the exit status */

/* The figures against the limits. hwlat_us: longest hole seen by the tracer; -1: it did not run. */
void judge_measured(const struct measure_plan *plan, const struct measured *m, long long hwlat_us,
                    struct findings *all);

/* One bad finding: unfit; one warning, or nothing measured: usable; else fit. */
enum verdict verdict_of(const struct findings *all, bool measured);
/* "fit", "usable", "unfit" */
const char *verdict_word(enum verdict v);
/* Whether a finding is a reason for that verdict. */
bool verdict_because(enum verdict v, const struct finding *f);

#endif
