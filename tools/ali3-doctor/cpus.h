/* SPDX-License-Identifier: MIT
 * Sets of processors as the kernel writes them: "0-3,8". */
#ifndef ALI3_DOCTOR_CPUS_H
#define ALI3_DOCTOR_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* An empty text is an empty set; false where it is not such a list, or names a processor beyond
 * CPU_SETSIZE. */
bool cpus_parse(const char *text, cpu_set_t *set);
/* Returns out, cut to its size: enough for any set of a machine that is not made to spite it. */
const char *cpus_text(const cpu_set_t *set, char *out, size_t size);
/* Lowest, highest; -1 where there is none. */
int cpus_first(const cpu_set_t *set);
int cpus_last(const cpu_set_t *set);
/* Those of `set` that are not in `without`. */
cpu_set_t cpus_except(const cpu_set_t *set, const cpu_set_t *without);

#endif
