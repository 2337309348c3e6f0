/* SPDX-License-Identifier: MIT
 * The daemon in a box for an exhaustive search: the real loop (cycle_once) with two ports on a body in free fall, a clock that
 * moves by hand, and the real decision of a start after a crash (state_record_decide). Copies of its memory save and load it.
 * There is one world at a time. */
#ifndef TESTS_PROVE_WORLD_H
#define TESTS_PROVE_WORLD_H

#include "box.h"
#include "restart/state_record.h"

enum { WARM_UP = 2, PORTS = 2, TUPLE = 3 };

struct world_kind {
  bool autostart, publish_next, lockstep;
  bool required; /* arm and run need an input, which has the policy safe */
  bool
      stimuli; /* required, and two tables of a few steps drive this input: one by command, one with the motion */
};

/* Events of one cycle. */
struct order {
  uint32_t code; /* 0: none */
  int port;
  uint64_t age_ns; /* time that it waited in a network or queue */
  bool off;        /* a stimulus ends in place of beginning */
};
enum happening { NOTHING, INPUT, MISS, DIVERGE, STUCK, FLAG };
struct act {
  uint64_t dt_ns; /* before the cycle */
  struct order order[TUPLE];
  enum happening what; /* FLAG: an e-stop for which the ring had no room */
};

/* The end of a process, and the state that the next start finds. */
struct ending {
  bool on_purpose; /* false: it is killed */
  bool block;      /* the next start finds the telemetry block */
  enum copy_status file;
  bool lags; /* the state file is that of a cycle before */
};

/* Faults in the daemon that the search has to find. */
enum mutation { SOUND, NO_DELAY, NO_MEMORY, DEAF, FORGETS_RESET, MUTATIONS };

struct answered {
  uint32_t code, result;
  uint64_t t_ns; /* of its reception */
};

/* The view from outside after a cycle. */
struct seen {
  uint32_t state, fault; /* of the loop */
  bool moved;            /* the model did a step that was not discarded */
  struct answered answer[PORTS * TUPLE];
  int answers;
  uint64_t cycle;                 /* number of this one */
  uint64_t frame_cycle, frame_ns; /* of the newest frame */
  uint32_t frame_state;
};

void world_open(const struct world_kind *kind, enum mutation mutation);
void world_close(void);
void world_cycle(const struct act *act, struct seen *seen);
/* Ends and starts again. Returns the decision of the start. */
struct last_run world_restart(const struct ending *ending);

/* The part of the memory that decides the future: equal keys have equal futures. */
struct world_key {
  uint32_t state, fault, frame_state, live_fault, misses;
  uint32_t stop_since, file_fault, before_fault, since, to_warm, input_age, input_state, input_missing, owed,
      input_owner, input_heard, stimulus[2];
  bool disarmed, loaded, live_disarmed, shown, stop_shown, file_disarmed, before_disarmed, missed;
};
void world_key(struct world_key *key);
uint64_t world_now(void);

/* A copy of the present memory, world_size() bytes. */
size_t world_size(void);
void world_save(void *copy);
void world_load(const void *copy);

#endif
