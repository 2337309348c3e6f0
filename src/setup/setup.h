/* SPDX-License-Identifier: MIT
 * From a configuration file to what runs: the settings, with their model frozen and their signal table made. */
#ifndef SETUP_SETUP_H
#define SETUP_SETUP_H

#include "config/settings.h"

/* NULL after a mistake, all of which are printed to `errors`: see config/settings.h. settings_free() is due. */
struct settings *setup_load(const char *file, const struct settings_overrides *over, FILE *errors);

#endif
