/* SPDX-License-Identifier: MIT
 * What OSC is told of the settings. Set-up only. */
#ifndef DAEMON_OSC_SETUP_H
#define DAEMON_OSC_SETUP_H

#include "config/settings.h"
#include "osc/osc.h"

struct osc_setup {
  struct osc_config config; /* and what it points to: */
  struct osc_target *target;
  const char **body_name, **injection_name;
};

/* The settings must live as long as the result. False when out of memory; osc_setup_free() is due either way. */
bool osc_setup(struct osc_setup *o, const struct settings *s);
void osc_setup_free(struct osc_setup *o);

#endif
