/* SPDX-License-Identifier: MIT
 * Interrupts of devices on the processors reserved for the loop: those that may come, and those that came between two
 * looks. */
#ifndef ALI3_DOCTOR_INTERRUPTS_H
#define ALI3_DOCTOR_INTERRUPTS_H

#include "findings.h"
#include "host.h"

#include <stdint.h>

struct interrupt {
  int number;
  char name[48];
  uint64_t count; /* on the loop's processors */
};

struct interrupts {
  bool readable;
  int count;
  struct interrupt *list;
};

void interrupts_look(const struct host *h, struct interrupts *t);
void interrupts_free(struct interrupts *t);
/* `after` NULL: nothing was measured in between. */
void check_interrupts(const struct host *h, const struct interrupts *before, const struct interrupts *after,
                      struct findings *all);

#endif
