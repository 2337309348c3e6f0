/* SPDX-License-Identifier: MIT
 * Clocks and idle states of the processors. */
#include "checks.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

enum {
  STATES_MAX = 16,    /* idle states of a processor */
  IDLE_LIMIT_US = 50, /* limit for leaving an idle state: the order of a wake-up */
  NO_REQUEST = INT32_MAX,
};

void check_governor(const struct host *h, struct findings *all)
{
  static const char
      id[] = "governor",
      why[] = "the governor lowers the clock of a loop that mostly sleeps, which is then slow when it wakes";
  const cpu_set_t *cpus = host_cpus(h);
  int seen = 0, other = 0, first = -1;
  char name[64], found[64] = "";
  /* Look for a CPU whose governor saves power. */
  for (int cpu = cpus_first(cpus); cpu >= 0 && cpu <= cpus_last(cpus); cpu++) {
    if (!CPU_ISSET(cpu, cpus) ||
        host_read(h, name, sizeof name, "/sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor", cpu) <= 0)
      continue;
    seen++;
    if (strcmp(name, "performance") == 0) continue;
    if (!other++) {
      first = cpu;
      snprintf(found, sizeof found, "%s", name);
    }
  }
  /* Report the first one. */
  if (!seen)
    finding_add(all, id, why, FINDING_UNKNOWN,
                "no scaling_governor to read: firmware or a hypervisor sets the clock");
  else if (!other)
    finding_add(all, id, why, FINDING_OK, "performance on %d CPU%s", seen, seen == 1 ? "" : "s");
  else
    finding_fix(finding_add(all, id, why, FINDING_WARN, "%s on CPU %d%s", found, first,
                            other > 1 ? " and others" : ""),
                "`cpupower frequency-set -g performance` (Debian: linux-cpupower), or `for f in "
                "/sys/devices/system/cpu/cpu*/cpufreq/scaling_governor; do echo performance > $f; done`");
}

void check_turbo(const struct host *h, struct findings *all)
{
  static const char id[] = "turbo",
                    why[] = "the clock, and with it the time of a step, then depends on heat and load";
  long long off, on;
  /* Intel's driver has its own switch. */
  if (host_number(h, &off, "/sys/devices/system/cpu/intel_pstate/no_turbo")) {
    if (off)
      finding_add(all, id, why, FINDING_OK, "off");
    else
      finding_fix(finding_add(all, id, why, FINDING_INFO, "on"),
                  "`echo 1 > /sys/devices/system/cpu/intel_pstate/no_turbo`");
    /* Other drivers share one switch. */
  } else if (host_number(h, &on, "/sys/devices/system/cpu/cpufreq/boost")) {
    if (!on)
      finding_add(all, id, why, FINDING_OK, "off");
    else
      finding_fix(finding_add(all, id, why, FINDING_INFO, "on"),
                  "`echo 0 > /sys/devices/system/cpu/cpufreq/boost`");
  } else {
    finding_add(all, id, why, FINDING_UNKNOWN, "neither intel_pstate/no_turbo nor cpufreq/boost is readable");
  }
}

/* The limit that programs hold by /dev/cpu_dma_latency, us. */
static int32_t latency_request(const struct host *h)
{
  int32_t us = NO_REQUEST;
  FILE *f = host_open(h, "/dev/cpu_dma_latency");
  if (f) {
    if (fread(&us, sizeof us, 1, f) != 1) us = NO_REQUEST;
    fclose(f);
  }
  return us;
}

struct idle {
  bool readable;
  int cpu;
  long long us; /* the longest exit latency of the allowed states */
  char name[32];
};

static void look_at_states(const struct host *h, int cpu, int32_t request, struct idle *worst)
{
  for (int i = 0; i < STATES_MAX; i++) {
    long long us, disabled = 0;
    if (!host_number(h, &us, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/latency", cpu, i)) break;
    worst->readable = true;
    host_number(h, &disabled, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/disable", cpu, i);
    if (disabled || us > request || us <= worst->us) continue;
    worst->cpu = cpu;
    worst->us = us;
    if (host_read(h, worst->name, sizeof worst->name, "/sys/devices/system/cpu/cpu%d/cpuidle/state%d/name",
                  cpu, i) <= 0)
      snprintf(worst->name, sizeof worst->name, "state%d", i);
  }
}

void check_idle(const struct host *h, struct findings *all)
{
  static const char id[] = "idle", why[] = "a sleeping CPU needs this time before the loop runs";
  static const char device[] = "/dev/cpu_dma_latency";
  /* Find the deepest state that a CPU of the loop may enter. */
  const cpu_set_t *cpus = host_cpus(h);
  const int32_t request = latency_request(h);
  struct idle worst = {.us = 0};
  for (int cpu = cpus_first(cpus); cpu >= 0 && cpu <= cpus_last(cpus); cpu++)
    if (CPU_ISSET(cpu, cpus)) look_at_states(h, cpu, request, &worst);
  /* Judge it. */
  const char *held = request <= IDLE_LIMIT_US ? ", held by a latency request" : "";
  if (!worst.readable) {
    finding_add(all, id, why, FINDING_UNKNOWN,
                "no idle states to read: firmware or a hypervisor puts CPUs to sleep%s", held);
  } else if (worst.us <= IDLE_LIMIT_US) {
    finding_add(all, id, why, FINDING_OK, "at most %lld us to wake a CPU%s", worst.us, held);
  } else {
    struct finding *f =
        finding_add(all, id, why, FINDING_WARN, "%lld us to leave %s on CPU %d; %s is %swritable", worst.us,
                    worst.name, worst.cpu, device, host_may_write(h, device) ? "" : "not ");
    finding_fix(
        f,
        "`cpupower idle-set -D %d` (Debian: linux-cpupower); or, as long as it stays open, `exec "
        "3>%s; printf '\\0\\0\\0\\0' >&3`; or `intel_idle.max_cstate=1 processor.max_cstate=1` on the kernel "
        "command line",
        IDLE_LIMIT_US, device);
  }
}
