/* SPDX-License-Identifier: MIT */
#ifndef COMMON_FAULTS_H
#define COMMON_FAULTS_H

#include <sys/resource.h>

/* Page faults of all threads so far. */
static inline long page_faults(void)
{
  struct rusage u;
  getrusage(RUSAGE_SELF, &u);
  return u.ru_minflt + u.ru_majflt;
}

#endif
