/* SPDX-License-Identifier: MIT
 * Other users of the loop's processors. */
#include "checks.h"

#include <ctype.h>
#include <dirent.h>
#include <limits.h>
#include <string.h>

enum { LIST = 96 }; /* text of a set of processors; a longer one is cut between two processors */

void check_cpus(const struct host *h, struct findings *all)
{
  static const char id[] = "cpus",
                    why[] = "interfaces and system need one beside those of the loop and its workers";
  /* List the CPUs that are online. */
  char online[LIST];
  const int count = CPU_COUNT(&h->online);
  if (!count) {
    finding_add(all, id, why, FINDING_UNKNOWN, "/sys/devices/system/cpu/online is not readable");
    return;
  }
  cpus_text(&h->online, online, sizeof online);
  /* Check that the CPU of the loop is among them, with room for others. */
  if (h->cpu >= 0 && !CPU_ISSET(h->cpu, &h->online)) {
    finding_fix(finding_add(all, id, why, FINDING_BAD, "CPU %d is not online: %s are", h->cpu, online),
                "set --cpu, and realtime.cpu in the file of the model, to one of %s", online);
  } else if (count == 1) {
    finding_fix(finding_add(all, id, why, FINDING_WARN, "one: all other programs wait while the loop runs"),
                "use a machine with two CPUs or more");
  } else {
    const int isolated = CPU_COUNT(&h->isolated);
    const int workers = isolated ? isolated - 1 : count - 2;
    finding_add(all, id, why, FINDING_OK, "%d, room for realtime.workers up to %d", count, workers);
  }
}

static void judge_isolated(const struct host *h, struct findings *all, const char *id, const char *why)
{
  char set[LIST], nohz[1024] = "";
  cpu_set_t ticking, without;
  cpus_text(&h->isolated, set, sizeof set);
  host_read(h, nohz, sizeof nohz, "/sys/devices/system/cpu/nohz_full");
  if (!cpus_parse(nohz, &without)) CPU_ZERO(&without); /* "(null)" if there is none */
  ticking = cpus_except(&h->isolated, &without);
  if (h->cpu >= 0 && !CPU_ISSET(h->cpu, &h->isolated)) {
    finding_fix(finding_add(all, id, why, FINDING_INFO, "%s, but CPU %d is not one of them", set, h->cpu),
                "--cpu %d, and `realtime: {cpu: %d}` in the file of the model", cpus_first(&h->isolated),
                cpus_first(&h->isolated));
  } else if (CPU_COUNT(&ticking)) {
    finding_fix(finding_add(all, id, why, FINDING_INFO, "%s, with the scheduler's tick on them", set),
                "`nohz_full=%s rcu_nocbs=%s` on the kernel command line", set, set);
  } else if (h->cpu < 0) {
    finding_fix(
        finding_add(all, id, why, FINDING_INFO, "%s, without ticks; no option puts the loop there", set),
        "--cpu %d, and `realtime: {cpu: %d}` in the file of the model", cpus_first(&h->isolated),
        cpus_first(&h->isolated));
  } else {
    finding_add(all, id, why, FINDING_OK, "%s, without ticks", set);
  }
}

void check_isolated(const struct host *h, struct findings *all)
{
  static const char id[] = "isolated",
                    why[] =
                        "on a CPU of its own the loop competes with no other task, and its cache stays warm";
  if (CPU_COUNT(&h->isolated)) {
    judge_isolated(h, all, id, why);
    return;
  }
  char text[8];
  if (host_read(h, text, sizeof text, "/sys/devices/system/cpu/isolated") < 0) {
    finding_add(all, id, why, FINDING_UNKNOWN, "/sys/devices/system/cpu/isolated is not readable");
    return;
  }
  struct finding *f = finding_add(all, id, why, FINDING_INFO, "none");
  cpu_set_t rest = h->online, one;
  /* Not CPU 0, which keeps the time for the others. */
  const int cpu = h->cpu > 0 ? h->cpu : cpus_last(&h->online);
  CPU_ZERO(&one);
  if (cpu >= 0) CPU_SET(cpu, &one);
  rest = cpus_except(&rest, &one);
  char others[LIST];
  if (CPU_COUNT(&rest))
    finding_fix(
        f,
        "`isolcpus=managed_irq,domain,%d nohz_full=%d rcu_nocbs=%d irqaffinity=%s` on the kernel command "
        "line (GRUB_CMDLINE_LINUX in /etc/default/grub, then `update-grub` and reboot)",
        cpu, cpu, cpu, cpus_text(&rest, others, sizeof others));
}

