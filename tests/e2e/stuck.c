/* SPDX-License-Identifier: MIT
 * ali3d with a loop that is stuck in one cycle, in the phase observe, until it is released, as by a lock, a device or a
 * debugger. Linked with --wrap=signals_observe. STUCK_AT: the cycle, counted by calls of observe; STUCK_UNTIL: path of
 * a named pipe; a byte in it releases the loop. */
#include "signals/signals.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

void __real_signals_observe(const struct signals *s, const ali3_model *m, const ali3_data *d,
                            const double *inputs, double *values);
void __wrap_signals_observe(const struct signals *s, const ali3_model *m, const ali3_data *d,
                            const double *inputs, double *values);

static unsigned long at, calls;
static int gate;

static __attribute__((constructor)) void open_gate(void)
{
  const char *cycle = getenv("STUCK_AT"), *path = getenv("STUCK_UNTIL");
  gate = path ? open(path, O_RDWR | O_CLOEXEC)
              : -1; /* open for both: a read then waits for a byte, not for a writer */
  at = cycle ? strtoul(cycle, NULL, 10) : 0;
  if (gate >= 0 && at > 0) return;
  fputs("expected STUCK_AT and STUCK_UNTIL in the environment\n", stderr);
  exit(2);
}

void __wrap_signals_observe(const struct signals *s, const ali3_model *m, const ali3_data *d,
                            const double *inputs, double *values)
{
  char byte;
  if (++calls == at)
    while (read(gate, &byte, 1) != 1) continue;
  __real_signals_observe(s, m, d, inputs, values);
}
