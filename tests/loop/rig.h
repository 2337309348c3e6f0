/* SPDX-License-Identifier: MIT
 * A whole loop with everything that it meets: a model from a file, inputs, two ports, telemetry, workers. For tests of
 * what all of that together costs. */
#ifndef TESTS_RT_RIG_H
#define TESTS_RT_RIG_H

#include "config/settings.h"
#include "loop/cycle.h"
#include "rt/pool.h"

struct rig_file {
  const char *name; /* relative to the tests */
  bool extrapolate;
};
/* Joints, loops, drives, contacts, friction, tables, sensors, inputs of all kinds, a platform; large and small. */
enum { RIG_FILES = 6 };
extern const struct rig_file rig_files[RIG_FILES];

struct rig {
  struct settings *settings;
  struct signals *signals;
  struct telemetry *telemetry;
  struct frames_writer frames;
  struct port port[2];
  struct port *ports[2];
  struct pool *pool; /* woken for anything */
  struct cycle cycle;
  uint32_t seen;   /* bit i: the state i was published */
  uint64_t number; /* of the cycles made here, for what comes at which */
};

/* Set-up; fails the test if anything does. */
void rig_set_up(struct rig *r, const struct rig_file *file, int workers);
void rig_tear_down(struct rig *r);

/* Begins along a schedule that lies far ahead, so that nothing depends on how fast the machine is. */
void rig_begin(struct rig *r);
/* Cycles in which a bench does all it may: reads frames, sends inputs, commands and too many of them, an e-stop, a force
 * that breaks the model, and makes a deadline be missed. No assertions: for any thread. */
void rig_cycles(struct rig *r, int cycles);
/* True if the cycles so far have been through all states that the model lets them. */
bool rig_saw_all(const struct rig *r);

#endif
