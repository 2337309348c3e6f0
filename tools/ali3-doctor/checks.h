/* SPDX-License-Identifier: MIT
 * What can be read about a host without measuring. Each check adds one finding, whatever it could read. */
#ifndef ALI3_DOCTOR_CHECKS_H
#define ALI3_DOCTOR_CHECKS_H

#include "findings.h"
#include "host.h"

/* All of them but that of the interrupts, which looks twice: see interrupts.h. In the order of the report. */
void checks_run(const struct host *h, struct findings *all);

/* What the process may: checks_rights.c */
void check_rtprio(const struct host *h, struct findings *all);
void check_memlock(const struct host *h, struct findings *all);
void check_cgroup(const struct host *h, struct findings *all);

/* The kernel: checks_kernel.c */
void check_preempt(const struct host *h, struct findings *all);
void check_throttling(const struct host *h, struct findings *all);
void check_clocksource(const struct host *h, struct findings *all);
void check_watchdog(const struct host *h, struct findings *all);
void check_hwlat(const struct host *h, struct findings *all);

/* What is below and around: checks_place.c */
void check_virtual(const struct host *h, struct findings *all);
void check_container(const struct host *h, struct findings *all);
void check_thp(const struct host *h, struct findings *all);
void check_swap(const struct host *h, struct findings *all);

/* Processors: who shares them, checks_cpu.c; how they are clocked and put to sleep, checks_power.c */
void check_cpus(const struct host *h, struct findings *all);
void check_isolated(const struct host *h, struct findings *all);
void check_smt(const struct host *h, struct findings *all);
void check_irqbalance(const struct host *h, struct findings *all);
void check_governor(const struct host *h, struct findings *all);
void check_turbo(const struct host *h, struct findings *all);
void check_idle(const struct host *h, struct findings *all);

/* The way to rights, of several findings. */
#define FIX_RTPRIO                                                                                           \
  "`@realtime - rtprio 95` in /etc/security/limits.d/95-ali3.conf and `groupadd -f realtime; usermod -aG "   \
  "realtime USER`, then log in again; a unit: LimitRTPRIO=95; a container: --cap-add=SYS_NICE"
#define FIX_MEMLOCK                                                                                          \
  "`@realtime - memlock unlimited` in /etc/security/limits.d/95-ali3.conf and `groupadd -f realtime; "       \
  "usermod -aG realtime USER`, then log in again; a unit: LimitMEMLOCK=infinity; a container: --ulimit "     \
  "memlock=-1"

/* The quota of real time of the process's own group: the file, below the root, and what it says, in us. False
 * where groups have none. */
bool cgroup_rt_runtime(const struct host *h, char *path, size_t size, long long *us);

#endif
