/* SPDX-License-Identifier: MIT
 * One thread: promoted to real time, or started as an ordinary one. Set-up only; the result is read back. */
#include "rt/realtime.h"
#include "rt/realtime_parts.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>
#ifdef __SSE2__
#include <xmmintrin.h>
#endif

enum {
  STACK_PAGE = 4096,
  STACK_PREFAULT = 256 << 10, /* bytes touched below the caller, if the stack reaches that far */
  STACK_RESERVE = 32 << 10,   /* bytes left untouched above the guard page */
};

/* All signals except those that a thread raises by a fault, which crash handlers and sanitizers need. */
static sigset_t blocked_signals(void)
{
  static const int fault[] = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT};
  sigset_t set;
  sigfillset(&set);
  for (size_t i = 0; i < sizeof fault / sizeof *fault; i++) sigdelset(&set, fault[i]);
  return set;
}

/* Recursive, because a thread may write below its stack pointer only by moving it. */
static __attribute__((noinline)) void touch_stack(uintptr_t down_to)
{
  volatile char page[STACK_PAGE];
  page[0] = 0;
  if ((uintptr_t)__builtin_frame_address(0) > down_to) touch_stack(down_to);
  (void)page[0]; /* a use after the call, so that the compiler cannot make the call a jump */
}

static void prefault_stack(void)
{
  pthread_attr_t attr;
  void *low = NULL;
  size_t size = 0;
  if (pthread_getattr_np(pthread_self(), &attr) != 0) return;
  pthread_attr_getstack(&attr, &low, &size);
  pthread_attr_destroy(&attr);
  if (!low) return;
  const uintptr_t lowest = (uintptr_t)low + STACK_RESERVE;
  const uintptr_t wanted = (uintptr_t)__builtin_frame_address(0) - STACK_PREFAULT;
  touch_stack(wanted > lowest ? wanted : lowest);
}

void realtime_flush_denormals(void)
{
#if defined(__SSE2__)
  _mm_setcsr(_mm_getcsr() | 0x8040); /* flush to zero, denormals are zero */
#elif defined(__aarch64__)
  uint64_t fpcr;
  __asm__ volatile("mrs %0, fpcr" : "=r"(fpcr));
  __asm__ volatile("msr fpcr, %0" ::"r"(fpcr | UINT64_C(1) << 24));
#endif
}

/* The only CPU on which the calling thread may run; -1: several. */
static int only_cpu(void)
{
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) != 0 || CPU_COUNT(&set) != 1) return -1;
  int cpu = 0;
  while (!CPU_ISSET(cpu, &set)) cpu++;
  return cpu;
}

static bool pin_thread(int cpu, struct realtime_grant *grant)
{
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(cpu, &set);
  if (sched_setaffinity(0, sizeof set, &set) == 0 && only_cpu() == cpu) return true;
  realtime_note(grant, "CPU %d: %s: choose one that exists and that the process may use (taskset -p %d)", cpu,
                strerror(errno), (int)getpid());
  return false;
}

static bool make_fifo(int priority, struct realtime_grant *grant)
{
  /* Threads and processes that this one starts must not inherit real time. */
  const struct sched_param param = {.sched_priority = priority};
  if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &param) == 0) return true;
  if (errno == EPERM)
    realtime_note(
        grant,
        "SCHED_FIFO %d: %s: run as root, or set `rtprio 95` in /etc/security/limits.d or LimitRTPRIO=95",
        priority, strerror(errno));
  else
    realtime_note(grant, "SCHED_FIFO %d: %s: priorities are 1 to 99", priority, strerror(errno));
  return false;
}

void realtime_promote_self(int priority, int cpu, bool want_locked, struct realtime_grant *grant)
{
  /* Prepare the thread: signals, denormals, stack. */
  const sigset_t set = blocked_signals();
  pthread_sigmask(SIG_SETMASK, &set, NULL);
  realtime_flush_denormals();
  prefault_stack();

  /* Ask for the processor and the priority. */
  const bool pinned = cpu < 0 || pin_thread(cpu, grant);
  const bool asked = priority != 0 && make_fifo(priority, grant);

  /* Read back the grant. */
  struct sched_param param = {0};
  grant->policy = sched_getscheduler(0) & ~SCHED_RESET_ON_FORK;
  sched_getparam(0, &param);
  grant->priority = param.sched_priority;
  grant->cpu = only_cpu();
  /* Judge the grant. */
  const bool fifo = grant->policy == SCHED_FIFO && grant->priority == priority;
  if (asked && !fifo)
    realtime_note(grant, "SCHED_FIFO %d was accepted, yet another policy reads back", priority);
  if (want_locked && !grant->locked && !grant->reason[0]) realtime_note(grant, "memory is not locked");
  grant->realtime = fifo && pinned && (grant->locked || !want_locked);
}

int thread_start_ordinary(pthread_t *thread, const char *name, size_t stack_kb, void *(*run)(void *),
                          void *arg)
{
  /* Ask for an ordinary thread with its stack. */
  const size_t least = (size_t)PTHREAD_STACK_MIN;
  const size_t stack = stack_kb * 1024 > least ? stack_kb * 1024 : least;
  const struct sched_param ordinary = {0};
  pthread_attr_t attr;
  int status = pthread_attr_init(&attr);
  if (status) return status;
  pthread_attr_setinheritsched(&attr, PTHREAD_EXPLICIT_SCHED);
  pthread_attr_setschedpolicy(&attr, SCHED_OTHER);
  pthread_attr_setschedparam(&attr, &ordinary);
  status = pthread_attr_setstacksize(&attr, stack);

  if (!status) {
    /* A thread inherits the mask of its creator, so it can never take a signal. */
    const sigset_t set = blocked_signals();
    sigset_t before;
    pthread_sigmask(SIG_SETMASK, &set, &before);
    status = pthread_create(thread, &attr, run, arg);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
  }
  pthread_attr_destroy(&attr);
  if (!status) {
    /* The kernel keeps fifteen characters of a name. */
    char short_name[16];
    snprintf(short_name, sizeof short_name, "%.15s", name);
    pthread_setname_np(*thread, short_name);
  }
  return status;
}

void thread_favour_self(void)
{
  enum { NICE = -10 };
  (void)setpriority(PRIO_PROCESS, (id_t)gettid(), NICE); /* on Linux this acts on the thread */
}
