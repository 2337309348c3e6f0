/* SPDX-License-Identifier: MIT
 * Preloaded into ali3d: each turn of its supervising thread, which waits for signals, comes 0.3 s late, as on a busy host. Telling
 * events is a part of that turn. */
#include <dlfcn.h>
#include <signal.h>
#include <time.h>

int sigtimedwait(const sigset_t *set, siginfo_t *info, const struct timespec *timeout)
{
  static int (*real)(const sigset_t *, siginfo_t *, const struct timespec *);
  if (!real) *(void **)&real = dlsym(RTLD_NEXT, "sigtimedwait");
  if (timeout->tv_nsec > 0) nanosleep(&(struct timespec){.tv_nsec = 300000000}, NULL);
  return real(set, info, timeout);
}
