/* SPDX-License-Identifier: MIT
 * Preloaded into a program: its wall clock, and no other clock, is shifted by a value in the file ALI3_WALLCLOCK. Another value
 * there is the time for which the machine seems to have been suspended: CLOCK_BOOTTIME and the wall clock are ahead by it. */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

struct shared { /* the file */
  _Atomic int64_t offset_s;
  _Atomic int64_t loaded; /* number of programs that have loaded it */
  _Atomic int64_t asked;  /* number of readings of the wall clock */
  _Atomic int64_t asleep_s;
};

static struct shared alone;
static struct shared *shared = &alone;
static int (*get)(clockid_t clock, struct timespec *t);

static __attribute__((constructor)) void open_file(void)
{
  *(void **)&get = dlsym(RTLD_NEXT, "clock_gettime");
  const char *path = getenv("ALI3_WALLCLOCK");
  const int fd = path ? open(path, O_RDWR | O_CLOEXEC) : -1;
  if (fd < 0) return;
  void *p = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
  close(fd);
  if (p == MAP_FAILED) return;
  shared = p;
  atomic_fetch_add(&shared->loaded, 1);
}

int clock_gettime(clockid_t clock, struct timespec *t)
{
  const int status = get ? get(clock, t) : (int)syscall(SYS_clock_gettime, clock, t);
  const int is_wall = clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE ||
                      clock == CLOCK_REALTIME_ALARM || clock == CLOCK_TAI;
  if (is_wall && status == 0) {
    atomic_fetch_add(&shared->asked, 1);
    t->tv_sec += (time_t)atomic_load(&shared->offset_s);
  }
  if ((is_wall || clock == CLOCK_BOOTTIME) && status == 0)
    t->tv_sec += (time_t)atomic_load(&shared->asleep_s);
  return status;
}

int gettimeofday(struct timeval *restrict t, void *restrict zone)
{
  (void)zone;
  struct timespec now;
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  if (status == 0) *t = (struct timeval){.tv_sec = now.tv_sec, .tv_usec = now.tv_nsec / 1000};
  return status;
}

time_t time(time_t *t)
{
  struct timespec now;
  if (clock_gettime(CLOCK_REALTIME, &now) != 0) return -1;
  if (t) *t = now.tv_sec;
  return now.tv_sec;
}
