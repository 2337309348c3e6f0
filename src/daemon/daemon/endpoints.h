/* SPDX-License-Identifier: MIT
 * The surroundings of the loop: telemetry, wake-up event, and an endpoint for every protocol with its ports. */
#ifndef DAEMON_ENDPOINTS_H
#define DAEMON_ENDPOINTS_H

#include "settings/settings.h"
#include "telemetry/shm.h"
#include "transport/endpoint.h"

#include <stdbool.h>

enum { ENDPOINTS = 4 };

struct endpoints {
  struct telemetry *telemetry;
  struct telemetry_left left; /* block of a killed daemon with this name */
  struct wakeup *wakeup;
  struct endpoint endpoint[ENDPOINTS]; /* one for every protocol, also for those that are off */
  struct port *port[PORTS_MAX];        /* (ports) ports in use */
  int ports;
  int stamps;                /* kernel_stamp_hold() */
  struct port *param_server; /* the last one: of the thread that keeps states and parameters */

  /* private */
  const struct settings *settings;
  struct port *place;
};

/* Set-up: makes the endpoints from the settings, which must outlive them. Opens nothing. Call endpoints_close()
 * afterwards. */
void endpoints_list(struct endpoints *all, const struct settings *s);
/* After endpoints_list(): opens telemetry and ports. Returns false on failure, with the reason in error[size]. */
bool endpoints_open(struct endpoints *all, char *error, size_t size);
/* The port of a source; NULL: none. */
struct port *endpoints_port_of(const struct endpoints *all, int source);
/* Opens the sockets and starts the threads of the protocols. Returns false on failure, with the reason in error[size]. */
bool endpoints_start(struct endpoints *all, char *error, size_t size);
/* Stops the threads first; no thread, the loop included, may use the ports any more. */
void endpoints_close(struct endpoints *all);

/* Commands that were dropped because a ring was full. */
uint64_t endpoints_commands_dropped(struct endpoints *all);

/* The open places, for people: "OSC 127.0.0.1:9100, Modbus 127.0.0.1:1502, 2 devices, packet rig on /dev/ttyUSB0 115200
 * 8N1". */
void endpoints_text(const struct endpoints *all, char *text, size_t size);

#endif
