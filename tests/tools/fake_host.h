/* SPDX-License-Identifier: MIT
 * A host made of files in a folder of its own, for ali3-doctor. Include after <cmocka.h>. */
#ifndef TESTS_TOOLS_FAKE_HOST_H
#define TESTS_TOOLS_FAKE_HOST_H

#include "ali3-doctor/host.h"

#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static char fake_root[64];

static inline void fake_path(const char *path, char out[PATH_MAX])
{
  assert_true(snprintf(out, PATH_MAX, "%s%s", fake_root, path) < PATH_MAX);
}

/* Makes a file, with its folders. */
static inline void fake_put(const char *path, const char *content)
{
  char full[PATH_MAX];
  fake_path(path, full);
  for (char *slash = strchr(full + strlen(fake_root) + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
    *slash = '\0';
    assert_true(mkdir(full, 0755) == 0 || errno == EEXIST);
    *slash = '/';
  }
  FILE *f = fopen(full, "w");
  assert_non_null(f);
  assert_true(fputs(content, f) >= 0);
  assert_int_equal(fclose(f), 0);
}

static inline int fake_remove_entry(const char *path, const struct stat *s, int kind, struct FTW *where)
{
  (void)s;
  (void)kind;
  (void)where;
  return remove(path);
}

/* Removes a file, or a folder with its contents, if it exists. */
static inline void fake_remove(const char *path)
{
  char full[PATH_MAX];
  fake_path(path, full);
  nftw(full, fake_remove_entry, 16, FTW_DEPTH | FTW_PHYS);
}

/* Makes an empty host. */
static inline int fake_new(void **state)
{
  (void)state;
  snprintf(fake_root, sizeof fake_root, "/tmp/ali3-doctor-XXXXXX");
  return mkdtemp(fake_root) ? 0 : -1;
}

static inline int fake_end(void **state)
{
  (void)state;
  fake_remove("");
  return 0;
}

static inline struct host fake_look(int cpu)
{
  struct host h;
  host_look(&h, fake_root, 80, cpu);
  return h;
}

/* soft and hard */
static inline void fake_limits(const char *rtprio, const char *memlock)
{
  char text[512];
  snprintf(text, sizeof text,
           "Limit                     Soft Limit           Hard Limit           Units     \n"
           "Max cpu time              unlimited            unlimited            seconds   \n"
           "Max locked memory         %s            bytes     \n"
           "Max realtime priority     %s                   \n",
           memlock, rtprio);
  fake_put("/proc/self/limits", text);
}

/* A good bench PC: four CPUs, the last one reserved for the loop. */
static const char *const fake_good_files[][2] = {
    {"/proc/self/status", "Name:\tali3d\nCapEff:\t0000000000000000\nCpus_allowed:\tf\n"},
    {"/proc/self/limits", "Limit                     Soft Limit           Hard Limit           Units     \n"
                          "Max locked memory         unlimited            unlimited            bytes     \n"
                          "Max realtime priority     95                   95                             \n"},
    {"/proc/self/cgroup", "0::/\n"},
    {"/proc/sys/kernel/osrelease", "6.1.0-18-rt-amd64\n"},
    {"/proc/sys/kernel/version", "#1 SMP PREEMPT_RT Debian 6.1.76-1 (2024-02-01)\n"},
    {"/proc/sys/kernel/sched_rt_runtime_us", "-1\n"},
    {"/proc/sys/kernel/sched_rt_period_us", "1000000\n"},
    {"/proc/sys/kernel/nmi_watchdog", "0\n"},
    {"/proc/cpuinfo", "processor\t: 0\nflags\t\t: fpu tsc constant_tsc nonstop_tsc sse2\n"},
    {"/proc/swaps", "Filename\tType\tSize\tUsed\tPriority\n"},
    {"/proc/1/comm", "systemd\n"},
    {"/proc/interrupts", "           CPU0       CPU1       CPU2       CPU3       \n"
                         "  8:          5          0          0          0  IO-APIC   8-edge      rtc0\n"
                         " 31:        100          0          0          7  PCI-MSI 1-edge      eth0-rx-0\n"
                         "LOC:     999999     999999     999999     999999  Local timer interrupts\n"
                         "ERR:          0\n"},
    {"/proc/irq/8/smp_affinity_list", "0-2\n"},
    {"/proc/irq/31/smp_affinity_list", "0-3\n"},
    {"/proc/irq/31/effective_affinity_list", "1\n"},
    {"/sys/devices/system/cpu/online", "0-3\n"},
    {"/sys/devices/system/cpu/isolated", "3\n"},
    {"/sys/devices/system/cpu/nohz_full", "3\n"},
    {"/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "3\n"},
    {"/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "performance\n"},
    {"/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n"},
    {"/sys/devices/system/cpu/intel_pstate/no_turbo", "1\n"},
    {"/sys/devices/system/cpu/cpu3/cpuidle/state0/latency", "0\n"},
    {"/sys/devices/system/cpu/cpu3/cpuidle/state1/latency", "2\n"},
    {"/sys/devices/system/cpu/cpu3/cpuidle/state2/latency", "133\n"},
    {"/sys/devices/system/cpu/cpu3/cpuidle/state2/disable", "1\n"},
    {"/sys/devices/system/cpu/cpu3/cpuidle/state2/name", "C6\n"},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "tsc\n"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n"},
    {"/sys/kernel/tracing/available_tracers", "function nop\n"},
};

/* Restores one file of it, or all (NULL). */
static inline void fake_good(const char *path)
{
  if (path) fake_remove(path);
  for (size_t i = 0; i < sizeof fake_good_files / sizeof *fake_good_files; i++)
    if (!path || strcmp(path, fake_good_files[i][0]) == 0)
      fake_put(fake_good_files[i][0], fake_good_files[i][1]);
}

#endif
