/* SPDX-License-Identifier: MIT
 * Makes settings of a configuration file, with a frozen model and a signal table. */
#ifndef CONFIG_SETUP_H
#define CONFIG_SETUP_H

#include "config/settings_read.h"

/* Prints every mistake to `errors`, see config/settings_read.h. NULL after a mistake. The caller calls settings_free(). */
struct settings *setup_load(const char *file, const struct settings_overrides *over, FILE *errors);

/* Puts data of a model of the file, which may have other parameters, into its start: ali3_reset(), and the static equilibrium if
 * simulation.start asks for it. Returns the status; `why` has the reason of a negative one. */
int setup_start(const struct settings *s, const ali3_model *m, ali3_data *d, char *why, size_t size);
/* The second part, for data after a reset. */
int setup_rest(const struct settings *s, const ali3_model *m, ali3_data *d, char *why, size_t size);

/* Prints a right configuration without its short forms to `out`. False after a mistake, which is printed to `errors`. */
bool setup_expand(const char *file, const struct settings_overrides *over, FILE *out, FILE *errors);

/* Parts of a picture beside the model, as JSON; the caller frees it. NULL: there are none. */
char *setup_picture_extras(const struct settings *s);

#endif
