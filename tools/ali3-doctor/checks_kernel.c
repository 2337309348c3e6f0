/* SPDX-License-Identifier: MIT */
#include "checks.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void check_preempt(const struct host *h, struct findings *all)
{
  static const char id[] = "preempt",
                    why[] = "a kernel without PREEMPT_RT may delay the loop by milliseconds";
  static const char fix[] =
      "install a kernel with PREEMPT_RT: `apt-get install linux-image-rt-amd64` (or -arm64) and reboot; "
      "without it `preempt=full` on the kernel command line is next best";
  /* A kernel with PREEMPT_RT is good. */
  long long realtime = 0;
  char modes[128] = "", *mode;
  host_number(h, &realtime, "/sys/kernel/realtime");
  if (realtime == 1 || has_word(h->version, "PREEMPT_RT")) {
    finding_add(all, id, why, FINDING_OK, "PREEMPT_RT");
    return;
  }
  if (!h->version[0]) {
    finding_fix(finding_add(all, id, why, FINDING_UNKNOWN, "/proc/sys/kernel/version is not readable"), "%s",
                fix);
    return;
  }
  /* The text is like "none voluntary (full) lazy". */
  host_read(h, modes, sizeof modes, "/sys/kernel/debug/sched/preempt");
  mode = strchr(modes, '(');
  const int length = mode ? (int)strcspn(mode + 1, ")") : 0;
  /* Report the present mode. */
  struct finding *f;
  if (length)
    f = finding_add(all, id, why, FINDING_WARN, "%.*s, no PREEMPT_RT", length, mode + 1);
  else if (has_word(h->version, "PREEMPT_DYNAMIC"))
    f = finding_add(all, id, why, FINDING_WARN,
                    "PREEMPT_DYNAMIC in a mode that is not readable, no PREEMPT_RT");
  else if (has_word(h->version, "PREEMPT"))
    f = finding_add(all, id, why, FINDING_WARN, "full, no PREEMPT_RT");
  else
    f = finding_add(all, id, why, FINDING_WARN, "none or voluntary, no PREEMPT_RT");
  finding_fix(f, "%s", fix);
}

/* True if a release like "6.12.1-amd64" is at least this one. */
static bool at_least(const char *release, long major, long minor)
{
  char *end;
  const long a = strtol(release, &end, 10);
  const long b = *end == '.' ? strtol(end + 1, NULL, 10) : 0;
  return a > major || (a == major && b >= minor);
}

/* Since Linux 6.12, without group quotas, a server of the fair class replaces the throttle. */
static void judge_fair_server(const struct host *h, struct findings *all, const char *id)
{
  static const char why[] =
      "a loop that uses nearly all of its CPU must yield to ordinary threads; no other loop is affected";
  static const char file[] = "/sys/kernel/debug/sched/fair_server/cpu0/runtime";
  long long ns;
  if (!host_number(h, &ns, file))
    finding_add(
        all, id, why, FINDING_INFO,
        "no throttle, Linux 6.12 or newer; the fair server's share is not readable (50 ms of a second if "
        "untouched)");
  else if (ns == 0)
    finding_add(all, id, why, FINDING_OK, "no throttle, no fair server");
  else
    finding_add(all, id, why, FINDING_INFO, "no throttle; fair server %.0f ms of a period",
                (double)ns * 1e-6);
}

void check_throttling(const struct host *h, struct findings *all)
{
  static const char id[] = "throttling",
                    why[] =
                        "real-time threads that use up their share are stopped for the rest of the period";
  /* Read the share that the throttle leaves to real-time threads. */
  char path[1200];
  long long runtime, period, group;
  if (!host_number(h, &runtime, "/proc/sys/kernel/sched_rt_runtime_us") ||
      !host_number(h, &period, "/proc/sys/kernel/sched_rt_period_us") || period <= 0) {
    finding_add(all, id, why, FINDING_UNKNOWN, "/proc/sys/kernel/sched_rt_runtime_us is not readable");
    return;
  }
  if (runtime < 0 || runtime >= period) {
    finding_add(all, id, why, FINDING_OK, "off");
    return;
  }
  /* Newer kernels have the fair server instead. */
  if (at_least(h->release, 6, 12) && !cgroup_rt_runtime(h, path, sizeof path, &group)) {
    judge_fair_server(h, all, id);
    return;
  }
  finding_fix(
      finding_add(all, id, why, runtime == 0 ? FINDING_BAD : FINDING_WARN,
                  "real-time threads get %.3g %% of every %.3g s", 100.0 * (double)runtime / (double)period,
                  (double)period * 1e-6),
      "`echo -1 > /proc/sys/kernel/sched_rt_runtime_us`; to keep it, `kernel.sched_rt_runtime_us = -1` in "
      "/etc/sysctl.d/95-ali3.conf. A thread that runs away then keeps its CPU: leave one to the system");
}

