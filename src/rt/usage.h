/* SPDX-License-Identifier: MIT
 * What the calling thread has used and suffered so far, as the kernel counts it. RT: two system calls that
 * wait for nothing. */
#ifndef RT_USAGE_H
#define RT_USAGE_H

#include <stdint.h>

struct usage {
  uint64_t span_ns;      /* gone by */
  uint64_t cpu_ns;       /* of it on a processor */
  uint64_t minor, major; /* page faults: without and with reading from disk */
  uint64_t voluntary;    /* context switches: it went to sleep, or waited for a lock */
  uint64_t involuntary;  /* another thread took its place */
};

void usage_now(struct usage *u);
struct usage usage_since(const struct usage *now, const struct usage *before);
/* Leaves sleeps out that were meant: how many, and for how long. */
void usage_forgive(struct usage *u, uint64_t sleeps, uint64_t slept_ns);

#endif
