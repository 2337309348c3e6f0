/* SPDX-License-Identifier: MIT
 * One shape for what serves ports of the loop: OSC, the Modbus server, polled devices, packets. A protocol is a constant of its
 * room. An endpoint is a protocol with its configuration and its ports, and, while it runs, with its state and its threads. The
 * daemon works on an array of endpoints and knows nothing else of a protocol. */
#ifndef TRANSPORT_ENDPOINT_H
#define TRANSPORT_ENDPOINT_H

#include "signals/counters.h"
#include "signals/exchange.h"
#include "signals/signals.h"

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

struct device_view;
struct endpoint;
struct io_map;

/* A serial line that an endpoint serves, for whoever watches it. */
struct endpoint_line {
  char who[80];     /* "packet rig" */
  const char *path; /* NULL: this item is not on a line */
  bool lost;        /* it has disappeared, and is not back yet */
};

/* Functions that a protocol has no use for are NULL. */
struct protocol {
  const char *name; /* of its port; begins its messages: "osc" */
  const char *off;  /* what endpoint_text() says where it is off; NULL: nothing */
  size_t state;     /* bytes of the state, which begins as zeros */
  int source;       /* SOURCE_OSC, ...: of the first port */
  bool event;       /* a thread sleeps on the event of the port */
  /* The name of port i. NULL: there is one port, which has the name of the protocol. */
  const char *(*port_name)(const struct endpoint *e, int i);
  /* Marks the signals that the frames of port i are to carry. NULL: all of them. */
  void (*select)(const struct endpoint *e, int i, bool *wanted);

  /* Opens everything and starts the threads. False on failure, the reason in error[size]. */
  bool (*start)(struct endpoint *e, char *error, size_t size);
  /* The threads are told to end: shortens what they wait for. */
  void (*hurry)(struct endpoint *e);
  /* Frees what start() made, also after it failed half-way. */
  void (*close)(struct endpoint *e);

  /* What is open, for people: "OSC 127.0.0.1:9100". Only while it runs. */
  void (*text)(const struct endpoint *e, char *text, size_t size);
  /* The description for tools, to be freed; NULL: there is none. Only while it runs. */
  char *(*describe)(const struct endpoint *e, const char *instance);
  /* Adds everything that the other side can address. Needs no port. False when out of memory. */
  bool (*map)(const struct endpoint *e, struct io_map *map);
  /* Serial line i, as any thread may see it. False: there are no more. Only while it runs. */
  bool (*line)(const struct endpoint *e, int i, struct endpoint_line *line);
};

struct endpoint {
  const struct protocol *protocol;
  const void *config; /* (count) of the protocol's own type */
  int count;          /* 0: it is off */
  const struct signals *signals;
  struct counters *counters;
  struct port *port;        /* (endpoint_ports()) */
  struct device_view *view; /* (endpoint_ports()) what telemetry shows of a device; NULL: nothing */

  /* while it runs */
  void *state;
  int stop; /* readable from the moment on at which the threads are to end; nobody reads it */
  pthread_t thread[DEVICES_MAX];
  int threads;
};

int endpoint_ports(const struct endpoint *e);
const char *endpoint_port_name(const struct endpoint *e, int i);

/* Set-up. Opens sockets and lines and starts the threads (SCHED_OTHER, own stacks, all signals blocked). False on failure, the
 * reason in error[size]; nothing is left then. All that the endpoint points to must live until it is stopped. */
bool endpoint_start(struct endpoint *e, char *error, size_t size);
/* Ends and joins the threads, closes everything. An endpoint that does not run is left alone. */
void endpoint_stop(struct endpoint *e);
static inline bool endpoint_runs(const struct endpoint *e)
{
  return e->state != NULL;
}

/* For start(): one more thread. False on failure, the reason in error[size]. */
bool endpoint_run(struct endpoint *e, const char *name, int stack_kb, void *(*run)(void *), void *arg,
                  char *error, size_t size);
/* For start(): says in error[size] that the endpoint cannot start for the reason `code`, an errno. Returns false. */
bool endpoint_fail(const struct endpoint *e, int code, char *error, size_t size);

/* What is open, or that it is off, for people; "": nothing. */
void endpoint_text(const struct endpoint *e, char *text, size_t size);

#endif
