/* SPDX-License-Identifier: MIT
 * Runs a piece of a test in a child process that has lost the right to real time. */
#ifndef TESTS_RT_UNPRIVILEGED_H
#define TESTS_RT_UNPRIVILEGED_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

/* Gives up SCHED_FIFO and locked memory for good. True if the system allowed it. */
static inline bool give_up_realtime(void)
{
  const struct rlimit none = {0, 0}, little = {64 << 10, 64 << 10};
  if (setrlimit(RLIMIT_RTPRIO, &none) != 0 || setrlimit(RLIMIT_MEMLOCK, &little) != 0) return false;
  return geteuid() != 0 || (setgid(65534) == 0 && setuid(65534) == 0);
}

/* The value of check() in a child process; -1 if the child died. */
static inline int in_child(int (*check)(void))
{
  const pid_t pid = fork();
  if (pid == 0) _exit(check());
  int status;
  if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status)) return -1;
  return WEXITSTATUS(status);
}

#endif
