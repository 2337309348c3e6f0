/* SPDX-License-Identifier: MIT
 * The vocabulary of the daemon: states, commands that change them, results of commands, and faults. Every code is part
 * of the OSC and Modbus interfaces and never changes. */
#ifndef SIGNALS_STATES_H
#define SIGNALS_STATES_H

#define RUN_STATE_LIST(X)                                                                                    \
  X(STATE_INIT, 0, "INIT")                                                                                   \
  X(STATE_STOPPED, 1, "STOPPED")                                                                             \
  X(STATE_READY, 2, "READY")                                                                                 \
  X(STATE_RUNNING, 3, "RUNNING")                                                                             \
  X(STATE_PAUSED, 4, "PAUSED")                                                                               \
  X(STATE_FAULT, 5, "FAULT")                                                                                 \
  X(STATE_SAFE, 6, "SAFE")                                                                                   \
  X(STATE_EXIT, 7, "EXIT")
enum run_state {
#define RUN_STATE_ENUM(id, code, text) id = (code),
  RUN_STATE_LIST(RUN_STATE_ENUM)
#undef RUN_STATE_ENUM
};
const char *run_state_name(unsigned state); /* "?" when unknown */

#define COMMAND_LIST(X)                                                                                      \
  X(COMMAND_INIT, 1, "init")                                                                                 \
  X(COMMAND_ARM, 2, "arm")                                                                                   \
  X(COMMAND_RUN, 3, "run")                                                                                   \
  X(COMMAND_PAUSE, 4, "pause")                                                                               \
  X(COMMAND_STOP, 5, "stop")                                                                                 \
  X(COMMAND_RESET, 6, "reset")                                                                               \
  X(COMMAND_PARK, 7, "park")                                                                                 \
  X(COMMAND_ESTOP, 8, "estop")                                                                               \
  X(COMMAND_STEP, 9, "step")                                                                                 \
  X(COMMAND_CLEAR, 10, "clear")                                                                              \
  X(COMMAND_INJECT, 11, "inject") /* argument: twice the index of an injection, plus 1 for on */             \
  X(COMMAND_PLATFORM, 12,                                                                                    \
    "platform") /* argument: index of a parameter of the motion platform, which gets the value */            \
  /* An ordinary thread does the work of the next three, and the loop shows its result. */                   \
  X(COMMAND_RECORD, 13, "record") /* argument: enum record_request */                                        \
  X(COMMAND_SAVE, 14, "save")                                                                                \
  X(COMMAND_LOAD, 15, "load")                                                                                \
  X(COMMAND_STIMULUS, 16, "stimulus") /* argument: twice the index of a stimulus, plus 1 for on */           \
  X(COMMAND_JOG, 17,                                                                                         \
    "jog") /* argument: number of the part, and of the hand in the upper bits: see COMMAND_HAND */
enum command_code {
#define COMMAND_ENUM(id, code, text) id = (code),
  COMMAND_LIST(COMMAND_ENUM)
#undef COMMAND_ENUM
};
/* COMMAND_JOG: the lower bits of the argument are the part, the others tell hands apart. The value is its speed, and `number`
 * rises with each command of a hand. */
#define COMMAND_HAND 256
const char *command_name(unsigned code); /* "?" when unknown */
int command_from_name(const char *name); /* code, or 0 */

enum command_result {
  RESULT_OK = 0,
  RESULT_WRONG_STATE = 1,
  RESULT_NOT_AUTHORISED = 2,
  RESULT_BAD_ARGUMENT = 3,
  RESULT_NOT_READY = 4, /* the state is right, but a required input is not fresh, or the rig is not ready */
  RESULT_BUSY = 5,      /* dropped: the queue was full, or steps of another command are under way */
  /* An arm after a stop, less than 0.5 s after STOPPED was shown or after an arm or run was refused. */
  RESULT_TOO_SOON = 6,
  RESULT_NO_SUCH_NAME = 7, /* no injection or parameter has the name */
};

/* Causes of FAULT and SAFE: id, code, resulting state, text. FAULT: the model itself has failed. SAFE: the model is
 * sound, but something around it failed. */
