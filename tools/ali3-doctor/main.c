/* SPDX-License-Identifier: MIT
 * ali3-doctor: tells whether this host can meet the times that ali3d promises, and what to do if not. */
#include "checks.h"
#include "command/command_line.h"
#include "common/output.h"
#include "hwlat.h"
#include "interrupts.h"
#include "report.h"
#include "rt/clock.h"
#include "trace_probe.h"

#include <errno.h>
#include <getopt.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { EXIT_TROUBLE = 3, WAKEUPS_LEAST = 100 };

struct options {
  struct measure_plan plan;
  double period_us;
  const char *root;
  bool json, hwlat, trace;
};

static const struct command_option doctor_options[] = {
    COMMAND_SWITCH(struct options, json, "json", "print one JSON object instead of a table"),
    COMMAND_NUMBER(struct options, plan.seconds, "seconds", "N", 0, 3600,
                   "time of the measurement of wake-ups, 0 to 3600 s (default 3); 0: checks only"),
    COMMAND_NUMBER(struct options, period_us, "period", "US", 100, 1e6,
                   "time between two wake-ups, 100 to 1000000 us (default 1000)"),
    COMMAND_COUNT(struct options, plan.priority, "priority", "N", 1, 99,
                  "SCHED_FIFO priority of the measuring thread, 1 to 99 (default 80, as in ali3d)"),
    COMMAND_COUNT(struct options, plan.cpu, "cpu", "N", 0, CPU_SETSIZE - 1,
                  "planned CPU of the loop (default: any)"),
    COMMAND_SWITCH(
        struct options, hwlat, "hwlat",
        "as root: first run the kernel's tracer of hardware latencies for that time. It stops each CPU for "
        "half a second: do not run it beside a simulation that matters"),
    COMMAND_SWITCH(struct options, trace, "trace",
                   "as root: cause a late wake-up, and show that the kernel's trace names its culprit"),
    COMMAND_TEXT(struct options, root, "root", "DIR",
                 "read /proc, /sys, /dev, /run, /boot below DIR, and measure nothing"),
    {0},
};
static const struct command_line doctor_command = {
    .name = "ali3-doctor",
    .head = "Usage: ali3-doctor [OPTION]...\n"
            "\n"
            "Checks whether this host is fit for ali3d, measures for a few seconds, and tells what to do.\n",
    .tail = "Exit status: 0 fit, 1 usable, 2 unfit, 3 wrong usage or no report\n",
    .option = doctor_options,
    .wrong = EXIT_TROUBLE};

static atomic_bool stop_measuring;
static volatile sig_atomic_t caught;
static void note_signal(int number)
{
  caught = number;
  atomic_store(&stop_measuring, true);
}

/* Returns -1 to go on, else the exit status. */
static int take_options(int argc, char **argv, struct options *o)
{
  *o =
      (struct options){.plan = {.seconds = 3.0, .priority = 80, .cpu = -1}, .period_us = 1000.0, .root = "/"};
  const int status = command_read(&doctor_command, argc, argv, o);
  if (status >= 0) return status;
  bool good = optind == argc || command_wrong(&doctor_command, "arguments", "options only", argv[optind]);
  if (good && o->plan.seconds > 0.0 && o->plan.seconds * 1e6 < WAKEUPS_LEAST * o->period_us)
    good = command_wrong(&doctor_command, "--seconds", "time for 100 wake-ups", "less");
  o->plan.period_ns = (uint64_t)(o->period_us * 1e3);
  return good ? -1 : command_refuse(&doctor_command);
}

/* A signal ends the measurement, not the program: the tracers must be restored first. */
static void defer_signals(void)
{
  static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
  struct sigaction action = {.sa_handler = note_signal};
  sigemptyset(&action.sa_mask);
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) sigaction(numbers[i], &action, NULL);
}

static double total_s, before_s;
static void show_seconds(double seconds)
{
  if (isatty(STDERR_FILENO)) fprintf(stderr, "\rmeasuring %.1f of %.1f s", before_s + seconds, total_s);
}

