/* SPDX-License-Identifier: MIT
 * The keys in which two readings of a file differ. A reading leaves a fingerprint of each key of the schema; two readings differ
 * in the keys whose fingerprints differ. Set-up only. */
#ifndef CONFIG_CHANGES_H
#define CONFIG_CHANGES_H

#include "settings/settings.h"

#include <stddef.h>

struct file_values;
struct node;
struct report;

/* Writes the names of the keys that differ, "cycle.overrun, inputs.push.hold", to text; names that do not fit its size are
 * counted at its end. Returns their number. while_running: keys that take effect at once; otherwise all other keys that the
 * daemon reads. A live key is among the others if its element or section needs a restart for another key, except in cycle,
 * solver and the model. Values are compared by their bits, lists without names as text. The keys of a section that is not
 * enabled do not count. */
int settings_changes(const struct settings *a, const struct settings *b, bool while_running, char *text,
                     size_t size);
/* True if no key of the section or list differs, apart from live keys. */
bool settings_same_section(const struct settings *a, const struct settings *b, const char *name);
/* True if both lists have the element, and its live keys may take effect. */
bool settings_same_element(const struct settings *a, const struct settings *b, const char *list,
                           const char *name);
/* Takes the fingerprints of the live keys from the new reading. */
void settings_keep_changes(struct settings *held, const struct settings *read);
/* Takes the fingerprint of one key of a section from the new reading, live or not. */
void settings_keep_key(struct settings *held, const struct settings *read, const char *section,
                       const char *key);

/* Prints of a file without mistakes. model: the mapping of the model, in this file or in its own. NULL when out of memory. */
struct key_fingerprints *fingerprints_new(const struct file_values *v, const struct node *root,
                                          const struct node *model, const struct report *r);
/* p NULL: no fingerprints. Returns NULL when out of memory. */
struct key_fingerprints *fingerprints_copy(const struct key_fingerprints *p);
void fingerprints_free(struct key_fingerprints *p);
/* Adds a list that stands in another file to the fingerprint of the key that names the file. section NULL: the key is one of the
 * whole file. p NULL: does nothing. */
void fingerprints_add_file(struct key_fingerprints *p, const char *section, const char *key,
                           const struct node *list);

#endif
