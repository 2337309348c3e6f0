/* SPDX-License-Identifier: MIT
 * The state machine of the daemon. Pure; RT.
 *
 *            machine_warm            arm, r            run, r
 *     INIT ----------------> STOPPED ------> READY -----------+
 *      |  |                   ^   |            |              v    pause
 *      |  +- (autostart, r, a)|---|------------|---------> RUNNING ------> PAUSED
 *      | machine_warm, k      |   |  run, r, a |            ^ | ^            |
 *                             |   +------------|------------+ | +--- run ----+
 *                             |                |              |              |
 *      |                      +----------------+-- stop, park +--------------+
 *      |                      |
 *      |                      | reset          r: only if every required input is fresh
 *      |                      |                a: only if armed; while disarmed an arm waits for rearm.h
 *      +------------------> SAFE  <---- estop, machine_trip, machine_deadline ---- any state except EXIT
 *                           FAULT <---- machine_trip ----------------------------- any state except EXIT
 *
 *     Names without prefix are commands, all by machine_command.      any state -- machine_exit --> EXIT
 *
 *     k: the last run left a stop latched (machine_keep). The machine is disarmed from FAULT, SAFE, or an end of the last
 *     run without an order until the next arm. A jog leads from READY to STOPPED, unless disarmed. With a required input,
 *     reset also leads from RUNNING and PAUSED to STOPPED.
 *
 * Invariants: 1. Only a reset that was received after a frame showed the stop leaves FAULT and SAFE, and it leads to
 * STOPPED. Motion then needs an arm that was received at
 * least REARM_NS after a frame showed STOPPED, and run: no single command, bundle or repeating client suffices.
 * tests/prove searches all states for a way around.
 * 2. `fault` is FAULT_NONE outside FAULT, SAFE, EXIT, and INIT after a run that left a stop latched.
 * 3. The model is in its initial state whenever READY or RUNNING is entered from STOPPED, or in the state that was loaded since.
 * A load needs STOPPED or PAUSED. It leads to PAUSED, and while disarmed to STOPPED. */
#include "machine/machine.h"

#include <stddef.h>

#define COMMANDS (COMMAND_JOG + 1)
#define STATES   (STATE_EXIT + 1)

/* Target state of each command in each state. BACK: the model also returns to its initial state. No command leads to
 * INIT, so its code 0 means that the command is wrong in the state. `step` is refused if the loop has a clock. STOPPED
 * parks the motion platform, so `park` equals `stop`. EXIT stops and parks like SAFE, so an e-stop has no further
 * effect there. A jog moves the platform in STOPPED. From READY it leads there, so that `arm` and `park` lead back. */
enum {
  NO = 0,
  STOP = STATE_STOPPED,
  READY = STATE_READY,
  RUN = STATE_RUNNING,
  PAUSE = STATE_PAUSED,
  SAFE = STATE_SAFE,
  SAME = 0x40, /* any state; the machine does not change */
  BACK = 0x80
};
/* clang-format off */
static const unsigned char TABLE[STATES][COMMANDS] = {
  /* -, init, arm, run, pause, stop, reset, park, estop, step, clear, inject, platform, record, save, load, stimulus, jog */
  [STATE_INIT]    = { NO, NO,        NO,         NO,         NO,    NO,   NO,         NO,   SAFE, NO,   SAME, SAME,  SAME,    SAME, SAME, NO, SAME, NO },
  [STATE_STOPPED] = { NO, STOP|BACK, READY|BACK, RUN|BACK,   NO,    NO,   STOP|BACK,  STOP, SAFE, NO,   SAME, SAME,  SAME,    SAME, SAME, PAUSE, SAME, STOP },
  [STATE_READY]   = { NO, NO,        NO,         RUN,        NO,    STOP, NO,         STOP, SAFE, NO,   SAME, SAME,  SAME,    SAME, SAME, NO, SAME, STOP },
  [STATE_RUNNING] = { NO, NO,        NO,         NO,         PAUSE, STOP, RUN|BACK,   STOP, SAFE, RUN,  SAME, SAME,  SAME,    SAME, SAME, NO, SAME, NO },
  [STATE_PAUSED]  = { NO, NO,        NO,         RUN,        NO,    STOP, PAUSE|BACK, STOP, SAFE, NO,   SAME, SAME,  SAME,    SAME, SAME, PAUSE, SAME, NO },
  [STATE_FAULT]   = { NO, NO,        NO,         NO,         NO,    NO,   STOP|BACK,  NO,   SAFE, NO,   SAME, SAME,  SAME,    SAME, SAME, NO, SAME, NO },
  [STATE_SAFE]    = { NO, NO,        NO,         NO,         NO,    NO,   STOP|BACK,  NO,   SAFE, NO,   SAME, SAME,  SAME,    SAME, SAME, NO, SAME, NO },
  [STATE_EXIT]    = { NO, NO,        NO,         NO,         NO,    NO,   NO,         NO,   SAME, NO,   NO,   NO,    NO,      SAME, SAME, NO, NO, NO },
};
/* clang-format on */

/* The state that each fault leads to. */
static const unsigned char FAULTS[] = {
#define FAULT_ROW(id, code, state, text) [id] = state,
    FAULT_LIST(FAULT_ROW)
#undef FAULT_ROW
};

void machine_init(struct machine *m, bool lockstep)
{
  *m = (struct machine){.state = STATE_INIT, .fault = FAULT_NONE, .lockstep = lockstep};
}

void machine_keep(struct machine *m, enum fault_code fault, bool disarmed)
{
  m->fault = fault;
  m->disarmed = disarmed || fault != FAULT_NONE;
}

