/* SPDX-License-Identifier: MIT
 * Hypervisor, container and memory. */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

void check_virtual(const struct host *h, struct findings *all)
{
  static const char id[] = "virtual", why[] = "the hypervisor may take the CPU away at any time";
  static const char fix[] =
      "run on the physical machine; or pin each virtual CPU to a CPU of its own, isolated and "
      "under SCHED_FIFO (libvirt: <vcpupin>, <vcpusched>)";
  char flags[8192] = "", type[64] = "";
  host_field(h, "/proc/cpuinfo", "flags", flags, sizeof flags);
  host_read(h, type, sizeof type, "/sys/hypervisor/type");
  if (has_word(flags, "hypervisor") || type[0] || host_exists(h, "/proc/device-tree/hypervisor"))
    finding_fix(finding_add(all, id, why, FINDING_WARN, "a virtual machine%s%s", type[0] ? ", " : "", type),
                "%s", fix);
  else if (flags[0])
    finding_add(all, id, why, FINDING_OK, "no hypervisor");
  else
    finding_add(all, id, why, FINDING_UNKNOWN, "/proc/cpuinfo shows no flags");
}

void check_container(const struct host *h, struct findings *all)
{
  static const char id[] = "container", why[] = "the start of the container sets rights and limits";
  static const char fix[] =
      "start it with --cap-add=SYS_NICE --cap-add=IPC_LOCK --ulimit rtprio=95 --ulimit memlock=-1";
  char kind[64] = "";
  host_read(h, kind, sizeof kind, "/run/systemd/container");
  if (!kind[0] && host_exists(h, "/.dockerenv")) snprintf(kind, sizeof kind, "docker");
  if (!kind[0] && host_exists(h, "/run/.containerenv")) snprintf(kind, sizeof kind, "podman");
  if (kind[0])
    finding_fix(finding_add(all, id, why, FINDING_INFO, "in a container: %s", kind), "%s", fix);
  else
    finding_add(all, id, why, FINDING_OK, "no sign of a container");
}

void check_thp(const struct host *h, struct findings *all)
{
  static const char id[] = "thp",
                    why[] = "the kernel moves memory to make large pages, and stops the threads that use it";
  char text[128];
  if (host_read(h, text, sizeof text, "/sys/kernel/mm/transparent_hugepage/enabled") <= 0)
    finding_add(all, id, why, FINDING_UNKNOWN, "/sys/kernel/mm/transparent_hugepage/enabled is not readable");
  else if (has_word(text, "[always]"))
    finding_fix(finding_add(all, id, why, FINDING_WARN, "always"),
                "`echo madvise > /sys/kernel/mm/transparent_hugepage/enabled`; to keep it, "
                "`transparent_hugepage=madvise` on the kernel command line");
  else
    finding_add(all, id, why, FINDING_OK, "%s", has_word(text, "[never]") ? "never" : "madvise");
}

void check_swap(const struct host *h, struct findings *all)
{
  static const char id[] = "swap", why[] = "memory that is not locked may wait for a disk";
  FILE *f = host_open(h, "/proc/swaps");
  if (!f) {
    finding_add(all, id, why, FINDING_UNKNOWN, "/proc/swaps is not readable");
    return;
  }
  char line[512];
  unsigned long long size = 0, used = 0; /* kB */
  while (fgets(line, sizeof line, f)) {
    /* Columns: file, kind, size, used; the first line has words there. */
    char *rest = line, *word[4] = {NULL};
    for (int i = 0; i < 4; i++) word[i] = strtok_r(rest, " \t\n", &rest);
    if (!word[3]) continue;
    size += strtoull(word[2], NULL, 10);
    used += strtoull(word[3], NULL, 10);
  }
  fclose(f);
  if (!size) {
    finding_add(all, id, why, FINDING_OK, "none");
    return;
  }
  finding_fix(finding_add(all, id, why, used ? FINDING_WARN : FINDING_INFO, "%llu MB, %llu MB of it used",
                          size >> 10, used >> 10),
              "`swapoff -a`; to keep it, remove the lines with swap from /etc/fstab");
}
