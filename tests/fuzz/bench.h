/* SPDX-License-Identifier: MIT
 * Shared by the fuzz targets for protocols: the signals of bench.yaml, a port, and the loop's side of it. */
#ifndef TESTS_FUZZ_BENCH_H
#define TESTS_FUZZ_BENCH_H

#include "settings/settings.h"
#include "signals/counters.h"
#include "signals/exchange.h"

struct fuzz_bench {
  struct settings *settings;
  struct port port;
  double *values; /* values of the frames */
  struct counters counters;
  uint64_t now_ns, cycle;
  uint64_t given; /* datagrams or frames; printed at the end */
};

/* Called once per process; exits on failure. */
struct fuzz_bench *fuzz_bench(void);

/* A cycle of the loop: takes what came, checks that it has no forbidden value, answers every command, and publishes a
 * frame in the state that follows from the commands. Aborts the process on an error. */
void fuzz_cycle(struct fuzz_bench *b);

#endif
