/* SPDX-License-Identifier: MIT
 * libFuzzer: any text as the SWEEP file of ali3-sim --batch. A sweep that was read has runs, and every value of every run is one
 * word of a CSV file. */
#include "sweep.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n);

enum { RUNS_SEEN = 32, RUNS_MAX = 10000000 };

static void need(bool holds)
{
  if (!holds) abort();
}

static void judge_run(const struct sweep *s, long run)
{
  char value[SWEEP_VALUE], same[SWEEP_VALUE];
  for (int i = 0; i < s->parameters; i++) {
    memset(value, 'x', sizeof value);
    sweep_value(s, run, i, value);
    need(memchr(value, '\0', sizeof value) && !strpbrk(value, ",\"\n"));
    sweep_value(s, run, i, same);
    need(strcmp(value, same) == 0 && s->parameter[i].key && !strchr(s->parameter[i].key, '='));
  }
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t n)
{
  static FILE *quiet;
  char path[40];
  struct sweep s;
  if (!quiet) {
    quiet = fopen("/dev/null", "w");
    need(quiet != NULL);
  }
  const int fd = memfd_create("sweep", MFD_CLOEXEC);
  need(fd >= 0 && write(fd, bytes, n) == (ssize_t)n);
  snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
  /* Mistakes are printed on stderr, which belongs to libFuzzer. */
  FILE *said = stderr;
  stderr = quiet;
  const bool good = sweep_open(&s, path);
  stderr = said;
  if (good) {
    need(s.runs >= 1 && s.runs <= RUNS_MAX && s.parameters >= 1);
    for (long k = 0; k < s.runs && k < RUNS_SEEN; k++) {
      judge_run(&s, k);
      judge_run(&s, s.runs - 1 - k);
    }
  }
  sweep_free(&s);
  close(fd);
  return 0;
}
