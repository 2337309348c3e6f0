/* SPDX-License-Identifier: MIT
 * Sets of processors in the kernel's form: "0-3,8". */
#ifndef ALI3_DOCTOR_CPUS_H
#define ALI3_DOCTOR_CPUS_H

#include <sched.h>
#include <stdbool.h>
#include <stddef.h>

/* An empty text is an empty set. Returns false if the text is no such list or names a processor beyond CPU_SETSIZE. */
bool cpus_parse(const char *text, cpu_set_t *set);
/* Returns `out`; a longer text is cut to its size. */
const char *cpus_text(const cpu_set_t *set, char *out, size_t size);
/* The lowest and the highest; -1 if the set is empty. */
int cpus_first(const cpu_set_t *set);
int cpus_last(const cpu_set_t *set);
/* The members of `set` that are not in `without`. */
cpu_set_t cpus_except(const cpu_set_t *set, const cpu_set_t *without);

#endif
