/* SPDX-License-Identifier: MIT
 * A complete loop with its surroundings: a model from a file, inputs, two ports, telemetry, workers. For tests of the
 * cost of everything together. */
#ifndef TESTS_RT_RIG_H
#define TESTS_RT_RIG_H

#include "loop/cycle.h"
#include "rt/pool.h"
#include "settings/settings.h"

struct rig_file {
  const char *name; /* relative to the tests */
  bool extrapolate;
};
/* Joints, loops, drives, contacts, friction, tables, sensors, inputs of all kinds, a platform; large and small. */
enum { RIG_FILES = 6 };
extern const struct rig_file rig_files[RIG_FILES];

struct loop_rig {
  struct settings *settings;
  struct signals *signals;
  struct telemetry *telemetry;
  struct frames_writer frames;
  struct port port[2];
  struct port *ports[2];
  struct pool *pool; /* woken for any work */
  struct cycle cycle;
  uint32_t seen;   /* bit i: state i was published */
  uint64_t number; /* number of cycles made here, which schedules the events */
};

/* Set-up; fails the test on any failure. */
void rig_set_up(struct loop_rig *r, const struct rig_file *file, int workers);
void rig_tear_down(struct loop_rig *r);

/* Begins on a schedule far in the future, so that the speed of the machine does not matter. */
void rig_begin(struct loop_rig *r);
/* Cycles in which a bench does everything it may: reads frames, sends inputs, commands and too many of them, an e-stop,
 * a force that breaks the model, and causes a miss. No assertions: for any thread. */
void rig_cycles(struct loop_rig *r, int cycles);
/* True if the cycles so far went through all states that the model allows. */
bool rig_saw_all(const struct loop_rig *r);

#endif
