/* SPDX-License-Identifier: MIT
 * Makes findings from figures, and a verdict from findings. */
#ifndef ALI3_DOCTOR_VERDICT_H
#define ALI3_DOCTOR_VERDICT_H

#include "findings.h"
#include "measure.h"

enum verdict { VERDICT_FIT = 0, VERDICT_USABLE = 1, VERDICT_UNFIT = 2 }; /* also the exit status */

/* Compares the figures with the limits. hwlat_us: longest gap that the tracer saw; -1: it did not run. */
void judge_measured(const struct measure_plan *plan, const struct measured *m, long long hwlat_us,
                    struct findings *all);

/* One bad finding: unfit. One warning, or no measurement: usable. Else fit. */
enum verdict verdict_of(const struct findings *all, bool measured);
/* "fit", "usable", "unfit" */
const char *verdict_word(enum verdict v);
/* True if a finding is a reason for that verdict. */
bool verdict_because(enum verdict v, const struct finding *f);

#endif
