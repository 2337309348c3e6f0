/* SPDX-License-Identifier: MIT
 * The whole process: memory locked and never returned, processors kept awake. Set-up only. Threads are in
 * realtime_thread.c. */
#include "rt/realtime.h"
#include "rt/realtime_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

enum {
  HEAP_PREFAULT = 4 << 20, /* bytes that set-up may still allocate without a page fault later */
  /* With less room than this, locking future memory would make later allocations fail. */
  LOCK_HEADROOM_KB = 256 << 10,
  CAP_IPC_LOCK_BIT = 14,
};

void realtime_note(struct realtime_grant *grant, const char *format, ...)
{
  size_t used = strlen(grant->reason);
  const size_t size = sizeof grant->reason;
  if (used) used += (size_t)snprintf(grant->reason + used, size - used, "; ");
  if (used >= size) return;
  va_list list;
  va_start(list, format);
  const int n = vsnprintf(grant->reason + used, size - used, format, list);
  va_end(list);
  if (n >= 0 && (size_t)n >= size - used) memcpy(grant->reason + size - 4, "...", 4);
}

bool realtime_hold_latency(int latency_us, char *reason, size_t size)
{
  static const char path[] = "/dev/cpu_dma_latency";
  const int32_t value = latency_us;
  const int fd = open(path, O_RDWR | O_CLOEXEC);
  if (fd >= 0 && write(fd, &value, sizeof value) == (ssize_t)sizeof value)
    return true; /* in force while the file is open */
  snprintf(reason, size,
           "%s: %s: run as root, or give the user the device: KERNEL==\"cpu_dma_latency\", MODE=\"0660\", "
           "GROUP=\"...\" in /etc/udev/rules.d",
           path, strerror(errno));
  if (fd >= 0) close(fd);
  return false;
}

/* The number after "KEY:" in /proc/self/status; 0 if it is missing. */
static uint64_t proc_status(const char *key, int base)
{
  FILE *f = fopen("/proc/self/status", "re");
  if (!f) return 0;
  char line[256];
  uint64_t value = 0;
  const size_t n = strlen(key);
  while (fgets(line, sizeof line, f)) {
    if (strncmp(line, key, n) != 0 || line[n] != ':') continue;
    value = strtoull(line + n + 1, NULL, base);
    break;
  }
  fclose(f);
  return value;
}

/* Raises the soft limit on locked memory as far as the host allows and returns it, kB; UINT64_MAX: no limit. */
static uint64_t raise_memlock_kb(void)
{
  struct rlimit limit = {RLIM_INFINITY, RLIM_INFINITY};
  if (setrlimit(RLIMIT_MEMLOCK, &limit) != 0 && getrlimit(RLIMIT_MEMLOCK, &limit) == 0) {
    limit.rlim_cur = limit.rlim_max;
    setrlimit(RLIMIT_MEMLOCK, &limit);
  }
  if (getrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 0;
  if (limit.rlim_cur == RLIM_INFINITY || (proc_status("CapEff", 16) >> CAP_IPC_LOCK_BIT & 1))
    return UINT64_MAX;
  return (uint64_t)limit.rlim_cur / 1024;
}

#define MEMLOCK_REMEDY                                                                                       \
  "run as root, or set `memlock unlimited` in /etc/security/limits.d or LimitMEMLOCK=infinity"

void realtime_one_heap(void)
{
  mallopt(M_ARENA_MAX, 1);
}

void realtime_lock_memory(struct realtime_grant *grant)
{
  grant->locked = false;

  /* Freed memory stays with the process, and large blocks come from the heap, so that both stay locked and present. One
   * arena: each further one would take 64 MiB of address space for a thread that hardly allocates. */
  if (!mallopt(M_TRIM_THRESHOLD, -1) || !mallopt(M_MMAP_MAX, 0) || !mallopt(M_ARENA_MAX, 1))
    realtime_note(grant, "mallopt refused");

  const uint64_t limit_kb = raise_memlock_kb();
  const uint64_t need_kb = proc_status("VmSize", 10) + LOCK_HEADROOM_KB;
  if (limit_kb < need_kb) {
    realtime_note(grant, "locked memory limited to %" PRIu64 " MB, %" PRIu64 " MB needed: " MEMLOCK_REMEDY,
                  limit_kb >> 10, need_kb >> 10);
  } else if (mlockall(MCL_CURRENT | MCL_FUTURE) != 0) {
    realtime_note(grant, "mlockall: %s: " MEMLOCK_REMEDY, strerror(errno));
  } else {
    grant->locked = true;
  }

  volatile char *heap = malloc(HEAP_PREFAULT);
  if (heap) {
    const long page = sysconf(_SC_PAGESIZE);
    for (long i = 0; i < HEAP_PREFAULT; i += page) heap[i] = 0;
    free((void *)heap);
  }

  grant->locked_kb = (long)proc_status("VmLck", 10);
  if (grant->locked && grant->locked_kb == 0) {
    grant->locked = false;
    realtime_note(grant, "mlockall was accepted, yet VmLck reads 0: this host does not lock memory");
  }
}