void check_clocksource(const struct host *h, struct findings *all)
{
  static const char id[] = "clocksource", why[] = "slow clocks are read by system calls, unsteady ones jump";
  static const char *const slow[] = {"hpet", "acpi_pm", "jiffies", "refined-jiffies", "pit"};
  /* Read the name of the clock source. */
  char name[64], flags[8192] = "";
  if (host_read(h, name, sizeof name, "/sys/devices/system/clocksource/clocksource0/current_clocksource") <=
      0) {
    finding_add(all, id, why, FINDING_UNKNOWN, "current_clocksource is not readable");
    return;
  }
  /* Warn of a slow one. */
  for (size_t i = 0; i < sizeof slow / sizeof *slow; i++) {
    if (strcmp(name, slow[i]) != 0) continue;
    finding_fix(
        finding_add(all, id, why, FINDING_WARN, "%s", name),
        "find out why the kernel gave up the TSC: `dmesg | grep -i -e tsc -e clocksource`; after a firmware "
        "update, or if the TSC is known to be sound, `tsc=reliable` on the kernel command line");
    return;
  }
  if (strcmp(name, "tsc") != 0) {
    finding_add(all, id, why, FINDING_OK, "%s", name);
    return;
  }
  /* Judge the TSC by the flags of the CPU. */
  host_field(h, "/proc/cpuinfo", "flags", flags, sizeof flags);
  const bool constant = has_word(flags, "constant_tsc"), nonstop = has_word(flags, "nonstop_tsc");
  if (!flags[0])
    finding_add(all, id, why, FINDING_OK, "tsc; the flags of the CPU are not readable");
  else if (constant && nonstop)
    finding_add(all, id, why, FINDING_OK, "tsc, constant and nonstop");
  else
    finding_fix(
        finding_add(all, id, why, FINDING_WARN, "tsc, not %s%s%s", constant ? "" : "constant",
                    constant || nonstop ? "" : ", not ", nonstop ? "" : "nonstop"),
        "`processor.max_cstate=1` on the kernel command line keeps it running; a newer CPU is better");
}

void check_watchdog(const struct host *h, struct findings *all)
{
  static const char id[] = "watchdog",
                    why[] = "it interrupts every CPU from time to time, for some microseconds";
  long long on;
  if (!host_number(h, &on, "/proc/sys/kernel/nmi_watchdog"))
    finding_add(all, id, why, FINDING_UNKNOWN, "/proc/sys/kernel/nmi_watchdog is not readable");
  else if (on)
    finding_fix(finding_add(all, id, why, FINDING_INFO, "the NMI watchdog is on"),
                "`sysctl -w kernel.nmi_watchdog=0`, or `nmi_watchdog=0` on the kernel command line");
  else
    finding_add(all, id, why, FINDING_OK, "the NMI watchdog is off");
}

void check_hwlat(const struct host *h, struct findings *all)
{
  static const char id[] = "hwlat", why[] = "only this tracer sees firmware that stops all CPUs (SMI)";
  char tracers[512];
  int status = host_read(h, tracers, sizeof tracers, "/sys/kernel/tracing/available_tracers");
  if (status < 0)
    status = host_read(h, tracers, sizeof tracers, "/sys/kernel/debug/tracing/available_tracers");
  if (status < 0)
    finding_fix(finding_add(all, id, why, FINDING_UNKNOWN, "available_tracers is not readable: %s",
                            strerror(-status)),
                "as root: `mount -t tracefs tracefs /sys/kernel/tracing`, then ali3-doctor --hwlat");
  else if (has_word(tracers, "hwlat"))
    finding_add(all, id, why, FINDING_INFO, "the kernel has the tracer; --hwlat runs it");
  else
    finding_add(all, id, why, FINDING_INFO, "this kernel lacks the tracer (CONFIG_HWLAT_TRACER)");
}
