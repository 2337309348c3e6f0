/* SPDX-License-Identifier: MIT */
#include "signals/states.h"

#include <string.h>

const char *run_state_name(unsigned state)
{
  switch (state) {
#define STATE_CASE(id, code, text)                                                                           \
  case code:                                                                                                 \
    return text;
    RUN_STATE_LIST(STATE_CASE)
#undef STATE_CASE
  default:
    return "?";
  }
}

const char *recorder_state_name(unsigned state)
{
  switch (state) {
#define RECORDER_CASE(id, code, text)                                                                        \
  case code:                                                                                                 \
    return text;
    RECORDER_STATE_LIST(RECORDER_CASE)
#undef RECORDER_CASE
  default:
    return "?";
  }
}

const char *command_name(unsigned code)
{
  switch (code) {
#define COMMAND_CASE(id, value, text)                                                                        \
  case value:                                                                                                \
    return text;
    COMMAND_LIST(COMMAND_CASE)
#undef COMMAND_CASE
  default:
    return "?";
  }
}

int command_from_name(const char *name)
{
#define COMMAND_MATCH(id, value, text)                                                                       \
  if (strcmp(name, text) == 0) return value;
  COMMAND_LIST(COMMAND_MATCH)
#undef COMMAND_MATCH
  return 0;
}

const char *fault_text(unsigned fault)
{
  switch (fault) {
#define FAULT_CASE(id, code, state, text)                                                                    \
  case code:                                                                                                 \
    return text;
    FAULT_LIST(FAULT_CASE)
#undef FAULT_CASE
  default:
    return "unknown fault";
  }
}
