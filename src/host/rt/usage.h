/* SPDX-License-Identifier: MIT
 * Usage of the calling thread so far, as the kernel counts it. RT: two system calls that wait for nothing. */
#ifndef RT_USAGE_H
#define RT_USAGE_H

#include <stdint.h>

struct usage {
  uint64_t span_ns;      /* elapsed time */
  uint64_t cpu_ns;       /* time on a processor */
  uint64_t minor, major; /* page faults without and with reading from disk */
  uint64_t voluntary;    /* context switches because it slept or waited for a lock */
  uint64_t involuntary;  /* context switches because another thread took its place */
};

void usage_now(struct usage *u);
struct usage usage_since(const struct usage *now, const struct usage *before);
/* Subtracts intended sleeps: their number and duration. */
void usage_forgive(struct usage *u, uint64_t sleeps, uint64_t slept_ns);

#endif
