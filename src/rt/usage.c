/* SPDX-License-Identifier: MIT */
#include "rt/usage.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static FILE *open_file(pid_t thread, const char *name)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)thread, name);
  return fopen(path, "re");
}

/* Field n of those behind the name, which may hold anything; the first, the state, is 0. */
static bool read_field(const char *stat, int n, uint64_t *value)
{
  const char *at = strrchr(stat, ')');
  for (; at && n >= 0; n--) at = strchr(at + 1, ' ');
  if (!at) return false;
  char *end;
  *value = strtoull(at, &end, 10);
  return end > at;
}

static bool read_page_faults(pid_t thread, uint64_t *faults)
{
  enum { MINOR = 7, MAJOR = 9 }; /* 10 and 12 of proc(5), which counts from the number of the process */
  char line[1024];
  FILE *f = open_file(thread, "stat");
  if (!f) return false;
  const bool read = fgets(line, sizeof line, f) != NULL;
  fclose(f);
  uint64_t minor, major;
  if (!read || !read_field(line, MINOR, &minor) || !read_field(line, MAJOR, &major)) return false;
  *faults = minor + major;
  return true;
}

static bool read_preemptions(pid_t thread, uint64_t *preemptions)
{
  static const char key[] = "nonvoluntary_ctxt_switches:";
  char line[256];
  bool found = false;
  FILE *f = open_file(thread, "status");
  if (!f) return false;
  while (!found && fgets(line, sizeof line, f)) found = strncmp(line, key, sizeof key - 1) == 0;
  fclose(f);
  if (found) *preemptions = strtoull(line + sizeof key - 1, NULL, 10);
  return found;
}

bool usage_read(pid_t thread, struct usage *u)
{
  return read_page_faults(thread, &u->page_faults) && read_preemptions(thread, &u->preemptions);
}
