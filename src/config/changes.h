/* SPDX-License-Identifier: MIT
 * What differs between two readings of a file, by the names of its keys. Of each key that the tables of the schema have, a
 * reading leaves a print: two readings differ where their prints do. Set-up only. */
#ifndef CONFIG_CHANGES_H
#define CONFIG_CHANGES_H

#include "config/settings.h"

#include <stddef.h>

struct file_values;
struct node;
struct report;

/* Writes the names, "cycle.overrun, inputs.push.hold", of what differs to text, cut where it is too small, and returns how
 * many there are. while_running: of the keys that may change then; else of all others that the daemon goes by. Values are
 * compared by their bits, the model and lists without names as they are written. Of a section that is not enabled nothing
 * counts. */
int settings_changes(const struct settings *a, const struct settings *b, bool while_running, char *text,
                     size_t size);
/* The section, or the list, is the same but for what may change while the loop runs. */
bool settings_same_section(const struct settings *a, const struct settings *b, const char *name);
/* Keeps of the reading what settings_changes() names with while_running. */
void settings_keep_changes(struct settings *held, const struct settings *read);
/* Likewise, of one key of a section, whatever may change. */
void settings_keep_key(struct settings *held, const struct settings *read, const char *section,
                       const char *key);

/* Of a file without mistakes; model: the mapping of the model, wherever it stands. NULL when out of memory. */
struct key_prints *prints_new(const struct file_values *v, const struct node *root, const struct node *model,
                              const struct report *r);
/* p NULL: of nothing. NULL when out of memory. */
struct key_prints *prints_copy(const struct key_prints *p);
void prints_free(struct key_prints *p);
/* The key, of a section or (NULL) of the file, names another file that has the list. p NULL: there are none. */
void prints_add_file(struct key_prints *p, const char *section, const char *key, const struct node *list);

#endif
