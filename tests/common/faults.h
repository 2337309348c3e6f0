/* SPDX-License-Identifier: MIT */
#ifndef COMMON_FAULTS_H
#define COMMON_FAULTS_H

#include <sys/resource.h>

/* The kernel may move a page of locked memory to make room for large ones, and its next use counts as a fault. A program that
 * touches a new page does so in each try. */
enum { FAULT_TRIES = 3 };

/* Page faults of all threads so far. */
static inline long page_faults(void)
{
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_minflt + u.ru_majflt;
}

#endif