/* Returns the longest gap, us; -1 if the tracer did not run, with a finding that tells why. */
static long long run_hwlat(const struct host *h, double seconds, struct findings *all)
{
  struct hwlat t;
  char error[160] = "";
  long long us = -1;
  if (hwlat_start(h, &t, error, sizeof error)) {
    const uint64_t begin = clock_now_ns(), end = begin + (uint64_t)(seconds * 1e9);
    for (uint64_t now = begin; now < end && !atomic_load(&stop_measuring); now = clock_now_ns()) {
      show_seconds((double)(now - begin) * 1e-9);
      clock_sleep_until_ns(now + NS_PER_S / 10);
    }
    us = hwlat_stop(h, &t, error, sizeof error);
  }
  if (us < 0)
    finding_add(all, "hwlat_run", "--hwlat asks for it", FINDING_UNKNOWN, "the tracer did not run: %s",
                error);
  return us;
}

/* Returns 0, or why there are no figures. */
static int run_measurement(const struct options *o, const struct host *h, struct measured *m,
                           long long *hwlat_us, struct findings *all)
{
  const struct measure_watch watch = {.stop = &stop_measuring, .progress = show_seconds};
  total_s = measure_seconds(&o->plan) + (o->hwlat ? o->plan.seconds : 0.0);
  if (o->hwlat) {
    *hwlat_us = run_hwlat(h, o->plan.seconds, all);
    before_s = o->plan.seconds;
  }
  const int status = measure(&o->plan, &watch, m);
  if (isatty(STDERR_FILENO)) fputs("\r\033[K", stderr);
  return status;
}

int main(int argc, char **argv)
{
  output_check_at_exit();
  static struct measured measured;
  static struct findings all;
  struct options o;
  struct host host;
  struct interrupts before, after = {.readable = false};
  struct report r = {.host = &host, .all = &all, .hwlat_us = -1};
  /* Read the command line and find the host. */
  const int status = take_options(argc, argv, &o);
  if (status >= 0) return status;
  r.plan = &o.plan;
  host_look(&host, o.root, o.plan.priority, o.plan.cpu);
  if (!host_exists(&host, "/proc") && !host_exists(&host, "/sys")) {
    fprintf(stderr, "ali3-doctor: %s holds neither proc nor sys\n", o.root);
    return EXIT_TROUBLE;
  }
  /* Run the checks that read files. */
  defer_signals();
  checks_run(&host, &all);
  interrupts_look(&host, &before);

  /* Measure if the files are those of this host. */
  if (!host_is_here(&host)) {
    r.unmeasured = "--root names the files of another host";
  } else if (o.plan.seconds == 0.0) {
    r.unmeasured = "--seconds is 0";
  } else {
    const int failed = run_measurement(&o, &host, &measured, &r.hwlat_us, &all);
    if (failed)
      r.unmeasured = strerror(failed);
    else
      r.m = &measured;
  }
  if (o.trace && host_is_here(&host) && !caught) trace_probe(&o.plan, &all);
  /* Interrupts are counted over the measurement. */
  if (r.m) interrupts_look(&host, &after);
  check_interrupts(&host, &before, r.m ? &after : NULL, &all);
  interrupts_free(&before);
  interrupts_free(&after);
  if (caught) { /* end as if the signal had not been caught */
    signal(caught, SIG_DFL);
    raise(caught);
  }
  /* Judge, and report. */
  if (r.m) judge_measured(&o.plan, r.m, r.hwlat_us, &all);
  r.verdict = verdict_of(&all, r.m != NULL);
  bool good = true;
  if (o.json)
    good = report_json(&r, stdout);
  else
    report_text(&r, stdout);
  if (!good || fflush(stdout) != 0 || ferror(stdout)) {
    fprintf(stderr, "ali3-doctor: standard output: %s\n", strerror(errno));
    return EXIT_TROUBLE;
  }
  return r.verdict;
}
