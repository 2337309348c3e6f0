/* SPDX-License-Identifier: MIT
 * From a file to settings. */
#ifndef CONFIG_SETTINGS_READ_H
#define CONFIG_SETTINGS_READ_H

#include "settings/settings.h"

/* A configuration file that is being read: first the sections that need no frozen model, then the lists that name signals.
 * The caller freezes the model and makes the signal table in between; config/setup.h does all of it. Every mistake is one
 * message to `errors`:
 *   FILE:LINE:COLUMN: error: TEXT
 * with the source line and a caret below. FILE and the files that it names are regular files of at most TEXT_FILE_MB; FILE may
 * also be a pipe. */
struct settings_reader;
/* Reads everything except maps, devices and packets. The model is not frozen, and there is no signal table. NULL after a
 * mistake. */
struct settings_reader *settings_open(const char *file, const struct settings_overrides *over, FILE *errors);
struct settings *settings_read_so_far(struct settings_reader *l);
/* Call it after ali3_model_freeze() refused the model with these options: reports the reason at its place in the file. */
void settings_not_frozen(struct settings_reader *l);
/* Prints the file without short forms, with its model in place. Call it last: paths of meshes in the tree change. */
void settings_print_plain(struct settings_reader *l, FILE *out);
/* Reports a mistake of a key that only the frozen model shows. */
__attribute__((format(printf, 4, 5))) void settings_refuse(struct settings_reader *l, const char *section,
                                                           const char *key, const char *format, ...);
/* Reads maps, devices and packets, which name signals. Takes the table over; signals NULL: out of memory, which is reported.
 * False after a mistake. */
bool settings_connect(struct settings_reader *l, struct signals *signals);
/* The settings, which no longer need the file; NULL after a mistake. */
struct settings *settings_close(struct settings_reader *l);
void settings_free(struct settings *s);

/* Writes the lines of the drives or gears of a violation, " (lines 8 and 9)". The text is empty if there are none. */
void settings_drive_lines(const struct settings *s, const ali3_violation *v, char *text, size_t size);

#endif
