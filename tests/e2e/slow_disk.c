/* SPDX-License-Identifier: MIT
 * Preloaded into ali3-record: while the file ALI3_SLOW_DISK exists, each synchronisation of a file NAME.part takes as many seconds as
 * its text says. If the text ends in "once", the first one removes the file. */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

static int is_recording(int fd)
{
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
  const ssize_t n = readlink(link, path, sizeof path);
  return n > 5 && memcmp(path + n - 5, ".part", 5) == 0;
}

static void wait_for_disk(void)
{
  const char *path = getenv("ALI3_SLOW_DISK");
  char text[32] = "";
  FILE *f = path ? fopen(path, "re") : NULL;
  if (!f) return;
  const double seconds = fgets(text, sizeof text, f) ? strtod(text, NULL) : 0.0;
  fclose(f);
  if (strstr(text, "once")) unlink(path);
  struct timespec left = {.tv_sec = (time_t)seconds,
                          .tv_nsec = (long)((seconds - (double)(time_t)seconds) * 1e9)};
  while (nanosleep(&left, &left) != 0) continue;
}

int fdatasync(int fd)
{
  int (*synchronise)(int);
  *(void **)&synchronise = dlsym(RTLD_NEXT, "fdatasync");
  if (!synchronise) abort();
  if (is_recording(fd)) wait_for_disk();
  return synchronise(fd);
}
