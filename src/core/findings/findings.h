/* SPDX-License-Identifier: MIT
 * Findings: a list of likely mistakes in a mechanism, and of figures that a user should know. Set-up only: this code allocates,
 * makes steps, and takes up to seconds. It prints nothing and knows no file. */
#ifndef FINDINGS_FINDINGS_H
#define FINDINGS_FINDINGS_H

#include <ali3/types.h>

enum finding_severity { FINDING_INFO, FINDING_WARNING, FINDING_ERROR };

/* X(id, name): `name` is part of the interface of --check=json. Findings of one severity have the order of this list, which
 * begins with the likeliest mistakes. */
#define FINDING_LIST(X)                                                                                      \
  X(FINDING_LENGTHS, "lengths-out-of-proportion")                                                            \
  X(FINDING_MASSES, "mass-out-of-proportion")                                                                \
  X(FINDING_INERTIA, "inertia-out-of-proportion")                                                            \
  X(FINDING_DEGREES, "degrees-for-radians")                                                                  \
  X(FINDING_FRAME, "world-coordinates")                                                                      \
  X(FINDING_DRIVE_REACH, "drive-out-of-reach")                                                               \
  X(FINDING_DRIVES_FIGHT, "drives-fight")                                                                    \
  X(FINDING_DRIVE_LOCKED, "drive-on-locked-joint")                                                           \
  X(FINDING_LOCKED, "locked")                                                                                \
  X(FINDING_START, "start")                                                                                  \
  X(FINDING_UNHELD, "unheld")                                                                                \
  X(FINDING_LOOSE_END, "loose-end")                                                                          \
  X(FINDING_RATES, "velocity-not-possible")                                                                  \
  X(FINDING_OPEN, "joint-open")                                                                              \
  X(FINDING_STOP, "stop-violated")                                                                           \
  X(FINDING_CONTACT, "contact-violated")                                                                     \
  X(FINDING_GRAVITY, "gravity")                                                                              \
  X(FINDING_SINGULAR, "singular-start")                                                                      \
  X(FINDING_STEP, "step-fails")                                                                              \
  X(FINDING_PASS, "singular-pass")                                                                           \
  X(FINDING_UNDETERMINED, "reactions-not-determined")                                                        \
  X(FINDING_LIGHT, "light-body")                                                                             \
  X(FINDING_TURNS, "turns-too-far")                                                                          \
  X(FINDING_ACCURACY, "accuracy")                                                                            \
  X(FINDING_RETRY, "retry")                                                                                  \
  X(FINDING_SETTINGS, "settings")                                                                            \
  X(FINDING_FREEDOMS, "freedoms")                                                                            \
  X(FINDING_PART, "part")                                                                                    \
  X(FINDING_REDUNDANT, "redundant")                                                                          \
  X(FINDING_GROUNDED, "grounded")                                                                            \
  X(FINDING_SOFT, "soft-elements")                                                                           \
  X(FINDING_REACTION, "largest-reaction")                                                                    \
  X(FINDING_DRIVE_LOAD, "largest-drive-load")                                                                \
  X(FINDING_SKIPPED, "skipped")

enum finding_id {
#define FINDING_ENUM(id, name) id,
  FINDING_LIST(FINDING_ENUM)
#undef FINDING_ENUM
      FINDING_IDS
};

const char *finding_name(enum finding_id id);               /* static string; NULL when out of range */
const char *finding_severity_name(enum finding_severity s); /* "info", "warning", "error" */

enum finding_kind { FINDING_OF_MODEL, FINDING_OF_BODY, FINDING_OF_JOINT, FINDING_OF_FORCE };
const char *finding_kind_name(enum finding_kind kind); /* "model", "body", "joint", "force" */

enum { FINDING_NUMBERS = 6, FINDING_TEXT = 1000 };

struct finding {
  enum finding_severity severity;
  enum finding_id id;
  enum finding_kind kind;
  int index; /* in the model; -1: the whole model */
  struct {
    const char *name, *unit; /* static strings; unit as for signals, "" for a number without a unit */
    double value;
  } number[FINDING_NUMBERS];
  int numbers;
  char text[FINDING_TEXT]; /* one line: the fact, and the remedy */
};

struct findings {
  struct finding *item; /* (count) errors, warnings, infos; the likeliest mistakes first */
  int count;
  char start[2400]; /* ali3_report_text() of the reset */
  int status;       /* result of the reset: ALI3_OK, ALI3_MOVED, or negative */
  int freedoms;     /* with drives and gears; -1: not known, because the mechanism was not assembled */
  int redundant;    /* rigid rows that depend on others; -1: not known */
};

/* Facts of the file that the model does not have. */
struct findings_given {
  bool gravity;           /* the file has the key gravity */
  double accuracy;        /* m, for which settings are recommended; 0: not wanted */
  double step;            /* s, a step on this machine, with options.retry; 0: not measured */
  const char *rows;       /* choice of solver.redundant, as one line; NULL: the solve has all rows */
  const char *iterations; /* choice of solver.iterations: auto, as one line; NULL: the file gives a number */
};

/* Inspects a frozen model. NULL: out of memory. */
struct findings *findings_make(const ali3_model *m, const struct findings_given *given);
void findings_free(struct findings *f);
/* The number of findings of a severity. */
int findings_of(const struct findings *f, enum finding_severity severity);

#endif
