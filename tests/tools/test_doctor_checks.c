/* SPDX-License-Identifier: MIT
 * Each check with hosts made of files: good, bad, and not readable. */
#include "ali3-doctor/checks.h"
#include "check.h"

#include "tools/fake_host.h"
#include "tools/findings_by_id.h"

static struct findings all;

static int good_host(void **state)
{
  if (fake_new(state) != 0) return -1;
  fake_good(NULL);
  return 0;
}

static const struct finding *look(int cpu, const char *id)
{
  const struct host h = fake_look(cpu);
  all.count = 0;
  checks_run(&h, &all);
  const struct finding *f = findings_get(&all, id);
  assert_non_null(f);
  return f;
}

static void assert_found(const struct finding *f, enum finding_state state, const char *found,
                         const char *fix)
{
  if (f->state != state || !strstr(f->found, found) || !strstr(f->fix, fix) || (!*fix && f->fix[0]))
    fail_msg("%s: %s, \"%s\", fix \"%s\"; expected %s, \"%s\", \"%s\"", f->id, finding_word(f->state),
             f->found, f->fix, finding_word(state), found, fix);
}

static const char *const ids[] = {"rtprio",     "memlock",   "cgroup",   "preempt",  "throttling",
                                  "virtual",    "container", "cpus",     "isolated", "smt",
                                  "irqbalance", "governor",  "turbo",    "idle",     "clocksource",
                                  "thp",        "swap",      "watchdog", "hwlat"};
enum { IDS = sizeof ids / sizeof *ids };

TEST(nothing_is_wrong_with_a_good_host)
{
  look(3, "rtprio");
  assert_int_equal(all.count, IDS);
  for (int i = 0; i < all.count; i++) {
    const struct finding *f = &all.list[i];
    assert_string_equal(f->id, ids[i]);
    assert_found(f, strcmp(f->id, "hwlat") == 0 ? FINDING_INFO : FINDING_OK, "", "");
    assert_true(f->found[0] && f->why[0] && !f->measured);
  }
}

TEST(unreadable_files_are_unknown)
{
  look(3, "rtprio");
  assert_int_equal(all.count, IDS);
  for (int i = 0; i < all.count; i++) {
    const struct finding *f = &all.list[i];
    /* A missing sign means that there is nothing. */
    const bool absent = strcmp(f->id, "container") == 0 || strcmp(f->id, "irqbalance") == 0;
    if (f->state != (absent ? FINDING_OK : FINDING_UNKNOWN))
      fail_msg("%s: %s", f->id, finding_word(f->state));
  }
}

