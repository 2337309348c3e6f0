/* SPDX-License-Identifier: MIT */
#include "bench.h"

#include <linux/perf_event.h>
#include <math.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

int counter_open(void)
{
  struct perf_event_attr event = {
      .type = PERF_TYPE_HARDWARE,
      .size = sizeof event,
      .config = PERF_COUNT_HW_INSTRUCTIONS,
      .read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING,
      .disabled = 1,
      .exclude_kernel = 1, /* ordinary users may count up to perf_event_paranoid 2 */
      .exclude_hv = 1,
  };
  return (int)syscall(SYS_perf_event_open, &event, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

void counter_start(int counter)
{
  if (counter < 0) return;
  ioctl(counter, PERF_EVENT_IOC_RESET, 0);
  ioctl(counter, PERF_EVENT_IOC_ENABLE, 0);
}

double counter_stop(int counter)
{
  struct {
    uint64_t count, enabled, running;
  } now;
  if (counter < 0) return NAN;
  ioctl(counter, PERF_EVENT_IOC_DISABLE, 0);
  if (read(counter, &now, sizeof now) != sizeof now || now.running == 0 || now.running != now.enabled)
    return NAN;
  return (double)now.count;
}

void counter_close(int counter)
{
  if (counter >= 0) close(counter);
}
