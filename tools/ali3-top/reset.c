/* SPDX-License-Identifier: MIT
 * A signal kills a process that does not expect it. So this file first checks that the process has mapped the block:
 * then it is the daemon and not another process with its number. */
#include "reset.h"

#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

/* Returns 0, or an errno if that is not visible. */
static int has_block(const struct telemetry *t, bool *has)
{
  char path[64], name[96], line[512];
  snprintf(path, sizeof path, "/proc/%" PRId64 "/maps", t->pid);
  snprintf(name, sizeof name, "%s%.63s\n", TELEMETRY_PREFIX, t->instance);
  FILE *f = fopen(path, "re");
  if (!f) return errno;
  *has = false;
  while (!*has && fgets(line, sizeof line, f)) *has = strstr(line, name) != NULL;
  fclose(f);
  return 0;
}

bool reset_send(const struct telemetry *t, char *text, size_t size)
{
  const long long pid = t->pid;
  bool has = false;
  int error = pid > 1 ? has_block(t, &has) : ESRCH;
  if (error == 0 && !has) {
    snprintf(text, size, "not reset: process %lld is not the ali3d that made these figures", pid);
    return false;
  }
  /* Send the signal; an error explains itself. */
  if (error == 0 && kill((pid_t)pid, SIGUSR1) != 0) error = errno;
  if (error == EACCES || error == EPERM)
    snprintf(text, size,
             "not reset: process %lld belongs to another user; become that user or root, or send the command "
             "clear",
             pid);
  else if (error)
    snprintf(text, size, "not reset: process %lld: %s", pid, strerror(error));
  else
    snprintf(text, size, "asked process %lld to clear maxima and distributions", pid);
  return error == 0;
}