/* A change to one file of the good host, or its removal. */
static const struct change {
  const char *path, *content, *id;
  enum finding_state state;
  const char *found, *fix;
} changes[] = {
    {"/proc/self/status", "CapEff:\t0000000000800000\n", "rtprio", FINDING_OK, "CAP_SYS_NICE", ""},
    {"/proc/self/status", "CapEff:\t0000000000004000\n", "memlock", FINDING_OK, "CAP_IPC_LOCK", ""},
    {"/proc/self/limits", NULL, "rtprio", FINDING_UNKNOWN, "not readable", "@realtime - rtprio 95"},
    {"/proc/self/limits", "Max realtime priority     many\n", "rtprio", FINDING_UNKNOWN, "not readable",
     "rtprio"},
    {"/proc/self/cgroup", "0::/user.slice\n", "cgroup", FINDING_UNKNOWN,
     "/boot/config-6.1.0-18-rt-amd64 is not", ""},
    {"/proc/self/cgroup", NULL, "cgroup", FINDING_UNKNOWN, "not readable", ""},
    {"/proc/self/cgroup", "3:cpu,cpuacct:/x\n0::/\n", "cgroup", FINDING_OK, "without quotas", ""},
    {"/proc/self/cgroup", "3:cpuset,cpuacct:/x\n0::/\n", "cgroup", FINDING_OK, "version 2", ""},

    {"/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n", "preempt", FINDING_WARN, "not readable",
     "linux-image-rt-amd64"},
    {"/proc/sys/kernel/version", "#1 SMP PREEMPT Debian\n", "preempt", FINDING_WARN, "full",
     "linux-image-rt"},
    {"/proc/sys/kernel/version", "#1 SMP Debian\n", "preempt", FINDING_WARN, "none or voluntary",
     "preempt=full"},
    {"/proc/sys/kernel/version", NULL, "preempt", FINDING_UNKNOWN, "not readable", "linux-image-rt"},

    {"/proc/sys/kernel/sched_rt_runtime_us", "950000\n", "throttling", FINDING_WARN, "95 % of every 1 s",
     "echo -1 > /proc/sys/kernel/sched_rt_runtime_us"},
    {"/proc/sys/kernel/sched_rt_runtime_us", "1000000\n", "throttling", FINDING_OK, "off", ""},
    {"/proc/sys/kernel/sched_rt_runtime_us", "0\n", "throttling", FINDING_BAD, "0 %", "-1"},
    {"/proc/sys/kernel/sched_rt_runtime_us", "lots\n", "throttling", FINDING_UNKNOWN, "not readable", ""},

    {"/proc/cpuinfo", "flags\t\t: fpu tsc constant_tsc nonstop_tsc hypervisor\n", "virtual", FINDING_WARN,
     "virtual machine", "vcpupin"},
    {"/sys/hypervisor/type", "xen\n", "virtual", FINDING_WARN, "xen", "vcpupin"},
    {"/proc/cpuinfo", "processor\t: 0\nFeatures\t: fp asimd\n", "virtual", FINDING_UNKNOWN, "no flags", ""},
    {"/run/systemd/container", "lxc\n", "container", FINDING_INFO, "lxc", "--cap-add=SYS_NICE"},
    {"/.dockerenv", "", "container", FINDING_INFO, "docker", "--ulimit rtprio=95"},

    {"/sys/devices/system/cpu/online", "3\n", "cpus", FINDING_WARN, "one", "two CPUs"},
    {"/sys/devices/system/cpu/online", "0-2\n", "cpus", FINDING_BAD, "CPU 3 is not online", "one of 0-2"},
    {"/sys/devices/system/cpu/online", "0-\n", "cpus", FINDING_UNKNOWN, "not readable", ""},
    {"/sys/devices/system/cpu/isolated", "\n", "isolated", FINDING_INFO, "none",
     "isolcpus=managed_irq,domain,3 nohz_full=3 rcu_nocbs=3 irqaffinity=0-2"},
    {"/sys/devices/system/cpu/isolated", "1-2\n", "isolated", FINDING_INFO, "CPU 3 is not", "--cpu 1"},
    {"/sys/devices/system/cpu/isolated", NULL, "isolated", FINDING_UNKNOWN, "not readable", ""},
    {"/sys/devices/system/cpu/nohz_full", "(null)\n", "isolated", FINDING_INFO, "tick",
     "nohz_full=3 rcu_nocbs=3"},
    {"/sys/devices/system/cpu/nohz_full", NULL, "isolated", FINDING_INFO, "tick", "nohz_full=3"},
    {"/sys/devices/system/cpu/isolated", "2-3\n", "cpus", FINDING_OK, "workers up to 1", ""},
    {"/sys/devices/system/cpu/isolated", NULL, "cpus", FINDING_OK, "workers up to 2", ""},

    {"/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "1,3\n", "smt", FINDING_WARN,
     "CPU 3 shares its core with CPU 1", "echo 0 > /sys/devices/system/cpu/cpu1/online"},
    {"/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", "3,7\n", "smt", FINDING_OK, "to itself",
     ""},
    {"/sys/devices/system/cpu/cpu3/topology/thread_siblings_list", NULL, "smt", FINDING_UNKNOWN,
     "not readable", ""},
    {"/proc/77/comm", "irqbalance\n", "irqbalance", FINDING_INFO, "not on isolated", ""},

    {"/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", "powersave\n", "governor", FINDING_WARN,
     "powersave on CPU 3", "cpupower frequency-set -g performance"},
    {"/sys/devices/system/cpu/cpu3/cpufreq/scaling_governor", NULL, "governor", FINDING_UNKNOWN, "hypervisor",
     ""},
    {"/sys/devices/system/cpu/intel_pstate/no_turbo", "0\n", "turbo", FINDING_INFO, "on", "echo 1 > "},
    {"/sys/devices/system/cpu/cpu3/cpuidle/state2/disable", "0\n", "idle", FINDING_WARN,
     "133 us to leave C6 on CPU 3", "cpupower idle-set -D 50"},
    {"/sys/devices/system/cpu/cpu3/cpuidle/state2/disable", NULL, "idle", FINDING_WARN, "not writable",
     "/dev/cpu_dma_latency"},
    {"/sys/devices/system/cpu/cpu3/cpuidle/state0/latency", NULL, "idle", FINDING_UNKNOWN, "no idle states",
     ""},

    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n", "clocksource",
     FINDING_WARN, "hpet", "dmesg"},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", "kvm-clock\n", "clocksource",
     FINDING_OK, "kvm-clock", ""},
    {"/sys/devices/system/clocksource/clocksource0/current_clocksource", NULL, "clocksource", FINDING_UNKNOWN,
     "not readable", ""},
    {"/proc/cpuinfo", "flags\t\t: fpu tsc constant_tsc\n", "clocksource", FINDING_WARN, "tsc, not nonstop",
     "max_cstate"},
    {"/proc/cpuinfo", "flags\t\t: fpu tsc\n", "clocksource", FINDING_WARN, "tsc, not constant, not nonstop",
     "max_cstate"},
    {"/proc/cpuinfo", NULL, "clocksource", FINDING_OK, "not readable", ""},

    {"/sys/kernel/mm/transparent_hugepage/enabled", "[always] madvise never\n", "thp", FINDING_WARN, "always",
     "echo madvise > /sys/kernel/mm/transparent_hugepage/enabled"},
    {"/sys/kernel/mm/transparent_hugepage/enabled", "always madvise [never]\n", "thp", FINDING_OK, "never",
     ""},
    {"/sys/kernel/mm/transparent_hugepage/enabled", NULL, "thp", FINDING_UNKNOWN, "not readable", ""},
    {"/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 2097148 0 -2\n", "swap",
     FINDING_INFO, "2047 MB, 0 MB", "swapoff -a"},
    {"/proc/swaps", "Filename Type Size Used Priority\n/dev/sda2 partition 2097148 1024 -2\n", "swap",
     FINDING_WARN, "1 MB of it used", "swapoff -a"},
    {"/proc/swaps", NULL, "swap", FINDING_UNKNOWN, "not readable", ""},
    {"/proc/sys/kernel/nmi_watchdog", "1\n", "watchdog", FINDING_INFO, "on", "kernel.nmi_watchdog=0"},
    {"/proc/sys/kernel/nmi_watchdog", NULL, "watchdog", FINDING_UNKNOWN, "not readable", ""},
    {"/sys/kernel/tracing/available_tracers", "hwlat function nop\n", "hwlat", FINDING_INFO,
     "--hwlat runs it", ""},
    {"/sys/kernel/tracing/available_tracers", NULL, "hwlat", FINDING_UNKNOWN, "No such file",
     "mount -t tracefs"},
};

