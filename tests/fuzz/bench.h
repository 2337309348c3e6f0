/* SPDX-License-Identifier: MIT
 * What the targets for protocols share: the signals of bench.yaml, a port, and the loop's side of it. */
#ifndef TESTS_FUZZ_BENCH_H
#define TESTS_FUZZ_BENCH_H

#include "config/settings.h"
#include "signals/counters.h"
#include "signals/exchange.h"

struct fuzz_bench {
  struct settings *settings;
  struct port port;
  double *values; /* of the frames */
  struct counters counters;
  uint64_t now_ns, cycle;
  uint64_t given; /* datagrams or frames: said at the end */
};

/* Once per process; ends it on failure. */
struct fuzz_bench *fuzz_bench(void);

/* A cycle of the loop: takes what came, judges that nothing of it is a value that must not be, answers every command, and
 * publishes a frame in the state that the commands led to. Ends the process where something is wrong. */
void fuzz_cycle(struct fuzz_bench *b);

#endif
