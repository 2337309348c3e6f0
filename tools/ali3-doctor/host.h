/* SPDX-License-Identifier: MIT
 * The host as its files show it. All paths go through one root, so that a tree copied from another machine, or made by
 * a test, can be examined. */
#ifndef ALI3_DOCTOR_HOST_H
#define ALI3_DOCTOR_HOST_H

#include "cpus.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

struct host {
  const char *root;   /* "" for this host */
  int priority, cpu;  /* planned for the loop; cpu -1: any */
  cpu_set_t online;   /* empty: not readable */
  cpu_set_t isolated; /* from the scheduler's balancing */
  cpu_set_t loop;     /* reserved for the loop: --cpu, else the isolated ones; may be empty */
  char release[80];   /* of the kernel; "" if not readable */
  char version[160];
};

/* root: "/" is this host. */
void host_look(struct host *h, const char *root, int priority, int cpu);
/* True if the files are those of this machine. */
bool host_is_here(const struct host *h);

/* Reads the first size - 1 bytes of a file, without white space at the end. Returns their number, or -errno. `path` is
 * absolute. */
__attribute__((format(printf, 4, 5))) int host_read(const struct host *h, char *text, size_t size,
                                                    const char *path, ...);
/* Returns 0 or -errno; never makes a file. */
int host_write(const struct host *h, const char *path, const char *text);
/* Reads a file that contains one integer. */
__attribute__((format(printf, 3, 4))) bool host_number(const struct host *h, long long *value,
                                                       const char *path, ...);
bool host_exists(const struct host *h, const char *path);
bool host_may_write(const struct host *h, const char *path);
/* Returns NULL with errno. */
FILE *host_open(const struct host *h, const char *path);
/* The text after "KEY:", as in /proc/self/status, without white space around it. Returns false if there is no such
 * line. */
bool host_field(const struct host *h, const char *path, const char *key, char *text, size_t size);
/* The processors that matter to the loop: those reserved for it, else all. */
const cpu_set_t *host_cpus(const struct host *h);

/* True if a list, separated by white space or commas, has the word. */
bool has_word(const char *text, const char *word);

#endif