TEST(each_change_is_noticed)
{
  for (size_t i = 0; i < sizeof changes / sizeof *changes; i++) {
    const struct change *c = &changes[i];
    if (c->content)
      fake_put(c->path, c->content);
    else
      fake_remove(c->path);
    assert_found(look(3, c->id), c->state, c->found, c->fix);
    fake_good(c->path);
  }
}

TEST(limits_are_read_as_the_daemon_needs_them)
{
  static const char *const all_memory = "unlimited            unlimited";
  fake_limits("80                   80", all_memory);
  assert_found(look(3, "rtprio"), FINDING_OK, "up to 80", "");
  fake_limits("79                   79", all_memory);
  assert_found(look(3, "rtprio"), FINDING_BAD, "SCHED_FIFO 80 is refused", "limits.d/95-ali3.conf");
  fake_limits("0                    95", all_memory);
  assert_found(look(3, "rtprio"), FINDING_BAD, "hard limit 95", "ulimit -r 80");
  fake_limits("unlimited            unlimited", all_memory);
  assert_found(look(3, "rtprio"), FINDING_OK, "up to 99", "");
  /* The soft limit does not matter here: it is raised. */
  fake_limits("95                   95", "65536                unlimited");
  assert_found(look(3, "memlock"), FINDING_OK, "any amount", "");
  fake_limits("95                   95", "65536                536870912");
  assert_found(look(3, "memlock"), FINDING_OK, "512 MB", "");
  fake_limits("95                   95", "536870911            536870911");
  assert_found(look(3, "memlock"), FINDING_WARN, "511 MB", "memlock unlimited");
  fake_limits("95                   95", "8388608              8388608");
  assert_found(look(3, "memlock"), FINDING_BAD, "8 MB", "LimitMEMLOCK=infinity");
}

