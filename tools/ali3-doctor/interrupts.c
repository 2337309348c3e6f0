/* SPDX-License-Identifier: MIT */
#include "interrupts.h"

#include <stdlib.h>
#include <string.h>

enum { LIST = 64 }; /* a set of processors as text */

/* The processor of each column, from a line like "   CPU0   CPU2". Returns their number. */
static int read_head(const char *line, int cpu[CPU_SETSIZE])
{
  int columns = 0;
  for (const char *at = strstr(line, "CPU"); at && columns < CPU_SETSIZE; at = strstr(at + 3, "CPU"))
    cpu[columns++] = (int)strtol(at + 3, NULL, 10);
  return columns;
}

/* Reads the line of a numbered interrupt; other lines are interrupts of the kernel. */
static bool read_interrupt(char *line, const int *cpu, int columns, const cpu_set_t *loop,
                           struct interrupt *o)
{
  char *at, *after;
  o->number = (int)strtol(line, &at, 10);
  if (at == line || *at != ':') return false;
  at++;
  o->count = 0;
  for (int i = 0; i < columns; i++, at = after) {
    const uint64_t n = strtoull(at, &after, 10);
    if (after == at) return false;
    if (cpu[i] >= 0 && cpu[i] < CPU_SETSIZE && CPU_ISSET(cpu[i], loop)) o->count += n;
  }
  /* The line ends with controller, kind and device. */
  const char *name = "";
  for (char *rest = at, *word; (word = strtok_r(rest, " \t\n", &rest));) name = word;
  snprintf(o->name, sizeof o->name, "%s", name);
  return true;
}

void interrupts_look(const struct host *h, struct interrupts *t)
{
  *t = (struct interrupts){.readable = false};
  FILE *f = host_open(h, "/proc/interrupts");
  if (!f) return;
  /* The first line gives the CPU of each column. */
  static int cpu[CPU_SETSIZE];
  char *line = NULL;
  size_t room = 0;
  const int columns = getline(&line, &room, f) > 0 ? read_head(line, cpu) : 0;
  t->readable = columns > 0;
  /* Read one line per interrupt. */
  while (t->readable && getline(&line, &room, f) > 0) {
    struct interrupt one;
    if (!read_interrupt(line, cpu, columns, &h->loop, &one)) continue;
    struct interrupt *grown = realloc(t->list, (size_t)(t->count + 1) * sizeof *grown);
    if (!grown) break;
    t->list = grown;
    t->list[t->count++] = one;
  }
  free(line);
  fclose(f);
}

void interrupts_free(struct interrupts *t)
{
  free(t->list);
  *t = (struct interrupts){.readable = false};
}

/* True if the interrupt may come to the loop's processors: by its effective, else by its allowed set. */
static bool may_come(const struct host *h, int number)
{
  char text[1024];
  cpu_set_t set;
  if (host_read(h, text, sizeof text, "/proc/irq/%d/effective_affinity_list", number) <= 0 &&
      host_read(h, text, sizeof text, "/proc/irq/%d/smp_affinity_list", number) <= 0)
    return false;
  if (!cpus_parse(text, &set)) return false;
  CPU_AND(&set, &set, &h->loop);
  return CPU_COUNT(&set) > 0;
}

static uint64_t count_since(const struct interrupt *was, const struct interrupts *after)
{
  for (int i = 0; after && i < after->count; i++)
    if (after->list[i].number == was->number)
      return after->list[i].count > was->count ? after->list[i].count - was->count : 0;
  return 0;
}

void check_interrupts(const struct host *h, const struct interrupts *before, const struct interrupts *after,
                      struct findings *all)
{
  static const char id[] = "interrupts", why[] = "the handler of an interrupt runs before the loop";
  /* Nothing can be judged without reserved CPUs or without the file. */
  char set[LIST], others[LIST], numbers[160] = "", most_name[48] = "";
  int may = 0, moved = 0, most_number = 0;
  uint64_t most = 0;
  if (!CPU_COUNT(&h->loop)) {
    finding_add(all, id, why, FINDING_INFO, "no CPU is reserved for the loop; interrupts come to all");
    return;
  }
  if (!before->readable) {
    finding_add(all, id, why, FINDING_UNKNOWN, "/proc/interrupts is not readable");
    return;
  }
  /* Count the interrupts that came or may come, and find the most frequent one. */
  cpus_text(&h->loop, set, sizeof set);
  for (int i = 0; i < before->count; i++) {
    const struct interrupt *one = &before->list[i];
    const uint64_t n = count_since(one, after);
    if (n > most) {
      most = n;
      most_number = one->number;
      snprintf(most_name, sizeof most_name, "%s", one->name);
    }
    moved += n > 0;
    if (n == 0 && !may_come(h, one->number)) continue;
    may++;
    const size_t used = strlen(numbers);
    if (used + 16 < sizeof numbers) snprintf(numbers + used, sizeof numbers - used, " %d", one->number);
  }
  /* Report them. */
  struct finding *f;
  if (moved)
    f = finding_add(all, id, why, FINDING_WARN,
                    "%d came to CPU %s while measuring, IRQ %d (%s) %llu times; %d may", moved, set,
                    most_number, most_name, (unsigned long long)most, may);
  else if (may)
    f = finding_add(all, id, why, FINDING_WARN, "%d may come to CPU %s", may, set);
  else
    f = finding_add(all, id, why, FINDING_OK, "none goes to CPU %s", set);
  /* Suggest the other CPUs. */
  const cpu_set_t rest = cpus_except(&h->online, &h->loop);
  if (may && CPU_COUNT(&rest)) {
    cpus_text(&rest, others, sizeof others);
    finding_fix(f,
                "`for i in%s; do echo %s > /proc/irq/$i/smp_affinity_list; done`; for all that come later "
                "`irqaffinity=%s` on the kernel command line",
                numbers, others, others);
  }
}
