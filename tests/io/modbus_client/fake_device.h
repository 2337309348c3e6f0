/* SPDX-License-Identifier: MIT
 * A Modbus device made from libmodbus' server, in a thread: over TCP, or on a line that is a pseudo terminal. */
#ifndef TESTS_IO_FAKE_DEVICE_H
#define TESTS_IO_FAKE_DEVICE_H

#include <modbus.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

enum { FAKE_WORDS = 400, FAKE_UNIT = 7, FAKE_FUNCTIONS = 17 };

enum manner {
  ANSWERS,
  KEEPS_SILENT,
  ANSWERS_LATE,   /* after `late_ms` */
  GARBLES,        /* answers with other data */
  HANGS_UP,       /* after a request */
  HAS_NOTHING_AT, /* `nothing`: exception 2 to every request that touches it */
  ANSWERS_AHEAD /* over TCP, to one holding register: sends the answer together with a wrong answer to the next request */
};

struct fake_device {
  int port;      /* of TCP */
  char path[64]; /* of the line; "": TCP */
  _Atomic int manner, late_ms, nothing;
  _Atomic int asked[FAKE_FUNCTIONS]; /* requests, by function */
  _Atomic int ignored;               /* requests without an answer */
  modbus_mapping_t *mapping;         /* guarded by the lock */
  pthread_mutex_t lock;

  /* private */
  modbus_t *context;
  pthread_t thread;
  int reserved, listener, line, keeper, stop, running; /* reserved: keeps the port while nothing listens */
};

/* port 0: any port. */
void fake_start_tcp(struct fake_device *d, int port);
/* The line is available at `path`, a link. */
void fake_start_line(struct fake_device *d, const char *path);
/* Like a kill; the line disappears. The mapping stays for fake_restart(). */
void fake_stop(struct fake_device *d);
void fake_restart(struct fake_device *d);
void fake_free(struct fake_device *d);

uint16_t fake_get(struct fake_device *d, int holding);
int fake_coil(struct fake_device *d, int coil);
void fake_set(struct fake_device *d, int holding, uint16_t word);
int fake_asked(struct fake_device *d);

#endif
