/* SPDX-License-Identifier: MIT
 * ali3-link: participants that exchange values step by step. Parts: main.c the command line, file.c the keys of LINK.yaml,
 * wires.c the wires between participants, run.c the exchange in lockstep, pace.c the exchange in real time, record.c what they
 * write; osc.c with osc_map.c and osc_start.c a
 * daemon in lockstep, fmu.c with fmu_names.c, fmu_start.c and fmu_child.c an FMU. */
#ifndef LINK_H
#define LINK_H

#include "fmu/units.h"
#include "rt/clock.h"
#include "yaml/schema.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

/* Exit status, a public interface. */
enum { LINK_GOOD = 0, LINK_FAILED = 1, LINK_USAGE = 2, LINK_SILENT = 3 };

/* A number that a wire reads from a participant or writes to it. */
struct slot {
  int signal;       /* its number at the participant */
  char name[160];   /* without the participant */
  const char *unit; /* "": none; NULL: unknown */
  struct measure measure;
  double value;
  uint64_t cycle; /* the value belongs to this cycle of a daemon */
};
struct slots {
  struct slot *slot; /* (count) */
  int count, room;
};

enum progress { WAITS, DONE, FAILED };

struct participant {
  const char *name;
  struct place at; /* in the file */
  const struct participant_kind *kind;
  struct participant_keys {
    const char *osc, *config, *fmu;
    double step; /* s, of an FMU; 0: not given */
  } keys;
  const struct node *start; /* values of an FMU before its initialization; NULL: none */
  char *path; /* the file of keys.config or keys.fmu; a relative one begins in the folder of LINK.yaml */
  struct slots out, in; /* values after the last step, and for the next one */
  bool known;           /* out has values */
  bool paced;           /* real time: see link.paced */
  double period; /* length of its own steps, s; until all are described, 0: it takes steps of any length */
  double usual_period; /* s, if no participant has a period; 0: unknown */
  int steps;           /* of them in a communication step */
  double time;         /* simulated, s */
  int fd;              /* readable when the participant answers; -1: none yet */
  enum progress progress;
  uint64_t silent_ns, again_ns; /* silent: without a sign of life; again: when to repeat the question */
  char trouble[300];            /* FAILED: the reason, or what it did last */
  /* In real time. */
  uint64_t answers, skipped; /* communication steps that it made, and frames that came meanwhile */
  double longest_s;          /* its longest communication step by the clock */
  bool reported;             /* its silence was */
  void *state;               /* of its kind */
};

/* The functions of a kind of participant. A function that returns false has put the reason into p->trouble. */
struct participant_kind {
  /* Reads what describes the participant: its signals and its period. Prints mistakes to r. */
  bool (*describe)(struct participant *p, struct report *r);
  /* Appends the numbers of a signal or a group to `to`, -1: there is no such signal. near: the most similar name, or NULL. */
  int (*find)(struct participant *p, const char *name, bool input, struct slots *to, const char **near);
  /* Prepares messages after all wires are known. */
  bool (*connect)(struct participant *p);
  /* Leads it to its start. May wait; ends when *stop is set. */
  bool (*start)(struct participant *p, double patience, bool reset, const volatile int *stop);
  void (*begin)(struct participant *p);            /* asks for a communication step with the values of in */
  void (*again)(struct participant *p);            /* asks again, after again_ns */
  enum progress (*receive)(struct participant *p); /* reads what came on fd; DONE: out has the values */
  void (*close)(struct participant *p);
};
extern const struct participant_kind osc_kind, fmu_kind;

enum link_order { JACOBI, GAUSS_SEIDEL };

/* One number that goes from a participant to another. */
struct connection {
  struct participant *from, *to;
  int out, in; /* slots */
  double scale, offset, initial;
};

struct link {
  struct yaml tree;
  struct report report;
  struct participant *participant; /* (participants) in the order of the file */
  int participants;
  struct connection *connection; /* (connections) */
  int connections, room;
  int order, steps;      /* steps: of the longest period in a communication step */
  double patience, step; /* step: a communication step, s */
  bool reset;
  bool paced; /* by the frames of one daemon that has a clock */
};

/* Reads the file, and connects the wires. False after printing every mistake; the caller calls link_close() in both cases. */
bool link_read(struct link *l, const char *file, bool paced);
extern const struct section wire_section; /* keys of a wire */
bool link_wire(struct link *l, const struct node *wires);
void link_close(struct link *l);
/* Values for one participant along its wires; NULL: for all. */
void link_carry(struct link *l, const struct participant *to);
void link_print(const struct link *l, FILE *out, bool json); /* what --check shows */

/* A new slot, or NULL when out of memory. unit: a unit of our files, or NULL. */
struct slot *slots_add(struct slots *s, int signal, const char *name, const char *unit);
bool participant_fail(struct participant *p, const char *format, ...) __attribute__((format(printf, 2, 3)));

struct run_options {
  uint64_t steps; /* communication steps; UINT64_MAX: until a signal */
  const char *record;
  bool json, quiet;
  const volatile int *stop; /* set by a signal: the run ends */
};
/* Longest wait between two looks at a participant. */
#define LOOK_NS (NS_PER_S / 20)
/* Silence since the last look, ns; *last_ns becomes now. This program may be held up, too: a longer time between two looks is
 * no silence of a participant. */
uint64_t count_look(uint64_t *last_ns);
/* Runs the exchange, in lockstep or in real time. Returns the exit status. */
int link_run(struct link *l, const struct run_options *o);
int link_run_frames(struct link *l, const struct run_options *o);

/* --- record.c --- */

struct record;
struct record *record_open(const char *file, const struct link *l); /* NULL after printing the reason */
bool record_row(struct record *r, double time);
bool record_close(struct record *r);
/* How a run ended, on stdout. */
struct run_end {
  int status;
  uint64_t steps, repeats;
  double time, wall_s;
  const struct participant *culprit; /* NULL: none */
};
void report_end_of_run(const struct link *l, const struct run_end *e, bool json);

#endif
