/* SPDX-License-Identifier: MIT
 * Checks of a host that need no measurement. Each check adds one finding, also if it could read nothing. */
#ifndef ALI3_DOCTOR_CHECKS_H
#define ALI3_DOCTOR_CHECKS_H

#include "findings.h"
#include "host.h"

/* Runs all checks in the order of the report, except check_interrupts(), which reads twice: see interrupts.h. */
void checks_run(const struct host *h, struct findings *all);

/* Rights of the process: checks_rights.c */
void check_rtprio(const struct host *h, struct findings *all);
void check_memlock(const struct host *h, struct findings *all);
void check_cgroup(const struct host *h, struct findings *all);

/* The kernel: checks_kernel.c */
void check_preempt(const struct host *h, struct findings *all);
void check_throttling(const struct host *h, struct findings *all);
void check_clocksource(const struct host *h, struct findings *all);
void check_watchdog(const struct host *h, struct findings *all);
void check_hwlat(const struct host *h, struct findings *all);

/* Hypervisor, container, memory: checks_place.c */
void check_virtual(const struct host *h, struct findings *all);
void check_container(const struct host *h, struct findings *all);
void check_thp(const struct host *h, struct findings *all);
void check_swap(const struct host *h, struct findings *all);

/* Processors: checks_cpu.c for their other users, checks_power.c for clocks and idle states */
void check_cpus(const struct host *h, struct findings *all);
void check_isolated(const struct host *h, struct findings *all);
void check_smt(const struct host *h, struct findings *all);
void check_irqbalance(const struct host *h, struct findings *all);
void check_governor(const struct host *h, struct findings *all);
void check_turbo(const struct host *h, struct findings *all);
void check_idle(const struct host *h, struct findings *all);

/* Remedies that several findings share. */
#define FIX_RTPRIO                                                                                           \
  "`@realtime - rtprio 95` in /etc/security/limits.d/95-ali3.conf and `groupadd -f realtime; usermod -aG "   \
  "realtime USER`, then log in again; a unit: LimitRTPRIO=95; a container: --cap-add=SYS_NICE"
#define FIX_MEMLOCK                                                                                          \
  "`@realtime - memlock unlimited` in /etc/security/limits.d/95-ali3.conf and `groupadd -f realtime; "       \
  "usermod -aG realtime USER`, then log in again; a unit: LimitMEMLOCK=infinity; a container: --ulimit "     \
  "memlock=-1"

/* The real-time quota of the process's control group: its file (without the root of `h`) and its value in us. Returns
 * false if groups have no quota. */
bool cgroup_rt_runtime(const struct host *h, char *path, size_t size, long long *us);

#endif
