/* SPDX-License-Identifier: MIT
 * Everything a configuration file says, read, checked and ready to use. */
#ifndef CONFIG_SETTINGS_H
#define CONFIG_SETTINGS_H

#include "inputs/inject.h"
#include "loop/cycle_settings.h"
#include "loop/platform_drive.h"
#include "signals/signals.h"
#include "wire/packet.h"
#include "wire/peers.h"
#include "wire/streams.h"
#include "wire/wire.h"
#include "yaml/places.h"

#include <ali3/ali3.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct settings_target { /* a fixed receiver of OSC */
  char *host;            /* numeric address */
  int port;
  int divisor;     /* every n-th cycle */
  bool doubles;    /* d profile instead of f */
  int stream;      /* enum stream */
  char *interface; /* numeric address, for a multicast group; NULL: any */
  int ttl;         /* of multicast */
};

/* A serial line for Modbus RTU. */
struct settings_serial {
  char *path; /* NULL: none */
  int baud;
  int parity;    /* in PARITIES: none, even, odd */
  int stop_bits; /* 1 or 2 */
};
extern const char SETTINGS_PARITY[3]; /* 'N', 'E', 'O', as libmodbus has them */

struct settings_device { /* a Modbus device that is polled */
  char *name;
  char *host; /* numeric address; NULL: on the serial line */
  int port;
  struct settings_serial serial;
  int unit;
  double period, timeout; /* s */
  int alive;              /* holding register that changes while its program lives; -1: none */
  struct wiring map;      /* inputs are read from it, all else is written to it */
};

enum { WORKERS_AUTO = -1 };

struct settings {
  ali3_model *model;    /* frozen */
  struct places places; /* of its elements */
  ali3_options options; /* as frozen; options.dt is the period of the cycle */
  double duration;      /* s, simulation.duration; 0: none given */

  struct cycle_settings cycle; /* autostart: with a platform never AUTOSTART_ON */
  struct {
    int priority; /* SCHED_FIFO 1..99 */
    int cpu;      /* -1: any */
    int workers;  /* threads beside the loop that share a step; or WORKERS_AUTO: as many as are worth it */
    bool lock_memory;
    int wake_limit; /* us a processor may take to wake; -1: as long as it likes */
  } realtime;
  struct {
    bool enabled;
    struct platform_setup setup;
  } platform;               /* the motion platform */
  struct input_spec *input; /* (inputs) those on bodies have two loads each in the model */
  int inputs;
  struct signals *signals; /* of the model, the inputs, the platform, and the figures of the loop */
  struct {
    bool enabled;
    char *bind;   /* numeric address, default 127.0.0.1 */
    int port;     /* default 9100 */
    char *prefix; /* default "/ali3" */
    struct settings_target *target;
    int targets;
    struct peers peers;
    struct mapping map; /* addresses of the user's own */
  } osc;
  struct {
    bool enabled;
    char *bind;
    int port;        /* default 1502 */
    int max_clients; /* default 8, at most 16 */
    bool tcp;        /* listen on the port; else on the serial line only */
    struct settings_serial serial;
    int unit;          /* our own on the serial line */
    int word_order;    /* enum wire_order of all numbers */
    bool default_map;  /* bodies, sensors and inputs stand at their usual addresses */
    struct wiring map; /* beside it */
    struct peers peers;
  } modbus;
  struct injection *injection; /* (injections) faults that may be put into the inputs */
  int injections;
  struct settings_device *device; /* (devices) */
  int devices;
  struct packet *packet; /* (packets) of own layout */
  int packets;
  char *instance; /* telemetry.name; default: the model's name */

  /* of their text: differ where it does; see node_print() */
  uint64_t model_print, inputs_print, injections_print, wiring_print; /* the last: peers, maps and devices */
  uint64_t packets_print;
};

/* Overrides from the command line, applied before the model is frozen. Negative or 0: keep what the file
 * says. */
struct settings_overrides {
  double dt;
  int iterations;
  double alpha;
  int substeps;
  bool extrapolate; /* false: keep */
  const char *isa;  /* as simulation.isa; NULL: keep */
  bool again;       /* FILE is read again while the loop runs: it may not be a pipe */
};

/* Reads FILE. On any mistake prints every message it can to `errors` as
 *   FILE:LINE:COLUMN: error: TEXT
 * with the source line and a caret below, and returns NULL. The result never needs the file again.
 * FILE and the files that it names are regular files of at most TEXT_FILE_MB; FILE may also be a pipe. */
struct settings *settings_load(const char *file, const struct settings_overrides *over, FILE *errors);
void settings_free(struct settings *s);

/* The lines of the drives or gears of a violation, " (lines 8 and 9)"; empty where it has none. */
void settings_drive_lines(const struct settings *s, const ali3_violation *v, char *text, size_t size);

#endif
