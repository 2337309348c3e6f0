/* SPDX-License-Identifier: MIT
 * An FMU as a participant: fmu.c its description and its steps, fmu_names.c its variables, fmu_start.c how its process begins and
 * ends, fmu_child.c what the process does. The FMU is a program of a stranger. It runs in a process of its own, so that it can
 * end, hang or write over its memory without harm to ali3-link and to other participants. */
#ifndef LINK_FMU_H
#define LINK_FMU_H

#include "fmu/reader.h"
#include "link.h"

#include <sys/types.h>

/* The work that the process of an FMU is at. */
enum fmu_stage {
  FMU_IDLES,
  FMU_LOADS,
  FMU_INSTANTIATES,
  FMU_TAKES_START,
  FMU_INITIALISES,
  FMU_TAKES_INPUTS,
  FMU_STEPS,
  FMU_READS_OUTPUTS
};

/* Memory that both processes share. One of them writes at a time: a byte on the socket passes it on. */
struct fmu_block {
  enum fmu_stage stage;
  int status;      /* status of the importer; IMPORTER_DISCARD and above: the FMU is not to be used again */
  bool ends;       /* it asked to end the simulation */
  int steps;       /* of `size` seconds in a communication step */
  double at, size; /* s */
  char text[FMU_WHY]; /* its last message, or what the child says itself */
  double value[];     /* (in.count + out.count) */
};

/* A value that a variable gets before the initialization. */
struct preset {
  const struct read_variable *variable;
  double number;
  const char *text; /* the value of a string variable; NULL: the variable is a number */
};

struct fmu {
  struct description description;
  struct preset *preset; /* (presets) */
  int presets;
  char *folder; /* unpacked; NULL: not yet */
  struct fmu_block *block;
  size_t block_size;
  pid_t child;   /* 0: none */
  uint64_t made; /* communication steps */
};

static inline struct fmu *fmu_of(const struct participant *p)
{
  return (struct fmu *)p->state;
}

/* --- fmu_names.c --- */

int fmu_find(struct participant *p, const char *name, bool input, struct slots *to, const char **near);
/* Reads the mapping `start`. Prints mistakes to r. */
bool fmu_read_presets(struct participant *p, struct report *r);

/* --- fmu_start.c --- */

bool fmu_start(struct participant *p, double patience, bool reset, const volatile int *stop);
/* Takes the answer of the process. WAITS: there is none yet. FAILED: p->trouble has the reason. */
enum progress fmu_take_answer(struct participant *p);
/* Ends the process, and removes its files. */
void fmu_end(struct participant *p);
/* The work that it is at, in words: "its step from 0.5 s". */
const char *fmu_stage_text(const struct fmu *f, char text[80]);

/* --- fmu_child.c --- */

/* The life of the process; fd: its end of the socket. */
_Noreturn void fmu_child_live(const struct participant *p, int fd);

#endif
