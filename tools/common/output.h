/* SPDX-License-Identifier: MIT
 * Output that is cut off by a full disk must not look complete: it is an error of every program, whatever it prints. */
#ifndef ALI3_COMMON_OUTPUT_H
#define ALI3_COMMON_OUTPUT_H

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

static inline void output_check(void)
{
  if (fflush(stdout) == 0 && !ferror(stdout)) return;
  fprintf(stderr, "%s: standard output cannot be written, so what was printed is not complete\n",
          program_invocation_short_name);
  _exit(EXIT_FAILURE);
}

/* Call it first in main(). */
static inline void output_check_at_exit(void)
{
  atexit(output_check);
}

#endif