TEST(quota_of_the_own_group)
{
  static const char mounts[] =
      "31 23 0:28 / /sys/fs/cgroup rw - tmpfs tmpfs rw,mode=755\n"
      "33 31 0:30 / /sys/fs/cgroup/cpuset rw - cgroup cgroup rw,cpuset\n"
      "32 31 0:29 /box /sys/fs/cgroup/cpu rw,relatime shared:9 - cgroup cgroup rw,cpu\n";
  fake_put("/proc/self/mountinfo", mounts);
  fake_put("/proc/self/cgroup", "4:cpuset:/\n3:cpu,cpuacct:/box/job\n");
  fake_put("/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
  fake_put("/sys/fs/cgroup/cpu/job/cpu.rt_runtime_us", "0\n");
  assert_found(look(3, "cgroup"), FINDING_BAD, "is 0",
               "echo 950000 > /sys/fs/cgroup/cpu/job/cpu.rt_runtime_us");
  fake_put("/proc/sys/kernel/sched_rt_runtime_us", "-1\n");
  assert_found(look(3, "cgroup"), FINDING_OK, "is 0", "");
  fake_put("/sys/fs/cgroup/cpu/job/cpu.rt_runtime_us", "900000\n");
  assert_found(look(3, "cgroup"), FINDING_OK, "900000", "");
  fake_put("/proc/self/cgroup", "3:cpu,cpuacct:/box\n");
  fake_put("/sys/fs/cgroup/cpu/cpu.rt_runtime_us", "800000\n");
  assert_found(look(3, "cgroup"), FINDING_OK, "800000", "");
}

TEST(groups_of_version_2)
{
  static const char config[] = "/boot/config-6.1.0-18-rt-amd64";
  fake_put("/proc/self/cgroup", "0::/user.slice/user-1000.slice\n");
  fake_put(config, "CONFIG_CGROUPS=y\n# CONFIG_RT_GROUP_SCHED is not set\n");
  assert_found(look(3, "cgroup"), FINDING_OK, "without real-time groups", "");
  fake_put(config, "CONFIG_RT_GROUP_SCHED=y\n# CONFIG_RT_GROUP_SCHED_DEFAULT_DISABLED is not set\n");
  assert_found(look(3, "cgroup"), FINDING_WARN, "/user.slice/user-1000.slice", "rt_group_sched=0");
}

TEST(modes_of_a_dynamic_kernel)
{
  fake_put("/proc/sys/kernel/version", "#1 SMP PREEMPT_DYNAMIC Debian\n");
  fake_put("/sys/kernel/debug/sched/preempt", "none voluntary (full) lazy\n");
  assert_found(look(3, "preempt"), FINDING_WARN, "full, no PREEMPT_RT", "rt-amd64");
  fake_put("/sys/kernel/debug/sched/preempt", "(none) voluntary full\n");
  assert_found(look(3, "preempt"), FINDING_WARN, "none, no PREEMPT_RT", "rt-amd64");
  fake_put("/sys/kernel/realtime", "1\n");
  assert_found(look(3, "preempt"), FINDING_OK, "PREEMPT_RT", "");
}

TEST(new_kernels_have_a_fair_server_instead)
{
  static const char server[] = "/sys/kernel/debug/sched/fair_server/cpu0/runtime";
  fake_put("/proc/sys/kernel/sched_rt_runtime_us", "950000\n");
  fake_put("/proc/sys/kernel/osrelease", "6.11.9-amd64\n");
  assert_found(look(3, "throttling"), FINDING_WARN, "95 %", "-1");
  fake_put("/proc/sys/kernel/osrelease", "6.12.1-amd64\n");
  assert_found(look(3, "throttling"), FINDING_INFO, "share is not readable", "");
  fake_put(server, "50000000\n");
  assert_found(look(3, "throttling"), FINDING_INFO, "50 ms", "");
  fake_put(server, "0\n");
  assert_found(look(3, "throttling"), FINDING_OK, "no fair server", "");
  /* Groups with quotas keep the throttle. */
  fake_put("/proc/self/mountinfo", "32 31 0:29 / /cpu rw - cgroup cgroup rw,cpu\n");
  fake_put("/proc/self/cgroup", "3:cpu:/\n");
  fake_put("/cpu/cpu.rt_runtime_us", "950000\n");
  assert_found(look(3, "throttling"), FINDING_WARN, "95 %", "-1");
}

/* A finding about no reserved CPU is information, not a fault. */
TEST(no_cpu_is_given)
{
  assert_found(look(-1, "isolated"), FINDING_INFO, "no option puts the loop there", "--cpu 3");
  assert_found(look(-1, "governor"), FINDING_OK, "performance on 1 CPU", "");
  fake_put("/sys/devices/system/cpu/isolated", "\n");
  assert_found(look(-1, "isolated"), FINDING_INFO, "none", "isolcpus=managed_irq,domain,3");
  assert_found(look(2, "isolated"), FINDING_INFO, "none", "isolcpus=managed_irq,domain,2");
  assert_found(look(0, "isolated"), FINDING_INFO, "none", "isolcpus=managed_irq,domain,3");
  assert_found(look(-1, "governor"), FINDING_WARN, "powersave on CPU 0", "performance");
  fake_put("/sys/devices/system/cpu/cpu1/topology/thread_siblings_list", "0-1\n");
  assert_found(look(-1, "smt"), FINDING_INFO, "CPU 1 shares its core with CPU 0", "nosmt");
  fake_put("/proc/77/comm", "irqbalance\n");
  assert_found(look(-1, "irqbalance"), FINDING_INFO, "runs", "");
  assert_found(look(2, "irqbalance"), FINDING_WARN, "loop's CPU", "IRQBALANCE_BANNED_CPULIST=2");
}

TEST(boost_of_other_drivers)
{
  fake_remove("/sys/devices/system/cpu/intel_pstate");
  assert_found(look(3, "turbo"), FINDING_UNKNOWN, "neither", "");
  fake_put("/sys/devices/system/cpu/cpufreq/boost", "1\n");
  assert_found(look(3, "turbo"), FINDING_INFO, "on", "echo 0 > ");
  fake_put("/sys/devices/system/cpu/cpufreq/boost", "0\n");
  assert_found(look(3, "turbo"), FINDING_OK, "off", "");
}

TEST(a_latency_request_keeps_cpus_awake)
{
  char path[PATH_MAX];
  const int32_t us = 20;
  fake_put("/sys/devices/system/cpu/cpu3/cpuidle/state2/disable", "0\n");
  fake_put("/dev/cpu_dma_latency", "");
  assert_found(look(3, "idle"), FINDING_WARN, "is writable", "exec 3>/dev/cpu_dma_latency");
  fake_path("/dev/cpu_dma_latency", path);
  FILE *f = fopen(path, "w");
  assert_non_null(f);
  assert_int_equal(fwrite(&us, sizeof us, 1, f), 1);
  fclose(f);
  assert_found(look(3, "idle"), FINDING_OK, "at most 2 us to wake a CPU, held by a latency request", "");
}

int main(void)
{
#define ON(setup, test) cmocka_unit_test_setup_teardown(test, setup, fake_end)
  const struct CMUnitTest tests[] = {
      ON(good_host, nothing_is_wrong_with_a_good_host),
      ON(fake_new, unreadable_files_are_unknown),
      ON(good_host, each_change_is_noticed),
      ON(good_host, limits_are_read_as_the_daemon_needs_them),
      ON(good_host, quota_of_the_own_group),
      ON(good_host, groups_of_version_2),
      ON(good_host, modes_of_a_dynamic_kernel),
      ON(good_host, new_kernels_have_a_fair_server_instead),
      ON(good_host, no_cpu_is_given),
      ON(good_host, boost_of_other_drivers),
      ON(good_host, a_latency_request_keeps_cpus_awake),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