void check_smt(const struct host *h, struct findings *all)
{
  static const char id[] = "smt", why[] = "the second thread of a core takes half of the core while it works";
  const cpu_set_t *cpus = host_cpus(h);
  const bool reserved = CPU_COUNT(&h->loop) > 0;
  bool readable = false;
  for (int cpu = cpus_first(cpus); cpu >= 0 && cpu <= cpus_last(cpus); cpu++) {
    /* Find siblings of this CPU that are online and not reserved for the loop. */
    char text[1024];
    cpu_set_t siblings, loose;
    if (!CPU_ISSET(cpu, cpus)) continue;
    if (host_read(h, text, sizeof text, "/sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu) <=
            0 ||
        !cpus_parse(text, &siblings))
      continue;
    readable = true;
    CPU_CLR(cpu, &siblings);
    CPU_AND(&siblings, &siblings, &h->online);
    loose = reserved ? cpus_except(&siblings, &h->loop) : siblings;
    if (!CPU_COUNT(&loose)) continue;
    /* One shared core is enough. */
    const int sibling = cpus_first(&loose);
    finding_fix(finding_add(all, id, why, reserved ? FINDING_WARN : FINDING_INFO,
                            "CPU %d shares its core with CPU %d", cpu, sibling),
                "`echo 0 > /sys/devices/system/cpu/cpu%d/online` for the sibling of the loop's CPU; for all, "
                "`echo off > "
                "/sys/devices/system/cpu/smt/control` or `nosmt` on the kernel command line",
                sibling);
    return;
  }
  /* Report that no sibling was found. */
  if (readable)
    finding_add(all, id, why, FINDING_OK,
                reserved ? "the loop has its cores to itself" : "one thread in a core");
  else
    finding_add(all, id, why, FINDING_UNKNOWN, "thread_siblings_list is not readable");
}

static bool process_runs(const struct host *h, const char *name)
{
  char path[PATH_MAX], comm[64];
  bool found = false;
  snprintf(path, sizeof path, "%s/proc", h->root);
  DIR *folder = opendir(path);
  for (const struct dirent *entry; folder && !found && (entry = readdir(folder));)
    found = isdigit((unsigned char)entry->d_name[0]) &&
            host_read(h, comm, sizeof comm, "/proc/%.32s/comm", entry->d_name) > 0 && strcmp(comm, name) == 0;
  if (folder) closedir(folder);
  return found;
}

void check_irqbalance(const struct host *h, struct findings *all)
{
  static const char id[] = "irqbalance", why[] = "it moves interrupts to the CPUs that have the least to do";
  char set[LIST];
  if (!process_runs(h, "irqbalance")) {
    finding_add(all, id, why, FINDING_OK, "does not run");
    return;
  }
  /* irqbalance itself avoids isolated CPUs. */
  const cpu_set_t open = cpus_except(&h->loop, &h->isolated);
  if (CPU_COUNT(&open))
    finding_fix(
        finding_add(all, id, why, FINDING_WARN, "runs, also on the loop's CPU"),
        "`IRQBALANCE_BANNED_CPULIST=%s` in /etc/default/irqbalance and `systemctl restart irqbalance`, or "
        "`systemctl disable --now irqbalance`",
        cpus_text(&open, set, sizeof set));
  else
    finding_add(all, id, why, FINDING_INFO, CPU_COUNT(&h->loop) ? "runs, not on isolated CPUs" : "runs");
}
