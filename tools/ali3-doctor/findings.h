/* SPDX-License-Identifier: MIT
 * The findings about a host. */
#ifndef ALI3_DOCTOR_FINDINGS_H
#define ALI3_DOCTOR_FINDINGS_H

#include <stdbool.h>

enum finding_state {
  FINDING_OK,
  FINDING_INFO,    /* information, does not count */
  FINDING_UNKNOWN, /* could not be read, does not count */
  FINDING_WARN,    /* the host is usable at best */
  FINDING_BAD,     /* the host is unfit */
};

struct finding {
  const char *id;
  const char *why; /* why it matters */
  enum finding_state state;
  bool measured;   /* measured in this run, not read */
  char found[288]; /* what was found */
  char fix[384];   /* commands or lines of configuration; "" if nothing needs to be done */
};

enum { FINDINGS_MAX = 48 };

struct findings {
  int count;
  struct finding list[FINDINGS_MAX];
};

/* Adds a finding; the text has the form of printf. */
__attribute__((format(printf, 5, 6))) struct finding *finding_add(struct findings *all, const char *id,
                                                                  const char *why, enum finding_state state,
                                                                  const char *found, ...);
__attribute__((format(printf, 2, 3))) void finding_fix(struct finding *f, const char *fix, ...);
/* "ok", "info", "unknown", "warn", "bad" */
const char *finding_word(enum finding_state state);

#endif
