/* SPDX-License-Identifier: MIT */
#include "daemon/loop_thread.h"

#include "rt/clock.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

void loop_thread_note(struct loop_thread *t)
{
  t->tid = gettid();
  pthread_getcpuclockid(pthread_self(), &t->cpu_clock);
}

uint64_t loop_thread_ran_ns(const struct loop_thread *t)
{
  struct timespec ran;
  return clock_gettime(t->cpu_clock, &ran) == 0 ? clock_ns(ran) : 0;
}

/* Reads a file of /proc about the thread, one line. Returns false if it is hidden or gone. */
static bool read_proc_line(const struct loop_thread *t, const char *file, char *text, size_t size)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/%s", (int)t->tid, file);
  const int fd = open(path, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  const ssize_t n = read(fd, text, size - 1);
  close(fd);
  text[n > 0 ? n : 0] = '\0';
  text[strcspn(text, "\n")] = '\0';
  return n > 0;
}

static const char *state_text(char letter)
{
  /* The letters of proc_pid_stat(5). */
  switch (letter) {
  case 'R':
    return "runs";
  case 'S':
    return "sleeps";
  case 'D':
    return "waits for a device or a lock of the kernel";
  case 'T':
    return "was stopped by a signal";
  case 't':
    return "is held by a debugger";
  case 'Z':
  case 'X':
    return "has ended";
  default:
    return "is in an unknown state";
  }
}

void loop_thread_text(const struct loop_thread *t, char *text, size_t size)
{
  char stat[512], place[80] = "", call[160] = "", in[96] = "", number[48] = "";
  if (!read_proc_line(t, "stat", stat, sizeof stat)) {
    snprintf(text, size, "its thread %d is gone", (int)t->tid);
    return;
  }
  const char *name_end = strrchr(stat, ')');
  const char letter = name_end && name_end[1] == ' ' ? name_end[2] : '?';
  if (letter != 'R' && read_proc_line(t, "wchan", place, sizeof place) && strcmp(place, "0") != 0)
    snprintf(in, sizeof in, " in %s", place);
  /* the file says "running" for a thread in no call, and "-1" for one that is held outside of any call */
  if (read_proc_line(t, "syscall", call, sizeof call) && call[0] >= '0' && call[0] <= '9')
    snprintf(number, sizeof number, ", system call %.*s", (int)strspn(call, "0123456789"), call);
  snprintf(text, size, "its thread %d %s%s%s", (int)t->tid, state_text(letter), in, number);
}
