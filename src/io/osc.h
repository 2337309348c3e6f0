/* SPDX-License-Identifier: MIT
 * OSC: state out to fixed targets, inputs and commands in. Two ordinary threads (out: woken by the port's eventfd; in:
 * liblo). Neither touches the loop except through its port. */
#ifndef IO_OSC_H
#define IO_OSC_H

#include "signals/counters.h"
#include "signals/exchange.h"
#include "signals/signals.h"

#include <stdbool.h>

struct osc_target {
  const char *host; /* numeric */
  int port;
  int divisor;
  bool doubles;
};

struct osc_config {
  const char *bind;   /* numeric address to listen on */
  int port;
  const char *prefix; /* "/ali3" */
  const struct osc_target *target;
  int targets;
  double period;      /* s of a cycle */
  const char *const *body_name; /* (signals->bodies) */
};

struct osc;

/* Opens the sockets and starts the threads (SCHED_OTHER, own stacks, all signals blocked). NULL on failure, the reason in
 * error[size]. Pointers in config must live as long as the result; port and counters too. */
struct osc *osc_start(const struct osc_config *config, const struct signals *signals, struct port *port,
                      struct counters *counters, char *error, size_t size);
/* Stops and joins the threads, closes the sockets. */
void osc_stop(struct osc *o);

#endif
