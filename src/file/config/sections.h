/* SPDX-License-Identifier: MIT
 * The readers of the sections "platform" and "rig", and the checks of sections that need no model. */
#ifndef CONFIG_SECTIONS_H
#define CONFIG_SECTIONS_H

#include "settings/values.h"

/* Checks the section "platform", and finishes the setup of an enabled platform. The model and the inputs were read before.
 * False when out of memory; mistakes are reported. */
bool platform_read(const struct node *root, struct file_values *v, struct report *r);

/* Reads the section "rig". The inputs and the platform were read before. False when out of memory; mistakes are
 * reported. */
bool rig_read(const struct node *root, struct file_values *v, struct report *r);
/* The table of signals exists: sets the channels of the inputs that the section names. */
void rig_connect(struct settings *s);

/* Checks of single sections of a file that need no model. A value with a mistake kept its default, so they see valid values.
 * Mistakes are reported. */
void check_sections(const struct node *root, struct file_values *v, struct report *r);
/* The section record: conditions name signals. */
void check_record(const struct node *root, struct file_values *v, const struct signals *signals,
                  struct report *r);

#endif