/* A FAULT of the last run ends in SAFE: the failed model is gone, but the stop is still latched. */
enum machine_action machine_warm(struct machine *m, bool autostart)
{
  if (m->state != STATE_INIT) return ACTION_NONE;
  m->state = autostart && !m->disarmed ? STATE_RUNNING : STATE_STOPPED;
  if (m->fault != FAULT_NONE) m->state = STATE_SAFE;
  m->misses = 0;
  return ACTION_RESTORE;
}

bool machine_resume(struct machine *m)
{
  if (m->state != STATE_RUNNING && m->state != STATE_STOPPED) return false;
  m->state = STATE_STOPPED;
  m->loaded = true;
  return true;
}

static bool begins_motion(uint32_t code)
{
  return code == COMMAND_ARM || code == COMMAND_RUN;
}

/* A reset that was received before anybody could see the stop was not meant for it. */
static bool is_blind(const struct machine *m, uint32_t code, uint64_t t_ns)
{
  return code == COMMAND_RESET && machine_is_stopped(m) && !(m->stop_shown && t_ns >= m->stop_ns);
}

/* From STOPPED to READY, and from both to RUNNING; also from PAUSED, if the motion begins with a state that was loaded. */
static enum command_result may_begin(const struct machine *m, uint32_t code, bool ready, uint64_t t_ns)
{
  const bool begins = m->state == STATE_PAUSED && m->loaded;
  if (is_blind(m, code, t_ns)) return RESULT_TOO_SOON;
  if (code == COMMAND_JOG) return m->disarmed ? RESULT_WRONG_STATE : RESULT_OK;
  if (m->state != STATE_STOPPED && m->state != STATE_READY && !begins) return RESULT_OK;
  if (!begins_motion(code)) return RESULT_OK;
  if (m->disarmed && code == COMMAND_RUN) return RESULT_WRONG_STATE;
  if (m->disarmed && !rearm_is_due(&m->rearm, t_ns)) return RESULT_TOO_SOON;
  return ready ? RESULT_OK : RESULT_NOT_READY;
}

static enum command_result judge_command(struct machine *m, uint32_t code, bool ready, uint64_t t_ns,
                                         enum machine_action *action)
{
  if (code >= COMMANDS || command_name(code)[0] == '?') return RESULT_BAD_ARGUMENT;
  const unsigned char next = TABLE[m->state][code];
  if (next == NO || (code == COMMAND_STEP && !m->lockstep)) return RESULT_WRONG_STATE;
  if (next == SAME) return RESULT_OK;
  if (code == COMMAND_ESTOP) {
    machine_trip(m, FAULT_ESTOP);
    return RESULT_OK;
  }
  const enum command_result result = may_begin(m, code, ready, t_ns);
  if (result != RESULT_OK) return result;
  enum run_state to = (enum run_state)(next & ~BACK);
  if (code == COMMAND_RESET && m->waits)
    to = STATE_STOPPED; /* reset forgets the inputs, and the motion starts with them */
  if (code == COMMAND_LOAD && m->disarmed) to = STATE_STOPPED; /* PAUSED leads to motion without an arm */
  if (code == COMMAND_ARM) m->disarmed = false;
  if (code == COMMAND_RESET) rearm_begin(&m->rearm);
  if (to != m->state) m->misses = 0;
  m->fault = FAULT_NONE; /* only reset, and the e-stop above, get here from a state with a fault */
  m->state = to;
  /* The motion begins with the state that was loaded, and later ones begin with the initial state again. */
  const bool keeps = m->loaded && begins_motion(code);
  if (next & BACK && !keeps) *action = ACTION_RESTORE;
  if (code == COMMAND_LOAD) *action = ACTION_LOAD;
  m->loaded = *action == ACTION_LOAD || (m->loaded && *action != ACTION_RESTORE && to != STATE_RUNNING);
  return RESULT_OK;
}

enum command_result machine_command(struct machine *m, uint32_t code, bool ready, uint64_t t_ns,
                                    enum machine_action *action)
{
  *action = ACTION_NONE;
  const enum command_result result = judge_command(m, code, ready, t_ns, action);
  if (result != RESULT_OK && m->disarmed && begins_motion(code)) rearm_refused(&m->rearm, t_ns);
  return result;
}

void machine_trip(struct machine *m, enum fault_code fault)
{
  if (fault == FAULT_NONE || (m->state == STATE_EXIT && fault != FAULT_ESTOP)) return;
  if (machine_is_stopped(m) && fault != FAULT_ESTOP) return;
  if (m->state != STATE_EXIT) m->state = FAULTS[fault]; /* in EXIT the next start finds the e-stop */
  m->fault = fault;
  m->misses = 0;
  m->loaded = false;
  m->disarmed = true;
  m->stop_shown = false;
  rearm_begin(&m->rearm);
}

void machine_deadline(struct machine *m, bool missed, int max_misses)
{
  m->misses = missed && m->state == STATE_RUNNING ? m->misses + 1 : 0;
  if (max_misses > 0 && m->misses >= max_misses) machine_trip(m, FAULT_MISSES);
}

void machine_exit(struct machine *m)
{
  m->state = STATE_EXIT;
}

uint32_t machine_flags(const struct machine *m)
{
  static const uint32_t FLAGS[STATES] = {
      [STATE_READY] = FLAG_READY, [STATE_RUNNING] = FLAG_RUNNING, [STATE_PAUSED] = FLAG_PAUSED,
      [STATE_FAULT] = FLAG_FAULT, [STATE_SAFE] = FLAG_SAFE,
  };
  return FLAGS[m->state] | (m->fault == FAULT_ESTOP ? (uint32_t)FLAG_ESTOP : 0);
}
