/* SPDX-License-Identifier: MIT
 * Rights of the process: limits, capabilities, and the quota of its control group. */
#include "checks.h"

#include <stdlib.h>
#include <string.h>

enum {
  CAP_IPC_LOCK_BIT = 14,
  CAP_SYS_NICE_BIT = 23,
  MEMLOCK_GOOD_MB = 512,  /* the daemon asks for its own size and 256 MB more */
  MEMLOCK_LEAST_MB = 256, /* with less the daemon is refused, whatever its size */
};
static const unsigned long long unlimited = ~0ULL;

/* Takes the next word of a line of /proc/self/limits. */
static unsigned long long limit_from(const char *text, char **end)
{
  text += strspn(text, " ");
  if (strncmp(text, "unlimited", 9) != 0) return strtoull(text, end, 10);
  *end = (char *)text + 9;
  return unlimited;
}

static bool read_limit(const struct host *h, const char *name, unsigned long long *soft,
                       unsigned long long *hard)
{
  FILE *f = host_open(h, "/proc/self/limits");
  char line[160];
  bool found = false;
  while (f && !found && fgets(line, sizeof line, f)) {
    if (strncmp(line, name, strlen(name)) != 0) continue;
    char *end = line + strlen(name), *after;
    *soft = limit_from(end, &after);
    found = after > end;
    end = after;
    *hard = limit_from(end, &after);
    found = found && after > end;
    break;
  }
  if (f) fclose(f);
  return found;
}

static bool has_capability(const struct host *h, int bit)
{
  char text[64];
  return host_field(h, "/proc/self/status", "CapEff", text, sizeof text) &&
         (strtoull(text, NULL, 16) >> bit & 1);
}

void check_rtprio(const struct host *h, struct findings *all)
{
  static const char id[] = "rtprio", why[] = "without SCHED_FIFO the loop waits for every other task";
  /* The capability allows every priority. */
  unsigned long long soft, hard;
  if (has_capability(h, CAP_SYS_NICE_BIT)) {
    finding_add(all, id, why, FINDING_OK, "any SCHED_FIFO priority: CAP_SYS_NICE");
    return;
  }
  /* Otherwise the limit counts. */
  if (!read_limit(h, "Max realtime priority", &soft, &hard)) {
    finding_fix(finding_add(all, id, why, FINDING_UNKNOWN, "/proc/self/limits is not readable"), FIX_RTPRIO);
    return;
  }
  if (soft == unlimited || soft >= (unsigned)h->priority) {
    finding_add(all, id, why, FINDING_OK, "SCHED_FIFO up to %llu: RLIMIT_RTPRIO", soft < 99 ? soft : 99);
    return;
  }
  /* The priority is refused: tell who can raise the limit. */
  struct finding *f =
      finding_add(all, id, why, FINDING_BAD,
                  "RLIMIT_RTPRIO %llu, hard limit %llu, no CAP_SYS_NICE: SCHED_FIFO %d is refused", soft,
                  hard, h->priority);
  if (hard >= (unsigned)h->priority)
    finding_fix(f, "`ulimit -r %d` in the shell that starts ali3d", h->priority);
  else
    finding_fix(f, FIX_RTPRIO);
}

void check_memlock(const struct host *h, struct findings *all)
{
  static const char id[] = "memlock", why[] = "memory that is not locked may be paged out to a disk";
  unsigned long long soft, hard;
  if (has_capability(h, CAP_IPC_LOCK_BIT)) {
    finding_add(all, id, why, FINDING_OK, "any amount: CAP_IPC_LOCK");
    return;
  }
  if (!read_limit(h, "Max locked memory", &soft, &hard)) {
    finding_fix(finding_add(all, id, why, FINDING_UNKNOWN, "/proc/self/limits is not readable"), FIX_MEMLOCK);
    return;
  }
  if (hard == unlimited) {
    finding_add(all, id, why, FINDING_OK, "any amount: RLIMIT_MEMLOCK");
    return;
  }
  /* The hard limit counts, because the daemon raises the soft one itself. */
  const unsigned long long mb = hard >> 20;
  const enum finding_state state = mb >= MEMLOCK_GOOD_MB    ? FINDING_OK
                                   : mb >= MEMLOCK_LEAST_MB ? FINDING_WARN
                                                            : FINDING_BAD;
  struct finding *f =
      finding_add(all, id, why, state, "RLIMIT_MEMLOCK %llu MB, ali3d wants its size and 256 MB", mb);
  if (state != FINDING_OK) finding_fix(f, FIX_MEMLOCK);
}

