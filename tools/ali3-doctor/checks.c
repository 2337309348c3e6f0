/* SPDX-License-Identifier: MIT */
#include "checks.h"

void checks_run(const struct host *h, struct findings *all)
{
  static void (*const check[])(const struct host *, struct findings *) = {
      check_rtprio,     check_memlock,   check_cgroup,   check_preempt,  check_throttling,
      check_virtual,    check_container, check_cpus,     check_isolated, check_smt,
      check_irqbalance, check_governor,  check_turbo,    check_idle,     check_clocksource,
      check_thp,        check_swap,      check_watchdog, check_hwlat,
  };
  for (size_t i = 0; i < sizeof check / sizeof *check; i++) check[i](h, all);
}
