/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include <stdio.h>
#include <stdlib.h>

static bool take_cpu(const char **text, int *out)
{
  if (**text < '0' || **text > '9') return false;
  char *end;
  const unsigned long v = strtoul(*text, &end, 10);
  if (v >= CPU_SETSIZE) return false;
  *out = (int)v;
  *text = end;
  return true;
}

bool cpus_parse(const char *text, cpu_set_t *set)
{
  CPU_ZERO(set);
  if (!*text) return true;
  for (;; text++) {
    int first, last;
    if (!take_cpu(&text, &first)) return false;
    last = first;
    if (*text == '-') {
      text++;
      if (!take_cpu(&text, &last)) return false;
    }
    for (int cpu = first; cpu <= last; cpu++) CPU_SET(cpu, set);
    if (!*text) return last >= first;
    if (*text != ',' || last < first) return false;
  }
}

const char *cpus_text(const cpu_set_t *set, char *out, size_t size)
{
  size_t used = 0;
  out[0] = '\0';
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++) {
    if (!CPU_ISSET(cpu, set)) continue;
    int last = cpu;
    while (last + 1 < CPU_SETSIZE && CPU_ISSET(last + 1, set)) last++;
    const char *comma = used ? "," : "";
    const int n = last > cpu ? snprintf(out + used, size - used, "%s%d-%d", comma, cpu, last)
                             : snprintf(out + used, size - used, "%s%d", comma, cpu);
    if (n < 0 || (size_t)n >= size - used) {
      out[used] = '\0';
      return out;
    }
    used += (size_t)n;
    cpu = last;
  }
  return out;
}

int cpus_first(const cpu_set_t *set)
{
  for (int cpu = 0; cpu < CPU_SETSIZE; cpu++)
    if (CPU_ISSET(cpu, set)) return cpu;
  return -1;
}

int cpus_last(const cpu_set_t *set)
{
  for (int cpu = CPU_SETSIZE - 1; cpu >= 0; cpu--)
    if (CPU_ISSET(cpu, set)) return cpu;
  return -1;
}

cpu_set_t cpus_except(const cpu_set_t *set, const cpu_set_t *without)
{
  cpu_set_t common, rest;
  CPU_AND(&common, set, without);
  CPU_XOR(&rest, set, &common);
  return rest;
}
