/* SPDX-License-Identifier: MIT
 * One interface for OSC, the Modbus server, polled devices and packets. A protocol is a table of functions. An endpoint
 * is a protocol with its configuration and ports and, while it runs, with its state and threads. The daemon works on an
 * array of endpoints and knows no protocol. */
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

/* A serial line of an endpoint, as the supervisor sees it. */
struct endpoint_line {
  char who[80];     /* "packet rig" */
  const char *path; /* NULL: this item has no serial line */
  bool lost;        /* the line has disappeared and is not back yet */
};

/* NULL stands for a function that the protocol does not need. */
struct protocol {
  const char *name; /* name of its port and prefix of its messages: "osc" */
  const char *off;  /* text of endpoint_text() for an endpoint that is off; NULL: none */
  size_t state;     /* bytes of the state, which starts as zeros */
  int source;       /* source of the first port: SOURCE_OSC, ... */
  bool event;       /* a thread sleeps on the event of the port */
  /* The name of port i. NULL: there is one port with the name of the protocol. */
  const char *(*port_name)(const struct endpoint *e, int i);
  /* Marks the signals that the frames of port i carry. NULL: all signals. */
  void (*select)(const struct endpoint *e, int i, bool *wanted);

  /* Opens everything and starts the threads. Returns false on failure, with the reason in error[size]. */
  bool (*start)(struct endpoint *e, char *error, size_t size);
  /* The stop event is set: shortens the waits of the threads. */
  void (*hurry)(struct endpoint *e);
  /* Frees everything that start() made, also after start() failed. */
  void (*close)(struct endpoint *e);

  /* The open places, for people: "OSC 127.0.0.1:9100". Only while the endpoint runs. */
  void (*text)(const struct endpoint *e, char *text, size_t size);
  /* The description for tools, which the caller frees; NULL: none. Only while the endpoint runs. */
  char *(*describe)(const struct endpoint *e, const char *instance);
  /* Adds all rows of the map. Needs no port. Returns false when out of memory. */
  bool (*map)(const struct endpoint *e, struct io_map *map);
  /* Serial line i; callable from any thread while the endpoint runs. Returns false if there are no more. */
  bool (*line)(const struct endpoint *e, int i, struct endpoint_line *line);
};

struct endpoint {
  const struct protocol *protocol;
  const void *config; /* (count) of the protocol's type */
  int count;          /* 0: the endpoint is off */
  const struct signals *signals;
  struct counters *counters;
  struct port *port;        /* (endpoint_ports()) */
  struct device_view *view; /* (endpoint_ports()) view of a device in telemetry; NULL: none */

  /* Valid while the endpoint runs. */
  void *state;
  int stop; /* readable once the threads must end; nobody reads it */
  pthread_t thread[DEVICES_MAX];
  int threads;
};

int endpoint_ports(const struct endpoint *e);
const char *endpoint_port_name(const struct endpoint *e, int i);

/* Set-up. Opens sockets and lines and starts the threads (SCHED_OTHER, own stacks, all signals blocked). Returns false
 * on failure, with the reason in error[size] and nothing left open. All objects that the endpoint points to must
 * outlive it. */
bool endpoint_start(struct endpoint *e, char *error, size_t size);
/* Ends and joins the threads and closes everything. Does nothing if the endpoint does not run. */
void endpoint_stop(struct endpoint *e);
static inline bool endpoint_runs(const struct endpoint *e)
{
  return e->state != NULL;
}

/* For start(): starts one more thread. Returns false on failure, with the reason in error[size]. */
bool endpoint_run(struct endpoint *e, const char *name, int stack_kb, void *(*run)(void *), void *arg,
                  char *error, size_t size);
/* For start(): writes to error[size] that the endpoint cannot start, and why (`code` is an errno). Returns false. */
bool endpoint_fail(const struct endpoint *e, int code, char *error, size_t size);

/* A text for people: the open places, or that the endpoint is off; may be "". */
void endpoint_text(const struct endpoint *e, char *text, size_t size);

#endif
