/* SPDX-License-Identifier: MIT
 * What stands around the loop: the telemetry, the bell, and an endpoint for every protocol, with its ports. */
#ifndef DAEMON_ENDPOINTS_H
#define DAEMON_ENDPOINTS_H

#include "config/settings.h"
#include "telemetry/shm.h"
#include "transport/endpoint.h"

#include <stdbool.h>

enum { ENDPOINTS = 4, PORTS_MAX = 3 + DEVICES_MAX };

struct endpoints {
  struct telemetry *telemetry;
  struct telemetry_left left; /* what a killed daemon of this name left behind */
  struct bell *bell;
  struct endpoint endpoint[ENDPOINTS]; /* of every protocol, also of those that are off */
  struct port *port[PORTS_MAX];        /* (ports) those in use */
  int ports;

  /* private */
  const struct settings *settings;
  struct port *place;
};

/* Set-up: the endpoints as the settings say, which must live as long. Opens nothing; endpoints_close()
 * is due after it. */
void endpoints_list(struct endpoints *all, const struct settings *s);
/* After endpoints_list(): telemetry and ports. False on failure, the reason in error[size]. */
bool endpoints_open(struct endpoints *all, char *error, size_t size);
/* Opens the sockets and starts the threads of the protocols. False on failure, the reason in error[size]. */
bool endpoints_start(struct endpoints *all, char *error, size_t size);
/* Stops the threads first: nobody may use the ports any more, the loop included. */
void endpoints_close(struct endpoints *all);

/* Commands that found no room in a ring. */
uint64_t endpoints_commands_dropped(struct endpoints *all);

/* "OSC 127.0.0.1:9100, Modbus 127.0.0.1:1502, 2 devices, packet rig on /dev/ttyUSB0 115200 8N1": what is open, for people. */
void endpoints_text(const struct endpoints *all, char *text, size_t size);

#endif
