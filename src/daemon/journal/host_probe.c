/* SPDX-License-Identifier: MIT */
#include "journal/host_probe.h"

#include "rt/clock.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PART = 16384 }; /* part of /proc/stat that is read: the lines of the processors come first */

uint64_t stolen_ticks(const char *stat, int cpu)
{
  char name[16] = "cpu ";
  if (cpu >= 0) snprintf(name, sizeof name, "cpu%d ", cpu);
  for (const char *line = stat; line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncmp(line, name, strlen(name)) != 0) continue;
    enum { STEAL = 8 }; /* name user nice system idle iowait irq softirq steal */
    const char *at = line;
    for (int i = 0; i < STEAL; i++) {
      at += strcspn(at, " \n");
      at += strspn(at, " ");
    }
    return strtoull(at, NULL, 10); /* 0 if the line ends before */
  }
  return 0;
}

static bool read_again(int fd, char *text, size_t size)
{
  const ssize_t n = fd >= 0 ? pread(fd, text, size - 1, 0) : -1;
  text[n > 0 ? n : 0] = '\0';
  return n > 0;
}

void host_probe_open(struct host_probe *e, pid_t loop, int cpu)
{
  char path[64];
  snprintf(path, sizeof path, "/proc/self/task/%d/status", (int)loop);
  *e = (struct host_probe){.stat = open("/proc/stat", O_RDONLY | O_CLOEXEC),
                           .status = open(path, O_RDONLY | O_CLOEXEC),
                           .cpu = cpu};
}

void host_probe_read(const struct host_probe *e, struct host_sample *sample)
{
  char text[PART];
  clocks_read(&sample->clocks);
  sample->stolen_ns = 0;
  sample->debugger = 0;
  if (read_again(e->stat, text, sizeof text))
    sample->stolen_ns = stolen_ticks(text, e->cpu) * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK));
  if (!read_again(e->status, text, sizeof text)) return;
  const char *tracer = strstr(text, "\nTracerPid:");
  if (tracer) sample->debugger = (uint32_t)strtoul(tracer + strlen("\nTracerPid:"), NULL, 10);
}

void host_probe_close(struct host_probe *e)
{
  if (e->stat >= 0) close(e->stat);
  if (e->status >= 0) close(e->status);
  e->stat = e->status = -1;
}
