/* SPDX-License-Identifier: MIT
 * What stands around the loop: the signal table, the telemetry, a port for every protocol that is on, and its
 * thread. */
#ifndef DAEMON_BENCH_H
#define DAEMON_BENCH_H

#include "config/settings.h"
#include "modbus/client.h"
#include "modbus/server.h"
#include "osc/osc.h"
#include "packets/packets.h"
#include "signals/exchange.h"
#include "signals/signals.h"
#include "telemetry/shm.h"

#include <stdbool.h>

enum { BENCH_PORTS = 3 + DEVICES_MAX };

struct bench {
  const struct signals *signals; /* of the settings */
  struct telemetry *telemetry;
  struct telemetry_left left; /* what a killed daemon of this name left behind */
  struct bell *bell;
  struct port *port[BENCH_PORTS]; /* (ports) those in use */
  int ports;

  /* private */
  const struct settings *settings;
  struct port osc_port, modbus_port, packets_port, device_port[DEVICES_MAX];
  struct osc *osc; /* NULL: off */
  struct modbus_server *modbus;
  struct modbus_client *client; /* NULL: there are no devices */
  struct packets *packets;      /* NULL: there are none */
};

/* Set-up: everything but the sockets and threads. Settings must live as long as the bench. False on failure,
 * the reason in error[size]; bench_close() is due either way. */
bool bench_open(struct bench *b, const struct settings *s, char *error, size_t size);
/* Opens the sockets and starts the threads of the protocols. Likewise. */
bool bench_start(struct bench *b, char *error, size_t size);
/* Stops the threads first: nobody may use the ports any more, the loop included. */
void bench_close(struct bench *b);

/* Commands that found no room in a ring. */
uint64_t bench_commands_dropped(struct bench *b);

/* "OSC 127.0.0.1:9100, Modbus 127.0.0.1:1502, 2 devices, packet rig on /dev/ttyUSB0 115200 8N1": what is open, for people. */
void bench_text(const struct bench *b, char *text, size_t size);

#endif