/* The process's group in the hierarchy of a version 1 controller, or in that of version 2 (""). */
static bool own_group(const struct host *h, const char *controller, char *path, size_t size)
{
  FILE *f = host_open(h, "/proc/self/cgroup");
  char line[1024];
  bool found = false;
  while (f && !found && fgets(line, sizeof line, f)) {
    char *names = strchr(line, ':'), *group = names ? strchr(names + 1, ':') : NULL;
    if (!group) continue;
    *group++ = '\0';
    names++;
    found = *controller ? has_word(names, controller) : !*names;
    if (found) snprintf(path, size, "%.*s", (int)strcspn(group, "\n"), group);
  }
  if (f) fclose(f);
  return found;
}

/* Mount point of the version 1 hierarchy of the controller cpu, and the group that is visible there. */
static bool cpu_mount(const struct host *h, char *mount, char *top, size_t size)
{
  FILE *f = host_open(h, "/proc/self/mountinfo");
  char line[2048];
  bool found = false;
  while (f && !found && fgets(line, sizeof line, f)) {
    char seen[512], at[512], type[32], options[512];
    const char *second = strstr(line, " - ");
    if (!second || sscanf(line, "%*s %*s %*s %511s %511s", seen, at) != 2) continue;
    if (sscanf(second, " - %31s %*s %511s", type, options) != 2) continue;
    if (strcmp(type, "cgroup") != 0 || !has_word(options, "cpu")) continue;
    snprintf(top, size, "%s", seen);
    snprintf(mount, size, "%s", at);
    found = true;
  }
  if (f) fclose(f);
  return found;
}

bool cgroup_rt_runtime(const struct host *h, char *path, size_t size, long long *us)
{
  char group[512], mount[512], top[512];
  if (!own_group(h, "cpu", group, sizeof group) || !cpu_mount(h, mount, top, sizeof mount)) return false;
  const size_t n = strcmp(top, "/") == 0 ? 0 : strlen(top);
  const char *below = strncmp(group, top, n) == 0 && (group[n] == '/' || !group[n]) ? group + n : group;
  snprintf(path, size, "%s%s/cpu.rt_runtime_us", mount, strcmp(below, "/") == 0 ? "" : below);
  return host_number(h, us, "%s", path);
}

/* Version 2 has no file for it: a kernel with real-time groups refuses SCHED_FIFO below the root group. */
static void judge_version_2(const struct host *h, struct findings *all, const char *id, const char *why,
                            const char *group)
{
  /* The configuration of the kernel tells whether groups have quotas. */
  char path[160], config[32] = "";
  snprintf(path, sizeof path, "/boot/config-%s", h->release);
  FILE *f = host_open(h, path);
  char line[256];
  while (f && fgets(line, sizeof line, f))
    if (strstr(line, "CONFIG_RT_GROUP_SCHED") && !strstr(line, "CONFIG_RT_GROUP_SCHED_"))
      snprintf(config, sizeof config, "%s", strstr(line, "=y") ? "y" : "n");
  if (f) fclose(f);
  /* Judge it. */
  if (config[0] == 'n') {
    finding_add(all, id, why, FINDING_OK, "version 2, a kernel without real-time groups");
  } else if (config[0] == 'y') {
    finding_fix(finding_add(all, id, why, FINDING_WARN,
                            "version 2, group %.120s, a kernel with real-time groups (CONFIG_RT_GROUP_SCHED)",
                            group),
                "`rt_group_sched=0` on the kernel command line (Linux 6.15 or newer), or `echo $$ > "
                "/sys/fs/cgroup/cgroup.procs` as root in the shell that starts ali3d");
  } else {
    finding_add(all, id, why, FINDING_UNKNOWN,
                "version 2, group %.120s; whether the kernel has real-time groups: %s is not readable", group,
                path);
  }
}

void check_cgroup(const struct host *h, struct findings *all)
{
  static const char id[] = "cgroup",
                    why[] = "in a group without a real-time quota even root is refused SCHED_FIFO";
  char path[1200], group[512];
  long long us;
  if (cgroup_rt_runtime(h, path, sizeof path, &us)) {
    long long global = 0;
    host_number(h, &global, "/proc/sys/kernel/sched_rt_runtime_us");
    const bool refused = us == 0 && global >= 0; /* without the throttle the kernel does not enforce quotas */
    struct finding *f = finding_add(all, id, why, refused ? FINDING_BAD : FINDING_OK,
                                    "cpu.rt_runtime_us of its own group is %lld", us);
    if (refused) finding_fix(f, "as root: `echo 950000 > %.300s`, those above it first", path);
  } else if (own_group(h, "cpu", group, sizeof group)) {
    finding_add(all, id, why, FINDING_OK, "version 1, groups without quotas of real time");
  } else if (!own_group(h, "", group, sizeof group)) {
    finding_add(all, id, why, FINDING_UNKNOWN, "/proc/self/cgroup is not readable");
  } else if (strcmp(group, "/") == 0) {
    finding_add(all, id, why, FINDING_OK, "version 2, the root group");
  } else {
    judge_version_2(h, all, id, why, group);
  }
}
