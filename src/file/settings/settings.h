/* SPDX-License-Identifier: MIT
 * The contents of a configuration file, read and checked. Each consumer has its own struct. */
#ifndef SETTINGS_SETTINGS_H
#define SETTINGS_SETTINGS_H

#include "frames/settings.h"
#include "inputs/inject.h"
#include "inputs/stimuli.h"
#include "loop/cycle_settings.h"
#include "machine/platform_drive.h"
#include "machine/rig_drive.h"
#include "modbus_client/device_config.h"
#include "modbus_server/config.h"
#include "osc_messages/config.h"
#include "rt/realtime_settings.h"
#include "scene/visual.h"
#include "signals/signals.h"
#include "signals/state_settings.h"
#include "wire/packet.h"
#include "yaml/places.h"

#include <ali3/options.h>
#include <ali3/stepper.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

enum start { START_GIVEN, START_REST };

struct settings {
  ali3_model *model;           /* frozen */
  struct places places;        /* lines of its elements */
  struct scene_visual *visual; /* (visuals) shapes for pictures */
  int visuals;
  ali3_options options; /* as frozen; options.dt is the period of the cycle */
  double duration;      /* s, simulation.duration; 0: not given */
  int start;            /* enum start */

  struct cycle_settings cycle; /* autostart: with a platform never AUTOSTART_ON */
  struct realtime_settings realtime;
  struct platform_setup platform; /* the motion platform */
  struct rig_setup rig;           /* what comes back from it */
  struct input_spec *input;       /* (inputs) an input on a body has two loads in the model */
  int inputs;
  struct signals *signals; /* signals of the model, the inputs, the platform and the loop */
  struct osc_config osc;
  struct modbus_config modbus;
  struct injection *injection; /* (injections) faults that a person may inject into inputs */
  int injections;
  struct stimulus *stimulus; /* (stimuli) tables that drive inputs */
  int stimuli;
  struct modbus_device *device; /* (devices) */
  int devices;
  struct packet *packet; /* (packets) */
  int packets;
  char iterations[240]; /* choice of solver.iterations: auto, as one line; empty: the file gives a number */
  int redundant;        /* enum redundant: what becomes of rows that other joints hold */
  char rows[240];       /* choice of solver.redundant, as one line; empty: keep */
  char *instance;       /* telemetry.name; default: the model's name */
  char *
      text; /* the configuration as YAML, with the values of the command line and the model of a file of its own */
  struct frames_settings frames;
  struct record_settings record; /* defaults of recorders */
  struct state_settings state;   /* states that the daemon saves */

  struct key_fingerprints *fingerprints; /* fingerprints of the keys of the file: changes.h */
};

/* The names of all methods of a step, for messages. */
#define METHOD_WORDS "ali3, energy, rk4, dp5, ab4, abm8 or dp8"

/* Overrides from the command line, applied before the model is frozen. Negative or 0: keep the value of the file. */
struct settings_overrides {
  const char *method; /* as solver.method; NULL: keep the value of the file */
  double dt;
  int iterations;
  double alpha;
  int substeps;
  bool extrapolate;       /* false: keep the value of the file */
  const char *isa;        /* as simulation.isa; NULL: keep the value of the file */
  const char *const *set; /* (sets) texts "KEY=VALUE" for the tree of the file: yaml/sets.h */
  int sets;
  bool again; /* FILE is read again while the loop runs: it may not be a pipe */
  /* FILE, which was read once for many runs: their settings have no fingerprints, which a reload needs, and no text, which a
   * recording needs. NULL: FILE is read. */
  const struct yaml *parsed;
  bool
      inner; /* for programs without interfaces: maps, targets, devices, packets and sources of inputs are left out */
};

#endif
