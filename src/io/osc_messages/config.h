/* SPDX-License-Identifier: MIT
 * Settings of the OSC endpoint: the section `osc` of a configuration file, and the names of what the endpoint serves. */
#ifndef OSC_MESSAGES_CONFIG_H
#define OSC_MESSAGES_CONFIG_H

#include "wire/peers.h"
#include "wire/streams.h"

#include <stdbool.h>

struct osc_target { /* a fixed receiver */
  char *host;       /* numeric address; a multicast group must be IPv4 */
  int port;
  int divisor;        /* sends every n-th cycle, >= 1 */
  bool doubles;       /* 64-bit profile instead of the 32-bit one */
  enum stream stream; /* stream that the target receives */
  char *interface;    /* multicast: numeric address of the outgoing interface; NULL: the system chooses */
  int ttl;            /* multicast: time to live; n crosses n - 1 routers */
};

struct osc_config {
  bool enabled;
  char *bind;                /* numeric address to listen on, IPv4 or IPv6 */
  int port;                  /* 0: any free port, see osc_port() */
  char *prefix;              /* "/ali3" */
  struct osc_target *target; /* (targets) */
  int targets;
  struct mapping map;          /* addresses that the user maps */
  struct peers peers;          /* without a rule everybody has all rights */
  double period;               /* duration of a cycle, s */
  const char **body_name;      /* (signals->bodies) */
  const char **injection_name; /* (injections) faults that a client can switch on */
  int injections;
  const char **stimulus_name; /* (stimuli) tables that a client can start */
  int stimuli;
};

#endif