#define FAULT_LIST(X)                                                                                        \
  X(FAULT_NONE, 0, STATE_STOPPED, "none")                                                                    \
  X(FAULT_ESTOP, 1, STATE_SAFE, "e-stop requested")                                                          \
  X(FAULT_MISSES, 2, STATE_SAFE, "too many deadlines missed in a row")                                       \
  X(FAULT_STALE, 3, STATE_SAFE, "an input has not come for too long")                                        \
  X(FAULT_DIVERGED, 4, STATE_FAULT, "the step diverged")                                                     \
  X(FAULT_SINGULAR, 5, STATE_FAULT, "a pivot of the condensation is not positive")                           \
  X(FAULT_WORKER, 6, STATE_SAFE, "a worker thread has ended")                                                \
  X(FAULT_STUCK, 7, STATE_SAFE, "the loop was stuck")                                                        \
  X(FAULT_BEAT, 8, STATE_SAFE, "no input frame came for two periods")                                        \
  X(FAULT_VIOLATED, 9, STATE_FAULT, "the joints, drives and gears cannot all be met")                        \
  X(FAULT_FOLLOW, 10, STATE_SAFE, "the rig does not follow")                                                 \
  X(FAULT_PERMISSIVE, 11, STATE_SAFE, "a permissive of the rig is missing")                                  \
  X(FAULT_FELT, 12, STATE_SAFE, "a limit of what is felt is exceeded")
enum fault_code {
#define FAULT_ENUM(id, code, state, text) id = (code),
  FAULT_LIST(FAULT_ENUM)
#undef FAULT_ENUM
};
const char *fault_text(unsigned fault); /* "unknown fault" when out of range */

/* Orders to the recorder of this daemon: the argument of COMMAND_RECORD. */
enum record_request { RECORD_STOP, RECORD_START, RECORD_SPLIT, RECORD_MARK, RECORD_ORDERS };

/* States of the recorder of this daemon. */
#define RECORDER_STATE_LIST(X)                                                                               \
  X(RECORDER_OFF, 0, "off")                                                                                  \
  X(RECORDER_WAITING, 1, "waiting")                                                                          \
  X(RECORDER_RECORDING, 2, "recording")                                                                      \
  X(RECORDER_LOST, 3, "lost cycles") /* it records, and cycles are missing in its file */                    \
  X(RECORDER_FULL, 4, "disk full")
enum recorder_state {
#define RECORDER_STATE_ENUM(id, code, text) id = (code),
  RECORDER_STATE_LIST(RECORDER_STATE_ENUM)
#undef RECORDER_STATE_ENUM
      RECORDER_STATES
};
const char *recorder_state_name(unsigned state); /* "?" when unknown */

/* Flag bits of a frame; also the bits of Modbus input register 3 and discrete inputs 0-15. */
enum frame_flag {
  FLAG_READY = 1 << 0,
  FLAG_RUNNING = 1 << 1,
  FLAG_PAUSED = 1 << 2,
  FLAG_FAULT = 1 << 3,
  FLAG_SAFE = 1 << 4,
  FLAG_ESTOP = 1 << 5,
  FLAG_INPUT_STALE = 1 << 6,
  FLAG_OVERRUN = 1 << 7, /* the last cycle missed its deadline */
  /* An input was clamped or its rate limited in the last cycle, or the platform is at a limit. */
  FLAG_LIMIT = 1 << 8,
  FLAG_PARKED = 1 << 9,    /* the motion platform is at rest in its park pose */
  FLAG_ENGAGED = 1 << 10,  /* the platform has reached neutral since it left its park pose */
  FLAG_LOCKSTEP = 1 << 11, /* the loop steps on command only */
  FLAG_NOT_REALTIME = 1 << 12,
  FLAG_INJECTED = 1 << 13, /* an injected fault acts */
  /* The platform was not armed yet: its pose is unknown and its outputs are withheld. */
  FLAG_WITHHELD = 1 << 14,
  FLAG_VIOLATED = 1 << 15, /* the last step left a joint, drive or gear open by more than the tolerance */
  FLAG_RECORDED = 1 << 16, /* the recorder of this daemon writes a file; not in the 16 bits of Modbus */
  FLAG_HELD = 1 << 17, /* the step did not determine the reactions: ali3_report.held; Modbus register 28 */
};

#endif
