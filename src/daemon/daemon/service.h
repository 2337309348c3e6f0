/* SPDX-License-Identifier: MIT
 * Messages to the service manager, in the protocol of sd_notify(3). sd_notify() itself waits while the manager takes
 * no messages. The thread that speaks here also writes the log, takes signals and watches the loop, so it must not wait.
 * For one thread. */
#ifndef DAEMON_SERVICE_H
#define DAEMON_SERVICE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/un.h>

enum { SERVICE_STATES = 8, SERVICE_TEXT = 64 };

struct service {
  /* private */
  int socket; /* -1: no service manager */
  struct sockaddr_un address;
  socklen_t address_size; /* bytes of `address` in use */
  char state[SERVICE_STATES][SERVICE_TEXT];
  int states;                /* states that the manager has not taken yet, the oldest first */
  uint64_t refused_since_ns; /* the manager has taken nothing since this time; 0: it takes messages */
  bool reported;             /* the log has a line about it */
};

/* Finds the manager in NOTIFY_SOCKET. */
void service_open(struct service *m);
void service_close(struct service *m);

/* The time within which the manager wants a sign of life of this process, sd_watchdog_enabled(3); 0: it wants none. */
uint64_t service_watchdog_ns(void);

/* Sends lines that are worth nothing later: STATUS, WATCHDOG, EXTEND_TIMEOUT_USEC. Returns false if the manager does not
 * take them now. Without a manager it returns true. */
bool service_tell(struct service *m, const char *lines);

/* Sends a change of state (READY, RELOADING, STOPPING). If the manager does not take it now, service_tick() tries again. */
void service_change(struct service *m, const char *lines);
/* Call once a tick. The log gets a line if the manager takes nothing for some seconds, and when it takes messages
 * again. */
void service_tick(struct service *m, uint64_t now_ns);

#endif
