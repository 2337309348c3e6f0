/* SPDX-License-Identifier: MIT
 * Settings of the states that the daemon saves, from the section state of a configuration. */
#ifndef SIGNALS_STATE_SETTINGS_H
#define SIGNALS_STATE_SETTINGS_H

#include <stdbool.h>

enum resume { RESUME_NEVER, RESUME_OFFER, RESUME_IF_CLEAN };

struct state_settings {
  bool enabled;
  char *folder;       /* NULL: a folder of the instance in the folder of the state file */
  double every;       /* s between two automatic saves; 0: none but at the end */
  int keep;           /* automatic states that are kept */
  enum resume resume; /* use of the newest automatic state at a start */
};

#endif
