/* SPDX-License-Identifier: MIT */
#include "platform/platform_parts.h"

const char *platform_state_name(unsigned state)
{
  static const char *const names[] = {
#define NAME(id, code, text) [code] = (text),
      PLATFORM_STATE_LIST(NAME)
#undef NAME
  };
  return state < sizeof names / sizeof *names ? names[state] : "?";
}

const char *platform_mode_name(unsigned mode)
{
  static const char *const names[] = {
#define NAME(id, text) text,
      PLATFORM_MODE_LIST(NAME)
#undef NAME
  };
  return mode < sizeof names / sizeof *names ? names[mode] : "?";
}

/* `to`, once the platform is at rest. */
static enum platform_state by_rest(enum platform_state to, bool rest)
{
  return rest ? to : PLATFORM_STOP;
}

static enum platform_state to_run(enum platform_state state, bool engaged, bool rest)
{
  switch (state) {
  case PLATFORM_RUN:
  case PLATFORM_ENGAGE:
    return state;
  case PLATFORM_NEUTRAL:
    return PLATFORM_RUN;
  case PLATFORM_FREEZE:
    return engaged ? PLATFORM_RUN : by_rest(PLATFORM_ENGAGE, rest);
  default:
    return by_rest(PLATFORM_ENGAGE, rest);
  }
}

enum platform_state states_next(enum platform_state state, enum platform_request request, bool engaged,
                                bool rest)
{
  /* The pose of the rig is unknown before the first request to neutral, run or jog. */
  const bool parks = state == PLATFORM_PARKED || state == PLATFORM_PARK;
  const bool up = request == PLATFORM_TO_NEUTRAL || request == PLATFORM_TO_RUN || request == PLATFORM_TO_JOG;
  if (state == PLATFORM_UNKNOWN) return up ? PLATFORM_PARKED : PLATFORM_UNKNOWN;
  /* A request changes the state only at rest; a moving platform comes to rest first. */
  switch (request) {
  case PLATFORM_TO_PARK:
  case PLATFORM_TO_SAFE:
    return parks ? state : by_rest(PLATFORM_PARK, rest);
  case PLATFORM_TO_FAULT:
    if (parks || state == PLATFORM_FAULT) return state;
    return by_rest(state == PLATFORM_NEUTRAL ? PLATFORM_PARK : PLATFORM_FAULT, rest);
  case PLATFORM_TO_FREEZE:
    return state == PLATFORM_PARKED ? state : PLATFORM_FREEZE;
  case PLATFORM_TO_NEUTRAL:
    if (state == PLATFORM_NEUTRAL || state == PLATFORM_ENGAGE) return state;
    return by_rest(PLATFORM_ENGAGE, rest);
  case PLATFORM_TO_JOG:
    return state == PLATFORM_JOG ? state : by_rest(PLATFORM_JOG, rest);
  case PLATFORM_TO_RUN:
    break;
  }
  return to_run(state, engaged, rest);
}

enum platform_state states_arrived(enum platform_state state)
{
  switch (state) {
  case PLATFORM_ENGAGE:
    return PLATFORM_NEUTRAL;
  case PLATFORM_FAULT:
    return PLATFORM_PARK;
  case PLATFORM_PARK:
    return PLATFORM_PARKED;
  default:
    return state;
  }
}
