/* SPDX-License-Identifier: MIT
 * What OSC is told at its start: the section `osc` of a configuration file, and the names of what it serves. */
#ifndef OSC_CONFIG_H
#define OSC_CONFIG_H

#include "wire/peers.h"
#include "wire/streams.h"

#include <stdbool.h>

struct osc_target { /* a fixed receiver */
  char *host;       /* numeric; of a multicast group: IPv4 */
  int port;
  int divisor;        /* every n-th cycle, >= 1 */
  bool doubles;       /* 64-bit profile instead of the 32-bit one */
  enum stream stream; /* what it gets */
  char *interface; /* multicast: numeric address of the interface it leaves by; NULL: the system's choice */
  int ttl;         /* multicast: routers it may pass, and one */
};

struct osc_config {
  bool enabled;
  char *bind;                /* numeric address to listen on, IPv4 or IPv6 */
  int port;                  /* 0: any free one, see osc_port() */
  char *prefix;              /* "/ali3" */
  struct osc_target *target; /* (targets) */
  int targets;
  struct mapping map;          /* addresses of the user's own */
  struct peers peers;          /* no rule: everybody may do everything */
  double period;               /* s of a cycle */
  const char **body_name;      /* (signals->bodies) */
  const char **injection_name; /* (injections) faults one can switch on */
  int injections;
};

#endif
