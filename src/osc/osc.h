/* SPDX-License-Identifier: MIT
 * OSC over UDP: state out to fixed targets and to subscribers, inputs and commands in. The address space is
 * in the README.
 *
 * One ordinary thread does both ways: it sleeps on the port's eventfd and on the socket. It never touches the
 * loop except through its port. */
#ifndef OSC_OSC_H
#define OSC_OSC_H

#include "transport/endpoint.h"
#include "wire/peers.h"
#include "wire/streams.h"

#include <stdbool.h>

struct osc_target { /* a fixed receiver */
  const char *host; /* numeric; of a multicast group: IPv4 */
  int port;
  int divisor;        /* every n-th cycle, >= 1 */
  bool doubles;       /* 64-bit profile instead of the 32-bit one */
  enum stream stream; /* what it gets */
  const char
      *interface; /* multicast: numeric address of the interface it leaves by; NULL: the system's choice */
  int ttl;        /* multicast: routers it may pass, and one */
};

struct osc_config {
  const char *bind;   /* numeric address to listen on, IPv4 or IPv6 */
  int port;           /* 0: any free one, see osc_port() */
  const char *prefix; /* "/ali3" */
  const struct osc_target *target;
  int targets;
  double period;                     /* s of a cycle */
  const char *const *body_name;      /* (signals->bodies) */
  const struct mapping *map;         /* NULL: no addresses of the user's own */
  const struct peers *peers;         /* NULL: everybody may do everything */
  const char *const *injection_name; /* (injections) faults one can switch on */
  int injections;
};

/* The endpoint: its configuration is one struct osc_config. It sends the newest frame a last time before it stops. */
extern const struct protocol osc_protocol;

/* The UDP port that a running endpoint listens on. */
int osc_port(const struct endpoint *e);

#endif
